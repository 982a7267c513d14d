"""Write random functions of a few floats in which every operation is exact in Python, bit for bit.

Arguments come from a small grid, so that differences cancel exactly: a product that is fused with
an addition then shows at once, in the value or in the branch that is taken."""

from __future__ import annotations

import linecache
import math
import random
import struct
from collections.abc import Callable
from typing import Any

NAMES = ("x", "y", "z", "a", "b", "c")

PRELUDE = """import math

def dot(p, q):
    return p[0] * q[0] - p[1] * q[1]

def two_sum(a, b):
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)

def two_product(a, b):
    p = a * b
    t = 134217729.0 * a
    high = t - (t - a)
    u = 134217729.0 * b
    top = u - (u - b)
    low, rest = a - high, b - top
    return p, ((high * top - p) + high * rest + low * top) + low * rest

"""


class Writer:
    """Writes one random function of x, y and z."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.loops = 0

    def atom(self) -> str:
        return self.random.choice([*NAMES, *NAMES, "0.1", "3.0", "-0.7", "2.0"])

    def expression(self, depth: int = 3) -> str:
        pick = self.random.random()
        if depth == 0 or pick < 0.15:
            return self.atom()
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        if pick < 0.2:
            return f"abs({left})"
        if pick < 0.25:
            return f"math.sqrt(abs({left}))"
        if pick < 0.3:
            return f"({left} / (abs({right}) + 0.5))"
        if pick < 0.34:
            return f"-{left}"
        if pick < 0.38:
            return f"{self.random.choice(['max', 'min'])}({left}, {right})"
        if pick < 0.44:
            return f"dot(({left}, {self.atom()}), ({self.atom()}, {right}))"
        if pick < 0.5:
            return f"two_{self.random.choice(['sum', 'product'])}({left}, {right})[1]"
        if pick < 0.54:
            return f"({left} if {self.condition()} else {right})"
        return f"({left} {self.random.choice('+-***')} {right})"

    def condition(self) -> str:
        if self.random.random() < 0.5:
            return f"{self.atom()} * {self.atom()} - {self.atom()} * {self.atom()} == 0.0"
        return f"{self.expression(1)} {self.random.choice(['<', '>=', '=='])} {self.expression(1)}"

    def emit(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def statement(self, depth: int, indent: int) -> None:
        pick = self.random.random()
        if depth > 0 and pick < 0.25:
            self.emit(indent, f"if {self.condition()}:")
            self.statement(depth - 1, indent + 1)
            self.emit(indent, "else:")
            self.statement(depth - 1, indent + 1)
        elif depth > 0 and pick < 0.4:
            self.loops += 1
            self.emit(indent, f"for i{self.loops} in range({self.random.randint(1, 4)}):")
            self.emit(indent + 1, f"{self.random.choice('abc')} = clip(i{self.loops} * a - b * c)")
            self.statement(depth - 1, indent + 1)
        elif pick < 0.5:
            body = self.expression(2).replace("z", "v")
            self.emit(indent, f"vs = [{body} for v in (x, y, z, a)]")
            self.emit(indent, f"{self.random.choice('abc')} = clip(vs[0] * vs[1] - vs[2] * vs[3])")
        else:
            self.emit(indent, f"{self.random.choice('abc')} = clip({self.expression()})")

    def text(self) -> str:
        self.emit(1, "a, b, c = y, x, -z")
        for _ in range(self.random.randint(2, 4)):
            self.statement(2, 1)
        self.emit(1, "return a * b - c * x + (b * y - x * x)")
        clip = "def clip(x):\n    return x if -100.0 < x < 100.0 else 1.0\n\n"
        return PRELUDE + clip + "\n".join(["def f(x, y, z):", *self.lines, ""]) + LANES


LANES = """
def many(xs, ys, zs):
    return [f(x, y, z) for x, y, z in zip(xs, ys, zs)]

def last(xs, ys, zs):
    found = [f(x, y, z) for x, y, z in zip(xs, ys, zs)]
    return found[len(xs) - 1] * found[0]
"""


def functions_of(text: str, name: str) -> dict[str, Callable[..., Any]]:
    """Return the functions of a text, whose source the front end finds."""
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, Any] = {}
    exec(compile(text, file, "exec"), space)
    return space


def some_number(rng: random.Random) -> float:
    """Return a number, mostly from a grid."""
    return rng.choice([0.1, 0.3, 0.7, 1.1, -0.3, 2.3, rng.uniform(-2, 2), rng.gauss(0, 1)])


def points(rng: random.Random, count: int) -> list[tuple[float, float, float]]:
    """Return arguments, some of them equal to others."""
    out = []
    for _ in range(count):
        x, y, z = (some_number(rng) for _ in range(3))
        out.append((x, rng.choice([x, x, -x, y]), rng.choice([x, z])))
    return out


def bits(x: Any) -> Any:
    """Return the part that two results must have in common."""
    if isinstance(x, list | tuple):
        return [bits(v) for v in x]
    return "nan" if math.isnan(x) else struct.pack("d", x)


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    """Return the bits of a result, or the kind of error."""
    try:
        return bits(f(*args))
    except (ArithmeticError, ValueError) as error:
        return type(error)
