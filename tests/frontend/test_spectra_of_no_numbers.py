"""Spectra of matrices with NaN and infinities: the exception of NumPy, or NaN."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb

SPECTRA: list[Callable[..., object]] = [
    lambda a: np.linalg.eigh(a)[0], lambda a: np.linalg.eigvalsh(a),
    lambda a: np.linalg.svd(a)[1], lambda a: np.linalg.svd(a, compute_uv=False),
    lambda a: np.linalg.norm(a, 2),
]  # fmt: skip


def spoiled(n: int, number: float) -> Any:
    a = np.add.outer(np.arange(1.0, n + 1.0), np.arange(1.0, n + 1.0) ** 2)
    a = a + a.T
    a[n - 1, 0] = a[0, n - 1] = number
    return a


def outcome(f: Callable[..., object], a: Any) -> str:
    try:
        return "nan" if np.isnan(np.asarray(f(a))).any() else "numbers"
    except np.linalg.LinAlgError as error:
        return str(error)


@pytest.mark.parametrize("f", SPECTRA)
def test_what_is_no_number_is_nan_or_numpys_exception(f: Callable[..., object]) -> None:
    compiled = pb.jit(f)
    for a in (spoiled(1, math.nan), spoiled(2, math.nan), spoiled(4, math.nan),
              spoiled(2, math.inf)):  # fmt: skip
        assert outcome(compiled, a) == outcome(f, a)
