"""``scipy.spatial.transform``: rotations as plain Python has them, and their derivatives."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.spatial.transform as transform
from scipy.spatial.transform import Rotation, Slerp

import pullback as pb
from tests.frontend import harness

RNG = np.random.default_rng(0)
ONE, MANY = RNG.normal(size=4), RNG.normal(size=(5, 4))
V, VECTORS = RNG.normal(size=3), RNG.normal(size=(5, 3))


def plain(x: Any) -> Any:
    """A result with quaternions for rotations."""
    if isinstance(x, Rotation):
        return "rotation", x.as_quat()
    return [plain(v) for v in x] if isinstance(x, list | tuple) else x


def agrees(f: Any, *args: Any) -> None:
    """The compiled function gives what Python gives, or raises the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of angles that are not unique
        try:
            wanted = plain(f(*args))
        except Exception as error:
            with pytest.raises(type(error)) as caught:
                pb.jit(f)(*args)
            assert str(caught.value) == str(error)
        else:
            harness.same(plain(pb.jit(f)(*args)), wanted)


def all_forms(q: Any) -> Any:
    r = Rotation.from_quat(q)
    return (
        r, r.as_quat(), r.as_quat(canonical=True), r.as_quat(scalar_first=True), r.as_matrix(),
        r.as_rotvec(), r.as_rotvec(degrees=True), r.as_mrp(), r.magnitude(), r.inv(), r**2, r**0.3,
        Rotation.from_matrix(1.1 * r.as_matrix()), r.single, r.shape,
        Rotation.from_quat(q, scalar_first=True), Rotation.from_mrp(r.as_mrp()),
    )  # fmt: skip


def angles(q: Any) -> Any:
    r = Rotation.from_quat(q)
    return (
        r.as_euler("xyz"), r.as_euler("ZYX"), r.as_euler("zxz"), r.as_euler("YZY", degrees=True),
        Rotation.from_euler("XYZ", r.as_euler("XYZ")),
        Rotation.from_euler("zy", r.as_mrp()[..., :2]),
    )  # fmt: skip


@pytest.mark.parametrize("q", [ONE, MANY], ids=["one", "many"])
def test_values(q: Any) -> None:
    agrees(all_forms, q)
    agrees(angles, q)
    agrees(lambda q: len(Rotation.from_quat(q)), q)
    agrees(lambda q: Rotation.from_quat(q)[0], q)
    for v in (V, VECTORS):
        agrees(lambda q, v: (Rotation.from_quat(q).apply(v),
                             Rotation.from_quat(q).apply(v, inverse=True)), q, v)  # fmt: skip
    for p in (ONE, MANY):
        agrees(lambda p, q: Rotation.from_quat(p) * Rotation.from_quat(q), p, q)


@pytest.mark.parametrize("size", [0.0, 1e-5, 1.0, 4.0])
def test_vectors_and_angles(size: float) -> None:
    for v in (size * V, size * VECTORS):
        agrees(lambda v: (Rotation.from_rotvec(v), Rotation.from_rotvec(v, degrees=True)), v)
        agrees(lambda v: Rotation.from_rotvec(v).as_rotvec(), v)
        agrees(lambda v: [Rotation.from_euler(s, v) for s in ("xyz", "ZYX", "zxz")], v)


def test_angles_that_are_not_unique() -> None:
    for middle in (0.5 * math.pi, -0.5 * math.pi):
        a = np.array([0.1, middle, 0.3])
        agrees(lambda a: [Rotation.from_euler(s, a).as_euler(s) for s in ("xyz", "ZYX")], a)
    for middle in (0.0, math.pi):
        a = np.array([0.1, middle, 0.3])
        agrees(lambda a: [Rotation.from_euler(s, a).as_euler(s) for s in ("zxz", "ZXZ")], a)


