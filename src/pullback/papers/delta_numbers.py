"""Derivatives by overloading (Krawiec et al., section 6): e : forall t. Real t => t^a -> t.

    data Dual = Dual Float Delta          deltaLet appends to the tape of the run, M being state
    literal r = Dual r Zero               op x1..xn = Dual (op x..) (Var i), i <- deltaLet (Σ ..)

The program is an ordinary one, a Python function or a term (``over``), run with other numbers: with
floats, with the dual numbers of forward mode, or with those of reverse mode, which leave the very
bindings that K's output leaves. What an operation is to all of them is its row in the table of
primitives: its value and its partial derivatives, which are run with the numbers too.

>>> fig1 = lambda x, y: (lambda z: x * z)(x + y)
>>> fig1(3.0, 4.0), fig1(Dual(3.0, 1.0), Dual(4.0, 0.0))
(21.0, Dual(value=21.0, tangent=10.0))
>>> run = reverse(fig1, (3.0, 4.0))
>>> print(show_delta(run.nested()))
Let 3 = Add (Var 1) (Var 2) in
Let 4 = Add (Scale 7 (Var 1)) (Scale 3 (Var 3)) in
Var 4
>>> run.value, run.gradient(1.0)
(21.0, (10.0, 3.0))
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, ClassVar, NamedTuple, Self, cast

from pullback.core.nested import Lit, Var
from pullback.core.nested_prims import Static, is_discrete, partial, prim_value
from pullback.core.nested_values import ConV, map_reals
from pullback.papers.delta_over import over
from pullback.papers.delta_wrapper import show_delta

Value = Any
"""A float or a ``Number``; an integer or a truth value where a primitive takes one."""


def apply(op: str, *xs: Value, static: Static = ()) -> Value:
    """A primitive of numbers of any kind. A float beside a Number is a literal."""
    tops = [x for x in xs if isinstance(x, Number)]
    if not tops or is_discrete(op, static):
        return prim_value(op, static)(*map(primal, xs))
    top = max(tops, key=lambda x: x.rank)
    return top.op(op, [top.lifted(x) for x in xs], static)


def primal(x: Value) -> Value:
    """The float in a number."""
    while isinstance(x, Number):
        x = x.value
    return x


class Partial(NamedTuple):
    """(∂_i op)(xs), and whether it is 1 by rule."""

    i: int
    value: Value
    one: bool


def partials(op: str, xs: Sequence[Value], static: Static = ()) -> list[Partial]:
    """The partials by the real arguments, but for those that are 0 by rule."""
    names = [f"x{k}" for k in range(len(xs))]
    out = []
    for i, x in enumerate(xs):
        if isinstance(x, float | Number):
            p = partial(op, i, [Var(v) for v in names], static)
            rule = p.value if isinstance(p, Lit) else None
            if rule != 0.0:
                value = over(p, dict(zip(names, xs)), apply)
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
        """A constant, beside this number."""

    @abstractmethod
    def op(self, op: str, xs: Sequence[Value], static: Static) -> Value:
        """A primitive of numbers of this kind."""

    def lifted(self, x: Value) -> Value:
        """``x``, a literal if it is a real of another kind."""
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


# --- forward mode ---------------------------------------------------------------------------------


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


# --- reverse mode ---------------------------------------------------------------------------------

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
        """What runDelta gives."""
        out = self.delta
        for i, rhs in reversed(self.tape.binds):
            out = ConV("Let", (i, rhs, out))
        return out

    def gradient(self, seed: Value) -> tuple[object, ...]:
        """eval seed, and lookupOrZero of the arguments' ids."""
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
    """eval x of the nested Lets, from a map that is empty."""
    fm: dict[int, Value] = {}

    def run(x: Value, u: ConV) -> None:
        f = cast(Any, u.fields)
        match u.name:
            case "Zero":
                pass
            case "Scale":
                run(apply("mul", x, f[0]), f[1])
            case "Add":
                run(x, f[0])
                run(x, f[1])
            case _:
                fm[f[0]] = apply("add", fm[f[0]], x) if f[0] in fm else x

    run(x, u)
    for i, rhs in reversed(binds):
        if i in fm:
            run(fm.pop(i), rhs)
    return fm


__all__ = ["Dual", "Number", "Reverse", "Run", "Tape", "apply", "evaluated", "partials", "primal",
           "reverse", "show_delta"]
