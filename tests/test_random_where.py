"""Random programs of nested np.where over values that overflow or are singular where they are not
taken, against the same with ``if``: no NaN comes from the side that is not taken."""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable

import numpy as np
import pytest

import pullback as pb
from tests.campaign import seeds

POINTS = np.array([-800.0, -2.5, -0.5, 0.0, 0.5, 1.0, 1.7, 2.0, 30.0, 800.0])

UNARY = ("np.exp({})", "np.log({})", "np.sqrt({})", "1.0 / {}", "{} ** 1.5", "np.cosh({})",
         "({} - 1.0)", "0.5 * {}", "np.sin({})", "np.arcsin({})", "-{}", "{} ** 3",
         "np.log1p({})", "np.tanh({})")  # fmt: skip
BINARY = ("{} + {}", "{} * {}", "{} / {}", "{} - {}", "np.maximum({}, {})", "np.minimum({}, {})")


class Writer:
    """Writes a function of ``t`` (a number or an array) and the same with branches."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.branches: dict[str, str] = {"t": "t"}

    def name(self, text: str, branch: str) -> None:
        v = f"v{len(self.lines)}"
        self.lines.append(f"    {v} = {text}")
        self.branches[v] = f"({branch})"

    def pick(self) -> str:
        short = [v for v, text in self.branches.items() if len(text) < 2000]
        return self.random.choice(["t", *short[-6:]])

    def condition(self) -> tuple[str, str]:
        v = self.pick() if self.random.random() < 0.3 else "t"
        test = self.random.choice("<>")
        k = self.random.choice((-0.7, 0.2, 0.9, 1.5, 3.0))
        text = f"{{}} {test} {k}"
        return text.format(v), text.format(self.branches[v])

    def step(self) -> None:
        pick, of = self.random.random(), self.branches
        if pick < 0.45:
            op, a = self.random.choice(UNARY), self.pick()
            self.name(op.format(a), op.format(of[a]))
        elif pick < 0.65:
            op, a, b = self.random.choice(BINARY), self.pick(), self.pick()
            self.name(op.format(a, b), op.format(of[a], of[b]))
        else:
            (c, test), a = self.condition(), self.pick()
            b = self.random.choice([self.pick(), "t", "1.0"])
            self.name(f"np.where({c}, {a}, {b})", f"{of[a]} if {test} else {of.get(b, b)}")

    def texts(self) -> tuple[str, str]:
        for _ in range(self.random.randint(5, 11)):
            self.step()
        wheres = [v for v in self.branches if "if" in self.branches[v]][-3:]
        (c, test), last = self.condition(), self.pick()
        self.name(f"np.where({c}, {last}, t)", f"{self.branches[last]} if {test} else t")
        wheres.append(f"v{len(self.lines) - 1}")
        total = " + ".join(wheres)
        branch = " + ".join(self.branches[v] for v in wheres)
        body = "\n".join(self.lines)
        return f"def f(t):\n{body}\n    return {total}\n", f"def f(t):\n    return {branch}\n"


def function(text: str, seed: int, kind: str) -> Callable[..., object]:
    file = f"<where {kind} {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, object] = {"np": np}
    exec(compile(text, file, "exec"), space)
    f = space["f"]
    assert callable(f)
    return f


def regular(g: Callable[..., object]) -> tuple[list[np.float64], list[float]]:
    """The points at which the function is finite and smooth, with its slopes there."""
    points, slopes = [], []
    for t in POINTS:
        h = 1e-5 * max(1.0, abs(t))
        near = np.array([g(np.float64(t + k * h)) for k in (-2, -1, 0, 1, 2)], dtype=float)
        if not np.all(np.isfinite(near)) or np.max(np.abs(near)) > 1e12:
            continue
        wide, close = (near[4] - near[0]) / (4 * h), (near[3] - near[1]) / (2 * h)
        sides = (near[3] - near[2]) / h, (near[2] - near[1]) / h
        size = max(1.0, abs(close))
        if abs(wide - close) < 1e-5 * size and abs(sides[0] - sides[1]) < 1e-2 * size:
            points.append(np.float64(t))
            slopes.append(close)
    return points, slopes


@pytest.mark.parametrize("seed", seeds("random", 2, 1, 200))
def test_only_the_side_that_is_taken_counts(seed: int) -> None:
    texts = Writer(seed).texts()
    f, g = (function(text, seed, kind) for text, kind in zip(texts, ("all", "one"), strict=True))
    with np.errstate(all="ignore"):
        points, slopes = regular(g)
        fine = [(x, s) for x, s in zip(points, slopes) if np.isfinite(pb.grad(g)(x))]
        points, slopes = [x for x, _ in fine], [s for _, s in fine]
        xs = np.array(points)
        if not fine:
            return

        def total(x: np.ndarray) -> float:
            return np.sum(f(x))

        by_branches = [pb.grad(g)(x) for x in points]
        assert np.allclose(by_branches, slopes, rtol=1e-4, atol=1e-4)
        assert np.allclose(pb.jit(f)(xs), [g(x) for x in points], rtol=1e-12)
        for method in ("chad", "dual"):
            assert np.allclose(pb.grad(total, method=method)(xs), by_branches, rtol=1e-12), method
            scalars = [pb.grad(f, method=method)(x) for x in points]
            assert np.allclose(scalars, by_branches, rtol=1e-12), method
        along = np.linspace(1.0, 2.0, len(points))
        assert np.allclose(pb.jvp(f, (xs,), (along,))[1], along * by_branches, rtol=1e-12)
        curves = np.array([pb.grad(pb.grad(g))(x) for x in points])
        flat = np.isfinite(curves)
        twice = pb.grad(lambda x: np.sum(pb.grad(total)(x)))(xs)
        assert np.allclose(twice[flat], curves[flat], rtol=1e-9)
        along_curves = pb.jvp(pb.grad(total), (xs,), (np.ones(len(points)),))[1]
        assert np.allclose(along_curves[flat], curves[flat], rtol=1e-9)
