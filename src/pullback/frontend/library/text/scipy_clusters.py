"""Trees of clusters of ``scipy.cluster.hierarchy``, as plain Python that the front end compiles.
Which clusters meet SciPy says, and that has no derivative; the heights at which they do have one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Matrix, Vector
from pullback.frontend.library.text.solver_answers import packed, told
from pullback.frontend.library.text_helpers import unsupported


def linkage(y: Any, method: str = "single", metric: Any = "euclidean",
            optimal_ordering: bool = False) -> Matrix:  # fmt: skip
    given = np.asarray(y) * 1.0
    if method not in ("single", "complete", "average", "weighted", "centroid", "median", "ward"):
        raise ValueError(f"Invalid method: {method}")
    if optimal_ordering:
        unsupported("linkage with optimal_ordering", "leave it away")
    if given.ndim == 2:
        if method in ("centroid", "median", "ward") and metric != "euclidean":
            raise ValueError(
                f"`method={method}` requires the distance metric to be Euclidean"
            )
        pairs = scipy.spatial.distance.pdist(given, metric)
    else:
        pairs = given
    if not np.all(np.isfinite(pairs)):
        raise ValueError("The condensed distance matrix must contain only finite values.")
    found = told(described("linkage", method), constant(packed((pairs,)))).reshape(-1, 4)
    own = _heights(pairs, found, method)
    heights = found[:, 2] + (own - constant(own))
    return np.stack((found[:, 0], found[:, 1], heights, found[:, 3]), axis=1)


def _heights(pairs: Vector, tree: Matrix, method: str) -> Vector:
    """Return the distances of the clusters that meet, one by one (G. N. Lance and W. T. Williams,
    "A general theory of classificatory sorting strategies", 1967)."""
    n = len(tree) + 1
    far, sizes, there = np.zeros((2 * n - 1, 2 * n - 1)), np.ones(2 * n - 1), np.arange(2 * n - 1)
    far[:n, :n] = scipy.spatial.distance.squareform(pairs)
    heights = np.zeros(n - 1)
    for k in range(n - 1):
        i, j = int(tree[k, 0]), int(tree[k, 1])
        p, q, met = sizes[i], sizes[j], far[i, j]
        heights[k] = met
        there[i] = -1
        there[j] = -1
        sizes[n + k] = p + q
        live = (there >= 0) & (np.arange(2 * n - 1) < n + k)
        a, b, r = far[i].copy(), far[j].copy(), sizes
        if method == "single":
            row = np.minimum(a, b)
        elif method == "complete":
            row = np.maximum(a, b)
        elif method == "average":
            row = (p * a + q * b) / (p + q)
        elif method == "weighted":
            row = 0.5 * (a + b)
        else:
            if method == "ward":
                square = ((p + r) * a * a + (q + r) * b * b - r * met * met) / (p + q + r)
            elif method == "centroid":
                square = (p * a * a + q * b * b - p * q * met * met / (p + q)) / (p + q)
            else:
                square = 0.5 * (a * a + b * b) - 0.25 * met * met
            row = np.sqrt(np.where(live & (square > 0.0), square, 1.0))
            row = np.where(square > 0.0, row, 0.0)
        row = np.where(live, row, 0.0)
        far[n + k] = row
        far[:, n + k] = row
    return heights


def single(y: Any) -> Matrix:
    return linkage(y, "single", "euclidean")


def complete(y: Any) -> Matrix:
    return linkage(y, "complete", "euclidean")


def average(y: Any) -> Matrix:
    return linkage(y, "average", "euclidean")


def weighted(y: Any) -> Matrix:
    return linkage(y, "weighted", "euclidean")


def centroid(y: Any) -> Matrix:
    return linkage(y, "centroid", "euclidean")


def median(y: Any) -> Matrix:
    return linkage(y, "median", "euclidean")


def ward(y: Any) -> Matrix:
    return linkage(y, "ward", "euclidean")


def _told_of(name: str, Z: Any, numbers: Any, *words: Any) -> Vector:
    """Return what SciPy says of a tree."""
    tree = np.asarray(Z) * 1.0
    return told(described("of_tree", name, *words), constant(packed((tree, *numbers))))


def fcluster(Z: Any, t: float, criterion: str = "inconsistent", depth: int = 2, R: None = None,
             monocrit: None = None) -> Vector:  # fmt: skip
    if criterion not in ("inconsistent", "distance", "maxclust"):
        unsupported("fcluster by this criterion", "inconsistent, distance or maxclust")
    return _told_of("fcluster", Z, (t, depth), criterion).astype(np.int32)


def fclusterdata(X: Any, t: float, criterion: str = "inconsistent", metric: Any = "euclidean",
                 depth: int = 2, method: str = "single", R: None = None) -> Vector:  # fmt: skip
    pairs = scipy.spatial.distance.pdist(np.asarray(X) * 1.0, metric)
    return fcluster(linkage(pairs, method), t, criterion, depth)


def leaves_list(Z: Any) -> Vector:
    return _told_of("leaves_list", Z, ()).astype(np.int32)


def cut_tree(Z: Any, n_clusters: Any = None, height: Any = None) -> Matrix:
    if n_clusters is None and height is None:
        unsupported("cut_tree at all heights", "give n_clusters or height")
    by = height if n_clusters is None else n_clusters
    found = _told_of("cut_tree", Z, (np.atleast_1d(np.asarray(by)) * 1.0,), n_clusters is None)
    return found.astype(np.int64).reshape(len(np.asarray(Z)) + 1, -1)


def dendrogram(Z: Any, p: int = 30, truncate_mode: Any = None, color_threshold: Any = None,
               get_leaves: bool = True, orientation: str = "top", labels: Any = None,
               count_sort: Any = False, distance_sort: Any = False, show_leaf_counts: bool = True,
               no_plot: bool = False, no_labels: bool = False, leaf_font_size: Any = None,
               leaf_rotation: Any = None, leaf_label_func: Any = None,
               show_contracted: bool = False, link_color_func: Any = None, ax: Any = None,
               above_threshold_color: str = "C0") -> Any:  # fmt: skip
    if not no_plot:
        unsupported("a dendrogram that is drawn", "no_plot=True")
    if truncate_mode is not None or distance_sort or not get_leaves:
        unsupported("dendrogram with truncate_mode, distance_sort or get_leaves=False",
                    "leave them away")  # fmt: skip
    if leaf_label_func is not None or link_color_func is not None:
        unsupported("dendrogram with functions for labels or colors", "leave them away")
    tree = np.asarray(Z) * 1.0
    count, high = len(tree), np.max(constant(tree[:, 2]))
    bound = constant(0.7 * high if color_threshold is None else color_threshold)
    found = _told_of("dendrogram", tree, (bound,), count_sort)
    heights = np.concatenate((np.zeros(1), tree[:, 2]))
    places = found[: 4 * count].reshape(count, 4)
    tops = heights[found[4 * count : 8 * count].astype(np.int64)].reshape(count, 4)
    colors, leaves = found[8 * count : 9 * count], found[9 * count : 10 * count + 1]
    numbers = [int(k) for k in leaves]
    names = [_color(c, above_threshold_color) for c in colors]
    shown = [str(k) if labels is None else str(labels[k]) for k in numbers]
    return {
        "icoord": [[float(x) for x in row] for row in places], "dcoord": [list(r) for r in tops],
        "ivl": [] if no_labels else shown, "leaves": numbers, "color_list": names,
        "leaves_color_list": [_color(c, above_threshold_color) for c in found[10 * count + 1 :]],
    }  # fmt: skip


def _color(number: float, above: str) -> str:
    """Return the name of a color; 0 is that of what is above the threshold."""
    return above if number == 0.0 else "C" + str(int(number))


def cophenet(Z: Any, Y: Any = None) -> Any:
    """Return at which height each pair of points is in one cluster."""
    tree = np.asarray(Z) * 1.0
    places = np.stack((tree[:, 0], tree[:, 1], np.arange(len(tree)) * 1.0, tree[:, 3]), axis=1)
    made = tree[_told_of("cophenet", places, ()).astype(np.int64), 2]
    if Y is None:
        return made
    given = np.asarray(Y) * 1.0
    off, other = given - np.mean(given), made - np.mean(made)
    return np.sum(off * other) / np.sqrt(np.sum(off**2) * np.sum(other**2)), made
