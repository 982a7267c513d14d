"""What a reader of the papers sees: his own functions by their stages, and the figures, live."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call import unconverted
from pullback.papers import STAGE_NAMES, tour
from pullback.papers.language.terms import Lam, LetRec
from pullback.papers.language.traverse import subterms
from pullback.papers.stages import BY_NAME
from tests.harness import distance
from tests.papers.conformance import claim

HALF = 0.5
read: Callable[..., Any] = unconverted.read


def test_stages_come_first_in_a_process(tmp_path: Path) -> None:
    # no method is imported yet, and the program is outside the papers' part of Python
    file = tmp_path / "first.py"
    file.write_text("import pullback as pb\n\n\ndef f(xs):\n    s = 0.0\n    for v in xs:\n"
                    "        s += v * v\n    return s\n\n\n"
                    "print('C  ' in str(pb.stages(f, [1.0, 2.0], only=['C'])))\n")
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False,
                          timeout=300)
    assert done.stdout.endswith("True\n"), done.stderr


FEW = ["F", "N1", "N2", "N5", "K1", "K", "C", "CH0", "CC", "S", "E"]


def square(u: float) -> float:
    return u * u


def power(x: float, n: float) -> float:
    return 1.0 if n < 0.5 else x * power(x, n - 1.0)


def closures(x: float, y: float) -> float:
    f = lambda u: x * u + HALF
    twice = lambda g: lambda v: g(g(v))
    return twice(f)(y) * square(x) + np.sin(x)


def branches(p: tuple[float, float]) -> float:
    a, b = p
    g = lambda u: u * b
    if a < b and not b < 0.0:
        return g(a)
    return g(b) if p[0] > 1.0 else -g(a)


def inner(x: float) -> float:
    def f(u: float, v: float) -> tuple[float, float]:
        s = u * v
        return s, s / u

    a, b = f(x, 3.0)
    c = a + b
    return power(c, 2.0) ** 2.0 + math.tanh(x)


def nested(n: int) -> Callable[[float], float]:
    """(\\x1. .. (\\x_n-1. x_n-1) x_n-2 ..) x_n, of so many lambdas."""
    return {
        1: lambda x: (lambda a: a)(x),
        2: lambda x: (lambda a: (lambda b: b)(a))(x),
        3: lambda x: (lambda a: (lambda b: (lambda c: c)(b))(a))(x),
        4: lambda x: (lambda a: (lambda b: (lambda c: (lambda d: d)(c))(b))(a))(x),
    }[n]


CASES: list[tuple[Callable[..., float], tuple[Any, ...]]] = [
    (closures, (1.5, 2.5)), (branches, ((1.0, 2.0),)), (branches, ((2.0, 1.0),)),
    (branches, ((-1.0, -2.0),)), (inner, (1.25,)),
]  # fmt: skip
HIGHER = ("dual.tape", "dual.naive", "delta.monadic", "chad.higher", "chad.closures",
          "chad.defunctionalised", "curry.simple", "curry.dependent")  # fmt: skip


def test_higher_order_programs_reach_the_stages_with_their_lambdas() -> None:
    for f, args in CASES:
        source = read(f, args)
        assert source is not None and any(isinstance(t, Lam) for t in subterms(source.body))
        wanted = pb.value_and_grad(f, tuple(range(len(args))))(*args)
        for method in HIGHER:
            try:
                found = pb.value_and_grad(f, tuple(range(len(args))), method=method)(*args)
            except NotImplementedError as e:
                assert "has no" in str(e)
                continue
            assert type(found[0]) is type(wanted[0]) and distance(wanted, found) < 1e-12, method
    out, back = pb.vjp(closures, 1.5, 2.5, method="curry.dependent")
    assert out == closures(1.5, 2.5) and back(2.0) == tuple(2.0 * c for c in back(1.0))
    # what the papers say of them is so: exponential, and linear after closure conversion
    steps = {m: [pb.cost(nested(n), 3.0, method=m) for n in (2, 3, 4)]
             for m in ("chad.higher", "chad.closures", "curry.simple", "curry.dependent")}
    for slow, fast in (("chad.higher", "chad.closures"), ("curry.simple", "curry.dependent")):
        (a, b, c), (p, q, r) = steps[slow], steps[fast]
        assert (c - b) > 1.8 * (b - a) and (r - q) < 1.5 * (q - p)
    recursive = read(power, (2.0, 3.0))
    assert recursive is not None and any(isinstance(t, LetRec) for t in subterms(recursive.body))


def test_other_programs_go_through_the_front_end() -> None:
    def changes(x: float) -> float:
        f = lambda: x
        x = x * 2.0
        return f() * x

    def loops(x: float) -> float:
        for _ in range(3):
            x = x * x
        return x

    for f in (changes, loops, lambda x, y=2.0: x * y, lambda *xs: xs[0], lambda x: max(x, 1.0)):
        assert read(f, (3.0,)) is None
    assert read(square, (3,)) is None and read(square, (np.ones(2),)) is None
    assert pb.grad(changes, method="chad.closures")(3.0) == pb.grad(changes)(3.0)
    with pytest.raises(ZeroDivisionError):
        pb.grad(lambda x: (lambda u: 1.0 / u)(x), method="curry.simple")(0.0)


def test_the_stages_of_a_function(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(BY_NAME) == set(STAGE_NAMES)
    text = pb.stages(closures, 1.5, 2.5, only=FEW)
    assert capsys.readouterr().out == text + "\n"
    heads = [line.split()[0] for line in text.splitlines() if line and not line.startswith(" ")]
    assert heads == FEW
    assert "let twice = \\g. \\v. g (g v) in" in text  # with the names of the function
    assert "calls of" in text and "has no lambdas: section 9 (chad.higher)" in text
    def sum_of_squares(xs: Any) -> Any:
        total = 0.0
        for v in xs:
            total += v * v
        return total

    found = pb.stages(sum_of_squares, np.array([1.0, 2.0]), only=["N1", "C"])
    assert "foldl" in found and "scope_" in found and "forward" in found
    # a tuple for a result; no brackets in brackets; a name that is a pattern is one as a whole too
    both = pb.stages(lambda x, y: (math.sin(x * y), x if x > 0.0 else y), 1.5, 2.5)
    assert "let d1 = cos z * lfst d in" in both and "{inl _ -> (y, dy); inr _ -> (x, dx)}" in both
    with pytest.raises(ValueError, match="no stage 'N9'"):
        pb.stages(closures, 1.5, 2.5, only=["N9"])


def test_the_walk_through_the_figures() -> None:
    texts = list(tour.walk())
    assert len(texts) == len(tour.STOPS) == 18
    root = Path(tour.__file__).parents[1]
    for stop, text in zip(tour.STOPS, texts, strict=True):
        file, _, name = stop.file.partition(":")
        assert f"def {name}(" in (root / file).read_text() or (
            f"class {name}(" in (root / file).read_text()), stop.file
        assert text.startswith(stop.figure) and stop.paper in text


@claim("KR-58")
def test_nested_derivatives(row: str) -> None:
    fig1 = lambda x, y: x * (x + y)
    for method in ("delta.monadic", "delta.symbolic", "dual.tape", "chad.monadic", "curry.simple"):
        hessian = [[pb.grad(pb.grad(fig1, i, method=method), j, method=method)(3.0, 4.0)
                    for j in (0, 1)] for i in (0, 1)]
        assert hessian == [[2.0, 1.0], [1.0, 0.0]], method
    # a derivative inside, of a recursion, by a vector, and one inside another: no confusion
    slope = lambda x: pb.jvp(lambda u: power(u, 4.0), (x,), (2.0,))[1]
    cubes = lambda xs: pb.grad(lambda v: sum(e * e * e for e in v))(xs)[1]
    deep = lambda x: pb.grad(lambda u: x * pb.grad(lambda v: v * v * v * u)(x))(x)
    for f, arg in ((slope, 1.5), (cubes, np.array([1.0, 2.0, 3.0])), (deep, 2.0)):
        wanted = pb.grad(f)(arg)
        for method in ("delta.monadic", "dual.tape"):
            assert distance(wanted, pb.grad(f, method=method)(arg)) < 1e-12, method
