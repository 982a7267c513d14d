"""Arrays of None stand in attributes until there are numbers; nobody looks into them."""

import copy

import numpy as np
import pytest

import pullback as pb
from tests.campaign import rotated
from tests.frontend.harness import agrees


class Filter:
    """A Kalman filter of one number, as libraries write it."""

    def __init__(self, n, q):
        self.n, self.x, self.p, self.q = n, np.zeros(n), np.eye(n), q
        self.z = np.array([[None] * self.n]).T
        self.y = None

    def update(self, z):
        if z is None:
            self.z = np.array([[None] * self.n]).T
            return
        self.p = self.p + self.q * np.eye(self.n)
        gain = self.p @ np.linalg.inv(self.p + np.eye(self.n))
        self.y = z - self.x
        self.x = self.x + gain @ self.y
        self.z = copy.deepcopy(z)


def filtered(q):
    f = Filter(2, q)
    for k in range(6):
        f.update(np.array([1.1 * k, 2.0]) if k % 3 else None)
    return f.x[0] * f.p[1, 1]


def used(q):
    f = Filter(1, q)
    f.update(np.array([3.0]))
    return f.x[0] * q + f.y[0]


def asked(q):
    f, g = Filter(2, q), np.array([None, None])
    told = (f.z is None) + 2 * isinstance(f.z, np.ndarray) + 4 * f.z.ndim + 8 * (g.T is None)
    held = [f.z, q]
    other = copy.deepcopy(f)
    other.update(np.array([1.0, q]))
    return told * held[1] + other.x[1]


@pytest.mark.parametrize("f", [filtered, used, asked], ids=lambda f: f.__name__)
def test_as_in_python(f):
    agrees(f, 0.3)


LOOKED_AT = (
    lambda z: z.shape[0], lambda z: z + 1.0, lambda z: 1 if z else 2, lambda z: str(z),
    lambda z: len(z), lambda z: z[0], lambda z: [v for v in z], lambda z: z == 1.0,
    lambda z: z is z.T, lambda z: np.dot(z, 1.0), lambda z: z, lambda z: hasattr(z, "shape"),
    lambda z: {"z": z}, lambda z: z in (1, 2), lambda z: sorted([z]), lambda z: z.copy(),
)  # fmt: skip


@pytest.mark.parametrize("k", range(len(LOOKED_AT)))
def test_nobody_looks_into_them(k):
    look = LOOKED_AT[k]

    def f(x):
        z = np.array([[None] * 2])
        return look(z)

    with pytest.raises(pb.PullbackError, match="array of None"):
        pb.jit(f)(2.0)


def test_those_of_callers_are_what_python_leaves():
    def emptied(f, x):
        f.update(None)
        return x * f.n

    f = Filter(2, 0.3)
    f.update(np.array([1.0, 2.0]))
    assert pb.jit(emptied)(f, 2.0) == 4.0 and f.z.tolist() == [[None], [None]]


def test_gradients():
    for method in rotated("values", "placeholders", ("chad", "dual")):
        slope = pb.grad(filtered, method=method)(0.3)
        difference = (filtered(0.3 + 1e-6) - filtered(0.3 - 1e-6)) / 2e-6
        assert slope == pytest.approx(difference, rel=1e-6)
