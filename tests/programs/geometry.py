"""Shapes: polygons, meshes, distances, rays, skeletons."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tests.programs import real


def polygon(points):
    """Area over squared perimeter, by the shoelace formula."""
    area, around = 0.0, 0.0
    n = len(points)
    for i in range(n):
        p, q = points[i], points[(i + 1) % n]
        area += 0.5 * (p[0] * q[1] - p[1] * q[0])
        around += math.sqrt((q[0] - p[0]) ** 2 + (q[1] - p[1]) ** 2)
    return area / (around * around)


def clipped_area(points, normals, offsets):
    """Sutherland and Hodgman: a polygon cut by half planes, its vertices kept in an array."""
    n = len(points)
    room = 2 * n + 2 * len(offsets)
    kept, count = np.zeros((room, 2)), n
    for i in range(n):
        kept[i, 0], kept[i, 1] = points[i, 0], points[i, 1]
    for k in range(len(offsets)):
        out, filled = np.zeros((room, 2)), 0
        for i in range(count):
            p, q = kept[i - 1 if i > 0 else count - 1], kept[i]
            side_p = normals[k, 0] * p[0] + normals[k, 1] * p[1] - offsets[k]
            side_q = normals[k, 0] * q[0] + normals[k, 1] * q[1] - offsets[k]
            if (side_p > 0.0) != (side_q > 0.0):
                t = side_p / (side_p - side_q)
                out[filled, 0], out[filled, 1] = p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])
                filled += 1
            if side_q <= 0.0:
                out[filled, 0], out[filled, 1] = q[0], q[1]
                filled += 1
        kept, count = out, filled
    area = 0.0
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        area += 0.5 * (kept[i, 0] * kept[j, 1] - kept[i, 1] * kept[j, 0])
    return area


def mesh_energy(vertices, faces):
    """Volume of a closed mesh and the area of its surface."""
    volume, area = 0.0, 0.0
    for face in faces:
        a, b, c = vertices[face[0]], vertices[face[1]], vertices[face[2]]
        normal = np.cross(b - a, c - a)
        volume += np.sum(a * np.cross(b, c)) / 6.0
        area += 0.5 * math.sqrt(np.sum(normal * normal))
    return volume + 0.1 * area


@dataclass(frozen=True)
class Sphere:
    centre: np.ndarray
    radius: float
    shade: float


def nearest_hit(spheres, origin, ray):
    """How far the first sphere on the ray is, and its shade; 1e9 where there is none."""
    best, shade = 1e9, 0.0
    for s in spheres:
        gap = origin - s.centre
        half = np.sum(gap * ray)
        square = half * half - np.sum(gap * gap) + s.radius * s.radius
        if square > 0.0:
            t = -half - math.sqrt(square)
            if 0.0 < t < best:
                best, shade = t, s.shade
    return best, shade


def render(spheres, xs):
    """A row of pixels: shade by distance."""
    total = 0.0
    for x in xs:
        ray = np.array([x, 0.1, 1.0]) / math.sqrt(x * x + 1.01)
        t, shade = nearest_hit(spheres, np.zeros(3), ray)
        total += shade * math.exp(-0.2 * t)
    return total


def hand(angles, parents, offsets, weights, vertices):
    """Linear blend skinning: bones turn after their parents, vertices follow by their weights."""
    n = len(angles)
    cosines, sines, places = np.zeros(n), np.zeros(n), np.zeros((n, 2))
    total_angle = np.zeros(n)
    for b in range(n):
        parent = parents[b]
        before = total_angle[parent] if parent >= 0 else 0.0
        total_angle[b] = before + angles[b]
        cosines[b], sines[b] = math.cos(total_angle[b]), math.sin(total_angle[b])
        if parent >= 0:
            x = cosines[parent] * offsets[b, 0] - sines[parent] * offsets[b, 1]
            y = sines[parent] * offsets[b, 0] + cosines[parent] * offsets[b, 1]
            places[b, 0], places[b, 1] = places[parent, 0] + x, places[parent, 1] + y
    total = 0.0
    for v in range(len(vertices)):
        x, y = 0.0, 0.0
        for b in range(n):
            x += weights[v, b] * (
                places[b, 0] + cosines[b] * vertices[v, 0] - sines[b] * vertices[v, 1]
            )
            y += weights[v, b] * (
                places[b, 1] + sines[b] * vertices[v, 0] + cosines[b] * vertices[v, 1]
            )
        total += x * x + 0.5 * y
    return total / len(vertices)


def truss(stiffness, links, places, load):
    """A plane truss: the matrix is assembled link by link, solved, and asked for its energy."""
    n = 2 * len(places)
    matrix = 1e-3 * np.eye(n)
    for k in range(len(links)):
        a, b = links[k, 0], links[k, 1]
        x, y = places[b, 0] - places[a, 0], places[b, 1] - places[a, 1]
        length = math.sqrt(x * x + y * y)
        direction = np.array([x, y]) / length
        for i in range(2):
            for j in range(2):
                value = stiffness[k] / length * direction[i] * direction[j]
                matrix[2 * a + i, 2 * a + j] += value
                matrix[2 * b + i, 2 * b + j] += value
                matrix[2 * a + i, 2 * b + j] -= value
                matrix[2 * b + i, 2 * a + j] -= value
    return np.sum(load * np.linalg.solve(matrix + np.eye(n), load))


def beam(heights, load):
    """Deflection of a cantilever by finite elements: two unknowns a node, banded elimination."""
    n = len(heights)
    size = 2 * n + 2
    k = np.zeros((size, size))
    for e in range(n):
        bend = heights[e] ** 3
        local = np.array(
            [[12.0, 6.0, -12.0, 6.0], [6.0, 4.0, -6.0, 2.0], [-12.0, -6.0, 12.0, -6.0],
             [6.0, 2.0, -6.0, 4.0]]
        )  # fmt: skip
        k[2 * e : 2 * e + 4, 2 * e : 2 * e + 4] += bend * local
    right = np.zeros(size)
    for i in range(n):
        right[2 * i + 2] = load[i] / n**3
    for j in range(2, size):
        for i in range(j + 1, min(j + 4, size)):
            factor = k[i, j] / k[j, j]
            for c in range(j, min(j + 4, size)):
                k[i, c] -= factor * k[j, c]
            right[i] -= factor * right[j]
    for i in range(size - 1, 1, -1):
        for c in range(i + 1, min(i + 4, size)):
            right[i] -= k[i, c] * right[c]
        right[i] /= k[i, i]
    return right[size - 2]


@dataclass(frozen=True)
class Complex:
    re: float
    im: float

    def __add__(self, o: Complex) -> Complex:
        return Complex(self.re + o.re, self.im + o.im)

    def __mul__(self, o: Complex) -> Complex:
        return Complex(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)

    @property
    def square(self) -> float:
        return self.re * self.re + self.im * self.im


def moebius(
    coefficients: tuple[Complex, Complex, Complex, Complex], points: list[Complex]
) -> float:
    """Points under a Moebius map, as numbers of the user's own."""
    a, b, c, d = coefficients
    total = 0.0
    for z in points:
        over, under = a * z + b, c * z + d
        total += over.square / (1.0 + under.square)
    return total


