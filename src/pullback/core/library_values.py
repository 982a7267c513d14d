"""Values that NumPy and SciPy compute for texts of the library: functions from the two vectors of
a call (``called_python``) to the vector of its result.

They are asked of constants only, and their results have no derivative; the texts add that. The
first word is the number of the function.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

from pullback.core import partial_orders
from pullback.core.called_python import OF_COMPLEX_MATRICES, Floats, Words
from pullback.core.later import Later

_linalg = Later("scipy.linalg")


def _eigen(reals: Floats, words: Words) -> Any:
    """Return 1 if it could be found, and 1 if the vectors are a basis; eigenvalues, eigenvectors
    and the inverse of the matrix of these, each as its real and its imaginary parts. ``words``: the
    number of rows, and 1 if the matrix is complex."""
    n, is_complex = words[:2]
    a: Any = reals[: n * n].reshape(n, n)
    if is_complex:
        a = a + 1j * reals[n * n :].reshape(n, n)
    nothing = np.zeros(4 * n * n + 2 * n + 2)
    try:
        w, v = np.linalg.eig(a)
    except np.linalg.LinAlgError:
        return nothing
    inverse, basis = np.zeros_like(v), False
    try:
        if np.linalg.cond(v) < _INDEPENDENT:
            inverse, basis = np.linalg.inv(v), True
    except np.linalg.LinAlgError:
        pass
    parts = [p for x in (w, v, inverse) for p in (np.real(x).ravel(), np.imag(x).ravel())]
    return np.concatenate([[1.0, basis], *parts])


_INDEPENDENT = 1e13
"""Vectors whose matrix has a larger condition number are no basis."""


def _numpys(which: int, reals: Floats, words: Words) -> Any:
    """Return the eigenvectors of a symmetric matrix (which = 2) or the left or right singular
    vectors (0, 1) as NumPy finds them, in columns; zeros where it does not."""
    a = reals.reshape(words)
    try:
        if which == 2:
            return np.linalg.eigh(a)[1].ravel()
        found = np.linalg.svd(a, full_matrices=False)
    except np.linalg.LinAlgError:
        return np.zeros(a.shape[which % 2] * min(a.shape))
    return (found[2].T if which else found[0]).ravel()


def _matrix_of(reals: Floats, shape: tuple[int, ...]) -> Any:
    """Return the complex matrix of these real parts and, behind them, imaginary parts."""
    x, y = reals.reshape(2, *shape)
    return x + 1j * y


def _in_parts(*found: Any) -> Any:
    """Return 1, for a success, and the numbers of these arrays: of complex ones the real parts
    first."""
    parts = [p.ravel() for x in found for p in ((x.real, x.imag) if np.iscomplexobj(x) else (x,))]
    return np.concatenate([[1.0], *parts])


def _of_a_complex_matrix(
    function: Callable[[Any, tuple[int, ...]], tuple[Any, ...]], reals: Floats, words: Words
) -> Any:
    """Return 1 and what a function finds for a complex matrix; zeros where there is none.
    ``words``: how many numbers that are, rows and columns, and more that the function is told."""
    count, rows, columns, *more = map(int, words)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _in_parts(*function(_matrix_of(reals, (rows, columns)), tuple(more)))
    except np.linalg.LinAlgError:
        return np.zeros(count)


_TRIANGLES: tuple[Literal["L"], Literal["U"]] = "L", "U"
_OF_COMPLEX_MATRICES: dict[str, Callable[[Any, tuple[int, ...]], tuple[Any, ...]]] = {
    "hermitian vectors": lambda a, upper: tuple(np.linalg.eigh(a, _TRIANGLES[upper[0]])),
    "scipys hermitian vectors": lambda a, upper: tuple(_linalg.eigh(a, lower=not upper[0])),
    "hermitian values": lambda a, upper: (np.linalg.eigvalsh(a, _TRIANGLES[upper[0]]),),
    "complex svd": lambda a, full: tuple(np.linalg.svd(a, bool(full[0]))),
    "complex right vectors": lambda a, _: (np.linalg.svd(a, False)[2].conj().T,),
    "complex singular values": lambda a, _: (np.linalg.svd(a, compute_uv=False),),
    "complex null space": lambda a, _: (_linalg.svd(a)[2].conj().T,),
    "complex pivots": lambda a, _: (_linalg.lu_factor(a)[1],),
    "complex qr": lambda a, _: tuple(np.linalg.qr(a)),
    "complex determinant": lambda a, _: (
        *map(np.atleast_1d, np.linalg.slogdet(a)), np.linalg.inv(a),
    ),
}  # fmt: skip

assert _OF_COMPLEX_MATRICES.keys() == OF_COMPLEX_MATRICES


def _right_vectors(reals: Floats, words: Words) -> Any:
    """Return all right singular vectors of a matrix, in columns."""
    return _linalg.svd(reals.reshape(words), full_matrices=True)[2].T.ravel()


def _left_vectors(reals: Floats, words: Words) -> Any:
    """Return the left singular vectors of a matrix, in columns."""
    return _linalg.svd(reals.reshape(words), full_matrices=False)[0].ravel()


def _complete_qr(reals: Floats, words: Words) -> Any:
    """Return all of q, and r."""
    q, r = np.linalg.qr(reals.reshape(words), mode="complete")
    return np.concatenate((q.ravel(), r.ravel()))


def _tridiagonal_vectors(reals: Floats, words: Words) -> Any:
    """Return the eigenvectors of a symmetric matrix by its diagonal and the one beside it."""
    n = int(words[0])
    return _linalg.eigh_tridiagonal(reals[:n], reals[n:])[1].ravel()


def _exchanges(reals: Floats, words: Words) -> Any:
    """Return with which row each row of a matrix is exchanged in its elimination."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _linalg.lu_factor(reals.reshape(words))[1]


