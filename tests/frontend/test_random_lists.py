"""Random functions that change lists which may be one object: right or refused, never wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pullback.errors import PullbackError
from tests.campaign import seeds
from tests.frontend.harness import run
from tests.frontend.random_blocks import BlockWriter
from tests.frontend.shared_random import loaded
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

class Holder:
    def __init__(self, items):
        self.items = items

    def put(self, y):
        self.items.append(y)
        return self.items

    def given(self):
        return self.items

def walk(rows):
    for row in rows:
        yield row

"""


class Writer(BlockWriter):
    """Writes one random function of three lists, a tuple, a dict, a closure and a number; those
    with ``owners`` also of a list of these lists and two objects that hold some."""

    owners = False

    def value(self) -> str:
        return self.random.choice(["s", "0.5", "x", "s * x"])

    def owner(self) -> str:
        """Write an expression for a list that has several owners."""
        k = self.random.randint(0, 2)
        return self.random.choice(
            [f"m[{k}]", f"m[{k}]", "h.items", "g.items", "h.given()", f"h.put({self.value()})",
             "d['k']", "max(m, key=len)", f"(m[{k}] if s > 0.5 else g.items)"]
        )  # fmt: skip

    def of_owners(self, indent: int) -> None:
        """Write a statement about lists with several owners."""
        a, b, k = self.owner(), self.owner(), self.random.randint(0, 2)
        name, y = self.random.choice(LISTS), self.value()
        simple = [
            f"m[{k}] = {a}", f"m[{k}] = {name}", f"h.items = {a}", f"g.items = {name}",
            f"{name} = {a}", f"{name} = {a}", f"{a}.append({y})", f"{a}[0] += {y}",
            f"{a}[-1] = {y}", f"d['k'] = {a}", f"m.append({a})", f"m[0], m[{k}] = m[{k}], m[0]",
            f"push({a}, {y})", f"s = s * 0.5 + both({a}, {b})", f"s += {a} is {b}",
            f"s += {a} == {b}", f"s = s * 0.5 + len({a})", f"{a}.extend({b}[:2])",
            f"{name} = [{y}]", f"m[{k}] = [{y}, x]", f"m.insert(0, {a})", f"m[{k}] += [{y}]",
            f"h.items += [{y}]", "m.reverse()", f"m = m[:] + [{a}]", "h = g", f"g = Holder({a})",
            f"t = ({a}, {name})", f"s += {a} in m", "m.sort(key=len)", "del m[3:]",
            "s = s * 0.5 + sum(sum(r) for r in m)", f"m[{k}] = [y * 0.5 for y in {a}]",
            f"h.items = m[{k}] = {name}", f"(p, *q) = {a}; s = s * 0.5 + p + sum(q)",
        ]  # fmt: skip
        if self.random.random() < 0.8:
            self.emit(indent, self.random.choice(simple))
            return
        self.loops += 1
        r = f"r{self.loops}"
        source = self.random.choice(["m[:3]", "walk(m[:3])", "[u, v, h.items]", f"({a}, {b})"])
        self.emit(indent, f"for {r} in {source}:")
        for _ in range(self.random.randint(1, 2)):
            self.emit(indent + 1, self.random.choice(
                [f"{r}.append({y})", f"{r}[0] = s", f"g.items = {r}", f"push({r}, {y})",
                 f"s = s * 0.5 + sum({r})", f"{name}.append({y})", f"m.append({r}[:])"]
            ))  # fmt: skip

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
        if self.owners and self.random.random() < 0.6:
            self.of_owners(indent)
        elif pick < 0.4:
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
        if self.owners:
            self.emit(1, "m, h, g = [u, v, w], Holder(u), Holder([x])")
        self.emit(1, f"read = lambda k: {self.random.choice(LISTS)}[k]")
        for _ in range(self.random.randint(1, 3)):
            self.block(2, 1)
        if self.owners:
            self.emit(1, "s += sum((k + 1) * sum(r) for k, r in enumerate(m)) + sum(h.items)")
            self.emit(1, "s += sum(g.items) + len(g.items)")
        self.emit(1, "return s + sum(u) + 2.0 * sum(v) + 3.0 * sum(w) + len(u) * len(w)")
        return PRELUDE + "\n".join(["def f(x, n):", *self.lines, ""])


def outcome(f, *args):
    try:
        return f(*args)
    except PullbackError:
        raise
    except (IndexError, ValueError, ZeroDivisionError) as e:
        return type(e)


def agrees(f, text) -> bool:
    """Whether the function is right; False if it is refused."""
    try:
        for x in (0.3, 1.2):
            wanted, found = outcome(f, x, 3), outcome(run, f, x, 3)
            if isinstance(wanted, type) or isinstance(found, type):
                assert wanted is found, text
            else:
                np.testing.assert_allclose(found, wanted, rtol=1e-10, err_msg=text)
    except PullbackError:
        return False
    return True


def test_right_or_refused():
    chosen = seeds("random", 24, 16, 180)
    texts = [(Writer(seed).program(), f"lists {seed}") for seed in chosen]
    assert sum(agrees(function_of(*named), named[0]) for named in texts) > len(chosen) // 2


def test_lists_with_several_owners(tmp_path: Path) -> None:
    right, chosen = 0, seeds("random", 5, 5, 200)
    for seed in chosen:
        writer = Writer(seed)
        writer.owners = True
        text = writer.program()
        file = tmp_path / f"owners_{seed}.py"
        file.write_text(text)
        right += agrees(loaded(file, file.stem).f, text)
    assert right > len(chosen) // 2