def test_errors() -> None:
    agrees(lambda a: Rotation.from_euler("z", a), 0.3)
    agrees(lambda a: Rotation.from_euler("z", a), V[:, None])
    agrees(lambda a: Rotation.from_euler("z", a), V)
    agrees(lambda a: Rotation.from_euler("zz", a), V[:2])
    agrees(lambda a: Rotation.from_euler("zZ", a), V[:2])
    agrees(lambda a: Rotation.from_euler("xyza", a), V)
    agrees(lambda a: Rotation.from_euler("z", 0.1).as_euler("xy"), V)
    agrees(lambda v: Rotation.from_rotvec(v), V[:2])
    agrees(lambda q: Rotation.from_quat(q), np.zeros(4))
    agrees(lambda m: Rotation.from_matrix(m), -np.eye(3))
    agrees(lambda m: Rotation.from_matrix(m), np.eye(2))
    agrees(lambda v: Rotation.from_euler("z", 0.1).apply(v), V[:2])
    agrees(lambda q: Rotation.from_quat(q) * Rotation.from_quat(q[:3]), MANY)
    agrees(lambda q: Rotation.from_quat(q).apply(VECTORS[:2]), MANY)


def test_where_rotations_are() -> None:
    one, many = Rotation.from_quat(ONE), Rotation.from_quat(MANY)
    agrees(lambda v: (one.apply(v), (one * one.inv()).magnitude(), many.apply(v)), V)
    agrees(lambda r, v: (r * r).apply(v), many, VECTORS)
    held = {"r": one, "several": [one, one]}
    agrees(lambda d, v: d["r"].apply(v) + d["several"][1].apply(v), held, V)
    agrees(lambda r: (r * r, [r, r.inv()]), many)
    agrees(lambda v: transform.Rotation.from_rotvec(v).as_matrix(), V)
    agrees(lambda v: (isinstance(one, Rotation), isinstance(v, Rotation)), V)
    agrees(lambda n: (Rotation.identity(), Rotation.identity(n)), 3)
    agrees(lambda q: Rotation.concatenate([one, Rotation.from_quat(q)]), MANY)

    def joints(v: Any) -> Any:
        total = Rotation.identity()
        for k in range(3):
            total = total * Rotation.from_euler("xyz", v * (k + 1))
        return total.apply(V)

    agrees(joints, V)
    pb.check_grads(joints, (V,))


def test_between_rotations() -> None:
    times = np.arange(5.0)

    def between(times: Any, q: Any, t: Any) -> Any:
        return Slerp(times, Rotation.from_quat(q))(t).as_rotvec()

    agrees(between, times, MANY, np.linspace(0.0, 4.0, 9))
    for wrong in ((times, 1.3), (times, 0.0), (times, 7.0), (times[:3], 1.0), (-times, 1.0)):
        agrees(between, wrong[0], MANY, wrong[1])
    q, h = MANY[:2], 1e-6
    slope = pb.grad(lambda t: np.sum(between(times[:2], q, t)))(0.3)
    moved = [np.sum(between(times[:2], q, 0.3 + s)) for s in (h, -h)]
    assert np.isclose(slope, (moved[0] - moved[1]) / (2.0 * h), rtol=1e-6)


@pytest.mark.parametrize(
    "f, x",
    [
        (lambda q: all_forms(q)[4:9], ONE), (lambda q: angles(q)[:2], ONE),
        (lambda v: Rotation.from_rotvec(v).as_matrix(), 0.0 * V),
        (lambda v: Rotation.from_rotvec(v).as_rotvec(), 1e-4 * V),
        (lambda a: Rotation.from_euler("xyz", a).apply(VECTORS), V),
        (lambda m: Rotation.from_matrix(m).as_quat(), Rotation.from_quat(MANY).as_matrix()),
    ],
    ids=["forms", "angles", "at none", "near none", "euler", "matrices"],
)  # fmt: skip
def test_derivatives(f: Any, x: Any) -> None:
    def number(x: Any) -> Any:
        parts = f(x) if isinstance(f(x), tuple) else (f(x),)
        return sum([np.sum(np.sin(p.as_quat() if isinstance(p, Rotation) else p)) for p in parts])

    pb.check_grads(number, (x,))


def test_a_gradient_by_a_rotation_holds_that_by_its_quaternion() -> None:
    def f(r: Any) -> Any:
        return np.sum(r.apply(V))

    one = Rotation.from_quat(ONE)
    found = pb.grad(f)(one)
    q = one.as_quat()
    wanted = pb.grad(lambda q: np.sum(Rotation(q, normalize=False).apply(V)))(q)
    assert np.allclose(found.as_quat(), wanted)
