"""``scipy.spatial.transform.Rotation`` and ``Slerp``, as plain classes that the front end compiles:
rotations are quaternions (x, y, z, w) of length one, along the last axis.

Euler angles of quaternions: E. Bernardes and S. Viollet, "Quaternion to Euler angles conversion: A
direct, general and computationally efficient method" (2022).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array
from pullback.frontend.library.text_helpers import known, unsupported

_EPS = 1e-7


def _units(quat: Array) -> Array:
    """Return quaternions of length one."""
    squares = np.sum(quat * quat, axis=-1, keepdims=True)
    if np.any(squares == 0.0):
        raise ValueError("Found zero norm quaternions in `quat`.")
    return quat / np.sqrt(squares)


def _composed(p: Array, q: Array) -> Array:
    """Return the products of quaternions."""
    a, b, c, d = p[..., 0], p[..., 1], p[..., 2], p[..., 3]
    e, f, g, h = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    parts = (
        d * e + h * a + b * g - c * f, d * f + h * b + c * e - a * g,
        d * g + h * c + a * f - b * e, d * h - a * e - b * f - c * g,
    )  # fmt: skip
    return np.stack(parts, axis=-1)


def _floats(values: Any, size: int, name: str, shape: str) -> Array:
    """Return an array with so many numbers along its last axis."""
    found = np.asarray(values) * 1.0
    if found.ndim == 0 or found.shape[-1] != size:
        raise ValueError(f"Expected `{name}` to have shape {shape}, got {found.shape}")
    if found.ndim > 2:
        unsupported("rotations along several axes", "x.reshape(-1, 3), and so back")
    return found


def _of_vectors(v: Array) -> Array:
    """Return the quaternions of rotation vectors."""
    square = np.sum(v * v, axis=-1, keepdims=True)
    small = square <= 1e-6
    angle = np.sqrt(np.where(small, 1.0, square))
    series = 0.5 - square / 48.0 + square**2 / 3840.0
    scale = np.where(small, series, np.sin(angle / 2.0) / angle)
    cosine = np.where(small, 1.0 - square / 8.0 + square**2 / 384.0, np.cos(angle / 2.0))
    return np.concatenate((v * scale, cosine), axis=-1)


def _vectors_of(quat: Array) -> Array:
    """Return the rotation vectors of quaternions."""
    q = np.where(quat[..., 3:] < 0.0, -quat, quat)
    square = np.sum(q[..., :3] ** 2, axis=-1, keepdims=True)
    small = square <= 2.5e-7
    sine = np.sqrt(np.where(small, 1.0, square))
    series = 2.0 + square / 3.0 + 3.0 * square**2 / 20.0
    return q[..., :3] * np.where(small, series, 2.0 * np.arctan2(sine, q[..., 3:]) / sine)


def _matrices(quat: Array) -> Array:
    """Return the matrices of quaternions."""
    x, y, z, w = quat[..., 0], quat[..., 1], quat[..., 2], quat[..., 3]
    rows = (
        (x * x - y * y - z * z + w * w, 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), -x * x + y * y - z * z + w * w, 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), -x * x - y * y + z * z + w * w),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _nearest(m: Array) -> Array:
    """Return the orthogonal matrices next to these, by Newton's iteration for the polar factor."""
    for _ in range(60):
        step = 0.5 * (np.swapaxes(np.linalg.inv(m), -1, -2) - m)
        m = m + step
        if np.max(np.abs(step)) < 1e-13:
            break
    return m


def _of_matrices(m: Array) -> Array:
    """Return the quaternions of orthogonal matrices, by the largest of their parts."""
    trace = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    diagonal = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    sums = m[..., 1, 0] + m[..., 0, 1], m[..., 2, 0] + m[..., 0, 2], m[..., 2, 1] + m[..., 1, 2]
    turns = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    first, second, third = (1.0 - trace + 2.0 * d for d in diagonal)
    each = (
        (first, sums[0], sums[1], turns[0]), (sums[0], second, sums[2], turns[1]),
        (sums[1], sums[2], third, turns[2]), (*turns, 1.0 + trace),
    )  # fmt: skip
    choice = np.argmax(np.stack((*diagonal, trace), axis=-1), axis=-1)[..., None]
    q = [np.stack(parts, axis=-1) for parts in each]
    found = np.where(choice == 2, q[2], q[3])
    return _units(np.where(choice == 0, q[0], np.where(choice == 1, q[1], found)))


