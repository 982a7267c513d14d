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
    return getattr(_hierarchy, name)(z)


__all__ = ["codes", "linkage", "of_tree"]
