"""Functions of ``scipy.spatial.distance`` as plain Python that the front end compiles. Those of
matrices compute in float64, as SciPy's do; those of two vectors compute in the type of these."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text_helpers import unsupported


def euclidean(u: Vector, v: Vector) -> Any:
    difference = _vector(u) - _vector(v)
    d = 1.0 * difference
    if not np.all(np.isfinite(d)):
        raise ValueError("array must not contain infs or NaNs")
    distance = np.linalg.norm(d)
    return float(distance) if difference.dtype == np.float64 else distance


def sqeuclidean(u: Vector, v: Vector) -> Any:
    d = 1.0 * _vector(u) - 1.0 * _vector(v)
    return np.dot(d, d)


def cityblock(u: Vector, v: Vector) -> Any:
    return np.sum(np.abs(_vector(u) - _vector(v)))


def chebyshev(u: Vector, v: Vector) -> Any:
    return max(np.abs(_vector(u) - _vector(v)))


def cosine(u: Vector, v: Vector) -> Any:
    a, b = _vector(u), _vector(v)
    distance = 1.0 - np.dot(a, b) / np.sqrt(1.0 * np.dot(a, a) * np.dot(b, b))
    return np.clip(distance, 0.0, 2.0)


def correlation(u: Vector, v: Vector) -> Any:
    a, b = _vector(u), _vector(v)
    return cosine(a - np.mean(a), b - np.mean(b))


def braycurtis(u: Vector, v: Vector) -> Any:
    a, b = _vector(u), _vector(v)
    return np.sum(1.0 * np.abs(a - b)) / np.sum(1.0 * np.abs(a + b))


def canberra(u: Vector, v: Vector) -> Any:
    d = _parts_of_canberra(1.0 * _vector(u), 1.0 * _vector(v))
    return np.sum(np.where(np.isnan(d), 0.0, d))


def _parts_of_canberra(a: Array, b: Array) -> Array:
    size = np.abs(a) + np.abs(b)
    return np.abs(a - b) / np.where(size == 0.0, 1.0, size)


def minkowski(u: Vector, v: Vector, p: float = 2, w: Any = None) -> Any:
    d = np.abs(1.0 * _vector(u) - 1.0 * _vector(v))
    if p <= 0:
        raise ValueError("p must be greater than 0")
    if w is not None:
        weights = _weights(w)
        d = np.where(weights != 0.0, 1.0, 0.0) * d if p == np.inf else weights ** (1.0 / p) * d
    if p == 2:
        return float(np.linalg.norm(d))
    if p == np.inf:
        return np.max(d)
    return np.sum(d) if p == 1 else np.sum(d**p) ** (1.0 / p)


def _weights(w: Any) -> Vector:
    weights = 1.0 * _vector(w)
    if np.any(weights < 0.0):
        raise ValueError("Input weights should be all non-negative")
    return weights


def seuclidean(u: Vector, v: Vector, V: Vector) -> Any:
    variances = 1.0 * _vector(V)
    d = 1.0 * _vector(u) - 1.0 * _vector(v)
    if len(variances) != len(d):
        raise TypeError("V must be a 1-D array of the same dimension as u and v.")
    return float(np.linalg.norm(np.sqrt(1.0 / variances) * d))


def mahalanobis(u: Vector, v: Vector, VI: Any) -> Any:
    d = _vector(u) - _vector(v)
    return np.sqrt(np.dot(np.dot(d, np.atleast_2d(VI)), d))


def hamming(u: Vector, v: Vector, w: Any = None) -> Any:
    a, b = _items(u), _items(v)
    if len(a) != len(b):
        raise ValueError("The 1d arrays must have equal lengths.")
    differ = a != b
    if w is None:
        return np.mean(differ)
    weights = _weights(w)
    if len(weights) != len(a):
        raise ValueError("'w' should have the same length as 'u' and 'v'.")
    return np.sum(np.where(differ, weights / np.sum(weights), 0.0))


def _items(x: Vector) -> Vector:
    vector = np.asarray(x)
    if vector.ndim != 1:
        raise ValueError("Input vector should be 1-D.")
    return vector


def jensenshannon(
    p: Any, q: Any, base: float | None = None, *, axis: Any = 0, keepdims: bool = False
) -> Any:
    a, b = np.asarray(p) * 1.0, np.asarray(q) * 1.0
    a = a / np.sum(a, axis=axis, keepdims=True)
    b = b / np.sum(b, axis=axis, keepdims=True)
    m = (a + b) / 2.0
    parts = scipy.special.rel_entr(a, m) + scipy.special.rel_entr(b, m)
    total = np.sum(parts, axis=axis, keepdims=keepdims)
    if base is not None:
        total = total / np.log(base)
    return np.sqrt(total / 2.0)


def _vector(x: Vector) -> Vector:
    vector = np.asarray(x)
    if vector.ndim != 1:
        raise ValueError("Input vector should be 1-D.")
    if vector.dtype != np.float64 and vector.dtype != np.int64:
        unsupported("a distance of vectors of other numbers", "convert it to float64")
    return vector


def _floats(x: Array) -> Array:
    a = np.asarray(x)
    if a.dtype not in (np.float64, np.float32, np.int64):
        unsupported("a distance of other numbers", "convert it to float64")
    return a.astype(np.float64)


def _minkowski(d: Array, p: Any) -> Any:
    """The norm of order p along the last axis."""
    if p == np.inf:
        return _largest(np.abs(d))
    if p == 1:
        return np.sum(np.abs(d), axis=-1)
    if p == 2:
        return np.linalg.norm(d, axis=-1)
    return np.sum(np.abs(d) ** p, axis=-1) ** (np.inf if p == 0 else 1.0 / p)


def _largest(d: Array) -> Any:
    """The largest of the distances along the last axis, without NaN."""
    if d.shape[-1] == 0:
        return np.sum(d, axis=-1)
    return np.max(np.where(np.isnan(d), 0.0, d), axis=-1)


def _cosines(a: Array, b: Array) -> Array:
    products = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return 1.0 - np.clip(np.sum(a * b, axis=-1) / products, -1.0, 1.0)


def _distance(a: Array, b: Array, metric: str, p: Any) -> Array:
    """The distances along the last axis."""
    name = metric.lower()
    if name in ("minkowski", "mi", "m", "pnorm"):
        return _minkowski(a - b, 2.0 if p is None else p)
    if p is not None:
        unsupported("p of a distance that has none", "name the metric minkowski")
    if name in ("euclidean", "euclid", "eu", "e"):
        return np.linalg.norm(a - b, axis=-1)
    if name in ("sqeuclidean", "sqe", "sqeuclid"):
        return np.sum((a - b) ** 2, axis=-1)
    if name in ("cityblock", "cblock", "cb", "c"):
        return np.sum(np.abs(a - b), axis=-1)
    if name in ("chebychev", "chebyshev", "cheby", "cheb", "ch"):
        return _largest(np.abs(a - b))
    if name in ("cosine", "cos"):
        return _cosines(a, b)
    if name in ("correlation", "co"):
        return _cosines(a - np.mean(a, -1, keepdims=True), b - np.mean(b, -1, keepdims=True))
    if name == "braycurtis":
        return np.sum(np.abs(a - b), axis=-1) / np.sum(np.abs(a + b), axis=-1)
    if name == "canberra":
        return np.sum(_parts_of_canberra(a, b), axis=-1)
    unsupported("this metric", "write its formula with two new axes")


def _scaled(a: Matrix, b: Matrix, both: Matrix, metric: Any, V: Any, VI: Any) -> Any:
    """Return the rows in coordinates in which a distance is that of Euclid or another one, and the
    name of this one; ``both``: all rows."""
    if not isinstance(metric, str):
        return a, b, metric
    name = metric.lower()
    if name in ("seuclidean", "se", "s"):
        size = np.sqrt(np.var(both, axis=0, ddof=1) if V is None else np.asarray(V))
        return a / size, b / size, "euclidean"
    if name in ("mahalanobis", "mahal", "mah"):
        inverse = np.linalg.inv(np.cov(both.T)).T if VI is None else np.asarray(VI)
        return a, b, inverse
    if V is not None or VI is not None:
        unsupported("V or VI of a distance that has none", "leave it away")
    return a, b, name


def _between(a: Any, b: Any, metric: Any, p: Any) -> Any:
    """Return the distances along the last axis, or by a matrix."""
    if isinstance(metric, str):
        return _distance(a, b, metric, p)
    d = a - b
    return np.sqrt(np.sum((d @ metric) * d, axis=-1))


def cdist(XA: Matrix, XB: Matrix, metric: Any = "euclidean", *, p: float | None = None,
          V: Any = None, VI: Any = None) -> Matrix:  # fmt: skip
    """Return the distances of all rows of a matrix from those of another one."""
    a, b = _floats(XA), _floats(XB)
    if a.ndim != 2:
        raise ValueError("XA must be a 2-dimensional array.")
    if b.ndim != 2:
        raise ValueError("XB must be a 2-dimensional array.")
    if a.shape[1] != b.shape[1]:
        raise ValueError(
            "XA and XB must have the same number of columns (i.e. feature dimension.)"
        )
    if callable(metric):
        return np.array([[metric(u, v) for v in b] for u in a])
    a, b, how = _scaled(a, b, np.concatenate((a, b)), metric, V, VI)
    return _between(a[:, None], b[None], how, p)


def pdist(X: Matrix, metric: Any = "euclidean", *, p: float | None = None, V: Any = None,
          VI: Any = None) -> Vector:  # fmt: skip
    """Return the distances of all pairs of rows."""
    a = _floats(X)
    if a.ndim != 2:
        raise ValueError(f"A 2-dimensional array must be passed. (Shape was {a.shape}).")
    if callable(metric):
        n = a.shape[0]
        return np.array([metric(a[i], a[j]) for i in range(n) for j in range(i + 1, n)])
    i, j = np.triu_indices(a.shape[0], 1)
    rows, others, how = _scaled(a, a, a, metric, V, VI)
    return _between(rows[i], others[j], how, p)


def squareform(X: Array) -> Array:
    """Return the matrix of distances of a vector of those of all pairs, or the vector of it."""
    x = np.asarray(X)
    if x.dtype not in (np.float64, np.int64):
        unsupported("squareform of other numbers", "convert it to float64")
    if x.ndim == 1:
        n = 1 if x.shape[0] == 0 else int(np.ceil(np.sqrt(2.0 * x.shape[0])))
        if n * (n - 1) != 2 * x.shape[0]:
            raise ValueError(
                "Incompatible vector size. It must be a binomial coefficient n choose 2 for some "
                "integer n >= 2."
            )
        whole = np.zeros((n, n), x.dtype)
        i, j = np.triu_indices(n, 1)
        whole[i, j] = x
        return whole + whole.T
    if x.ndim != 2:
        unsupported("squareform of more than two axes", "loop over the first axis")
    if x.shape[0] != x.shape[1]:
        raise ValueError("The matrix argument must be square.")
    if not np.all(x == x.T):
        raise ValueError("Distance matrix 'X' must be symmetric.")
    if not np.all(np.diagonal(x) == 0):
        raise ValueError("Distance matrix 'X' diagonal must be zero.")
    i, j = np.triu_indices(x.shape[0], 1)
    return x[i, j]
