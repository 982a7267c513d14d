"""Programs about programs and about functions: machines, arithmetics, monads, calculi."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tests.programs import real


@dataclass(frozen=True)
class Interval:
    """Interval arithmetic: both ends carry derivatives."""

    low: float
    high: float

    def __add__(self, o: Interval) -> Interval:
        return Interval(self.low + o.low, self.high + o.high)

    def __sub__(self, o: Interval) -> Interval:
        return Interval(self.low - o.high, self.high - o.low)

    def __mul__(self, o: Interval) -> Interval:
        a, b, c, d = self.low * o.low, self.low * o.high, self.high * o.low, self.high * o.high
        return Interval(min(a, b, c, d), max(a, b, c, d))

    @property
    def width(self) -> float:
        return self.high - self.low


def interval_polynomial(coefficients, centre, radius):
    """Horner's rule on an interval: how wide the result is."""
    x = Interval(centre - radius, centre + radius)
    total = Interval(0.0, 0.0)
    for c in coefficients:
        total = total * x + Interval(c - 0.01, c + 0.01)
    return total.width


@dataclass(frozen=True)
class Dual:
    """Forward mode written by the user; Pullback differentiates it once more."""

    value: float
    slope: float

    def __add__(self, o: Dual) -> Dual:
        return Dual(self.value + o.value, self.slope + o.slope)

    def __mul__(self, o: Dual) -> Dual:
        return Dual(self.value * o.value, self.value * o.slope + self.slope * o.value)

    def tanh(self) -> Dual:
        t = math.tanh(self.value)
        return Dual(t, (1.0 - t * t) * self.slope)


def slope_penalty(weights, biases, x):
    """The squared slope of a small network at x, by the user's own forward mode."""
    h = Dual(x, 1.0)
    for i in range(len(weights)):
        h = (h * Dual(weights[i], 0.0) + Dual(biases[i], 0.0)).tanh()
    return h.slope * h.slope


def unit(x):
    return lambda s: (x, s)


def bind(m, k):
    def run(s):
        x, after = m(s)
        return k(x)(after)

    return run


def get(s):
    return s, s


def put(new):
    return lambda s: (0.0, new)


def counter(scale):
    """A computation in the state monad: read, change, give."""
    return bind(get, lambda s: bind(put(s * scale + 1.0), lambda _: unit(s * s)))


def state_monad(start, scale):
    program = bind(counter(scale), lambda a: bind(counter(scale + a), lambda b: unit(a * b)))
    value, state = program(start)
    return value + state


def church(n):
    """The number n as a function that applies a function n times."""

    def times(f, x):
        for _ in range(n):
            x = f(x)
        return x

    return times


def church_numerals(x, a):
    two, three = church(2), church(3)
    add = lambda f, y: two(f, three(f, y))
    multiply = lambda f, y: two(lambda z: three(f, z), y)
    return add(lambda u: a * math.sin(u), x) + multiply(lambda u: u + a * u * u * 0.1, x)


def fixed_point(f, start):
    """Anderson-free: apply until it stands still."""
    x, after = start, f(start)
    while abs(after - x) > 1e-13:
        x, after = after, f(after)
    return after


def fixed_points(params):
    """Functions passed to a loop that does not know them."""
    total = 0.0
    for p in params:
        total += fixed_point(lambda x: 0.3 * math.cos(p * x) + 0.1 * p, 0.5)
    return total


@dataclass(frozen=True)
class Done:
    pass


@dataclass(frozen=True)
class Turn:
    angle: float
    rest: Turtle


@dataclass(frozen=True)
class Go:
    length: float
    rest: Turtle


@dataclass(frozen=True)
class Repeat:
    times: int
    body: Turtle
    rest: Turtle


Turtle = Done | Turn | Go | Repeat


def draw(program: Turtle, pen: tuple[float, float, float]) -> tuple[float, float, float]:
    """The place and heading after a drawing: the interpreter is a fold over the program."""
    match program:
        case Done():
            return pen
        case Turn(angle, rest):
            return draw(rest, (pen[0], pen[1], pen[2] + angle))
        case Go(length, rest):
            x, y, heading = pen
            x, y = x + length * math.cos(heading), y + length * math.sin(heading)
            return draw(rest, (x, y, heading))
        case Repeat(times, body, rest):
            for _ in range(times):
                pen = draw(body, pen)
            return draw(rest, pen)


def turtle_end(program):
    x, y, heading = draw(program, (0.0, 0.0, 0.0))
    return x * x + 2.0 * y + math.sin(heading)


@dataclass(frozen=True)
class Const:
    value: float


