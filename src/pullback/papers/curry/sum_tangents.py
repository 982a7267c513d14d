"""Parts of the tangents of sums and declared types, for both libraries of The Differentiable Curry.

>>> from pullback.papers.curry.environments import DEPENDENT
>>> from pullback.papers.language.pretty import show
>>> from pullback.papers.language.terms import R, Var
>>> print(show(injected_sum(0, Plus(R, R), Var("g"), DEPENDENT)))
inl g
>>> print(show(injected_sum(0, Plus(ONE, ONE), Var("g"), DEPENDENT)))
()
"""

from __future__ import annotations

from pullback.papers.curry.tangents import Functions, tangent, zero
from pullback.papers.language.build import E
from pullback.papers.language.terms import ONE, Inl, Inr, Nil, Op, Plus, Term, Type


def injected_sum(index: int, t: Plus, g: Term, fs: Functions) -> Term:
    """Return the tangent of inl x or inr x, from that of x."""
    sums = tangent(t, fs)
    if not isinstance(sums, Plus):
        return Nil()
    return Inr(g, sums.left) if index else Inl(g, sums.right)


def part(name: str, a: Type, t: Plus, x: E, g: Term, fs: Functions) -> Term:
    """Return the tangent of x, from that of inl x or inr x."""
    return Op(f"from_{name}", (g, zero(a, x.t, fs))) if tangent(t, fs) != ONE else Nil()


def rolled_back(name: str, a: Type, x: E, g: Term, fs: Functions) -> Term:
    """Return the tangent of x, from that of roll x or unroll x."""
    if name == "roll":
        return Op("opened", (g, zero(a, x.t, fs)))
    return Op("closed", (g,), (a,))
