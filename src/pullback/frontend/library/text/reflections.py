"""Complete factors of a matrix by reflections, as plain Python that the front end compiles."""

from __future__ import annotations

import numpy as np

from pullback.combinators import stop_gradient
from pullback.frontend.library.asked_values import library_value
from pullback.frontend.library.compiled_text import known, unknown
from pullback.frontend.library.text.domains import Matrix
from pullback.frontend.library.text.spectral import qr


def complete_qr(a: Matrix) -> tuple[Matrix, Matrix]:
    """Return all of q, and r with all of its rows: LAPACK's, with the derivative of its reflections
    if the columns are independent; otherwise that is unknown."""
    rows, n = a.shape
    if rows <= n:
        q, r = qr(a)
    else:
        q, r = _reflected(a)
        sizes = np.abs(np.diag(r))
        if np.min(sizes) <= 1e-14 * np.max(sizes):
            change = np.sum(a)
            q = np.array([[unknown(x, change) for x in row] for row in q])
            r = np.array([[unknown(x, change) for x in row] for row in r])
        found = library_value("complete qr", a, (rows, n), rows * (rows + n))
        q = known(q, np.reshape(found[: rows * rows], (rows, rows)))
        r = known(r, np.reshape(found[rows * rows :], (rows, n)))
    return q, r


def _reflected(a: Matrix) -> tuple[Matrix, Matrix]:
    rows, n = a.shape
    q, r = np.eye(rows), a.copy()
    for j in range(n):
        scale = np.max(np.abs(stop_gradient(r[j:, j])))
        below = r[j + 1 :, j] / (scale if scale > 0.0 else 1.0)
        rest = np.dot(below, below)
        if rest != 0.0:
            alpha = r[j, j] / scale
            beta = -np.copysign(np.sqrt(alpha * alpha + rest), alpha)
            v = np.append(np.ones(1), below / (alpha - beta))
            tau = (beta - alpha) / beta
            r[j:] = r[j:] - tau * np.outer(v, v @ r[j:])
            q[:, j:] = q[:, j:] - tau * np.outer(q[:, j:] @ v, v)
    return q, np.triu(r)
