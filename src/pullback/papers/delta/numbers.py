"""Derivatives by overloading (Krawiec et al., section 6): e : forall t. Real t => t^a -> t.

The program is an ordinary one, a Python function or a term (``delta.over``), run with other
numbers: with floats, with the dual numbers of forward mode below, with those of reverse mode
(``delta.overload``), with triples or towers (``delta.lazy``). What an operation is to all of them
is its row in the table of primitives: its value and its partial derivatives, which are run with the
numbers too.

>>> fig1 = lambda x, y: (lambda z: x * z)(x + y)
>>> fig1(3.0, 4.0), fig1(Dual(3.0, 1.0), Dual(4.0, 0.0))
(21.0, Dual(value=21.0, tangent=10.0))
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Self

from pullback.core.frozen import dataclass
from pullback.papers.delta.over import over
from pullback.papers.language.prims import Static, is_discrete, partial, prim_value
from pullback.papers.language.terms import Lit, Var

Value = Any
"""A float or a ``Number``; an integer or a truth value where a primitive takes one."""


def apply(op: str, *xs: Value, static: Static = ()) -> Value:
    """Return a primitive of numbers of any kind. A float beside a Number is a literal."""
    tops = [x for x in xs if isinstance(x, Number)]
    if not tops or is_discrete(op):
        return prim_value(op, static)(*map(primal, xs))
    top = max(tops, key=lambda x: x.rank)
    return top.op(op, [top.lifted(x) for x in xs], static)


def primal(x: Value) -> Value:
    """Return the float in a number."""
    while isinstance(x, Number):
        x = x.value
    return x


class Partial(NamedTuple):
    """(∂_i op)(xs), and whether it is 1 by rule."""

    i: int
    value: Value
    one: bool


def partials(op: str, xs: Sequence[Value], static: Static = ()) -> list[Partial]:
    """Return the partials by the real arguments, but for those that are 0 by rule."""
    names = [f"x{k}" for k in range(len(xs))]
    out = []
    for i, x in enumerate(xs):
        if isinstance(x, float | Number):
            p = partial(op, i, [Var(v) for v in names], static)
            rule = p.value if isinstance(p, Lit) else None
            if rule != 0.0:
                value = over(p, dict(zip(names, xs, strict=True)), apply)
                out.append(Partial(i, value, rule == 1.0))
    return out


class Number(ABC):
    """The class Real, for numbers that carry derivatives. ``rank`` says which of two kinds has the
    other one inside."""

    __slots__ = ()
    rank: ClassVar[int] = 1
    value: Value

    @abstractmethod
    def literal(self, r: Value) -> Self:
        """Return a constant, beside this number."""

    @abstractmethod
    def op(self, op: str, xs: Sequence[Value], static: Static) -> Value:
        """Return a primitive of numbers of this kind."""

    def lifted(self, x: Value) -> Value:
        """Return ``x``, as a literal if it is a real of another kind."""
        other = isinstance(x, float) or (isinstance(x, Number) and x.rank < self.rank)
        return self.literal(x) if other else x

    def __add__(self, other: Value) -> Value:
        return apply("add", self, other)

    def __radd__(self, other: Value) -> Value:
        return apply("add", other, self)

    def __sub__(self, other: Value) -> Value:
        return apply("sub", self, other)

    def __rsub__(self, other: Value) -> Value:
        return apply("sub", other, self)

    def __mul__(self, other: Value) -> Value:
        return apply("mul", self, other)

    def __rmul__(self, other: Value) -> Value:
        return apply("mul", other, self)

    def __truediv__(self, other: Value) -> Value:
        return apply("div", self, other)

    def __rtruediv__(self, other: Value) -> Value:
        return apply("div", other, self)

    def __neg__(self) -> Value:
        return apply("neg", self)


@dataclass(frozen=True, slots=True)
class Dual(Number):
    """(x, x')."""

    value: Value
    tangent: Value

    def literal(self, r: Value) -> Dual:
        return Dual(r, 0.0)

    # op (xs, us) = (op xs, Σ_i (∂_i op xs) u_i)
    def op(self, op: str, xs: Sequence[Value], static: Static) -> Dual:
        values = [x.value if isinstance(x, Dual) else x for x in xs]
        tangent: Value = 0.0
        for p in partials(op, values, static):
            tangent = apply("add", tangent, apply("mul", p.value, xs[p.i].tangent))
        return Dual(apply(op, *values, static=static), tangent)