@dataclass(frozen=True)
class Segment:
    ax: float
    ay: float
    bx: float
    by: float


@dataclass(frozen=True)
class Disc:
    x: float
    y: float
    radius: float


@dataclass(frozen=True)
class Both:
    left: Shape
    right: Shape


@dataclass(frozen=True)
class Moved:
    dx: float
    dy: float
    turn: float
    inner: Shape


Shape = Segment | Disc | Both | Moved


def signed_distance(shape: Shape, x: float, y: float) -> float:
    match shape:
        case Disc(cx, cy, radius):
            return math.sqrt((x - cx) ** 2 + (y - cy) ** 2) - radius
        case Segment(ax, ay, bx, by):
            ux, uy = bx - ax, by - ay
            t = ((x - ax) * ux + (y - ay) * uy) / (ux * ux + uy * uy)
            t = min(max(t, 0.0), 1.0)
            return math.sqrt((x - ax - t * ux) ** 2 + (y - ay - t * uy) ** 2)
        case Both(left, right):
            return min(signed_distance(left, x, y), signed_distance(right, x, y))
        case Moved(dx, dy, turn, inner):
            c, s = math.cos(turn), math.sin(turn)
            px, py = x - dx, y - dy
            return signed_distance(inner, c * px + s * py, c * py - s * px)


