"""Bundle adjustment: cameras and points in space, found together from what the cameras saw.

The residual is that of ADBench: Rodrigues' rotation, perspective, radial distortion.
"""

import math

import numpy as np
import scipy.optimize

import pullback as pb


def rotated(axis, x):
    """x turned about an axis by the axis' length."""
    square = axis[0] ** 2 + axis[1] ** 2 + axis[2] ** 2
    if square == 0.0:
        return x + np.cross(axis, x)
    angle = math.sqrt(square)
    unit = axis / angle
    along = np.sum(unit * x) * (1.0 - math.cos(angle))
    return x * math.cos(angle) + np.cross(unit, x) * math.sin(angle) + unit * along


def projected(camera, point):
    """``camera``: axis (3), centre (3), focal length, principal point (2), distortion (2)."""
    seen = rotated(camera[:3], point - camera[3:6])
    flat = seen[:2] / seen[2]
    square = np.sum(flat * flat)
    stretch = 1.0 + camera[9] * square + camera[10] * square * square
    return camera[6] * stretch * flat + camera[7:9]


def squared_error(cameras, points, observations, seen):
    """``observations``: pairs (camera, point); ``seen``: where."""
    total = 0.0
    for i in range(len(observations)):
        gap = projected(cameras[observations[i, 0]], points[observations[i, 1]]) - seen[i]
        total += np.sum(gap * gap)
    return total / len(observations)


def inputs(n, seed):
    """n points, each seen by 3 cameras."""
    rng = np.random.default_rng(seed)
    cameras = np.concatenate(
        [0.1 * rng.normal(size=(3, 6)), np.tile([1.0, 0.0, 0.0, 0.01, 0.001], (3, 1))], axis=1
    )
    cameras[:, 5] -= 4.0
    points = rng.uniform(-1.0, 1.0, (n, 3))
    observations = np.array([[c, p] for p in range(n) for c in range(3)])
    seen = np.array([projected(cameras[c], points[p]) for c, p in observations])
    return squared_error, (
        cameras + 0.01 * rng.normal(size=cameras.shape),
        points + 0.02 * rng.normal(size=points.shape), observations, seen,
    )  # fmt: skip


def main():
    _, (cameras, points, observations, seen) = inputs(20, 0)
    gradient = pb.value_and_grad(squared_error, argnums=(0, 1))

    def both(flat):
        value, (by_cameras, by_points) = gradient(
            flat[:33].reshape(3, 11), flat[33:].reshape(-1, 3), observations, seen
        )
        return value, np.concatenate([by_cameras.ravel(), by_points.ravel()])

    start = np.concatenate([cameras.ravel(), points.ravel()])
    found = scipy.optimize.minimize(both, start, jac=True, options={"maxiter": 100})
    print(f"mean squared error {both(start)[0]:.2e} -> {found.fun:.2e}")
    assert found.fun < 0.01 * both(start)[0]


if __name__ == "__main__":
    main()
