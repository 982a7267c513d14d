"""Taylor arithmetic: the coefficients of y = f(x) along a path, from those of x.

A number on a path t -> x(t) is a series x_0 + x_1 t + x_2 t^2 + ... (Karczmarczuk, Functional
differentiation of computer programs, 2001; Griewank and Walther, Evaluating derivatives, chapter
13). The table of primitives says which differential equation y = f(x) solves: y' = p x', where p is
the partial, itself an expression of x and y. Therefore

    (x y)_k = sum_i x_i y_(k-i)          (x / y)_k = (x_k - sum_(j>0) y_j (x / y)_(k-j)) / y_0
    f(x)_k = 1/k sum_(j>0) j x_j p_(k-j)

where the coefficients of p are computed by the same rules, as far as they are asked for. An
expression that occurs in its own partials is one series, so exp, sin with cos, tanh, atan, log, and
all others whose partials are algebraic in such functions, cost O(k^2) for all coefficients up to k.
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.ad.contributions import Contributions
from pullback.core.build import Builder, lit, partial
from pullback.core.prims import TABLE
from pullback.core.rows import Mark, Row
from pullback.core.terms import Atom, Lit, Prim, Static
from pullback.core.types import Real


class NoSeriesError(Exception):
    """A primitive has no Taylor coefficients of order above 1."""


class Series:
    """A number on a path. ``known``: its coefficients so far (None: 0)."""

    def __init__(self, known: list[Atom | None], moves: bool) -> None:
        self.known = known
        self.moves = moves

    @property
    def value(self) -> Atom:
        found = self.known[0]
        assert found is not None
        return found

    def __getitem__(self, k: int) -> Atom | None:
        return self.known[k] if self.moves or k == 0 else None


class _Made(Series):
    """What a primitive gives: a coefficient is computed when it is asked for."""

    def __init__(
        self, rules: Coefficients, value: Atom, name: str, args: tuple[Series, ...], moves: bool
    ) -> None:
        super().__init__([value], moves)
        self.rules = rules
        self.name = name
        self.args = args
        self.partials: dict[int, Series | Mark] = {}

    def __getitem__(self, k: int) -> Atom | None:
        while self.moves and len(self.known) <= k:
            self.known.append(self.rules.next(self))
        return super().__getitem__(k)


class Coefficients:
    """The series at one place of a program; ``b`` gets the code of their coefficients."""

    def __init__(self, b: Builder) -> None:
        self.b = b
        self.sums = Contributions()
        self.made: dict[tuple[object, ...], _Made] = {}

    def prim(
        self, name: str, args: tuple[Series, ...], static: Static, result: Atom | None = None
    ) -> Series:
        """The series of a primitive; ``result``: its value, if it is there already."""
        key = (name, static, *(id(x) if x.moves else x.value for x in args))
        if key not in self.made:
            value = result
            if value is None:
                value = self.b.prim(name, *(x.value for x in args), static=static)
            row = TABLE[name]
            moves = isinstance(value.type, Real) and any(
                x.moves and row.partial(i) is not Mark.ZERO for i, x in enumerate(args)
            )
            self.made[key] = _Made(self, value, name, args, moves)
        return self.made[key]

    def next(self, y: _Made) -> Atom | None:
        """Emit the next coefficient of a series."""
        k, row = len(y.known), TABLE[y.name]
        if row.product == "gate":
            return self.chosen(y, row, k)
        match y.name:
            case "mul":
                return self.product(y.args[0], y.args[1], k)
            case "fma" | "fmaz":
                found = self.product(y.args[0], y.args[1], k)
                return self.plus(found, y.args[2][k])
            case "div":
                return self.quotient(y, y.args[0], y.args[1], k)
            case "pow" if (n := _whole(y.args[1])) is not None:
                return self.power(y.args[0], n)[k]
            case _:
                return self.by_partials(y, row, k)

    # -- rules ----------------------------------------------------------------------------------

    def by_partials(self, y: _Made, row: Row, k: int) -> Atom | None:
        total: Atom | None = None
        rest: Atom | None = None
        for i, x in enumerate(y.args):
            if not x.moves:
                continue
            cell = row.partial(i)
            if isinstance(cell, float):
                total = self.plus(total, self.times(row, lit(cell, x.value.type), x[k], y))
                continue
            p = self.partial(y, row, i)
            if p is Mark.ZERO:
                continue
            assert isinstance(p, Series)
            for j in range(1, k + 1):
                here = x[j]
                if here is not None and j < k:
                    here = self.b.prim("mul", here, lit(j / k, here.type))
                rest = self.plus(rest, self.times(row, p[k - j], here, y))
        return self.plus(total, rest)

    def partial(self, y: _Made, row: Row, i: int) -> Series | Mark:
        """The series of the partial of y by an argument."""
        if i not in y.partials:
            b = Builder()
            found = partial(b, row, i, tuple(x.value for x in y.args), y.value)
            if found is Mark.ZERO:
                y.partials[i] = found
            elif isinstance(found, Mark):
                raise NoSeriesError(f"{y.name!r} has no derivative here")
            else:
                y.partials[i] = self.expression(b, found, (*y.args, y))
        return y.partials[i]

    def expression(self, b: Builder, result: Atom, given: Sequence[Series]) -> Series:
        """The series of an expression of given ones."""
        known: dict[Atom, Series] = {x.value: x for x in given}

        def look(a: Atom) -> Series:
            return known[a] if a in known else Series([a], False)

        for let in b.lets:
            if not isinstance(let.op, Prim) or len(let.vars) != 1:
                raise NoSeriesError("a partial derivative that branches")
            args = tuple(map(look, let.op.args))
            known[let.vars[0]] = self.prim(let.op.name, args, let.op.static)
        return look(result)

    def chosen(self, y: _Made, row: Row, k: int) -> Atom | None:
        """The coefficient of the argument that a gate chooses."""
        first, second = (i for i, x in enumerate(y.args) if isinstance(x.value.type, Real))
        one, other = y.args[first][k], y.args[second][k]
        if one is None and other is None:
            return None
        gate = self.partial(y, row, first)
        assert isinstance(gate, Series)
        zero = lit(0.0, y.value.type)
        return self.b.prim("select", gate.value, one or zero, other or zero)

    def product(self, x: Series, y: Series, k: int) -> Atom | None:
        total: Atom | None = None
        for i in range(k + 1):
            total = self.plus(total, self.term("mul", x[i], y[k - i]))
        return total

    def quotient(self, q: _Made, x: Series, y: Series, k: int) -> Atom | None:
        total = x[k]
        for j in range(1, k + 1):
            term = self.term("mulz", q[k - j], y[j])
            if term is not None:
                total = self.plus(total, self.b.prim("neg", term))
        if total is None:
            return None
        one = Series([lit(1.0, y.value.type)], False)
        by = self.prim("div", (one, Series([y.value], False)), ())
        return self.b.prim("mulz", by.value, total)

    def power(self, x: Series, n: int) -> Series:
        """x to the power of n, which is defined by products where x is 0 too."""
        if n < 2:
            return x if n else Series([lit(1.0, x.value.type)], False)
        half = self.power(x, n // 2)
        square = self.prim("mul", (half, half), ())
        return self.prim("mul", (square, x), ()) if n % 2 else square

    # -- numbers that may be zero --------------------------------------------------------------

    def plus(self, x: Atom | None, y: Atom | None) -> Atom | None:
        if x is None or y is None:
            return x or y
        return self.sums.sum(self.b, x, y)

    def term(self, name: str, x: Atom | None, y: Atom | None) -> Atom | None:
        if x is None or y is None:
            return None
        return self.sums.product(self.b, TABLE["div" if name == "mulz" else name], x, y, y.type)

    def times(self, row: Row, p: Atom | None, x: Atom | None, y: Series) -> Atom | None:
        """A coefficient of a partial times one of the argument."""
        if p is None or x is None:
            return None
        return self.sums.product(self.b, row, p, x, y.value.type)


MOST_WHOLE = 64
"""The highest exponent for which a power is computed by products."""


def _whole(x: Series) -> int | None:
    """Return an exponent, if it is a literal and a small whole number."""
    n = x.value.value if isinstance(x.value, Lit) and not x.moves else -1
    return int(n) if n in range(MOST_WHOLE + 1) else None


def coefficient(a: Atom) -> Atom | None:
    """Return a coefficient, None if it is known to be zero."""
    return None if isinstance(a, Lit) and a.value == 0.0 else a


__all__ = ["Coefficients", "NoSeriesError", "Series", "coefficient"]
