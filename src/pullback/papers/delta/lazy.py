"""Triple numbers and lazy towers by overloading (Krawiec et al., sections 6 and 8.6).

    (x, x', x'')          op x = (op x, Σ_i p_i x_i', Σ_i (p_i x_i'' + p_i' x_i'))
    data D = D R D        op x = D (op x) (Σ_i (∂_i op)(x1..xn) * tail x_i)     the tail is lazy

>>> cube = lambda x: x * x * x
>>> cube(Triple(2.0, 1.0, 0.0))
Triple(value=8.0, first=12.0, second=12.0)
>>> [cube(LazyTower.variable(2.0)).nth(k) for k in range(5)]
[8.0, 12.0, 12.0, 6.0, 0.0]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from pullback.core.frozen import dataclass
from pullback.papers.delta.numbers import Dual, Number, Value, apply, partials
from pullback.papers.language.prims import Static


@dataclass(frozen=True, slots=True)
class Triple(Number):
    """(x, x', x'')."""

    value: Value
    first: Value
    second: Value

    def literal(self, r: Value) -> Triple:
        return Triple(r, 0.0, 0.0)

    def op(self, op: str, xs: Sequence[Value], static: Static) -> Triple:
        values = [x.value if isinstance(x, Triple) else x for x in xs]
        duals = [Dual(x.value, x.first) if isinstance(x, Triple) else x for x in xs]
        y, first, second = apply(op, *values, static=static), 0.0, 0.0
        for p in partials(op, duals, static):
            u = xs[p.i]
            value, slope = (p.value.value, p.value.tangent) if isinstance(
                p.value, Dual) else (p.value, 0.0)
            first = first + value * u.first
            second = second + value * u.second + slope * u.first
        return Triple(y, first, second)


@dataclass(frozen=True, eq=False)
class LazyTower(Number):
    """data D = D R D, with a tail that is made once."""

    value: Value
    rest: Callable[[], Value]

    @staticmethod
    def variable(r: float, step: float = 1.0) -> LazyTower:
        """r + t * step."""
        return LazyTower(r, lambda: LazyTower(step, lambda: 0.0))

    def literal(self, r: Value) -> LazyTower:
        return LazyTower(r, lambda: 0.0)

    @cached_property
    def tail(self) -> LazyTower:
        """Return the derivative."""
        made = self.lifted(self.rest())
        assert isinstance(made, LazyTower)
        return made

    def nth(self, n: int) -> Value:
        """Return the n-th derivative."""
        out = self
        for _ in range(n):
            out = out.tail
        return out.value

    # op xs = D (op xs) (Σ_i (∂_i op)(xs) * tail x_i)
    def op(self, op: str, xs: Sequence[Value], static: Static) -> LazyTower:
        values = [x.value if isinstance(x, LazyTower) else x for x in xs]

        def rest() -> Value:
            out: Value = 0.0
            for p in partials(op, xs, static):
                part = xs[p.i].tail if p.one else p.value * xs[p.i].tail
                out = part if out == 0.0 else out + part
            return out

        return LazyTower(apply(op, *values, static=static), rest)
