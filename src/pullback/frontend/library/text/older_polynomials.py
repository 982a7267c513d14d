"""The class ``np.poly1d`` as text that the front end compiles: the coefficient of the highest power
comes first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Vector


def _coefficients(other: Any) -> Any:
    return other.coeffs if isinstance(other, poly1d) else np.atleast_1d(other)


class poly1d:  # NumPy's name
    def __init__(self, c_or_r: Any, r: bool = False, variable: str | None = None) -> None:
        given = _coefficients(c_or_r)
        if given.ndim > 1:
            raise ValueError("Polynomial must be 1d only.")
        whole = np.poly(given) if r else given
        start, n = 0, len(whole)
        while start < n and whole[start] == 0:
            start += 1
        self.coeffs = whole[start:] if start < n else np.zeros_like(whole, shape=(1,))
        self.variable = "x" if variable is None else variable

    @property
    def c(self) -> Vector:
        return self.coeffs

    @property
    def coef(self) -> Vector:
        return self.coeffs

    @property
    def coefficients(self) -> Vector:
        return self.coeffs

    @property
    def order(self) -> int:
        return len(self.coeffs) - 1

    @property
    def o(self) -> int:
        return len(self.coeffs) - 1

    @property
    def roots(self) -> Vector:
        return np.roots(self.coeffs)

    @property
    def r(self) -> Vector:
        return np.roots(self.coeffs)

    def __call__(self, val: Any) -> Any:
        if isinstance(val, poly1d):
            found = val * 0
            for c in self.coeffs:
                found = found * val + c
            return found
        return np.polyval(self.coeffs, val)

    def __len__(self) -> int:
        return len(self.coeffs) - 1

    def __iter__(self) -> Iterator[Any]:
        return iter(self.coeffs)

    def __getitem__(self, val: int) -> Any:
        n = len(self.coeffs) - 1
        zero = self.coeffs.dtype.type(0)
        return zero if val > n or val < 0 else self.coeffs[n - val]

    def __neg__(self) -> Any:
        return poly1d(-self.coeffs)

    def __pos__(self) -> Any:
        return self

    def __add__(self, other: Any) -> Any:
        return poly1d(np.polyadd(self.coeffs, _coefficients(other)))

    def __radd__(self, other: Any) -> Any:
        return poly1d(np.polyadd(self.coeffs, _coefficients(other)))

    def __sub__(self, other: Any) -> Any:
        return poly1d(np.polysub(self.coeffs, _coefficients(other)))

    def __rsub__(self, other: Any) -> Any:
        return poly1d(np.polysub(_coefficients(other), self.coeffs))

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, poly1d) and np.ndim(other) == 0:
            return poly1d(self.coeffs * other)
        return poly1d(np.polymul(self.coeffs, _coefficients(other)))

    def __rmul__(self, other: Any) -> Any:
        if np.ndim(other) == 0:
            return poly1d(other * self.coeffs)
        return poly1d(np.polymul(_coefficients(other), self.coeffs))

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, poly1d) and np.ndim(other) == 0:
            return poly1d(self.coeffs / other)
        quotient, rest = np.polydiv(self.coeffs, _coefficients(other))
        return poly1d(quotient), poly1d(rest)

    def __rtruediv__(self, other: Any) -> Any:
        if np.ndim(other) == 0:
            return poly1d(other / self.coeffs)
        quotient, rest = np.polydiv(_coefficients(other), self.coeffs)
        return poly1d(quotient), poly1d(rest)

    def __pow__(self, val: int) -> Any:
        if int(val) != val or val < 0:
            raise ValueError("Power to non-negative integers only.")
        found = np.ones_like(self.coeffs[:1])
        for _ in range(int(val)):
            found = np.polymul(found, self.coeffs)
        return poly1d(found)

    def __eq__(self, other: Any) -> bool:
        return (
            isinstance(other, poly1d)
            and len(self.coeffs) == len(other.coeffs)
            and bool(np.all(self.coeffs == other.coeffs))
        )

    def integ(self, m: int = 1, k: Any = 0) -> Any:
        constants = k if isinstance(k, (list, tuple)) else [k] * m
        c = self.coeffs * 1.0
        for constant in constants:
            c = np.append(np.polyint(c)[:-1], constant)
        return poly1d(c)

    def deriv(self, m: int = 1) -> Any:
        return poly1d(np.polyder(self.coeffs, m))
