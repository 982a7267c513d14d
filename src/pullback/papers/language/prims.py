"""The primitives of Core in nested terms: types, values and partial derivatives, from the table.

R is float64, Z is int64 and B = 1 + 1 is Bool. Two names are a paper's own (Efficient CHAD):

    sign2 x = inl () if x < 0; inr () otherwise                                     (its text)
    sign3 x = inl (inl ()) if x < 0; inl (inr ()) if x > 0; inr () if x = 0 or NaN  (its Agda code)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

from pullback.core import types as core
from pullback.core.build import Builder, f64
from pullback.core.build import partial as row_partial
from pullback.core.messages import Message
from pullback.core.prims import TABLE
from pullback.core.rows import Mark, Row
from pullback.core.terms import Atom
from pullback.core.terms import Lit as CoreLit
from pullback.core.terms import Prim as CorePrim
from pullback.core.terms import Var as CoreVar
from pullback.core.values import boxer
from pullback.papers.language.build import FALSE, TRUE
from pullback.papers.language.terms import (
    ONE,
    B,
    Int,
    Let,
    Lit,
    Plus,
    Prim,
    Prod,
    R,
    Real,
    Term,
    Type,
    Unit,
    Var,
    Z,
    fresh,
)
from pullback.papers.language.traverse import subterms
from pullback.papers.language.values import Inj, to_bool

OWN = {"sign2": ((R,), B), "sign3": ((R,), Plus(Plus(ONE, ONE), ONE))}


def core_type(t: Type) -> core.Type:
    """Return the scalar type of Core."""
    match t:
        case Real():
            return core.F64
        case Int():
            return core.I64
        case Plus(Unit(), Unit()):
            return core.BOOL
        case _:
            raise TypeError(f"a primitive takes scalars, not {t}")


def nested_type(t: core.Type) -> Type:
    """Return the nested type of a scalar."""
    match t:
        case core.Real(64):
            return R
        case core.Int(64):
            return Z
        case core.Bool():
            return B
        case _:
            raise TypeError(f"the papers' languages have float64, int64 and bool, not {t}")


Static = tuple[int | str | core.Type, ...]


def static_of(name: str, given: Static) -> Static:
    """Return the static parameters: conversions know their type, as there is one of each kind."""
    match name:
        case "to_real":
            return (core.F64,)
        case "to_int":
            return (core.I64,)
        case _:
            return given


def arity(name: str) -> int:
    """Return the number of arguments of a primitive."""
    n = 1 if name in OWN else TABLE[name].arity
    if n is None:
        raise TypeError(f"primitive {name!r} has no fixed arity")
    return n


def prim_type(name: str, types: Sequence[Type], static: Static = ()) -> Type:
    """Return the result type; one argument of a tuple type stands for as many arguments."""
    types = list(types)
    if name not in OWN and name not in TABLE:
        raise TypeError(f"no primitive {name!r}")
    n = arity(name)
    if len(types) == 1 and n > 1:
        types = split_type(types[0], n)
    if name in OWN:
        if tuple(types) != OWN[name][0]:
            raise TypeError(f"primitive {name!r} takes {OWN[name][0]}, not {types}")
        return OWN[name][1]
    results = TABLE[name].rule(tuple(core_type(t) for t in types), static_of(name, static))
    return nested_type(results[0]) if results else ONE


def split_type(t: Type, n: int) -> list[Type]:
    """Return the n components of a left-nested tuple type."""
    out: list[Type] = []
    while len(out) < n - 1:
        if not isinstance(t, Prod):
            raise TypeError(f"not a tuple of {n}: {t}")
        out.append(t.right)
        t = t.left
    return [t, *reversed(out)]


def _sign3(x: float) -> Inj:
    return Inj(0, Inj(0, ())) if x < 0 else Inj(0, Inj(1, ())) if x > 0 else Inj(1, ())


def prim_value(name: str, static: Static = ()) -> Callable[..., object]:
    """Return the result of a primitive on values. Values of B are ``Inj``."""
    if name == "sign2":
        return lambda x: to_bool(not x < 0)
    if name == "sign3":
        return _sign3
    row, static = TABLE[name], static_of(name, static)
    box: dict[type, Callable[..., object]] = {}

    def call(*args: object) -> object:
        given = [bool(a.tag) if isinstance(a, Inj) else a for a in args]
        key = type(given[-1])
        if key not in box:
            scalars: dict[type, core.Type] = {bool: core.BOOL, int: core.I64}
            types: tuple[core.Type, ...] = tuple(scalars.get(type(a), core.F64) for a in given)
            results = row.rule(types, static)
            box[key] = boxer(results[0]) if results else lambda _: ()
        out = box[key](row.numpy(*given, *static))
        return to_bool(out) if isinstance(out, bool) else out

    return call


# --- derivatives ----------------------------------------------------------------------------------


def is_discrete(name: str, real_args: bool = True) -> bool:
    """Whether a primitive has no derivative to speak of: all its partials are 0 by rule (sign,
    comparisons, rounding), or its arguments or its result are not real."""
    if name in OWN or not real_args:
        return True
    return all(p is Mark.ZERO for p in TABLE[name].partials)


def partial(name: str, i: int, xs: Sequence[Term], static: Static = (), kind: Type = R) -> Term:
    """(d op / d x_i)(xs), for variables or literals xs. A partial that is 0 by rule is 0.0; one
    that the table has not is a TypeError. ``select`` has a B as its first argument.

    >>> from pullback.papers.language.pretty import show
    >>> print(show(partial("mul", 0, (Var("x"), Var("y")))), show(partial("sin", 0, (Var("x"),))))
    y cos x
    """
    if name in OWN:
        return Lit(0.0)
    row = TABLE[name]
    types = _argument_types(row, len(xs))
    args = [CoreVar(f"a{k}", t) for k, t in enumerate(types)]
    result = CoreVar("r", core.F64)
    b = Builder()
    out = row_partial(b, row, i, tuple(args), result)
    if isinstance(out, Mark):
        if out is Mark.ZERO:
            return Lit(0.0)
        raise TypeError(f"primitive {name!r} has no derivative by argument {i}")
    if row.product == "gate":
        out = b.prim("select", out, f64(1.0), f64(0.0))
    known: dict[CoreVar, Term] = dict(zip(args, xs, strict=True))
    known[result] = Prim(name, tuple(xs), static)
    return _from_core(b, out, known)


def _argument_types(row: Row, n: int) -> list[core.Type]:
    if row.name == "select":
        return [core.BOOL, core.F64, core.F64]
    return [core.F64] * n


def missing_order(t: Term, orders: float) -> str:
    """Return why a program has no derivatives of so many orders; "" if it has."""
    for part in subterms(t):
        if isinstance(part, Prim) and (stuck := without_partial(part.op, orders)):
            return f"the derivatives of {part.op} ask for one of {stuck} that there is not"
    return ""


@cache
def without_partial(name: str, orders: float = math.inf) -> str:
    """Return a primitive that a derivative up to some order of a primitive asks for and that has
    no derivative by one of its real arguments; "" if there is none.

    >>> without_partial("sin"), without_partial("digamma"), without_partial("digamma", 1)
    ('', 'zeta', '')
    """
    met, waiting = {name}, [(name, orders)]
    while waiting:
        op, left = waiting.pop(0)
        if is_discrete(op) or left == 0:
            continue
        xs = [Var(f"x{i}") for i in range(len(TABLE[op].partials))]
        for i in range(len(xs)):
            try:
                found = partial(op, i, xs)
            except TypeError:
                return op
            new = {t.op for t in subterms(found) if isinstance(t, Prim)} - met
            met |= new
            waiting += [(t, left - 1) for t in sorted(new)]
    return ""


def _from_core(b: Builder, out: Atom, known: dict[CoreVar, Term]) -> Term:
    uses: dict[CoreVar, int] = {}
    for x in b.lets:
        if isinstance(x.op, CorePrim):
            for a in x.op.args:
                if isinstance(a, CoreVar):
                    uses[a] = uses.get(a, 0) + 1
    bound: list[tuple[str, Term]] = []

    def atom(a: Atom) -> Term:
        if isinstance(a, CoreLit):
            if isinstance(a.value, bool):
                return TRUE if a.value else FALSE
            return Lit(a.value)
        return known[a]

    for x in b.lets:
        if not isinstance(x.op, CorePrim):
            raise TypeError("a partial that is not made of primitives")
        static = tuple(s for s in x.op.static if not isinstance(s, Message | type))
        t = Prim(x.op.name, tuple(atom(a) for a in x.op.args), static)
        (v,) = x.vars
        if uses.get(v, 0) > 1:
            name = fresh("w")
            bound.append((name, t))
            known[v] = Var(name)
        else:
            known[v] = t
    body = atom(out)
    for name, value in reversed(bound):
        body = Let(name, value, body)
    return body


def times(name: str, p: Term, z: Term) -> Term:
    """Return partial * cotangent, as the row wants it: a partial that can be infinite gives 0 for
    0."""
    if name not in OWN and TABLE[name].product == "gate":
        return Prim("mulz", (z, p))
    return Prim(product(name), (p, z))


def product(name: str) -> str:
    """Return the primitive by which a partial meets what follows."""
    return "mul" if name in OWN or TABLE[name].product == "mul" else "mulz"


def dop(name: str, i: int, xs: Sequence[Term], z: Term, static: Static = ()) -> Term:
    """dop_i(xs)(z) = z * (d op / d x_i)(xs): the transposed i-th partial, applied to z.

    >>> from pullback.papers.language.pretty import show
    >>> print(show(dop("mul", 1, (Var("x"), Var("y")), Var("z"))))
    x * z
    """
    return times(name, partial(name, i, xs, static), z)
