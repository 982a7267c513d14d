"""Interpolation and measurements of images of SciPy: values in all modes and orders, derivatives by
the image and by the places."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import ndimage as nd

import pullback as pb
from pullback.frontend.library.text import scipy_images as texts
from tests import campaign

RNG = np.random.default_rng(4)
IMAGE = RNG.normal(size=(5, 6))
MODES = ("reflect", "mirror", "nearest", "wrap", "grid-wrap", "constant", "grid-constant")
PLACES = RNG.uniform(-6.0, 11.0, size=(2, 40))
PLACES[:, :6] = np.round(PLACES[:, :6])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", [(5, 6), (1, 4), (2, 3), (7,)])
def test_the_texts_give_what_scipy_gives(mode, shape):
    """As plain Python, in all orders."""
    x, places = RNG.normal(size=shape), PLACES[: len(shape)]
    for order in range(6):
        for prefilter in (True, False):
            given = {"order": order, "mode": mode, "cval": 0.7, "prefilter": prefilter}
            wanted = nd.map_coordinates(x, places, **given)
            found = texts.map_coordinates(x, places, **given)
            np.testing.assert_allclose(found, wanted, atol=1e-11)


@pytest.mark.parametrize(("name", "args", "more"), [
    ("shift", ((0.3, -1.2),), {}), ("zoom", (1.7,), {}), ("zoom", ((0.6, 2.0),), {}),
    ("zoom", (1.7,), {"grid_mode": True}), ("affine_transform", (np.array([0.8, 1.1]), 0.3), {}),
    ("affine_transform", (np.array([[0.9, 0.1], [-0.2, 1.1]]), (0.3, -0.4)), {}),
    ("affine_transform", (np.array([[0.9, 0.1, 0.3], [-0.2, 1.1, 0.1]]),), {}),
    ("rotate", (30.0,), {}), ("rotate", (90.0,), {}), ("rotate", (33.0,), {"reshape": False}),
    ("spline_filter", (), {"order": 3}),
])  # fmt: skip
def test_images_are_moved_as_scipy_moves_them(name, args, more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = getattr(nd, name)(IMAGE, *args, mode="grid-wrap", **more)
    np.testing.assert_allclose(
        getattr(texts, name)(IMAGE, *args, mode="grid-wrap", **more), wanted, atol=1e-11
    )


def sampled(x, places):
    a = nd.map_coordinates(x, places, order=3, mode="mirror")
    return a * nd.map_coordinates(x, places, order=1, mode="constant", cval=0.5)


def moved(x, p):
    m = np.array([[1.0, p[0]], [-p[0], 1.0]])
    a = nd.affine_transform(x, m, p, order=2, mode="nearest")
    return np.ravel(a * nd.shift(x, (p[1], 0.3), mode="reflect"))


def turned(x, p):
    return np.ravel(nd.rotate(x, 20.0 * p[0], mode="grid-constant", cval=p[1]))


def wider(x, p):
    return np.append(nd.zoom(x, (1.4, 2.0), mode="wrap"), nd.center_of_mass(x * x + p[0]))


def measured(x, p):
    labels, count = nd.label(x > 0.4)
    far = nd.distance_transform_edt(x < 0.6)
    return np.array([
        nd.sum_labels(x * p[0], labels, 1), nd.mean(x * far, labels), nd.variance(x, labels, 2),
        1.0 * count, np.sum(labels * x),
    ])  # fmt: skip


P = np.array([0.31, -0.23])
CASES = [(sampled, PLACES[:, 6:15] * 0.4), (moved, P), (turned, P), (wider, P), (measured, P)]


@pytest.mark.parametrize(
    ("f", "p"), campaign.part("surface", CASES, len(CASES)),
    ids=lambda v: getattr(v, "__name__", ""),
)  # fmt: skip
def test_values_and_derivatives(f, p):
    weights = np.cos(np.arange(f(IMAGE, p).size) + 1.0)

    def loss(x, p):
        y = f(x, p)
        return np.sum(np.cos(np.arange(y.size) + 1.0) * y)

    value, gradients = pb.value_and_grad(loss, (0, 1))(IMAGE, p)
    assert value == pytest.approx(loss(IMAGE, p), rel=1e-11)
    h, way = 1e-6, np.cos(np.arange(30.0)).reshape(5, 6)
    at = np.sin(np.arange(p.size) + 1.0).reshape(p.shape)
    for k, d in enumerate((way, at)):
        args = [(IMAGE + s * h * d, p) if k == 0 else (IMAGE, p + s * h * d) for s in (1, -1)]
        slope = weights @ (f(*args[0]) - f(*args[1])) / (2.0 * h)
        assert np.sum(gradients[k] * d) == pytest.approx(slope, rel=1e-6, abs=1e-6)
