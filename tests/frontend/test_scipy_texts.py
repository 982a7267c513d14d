"""Functions of ``scipy.spatial.distance``, ``scipy.signal``, ``scipy.linalg`` and the densities of
vectors of ``scipy.stats`` beside SciPy: values, types, shapes, errors; derivatives."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.linalg as sl
import scipy.signal as ss
import scipy.spatial.distance as sd
import scipy.stats as st

import pullback as pb
from tests import campaign, harness

R = np.random.default_rng(3)
A, B, X, H, S = (R.normal(size=n) for n in ((4, 3), (5, 3), 9, 4, (3, 3)))
C, M, U, V = S @ S.T + np.eye(3), X[:3], A[0], B[0]
I, E = np.arange(6).reshape(2, 3), np.array([])  # noqa: E741  # a matrix of ints
NAN = np.array([np.nan, 1.0, 2.0])
ALPHA, POINT = np.array([1.0, 2.0, 0.7]), np.array([0.2, 0.3, 0.5])
ODD = np.array([[0.3, 1.2, -0.4], [2.0, -0.7, 0.5], [1.1, 0.6, 1.9]])
BANDS = np.array([[0.3, -0.2, 0.5, 0.1, 0.4], [0.6, 0.2, -0.3, 0.7, 0.1], [4.0, 5.0, 3.5, 4.5, 3.0],
                  [0.4, -0.6, 0.2, 0.3, 0.5]])  # fmt: skip
SOS = ss.butter(4, 0.3, output="sos")
OF, BY = np.array([0.2, 0.3, 0.1]), np.array([1.5, -0.6, 0.3, 0.1])
METRICS = ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine", "correlation",
           "braycurtis", "canberra")  # fmt: skip
TEXTS: list[tuple[str, Any, list[tuple[Any, ...]]]] = []
"""A name, a function, its arguments: derivatives are taken at the first ones."""


def single(x: Any) -> Any:
    return np.asarray(x, np.float32)


def of_vectors(distance: Any) -> Any:
    return lambda u, v: distance(u, v)


def of_rows(metric: str) -> Any:
    return lambda a, b: (sd.cdist(a, b, metric), sd.pdist(a, metric))


for metric in METRICS:
    TEXTS.append((f"{metric} of vectors", of_vectors(getattr(sd, metric)), [
        (U, V), (I[0], I[1]), (I[0], V), (U * 0, V * 0), (NAN, V), (U, NAN[::-1] * np.inf),
        (U, X), (U, X[:1]), (A, B), ([1.0, 2.0], [2.0, 0.5])]))  # fmt: skip
    TEXTS.append((f"{metric} of rows", of_rows(metric), [
        (A, B), (I, B), (single(A), B), (A * 0, B * 0), (NAN[None], B), (B, NAN[None, ::-1]),
        (A[:0], B), (A[:, :0], B[:, :0]), (A, X[None]), (U, B), (A, V)]))  # fmt: skip
for mode in ("full", "same", "valid"):
    def both(x, h, mode=mode):
        return ss.convolve(x, h, mode), ss.correlate(x, h, mode, "direct")

    def transformed(x, h, mode=mode):
        return ss.fftconvolve(x, h, mode=mode)

    def by_transforms(x, h, mode=mode):
        return ss.convolve(x, h, mode, "fft"), ss.correlate(x, h, mode, "fft")

    several = [(X, H), (H, X), (X[:4], H), (X, H[:1]), (H[:1], X), (X, H[:3]), (I[0], I[1]),
               (I[0], H), (H, E)]  # fmt: skip
    TEXTS.append((f"convolve {mode}", both, [*several, (single(X), single(H)), (single(X), I[0])]))
    TEXTS.append((f"fftconvolve {mode}", transformed, [*several, (E, H)]))
    TEXTS.append((f"convolve by fft {mode}", by_transforms, several[:-1]))
TEXTS += [
    ("minkowski", lambda a, b, p: sd.cdist(a, b, "minkowski", p=p),
     [(A, B, p) for p in (3.5, 1, 2, 2.0, 0.5, np.inf, 0, -1.0)]),
    ("distances by powers",
     lambda u, v: (sd.minkowski(u, v, 1), sd.minkowski(u, v, 1.5), sd.minkowski(u, v, np.inf)),
     [(U, V)]),
    ("distances by weights",
     lambda u, v: (sd.minkowski(u, v, 3, [1.0, 0.5, 0.0]), sd.minkowski(u, v, 1, [1.0, 0.5, 2.0])),
     [(U, V), (U, X[:2])]),
    ("distances by a power", lambda u, v, p: sd.minkowski(u, v, p), [(U, V, 3.0), (U, V, -1.0)]),
    ("seuclidean", lambda u, v, w: sd.seuclidean(u, v, w),
     [(U, V, np.array([1.0, 0.5, 2.0])), (U, V, X[:2])]),
    ("mahalanobis", lambda u, v: sd.mahalanobis(u, v, np.diag([1.0, 0.5, 2.0])), [(U, V)]),
    ("hamming", lambda u, v: (sd.hamming(u, v), sd.hamming(u, v, [1.0, 0.5, 0.0])),
     [(U, V), (U, U), (U, X[:2])]),
    ("jensenshannon", lambda u, v: (sd.jensenshannon(u, v), sd.jensenshannon(u, v, 2.0)),
     [(np.array([0.2, 0.5, 0.3]), np.array([1.0, 2.0, 4.0])), (np.abs(A), np.abs(B)[:1])]),
    ("other names", lambda a, b: (sd.cdist(a, b, "Cheb"), sd.cdist(XA=a, XB=b, metric="m")),
     [(A, B)]),
    ("squareform", lambda x: sd.squareform(x),
     [(X[:6],), (X[:1],), (E,), (X[:4],), (np.arange(3),), (sd.squareform(X[:6]),), (A,), (S,),
      (C,), (np.zeros((1, 1)),), (np.full((2, 2), np.nan),)]),
    ("lfilter", lambda b, a, x: ss.lfilter(b, a, x),
     [(OF, BY, X), (BY, OF, X), (OF, BY, X[:2]), (OF, BY, X[:0]), (OF, BY[:1], X), (OF, 2, X),
      (0.5, BY, X), (OF, 0.0 * BY, X), (OF, BY, A), (OF, BY, A[:0]), (OF, E, X), (E, BY, X),
      (I[0] + 1, I[1], X), (I[0] + 1, I[1], I[1]), (OF, BY, 1.0)]),
    ("filters by columns", lambda b, x: (ss.lfilter(b, 1.0, x, 0), ss.sosfilt(SOS, x, axis=0)),
     [(OF, A), (OF, X)]),
    ("sosfilt", lambda x, sos: ss.sosfilt(sos, x),
     [(X, SOS), (A, SOS), (X[:1], SOS), (X, SOS[:, :5]), (X, SOS * 2.0), (E, SOS), (1.0, SOS)]),
    ("detrend", lambda x: (ss.detrend(x), ss.detrend(x, 0, "c")),
     [(A,), (X,), (I,), (X[:1],), (E,), (A[:0],)]),
    ("multivariate_normal",
     lambda x, m, c: (st.multivariate_normal.logpdf(x, m, c), st.multivariate_normal.pdf(x, m, c)),
     [(A, M, C), (A, M, -C), (A, M, C * 0), (A, M, np.diag([1.0, 1e-11, 1.0])), (I, M, C),
      (A, M, C[:2]), (A, M, np.eye(2)), (A, M, np.diag([1.0, 1.0, np.nan])), (A, X[:4], C),
      (X[:4], M, C), (NAN, M, C), (single(A), single(M), single(C)), (U, M, 2.0),
      (A, M, [1, 2, 3]), (B[None] * np.ones((2, 1, 1)), M, C)]),
    ("densities of one coordinate",
     lambda x, m, c: (st.multivariate_normal.logpdf(x, m, c), st.multivariate_t.pdf(x, m, c, 4)),
     [(X[:1], M[:1], C[:1, :1]), (X[:, None], M[:1], C[:1, :1]), (X[:1], M, C),
      (X[:, None], M, C)]),
    ("allow_singular", lambda x, m, c: (st.multivariate_normal.logpdf(x, m, c, True),
                                        st.multivariate_normal(m, c, True).pdf(x)), [(A, M, C)]),
    ("normal of numbers",
     lambda x, m, c: (st.multivariate_normal.logpdf(x, m, c), st.multivariate_normal.pdf(x)),
     [(X, 0.2, 1.5), (0.3, 0.2, 0.0), (0.3, 0.2, -1.0), (X, 0.2, np.nan), (3, 0.2, 1.5)]),
    ("covariance alone", lambda x, c: st.multivariate_normal.logpdf(x, cov=c), [(A, C), (X, 2.0)]),
    ("dirichlet", lambda x, a: (st.dirichlet.logpdf(x, a), st.dirichlet.pdf(x, a)),
     [(POINT[:2], ALPHA), (POINT, ALPHA), (POINT[:1], ALPHA), (POINT, -ALPHA), (-POINT, ALPHA),
      (POINT * 3, ALPHA), (POINT * 1.1, ALPHA), (np.array([0.0, 0.5, 0.5]), ALPHA),
      (np.array([0.5, 0.5, 0.0]), ALPHA), (POINT, np.array([1, 2, 3]))]),
    ("svd", lambda a: sl.svd(a, compute_uv=False), [(A,), (A.T,), (I,), (A * np.nan,)]),
    ("singular vectors", lambda a: (*sl.svd(a, full_matrices=False), *sl.svd(a @ a.T)),
     [(ODD,), (ODD[:2],)]),
    ("pinv", lambda a: sl.pinv(a), [(A,), (A.T,), (I,), (np.ones((3, 3)),), (A * np.nan,)]),
    ("hankel", lambda c, r: (sl.hankel(c, r), sl.hankel(c)),
     [(M, X), (M, X[:1]), (M[:1], X), (I[0], I[1]), (I[0], X), (single(M), X), (M, E), (E, M)]),
    ("companion", lambda a: sl.companion(a), [(X,), (I[1],), (I[0],), (X[:2],), (X[:1],), (E,)]),
    ("khatri_rao", lambda a, b: sl.khatri_rao(a, b),
     [(A, B), (I, B), (I, I), (single(A), single(B)), (A[:0], B), (A, B[:, :2]), (A, X)]),
    ("lu", lambda a, b: (*sl.lu(a), sl.lu(a, True)[0], sl.lu_solve(sl.lu_factor(a), b),
                         sl.lu_solve(sl.lu_factor(a), b, trans=1)),
     [(ODD, M), (ODD, ODD), (C, M), (ODD * np.nan, M), (ODD, M[:2])]),
    ("banded", lambda ab, b: (sl.solve_banded((1, 2), ab, b), sl.solveh_banded(ab[1:3], b),
                              sl.solveh_banded(ab[2:], b, lower=True)),
     [(BANDS, X[:5]), (BANDS, B), (BANDS, X[:4])]),
    ("bands of another number", lambda ab, b: sl.solve_banded((1, 1), ab, b),
     [(BANDS[1:], X[:5]), (BANDS, X[:5])]),
    ("lyapunov", lambda a, q: (
        sl.solve_sylvester(a, a.T @ a, q), sl.solve_continuous_lyapunov(a, q),
        sl.solve_discrete_lyapunov(0.1 * a, q)), [(ODD, C)]),
    ("polar", lambda a: (*sl.polar(a), *sl.polar(a, "left")), [(ODD,)]),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def outcome(f: Any, args: tuple[Any, ...]) -> Any:
    try:
        return f(*args)
    except (ValueError, TypeError, np.linalg.LinAlgError, NotImplementedError) as error:
        return type(error)


def same(mine: Any, theirs: Any) -> None:
    assert type(mine) is type(theirs)
    if isinstance(theirs, tuple):
        for one, other in zip(mine, theirs, strict=True):
            same(one, other)
    elif isinstance(theirs, type):
        assert mine is theirs
    else:
        assert np.shape(mine) == np.shape(theirs)
        assert np.asarray(mine).dtype == np.asarray(theirs).dtype
        exact = 1e-4 if np.asarray(theirs).dtype == np.float32 else 1e-9
        np.testing.assert_allclose(mine, theirs, exact, exact * 1e-3)


PART = campaign.part("surface", TEXTS, 8)


@pytest.mark.parametrize(("f", "calls"), [t[1:] for t in PART], ids=[t[0] for t in PART])
def test_values_and_errors_are_those_of_scipy(f: Any, calls: Any) -> None:
    compiled = pb.jit(f)
    for args in calls:
        same(outcome(compiled, args), outcome(f, args))


def weighed(f: Any, *args: Any) -> Any:
    parts = f(*args)
    total = 0.0
    for k, part in enumerate(parts if isinstance(parts, tuple) else (parts,)):
        weights = np.cos(np.arange(np.size(part)) + k)
        total = total + (part if np.ndim(part) == 0 else np.sum(np.ravel(part) * weights))
    return total


@pytest.mark.parametrize(("f", "calls"), [t[1:] for t in PART], ids=[t[0] for t in PART])
def test_derivatives_are_differences(f: Any, calls: Any) -> None:
    args, whole = calls[0], functools.partial(weighed, f)
    tangents = tuple(harness.direction(np.random.default_rng(1), a) for a in args)
    if args[-1] is SOS:
        tangents[-1][:, 3] = 0.0  # these are all ones
    slope = harness.difference(whole, args, tangents)
    for method in ("chad", "dual"):
        gradient = pb.grad(whole, argnums=tuple(range(len(args))), method=method)(*args)
        assert np.isclose(harness.inner(gradient, tangents), slope, 1e-5, 1e-7)
    assert np.isclose(pb.jvp(whole, args, tangents)[1], slope, 1e-5, 1e-7)


REFUSED = {
    "a distance by a weight": (lambda u, v: sd.euclidean(u, v, [1.0, 2.0, 1.0]), (U, V)),
    "another metric": (lambda a, b: sd.cdist(a, b, "jaccard"), (A, B)),
    "p of another metric": (lambda a, b: sd.cdist(a, b, p=3.0), (A, B)),
    "vectors of float32": (lambda u, v: sd.cosine(u, v), (single(U), V)),
    "matrices": (lambda a, b: ss.convolve(a, b), (A, B)),
    "a transform of float32": (lambda x, h: ss.fftconvolve(x, h), (single(X), H)),
    "a filter of float32": (lambda x: ss.lfilter(OF, BY, x), (single(X),)),
    "a covariance in place of a variance": (lambda x, m: st.multivariate_normal.pdf(x, 0.5, m),
                                            (X, M)),
    "points of a dirichlet": (lambda x, a: st.dirichlet.pdf(x, a), (S, ALPHA)),
    "svd of float32": (lambda a: sl.svd(a, compute_uv=False), (single(A),)),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    f, args = REFUSED[name]
    with pytest.raises(pb.PullbackError, match=r"not supported|takes 2 positional"):
        pb.jit(f)(*args)


def test_what_only_the_run_knows_is_refused_by_it() -> None:
    """SciPy leaves out an axis of one number."""
    normal = pb.jit(lambda x: st.multivariate_normal.logpdf(x, M, C))
    assert np.shape(normal(A)) == (4,)
    with pytest.raises(NotImplementedError):
        normal(A[:1])
