"""Random functions of branches, loops, jumps and updates, against plain Python.

All numbers are floats of moderate size, so that the types of variables never differ between paths;
every variable has a value from the start, so that nothing is unbound."""

from __future__ import annotations

import linecache
import random

import numpy as np
import pytest

from tests.campaign import seeds
from tests.frontend.harness import run

NAMES = ("a", "b", "c")


class Writer:
    """Writes one random function."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.loops = 0

    def expression(self, depth: int = 2) -> str:
        pick = self.random.random()
        if depth == 0 or pick < 0.3:
            return self.random.choice([*NAMES, "x", "1.5", "-0.5", "u[0]", "u[1]", "v[2]"])
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        if pick < 0.4:
            return f"({left} if {self.condition()} else {right})"
        if pick < 0.5:
            return f"helper({left}, {right})"
        return f"({left} {self.random.choice('+-*')} {right})"

    def condition(self) -> str:
        left, right = self.expression(1), self.expression(1)
        test = f"{left} {self.random.choice(['<', '>', '<=', '!='])} {right}"
        pick = self.random.random()
        if pick < 0.15:
            return f"not ({test})"
        if pick < 0.3:
            return f"({test}) {self.random.choice(['and', 'or'])} {self.expression(0)} > 0.0"
        return test

    def block(self, depth: int, indent: int, in_loop: bool) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth, indent, in_loop)

    def emit(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def statement(self, depth: int, indent: int, in_loop: bool) -> None:
        pick = self.random.random()
        if depth > 0 and pick < 0.3:
            self.emit(indent, f"if {self.condition()}:")
            self.block(depth - 1, indent + 1, in_loop)
            if self.random.random() < 0.6:
                self.emit(indent, "else:")
                self.block(depth - 1, indent + 1, in_loop)
        elif depth > 0 and pick < 0.42:
            self.loops += 1
            self.emit(indent, f"for i{self.loops} in range({self.random.randint(0, 3)}):")
            self.emit(indent + 1, f"{self.random.choice(NAMES)} += 0.25 * i{self.loops}")
            self.block(depth - 1, indent + 1, True)
        elif depth > 0 and pick < 0.5:
            self.loops += 1
            k = f"k{self.loops}"
            self.emit(indent, f"{k} = 0")
            self.emit(indent, f"while {k} < 3 and ({self.condition()}):")
            self.emit(indent + 1, f"{k} += 1")
            self.block(depth - 1, indent + 1, True)
        elif pick < 0.56:
            self.emit(indent, f"return {self.expression()}")
        elif in_loop and pick < 0.66:
            self.emit(indent, self.random.choice(["break", "continue"]))
        elif pick < 0.76:
            array = self.random.choice(["u", "v"])
            op = self.random.choice(["=", "+="])
            value = f"clip({self.expression()})"
            self.emit(indent, f"{array}[{self.random.randint(0, 2)}] {op} {value}")
        elif pick < 0.82:
            self.emit(indent, "a, b = b, clip(a * x)")
        else:
            self.emit(indent, f"{self.random.choice(NAMES)} = clip({self.expression()})")

    def program(self) -> str:
        self.emit(1, "a, b, c = x, 1.0, -x")
        self.emit(1, "u, v = np.zeros(3), np.ones(3)")
        self.block(3, 1, False)
        self.block(3, 1, False)
        self.emit(1, "return a + 2.0 * b - c + u[0] + v[1] - u[2]")
        return "\n".join(["def f(x):", *self.lines, ""])


PRELUDE = """import numpy as np

def clip(x):
    return x if -100.0 < x < 100.0 else 1.0

def helper(x, y):
    if x > y:
        return x - y
    return x + 0.5 * y

"""


def function_of(text: str, name: str):
    """The function, with its source where ``inspect`` and the front end find it."""
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, object] = {}
    exec(compile(text, file, "exec"), space)
    return space["f"]


@pytest.mark.parametrize("seed", seeds("random", 8, 6, 40))
def test_random_programs(seed):
    text = PRELUDE + Writer(seed).program()
    f = function_of(text, f"random {seed}")
    for x in (0.7, -1.3, 2.5):
        expected = f(x)
        np.testing.assert_allclose(run(f, x), expected, rtol=1e-10, err_msg=text)
