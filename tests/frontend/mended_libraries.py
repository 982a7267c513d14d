"""What refusals of NumPy's, SciPy's and the standard library's functions advise, followed."""

from __future__ import annotations

import statistics

import numpy as np
import scipy.integrate
import scipy.linalg
import scipy.optimize
import scipy.signal
import scipy.special
import scipy.stats as st
from scipy.spatial.transform import Rotation

from pullback.errors import MutationError, UnsupportedError
from tests.frontend.mended import M, X, mends


def refused_inserted_rows(m):
    return np.insert(m, 1, m * 2.0, axis=0)


@mends(
    refused_inserted_rows, (M,), "np.concatenate((a[:k], rows, a[k:]))", UnsupportedError
)
def mended_inserted_rows(m):
    return np.concatenate((m[:1], m * 2.0, m[1:]))


def refused_weights(a, w):
    return np.average(a, axis=(0, 1), weights=w)


@mends(
    refused_weights, (np.arange(12.0).reshape(2, 3, 2), 1.0 + M),
    "w = np.broadcast_to(w[:, :, None], a.shape)", UnsupportedError,
)  # fmt: skip
def mended_weights(a, w):
    w = np.broadcast_to(w[:, :, None], a.shape)
    return np.average(a, axis=(0, 1), weights=w)


def refused_ints_of_vectorize(x):
    return np.vectorize(lambda v: v + 1.0, otypes=[int])(x)


@mends(refused_ints_of_vectorize, (X,), "write otypes=[float]", UnsupportedError)
def mended_ints_of_vectorize(x):
    return np.vectorize(lambda v: v + 1.0, otypes=[float])(x)


def refused_compress(m):
    return np.compress(m > 2.5, m)


@mends(refused_compress, (M,), "use a[condition]", UnsupportedError, ValueError)
def mended_compress(m):
    return m[m > 2.5]


def refused_fit(x, y):
    return np.polyfit(x, y, 1, rcond=1e-10)


@mends(
    refused_fit, (X, X * X), "np.linalg.lstsq(np.vander(x, d + 1), y, rcond)", UnsupportedError
)
def mended_fit(x, y):
    return np.linalg.lstsq(np.vander(x, 1 + 1), y, 1e-10)[0]


def refused_harmonic(xs, ws):
    return statistics.harmonic_mean(xs, ws)


@mends(
    refused_harmonic, ([1.0, 2.0], [1.0, 3.0]), "sum(ws) / sum(w / x for w, x in zip(ws, xs))",
    UnsupportedError,
)  # fmt: skip
def mended_harmonic(xs, ws):
    return sum(ws) / sum(w / x for w, x in zip(ws, xs))


def refused_mean_of_ints(x, n):
    return x * statistics.mean([k for k in range(n)])


@mends(
    refused_mean_of_ints, (2.0, 4), "make floats of them: [float(x) for x in xs]", UnsupportedError
)
def mended_mean_of_ints(x, n):
    return x * statistics.mean([float(k) for k in range(n)])


def refused_diagonal(x):
    a = np.zeros((2, 2, 2))
    np.fill_diagonal(a, x)
    return a


@mends(refused_diagonal, (2.0,), "loop: a[i, i, i] = v", UnsupportedError)
def mended_diagonal(x):
    a = np.zeros((2, 2, 2))
    for i in range(2):
        a[i, i, i] = x
    return a


def refused_repetition(n, k):
    return scipy.special.comb(n, k, repetition=True)


@mends(refused_repetition, (4, 2), "comb(N + k - 1, k)", UnsupportedError)
def mended_repetition(n, k):
    return scipy.special.comb(n + k - 1, k)


def refused_small_ints(a, x):
    return x * (a[0] * a[1])


@mends(
    refused_small_ints, (np.uint8([3, 4]), 2.0),
    "convert it first: a.astype(float), a.astype(np.int64), int(v), float(v)", UnsupportedError,
)  # fmt: skip
def mended_small_ints(a, x):
    return x * (float(a[0]) * float(a[1]))


def refused_turns(x):
    return Rotation.from_rotvec(x.reshape(1, 1, 3)).as_rotvec().sum()


@mends(refused_turns, (X,), "x.reshape(-1, 3), and so back", UnsupportedError)
def mended_turns(x):
    return Rotation.from_rotvec(x.reshape(-1, 3)).as_rotvec().sum()


def refused_masked_ints(x):
    m = np.ma.masked_array(np.arange(3), [False, True, False])
    return np.sum((m * x[1]).filled(0.0))


@mends(
    refused_masked_ints, (X,), "np.ma.masked_array(x.astype(float), mask)", UnsupportedError
)
def mended_masked_ints(x):
    m = np.ma.masked_array(np.arange(3).astype(float), [False, True, False])
    return np.sum((m * x[1]).filled(0.0))


