"""Filters and windows that are designed inside of compiled functions, of known arguments: SciPy
designs them once, when the program is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import signal

import pullback as pb
from tests.foreign.__main__ import is_right


def low_pass(x: float) -> float:
    b, a = signal.butter(2, 0.3)
    return float(signal.lfilter(b, a, np.sin(np.arange(30) * 0.3) * x).sum())


def sections(x: float) -> float:
    fs, fc = 100.0, 12.5
    sos = signal.butter(4, fc / (fs / 2), btype="low", output="sos")
    return float(signal.sosfilt(sos, np.ones(20) * x).sum() + sos.shape[0])


def windowed(x: float) -> float:
    h = signal.firwin(9, [0.1, 0.4], pass_zero=False)
    w = signal.get_window(("kaiser", 4.0), 6)
    return float(np.convolve(np.arange(12.0) * x, h, mode="valid").sum() + (w * x)[2])


def order(x: float) -> float:
    n, wn = signal.buttord(0.2, 0.3, 3, 40)
    return float(x * n + wn)


def smoothed(x: float, n: int) -> float:
    c = signal.savgol_coeffs(n, 2)
    return float(np.convolve(np.arange(12.0) ** 2 * x, c, mode="valid").sum())


CASES = [(low_pass, 1.3), (sections, 1.3), (windowed, 1.3), (order, 1.3), (smoothed, 1.3, 5),
         (smoothed, 1.3, 7)]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0].__name__}{case[2:]}")
def test_as_in_scipy(case: tuple[Callable[..., float], Any]) -> None:
    f, *args = case
    is_right(f, tuple(args))


def test_what_the_run_knows_designs_no_filter() -> None:
    def f(x: float) -> float:
        b, a = signal.butter(2, 0.3 * x)
        return float(signal.lfilter(b, a, np.ones(5)).sum())

    with pytest.raises(pb.PullbackError, match="butter is a float that only the run knows"):
        pb.jit(f)(1.3)


def test_errors_are_scipys() -> None:
    def f(x: float) -> float:
        b, _ = signal.butter(2, 1.3)
        return x * len(b)

    with pytest.raises(ValueError, match="critical frequencies must be 0 < Wn < 1"):
        pb.jit(f)(1.3)
