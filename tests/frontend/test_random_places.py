"""Random functions with names for rows, helpers and nested functions that update: right or refused,
never wrong."""

from __future__ import annotations

import os

import numpy as np

from pullback.errors import PullbackError
from tests.frontend.harness import run
from tests.frontend.random_blocks import BlockWriter
from tests.frontend.test_random_control import function_of

SEEDS = int(os.environ.get("PULLBACK_RANDOM_PLACES", "24"))
ROWS = ("p", "q")
PRELUDE = """
def scale(row, v):
    row[0] *= v

def grow(row, v):
    row.append(v)

def mix(row, other):
    row[0] += 0.5 * other[-1]

def turn(t, k):
    t[k], t[0] = t[0], t[k]

def apply(f, v):
    f(v)

"""


class Writer(BlockWriter):
    """Writes one random function of a table, two names for rows, two variables and closures."""

    def row(self) -> str:
        k = self.random.choice(["0", "1", "-1", "n", "2"])
        pick = self.random.choice(ROWS)
        return self.random.choice([f"t[{k}]", f"t[{k}]", pick, pick,
                                   f"(t[{k}] if s > 0.5 else t[1])"])  # fmt: skip

    def number(self) -> str:
        r = self.row()
        return self.random.choice(["s", "x", "0.5", f"{r}[0]", f"{r}[-1]", f"1.0 * len({r})", "m"])

    def statement(self, depth: int, indent: int) -> None:
        a, v = self.row(), self.number()
        pick = self.random.random()
        if pick < 0.2:
            self.emit(indent, f"{self.random.choice(ROWS)} = {a}")
        elif depth > 0 and pick < 0.3:
            self.branch(depth, indent)
        elif depth > 0 and pick < 0.4:
            self.loops += 1
            head = self.random.choice(
                [f"for n in range({self.random.randint(1, 3)}):", "for p in t:",
                 "for n, q in enumerate(t):", "for p, q in zip(t, reversed(t)):"]
            )  # fmt: skip
            self.emit(indent, head)
            self.block(depth - 1, indent + 1)
        else:
            name = self.random.choice(ROWS)
            self.emit(
                indent,
                self.random.choice(
                    [f"{name}[0] = {v}", f"{name}[0] += {v}", f"t[n][0] = {v}",
                     f"{name}.append({v})",
                     f"scale({a}, {v})", f"grow({a}, {v})", f"mix({a}, {self.row()})",
                     f"turn(t, {self.random.randint(0, 2)})", f"t[1] = [{v}, 0.25]",
                     "t.append([s, 0.5]) if len(t) < 7 else None", "t.pop()",
                     f"s = 0.5 * s + {v}", f"add({v})",
                     f"apply(add, {v})", f"put(n, {v})", f"s += 0.1 * {name}[0]", "m = s",
                     f"other = add; other({v})", f"s += keep({v})", f"{name} += [0.75]"]
                ),
            )  # fmt: skip

    def program(self) -> str:
        for line in ("t = [[x, 1.0], [2.0, x], [0.5, x * x], [x, x]]", "s, m, n = x, 0.5, 1",
                     "p, q = t[0], t[2]"):  # fmt: skip
            self.emit(1, line)
        for head, declared, body in (
            ("add(v)", "m", "m = 0.5 * m + v"),
            ("put(k, v)", "", "t[k][0] = v"),
            ("keep(v)", "s", "s = 0.25 * s + v; add(s)"),
        ):
            self.emit(1, f"def {head}:")
            if declared:
                self.emit(2, f"nonlocal {declared}")
            self.emit(2, body)
            if head == "keep(v)":
                self.emit(2, "return m")
        for _ in range(3):
            self.block(2, 1)
        self.emit(1, "return s + m + sum(k * sum(r) for k, r in enumerate(t)) + p[0] + 3.0 * q[-1]")
        return PRELUDE + "\n".join(["def f(x):", *self.lines, ""])


def test_right_or_refused():
    right = 0
    for seed in range(SEEDS):
        text = Writer(seed).program()
        f = function_of(text, f"places {seed}")
        for x in (0.3, 1.2):
            try:
                expected = f(x)
            except (IndexError, OverflowError):
                continue
            try:
                np.testing.assert_allclose(run(f, x), expected, rtol=1e-10, err_msg=text)
                right += 1
            except PullbackError:
                pass
    assert right > SEEDS / 10
