"""Sums, declared types and recursion for The Differentiable Curry (section 6.2, which says how: "by
taking the same approach of compiling to combinators, and implementing these combinators").

    inl[b] : a ~> a + b        inr[a] : b ~> a + b
    case f g : d * (a + b) ~> c      for f : d * a ~> c and g : d * b ~> c
    roll : F ~> T              unroll : T ~> F           for data T, F = fields1 + (fields2 + ..)
    rec f : d ~> (a ~> b)      for f : (d * (a ~> b)) * a ~> b, which knows itself

    T[a + b] = 0 | inl T[a] | inr T[b]        T[T] = 0 | T[F]        (Unit, where both are Unit)

The zero of a sum and of a declared type is one for all values, so that it costs nothing; what takes
it apart (``from_sum``) knows the value, and so the zero that is meant.

>>> from pullback.papers.language.terms import R, Source
>>> from pullback.papers.language.pretty import show
>>> lists = DataDecl("List", (), (("End", ()), ("More", (R, Data("List")))))
>>> end = Source((), Con("End", (), Data("List")), Data("List"), (lists,))
>>> show(as_sums(end).body, library=SOURCE_OPS)
'roll (inl ())'
>>> plus_values((ANY_ZERO, Inj(0, 2.0)), (Inj(1, 1.0), Inj(0, 3.0)))
(Inj(tag=1, value=1.0), Inj(tag=0, value=5.0))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pullback.papers.language.arrays import OPS
from pullback.papers.language.build import lets, proj, tuple_, tuple_type
from pullback.papers.language.check import Types, types_of
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Row, pure, sig
from pullback.papers.language.terms import (
    Case,
    Con,
    Data,
    DataDecl,
    Fun,
    Inl,
    Inr,
    Match,
    Op,
    Plus,
    Prod,
    Source,
    Static,
    Term,
    TVar,
    Type,
    Var,
    fresh,
)
from pullback.papers.language.traverse import deeply, map_parts, subst_type
from pullback.papers.language.values import ConV, Inj, array, items, tuple_value
from pullback.papers.methods import Unsupported

# --- declared types as sums of products -----------------------------------------------------------


def constructors(t: Data, decls: Sequence[DataDecl]) -> list[tuple[str, tuple[Type, ...]]]:
    """Return the constructors of a declared type, and their fields."""
    for d in decls:
        if d.name == t.name:
            by = dict(zip(d.params, t.args, strict=True))
            return [(c, tuple(subst_type(f, by) for f in fs)) for c, fs in d.constructors]
    raise Unsupported(f"the Differentiable Curry has no type {t.name}")


def sum_of(types: Sequence[Type]) -> Type:
    """t1 + (t2 + ..)."""
    return types[0] if len(types) == 1 else Plus(types[0], sum_of(types[1:]))


def unrolled(t: Data, decls: Sequence[DataDecl]) -> Type:
    """F: the sum of the tuples of fields."""
    return sum_of([tuple_type(*fields) for _, fields in constructors(t, decls)])


def rolling(t: Data, decls: Sequence[DataDecl]) -> tuple[Static, ...]:
    """Return what ``roll`` and ``unroll`` know: T, F, and constructors with numbers of fields."""
    each = [s for c, fields in constructors(t, decls) for s in (c, len(fields))]
    return (t, unrolled(t, decls), *each)


def as_sums(source: Source) -> Source:
    """Return a program that makes and takes apart declared types by roll, unroll and sums."""
    types = types_of(source.body, source.context, source.decls)
    body = deeply(lambda: _as_sums(source.body, types, source.decls))
    return replace(source, body=body)


def _as_sums(t: Term, types: Types, decls: Sequence[DataDecl]) -> Term:
    match t:
        case Con(name, args, data):
            k = [c for c, _ in constructors(data, decls)].index(name)
            kinds = [tuple_type(*fields) for _, fields in constructors(data, decls)]
            value: Term = tuple_(*(_as_sums(a, types, decls) for a in args))
            if k < len(kinds) - 1:
                value = Inl(value, sum_of(kinds[k + 1:]))
            for kind in reversed(kinds[:k]):
                value = Inr(value, kind)
            return Op("roll", (value,), rolling(data, decls))
        case Match(of, arms):
            found = types[of]
            assert isinstance(found, Data)
            value = Op("unroll", (_as_sums(of, types, decls),), rolling(found, decls))
            todo = [(a.names, _as_sums(a.body, types, decls)) for a in arms]
            return _cases(value, todo)
        case _:
            return map_parts(lambda s: _as_sums(s, types, decls), t)


def _cases(of: Term, arms: Sequence[tuple[Sequence[str], Term]]) -> Term:
    (names, body), *others = arms
    v, w = fresh("v"), fresh("w")
    first = lets([(x, proj(Var(v), k, len(names))) for k, x in enumerate(names)], body)
    return Case(of, v, first, w, _cases(Var(w), others)) if others else lets([(v, of)], first)


def roll(v: object, static: Sequence[Static]) -> ConV:
    """T from F."""
    names, k = static[2::2], 0
    while k < len(names) - 1:
        assert isinstance(v, Inj)
        tag, v = v.tag, v.value
        if tag == 0:
            break
        k += 1
    return ConV(str(names[k]), tuple(items(v, int(str(static[3 + 2 * k])))))


def unroll(x: object, static: Sequence[Static]) -> object:
    """F from T."""
    assert isinstance(x, ConV)
    names = static[2::2]
    k = names.index(x.name)
    v = tuple_value(*x.fields)
    if k < len(names) - 1:
        v = Inj(0, v)
    for _ in range(k):
        v = Inj(1, v)
    return v


# --- tangents of sums -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AnyZero:
    """The zero of every tangent: Z + x = x."""


ANY_ZERO = AnyZero()


def plus_values(x: object, y: object) -> object:
    """Return x + y. Raise a TypeError if they are tangents of different types."""
    match x, y:
        case (AnyZero(), z) | (z, AnyZero()):
            return z
        case (float(), float()):
            return x + y
        case (list(), list()) if len(x) == len(y):
            return [plus_values(v, w) for v, w in zip(x, array(y), strict=True)]
        case ((), ()):
            return ()
        case Inj(i, v), Inj(j, w) if i == j:
            return Inj(i, plus_values(v, w))
        case (tuple((x1, x2)), tuple((y1, y2))):
            return plus_values(x1, y1), plus_values(x2, y2)
        case _:
            raise TypeError(f"tangents of different functions are added: {x} + {y}")


def tangent_data(t: Type) -> Data:
    """T[T], of a declared type."""
    return Data("Tangent", (t,))


def _part(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    # the part of a tangent of a sum that belongs to the value; 0 is the zero at that value
    d, zero = args
    if d is ANY_ZERO:
        return zero
    assert isinstance(d, Inj)
    return d.value


def _types(static: Sequence[Static]) -> tuple[Type, Type]:
    """Return T and F."""
    t, f = static[0], static[1]
    assert not isinstance(t, str | int) and not isinstance(f, str | int)
    return t, f


_a, _b, _c, _d = map(TVar, "abcd")
ROLLING = (
    Row("roll", lambda types, static: sig((_types(static)[1],), _types(static)[0])(types, ()),
        lambda m, args, static: roll(args[0], static), show="roll {0}"),
    Row("unroll", lambda types, static: sig((_types(static)[0],), _types(static)[1])(types, ()),
        lambda m, args, static: unroll(args[0], static), show="unroll {0}"),
)
SUMS = (
    *ROLLING,
    Row("zero_sum", sig((), _a, "a"), pure(lambda: ANY_ZERO), show="0", linear=()),
    Row("plus_sum", sig((_a, _a), _a), pure(plus_values), show="{0} + {1}", linear=(0, 1)),
    # the tangent of x from that of inl x, or 0
    Row("from_inl", sig((Plus(_a, _b), _a), _a), _part, show="from_inl {0}", linear=(0, 1)),
    Row("from_inr", sig((Plus(_a, _b), _b), _b), _part, show="from_inr {0}", linear=(0, 1)),
    # T[T] is 0 or T[F]
    Row("opened", sig((Data("Tangent", (_b,)), _a), _a),
        pure(lambda d, zero: zero if d is ANY_ZERO else d), show="{0}", linear=(0, 1)),
    Row("closed", sig((_a,), tangent_data(_b), "b"), pure(lambda d: d), show="{0}", linear=(0,)),
)
"""What both libraries add to the language for sums and declared types."""

SOURCE_OPS = OPS.extended(*ROLLING)
"""The source language with roll and unroll."""


def rep(s: Type, t: Type) -> Fun:
    """s ~> t, the differentiable functions."""
    return Fun(s, t, "~>")


def combinator(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    """Refuse to run a combinator, which means something in a library only."""
    raise TypeError("a combinator means something in a library: curry_simple, curry_dependent")


COMBINATORS_OF_SUMS = (
    Row("inl", sig((), rep(_a, Plus(_a, _b)), "a", "b"), combinator),
    Row("inr", sig((), rep(_b, Plus(_a, _b)), "a", "b"), combinator),
    Row("case", sig((rep(Prod(_d, _a), _c), rep(Prod(_d, _b), _c)),
                    rep(Prod(_d, Plus(_a, _b)), _c)), combinator),
    Row("roll", lambda types, static: rep(*_types(static)[::-1]), combinator,
        show="roll"),
    Row("unroll", lambda types, static: rep(*_types(static)), combinator,
        show="unroll"),
    Row("rec", sig((rep(Prod(Prod(_d, rep(_a, _b)), _a), _b),), rep(_d, rep(_a, _b))), combinator),
)
