"""A column of arrays that one arm of a branch changes inside and the other one lengthens: both are
versions of one table, whose accumulators the reverse sweep reads only where no update has taken
them."""

from __future__ import annotations

import numpy as np
import pytest

from pullback.core.thresholds import LIMITS
from tests.foreign.__main__ import is_right


def changed_or_lengthened(x: float) -> float:
    u, v, w = (np.zeros(3), np.ones(3), np.full(3, 0.5))
    t = (u, v)
    if x > 0.9:
        w[0] += x
        u = w.copy()
    else:
        w = t[0]
    if x > 0.06:
        w[1] += x
    else:
        w = np.zeros(3)
    return x + u[0] + 2.0 * v[1] + 3.0 * w[2] + np.sum(u * v)


@pytest.mark.parametrize("x", [1.7, 0.3, 0.01])
def test_a_row_is_read_before_its_table_is_lengthened(
    x: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LIMITS, "buffer", 1)  # the table is lengthened in the second branch
    is_right(changed_or_lengthened, (x,))
