"""A program as a rep-function of a library, run (The Differentiable Curry, section 3).

    f : a ~> b  is run as  a -> b * (T[b] -> T[a]),  and the result in the shape of the argument

>>> from pullback.papers.language.terms import B, R
>>> shaped(Prod(R, B), (2.0, ()), (1.0, Inj(0, ())), ())
(2.0, Inj(tag=0, value=()))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pullback.papers.curry.rolled import roll, rolling, unroll, unrolled
from pullback.papers.curry.tangents import Functions, tangent
from pullback.papers.curry.universal_zero import ANY_ZERO
from pullback.papers.language.eval import apply, evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Library
from pullback.papers.language.terms import (
    ONE,
    Arr,
    Data,
    DataDecl,
    Fun,
    Plus,
    Prod,
    Real,
    Source,
    Term,
    Type,
)
from pullback.papers.language.values import Inj, array, items, pair, tuple_value
from pullback.papers.methods import Linearised

GROUND = Functions(Fun, Fun, lambda x: x, lambda x, y: x)
"""For arguments and results, which hold no functions."""


def linearise_rep(
    term: Term, library: Library, code: Callable[[object], object], source: Source,
    args: tuple[object, ...], argument: Callable[[object], object],
) -> Linearised:
    """Value and pullback of a rep-function, given as a term of a library. ``code`` takes the
    function out of it, ``argument`` the
    tangent of the argument out of what the pullback gives."""
    m = Machine()
    made, making = evaluate(term, {}, library, m)
    result, forward = apply(code(made), tuple_value(*args), machine=m)
    value, pullback = pair(result)

    def back(seed: object) -> tuple[tuple[object, ...], int]:
        ct = tangent_of(source.result, seed, source.decls)
        found, reverse = apply(pullback, ct, machine=m)
        given = items(argument(found), len(source.context))
        return tuple(shaped(t, d, v, source.decls) for (_, t), d, v in zip(
            source.context, given, args, strict=True)), reverse

    return Linearised(value, making + forward, back, m, term)


def shaped(t: Type, d: object, v: object, decls: Sequence[DataDecl]) -> object:
    """Return a tangent of the value v in its shape: the tangent of a truth value is (), here inl ()
    or inr () as in the other papers; a zero of a sum is written out."""
    match t:
        case Prod(a, b):
            (x, y), (left, right) = pair(v), (d, d) if d is ANY_ZERO else pair(d)
            return shaped(a, left, x, decls), shaped(b, right, y, decls)
        case Plus(a, b):
            assert isinstance(v, Inj)
            inner = d.value if isinstance(d, Inj) else ANY_ZERO
            return Inj(v.tag, shaped((a, b)[v.tag], inner, v.value, decls))
        case Data():
            rolls = rolling(t, decls)
            inside = shaped(unrolled(t, decls), d, unroll(v, rolls), decls)
            return roll(inside, rolls)
        case Arr(a) if tangent(t, GROUND) != ONE:
            ds = d if isinstance(d, list) else [d] * len(array(v))
            return [shaped(a, x, y, decls) for x, y in zip(ds, array(v), strict=True)]
        case Real():
            return 0.0 if d is ANY_ZERO else d
        case _:
            return ()


def tangent_of(t: Type, d: object, decls: Sequence[DataDecl]) -> object:
    """Return a cotangent of a result, in the shape of its value, as the libraries have it."""
    match t:
        case Prod(a, b):
            x, y = pair(d)
            return tangent_of(a, x, decls), tangent_of(b, y, decls)
        case Plus(a, b):
            assert isinstance(d, Inj)
            inner = tangent_of((a, b)[d.tag], d.value, decls)
            return () if tangent(t, GROUND) == ONE else Inj(d.tag, inner)
        case Data():
            return tangent_of(unrolled(t, decls), unroll(d, rolling(t, decls)), decls)
        case _:
            return d