def _axes(seq: str) -> tuple[Any, bool]:
    """Return the numbers of the axes, and whether they turn with the body."""
    inside = seq == seq.upper()
    axes = tuple([known("xyz".find(c)) for c in seq.lower()])
    if min(axes) < 0 or (not inside and seq != seq.lower()):
        raise ValueError(
            "Expected axes from `seq` to be from ['x', 'y', 'z'] or ['X', 'Y', 'Z'], "
            f"got {seq}"
        )
    if any([axes[k] == axes[k + 1] for k, _ in enumerate(axes[1:])]):
        raise ValueError(f"Expected consecutive axes to be different, got {seq}")
    return axes, inside


class Rotation:
    """Rotations."""

    def __init__(
        self, quat: Any, normalize: bool = True, copy: bool = True, scalar_first: bool = False
    ) -> None:
        given = _floats(quat, 4, "quat", "(..., 4)")
        if scalar_first:
            given = np.roll(given, -1, axis=-1)
        self._quat = _units(given) if normalize else given

    @staticmethod
    def from_quat(quat: Any, *, scalar_first: bool = False) -> Any:
        return Rotation(quat, True, True, scalar_first)

    @staticmethod
    def from_rotvec(rotvec: Any, degrees: bool = False) -> Any:
        v = _floats(rotvec, 3, "rot_vec", "(3,) or (N, 3)")
        return Rotation(_of_vectors(np.deg2rad(v) if degrees else v), False)

    @staticmethod
    def from_mrp(mrp: Any) -> Any:
        v = _floats(mrp, 3, "mrp", "(3,) or (N, 3)")
        square = np.sum(v * v, axis=-1, keepdims=True)
        return Rotation(np.concatenate((2.0 * v, 1.0 - square), axis=-1) / (1.0 + square), False)

    @staticmethod
    def from_matrix(matrix: Any, *, assume_valid: bool = False) -> Any:
        m = np.asarray(matrix) * 1.0
        if m.ndim not in (2, 3) or m.shape[-1] != 3 or m.shape[-2] != 3:
            raise ValueError(
                f"Expected `matrix` to have shape (3, 3) or (N, 3, 3), got {m.shape}"
            )
        if not assume_valid:
            stack = m[None] if m.ndim == 2 else m
            for k, sign in enumerate(np.linalg.det(stack)):
                if sign <= 0.0:
                    raise ValueError(
                        "Non-positive determinant (left-handed or null coordinate frame) in "
                        f"rotation matrix {k}: {stack[k]}."
                    )
            m = _nearest(m)
        return Rotation(_of_matrices(m), False)

    @staticmethod
    def from_euler(seq: str, angles: Any, degrees: bool = False) -> Any:
        if len(seq) < 1 or len(seq) > 3:
            raise ValueError(
                "Expected axis specification to be a non-empty string of upto 3 characters, "
                f"got {seq}"
            )
        axes, inside = _axes(seq)
        given = np.asarray(angles) * 1.0
        turned = np.deg2rad(given) if degrees else given
        if turned.ndim == 0:
            turned = turned[None]
        if turned.shape[-1] != len(seq):
            raise ValueError(
                "Expected last dimension of `angles` to match number of sequence axes specified, "
                f"got {turned.shape[-1]}."
            )
        if turned.ndim > 2:
            unsupported("rotations along several axes", "x.reshape(-1, 3), and so back")
        quat = _about(axes[0], turned[..., 0])
        for k, axis in enumerate(axes[1:]):
            other = _about(axis, turned[..., k + 1])
            quat = _composed(quat, other) if inside else _composed(other, quat)
        return Rotation(quat, False)

    @staticmethod
    def identity(num: Any = None) -> Any:
        one = np.array([0.0, 0.0, 0.0, 1.0])
        return Rotation(one if num is None else np.tile(one, (num, 1)), False)

    @staticmethod
    def concatenate(rotations: Any) -> Any:
        parts = [np.atleast_2d(r._quat) for r in rotations]
        return Rotation(np.concatenate(parts), False)

    # --- what it is ---

    @property
    def single(self) -> Any:
        return self._quat.ndim == 1

    @property
    def shape(self) -> Any:
        return self._quat.shape[:-1]

    def __len__(self) -> int:
        if self._quat.ndim == 1:
            raise TypeError("Single rotation has no len().")
        return len(self._quat)

    def __getitem__(self, indexer: Any) -> Any:
        if self._quat.ndim == 1:
            raise TypeError("Single rotation is not subscriptable.")
        return Rotation(self._quat[indexer], False)

    def as_quat(self, canonical: bool = False, *, scalar_first: bool = False) -> Array:
        quat = self._quat.copy()
        if canonical:
            quat = np.where(_is_negative(quat)[..., None], -quat, quat)
        return np.roll(quat, 1, axis=-1) if scalar_first else quat

    def as_matrix(self) -> Array:
        return _matrices(self._quat)

    def as_rotvec(self, degrees: bool = False) -> Array:
        vectors = _vectors_of(self._quat)
        return np.rad2deg(vectors) if degrees else vectors

    def as_mrp(self) -> Array:
        sign = np.where(self._quat[..., 3:] < 0.0, -1.0, 1.0)
        return sign * self._quat[..., :3] / (1.0 + sign * self._quat[..., 3:])

    def as_euler(
        self, seq: str, degrees: bool = False, *, suppress_warnings: bool = False
    ) -> Array:
        if len(seq) != 3:
            raise ValueError(f"Expected 3 axes, got {seq}.")
        axes, inside = _axes(seq)
        angles = _angles(self._quat, axes[::-1] if inside else axes, inside)
        return np.rad2deg(angles) if degrees else angles

    def magnitude(self) -> Any:
        sine = np.sqrt(np.sum(self._quat[..., :3] ** 2, axis=-1))
        return 2.0 * np.arctan2(sine, np.abs(self._quat[..., 3]))

    # --- what is made of it ---

    def inv(self) -> Any:
        return Rotation(self._quat * np.array([-1.0, -1.0, -1.0, 1.0]), False)

    def __mul__(self, other: Any) -> Any:
        p, q = self._quat, other._quat
        if p.ndim == 2 and q.ndim == 2 and _differ(len(p), len(q)):
            raise ValueError(
                f"Cannot broadcast {p.shape[:-1]} rotations in first to {q.shape[:-1]} rotations "
                "in second object."
            )
        return Rotation(_units(_composed(p, q)), False)

    def __pow__(self, n: Any) -> Any:
        return Rotation(_of_vectors(n * _vectors_of(self._quat)), False)

    def apply(self, vectors: Any, inverse: bool = False) -> Array:
        v = np.asarray(vectors) * 1.0
        if v.ndim not in (1, 2) or v.shape[-1] != 3:
            raise ValueError(f"Expected input of shape (..., 3), got {v.shape}.")
        m = _matrices(self._quat)
        if inverse:
            m = np.swapaxes(m, -1, -2)
        if self._quat.ndim == 2 and v.ndim == 2 and _differ(len(m), len(v)):
            raise ValueError(f"Cannot broadcast {len(m)} rotations to {len(v)} vectors.")
        return np.sum(m * v[..., None, :], axis=-1)


