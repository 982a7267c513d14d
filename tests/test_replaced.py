"""Functions of libraries that the user has replaced: their new meaning is compiled."""

from __future__ import annotations

import builtins
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.special

import pullback as pb

BEFORE = """
import math
import numpy as np
{first}
math.sin = lambda x: 3.0 * x
np.sum = lambda x: 7.0
{second}


def f(x):
    return math.sin(x) + np.sum(np.array([x, x]))


print(pb.jit(f)(1.5), pb.grad(f)(1.5))
"""


@pytest.mark.parametrize("first", [True, False])
def test_before_the_first_compilation(tmp_path: Path, first: bool) -> None:
    use = "import pullback as pb"
    file = tmp_path / "program.py"
    file.write_text(BEFORE.format(first=use if first else "", second="" if first else use))
    run = [sys.executable, str(file)]
    made = subprocess.run(run, capture_output=True, text=True, check=True, timeout=60)
    assert made.stdout == "11.5 3.0\n"


def test_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: float) -> float:
        return math.sin(x) * math.pi + float(np.sum(np.array([x, 1.0])))

    def g(x: float) -> float:
        return float(scipy.special.gammaln(x))

    value, slope, special = pb.jit(f), pb.grad(f), pb.jit(g)
    assert value(1.5) == pytest.approx(math.sin(1.5) * math.pi + 2.5)
    assert slope(1.5) == pytest.approx(math.cos(1.5) * math.pi + 1.0)
    assert special(1.5) == pytest.approx(float(scipy.special.gammaln(1.5)))
    with monkeypatch.context() as m:
        m.setattr(math, "sin", lambda x: 3.0 * x)
        m.setattr(math, "pi", 2.0)
        m.setattr(np, "sum", lambda x: 7.0)
        m.setattr(scipy.special, "gammaln", lambda x: 4.0 * x)
        assert (value(1.5), slope(1.5), special(1.5)) == (16.0, 6.0, 6.0)
        assert f(1.5) == 16.0
    assert value(1.5) == pytest.approx(math.sin(1.5) * math.pi + 2.5)


def test_one_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: float) -> float:
        return math.sin(x)

    compiled = pb.jit(f)
    compiled(1.5)
    monkeypatch.setattr(math, "sin", math.cos)
    assert compiled(1.5) == math.cos(1.5)


def test_a_builtin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtins, "abs", lambda x: 5.0 * x)

    def f(x: float) -> float:
        return abs(x)

    assert pb.jit(f)(-1.5) == -7.5
