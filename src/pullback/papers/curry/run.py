"""A program as a rep-function of a library, run (The Differentiable Curry, section 3).

    f : a ~> b  is run as  a -> b * (T[b] -> T[a]),  and the result in the shape of the argument

>>> shaped((2.0, ()), (1.0, Inj(0, ())))
(2.0, Inj(tag=0, value=()))
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.papers.language.eval import apply, evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Library
from pullback.papers.language.terms import (
    Source,
    Term,
)
from pullback.papers.language.values import Inj, items, pair, tuple_value
from pullback.papers.methods import Linearised


def linearise_rep(
    term: Term, library: Library, code: Callable[[object], object], source: Source,
    args: tuple[object, ...], tangent: Callable[[object], object],
) -> Linearised:
    """Value and pullback of a rep-function, given as a term of a library. ``code`` takes the
    function out of it, ``tangent`` that of the argument out of what the pullback gives."""
    m = Machine()
    made, making = evaluate(term, {}, library, m)
    result, forward = apply(code(made), tuple_value(*args), machine=m)
    value, pullback = pair(result)

    def back(seed: object) -> tuple[tuple[object, ...], int]:
        found, reverse = apply(pullback, seed, machine=m)
        given = items(tangent(found), len(source.context))
        return tuple(map(shaped, given, args)), reverse

    return Linearised(value, making + forward, back, m, term)


def shaped(d: object, value: object) -> object:
    """Return a tangent in the shape of its value: the tangent of a truth value is (), here inl ()
    or inr () as in the other papers."""
    match value:
        case list():
            return d
        case (a, b):
            left, right = pair(d)
            return shaped(left, a), shaped(right, b)
        case Inj():
            return value
        case _:
            return d
