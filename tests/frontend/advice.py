"""A program for each advice of ``frontend.python.rewrites``: the refused spelling, and the advice.

An advice to do a thing outside has no program: the result is an argument like any other."""

import itertools
import math
import statistics
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
import scipy.interpolate
import scipy.sparse
from scipy import fftpack, integrate, linalg, ndimage, optimize, signal, stats
from scipy.sparse.linalg import onenormest, splu

import pullback as pb
from pullback.frontend.python import rewrites

A = np.array([[2.0, 0.5, 0.1], [0.3, 1.5, 0.2], [0.4, 0.1, 3.0]])
B = np.array([[1.0, -0.5], [0.25, 2.0]])
S = A + A.T
X = np.array([0.5, -1.25, 2.0, 0.5, 1.5])
P = np.array([0.2, 0.7, 1.5, 2.0])
N = np.array([1.0, np.nan, 3.0, 2.0])
K = np.array([0, 2, 1, 2])
XS = [3.0, 1.0, 2.0, 1.0]
OUTSIDE = {
    rewrites.OUTSIDE, rewrites.INSIDE, rewrites.FILES, rewrites.SHOW, rewrites.DRAW,
    rewrites.COLUMNS, rewrites.FORMULA,
    "give Pullback the function itself: fast.py_func", "use floats",
}  # fmt: skip


class Pair(NamedTuple):
    x: float
    n: int


@dataclass(frozen=True)
class Circle:
    r: float


@dataclass(frozen=True)
class Square:
    side: float


def at(a, k, v):
    a = a.copy()
    for i in range(len(k)):
        a[k[i]] += v[i]
    return a


def at_numpy(a, k, v):
    a = a.copy()
    np.add.at(a, k, v)
    return a


def root(x):
    def f(y):
        return y**3 + y - x

    y = 1.0
    while abs(f(y)) > 1e-12:
        y -= f(y) / pb.grad(f)(y)
    return y


def midpoint(y):
    h = 1.0 / 2000
    for _ in range(2000):
        k = -y + 0.5 * h * y
        y = y + h * k
    return y


def sparse(values, x):
    y = np.zeros(3)
    np.add.at(y, np.array([0, 1, 2]), values * x[np.array([2, 0, 1])])
    return y


SYSTEM = scipy.sparse.csc_matrix(np.diag([1.0, 2.0, 4.0]))
FACTORS = splu(SYSTEM)


def sparse_scipy(values, x):
    return scipy.sparse.bsr_array((values, ([0, 1, 2], [2, 0, 1])), shape=(3, 3)) @ x


def legendre(x):
    p, q = x, 1.0
    for k in range(1, 4):
        p, q = ((2 * k + 1) * x * p - k * q) / (k + 1), p
    return p


def area(shape):
    match shape:
        case Circle(r):
            return math.pi * r * r
        case Square(side):
            return side * side


def neighbours(xs):
    s = sorted(xs)
    return 1 + sum(1 for a, b in itertools.pairwise(s) if a != b)


def kept(x):
    p = np.pad(x, 1)
    return p[:-2] + p[1:-1] + p[2:]


def descend(x):
    f = pb.value_and_grad(lambda y: np.sum((y - 1.0) ** 2))
    return optimize.minimize(f, x, jac=True).x


def factored(a, b):
    low, diagonal, _ = linalg.ldl(a)
    return np.linalg.solve(low @ diagonal @ low.T, b)


# name, the arguments, the refused spelling, the spelling that the advice says
ADVICE = [
    ("scipy.linalg.ldl", (S, S[0]), factored, lambda a, b: np.linalg.solve(a, b)),
    ("numpy.frompyfunc", (X,), lambda x: np.frompyfunc(math.sin, 1, 1)(x),
     lambda x: np.array([math.sin(v) for v in x])),
    ("scipy.fftpack.fft", (X,), lambda x: np.abs(fftpack.fft(x)), lambda x: np.abs(np.fft.fft(x))),
    ("ufunc.at", (X, K, P), at_numpy, at),
    ("frozenset", (XS,), lambda xs: len(frozenset(xs)), neighbours),
    ("str", (3, 4), lambda a, b: str(a) == str(b), lambda a, b: a == b),
    ("getattr", (Pair(2.0, 1),), lambda p: getattr(p, "x"), lambda p: p.x),  # noqa: B009  # meant
    ("copy.deepcopy", (X,), lambda x: x, lambda x: x.copy()),
    ("functools.singledispatch", (Square(2.0),), lambda s: s.side**2, area),
    ("statistics.median", (XS,), statistics.median, lambda xs: np.median(np.array(xs))),
    ("numpy.errstate", (P,), np.sqrt, lambda x: np.sqrt(x)),
    ("contextlib.suppress", (X,), np.sum, lambda x: np.sum(x)),
    ("scipy.optimize.brentq", (3.0,),
     lambda x: optimize.brentq(lambda y: y**3 + y - x, -5.0, 5.0, xtol=1e-14), root),
    ("scipy.integrate.quad", (1.0,), lambda b: integrate.quad(math.sin, 0.0, b)[0],
     lambda b: np.trapezoid(np.sin(np.linspace(0.0, b, 100_000)), np.linspace(0.0, b, 100_000))),
    ("scipy.integrate.ode", (2.0,), lambda y: y * math.exp(-1.0), midpoint),
    ("scipy.stats.moyal.logpdf", (P,), stats.moyal.logpdf,
     lambda x: -0.5 * (x + np.exp(-x)) - 0.5 * math.log(2.0 * math.pi)),
    ("scipy.interpolate.make_splrep", (1.0,),
     lambda x: scipy.interpolate.make_splrep(np.arange(6.0), 3.0 * np.arange(6.0))(x),
     lambda x: np.interp(x, np.arange(6.0), 3.0 * np.arange(6.0))),
    ("scipy.signal.oaconvolve", (X, P), signal.oaconvolve, lambda x, h: np.convolve(x, h)),
    ("scipy.sparse.bsr_array", (P[:3], X[:3]), sparse_scipy, sparse),
    ("SuperLU.solve", (X[:3],), lambda x: FACTORS.solve(x), lambda x: splu(SYSTEM).solve(x)),
    ("scipy.ndimage.vectorized_filter", (X,),
     lambda x: ndimage.vectorized_filter(x, np.sum, size=3, mode="constant"), kept),
    ("scipy.sparse.linalg.onenormest", (S,), lambda s: onenormest(s),
     lambda s: np.linalg.norm(s, 1)),
    ("pb.ravel", (X,), lambda v: v[0] * (v[1] + v[2]), lambda v: v[0] * np.sum(v[1:3])),
    ("torch.tanh", (X,), np.tanh, lambda x: np.tanh(x)),
    ("tqdm.contrib.tzip", (4.0,), lambda x: x * 3.0,
     lambda x: sum(x * i * j for i, j in zip(pb.progress(range(3), disable=True), (3, 1, 1)))),
]  # fmt: skip
