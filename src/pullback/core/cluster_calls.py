"""Questions of clusters for texts of the library (``solver_calls``): which points belong together,
and which clusters meet."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.core.later import Later
from pullback.core.reverse_communication import Ask

_hierarchy = Later("scipy.cluster.hierarchy")
_vq = Later("scipy.cluster.vq")


def codes(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return the nearest code of each observation, and how far each one is."""
    a, b, n = given.vector(), given.vector(), int(given.number())
    shape = (-1,) if told[0] else (-1, n)
    return np.concatenate(_vq.vq(a.reshape(shape), b.reshape(shape)))


def linkage(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return the tree of clusters for the distances of pairs."""
    return _hierarchy.linkage(given.vector(), told[0])


def of_tree(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return what is asked of a tree of clusters."""
    name, *words = told
    z = given.vector().reshape(-1, 4)
    if name == "fcluster":
        return _hierarchy.fcluster(z, given.number(), words[0], int(given.number()))
    if name == "cut_tree":
        numbers = given.vector()
        by = {"height": numbers} if words[0] else {"n_clusters": numbers.astype(int)}
        return _hierarchy.cut_tree(z, **by)
    if name == "dendrogram":
        return _drawn(z, given.number(), words[0])
    return getattr(_hierarchy, name)(z)


def _drawn(z: Any, bound: float, sort: Any) -> Any:
    """Return the places of links, which heights each has (0: none, from 1: of this row), its color,
    the leaves and their colors."""
    more: dict[str, Any] = {"no_plot": True, "count_sort": sort}
    made = _hierarchy.dendrogram(z, color_threshold=bound, above_threshold_color="C0", **more)
    ranks = z.copy()
    ranks[:, 2] = np.arange(1.0, len(z) + 1.0)
    order = _hierarchy.dendrogram(ranks, **more)["dcoord"]
    colors = [int(c[1:]) for c in made["color_list"] + made["leaves_color_list"]]
    n = len(z)
    return np.concatenate(
        (np.ravel(made["icoord"]), np.ravel(order), colors[:n], made["leaves"], colors[n:])
    )


__all__ = ["codes", "linkage", "of_tree"]