def _of_two_parts(name: str, reals: Floats, words: Words) -> Any:
    """Return the parts of a function of complex numbers."""
    x, y = reals.reshape(2, -1)
    found = getattr(_special, name)(x + 1j * y, *map(int, words))
    return np.concatenate([found.real, found.imag])


def _both(name: str, reals: Floats, words: Words) -> Any:
    """Return the two results of a function of real numbers."""
    return np.concatenate(getattr(_special, name)(reals))


def _quantile(name: str, method: str, reals: Floats, words: Words) -> Any:
    """Return a quantile of a discrete distribution: of a probability, by parameters of shape."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.atleast_1d(getattr(getattr(_stats, name), method)(*reals))


_DISCRETE = (
    "binom", "bernoulli", "betabinom", "nbinom", "geom", "hypergeom", "poisson", "randint", "zipf",
    "skellam", "dlaplace", "logser", "planck", "boltzmann", "yulesimon", "betanbinom", "zipfian",
)  # fmt: skip
_solvers = Later("pullback.core.solver_calls")
_special = Later("scipy.special")
_stats = Later("scipy.stats")


def _degrees(reals: Floats, words: Words) -> Any:
    """Return the cosine and the sine of an angle in degrees, exact for right angles."""
    return _special.cosdg(reals[0]), _special.sindg(reals[0])


def _of_solver(name: str, reals: Floats, words: Words) -> Any:
    """Return what a step of a solver gives (``solver_calls``)."""
    return getattr(_solvers, name)(reals, words)


_SIDES = "two-sided", "less", "greater"


def _of_two_samples(name: str, reals: Floats, words: Words) -> Any:
    """Return the statistic and the probability that a test gives for two samples."""
    n, side = words
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = getattr(_stats, name)(reals[:n], reals[n:], alternative=_SIDES[side])
    return found.statistic, found.pvalue


_TESTS = "spearmanr", "kendalltau"

NAMED: dict[str, Callable[[Floats, Words], Any]] = {
    "eigen": _eigen, "right_vectors": _right_vectors,
    "left_vectors": _left_vectors, "pivots": _exchanges,
    "tridiagonal vectors": _tridiagonal_vectors, "complete qr": _complete_qr,
    **{f"numpys {name}": partial(_numpys, k)
       for k, name in enumerate(("left", "right", "eigenvectors"))},
    **{name: partial(_of_two_samples, name) for name in _TESTS},
    **{name: partial(_of_a_complex_matrix, function)
       for name, function in _OF_COMPLEX_MATRICES.items()},
    **{name: partial(_both, name) for name in ("sici", "shichi", "fresnel")},
    **{name: partial(_of_two_parts, name) for name in ("lambertw", "wofz")},
    **{f"{name}.{method}": partial(_quantile, name, method)
       for name in _DISCRETE for method in ("ppf", "isf")},
    "degrees": _degrees,
    "partition": partial_orders.partition, "argpartition": partial_orders.argpartition,
    **{name: partial(_of_solver, called)
       for name, called in (("begun", "begun"), ("resumed", "resumed"), ("asked", "numbers"))},
}  # fmt: skip
"""The functions, by the names under which texts ask for them."""

NUMBERS = {name: k for k, name in enumerate(NAMED)}


def value(reals: Floats, words: Words) -> Floats:
    """Return the result of the function whose number is the first word."""
    function = list(NAMED.values())[words[0]]
    with np.errstate(all="ignore"):
        found: Floats = np.asarray(function(reals, words[1:]), np.float64)
    return found


__all__ = ["NAMED", "NUMBERS", "value"]
