"""What takes long says what it does, and every compilation has a reason (``pb.config.verbose``)."""

from __future__ import annotations

import io
import re
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver, watching


@pytest.fixture
def verbose() -> Iterator[Callable[[str], None]]:
    def say(word: str) -> None:
        pb.config.verbose = word

    before = pb.config.verbose
    yield say
    pb.config.verbose = before


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stage "ad" takes longer than what counts as long."""

    def written(program: Any) -> Any:
        time.sleep(0.3)
        return write(program)

    write = vars(driver)["written"]
    monkeypatch.setattr(driver, "written", written)
    monkeypatch.setattr(watching, "LONG", 0.1)


def a_function() -> Callable[[float], float]:
    def cubed(x: float) -> float:
        y = x * x
        return y * x

    return cubed


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.usefixtures("slow")
def test_what_takes_long_says_where_it_stands(
    verbose: Callable[[str], None], capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    said = re.compile(r'pullback: compiling \S*cubed, line \d+ \(stage "ad"\) \.\.\.\n')
    verbose("always")
    assert pb.grad(a_function(), method="dual")(2.0) == 12.0
    assert said.search(capsys.readouterr().err)
    for word, terminal, speaks in (
        ("slow", False, False), ("slow", True, True), ("never", True, False)
    ):
        verbose(word)
        stream = Terminal() if terminal else io.StringIO()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", stream)
            pb.clear_cache()
            first = [1.0] * (1 + len(word) + terminal)  # another type for each
            assert pb.grad(lambda *xs: sum(xs), argnums=0)(*first) == 1.0
        assert ('(stage "ad") ...' in stream.getvalue()) == speaks, word


def test_what_is_quick_says_nothing(
    verbose: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    verbose("always")
    assert pb.grad(a_function())(3.0) == 27.0
    assert capsys.readouterr().err == ""


def test_a_log_of_every_compilation(
    verbose: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    def f(x: Any, n: Any) -> Any:
        return x * n

    verbose("log")
    slope = pb.grad(f)
    for x, n in ((1.0, 2.0), (2.0, 3.0), (np.float64(1.0), 2.0), (1.0, 2)):
        assert slope(x, n) == n
    line = r"pullback: \S*<locals>\.f, line \d+: grad by 0 of \(.*\): \w+ in .* bytes: (.*)"
    reasons = [re.fullmatch(line, text) for text in capsys.readouterr().err.splitlines()]
    assert [found and found[1] for found in reasons] == [
        "the first call",
        "x: a float64 where there was a float",
        "n: an int where there was a float",
    ]


def test_reasons() -> None:
    shift: Any = 1.0

    def f(x: Any, *more: Any) -> Any:
        return np.sum(x) * shift + sum(more)

    pb.jit(f)(1.0)
    pb.grad(f)(1.0)
    pb.grad(f)(1.0, 2.0)
    pb.grad(f)(np.ones(2), 2.0)
    shift = np.float32(2.0)
    pb.grad(f)(np.ones(2), 2.0)
    assert [made.reason for made in pb.compiled(f)] == [
        "the first call",
        "the first call of this operator",
        "2 arguments where there were 1",
        "x: an array of float64, rank 1 where there was a float",
        "what it reads beside its arguments, or what their extents are, is of another kind",
    ]


def test_the_setting_is_one_of_four_words() -> None:
    word: Any = True
    with pytest.raises(ValueError, match="'slow', 'always', 'log' or 'never', not True"):
        pb.config.verbose = word
