"""CHAD of declared types and of recursion (derived; Efficient CHAD, section 9, points to both).

After closure conversion a recursive function is closed, so its backpropagator is that of any closed
function; a declared type is a sum of products whose sums and products are not taken apart:

    C{letrec f = \\□x. t in s} = letrec f = fst C{\\□x. t} in C{s}        C{f} = (f, \\d. return ())
    C{K t1..tn}  = let (x1,x1')=C{t1} .. in (K x1..xn, \\d. x1' (d.1) >> .. >> xn' (d.n))
    C{match t {K x1..xn -> s | ..}} = let (z,z')=C{t} in match z {K x1..xn -> let (y,y')=C{s} in
       (y, \\d. scope (.. scope (y' d)) >>= \\(dx1,(..,())). z' (K! dx1..dxn)) | ..}

>>> from pullback.papers.language.terms import DataDecl, R, Source, Var
>>> from pullback.papers.language.build import E, reals
>>> from pullback.papers.language.values import ConV
>>> from pullback.papers.chad.program import run_monadic
>>> shape = DataDecl("Shape", (), (("Square", (R,)), ("Box", (R, R))))
>>> a, b = E(Var("a")), E(Var("b"))
>>> area = Match(Var("s"), (MatchArm("Square", ("a",), (a * a).t),
...                         MatchArm("Box", ("a", "b"), (a * b).t)))
>>> done = run_monadic(Source((("s", Data("Shape")),), area, R, (shape,)),
...                    (ConV("Box", (3.0, 4.0)),), 1.0)
>>> done.value, done.cotangents
(12.0, (ConV(name='Box', fields=(4.0, 3.0)),))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from pullback.papers.chad.actions import Rule
from pullback.papers.chad.types import t1, t2
from pullback.papers.language.build import E, lam, let_pair, op
from pullback.papers.language.check import Types
from pullback.papers.language.linear import return_, scope, zero_of
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Row
from pullback.papers.language.terms import (
    ONE,
    Con,
    Context,
    Data,
    Fst,
    Fun,
    Lam,
    LetRec,
    Match,
    MatchArm,
    Nil,
    Op,
    Pair,
    Prod,
    Rec,
    Snd,
    Static,
    Term,
    Type,
)
from pullback.papers.language.values import Inj, Zero, items, tuple_value
from pullback.papers.methods import Unsupported


def data_rule(t: LetRec | Con | Match, gamma: Context, types: Types, chad: Rule) -> Term:
    """C{t} for recursion and declared types."""
    match t:
        # C{letrec f = \□x. t in s} = letrec f = fst C{\□x. t} in C{s}
        case LetRec(recs, body):
            return LetRec(tuple(
                Rec(r.f, cast(Fun, t1(r.type)), _closed(r, types, chad)) for r in recs),
                chad(body, gamma, types))
        # C{K t1..tn} = let (x1,x1')=C{t1} .. in (K x1..xn, \d. x1' (d.1) >> .. >> xn' (d.n))
        case Con():
            return _con(t, gamma, types, chad)
        # C{match t {K x1..xn -> s | ..}}: what is added into the cells x1..xn makes K! dx1..dxn
        case Match(of, arms):
            data = types[of]
            assert isinstance(data, Data)
            fields = types.fields(data)
            return let_pair(("z", "z'"), chad(of, gamma, types), lambda z, z_: Match(z.t, tuple(
                MatchArm(arm.con, arm.names, _arm(
                    arm, data, list(fields).index(arm.con), fields[arm.con], z_, gamma, types,
                    chad)) for arm in arms)))


def _closed(r: Rec, types: Types, chad: Rule) -> Lam:
    if not isinstance(r.fn, Lam) or r.fn.kind != "->□":
        raise Unsupported("chad.monadic: recursive functions must be closed (chad.closures)")
    pair = chad(r.fn, (), types)
    assert isinstance(pair, Pair) and isinstance(pair.left, Lam)
    return pair.left


def _con(t: Con, gamma: Context, types: Types, chad: Rule) -> Term:
    fields = [types[a] for a in t.args]
    tag = list(types.fields(t.type)).index(t.name)

    def rest(k: int, xs: list[E], bps: list[E]) -> Term:
        if k < len(t.args):
            return let_pair(("x", "x'"), chad(t.args[k], gamma, types), lambda x, x_: rest(
                k + 1, [*xs, x], [*bps, x_]))
        data = cast(Data, t1(t.type))
        return Pair(Con(t.name, tuple(x.t for x in xs), data), lam(
            "d", t2(t.type), lambda d: actions(d, bps), role="bp"))

    def always(out: Term) -> Callable[[E], Term]:
        return lambda _: out

    def actions(d: E, bps: list[E]) -> Term:
        out = return_(Nil(), gamma)
        for k in reversed(range(len(bps))):
            m = bps[k](op("lfield", d, static=(k, tag, t.type, *fields))).t
            out = m if k == len(bps) - 1 else op("bind", m, lam("_", ONE, always(out)))
        return out

    return rest(0, [], [])


def _arm(
    arm: MatchArm, data: Data, tag: int, fields: tuple[Type, ...], z_: E, gamma: Context,
    types: Types, chad: Rule,
) -> Term:
    cells = tuple(zip(arm.names, map(t2, fields), strict=True))
    result: Type = ONE

    def added(r: Term) -> Term:
        ds: list[Term] = []
        for _ in cells:
            ds, r = [*ds, Fst(r)], Snd(r)
        return z_(Op("lcon", tuple(ds), (tag, data, *fields))).t

    def scoped(m: Term) -> Term:
        for x, cell in reversed(cells):
            m = scope(x, cell, m)
        return m

    for _, cell in reversed(cells):
        result = Prod(cell, result)
    return let_pair(("y", "y'"), chad(arm.body, (*gamma, *cells), types), lambda y, y_: Pair(
        y.t, lam("d", t2(types[arm.body]), lambda d: op("bind", scoped(y_(d).t), lam(
            "r", result, lambda r: added(r.t))), role="bp")))


# --- the cotangent of a declared type -------------------------------------------------------------


def _con_type(types: Sequence[Type], static: Sequence[Static]) -> Type:
    _, data, *fields = cast("list[Type]", list(static))
    if list(types) != [t2(f) for f in fields]:
        raise TypeError(f"the fields are {fields}, not {types}")
    return t2(data)


def _field_type(types: Sequence[Type], static: Sequence[Static]) -> Type:
    k, _, data, *fields = static
    if types[0] != t2(cast(Type, data)):
        raise TypeError(f"takes a cotangent of {data}, not {types[0]}")
    return t2(cast(Type, fields[cast(int, k)]))


def _lcon(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    return Inj(cast(int, static[0]), tuple_value(*args))


def _lfield(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    k, tag, _, *fields = static
    match args[0]:
        case Inj(found, inside):
            if found != tag:
                raise ValueError("a cotangent of another constructor")
            return items(inside, len(fields))[cast(int, k)]
        case d:
            assert isinstance(d, Zero)
            m.cost += 1
            return zero_of(t2(cast(Type, fields[cast(int, k)])))


DECLARED = (
    Row("lcon", _con_type, _lcon),
    Row("lfield", _field_type, _lfield),
)
"""The constructors and the fields of cotangents of declared types."""
