"""Random functions that change lists which may be one object: right or refused, never wrong."""

from __future__ import annotations

import numpy as np

from pullback.errors import PullbackError
from tests.campaign import seeds
from tests.frontend.harness import run
from tests.frontend.random_blocks import BlockWriter
from tests.frontend.test_random_control import function_of

LISTS = ("u", "v", "w")
PRELUDE = """
def push(xs, y):
    xs.append(y)
    return xs

def last(xs, y):
    xs[-1] += y

def same(xs):
    return xs

def both(xs, ys):
    xs.append(0.5)
    return len(ys)

"""


class Writer(BlockWriter):
    """Writes one random function of three lists, a tuple, a dict, a closure and a number."""

    def value(self) -> str:
        return self.random.choice(["s", "0.5", "x", "s * x"])

    def fresh(self) -> str:
        a, b = self.random.choice(LISTS), self.random.choice(LISTS)
        return self.random.choice(
            [a, a, f"{a}[:]", f"{a}[1:]", f"list({a})", f"{a}.copy()", "[]", f"[{self.value()}]",
             f"[y * 0.5 for y in {a}]", f"{a} + [x]", f"same({a})", f"push({a}, {self.value()})",
             f"({a} if s > 0.5 else {b})", f"sorted({a})"]
        )  # fmt: skip

    def change(self) -> str:
        a, b = self.random.choice(LISTS), self.random.choice(LISTS)
        k, y = self.random.randint(-2, 2), self.value()
        return self.random.choice(
            [f"{a}.append({y})", f"{a}.append({y})", f"{a}.append({y})", f"{a}[{k}] = {y}",
             f"{a}[{k}] += {y}", f"s = s * 0.5 + {a}.pop()", f"{a}.insert({k}, {y})",
             f"s = s * 0.5 + {a}.pop({k})", f"{a} += [{y}, x]", f"{a}.extend({b}[:2])",
             f"{a}.reverse()", f"{a}.sort()", f"push({a}, {y})", f"last({a}, {y})",
             f"s = s * 0.5 + both({a}, {b})", f"{a}[0], {a}[-1] = {a}[-1], {a}[0]",
             f"{a}.clear()", f"del {a}[{k}]", f"s = {a}.pop() - {a}.pop() if len({a}) > 1 else s"]
        )  # fmt: skip

    def statement(self, depth: int, indent: int) -> None:
        a, b, k = self.random.choice(LISTS), self.random.choice(LISTS), self.random.randint(0, 1)
        pick = self.random.random()
        if pick < 0.4:
            self.emit(indent, self.change())
        elif pick < 0.55:
            self.emit(indent, f"{a} = {self.fresh()}")
        elif depth > 0 and pick < 0.65:
            self.branch(depth, indent)
        elif depth > 0 and pick < 0.8:
            self.loops += 1
            i = f"i{self.loops}"
            self.emit(
                indent,
                self.random.choice(
                    [f"for {i} in range({self.random.randint(1, 3)}):", f"for {i} in range(n):",
                     f"for {i} in {a}[:2]:"]
                ),
            )  # fmt: skip
            self.block(depth - 1, indent + 1)
        else:
            self.emit(
                indent,
                self.random.choice(
                    [f"s = s * 0.5 + {a}[{k}]", f"s = s * 0.5 + sum({a})", "u, v = v, u",
                     f"t = (u, {a})", f"s = s * 0.5 + read({k})", f"s = s * 0.5 + t[1][{k}]",
                     f"d['k'] = {b}", "s = s * 0.5 + len(d['k'])", f"s += len({a}) == 2"]
                ),
            )  # fmt: skip

    def program(self) -> str:
        self.emit(1, "u, v, w = [x, 1.0], [2.0], [0.5 * i for i in range(n)]")
        self.emit(1, "s, t, d = x, (u, v), {'k': w}")
        self.emit(1, f"read = lambda k: {self.random.choice(LISTS)}[k]")
        for _ in range(self.random.randint(1, 3)):
            self.block(2, 1)
        self.emit(1, "return s + sum(u) + 2.0 * sum(v) + 3.0 * sum(w) + len(u) * len(w)")
        return PRELUDE + "\n".join(["def f(x, n):", *self.lines, ""])


def outcome(f, *args):
    try:
        return f(*args)
    except PullbackError:
        raise
    except (IndexError, ValueError, ZeroDivisionError) as e:
        return type(e)


def test_right_or_refused():
    right, chosen = 0, seeds("random", 24, 16, 180)
    for seed in chosen:
        text = Writer(seed).program()
        f = function_of(text, f"lists {seed}")
        try:
            for x in (0.3, 1.2):
                wanted, found = outcome(f, x, 3), outcome(run, f, x, 3)
                if isinstance(wanted, type) or isinstance(found, type):
                    assert wanted is found, text
                else:
                    np.testing.assert_allclose(found, wanted, rtol=1e-10, err_msg=text)
            right += 1
        except PullbackError:
            continue
    assert right > len(chosen) // 5