def picture(shape, xs, ys):
    return sum(math.tanh(signed_distance(shape, xs[i], ys[i])) for i in range(len(xs)))


def random_shape(rng, n):
    if n <= 1:
        a = rng.uniform(-1.0, 1.0, 4).tolist()
        return Disc(a[0], a[1], 0.3) if rng.uniform() < 0.5 else Segment(*a)
    if n % 3 == 0:
        return Moved(*(0.3 * rng.normal(size=3)).tolist(), random_shape(rng, n - 1))
    return Both(random_shape(rng, n // 2), random_shape(rng, n - n // 2))


def ring(rng, n):
    angles = np.sort(rng.uniform(0.0, 2.0 * math.pi, n))
    return np.stack([np.cos(angles), np.sin(angles)], axis=1) * rng.uniform(0.8, 1.2, (n, 1))


def clip_args(rng, n):
    angles = rng.uniform(0.0, 2.0 * math.pi, 3)
    return ring(rng, n + 2), np.stack([np.cos(angles), np.sin(angles)], axis=1), np.full(3, 0.4)


def hand_args(rng, n):
    parents = np.array([-1] + [int(rng.integers(0, b)) for b in range(1, 5)])
    return (
        0.5 * rng.normal(size=5), parents, rng.normal(size=(5, 2)), rng.uniform(size=(n, 5)),
        rng.normal(size=(n, 2)),
    )  # fmt: skip


def truss_args(rng, n):
    links = np.array([(i, j) for i in range(n) for j in (i + 1, i + 2) if j < n])
    places = np.stack([np.arange(n) * 1.0, (np.arange(n) % 2) * 1.0], axis=1)
    places += 0.1 * rng.normal(size=(n, 2))
    return rng.uniform(1.0, 2.0, len(links)), links, places, rng.normal(size=2 * n)


def sphere_args(rng, n):
    spheres = [
        Sphere(
            np.array([rng.uniform(-1, 1), 0.2, rng.uniform(3, 6)]), rng.uniform(0.4, 0.8), 1.0 + k
        )
        for k in range(4)
    ]
    return spheres, rng.uniform(-0.3, 0.3, n)


def complexes(rng, n):
    return [Complex(*rng.normal(size=2).tolist()) for _ in range(n)]


PROGRAMS = [
    real("polygon", polygon, lambda r, n: (ring(r, n),)),
    real("clipped_area", clipped_area, clip_args, (0, 2), (3, 8)),
    real(
        "mesh_energy",
        mesh_energy,
        lambda r, n: (
            r.normal(size=(n + 3, 3)),
            np.array([r.choice(n + 3, 3, replace=False) for _ in range(2 * n)]),
        ),
        (0,),
    ),
    real("render", render, sphere_args, (0,), (3, 8)),
    real("hand", hand, hand_args, (0, 2, 4)),
    real("truss", truss, truss_args, (0, 2, 3), (3, 5), growth=(4, 8, 24)),
    real(
        "beam",
        beam,
        lambda r, n: (r.uniform(0.8, 1.2, n), r.normal(size=n)),
        (0, 1),
        (2, 4),
        growth=(3, 10, 30),
    ),
    real("moebius", moebius, lambda r, n: (tuple(complexes(r, 4)), complexes(r, n)), (0, 1)),
    real(
        "signed_distance",
        picture,
        lambda r, n: (random_shape(r, n), r.uniform(-1.0, 1.0, 5), r.uniform(-1.0, 1.0, 5)),
        (0,),
        (3, 8),
    ),
]
