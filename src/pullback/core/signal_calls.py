"""Functions of ``scipy.signal`` that choose items of a signal, for texts of the library
(``solver_calls``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.core.later import Later

_signal = Later("scipy.signal")


def _limit(low: float, high: float) -> Any:
    return None if np.isnan(low) else low, None if np.isnan(high) else high


def find_peaks(ask: Any, told: list[Any], given: Any) -> Any:
    """Return peaks and the bases of each, on both sides."""
    high, prominent = told
    x = given.vector()
    height, prominence = (_limit(given.number(), given.number()) for _ in range(2))
    distance = given.number()
    peaks, found = _signal.find_peaks(
        x, height=height if high else None, distance=distance or None,
        prominence=prominence if prominent else None,
    )  # fmt: skip
    none = np.zeros(len(peaks))
    return np.concatenate(
        (peaks, found.get("left_bases", none), found.get("right_bases", none))
    )


def bases(ask: Any, told: list[Any], given: Any) -> Any:
    """Return the bases of peaks, on both sides."""
    x, peaks = given.vector(), given.vector().astype(np.intp)
    return np.concatenate(_signal.peak_prominences(x, peaks)[1:])


__all__ = ["bases", "find_peaks"]
