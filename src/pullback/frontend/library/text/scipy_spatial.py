"""Points in space of ``scipy.spatial``, as plain Python that the front end compiles. Which points
are nearest, and which are on the hull, SciPy says; distances and volumes are computed of the points
again, so that they have derivatives by all of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text.solver_answers import packed, told
from pullback.frontend.library.text_helpers import known, unsupported


class _Tree:
    """What ``KDTree`` gives."""

    def __init__(self, data: Matrix) -> None:
        self.data = data
        self.n = len(data)
        self.m = data.shape[1]

    def query(self, x: Any, k: Any = 1, eps: float = 0.0, p: float = 2.0,
              distance_upper_bound: float = np.inf, workers: int = 1) -> Any:  # fmt: skip
        if np.ndim(k) > 0:
            unsupported("KDTree.query for some of the neighbours", "the first k of them")
        if p != 2 or eps != 0.0 or distance_upper_bound != np.inf:
            raise NotImplementedError("KDTree.query with p, eps or distance_upper_bound")
        places = np.asarray(x) * 1.0
        rows = places.reshape(-1, places.shape[-1])
        if rows.shape[1] != self.m:
            raise ValueError(
                f"x must consist of vectors of length {self.m} but has shape {places.shape}"
            )
        if k > self.n:
            raise NotImplementedError("KDTree.query for more neighbours than points")
        found = told(described("nearest"), constant(packed((self.m, self.data, rows, k))))
        at = found.astype(np.int64).reshape(len(rows), k)
        apart = self.data[at] - rows[:, None, :]
        far = np.sqrt(np.sum(apart * apart, axis=2))
        if known(k) == 1:
            if places.ndim == 1:
                return far[0, 0], at[0, 0]
            return far.reshape(places.shape[:-1]), at.reshape(places.shape[:-1])
        if places.ndim == 1:
            return far[0], at[0]
        return far.reshape(*places.shape[:-1], k), at.reshape(*places.shape[:-1], k)


def KDTree(data: Any, leafsize: int = 10, compact_nodes: bool = True, copy_data: bool = False,
           balanced_tree: bool = True, boxsize: Any = None) -> _Tree:  # fmt: skip
    if boxsize is not None:
        unsupported("KDTree with boxsize", "leave it away")
    return _Tree(np.asarray(data) * 1.0)


def cKDTree(data: Any, leafsize: int = 16, compact_nodes: bool = True, copy_data: bool = False,
            balanced_tree: bool = True, boxsize: Any = None) -> _Tree:  # fmt: skip
    return KDTree(data, boxsize=boxsize)


def distance_matrix(x: Any, y: Any, p: float = 2, threshold: int = 1000000) -> Matrix:
    a, b = np.asarray(x), np.asarray(y)
    if a.shape[1] != b.shape[1]:
        raise ValueError(
            f"x contains {a.shape[1]}-dimensional vectors but y contains {b.shape[1]}-dimensional "
            "vectors"
        )
    apart = np.abs(a[:, None, :] - b[None, :, :]) * 1.0
    if p == 1:
        return np.sum(apart, axis=2)
    if p == np.inf:
        return np.max(apart, axis=2)
    if p == 2:
        return np.sqrt(np.sum(apart * apart, axis=2))
    return np.sum(apart**p, axis=2) ** (1.0 / p)


class _Hull:
    """What ``ConvexHull`` gives."""

    def __init__(self, points: Matrix, simplices: Any, vertices: Any) -> None:
        self.points = points
        self.simplices = simplices
        self.vertices = vertices

    @property
    def volume(self) -> float:
        """The volume; of points in a plane, the area."""
        n = self.points.shape[1]
        corners = self.points[self.simplices] - np.mean(self.points, axis=0)
        return float(np.sum(np.abs(np.linalg.det(corners))) / _factorial(n))

    @property
    def area(self) -> float:
        """The area; of points in a plane, the length around them."""
        n = self.points.shape[1]
        corners = self.points[self.simplices]
        sides = corners[:, 1:, :] - corners[:, :1, :]
        squares = np.linalg.det(sides @ np.swapaxes(sides, 1, 2))
        return float(np.sum(np.sqrt(squares)) / _factorial(n - 1))


def _factorial(n: int) -> float:
    return float(math.factorial(n))


def ConvexHull(points: Any, incremental: bool = False, qhull_options: Any = None) -> _Hull:
    if incremental or qhull_options is not None:
        unsupported("ConvexHull with options", "leave them away")
    p = np.asarray(points) * 1.0
    n = p.shape[1]
    found = told(described("hull"), constant(packed((n, p)))).astype(np.int64)
    facets = int(found[0])
    return _Hull(p, found[1 : 1 + facets * n].reshape(facets, n), found[1 + facets * n :])


def procrustes(data1: Any, data2: Any) -> Any:
    a, b = np.asarray(data1) * 1.0, np.asarray(data2) * 1.0
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("Input matrices must be two-dimensional")
    if a.shape[0] != b.shape[0] or a.shape[1] != b.shape[1]:
        raise ValueError("Input matrices must be of same shape")
    a, b = _unit(a), _unit(b)
    u, w, vt = np.linalg.svd((b.T @ a).T, full_matrices=False)
    b = (b @ (u @ vt).T) * np.sum(w)
    return a, b, np.sum((a - b) ** 2)


def _unit(a: Array) -> Vector:
    centred = a - np.mean(a, axis=0)
    size = np.linalg.norm(centred)
    if size == 0.0:
        raise ValueError("Input matrices must contain >1 unique points")
    return centred / size