@dataclass(frozen=True)
class X:
    pass


@dataclass(frozen=True)
class Plus:
    left: Poly
    right: Poly


@dataclass(frozen=True)
class Times:
    left: Poly
    right: Poly


Poly = Const | X | Plus | Times


def derivative(e: Poly) -> Poly:
    """Symbolic differentiation, inside the differentiated program."""
    match e:
        case Const(_):
            return Const(0.0)
        case X():
            return Const(1.0)
        case Plus(a, b):
            return Plus(derivative(a), derivative(b))
        case Times(a, b):
            return Plus(Times(derivative(a), b), Times(a, derivative(b)))


def evaluate(e: Poly, x: float) -> float:
    match e:
        case Const(value):
            return value
        case X():
            return x
        case Plus(a, b):
            return evaluate(a, x) + evaluate(b, x)
        case Times(a, b):
            return evaluate(a, x) * evaluate(b, x)


def symbolic_newton(e, x):
    """Newton steps with a derivative that the program makes itself, as data."""
    slope = derivative(e)
    for _ in range(2):
        x = x - 0.1 * evaluate(e, x) / (1.0 + evaluate(slope, x) ** 2)
    return x


def tape_machine(parameters, tape):
    """A little language of loops: move, add, scale, and jump back while a cell is large."""
    cells = np.ones(4)
    head, place, steps = 0, 0, 0
    while place < len(tape) and steps < 100 * len(tape):
        op = tape[place]
        steps += 1
        if op == 0:
            head = (head + 1) % 4
        elif op == 1:
            cells[head] += parameters[place]
        elif op == 2:
            cells[head] = math.sin(cells[head] * parameters[place])
        elif op == 3:
            cells[head] *= 0.5
            if cells[head] > 0.2:
                place -= 2
        place += 1
    return np.sum(cells * cells)


def reverse_polish(numbers, ops):
    """A calculator on a stack."""
    stack, top = np.zeros(len(ops) + 1), 0
    used = 0
    for op in ops:
        if op == 0 or top < 2:
            stack[top] = numbers[used]
            used += 1
            top += 1
        else:
            top -= 1
            a, b = stack[top - 1], stack[top]
            stack[top - 1] = a + b if op == 1 else math.sin(a * b)
    return np.sum(stack[:top])


def tape_that_ends(rng, n):
    """No jump back to an addition: the cell might stay large for ever."""
    tape = rng.integers(0, 4, n)
    tape[1:][(tape[:-1] == 1) & (tape[1:] == 3)] = 2
    return tape


def turtle(rng, n):
    program = Done()
    for _ in range(n):
        match rng.integers(3):
            case 0:
                program = Turn(rng.normal(), program)
            case 1:
                program = Go(rng.uniform(0.1, 0.5), program)
            case _:
                body = Go(rng.uniform(0.1, 0.5), Turn(rng.normal(), Done()))
                program = Repeat(int(rng.integers(1, 4)), body, program)
    return program


def polynomial(rng, n):
    if n <= 1:
        return Const(rng.uniform(0.2, 0.8)) if rng.uniform() < 0.6 else X()
    kind = Plus if rng.uniform() < 0.7 else Times
    return kind(polynomial(rng, n // 2), polynomial(rng, n - n // 2))


PROGRAMS = [
    real(
        "interval_polynomial",
        interval_polynomial,
        lambda r, n: (r.normal(size=n), 0.5, 0.1),
        (0, 1, 2),
    ),
    real(
        "slope_penalty",
        slope_penalty,
        lambda r, n: (r.normal(size=n), r.normal(size=n), 0.3),
        (0, 1, 2),
    ),
    real("state_monad", state_monad, lambda r, n: (r.normal(), r.normal()), (0, 1), (3,), ()),
    real(
        "church_numerals", church_numerals, lambda r, n: (r.normal(), r.normal()), (0, 1), (3,), ()
    ),
    real("fixed_points", fixed_points, lambda r, n: (r.uniform(0.2, 1.5, n),)),
    real("turtle", turtle_end, lambda r, n: (turtle(r, n),), (0,), (3, 8)),
    real("symbolic_newton", symbolic_newton, lambda r, n: (polynomial(r, n), 0.4), (0, 1), (3, 8)),
    real(
        "tape_machine",
        tape_machine,
        lambda r, n: (r.uniform(0.2, 0.8, n), tape_that_ends(r, n)),
        (0,),
        (3, 8, 20),
    ),
    real(
        "reverse_polish", reverse_polish, lambda r, n: (r.normal(size=n), r.integers(0, 3, n)), (0,)
    ),
]
