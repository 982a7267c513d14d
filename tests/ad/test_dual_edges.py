"""Kinks and singular points: dual numbers follow the rules of CHAD."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import pullback as pb

EDGES: list[Callable[[Any, Any], Any]] = [
    lambda x, y: np.sqrt(x) * y,
    lambda x, y: np.where(x > 0, np.sqrt(x), 0.0) * y,
    lambda x, y: np.sqrt(np.sqrt(x) * y) * y * 0.0,
    lambda x, y: np.clip(x * y, 0.0, 1.0) * np.maximum(x, y) + abs(x) * y,
    lambda x, y: np.hypot(x, y) + x**y,
]


@pytest.mark.parametrize("k", range(len(EDGES)))
def test_edges(k: int) -> None:
    f = EDGES[k]
    chad, dual = (pb.grad(f, argnums=(0, 1), method=m) for m in ("chad", "dual"))
    for x, y in product([0.0, 1.0, -1.0, 2.0, 1e300], repeat=2):
        given = np.float64(x), np.float64(y)
        np.testing.assert_allclose(dual(*given), chad(*given), rtol=1e-12, err_msg=f"{x}, {y}")
