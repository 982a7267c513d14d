"""How much the front end does for statements that stand one in the other.

Counted, not timed: the statements that it runs, and those that the analysis of liveness looks at.
Each level of nesting adds its own statements, and one more run for what stands inside of it; so
the sixth level must not cost half as much again as the five others.
"""

from __future__ import annotations

import ast
import importlib.util
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pullback as pb
from pullback.frontend.interpret import statements
from pullback.frontend.python.liveness import Liveness

HEAD = """
import math
from contextlib import contextmanager

@contextmanager
def noted(t, log):
    log.append(t)
    try:
        yield 0.5 * t
    finally:
        log.append(2.0)

def steps(n, t):
    for k in range(n):
        yield t * k
        if t > 2.0:
            yield t

def f(x):
    y = x
    log = []
    hits = 0
    def hit(t):
        nonlocal hits
        hits += 1
        return t * hits
"""

Level = tuple[list[str], list[str], int]
"""What stands before the next level, after it, and how far that is indented."""

NESTS: dict[str, Callable[[int], Level]] = {
    "for": lambda k: ([f"for i{k} in range(2):", f"    y = 0.9 * y + i{k}"], [], 1),
    "while": lambda k: (
        [f"i{k} = 0", f"while i{k} < 2:", f"    i{k} += 1", f"    y = 0.9 * y + i{k}"], [], 1,
    ),
    "break": lambda k: (
        [f"i{k} = 0", "while True:", f"    i{k} += 1", f"    if i{k} > 2: break"], [], 1,
    ),
    "return": lambda k: (
        [f"for i{k} in range(2):", "    y = 1.1 * y", f"    if y > 40.0: return y + {k}"], [], 1,
    ),
    "append": lambda k: ([f"for i{k} in range(2):", f"    log.append(y + i{k})"], [], 1),
    "first set in the loop": lambda k: (
        [f"for i{k} in range(2):", f"    z{k} = y + i{k}"], [f"y = 0.5 * y + z{k}"], 1,
    ),
    "set by a call": lambda k: ([f"for i{k} in range(2):", "    y = 0.5 * y + hit(x)"], [], 1),
    "for with try": lambda k: (
        [f"for i{k} in range(2):", "    try:", f"        y = math.sqrt(y + i{k}) - 0.3"],
        ["    except ValueError:", "        y = 0.5 * y + 1.0"], 2,
    ),
    "try": lambda k: (
        ["try:", f"    y = y / (x - {k}.0)"], ["except ZeroDivisionError:", "    y = y + 1.0"], 1,
    ),
    "try with return": lambda k: (
        ["try:", f"    if y > {k + 9}.0: return y"],
        ["except ZeroDivisionError:", "    y = y + 1.0"], 1,
    ),
    "finally": lambda k: (
        ["try:", f"    y = y / (x + {k}.0)"], ["finally:", f"    y = y + 0.{k}"], 1,
    ),
    "finally that is seen": lambda k: (
        ["try:", f"    y = y / (x + {k}.0)"], ["finally:", f"    print({k})"], 1,
    ),
    "with": lambda k: ([f"with noted(y, log) as t{k}:", f"    y = y / (x - {k}.5) + t{k}"], [], 1),
    "generator": lambda k: (
        [f"for v{k} in steps(2, y):", f"    if v{k} > 90.0: break", f"    y = 0.2 * y + v{k}"],
        [], 1,
    ),
}  # fmt: skip


def nested(level: Callable[[int], Level], depth: int) -> str:
    """The text of a function with statements that stand one in the other."""
    lines, ends, indent = ["    y = y + 0.0"], [], 4
    for k in range(depth):
        first, last, more = level(k)
        lines += [" " * indent + text for text in first]
        ends.append([" " * indent + text for text in last])
        indent += 4 * more
    lines.append(" " * indent + "y = y + 0.125")
    lines += [text for last in reversed(ends) for text in last]
    return "\n".join([HEAD, *lines, "    return y + sum(log) + hits", ""])


def loaded(path: Path, text: str) -> Callable[[float], float]:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: Callable[[float], float] = module.f
    return made


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many statements were run, and how many liveness has looked at."""
    found: Counter[str] = Counter()
    run_one, look_at = statements._statement, Liveness._statement

    def run_it(run: Any, s: ast.stmt) -> Any:
        found["run"] += 1
        return run_one(run, s)

    def look(self: Liveness, s: ast.stmt, *given: Any) -> Any:
        found["looked at"] += 1
        return look_at(self, s, *given)

    monkeypatch.setattr(statements, "_statement", run_it)
    monkeypatch.setattr(Liveness, "_statement", look)
    return found


@pytest.mark.parametrize("name", NESTS)
def test_each_level_adds_a_part_of_the_others(
    name: str, counts: Counter[str], tmp_path: Path
) -> None:
    done = []
    for depth in (5, 6):
        f = loaded(tmp_path / f"nest{depth}.py", nested(NESTS[name], depth))
        counts.clear()
        assert pb.jit(f)(0.75) == pytest.approx(f(0.75), rel=1e-12)
        done.append(dict(counts))
    for what in ("run", "looked at"):
        five, six = (d[what] for d in done)
        assert six <= 1.5 * five, (what, done)
