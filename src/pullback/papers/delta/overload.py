"""Reverse mode by overloading (Krawiec et al., section 6).

    data Dual = Dual Float Delta          deltaLet appends to the tape of the run, M being state
    literal r = Dual r Zero               op x1..xn = Dual (op x..) (Var i), i <- deltaLet (Σ ..)

A run leaves the very bindings that K's output leaves, and eval is that of Fig. 11.

>>> from pullback.papers.delta.show import show_delta
>>> fig1 = lambda x, y: (lambda z: x * z)(x + y)
>>> run = reverse(fig1, (3.0, 4.0))
>>> print(show_delta(run.nested()))
Let 3 = Add (Var 1) (Var 2) in
Let 4 = Add (Scale 7 (Var 1)) (Scale 3 (Var 3)) in
Var 4
>>> run.value, run.gradient(1.0)
(21.0, (10.0, 3.0))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, ClassVar, cast

from pullback.core.frozen import dataclass, field
from pullback.papers.delta.numbers import Number, Value, apply, partials
from pullback.papers.language.prims import Static
from pullback.papers.language.values import ConV, map_reals

ZERO = ConV("Zero", ())


@dataclass(slots=True)
class Tape:
    """DeltaState: the bindings, the earliest first."""

    next: int
    binds: list[tuple[int, ConV]] = field(default_factory=list)

    def let(self, delta: ConV) -> ConV:
        """Var i for i <- deltaLet delta."""
        i = self.next
        self.next += 1
        self.binds.append((i, delta))
        return ConV("Var", (i,))

    def literal(self, r: float) -> Reverse:
        """Dual r Zero."""
        return Reverse(r, ZERO, self)


@dataclass(frozen=True, slots=True)
class Reverse(Number):
    """Dual Float Delta, and the tape of the run."""

    rank: ClassVar[int] = 2
    value: Value
    delta: ConV
    tape: Tape

    def literal(self, r: Value) -> Reverse:
        return Reverse(r, ZERO, self.tape)

    # op (xs, us) = do {i <- deltaLet (Add_i (Scale (∂_i op xs) u_i)); pure (op xs, Var i)}
    def op(self, op: str, xs: Sequence[Value], static: Static) -> Reverse:
        values = [x.value if isinstance(x, Reverse) else x for x in xs]
        terms = [xs[p.i].delta if p.one else ConV("Scale", (p.value, xs[p.i].delta))
                 for p in partials(op, values, static)]
        y = apply(op, *values, static=static)
        if not terms:
            return Reverse(y, ZERO, self.tape)
        delta = terms[0]
        for t in terms[1:]:
            delta = ConV("Add", (delta, t))
        return Reverse(y, self.tape.let(delta), self.tape)


@dataclass(frozen=True, slots=True)
class Run:
    """A program's run with reverse dual numbers: the arguments, the result, the tape."""

    args: tuple[object, ...]
    result: Value
    tape: Tape

    @property
    def value(self) -> Value:
        return self.result.value if isinstance(self.result, Reverse) else self.result

    @property
    def delta(self) -> ConV:
        """The Delta of the result."""
        return self.result.delta if isinstance(self.result, Reverse) else ZERO

    def nested(self) -> ConV:
        """Return the result of runDelta."""
        out = self.delta
        for i, rhs in reversed(self.tape.binds):
            out = ConV("Let", (i, rhs, out))
        return out

    def gradient(self, seed: Value) -> tuple[object, ...]:
        """Return eval seed, and lookupOrZero of the arguments' ids."""
        fm = evaluated(seed, self.delta, self.tape.binds)
        ids = count(1)
        return tuple(
            map_reals(lambda _: fm.get(next(ids), 0.0), a, discrete=True) for a in self.args)


def reverse(
    f: Callable[..., Value], args: tuple[object, ...],
    at: Callable[[int, float], Value] | None = None,
) -> Run:  # fmt: skip
    """Run f with the dual numbers of reverse mode; it gives a real. ``at(i, r)`` may put another
    number in the place of the i-th real of the arguments, for derivatives of derivatives."""
    ids = count(1)
    tape = Tape(0)

    def input_(r: float) -> Reverse:
        i = next(ids)
        return Reverse(at(i, r) if at else r, ConV("Var", (i,)), tape)

    given = [map_reals(input_, a) for a in args]
    tape.next = next(ids)
    return Run(args, f(*given), tape)


def evaluated(x: Value, u: ConV, binds: Sequence[tuple[int, ConV]]) -> dict[int, Value]:
    """Return eval x of the nested Lets, from an empty map."""
    fm: dict[int, Value] = {}

    def run(x: Value, u: ConV) -> None:
        f = cast(Any, u.fields)
        match u.name:
            # eval x Zero m = m
            case "Zero":
                pass
            # eval x (Scale r u) m = eval (r * x) u m
            case "Scale":
                run(apply("mul", x, f[0]), f[1])
            # eval x (Add u v) m = eval x v (eval x u m)
            case "Add":
                run(x, f[0])
                run(x, f[1])
            # eval x (Var i) m = m[i += x]
            case _:
                fm[f[0]] = apply("add", fm[f[0]], x) if f[0] in fm else x

    run(x, u)
    for i, rhs in reversed(binds):
        if i in fm:
            run(fm.pop(i), rhs)
    return fm
