"""Dense linear algebra as plain Python that the front end compiles (``compiled_text``).

Cholesky, LU and substitution are finite algorithms and simply differentiated: derivatives of all
orders are exact. Methods without rules for whole matrices compile these programs. The other methods
use primitives that LAPACK computes (``core/prims_linear.py``); the last programs here complete
these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.combinators import stop_gradient
from pullback.frontend.library.compiled_text import known_det, known_logdet, packed_lu, unknown

Matrix = Any
"""A NumPy array; mypy would demand casts that plain Python does not need."""
Vector = Any

# --- substitution --------------------------------------------------------------------------------


def solve_lower(m: Matrix, b: Matrix, unit: bool) -> Matrix:
    """Return x with L x = b, where L is the lower triangle of m (``unit``: with ones on the
    diagonal)."""
    n, columns = b.shape
    x = b.copy()
    for i in range(n):
        for c in range(columns):
            s = x[i, c]
            for k in range(i):
                s = s - m[i, k] * x[k, c]
            x[i, c] = s if unit else s / m[i, i]
    return x


def solve_upper(m: Matrix, b: Matrix, unit: bool) -> Matrix:
    """Return x with U x = b, where U is the upper triangle of m."""
    n, columns = b.shape
    x = b.copy()
    for step in range(n):
        i = n - 1 - step
        for c in range(columns):
            s = x[i, c]
            for k in range(i + 1, n):
                s = s - m[i, k] * x[k, c]
            x[i, c] = s if unit else s / m[i, i]
    return x


def nonzero_diagonal(m: Matrix) -> bool:
    """Whether a triangular matrix is regular."""
    regular = True
    for i in range(m.shape[0]):
        if m[i, i] == 0.0:
            regular = False
    return regular


# --- Cholesky ------------------------------------------------------------------------------------


def cholesky(a: Matrix) -> tuple[Matrix, bool]:
    """Return the lower factor, from the lower triangle of a; False if a is not positive
    definite."""
    n = a.shape[0]
    low = np.zeros_like(a)
    positive = True
    for j in range(n):
        d = a[j, j]
        for k in range(j):
            d = d - low[j, k] * low[j, k]
        if d > 0.0:
            root = np.sqrt(d)
            low[j, j] = root
            for i in range(j + 1, n):
                s = a[i, j]
                for k in range(j):
                    s = s - low[i, k] * low[j, k]
                low[i, j] = s / root
        else:
            positive = False
            break
    return low, positive


# --- LU ------------------------------------------------------------------------------------------


def lu(a: Matrix) -> tuple[Matrix, Vector, float, bool]:
    """Return (m, p, sign, regular): rows p of a are L U, packed in m, with partial pivoting by
    columns."""
    n = a.shape[0]
    m = a.copy()
    p = np.arange(n)
    sign = 1.0
    regular = True
    for j in range(n):
        for i in range(1, n):
            s = m[i, j]
            for k in range(min(i, j)):
                s = s - m[i, k] * m[k, j]
            m[i, j] = s
        best = j
        for i in range(j + 1, n):
            if abs(m[i, j]) > abs(m[best, j]):
                best = i
        if best != j:
            sign = -sign
            row, p[j] = p[j], p[best]
            p[best] = row
            for k in range(n):
                t = m[j, k]
                m[j, k] = m[best, k]
                m[best, k] = t
        pivot = m[j, j]
        if pivot == 0.0:
            regular = False
        else:
            for i in range(j + 1, n):
                m[i, j] = m[i, j] / pivot
    return m, p, sign, regular


def solve(a: Matrix, b: Matrix) -> tuple[Matrix, bool]:
    """Return x with a x = b; False if a is singular."""
    m, p, _, regular = lu(a)
    x = solve_upper(m, solve_lower(m, b[p], True), False)
    return x, regular


def slogdet(a: Matrix) -> tuple[float, float]:
    """Return the sign of the determinant, and the logarithm of its absolute value."""
    m, _, sign, regular = lu(a)
    size = 0.0
    if regular:
        for i in range(m.shape[0]):
            sign = -sign if m[i, i] < 0.0 else sign
            size = size + np.log(abs(m[i, i]))
    else:
        sign = 0.0
        size = _no_logarithm(a)
    return sign, size


def _no_logarithm(a: Matrix) -> float:
    """Return the logarithm of 0 as that of a determinant, which has no finite derivative."""
    total = np.sum(a)
    size = -np.inf
    if abs(total) < np.inf:
        size = unknown(size, total)
    return size


def det(a: Matrix) -> float:
    """Return the determinant. For a (nearly) singular matrix it is computed by complete pivoting:
    its derivative exists, and must not be divided by a pivot that is 0."""
    n = a.shape[0]
    m, _, sign, _ = lu(a)
    largest, smallest = 0.0, np.inf
    for i in range(n):
        largest = max(largest, abs(m[i, i]))
        smallest = min(smallest, abs(m[i, i]))
    result = sign
    if n > 0 and smallest <= 1e-6 * largest:
        result = det_complete(a)
    else:
        for i in range(n):
            result = result * m[i, i]
    return result


def det_complete(a: Matrix) -> float:
    """Return the determinant by elimination with complete pivoting: nothing is divided by a pivot
    0, unless all elements that are left are 0; then the divisor is 1."""
    n = a.shape[0]
    m = a.copy()
    result = 1.0
    for j in range(n):
        row, column = j, j
        for i in range(j, n):
            for k in range(j, n):
                if abs(m[i, k]) > abs(m[row, column]):
                    row, column = i, k
        if row != j:
            result = -result
            for k in range(n):
                t = m[j, k]
                m[j, k] = m[row, k]
                m[row, k] = t
        if column != j:
            result = -result
            for i in range(n):
                t = m[i, j]
                m[i, j] = m[i, column]
                m[i, column] = t
        pivot = m[j, j]
        result = result * pivot
        if pivot != 0.0:
            for i in range(j + 1, n):
                factor = m[i, j] / pivot
                for k in range(j, n):
                    m[i, k] = m[i, k] - factor * m[j, k]
    return result


# --- from LAPACK's LU ----------------------------------------------------------------------------


def packed_slogdet(a: Matrix) -> tuple[float, float]:
    """Return the sign of the determinant, and the logarithm of its absolute value."""
    m = packed_lu(stop_gradient(a))
    n = a.shape[0]
    sign, size = 1.0, 0.0
    for i in range(n):
        if m[i, n] != i + 1.0:
            sign = -sign
        if m[i, i] < 0.0:
            sign = -sign
        elif m[i, i] == 0.0:
            sign = 0.0
        size = size + np.log(abs(m[i, i]))
    if sign == 0.0:
        size = _no_logarithm(a)
    else:
        size = known_logdet(a, size)
    return sign, size


def packed_det(a: Matrix) -> float:
    """Return the determinant; of a (nearly) singular matrix by complete pivoting."""
    m = packed_lu(stop_gradient(a))
    n = a.shape[0]
    value, largest, smallest = 1.0, 0.0, np.inf
    for i in range(n):
        if m[i, n] != i + 1.0:
            value = -value
        value = value * m[i, i]
        largest = max(largest, abs(m[i, i]))
        smallest = min(smallest, abs(m[i, i]))
    if n > 0 and smallest <= 1e-6 * largest:
        value = det_complete(a)
    else:
        value = known_det(a, value)
    return value