def refused_masked_update(x):
    m = np.ma.masked_array(x, x > 2.5)
    m += 1.0
    return np.sum(m.filled(0.0))


@mends(refused_masked_update, (X,), "make each row anew", MutationError)
def mended_masked_update(x):
    m = np.ma.masked_array(x, x > 2.5)
    m = m + 1.0
    return np.sum(m.filled(0.0))


def refused_masked_truth(x):
    m = np.ma.masked_array(x[:1], [False])
    return x[1] if m else x[0]


@mends(refused_masked_truth, (X,), "any() or all()", UnsupportedError)
def mended_masked_truth(x):
    m = np.ma.masked_array(x[:1], [False])
    return x[1] if m.any() else x[0]


def refused_polynomial_of_another(x):
    p, q = scipy.special.legendre(2), np.poly1d([x, 1.0])
    return p(q)(0.5)


@mends(refused_polynomial_of_another, (1.3,), "np.poly1d(p.coeffs)(q)", UnsupportedError)
def mended_polynomial_of_another(x):
    p, q = scipy.special.legendre(2), np.poly1d([x, 1.0])
    return np.poly1d(p.coeffs)(q)(0.5)


def refused_single_precision(m):
    return np.sum(scipy.linalg.sqrtm((m @ m.T + np.eye(len(m))).astype(np.float32)))


@mends(refused_single_precision, (M,), "a.astype(float), and the result back", UnsupportedError)
def mended_single_precision(m):
    a = (m @ m.T + np.eye(len(m))).astype(np.float32)
    return np.sum(scipy.linalg.sqrtm(a.astype(float)).astype(np.float32))


TIMES = np.linspace(0.0, 2.0, 5)


def refused_impulse(x):
    system = scipy.signal.lti([x[0]], [1.0, x[1], x[2]])
    return np.sum(scipy.signal.impulse(system, X0=[[0.1], [0.2]], T=TIMES)[1])


@mends(refused_impulse, (X,), "lsim(system, 0.0, T, X0)", UnsupportedError)
def mended_impulse(x):
    system = scipy.signal.lti([x[0]], [1.0, x[1], x[2]])
    at_rest = scipy.signal.impulse(system, T=TIMES)[1]
    return np.sum(at_rest + scipy.signal.lsim(system, 0.0, TIMES, [0.1, 0.2])[1])


def refused_skewness(x):
    return st.foldnorm.stats(x[0], moments="s")


@mends(refused_skewness, (X,), "d.expect(lambda x: x**3)", UnsupportedError, differs=True)
def mended_skewness(x):
    return st.rayleigh.expect(lambda t: t**3, scale=x[0])


def refused_fifth_moment(x):
    return st.norm.moment(5, loc=x[0])


@mends(refused_fifth_moment, (X,), "d.expect(lambda x: x**5)", UnsupportedError, differs=True)
def mended_fifth_moment(x):
    return st.norm.expect(lambda t: t**5, loc=x[0])


def refused_expectation(x):
    return st.norminvgauss.expect(lambda t: t * t, args=(2.0, x[0] - 0.5))


@mends(
    refused_expectation, (X,),
    "scipy.integrate.quad(lambda x: f(x) * d.pdf(x), low, high)[0]", UnsupportedError, differs=True,
)  # fmt: skip
def mended_expectation(x):
    d = st.norminvgauss(2.0, x[0] - 0.5)
    return scipy.integrate.quad(lambda t: t * t * d.pdf(t), -np.inf, np.inf)[0]


DATA = np.array([0.4, 1.1, 0.7, 2.2, 1.6, 0.9])


def refused_best_parameters(x):
    return st.weibull_min.fit(DATA * x[0], floc=0)[0] > 1.5


@mends(
    refused_best_parameters, (X,),
    "scipy.optimize.minimize(lambda p: -np.sum(d.logpdf(data, *p)), p0).x", UnsupportedError,
    differs=True,
)  # fmt: skip
def mended_best_parameters(x):
    data = DATA * x[0]
    return scipy.optimize.minimize(
        lambda p: -np.sum(st.weibull_min.logpdf(data, p[0], 0.0, p[1])), np.array([1.5, 1.2])
    ).x[0] > 1.5


def refused_fit_of_loc(x):
    return st.lognorm.fit(DATA * x[0])[0]


@mends(refused_fit_of_loc, (X,), "floc=0, or another loc that is known", UnsupportedError,
       differs=True)  # fmt: skip
def mended_fit_of_loc(x):
    return st.lognorm.fit(DATA * x[0], floc=0)[0]


def refused_probabilities(x):
    return st.combine_pvalues(x / 4.0, method="tippett").pvalue


@mends(refused_probabilities, (X,), 'method="fisher" or method="stouffer"', UnsupportedError,
       differs=True)  # fmt: skip
def mended_probabilities(x):
    return st.combine_pvalues(x / 4.0, method="stouffer").pvalue
