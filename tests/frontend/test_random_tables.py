"""Random functions that change tables whose rows may be shared: right or refused, never wrong."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as pb
from pullback.errors import PullbackError
from tests.frontend.harness import run
from tests.frontend.random_blocks import BlockWriter
from tests.frontend.test_random_control import function_of
from tests.frontend.test_random_lists import outcome

TABLES = ("t", "u")
PRELUDE = """
import numpy as np

def push(rows, k, y):
    rows[k].append(y)
    return rows

def scale(rows, y):
    for i in range(len(rows)):
        for j in range(len(rows[i])):
            rows[i][j] *= y

def again(rows):
    rows.append(rows[0])

def row_of(rows, k):
    return rows[k]

"""


class Writer(BlockWriter):
    """Writes one random function of two tables, a list of arrays, a row and a number.

    ``sharing``: how often rows are given names or put somewhere else."""

    def __init__(self, seed: int, sharing: float) -> None:
        super().__init__(seed)
        self.sharing = sharing

    def pick(self, *some: str) -> str:
        return self.random.choice(some)

    def value(self) -> str:
        return self.pick("s", "0.5", "x", "s * x", f"{self.pick(*TABLES)}[0][0]", "a[0][1]")

    def row(self) -> str:
        b = self.pick(*TABLES)
        return self.pick(
            f"[{self.value()}]", f"[{self.value()}, x]", f"{b}[-1][:]", f"list({b}[0])",
            f"[y * 0.5 for y in {b}[0]]", f"{b}[0] + [x]",
        )  # fmt: skip

    def change(self) -> str:
        b, k, j = self.pick(*TABLES), self.random.randint(-2, 1), self.random.randint(-2, 1)
        y = self.value()
        return self.pick(
            f"{b}[{k}][{j}] = {y}", f"{b}[{k}][{j}] += {y}", f"{b}[{k}].append({y})",
            f"{b}[{k}].append({y})", f"s = s * 0.5 + {b}[{k}].pop()", f"{b}[{k}] += [{y}]",
            f"{b}[{k}] = {self.row()}", f"{b}.append({self.row()})", f"{b}[{k}].insert(0, {y})",
            f"{b}[{k}], {b}[{j}] = {b}[{j}], {b}[{k}]", f"push({b}, {k}, {y})", f"scale({b}, 0.5)",
            f"{b}[{k}].reverse()", f"{b}.reverse()", f"{b}[{k}].extend({b}[{j}])",
            f"{b}[{k}][0:1] = [{y}, x]", f"del {b}[{k}][0]", f"a[{k}][{j}] += {y}", "a[0][:] = x",
            f"a[{k}] += {y}", f"a[{k}], a[{j}] = a[{j}], a[{k}]", f"{b}.pop({k})",
            f"d['k'][{j}] += {y}", f"d['r'][{k}].append({y})",
        )  # fmt: skip

    def share(self) -> str:
        b, c, k = self.pick(*TABLES), self.pick(*TABLES), self.random.randint(-2, 1)
        return self.pick(
            f"r = {b}[{k}]", f"{b}[{k}] = {c}[0]", f"{b}.append({c}[{k}])", f"{b}.append(r)",
            "r[0] += x", "r.append(x)", f"{b} = {c}", f"{b} = {c}[:]", f"again({b})",
            f"r = row_of({b}, {k})", f"d['r'] = {b}", f"d['k'] = {b}[{k}]", "s = s * 0.5 + sum(r)",
            f"{b} = [q for q in {c}]", f"{b} = {c} + {b}", "t, u = u, t", f"r = {b}.pop()",
            f"{b} = ({c} if s > 0.5 else {b})", f"{b} = [r] * 2", f"a[{k}] = a[0]",
        )  # fmt: skip

    def statement(self, depth: int, indent: int) -> None:
        b = self.pick(*TABLES)
        pick = self.random.random()
        if pick < self.sharing:
            self.emit(indent, self.share())
        elif pick < 0.6:
            self.emit(indent, self.change())
        elif depth > 0 and pick < 0.7:
            self.branch(depth, indent)
        elif depth > 0 and pick < 0.85:
            self.loops += 1
            i = f"i{self.loops}"
            count = self.random.randint(1, 3)
            self.emit(indent, self.pick(f"for {i} in range({count}):", f"for {i} in range(n):"))
            self.block(depth - 1, indent + 1)
            self.emit(indent + 1, f"{b}[{i} % 2][0] += {i} * x")
        else:
            self.emit(
                indent,
                self.pick(
                    f"s = s * 0.5 + {b}[0][0]", f"s = s * 0.5 + sum({b}[-1])", f"s += len({b}[0])",
                    "s = s * 0.5 + np.sum(a[0])", "s = s * 0.5 + d['k'][0] + len(d['r'][0])",
                ),
            )  # fmt: skip

    def program(self) -> str:
        self.emit(1, "t = [[x, 1.0], [2.0]]" if self.random.random() < 0.3 else
                  "t = [[x * i, 1.0] for i in range(n)]")  # fmt: skip
        self.emit(1, "u = [[0.5 * i] * n for i in range(n)]")
        self.emit(1, "a = [np.zeros(2) + x * i for i in range(n)]")
        self.emit(1, "s, r, d = x, [x], {'k': [x, 2.0], 'r': [[x], [1.0]]}")
        for _ in range(3):
            self.block(2, 1)
        self.emit(1, "s += sum([sum(q) * len(q) for q in t]) + 2.0 * sum([sum(q) for q in u])")
        self.emit(1, "return s + sum([np.sum(q * q) for q in a]) + sum(d['k']) + len(d['r'][0])")
        return PRELUDE + "\n".join(["def f(x, n):", *self.lines, ""])


def check(seed: int, sharing: float) -> bool:
    """Whether the program ran (and was not refused)."""
    text = Writer(seed, sharing).program()
    f = function_of(text, f"tables {seed} {sharing}")
    expected = outcome(f, 0.7, 3)
    try:
        found = outcome(lambda x, n: run(f, x, n), 0.7, 3)
    except PullbackError:
        return False
    if isinstance(expected, type) or isinstance(found, type):
        assert expected == found, text
        return True
    np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=text)
    first = pb.value_and_grad(f)(0.7, 3)
    second = pb.value_and_grad(f, method="dual")(0.7, 3)
    np.testing.assert_allclose(first, second, rtol=1e-9, err_msg=text)
    np.testing.assert_allclose(first[0], expected, rtol=1e-12, err_msg=text)
    return True


@pytest.mark.parametrize("seed", range(2))
def test_random_tables(seed):
    check(seed, 0.0)


@pytest.mark.parametrize("seed", range(100, 103))
def test_random_tables_with_shared_rows(seed):
    check(seed, 0.25)
