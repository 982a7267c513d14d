"""Random functions that update arrays which share memory: right or refused, never wrong."""

from __future__ import annotations

import numpy as np

from pullback.errors import MutationError, PullbackError, UnknownNameError
from tests.campaign import seeds
from tests.frontend.harness import run
from tests.frontend.random_blocks import BlockWriter
from tests.frontend.test_random_control import function_of

ARRAYS = ("u", "v", "w")
PRELUDE = """import numpy as np

def same(a):
    return a

def swapped(a, b):
    return b, a

"""


class Writer(BlockWriter):
    """Writes one random function of three arrays, a tuple, a closure and a number."""

    def array(self) -> str:
        a, b = self.random.choice(ARRAYS), self.random.choice(ARRAYS)
        return self.random.choice(
            [a, a, f"{a}[::-1]", f"{a}.copy()", "np.zeros(3)", f"({a} + 1.0)", f"same({a})",
             f"({a} if s > 0.5 else {b})", f"swapped({a}, {b})[{self.random.randint(0, 1)}]"]
        )  # fmt: skip

    def statement(self, depth: int, indent: int) -> None:
        a, k = self.random.choice(ARRAYS), self.random.randint(0, 2)
        pick = self.random.random()
        if pick < 0.3:
            op = self.random.choice(["=", "+="])
            self.emit(indent, f"{a}[{k}] {op} {self.random.choice(['s', '0.5', 'x'])}")
        elif pick < 0.55:
            self.emit(indent, f"{a} = {self.array()}")
        elif depth > 0 and pick < 0.7:
            self.branch(depth, indent)
        elif depth > 0 and pick < 0.8:
            self.loops += 1
            self.emit(indent, f"for i{self.loops} in range({self.random.randint(1, 3)}):")
            self.block(depth - 1, indent + 1)
        else:
            self.emit(
                indent,
                self.random.choice(
                    [f"s = s * 0.5 + {a}[{k}]", f"{a} += s", "u, v = v, u", f"t = (u, {a})",
                     f"s = s * 0.5 + read({k})", f"s = s * 0.5 + t[1][{k}]"]
                ),
            )

    def program(self) -> str:
        self.emit(1, "u, v, w = np.zeros(3), np.ones(3), np.full(3, 0.5)")
        self.emit(1, "s, t = x, (u, v)")
        self.emit(1, f"read = lambda k: {self.random.choice(ARRAYS)}[k]")
        for _ in range(self.random.randint(1, 3)):
            self.block(2, 1)
        self.emit(1, "return s + u[0] + 2.0 * v[1] + 3.0 * w[2] + np.sum(u * v)")
        return PRELUDE + "\n".join(["def f(x):", *self.lines, ""])


def test_right_or_refused():
    right, chosen = 0, seeds("random", 40, 30, 300)
    for seed in chosen:
        text = Writer(seed).program()
        f = function_of(text, f"updates {seed}")
        try:
            for x in (0.3, 1.2):
                np.testing.assert_allclose(run(f, x), f(x), rtol=1e-10, err_msg=text)
            right += 1
        except PullbackError as e:
            assert isinstance(e, MutationError | UnknownNameError), text
    assert right > len(chosen) // 4
