"""Ways to write functions with environments, exT w f, down (The Differentiable Curry, Def. 5.1).

>>> from pullback.papers.language.pretty import show
>>> from pullback.papers.language.terms import R
>>> from pullback.papers.curry.environments import LIBRARY
>>> print(show(closed("x", R, R, lambda x: x.t, lambda x, g: g), library=LIBRARY))
((), \\x:R. (x, \\_g:R. ((), g)))
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.papers.curry.environments import T, e
from pullback.papers.language.build import E, lam, let, op
from pullback.papers.language.terms import Fst, Nil, Op, Pair, Term, Type

UNIT = Op("env", (Op("ty_unit"), Nil()))
"""The tangent of an empty environment."""


def closed(
    x: str, a: Type, c: Type, value: Callable[[E], Term], tangent: Callable[[E, Term], Term],
    roles: tuple[str, str] = ("", ""),
) -> Term:  # fmt: skip
    """exT () (\\x. (value, \\g. ((), tangent)))."""
    return Pair(Op("ty_unit"), lam(x, e(a), lambda v: Pair(
        value(v), back(c, lambda g: Pair(UNIT, tangent(v, g)), roles[1])), role=roles[0]))


def both(f: E, g: E, code: Callable[[E], Term]) -> Term:
    """exT (τf, τg) code."""
    return let("w", op("ty_pair", Fst(f.t), Fst(g.t)), lambda w: Pair(w.t, code(w)))


def env(w: E, t: Term) -> Term:
    """Return ``t`` as the tangent of an environment."""
    return Op("env", (w.t, t))


def back(t: Type, body: Callable[[Term], Term], role: str = "") -> Term:
    """Return a backpropagator, from a cotangent of ``t``."""
    return lam("g", T(t), lambda g: body(g.t), kind="-o", role=role)
