"""Programs of n statements, and statements n deep, give Core that grows with n and not faster, in
every stage; a derivative is at most six times as long as its function. Counted in lets, and what
generators in each other keep in words.

The files of ``tests/frontend/test_nesting.py`` count what the front end runs."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import pullback as pb
from pullback import pipeline
from pullback.ad.boxes import room
from pullback.call import driver
from pullback.call.request import Request, What
from pullback.core.terms import Program
from pullback.core.traverse import all_lets
from tests.frontend.test_nesting import NESTS, Level, nested

SIDE_BY_SIDE: dict[str, str] = {
    "scalars": "    y = math.sin(y) * x + {k}.5",
    "branch": "    if y > {k}.0: y = 0.5 * y\n    else: y = y + x",
    "return": "    if y > 1{k}.0: return y * x",
    "loop": "    for i in range(3): y = 0.9 * y + math.cos(i * x)",
    "while": "    i = 0\n    while i < 4 and y < 100.0: i += 1; y = 1.1 * y + x",
    "rows": "    for i in range(4): m[i] = m[i + 1] * x + y",
    "append": "    out.append(y * x); y = y + 0.5 * out[-1]",
    "try": "    try: y = 1.0 / (y - {k})\n    except ZeroDivisionError: y = 2.0 * x",
    "closure": "    g{k} = lambda t: t * x + y; y = 0.1 * g{k}(y)",
    "call": "    y = 0.5 * halved(y, x, {k} % 2 == 0)",
}
HEAD = """
import math

def halved(a, b, flag):
    if flag:
        return a * b + 1.0
    return math.sin(a) - b

def f(x):
    y, m, out = x, [0.0] * 5, []
"""


def side_by_side(line: str, n: int) -> str:
    lines = [line.format(k=k) for k in range(n)]
    return "\n".join([HEAD, *lines, "    return y + sum(m) + sum(out)", ""])


def loaded(path: Path, text: str) -> Callable[[float], float]:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: Callable[[float], float] = module.f
    return made


def lets(program: Program) -> int:
    return sum(1 for f in program.functions.values() for _ in all_lets(f.body))


Sizes = dict[str, tuple[int, int]]


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> Sizes:
    """For each stage, the lets before it and behind it."""
    found: Sizes = {}
    run = pipeline.run_stages

    def counted(program: Program, stages: Sequence[Any], *given: Any) -> Program:
        for stage in stages:
            before = lets(program)
            program = run(program, [stage], *given)
            found[stage.name] = before, lets(program)
        return program

    monkeypatch.setattr(driver, "run_stages", counted)
    return found


def gradient(f: Callable[..., Any], sizes: Sizes) -> Sizes:
    """The sizes of the stages for the gradient of a function, without machine code."""
    sizes.clear()
    request = Request(What.GRADIENT, (0,))
    driver.using(f, (0.75,), request, lambda _, unit: unit.program(True))
    return dict(sizes)


def grow(one: Sizes, two: Sizes, times: float) -> None:
    for stage in two:
        small, large = one[stage][1], two[stage][1]
        assert large <= times * small + 8, (stage, small, large)
    before, behind = two["ad"]
    assert behind <= 6 * before, two["ad"]


@pytest.mark.parametrize("name", SIDE_BY_SIDE)
def test_statements_side_by_side(name: str, sizes: Sizes, tmp_path: Path) -> None:
    texts = [side_by_side(SIDE_BY_SIDE[name], n) for n in (8, 16)]
    one, two = (gradient(loaded(tmp_path / f"n{k}.py", t), sizes) for k, t in enumerate(texts))
    grow(one, two, times=2.0)


@pytest.mark.parametrize("name", ["append", "return", "for with try", "try", "with", "generator"])
def test_statements_in_each_other(name: str, sizes: Sizes, tmp_path: Path) -> None:
    texts = [nested(NESTS[name], n) for n in (3, 6)]
    one, two = (gradient(loaded(tmp_path / f"n{k}.py", t), sizes) for k, t in enumerate(texts))
    grow(one, two, times=4.2)  # what is around is kept for each level


LEFT: dict[str, Callable[[int], Level]] = {
    "break": NESTS["generator"],
    "return": lambda k: (
        [f"for v{k} in steps(2, y):", f"    if y > 9{k}.0: return y", f"    y = 0.2 * y + v{k}"],
        [], 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT)
def test_what_generators_in_each_other_keep(name: str, tmp_path: Path) -> None:
    """Both ``yield`` of a generator call its consumer, so what a call keeps is there twice."""

    def words(depth: int) -> int:
        f = loaded(tmp_path / f"left{depth}.py", nested(LEFT[name], depth))
        request = Request(What.GRADIENT, (0,))
        program = driver.using(f, (0.75,), request, lambda _, unit: unit.program(True))
        made = (let for g in program.functions.values() for let in all_lets(g.body))
        return sum(room(v.type) for let in made for v in let.vars)

    two, four, six = map(words, (2, 4, 6))
    assert six - four <= 1.3 * (four - two), (two, four, six)


def test_derivatives_of_derivatives(sizes: Sizes, tmp_path: Path) -> None:
    f = loaded(tmp_path / "inner.py", side_by_side(SIDE_BY_SIDE["scalars"], 8))
    first = gradient(f, sizes)["ad"]
    second = gradient(lambda x: pb.grad(f)(x), sizes)["ad"]
    assert second[1] <= 36 * first[0], (first, second)
