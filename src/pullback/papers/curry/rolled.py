"""Declared types as sums of products, for The Differentiable Curry (section 6.2).

    data T = C1 a.. | C2 b.. | ..        F = (a..) + ((b..) + ..)
    roll : F -> T                        unroll : T -> F
    C2 b1 .. bn = roll (inr (inl (b1,..,bn)))
    match t {C1 x.. -> e1; ..} = case unroll t of {inl v -> ..; inr v -> ..}

so that the combinators need only know sums.

>>> from pullback.papers.language.terms import R
>>> from pullback.papers.language.pretty import show
>>> lists = DataDecl("List", (), (("End", ()), ("More", (R, Data("List")))))
>>> end = Source((), Con("End", (), Data("List")), Data("List"), (lists,))
>>> show(as_sums(end).body, library=SOURCE_OPS)
'roll (inl ())'
>>> unroll(ConV("More", (2.0, ConV("End", ()))), rolling(Data("List"), (lists,)))
Inj(tag=1, value=(2.0, ConV(name='End', fields=())))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pullback.papers.language.arrays import OPS
from pullback.papers.language.build import lets, proj, tuple_, tuple_type
from pullback.papers.language.check import Types, types_of
from pullback.papers.language.ops import Row, sig
from pullback.papers.language.terms import (
    Arr,
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
    Type,
    Var,
    fresh,
)
from pullback.papers.language.traverse import deeply, map_parts, subst_type
from pullback.papers.language.values import ConV, Inj, items, tuple_value
from pullback.papers.methods import Unsupported


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


def require_ground(t: Data, decls: Sequence[DataDecl]) -> None:
    """Raise Unsupported if a declared type has functions in it."""
    seen: set[Type] = set()
    todo: list[Type] = [t]
    while todo:
        s = todo.pop()
        if s in seen:
            continue
        seen.add(s)
        match s:
            case Fun():
                raise Unsupported(f"the Differentiable Curry: {t.name} holds functions")
            case Data():
                todo += [f for _, fields in constructors(s, decls) for f in fields]
            case Prod(a, b) | Plus(a, b):
                todo += [a, b]
            case Arr(a):
                todo.append(a)
            case _:
                pass


def rolled_types(static: Sequence[Static]) -> tuple[Type, Type]:
    """Return T and F."""
    t, f = static[0], static[1]
    assert not isinstance(t, str | int) and not isinstance(f, str | int)
    return t, f


ROLLING = (
    Row("roll", lambda types, static: _rolled(types, *rolled_types(static)),
        lambda m, args, static: roll(args[0], static), show="roll {0}"),
    Row("unroll", lambda types, static: _rolled(types, *rolled_types(static)[::-1]),
        lambda m, args, static: unroll(args[0], static), show="unroll {0}"),
)
SOURCE_OPS = OPS.extended(*ROLLING)
"""The source language with roll and unroll."""


def _rolled(types: Sequence[Type], made: Type, wanted: Type) -> Type:
    return sig((wanted,), made)(types, ())
