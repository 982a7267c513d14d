"""Spherical Bessel functions, whose C functions are those of arguments from 0 on: of others they
follow from these (https://dlmf.nist.gov/10.47, (v)), as in SciPy's own wrappers."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.spherical_steps import row


def spherical_jn(n: Any, z: Any, derivative: bool = False) -> Any:
    """Return the function of the first kind, or its derivative."""
    return _reflected("spherical_jn", 1.0, n, z, derivative)


def spherical_yn(n: Any, z: Any, derivative: bool = False) -> Any:
    """Return the function of the second kind, or its derivative."""
    return _reflected("spherical_yn", -1.0, n, z, derivative)


def spherical_in(n: Any, z: Any, derivative: bool = False) -> Any:
    """Return the modified function of the first kind, or its derivative."""
    return _reflected("spherical_in", 1.0, n, z, derivative)


def spherical_kn(n: Any, z: Any, derivative: bool = False) -> Any:
    """Return the modified function of the second kind, or its derivative: of a negative z the real
    part of that of a complex number."""
    below = np.where(z < 0.0, z, -1.0) + 0.0j
    found = row("spherical_kn", n, np.where(z < 0.0, 1.0, z), derivative)
    return np.where(z < 0.0, np.real(_k_below(n, below, derivative)), found)


def _reflected(name: str, sign: float, n: Any, z: Any, derivative: bool) -> Any:
    """Return f(n, z), or of a negative z ``sign`` times f(n, -z), with the other sign if n is odd,
    and if it is the derivative."""
    even = -sign if derivative else sign
    signs = np.where(z < 0.0, np.where(n % 2 == 0, even, -even), 1.0)
    return row(name, n, np.where(z < 0.0, -z, z), derivative) * signs


def _k_below(n: Any, z: Any, derivative: bool) -> Any:
    if not derivative:
        return _k(n, z)
    first = n == 0
    more = np.where(first, 0.0, n + 1.0) * _k(n, z) / z
    return -_k(np.where(first, 1, n - 1), z) - more


def _k(n: Any, z: Any) -> Any:
    """Return k_n of a complex number."""
    return np.sqrt(np.pi / 2.0 / z) * scipy.special.kv(n + 0.5, z)


__all__ = ["spherical_in", "spherical_jn", "spherical_kn", "spherical_yn"]
