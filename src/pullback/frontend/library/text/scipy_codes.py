"""Nearest codes and means of ``scipy.cluster.vq``, as plain Python that the front end compiles.
Which code is the nearest SciPy says, and that has no derivative; means and distances have one."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text.solver_answers import packed, told
from pullback.frontend.library.text_helpers import unsupported


def _finite(x: Any) -> Array:
    values = np.asarray(x) * 1.0
    if not np.all(np.isfinite(values)):
        raise ValueError("array must not contain infs or NaNs")
    return values


def whiten(obs: Any, check_finite: Any = None) -> Array:
    values = _finite(obs)
    wide = np.std(values, axis=0)
    return values / np.where(wide == 0.0, 1.0, wide)


def _rows(x: Array) -> Matrix:
    return x[:, None] if x.ndim == 1 else x


def _nearest(values: Array, codes: Array) -> tuple[Vector, Vector]:
    """Return the code of each observation, and how far it is."""
    if values.dtype == np.float32 or codes.dtype == np.float32:
        unsupported("clusters of float32", "convert it to float64")
    if values.ndim != codes.ndim:
        raise ValueError("observation and code should have same rank")
    a, b = _rows(values), _rows(codes)
    if a.shape[1] != b.shape[1]:
        raise ValueError("obs and code should have same number of features (columns)")
    words = described("codes", values.ndim == 1)
    found = told(words, constant(packed((a, b, a.shape[1]))))
    chosen, far = found[: len(a)].astype(np.int32), found[len(a) :]
    apart = a - b[chosen]
    own = np.sqrt(np.sum(apart * apart, axis=1))
    return chosen, far + (own - constant(own))


def vq(obs: Any, code_book: Any, check_finite: bool = True) -> Any:
    return _nearest(_finite(obs), _finite(code_book))


def _means(values: Array, chosen: Vector, count: int) -> tuple[Vector, Array]:
    """Return how many observations each code has, and their means."""
    hot = np.where(chosen[:, None] == np.arange(count), 1.0, 0.0)
    many = np.sum(hot, axis=0)
    sums = hot.T @ _rows(values)
    means = sums / np.where(many == 0.0, 1.0, many)[:, None]
    return many, means[:, 0] if values.ndim == 1 else means


def kmeans2(data: Any, k: Any, iter: int = 10, thresh: float = 1e-5, minit: str = "random",
            missing: str = "warn", check_finite: bool = True, *,
            rng: Any = None) -> Any:  # fmt: skip
    if np.ndim(k) == 0:
        unsupported("kmeans2 whose first codes are drawn", "pass them, with minit='matrix'")
    if iter < 1:
        raise ValueError(f"Invalid iter ({iter}), must be a positive integer.")
    values, codes = _finite(data), np.asarray(k) * 1.0
    if values.ndim != codes.ndim:
        raise ValueError("k array doesn't match data rank")
    count, label = codes.shape[0], np.zeros(len(values), dtype=np.int32)
    for _ in range(iter):
        label, _far = _nearest(values, codes)
        many, means = _means(values, label, count)
        none = many == 0.0
        if missing == "raise" and np.any(none):
            raise NotImplementedError("a cluster without members, where kmeans2 raises")
        codes = np.where(none if values.ndim == 1 else none[:, None], codes, means)
    return codes, label


def kmeans(obs: Any, k_or_guess: Any, iter: int = 20, thresh: float = 1e-5,
           check_finite: bool = True, *, rng: Any = None) -> Any:  # fmt: skip
    if np.ndim(k_or_guess) == 0:
        unsupported("kmeans whose first codes are drawn", "pass them in the place of their number")
    values, codes = _finite(obs), _finite(k_or_guess)
    before, far, going = np.inf, 0.0 * values.sum(), True
    while going:
        label, apart = _nearest(values, codes)
        far = np.mean(apart)
        many, means = _means(values, label, codes.shape[0])
        codes = means[np.flatnonzero(many > 0.0)]
        step = np.abs(constant(far) - before)
        before = constant(far)
        going = bool(step > thresh)
    return codes, far
