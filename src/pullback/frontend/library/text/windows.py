"""Windows of signal processing, as plain Python that the front end compiles."""

from __future__ import annotations

import numpy as np

from pullback.frontend.library.text.domains import Size, Vector


def _angles(m: int) -> Vector:
    """Return m angles from -pi to pi; 0 if m is 1."""
    return np.pi * np.arange(1 - m, m, 2) / max(m - 1, 1)


def hanning(M: Size) -> Vector:
    return 0.5 + 0.5 * np.cos(_angles(M))


def hamming(M: Size) -> Vector:
    return 0.54 + 0.46 * np.cos(_angles(M))


def blackman(M: Size) -> Vector:
    angles = _angles(M)
    return 0.42 + 0.5 * np.cos(angles) + 0.08 * np.cos(2.0 * angles)


def bartlett(M: Size) -> Vector:
    return 1.0 - np.abs(np.arange(1 - M, M, 2)) / max(M - 1, 1)


def kaiser(M: Size, beta: float) -> Vector:
    half = max(M - 1, 1) / 2.0
    place = (np.arange(M) - (M - 1) / 2.0) / half
    return np.i0(beta * np.sqrt(1.0 - place * place)) / np.i0(float(beta))
