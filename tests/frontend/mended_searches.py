"""What refusals of SciPy's solvers advise, followed."""

from __future__ import annotations

import numpy as np
from scipy import integrate as sg
from scipy import interpolate, signal, sparse, stats
from scipy import optimize as so
from scipy.cluster import vq
from scipy.sparse import csgraph

from pullback.errors import UnsupportedError
from tests.frontend.mended import mends


def far(x, p):
    return (x[0] - 2.0) ** 2 + p * (x[1] - 1.0) ** 2


def refused_chance(p):
    return so.dual_annealing(far, [(0.0, 1.5), (0.0, 0.5)], (p,), 5).x


@mends(refused_chance, (1.3,), "rng=0", UnsupportedError, differs=True)
def mended_chance(p):
    return so.dual_annealing(far, [(0.0, 1.5), (0.0, 0.5)], (p,), 5, rng=0).x


EVENTS = tuple((lambda k: lambda t, y: y[0] - 0.5)(k) for k in range(1))


def near(t, y):
    return y[0] - 0.5


def refused_events(p):
    made = sg.solve_ivp(lambda t, y: -p * y, (0, 9), [1.0], rtol=1e-9, atol=1e-12, events=EVENTS)
    return np.array([made.t[-1]])


@mends(
    refused_events, (1.3,), "name the function in the call: events=[f, g]", UnsupportedError
)
def mended_events(p):
    made = sg.solve_ivp(lambda t, y: -p * y, (0, 9), [1.0], rtol=1e-9, atol=1e-12, events=[near])
    return np.array([made.t[-1]])


def refused_draw(p):
    return stats.norm.rvs(p, 2.0, size=3)


@mends(refused_draw, (1.3,), "random_state=0", UnsupportedError, differs=True)
def mended_draw(p):
    return stats.norm.rvs(p, 2.0, size=3, random_state=0)


PLACES = np.array([[0.1, 0.2], [0.9, 0.1], [0.5, 0.8], [0.2, 0.7], [0.6, 0.4]])
BETWEEN = np.array([[0.5, 0.5]])


def refused_surface(v):
    return interpolate.griddata(PLACES, v, BETWEEN, "cubic")


@mends(
    refused_surface, (np.array([0.3, 1.2, 0.5, 0.9, 0.4]),),
    "RBFInterpolator(points, values)(xi)", UnsupportedError, differs=True,
)  # fmt: skip
def mended_surface(v):
    return interpolate.RBFInterpolator(PLACES, v)(BETWEEN)


SYSTEM = signal.dlti([0.5, 0.5], [1.0])


def refused_system(x):
    return signal.decimate(x, 2, ftype=SYSTEM)


@mends(refused_system, (np.sin(np.arange(40.0)),), 'ftype="iir" or "fir"', UnsupportedError,
       differs=True)  # fmt: skip
def mended_system(x):
    return signal.decimate(x, 2, ftype="fir")


def refused_diagonals_of_a_graph(w):
    return csgraph.laplacian(sparse.diags([[w, w], [w, w]], [-1, 1], format="dia")).toarray()


@mends(refused_diagonals_of_a_graph, (1.3,), "laplacian(S.tocsr())", UnsupportedError)
def mended_diagonals_of_a_graph(w):
    graph = sparse.diags([[w, w], [w, w]], [-1, 1], format="dia").tocsr()
    return csgraph.laplacian(graph).toarray()


def refused_codes(x):
    return vq.kmeans2(x, 2, rng=0)[0]


@mends(refused_codes, (PLACES,), "pass them, with minit='matrix'", UnsupportedError, differs=True)
def mended_codes(x):
    return vq.kmeans2(x, x[:2], minit="matrix")[0]


class Waiting:
    def __init__(self):
        self.z = np.array([[None] * 2])


def refused_waiting(x):
    return x * Waiting().z.shape[1]


@mends(refused_waiting, (1.3,), "write np.zeros(...) for what comes later", UnsupportedError)
def mended_waiting(x):
    return x * np.zeros((1, 2)).shape[1]
