"""Random programs over objects with several names: links, lists of them, updates by whoever has
them. The oracle of values is Python; that of derivatives is the same text on dual numbers."""

from __future__ import annotations

import importlib.util
import math
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import pullback as pb

HEAD = '''
from math import sin
class A:
    bonus = 0.25
    def __init__(self, v, w):
        self.v = v
        self.w = w
        self.link = None
        self.kids = []
    def bump(self, k):
        self.v += k * self.w
        return self
    def attach(self, o):
        self.link = o
    def size(self):
        return self.v * self.v + self.bonus
    def spread(self, k):
        for o in self.kids:
            o.v += k * self.v
        if self.link is not None:
            self.link.w *= 0.9
class B(A):
    def __init__(self, v, w):
        super().__init__(v * 0.5, w)
        self.extra = v + w
    def size(self):
        return super().size() * self.extra
    def bump(self, k):
        self.extra = sin(self.extra + k)
        return self
class Box:
    def __init__(self, top):
        self.top = top
        self.count = 0
    def push(self, o):
        o.link = self.top if self.top is not o else None
        self.top = o
        self.count += 1
    def drop(self):
        o = self.top
        if o is None or o.link is None:
            return o
        self.top = o.link
        self.count -= 1
        return o
def pick(p, q):
    if p.v > q.v:
        p.w += 0.1
        return p
    q.v *= 0.8
    return q
def risky(p, k):
    p.v += k
    if p.v > 1.0:
        raise ValueError("big")
    p.w -= k
    return p.v
def chain(n, k):
    t = 0.0
    while n is not None and k > 0:
        t = t * 0.5 + n.size()
        n = n.link
        k -= 1
    return t
def deep(n, k):
    if n is None or k == 0:
        return 0.1
    n.v = sin(n.v) + 0.01 * k
    return n.v + 0.5 * deep(n.link, k - 1)
def walk(n, k):
    while n is not None and k > 0:
        yield n
        n = n.link
        k -= 1
'''
"""Classes and functions of every program."""

XS = [0.1, 0.9, 0.3, 0.7]


@dataclass
class Writer:
    """Writes the statements of one program."""

    r: random.Random
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.two, self.box = self.r.random() < 0.5, self.r.random() < 0.4

    def program(self) -> str:
        """Return the text of a program."""
        r = self.r
        self.add(0, "def f(xs):")
        made = "A(x, 0.5 * x) if x > 0.3 else B(x, 1.0)" if self.two else "A(x, 0.5 * x)"
        self.add(1, f"nodes = [{made} for x in xs]")
        self.add(1, "p, q, t = nodes[0], nodes[1], 0.0")
        if self.box:
            self.add(1, "box = Box(None)")
        for _ in range(r.randrange(4, 12)):
            self.statement(1, 0)
        ends = "sum((k + 1) * z.v + z.w for k, z in enumerate(nodes))"
        self.add(1, f"return t + {ends} + p.v * q.w")
        return HEAD + "\n".join(self.lines) + "\n"

    def add(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def number(self) -> str:
        return repr(round(self.r.uniform(-1, 1), 2))

    def name(self) -> str:
        return self.r.choice(["p", "q", f"nodes[{self.r.randrange(4)}]"])

    def object(self) -> str:
        if self.r.random() < 0.15:
            return f"pick({self.name()}, {self.name()})"
        return self.name()

    def statement(self, depth: int, inside: int) -> None:
        """Write a statement, with others inside of it."""
        r, name, number = self.r, self.name, self.number
        simple = [
            lambda: f"{name()}.link = {r.choice([name(), 'None'])}",
            lambda: f"{name()}.attach({self.object()})",
            lambda: f"{r.choice('pq')} = {self.object()}",
            lambda: f"{name()}.v += {number()} * {name()}.v",
            lambda: f"{name()}.w = {name()}.v * {number()} + {number()}",
            lambda: f"{name()}.kids.append({name()})",
            lambda: f"t += chain({self.object()}, {r.randrange(1, 5)})",
            lambda: f"t += deep({self.object()}, {r.randrange(1, 4)})",
            lambda: f"nodes[{(i := r.randrange(3))}], nodes[3] = nodes[3], nodes[{i}]",
            lambda: f"{name()}.spread({number()})",
            lambda: f"{self.object()}.bump({number()})",
            lambda: f"max(nodes, key=lambda z: z.v).w += {number()}",
            lambda: f"t += sum(z.v for z in nodes if z.w > {number()})",
            lambda: f"t += 1.0 if {name()} is {name()} else {number()}",
            lambda: f"nodes.append({'B' if self.two else 'A'}({name()}.v, {number()}))",
            lambda: f"t = t * 0.9 + {name()}.size()",
        ]  # fmt: skip
        if self.box:
            simple += [
                lambda: f"box.push({r.choice('pq')})", lambda: "p = box.drop() or p",
                lambda: f"t += box.count * {number()}",
            ]  # fmt: skip
        blocks = [
            lambda: [f"for o in {name()}.kids:", f"o.v = sin(o.v + {number()})"],
            lambda: [f"if {name()}.v > {number()}:"],
            lambda: [f"for i in range({r.randrange(1, 4)}):"],
            lambda: [f"for m in walk({name()}, 3):", r.choice(["t += m.v", "m.v *= 0.9"])],
        ]
        if inside > 1 or r.random() < 0.7:
            self.add(depth, r.choice(simple)())
            return
        first, *rest = r.choice(blocks)()
        self.add(depth, first)
        for line in rest:
            self.add(depth + 1, line)
        if not rest:
            self.statement(depth + 1, inside + 1)
            self.statement(depth + 1, inside + 1)


class Dual:
    """A number with its derivative."""

    def __init__(self, value: float, slope: float = 0.0) -> None:
        self.value, self.slope = value, slope

    def __add__(self, other: Any) -> Dual:
        o = dual(other)
        return Dual(self.value + o.value, self.slope + o.slope)

    def __mul__(self, other: Any) -> Dual:
        o = dual(other)
        return Dual(self.value * o.value, self.value * o.slope + self.slope * o.value)

    def __gt__(self, other: Any) -> bool:
        return self.value > dual(other).value

    __radd__, __rmul__ = __add__, __mul__


def dual(x: Any) -> Dual:
    return x if isinstance(x, Dual) else Dual(float(x))


def _sin(x: Any) -> Dual:
    x = dual(x)
    return Dual(math.sin(x.value), math.cos(x.value) * x.slope)


def loaded(path: Path, name: str) -> ModuleType:
    """Return the module that a file has the text of."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def program(
    seed: int, folder: Path
) -> tuple[str, Callable[..., Any], Callable[[Sequence[float]], list[float]]]:
    """Return the text of a program, its function, and the derivatives of it."""
    text = Writer(random.Random(seed)).program()
    path = folder / f"shared_{seed}.py"
    path.write_text(text)
    plain, slopes = loaded(path, path.stem), loaded(path, f"{path.stem}_slopes")
    vars(slopes)["sin"] = _sin

    def derivative(xs: Sequence[float]) -> list[float]:
        ones = np.eye(len(xs))
        return [dual(slopes.f([Dual(x, s) for x, s in zip(xs, row)])).slope for row in ones]

    return text, plain.f, derivative


def agrees(f: Callable[..., Any], derivative: Callable[[Sequence[float]], list[float]]) -> bool:
    """Whether value and gradient are those of Python."""
    value = np.allclose(pb.jit(f)([*XS]), f([*XS]), rtol=1e-11)
    return value and np.allclose(pb.grad(f)([*XS]), derivative(XS), rtol=1e-8, atol=1e-10)
