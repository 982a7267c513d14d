"""Time ADBench's bundle adjustment: its sparse Jacobian, with the indices, and the same by a loop
of pullbacks over the observations, as a user would write it."""

import math
from typing import Any

import numpy as np

import pullback as pb
from benchmarks.common import interleaved, seconds

CAMERA = [-0.758453, -1.109613, -0.845551, 34.556073, 39.676747, 53.881673, 419.194514, 5.864426,
          -8.51887, 0.087812, 0.002739]  # fmt: skip
POINT, WEIGHT, FEATURE = [7.203245, 0.001144, 3.023326], 0.417022, [271.760969, 834.209256]
SIZES = {"ba1": (49, 7776, 31843), "ba3": (161, 48126, 182072)}
"""Cameras, points and observations. As in ADBench's files all of a kind are equal."""


def reprojection(camera, point, weight, feature):
    r0, r1, r2 = camera[0], camera[1], camera[2]
    x0, x1, x2 = point[0] - camera[3], point[1] - camera[4], point[2] - camera[5]
    square = r0 * r0 + r1 * r1 + r2 * r2
    if square == 0.0:
        y0 = x0 + r1 * x2 - r2 * x1
        y1 = x1 + r2 * x0 - r0 * x2
        y2 = x2 + r0 * x1 - r1 * x0
    else:
        angle = math.sqrt(square)
        c, s = math.cos(angle), math.sin(angle)
        w0, w1, w2 = r0 / angle, r1 / angle, r2 / angle
        along = (w0 * x0 + w1 * x1 + w2 * x2) * (1.0 - c)
        y0 = x0 * c + (w1 * x2 - w2 * x1) * s + w0 * along
        y1 = x1 * c + (w2 * x0 - w0 * x2) * s + w1 * along
        y2 = x2 * c + (w0 * x1 - w1 * x0) * s + w2 * along
    u, v = y0 / y2, y1 / y2
    rho = u * u + v * v
    radial = (1.0 + camera[9] * rho + camera[10] * rho * rho) * camera[6]
    return weight * (u * radial + camera[7] - feature[0]), weight * (
        v * radial + camera[8] - feature[1]
    )


def residuals(cameras, points, weights, places, features):
    errors = np.array(
        [
            reprojection(cameras[places[i, 0]], points[places[i, 1]], weights[i], features[i])
            for i in range(len(weights))
        ]
    )
    return errors, 1.0 - weights * weights


def rows_by_pullbacks(cameras, points, weights, places, features):
    """The derivatives of each reprojection by its camera, its point and its weight."""
    values = np.zeros((2 * len(weights), 15))
    for i in range(len(weights)):
        feature = features[i]
        _, pullback = pb.vjp(
            lambda c, p, w, feature=feature: reprojection(c, p, w, feature),
            cameras[places[i, 0]], points[places[i, 1]], weights[i],
        )  # fmt: skip
        for k in range(2):
            by_camera, by_point, by_weight = pullback((1.0 - k, 1.0 * k))
            for j in range(11):
                values[2 * i + k, j] = by_camera[j]
            for j in range(3):
                values[2 * i + k, 11 + j] = by_point[j]
            values[2 * i + k, 14] = by_weight
    return values


def matrix_by_pullbacks(compiled, cameras, points, weights, places, features):
    """The matrix of ``rows_by_pullbacks``, with ADBench's pattern."""
    from scipy.sparse import csr_array

    n, m, p = len(cameras), len(points), len(weights)
    columns = np.empty((p, 15), np.int64)
    columns[:, :11] = 11 * places[:, :1] + np.arange(11)
    columns[:, 11:14] = 11 * n + 3 * places[:, 1:] + np.arange(3)
    columns[:, 14] = 11 * n + 3 * m + np.arange(p)
    data = np.concatenate(
        [compiled(cameras, points, weights, places, features).ravel(), -2.0 * weights]
    )
    both = np.concatenate([np.repeat(columns, 2, axis=0).ravel(), columns[:, 14]])
    ends = np.concatenate([np.arange(0, 30 * p + 1, 15), 30 * p + 1 + np.arange(p)])
    return csr_array((data, both, ends), (3 * p, 11 * n + 3 * m + p))


def arguments(name: str) -> tuple[Any, ...]:
    n, m, p = SIZES[name]
    places = np.stack([np.arange(p) % n, np.arange(p) % m], axis=1)
    given = (np.tile(CAMERA, (n, 1)), np.tile(POINT, (m, 1)), np.full(p, WEIGHT))
    return (*given, places, np.tile(FEATURE, (p, 1)))


def main(jax: Any) -> None:
    print(f"{'program':<8} {'first call':>10} {'f':>9} {'sparse J':>9} {'pullbacks':>9} directions")
    for name in SIZES:
        table(name)


def table(name: str) -> None:
    """Print the row of one size."""
    args = arguments(name)
    f, jacobian = pb.jit(residuals), pb.sparse_jacobian(residuals, argnums=(0, 1, 2))
    compiled = pb.jit(rows_by_pullbacks)
    first = seconds(lambda: jacobian(*args))
    found, hand = jacobian(*args), matrix_by_pullbacks(compiled, *args)
    assert abs(found - hand).max() <= 1e-6 * abs(hand).max(), "the two disagree"
    calls = [
        lambda: f(*args), lambda: jacobian(*args), lambda: matrix_by_pullbacks(compiled, *args)
    ]  # fmt: skip
    times = " ".join(f"{1e3 * t.least:9.3f}" for t in interleaved(calls))
    print(f"{name:<8} {1e3 * first:10.0f} {times} {jacobian.directions}", flush=True)
