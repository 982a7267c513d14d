"""The orthogonal polynomials of ``scipy.special`` as objects, as plain Python that the front end
compiles. They are called by the formulas of their values; their coefficients follow from the
recurrence ``p[k + 1] = (a x + b) p[k] - c p[k - 1]``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.domains import Array, Vector
from pullback.frontend.library.text.older_polynomials import poly1d
from pullback.frontend.library.text_helpers import unsupported

Values = Callable[[Array], Array]
Term = Callable[[int], Any]


def _coefficients(n: int, a: Term, b: Term, c: Term) -> Vector:
    """Return the coefficients, that of the highest power first."""
    if n < 0:
        raise ValueError("n must be nonnegative.")
    before, now = np.zeros(n + 1), np.zeros(n + 1)
    now[0] = 1.0
    for k in range(n):
        after = b(k) * now - c(k) * before
        after[1:] += a(k) * now[:-1]
        before, now = now, after
    return now[::-1]


class _Orthogonal(poly1d):
    """A polynomial with a formula of its values."""

    def __init__(self, coeffs: Vector, values: Values, monic: bool) -> None:
        first = coeffs[0] if monic else 1.0
        poly1d.__init__(self, coeffs / first)
        self._values = values
        self._first = first

    def __call__(self, val: Any) -> Any:
        if isinstance(val, poly1d):
            unsupported("an orthogonal polynomial of a polynomial", "np.poly1d(p.coeffs)(q)")
        return self._values(val) / self._first


def _zero(k: int) -> Any:
    return 0.0


def legendre(n: int, monic: bool = False) -> Any:
    coeffs = _coefficients(
        n, lambda k: (2.0 * k + 1.0) / (k + 1.0), _zero, lambda k: k / (k + 1.0)
    )
    return _Orthogonal(coeffs, lambda x: scipy.special.eval_legendre(n, x), monic)


def sh_legendre(n: int, monic: bool = False) -> Any:
    coeffs = _coefficients(
        n, lambda k: (4.0 * k + 2.0) / (k + 1.0), lambda k: -(2.0 * k + 1.0) / (k + 1.0),
        lambda k: k / (k + 1.0),
    )  # fmt: skip
    return _Orthogonal(coeffs, lambda x: scipy.special.eval_sh_legendre(n, x), monic)


def chebyt(n: int, monic: bool = False) -> Any:
    coeffs = _coefficients(n, lambda k: 2.0 if k > 0 else 1.0, _zero, lambda k: 1.0)
    return _Orthogonal(coeffs, lambda x: scipy.special.eval_chebyt(n, x), monic)


def chebyu(n: int, monic: bool = False) -> Any:
    coeffs = _coefficients(n, lambda k: 2.0, _zero, lambda k: 1.0)
    return _Orthogonal(coeffs, lambda x: scipy.special.eval_chebyu(n, x), monic)


def hermite(n: int, monic: bool = False) -> Any:
    coeffs = _coefficients(n, lambda k: 2.0, _zero, lambda k: 2.0 * k)
    return _Orthogonal(coeffs, lambda x: scipy.special.eval_hermite(n, x), monic)


def hermitenorm(n: int, monic: bool = False) -> Any:
    coeffs = _coefficients(n, lambda k: 1.0, _zero, lambda k: 1.0 * k)
    return _Orthogonal(coeffs, lambda x: scipy.special.eval_hermitenorm(n, x), monic)


def laguerre(n: int, monic: bool = False) -> Any:
    coeffs = _of_laguerre(n, 0.0)
    return _Orthogonal(coeffs, lambda x: scipy.special.eval_laguerre(n, x), monic)


def genlaguerre(n: int, alpha: Any, monic: bool = False) -> Any:
    if alpha <= -1:
        raise ValueError("alpha must be > -1")
    coeffs = _of_laguerre(n, alpha)
    return _Orthogonal(coeffs, lambda x: scipy.special.eval_genlaguerre(n, alpha, x), monic)


def _of_laguerre(n: int, alpha: Any) -> Vector:
    return _coefficients(
        n, lambda k: -1.0 / (k + 1.0), lambda k: (2.0 * k + 1.0 + alpha) / (k + 1.0),
        lambda k: (k + alpha) / (k + 1.0),
    )  # fmt: skip


def jacobi(n: int, alpha: Any, beta: Any, monic: bool = False) -> Any:
    s = alpha + beta

    def below(k: int) -> Any:
        return (2.0 * k + 2.0) * (k + s + 1.0)

    def a(k: int) -> Any:
        return (2.0 * k + s + 1.0) * (2.0 * k + s + 2.0) / below(k) if k > 0 else 0.5 * s + 1.0

    def b(k: int) -> Any:
        if k == 0:
            return 0.5 * (alpha - beta)
        return (alpha**2 - beta**2) * (2.0 * k + s + 1.0) / (below(k) * (2.0 * k + s))

    def c(k: int) -> Any:
        if k == 0:
            return 0.0
        return 2.0 * (k + alpha) * (k + beta) * (2.0 * k + s + 2.0) / (below(k) * (2.0 * k + s))

    coeffs = _coefficients(n, a, b, c)
    return _Orthogonal(coeffs, lambda x: scipy.special.eval_jacobi(n, alpha, beta, x), monic)


def gegenbauer(n: int, alpha: Any, monic: bool = False) -> Any:
    if not np.isfinite(alpha) or alpha <= -0.5:
        raise ValueError("`alpha` must be a finite number greater than -1/2")
    coeffs = _coefficients(
        n, lambda k: 2.0 * (k + alpha) / (k + 1.0), _zero,
        lambda k: (k + 2.0 * alpha - 1.0) / (k + 1.0),
    )  # fmt: skip
    return _Orthogonal(coeffs, lambda x: scipy.special.eval_gegenbauer(n, alpha, x), monic)