def _differ(m: int, n: int) -> bool:
    """Whether extents do not go together."""
    return m != n and m != 1 and n != 1


def _about(axis: int, angle: Any) -> Array:
    """Return the quaternions of turns about an axis."""
    sine, none = np.sin(angle / 2.0), 0.0 * angle
    parts = [sine if k == axis else none for k in (0, 1, 2)]
    return np.stack((*parts, np.cos(angle / 2.0)), axis=-1)


def _is_negative(q: Array) -> Any:
    """Whether the last part that is not zero is negative, counted from w, x, y, z."""
    x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    last = (x == 0.0) & ((y < 0.0) | ((y == 0.0) & (z < 0.0)))
    return (w < 0.0) | ((w == 0.0) & ((x < 0.0) | last))


def _angles(quat: Array, axes: Any, inside: bool) -> Array:
    """Return Euler angles about axes that stand still; for ``inside`` in the opposite order."""
    i, j, k = axes
    symmetric = i == k
    if symmetric:
        k = known(3 - i - j)
    sign = 1.0 * ((i - j) * (j - k) * (k - i) // 2)
    if symmetric:
        a, b, c, d = quat[..., 3], quat[..., i], quat[..., j], quat[..., k] * sign
    else:
        a, b = quat[..., 3] - quat[..., j], quat[..., i] + quat[..., k] * sign
        c, d = quat[..., j] + quat[..., 3], quat[..., k] * sign - quat[..., i]
    middle = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
    low, high = np.abs(middle) <= _EPS, np.abs(middle - math.pi) <= _EPS
    half_sum, half_difference = np.arctan2(b, a), np.arctan2(d, c)
    first, third = half_sum - half_difference, half_sum + half_difference
    locked = np.where(low, 2.0 * half_sum, 2.0 * half_difference * (1.0 if inside else -1.0))
    if inside:
        first, third = third, first
    parts = np.where(low | high, locked, first), middle, np.where(low | high, 0.0, third)
    if not symmetric:
        parts = (
            (parts[0] * sign, middle - 0.5 * math.pi, parts[2]) if inside
            else (parts[0], middle - 0.5 * math.pi, parts[2] * sign)
        )  # fmt: skip
    return np.stack([_around(p) for p in parts], axis=-1)


def _around(angle: Any) -> Any:
    """Return an angle between minus pi and pi."""
    turned = np.where(angle < -math.pi, angle + 2.0 * math.pi, angle)
    return np.where(turned > math.pi, turned - 2.0 * math.pi, turned)


class Slerp:
    """Rotations between rotations, at a steady speed."""

    def __init__(self, times: Any, rotations: Rotation) -> None:
        if rotations.single or len(rotations) == 1:
            raise ValueError("`rotations` must be a sequence of at least 2 rotations.")
        self.times = np.asarray(times) * 1.0
        if len(self.times) != len(rotations):
            raise ValueError(
                "Expected number of rotations to be equal to number of timestamps given, got "
                f"{len(rotations)} rotations and {len(self.times)} timestamps."
            )
        self.timedelta = np.diff(self.times)
        if np.any(self.timedelta <= 0.0):
            raise ValueError("Times must be in strictly increasing order.")
        quat = rotations._quat
        self.rotations = Rotation(quat[:-1], False)
        self.rotvecs = (self.rotations.inv() * Rotation(quat[1:], False)).as_rotvec()

    def __call__(self, times: Any) -> Any:
        given = np.asarray(times) * 1.0
        if given.ndim > 1:
            raise ValueError("`times` must be at most 1-dimensional.")
        at = np.atleast_1d(given)
        if np.any(at < self.times[0]) or np.any(at > self.times[-1]):
            raise ValueError(
                f"Interpolation times must be within the range [{self.times[0]}, "
                f"{self.times[-1]}], both inclusive."
            )
        where = np.maximum(np.searchsorted(self.times, at) - 1, 0)
        share = (at - self.times[where]) / self.timedelta[where]
        turns = Rotation.from_rotvec(self.rotvecs[where] * share[:, None])
        found = self.rotations[where] * turns
        return found[0] if given.ndim == 0 else found


__all__ = ["Rotation", "Slerp"]
