"""Random functions in which arrays and dicts have several owners: right or refused, never wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

import pullback as pb
from pullback.errors import PullbackError
from tests.campaign import seeds
from tests.frontend import several_random
from tests.frontend.random_blocks import BlockWriter
from tests.frontend.shared_random import loaded

ARRAYS, DICTS = ("u", "v", "w"), ("d", "e")
PRELUDE = """
import numpy as np

def double(a):
    a *= 2.0
    return a

def put(d, y):
    d[1] = d.get(1, 0.5) + y
    return d

def both(a, b):
    a[0] += 0.5
    return b.sum()

class Holder:
    def __init__(self, a, table):
        self.a = a
        self.table = table

    def given(self):
        return self.a

    def scale(self, y):
        self.a *= y
        self.table[0] = y
        return self.table

def walk(rows):
    for row in rows:
        yield row

"""


class Writer(BlockWriter):
    """Writes a function of three arrays, two dicts, a list of arrays, one of dicts, two objects."""

    def value(self) -> str:
        return self.random.choice(["s", "0.5", "x", "s * x"])

    def array(self) -> str:
        k = self.random.randint(0, 2)
        return self.random.choice(
            [*ARRAYS, f"m[{k}]", f"m[{k}]", "h.a", "g.a", "h.given()", "c['k']", "double(h.a)",
             f"(m[{k}] if s > 0.5 else g.a)", "max(m, key=lambda a: a[0])"]
        )  # fmt: skip

    def table(self) -> str:
        return self.random.choice(
            [*DICTS, "h.table", "g.table", "ds[0]", "ds[-1]", "put(d, 0.5)", "h.scale(0.5)",
             "(d if s > 0.5 else g.table)"]
        )  # fmt: skip

    def of_arrays(self) -> str:
        a, b, k, y = self.array(), self.array(), self.random.randint(0, 2), self.value()
        name = self.random.choice(ARRAYS)
        return self.random.choice([
            f"m[{k}] = {a}", f"h.a = {a}", f"g.a = {name}", f"{name} = {a}", f"c['k'] = {a}",
            f"{name} = {a} * 0.5", f"m[{k}] = {a} + {b}", f"{name} *= {y}", f"{name} += {b}",
            f"m[{k}] *= {y}", f"g.a += {y}", f"{name}[{k}] = {y}", f"m[{k}][0] += {y}",
            f"h.a[1:] = {y}", f"{name}[:2] = {b}[1:]", f"double({a})",
            f"s = s * 0.5 + both({a}, {b})", f"m.append({a})", f"m.insert(0, {a})",
            f"{name} = m.pop()[:3] if len(m) > 3 else {a}", f"m[0], m[{k}] = m[{k}], m[0]",
            f"s += {a} is {b}", f"s = s * 0.5 + ({a} @ {b})", "m.reverse()", f"m = m[:] + [{a}]",
            "h = g", f"g = Holder({a}, d)", f"t = ({a}, {name})", "s = s * 0.5 + t[0][0]",
            f"{name} = np.zeros(3)", f"{name} = np.where({a} > 0.5, {a}, {b})",
            f"r = {a}[1:]; r += {y}", f"r = {a}[:2]; {name}[0] = {y}; s += r[0] * 0.1",
            f"{name}[{a} > 0.4] = {y}", f"{name} = {a}.copy()",
            f"s = s * 0.5 + {a}[{k}]", f"s += np.dot({a}, {b}) * 0.1", f"{name} = -{a}",
            "s = s * 0.5 + sum(a.sum() for a in m)", f"{name} = abs({a})",
            f"m = [{a}] * 3", f"m = [{a}, {name}, np.ones(3)]",
        ])  # fmt: skip

    def of_dicts(self) -> str:
        a, b, k, y = self.table(), self.table(), self.random.randint(0, 2), self.value()
        name = self.random.choice(DICTS)
        return self.random.choice([
            f"{name} = {a}", f"h.table = {a}", f"ds[0] = {a}", f"{a}[{k}] = {y}",
            f"{name}[{k}] = {name}.get({k}, 0.5) + {y}", f"ds.append({a})", f"put({a}, {y})",
            f"{name} = {{{k}: {y}}}", f"{name}.update({a})", f"s += {a} is {b}",
            f"s = s * 0.5 + sum({a}.values())", f"s += {k} in {a}", f"{name} = dict({a})",
            f"{name}.pop({k}, None)", f"s += len({a})", f"{name}.setdefault({k}, {y})",
            f"s += {a} == {b}", "ds.insert(0, d)", f"g = Holder(u, {a})", "h = g",
            f"s = s * 0.5 + sum(q * r for q, r in {a}.items())", f"{name} = {a}.copy()",
        ])  # fmt: skip

    def statement(self, depth: int, indent: int) -> None:
        pick = self.random.random()
        if pick < 0.5:
            self.emit(indent, self.of_arrays())
        elif pick < 0.75:
            self.emit(indent, self.of_dicts())
        elif pick < 0.85 or depth == 0:
            self.loops += 1
            r, y = f"r{self.loops}", self.value()
            if self.random.random() < 0.6:
                source = ["m[:3]", "walk(m[:3])", "[u, v, h.a]", f"({self.array()}, w)"]
                body = [f"{r} += {y}", f"{r}[0] = s", f"g.a = {r}", f"double({r})",
                        f"s = s * 0.5 + {r}.sum()", f"v = {r}", "w *= 0.5", f"m.append({r} * 2.0)",
                        f"u[1] = {r}[0]"]
            else:
                source = ["ds[:2]", "walk(ds[:2])", "[d, e, h.table]", f"({self.table()}, e)"]
                body = [f"put({r}, {y})", f"{r}[2] = {y}", f"g.table = {r}", f"d = {r}",
                        f"s = s * 0.5 + sum({r}.values())", f"e[0] = len({r}) * x"]
            self.emit(indent, f"for {r} in {self.random.choice(source)}:")
            for _ in range(self.random.randint(1, 2)):
                self.emit(indent + 1, self.random.choice(body))
        elif pick < 0.93:
            self.branch(depth, indent)
        else:
            self.loops += 1
            self.emit(indent, f"for i{self.loops} in range(2):")
            self.block(depth - 1, indent + 1)

    def program(self) -> str:
        self.emit(1, "u, v, w = np.array([x, 1.0, 0.3]), np.ones(3) * 0.7, np.full(3, x)")
        self.emit(1, "d, e = {0: x, 2: 0.3}, {1: 0.4}")
        self.emit(1, "m, ds, c, s, t = [u, v, w], [d, e], {'k': v}, x, (u, w)")
        self.emit(1, "h, g = Holder(u, d), Holder(np.zeros(3), e)")
        for _ in range(self.random.randint(1, 3)):
            self.block(2, 1)
        self.emit(1, "s += sum((k + 1) * a.sum() for k, a in enumerate(m)) + (h.a * g.a).sum()")
        self.emit(1, "s += sum(q * r for q, r in d.items()) + 2.0 * sum(g.table.values())")
        self.emit(1, "s += sum(sum(q.values()) for q in ds)")
        self.emit(1, "return s + u.sum() + 2.0 * (v * w).sum() + 3.0 * sum(e.values())")
        return PRELUDE + "\n".join(["def f(x):", *self.lines, ""])


def outcome(f: Callable[[float], object], x: float) -> object:
    try:
        return f(x)
    except (IndexError, ValueError, KeyError, TypeError) as e:
        if isinstance(e, PullbackError):
            raise
        return type(e)


def agrees(f: Callable[[float], float], text: str) -> bool:
    """Whether the value and the derivative are right; False if the function is refused."""
    x, h = 0.37, 1e-6
    wanted = outcome(f, x)
    try:
        found = outcome(pb.value_and_grad(f), x)
    except PullbackError:
        return False
    if isinstance(wanted, type) or isinstance(found, type):
        assert wanted is found, text
        return True
    assert isinstance(found, tuple) and isinstance(wanted, float), text
    slopes = [(f(x + d) - f(x - d)) / (2 * d) for d in (h, h / 3)]
    np.testing.assert_allclose(found[0], wanted, rtol=1e-10, err_msg=text)
    if abs(slopes[0] - slopes[1]) < 1e-5 * max(1.0, abs(slopes[0])):  # not at a jump
        np.testing.assert_allclose(found[1], slopes[0], rtol=1e-4, atol=1e-5, err_msg=text)
    return True


def test_right_or_refused(tmp_path: Path) -> None:
    right, chosen = 0, seeds("random", 1, 1, 200)
    for seed in chosen:
        text = Writer(seed).program()
        file = tmp_path / f"owners_{seed}.py"
        file.write_text(text)
        right += agrees(loaded(file, file.stem).f, text)
    assert right > len(chosen) // 3


def test_lists_put_into_several_places(tmp_path: Path) -> None:
    right, chosen, xs = 0, seeds("random", 2, 3, 150), [0.4, 0.7, 0.9]
    for seed in chosen:
        text = several_random.program(seed)
        file = tmp_path / f"several_{seed}.py"
        file.write_text(text)
        f = loaded(file, file.stem).f
        try:
            wanted = f(list(xs))
        except (IndexError, RecursionError):
            continue
        try:
            found = pb.jit(f)(list(xs))
        except PullbackError as e:
            assert "internal" not in str(e), text
            continue
        np.testing.assert_allclose(found, wanted, 1e-12, err_msg=text)
        if seed % 5 == 0:
            (tangent,) = pb.grad(f, (0,))(list(xs))
            up, down = ([v + h * w for v, w in zip(xs, (1.0, -0.5, 0.3))] for h in (1e-6, -1e-6))
            slope = sum(t * w for t, w in zip(tangent, (1.0, -0.5, 0.3)))
            np.testing.assert_allclose(slope, (f(up) - f(down)) / 2e-6, 1e-5, 1e-5, err_msg=text)
        right += 1
    assert right > len(chosen) // 3
