"""Splines that smooth, clusters, images, integrals with a weight and frozen densities of SciPy: its
values, and derivatives by central differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import integrate, interpolate, linalg, ndimage, stats
from scipy.cluster import hierarchy, vq
from scipy.spatial.distance import pdist

import pullback as pb
from tests.campaign import part

X = np.array([0.5, 1.2])
T = np.linspace(0.0, 1.0, 12)
Y = np.sin(5.0 * T) + 0.1 * np.cos(37.0 * T)
WAVE = 0.7 * np.cos(37.0 * np.arange(12.0) ** 2)
P = np.array([[0.1, 0.2], [0.3, 0.15], [2.0, 2.1], [2.2, 1.9], [5.0, 0.3], [4.8, 0.45]])
A = np.cos(np.arange(16.0) ** 1.3).reshape(4, 4)
G = np.sin(np.arange(30.0).reshape(5, 6) ** 1.3)
LABELS = np.arange(30).reshape(5, 6) // 10
CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]])
C = np.array([[2.0, 0.3], [0.3, 1.0]])
C3 = np.diag([1.0, 2.0, 0.5, 3.0]) + 0.2
NORMAL, STUDENT = stats.multivariate_normal(X, C), stats.multivariate_t(X, C, 4)
SHARES = stats.dirichlet([1.0, 2.0, 3.0])
SMOOTH = interpolate.UnivariateSpline(T, Y, s=0.05)


def boundary(a):
    mesh = np.linspace(0.0, 1.0, 9)
    found = integrate.solve_bvp(
        lambda t, y: np.vstack((y[1], -a[0] * np.exp(y[0]))),
        lambda y, z: np.array([y[0], z[0] - a[1]]), mesh, np.zeros((2, 9)), tol=1e-6,
    )
    return found.sol(np.array([0.3, 0.7]))[0] + found.y[1, 2]


def eigenvalue(a):
    mesh = np.linspace(0.0, 1.0, 9)
    found = integrate.solve_bvp(
        lambda t, y, p: np.vstack((y[1], -((p[0] * a[0]) ** 2) * y[0])),
        lambda y, z, p: np.array([y[0], z[0], y[1] - p[0] * a[1]]), mesh,
        np.vstack((np.sin(3 * mesh), 3 * np.cos(3 * mesh))), p=[3.0],
    )
    return found.p[0] + found.sol(0.2)[0]


def waves(a):
    first = integrate.quad(lambda t: np.exp(-a[0] * t), 0, 1, weight="cos", wvar=a[1])[0]
    second = integrate.quad(lambda t: np.exp(-a[0] * t), 0, np.inf, weight="sin", wvar=2.0)[0]
    return first + second


def ends(a):
    first = integrate.quad(lambda t: np.exp(-a[0] * t), 0, 1, weight="alg-log", wvar=(-0.5, 0.2))
    other = integrate.quad(lambda t: np.exp(-a[1] * t), 1, 0, weight="cauchy", wvar=0.3)
    return first[0] + other[0]


SEVERAL: list[tuple[str, Any, Any]] = [
    ("schur", lambda a: linalg.schur(a)[0] + linalg.schur(a, sort="lhp")[1], A),
    ("hessenberg", lambda a: linalg.hessenberg(a) + linalg.hessenberg(a, True)[1], A),
    ("rsf2csf", lambda a: np.real(linalg.rsf2csf(*linalg.schur(a))[0]), A[:3, :3]),
    ("frozen", lambda a: NORMAL.logpdf(a) + NORMAL.mean[0] * STUDENT.pdf(a)
     + SHARES.logpdf(np.array([0.2, 0.3, 0.5])), X),
    ("vonmises", lambda a: stats.vonmises.cdf(a + 3.0, a[0]) + stats.vonmises.cdf(a, 80 * a[1])
     + stats.vonmises.ppf(a[0], a[1]) + stats.vonmises(a[1], a[0]).sf(7.0), X),
    ("waves", waves, X), ("ends", ends, X), ("boundary", boundary, X),
    ("eigenvalue", eigenvalue, X + 0.3),
    ("natural", lambda y: interpolate.make_smoothing_spline(T, y, 1.0 + T, 0.01)(0.3), Y),
    ("smooth outside", lambda a: SMOOTH(a) + SMOOTH.derivative()(a) + SMOOTH.get_residual(), X / 2),
    ("codes", lambda a: vq.vq(vq.whiten(a), P[::2])[1]
     + np.sum(vq.kmeans2(a, P[::2], 3, minit="matrix")[0]) + vq.kmeans(a, P[::2])[1], P + 0.05),
    ("trees", lambda a: hierarchy.linkage(a, "ward")[:, 2] + hierarchy.average(pdist(a))[:, 2]
     + hierarchy.cophenet(hierarchy.linkage(a, "median"))[:5], P),
    ("grey", lambda a: ndimage.grey_opening(a, size=(2, 3)) + ndimage.white_tophat(a, size=3)
     + ndimage.grey_closing(a, footprint=CROSS) + ndimage.morphological_gradient(a, size=3), G),
    ("windows", lambda a: ndimage.generic_filter(a, lambda w: np.std(w), size=3)
     + ndimage.median_filter(a, footprint=CROSS) + ndimage.gaussian_filter(a, 1.0, axes=(0,))
     + ndimage.generic_gradient_magnitude(a, ndimage.sobel), G),
    ("qz", lambda a: linalg.qz(a, np.eye(4) + 0.1 * a.T)[0] + linalg.qz(a, C3)[2], A),
    ("curve", lambda y: interpolate.splev(T[3:5], interpolate.splprep([T, y], s=0)[0])[1]
     + interpolate.splprep([T, y], u=T, k=2, s=0.02)[0][1][0][:2], Y),
    ("probability", lambda a: stats.multivariate_normal.cdf(P[:2], a, C)
     + stats.multivariate_normal(a, C + np.outer(a, a)).entropy()
     + stats.multivariate_normal.logcdf(a, cov=C - 0.3 * a[0])
     + stats.multivariate_normal.cdf(a, cov=C, lower_limit=[-1.0, 0.4]), X),
    ("several integrals", lambda a: integrate.nquad(
        lambda x, y: np.exp(-a[0] * x * y) + a[1] * x, [lambda y: [0, y], [0, 2]],
        opts=[{"points": [0.3]}, {"limit": 60}])[0], X),
    ("transforms", lambda a: np.fft.irfft(ndimage.fourier_shift(np.fft.rfft(a), a[2], n=12), n=12)
     + ndimage.fourier_gaussian(a, a[0] + 2.0) + ndimage.fourier_uniform(a, 3), Y),
    ("other filters", lambda a: ndimage.fourier_ellipsoid(a, (2, 3))
     + ndimage.geometric_transform(a, lambda at: (at[0] - a[0, 1], 0.7 * at[1])), G),
    ("drawn", lambda a: stats.norm.rvs(a, 1.0, random_state=np.random.default_rng(0))
     + stats.gamma.rvs(np.array([2.0, 3.0]), scale=a, random_state=3)
     + stats.gumbel_r(a[0], a[1]).rvs(2, random_state=np.random.RandomState(4))
     + stats.t.rvs(4, a, size=(2,), random_state=5), X),
    ("measured", lambda a: ndimage.mean(a, LABELS, [0, 1, 2])
     + ndimage.maximum(a, LABELS, [2, 1, 0]) + ndimage.sum(a, LABELS) + ndimage.median(a, LABELS, 1)
     + ndimage.labeled_comprehension(a, LABELS, [0, 1, 7], np.ptp, float, -1), G),
]  # fmt: skip


def weighed(f: Any) -> Any:
    def loss(x):
        found = np.ravel(np.asarray(f(x)))
        return np.sum(np.sin(0.3 * found) * np.cos(np.arange(found.size)))

    return loss


@pytest.mark.parametrize("k", part("agreement", list(range(len(SEVERAL))), 8))
def test_values_and_derivatives(k: int) -> None:
    _, f, x = SEVERAL[k]
    np.testing.assert_allclose(pb.jit(f)(x), f(x), 1e-9, 1e-11)
    loss, along, h = weighed(f), np.cos(np.arange(1.0 * x.size)).reshape(x.shape), 1e-5
    slope = (loss(x + h * along) - loss(x - h * along)) / (2 * h)
    found = pb.grad(loss, method=("chad", "dual")[k % 2])(x)
    assert np.sum(found * along) == pytest.approx(slope, 1e-4, 1e-5)


def of_masks(g):
    binary = ndimage.binary_closing(g > 0, np.ones((3, 3))), ndimage.binary_erosion(g > -1)
    more = ndimage.binary_dilation(g > 1, iterations=2), ndimage.binary_fill_holes(g > 0)
    far = ndimage.distance_transform_edt(g > 0, [1.0, 2.0], return_indices=True)
    last = ndimage.distance_transform_cdt(g > 0), ndimage.generate_binary_structure(3, 2)
    return binary, more, far, last, ndimage.label(g > 0, np.ones((3, 3)))


def of_ints(g):
    z = (10 * g).astype(int)
    first = ndimage.median_filter(z, 3), ndimage.grey_opening(z, size=2), ndimage.sum(z, z > 2)
    return first, ndimage.extrema(z), ndimage.histogram(g, -1, 1, 4), ndimage.mean(z, z, [1, 99])


def of_trees(p):
    z = hierarchy.linkage(p)
    labels = hierarchy.fcluster(z, 1.0, "distance"), hierarchy.fclusterdata(p, 1.0)
    more = hierarchy.leaves_list(hierarchy.ward(p)), hierarchy.cut_tree(z, 2)
    return z, labels, more, hierarchy.cophenet(z, pdist(p)), vq.kmeans2(p, p[::2], minit="matrix")


def of_dendrograms(p):
    z = hierarchy.linkage(p, "ward")
    made = hierarchy.dendrogram(z, no_plot=True, color_threshold=1.0)
    shown = hierarchy.dendrogram(z, no_plot=True, count_sort="ascending", labels=list("abcdef"))
    assert made["ivl"] == [str(k) for k in made["leaves"]]
    assert made["color_list"][-1] == "C0" and len(made["leaves_color_list"]) == 6
    return np.array(made["icoord"]), np.array(made["dcoord"]), tuple(shown["leaves"]), "".join(
        [*shown["ivl"], *made["color_list"], *shown["leaves_color_list"]])  # fmt: skip


def of_draws(x):
    g = np.random.default_rng(3)
    rates = np.array([2.0, 3.0])
    first = stats.poisson.rvs(rates, random_state=g), stats.binom.rvs(9, 0.3, 2, 3, random_state=4)
    more = stats.bernoulli.rvs(0.4, random_state=g), stats.randint.rvs(2, 9, random_state=g)
    last = stats.geom.rvs(0.3, random_state=7), stats.norm(0, 2).rvs(random_state=g)
    return first, more, last, stats.hypergeom.rvs(20, 7, 5, size=3, random_state=1), x


def of_splines(y):
    s, w = interpolate.UnivariateSpline(T, y, np.full(12, 5.0), k=2, s=3), np.full(12, 20.0)
    return (interpolate.splrep(T, y, s=0.02)[:2], interpolate.splrep(T, y, w)[1], s.get_residual(),
            s.get_knots(), interpolate.make_smoothing_spline(T, y)(T))  # fmt: skip


def flat(found: Any) -> list[Any]:
    return [x for p in found for x in flat(p)] if isinstance(found, tuple) else [np.asarray(found)]


@pytest.mark.parametrize(("f", "x"), [(of_masks, G), (of_ints, G), (of_trees, P), (of_splines, Y),
                                     (of_dendrograms, P), (of_draws, X)])
def test_values_are_scipys(f: Any, x: Any) -> None:
    for mine, theirs in zip(flat(pb.jit(f)(x)), flat(f(x)), strict=True):
        if mine.dtype.kind == "U":
            assert mine == theirs
        else:
            np.testing.assert_allclose(mine, theirs, 1e-7, 1e-9)
        assert mine.dtype == theirs.dtype


@pytest.mark.parametrize("f", [
    lambda y: interpolate.UnivariateSpline(T, y, s=0.05)(0.3),
    lambda y: interpolate.make_smoothing_spline(np.arange(12.0), 3 * y + WAVE)(3.3),
    lambda y: stats.boxcox_normmax(y + 2.0, method="pearsonr"),
])  # fmt: skip
def test_what_is_found_roughly_moves_with_the_numbers(f: Any) -> None:
    along, h = np.cos(np.arange(12.0)), 1e-3
    slope = (f(Y + h * along) - f(Y - h * along)) / (2 * h)
    assert pb.grad(f)(Y) @ along == pytest.approx(slope, 2e-2, 1e-3)


def test_nan_and_phases_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="of NaN"):
        pb.jit(lambda g: ndimage.median_filter(g, 3))(np.where(G > 0.9, np.nan, G))
    with pytest.raises(pb.PullbackError, match="other labels than ints"):
        pb.jit(lambda g: ndimage.find_objects(g > 0))(G)
    with pytest.raises(NotImplementedError, match="random points"):
        pb.jit(lambda x: stats.multivariate_normal.cdf(x, np.zeros(3), np.eye(3)))(Y[:3])


def through_points(x, v, places):
    return np.sum(np.sin(interpolate.BarycentricInterpolator(x, v)(places)))


def test_a_polynomial_at_its_points() -> None:
    """There the quotient is 0 / 0, for which SciPy takes the value: derivatives are those of the
    polynomial, also of second order."""
    x, places = np.array([0.3, 1.5, 2.2, 4.7]), np.array([1.5, 1.0, 4.7])
    v = np.array([0.5, -1.2, 2.1, 0.3])
    pb.check_grads(through_points, (x, v, places), order=2)
    one, other = (
        pb.grad(through_points, (0, 1, 2), method=m)(x, v, places) for m in ("chad", "dual")
    )
    for a, b in zip(one, other):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
