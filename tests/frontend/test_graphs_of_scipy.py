"""``scipy.sparse.csgraph``: SciPy's lengths, trees and orders; derivatives by the weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import pullback as pb

G = np.array([[0, 1.5, 4, 0, 0], [0, 0, 2.2, 6, 0], [5, 0, 0, 1.1, 0], [0, 0.3, 0, 0, 0],
              [0, 0, 0, 0, 0.0]])  # fmt: skip
AT = np.array([0, 0, 1]), np.array([1, 2, 2])


def lengths(g):
    both = csgraph.shortest_path(g, directed=False, return_predecessors=True)
    some = csgraph.dijkstra(g, indices=[0, 2], limit=3.0, return_predecessors=True)
    return *both, *some, csgraph.shortest_path(g, "D", unweighted=True)


def one_start(g):
    return csgraph.bellman_ford(g, indices=1), csgraph.johnson(g), csgraph.floyd_warshall(g, False)


def of_sparse(g):
    s = sp.coo_array((g[AT], AT), shape=(5, 5)).tocsr()
    return csgraph.dijkstra(sp.csr_matrix(g).T, False, -2), csgraph.dijkstra(s, indices=0)


def trees(g):
    tree, laplacian = csgraph.minimum_spanning_tree(g), csgraph.laplacian(g, True, True)
    return tree.toarray(), csgraph.minimum_spanning_tree(sp.csr_array(g)).sum(), *laplacian


def orders(g):
    first = csgraph.breadth_first_order(g, 0), csgraph.depth_first_order(g, 2, False)
    return *first, csgraph.connected_components(g), csgraph.connected_components(g, True, "strong")


def flat(found: Any) -> list[Any]:
    return [x for part in found for x in flat(part)] if isinstance(found, tuple) else [found]


def weighed(f: Any) -> Any:
    def loss(g):
        total = 0.0
        for part in f(g):
            there = np.where(np.isfinite(part), part, 0.0) * 1.0
            weights = np.cos(np.arange(there.size).reshape(there.shape))
            total = total + np.sum(np.sin(there) * weights)
        return total

    return loss


@pytest.mark.parametrize("f", [lengths, one_start, of_sparse, trees, orders])
def test_values_are_scipys(f: Any) -> None:
    for mine, theirs in zip(flat(pb.jit(f)(G)), flat(f(G)), strict=True):
        assert type(mine) is type(theirs)
        np.testing.assert_array_equal(mine, theirs)
        assert np.asarray(mine).dtype == np.asarray(theirs).dtype


@pytest.mark.parametrize(("f", "method"), [
    (one_start, "chad"), (of_sparse, "dual"), (trees, "chad"),
])  # fmt: skip
def test_derivatives_are_differences(f: Any, method: str) -> None:
    loss, h = weighed(f), 1e-6
    along = np.cos(np.arange(25.0)).reshape(5, 5) * (G != 0.0)
    slope = (loss(G + h * along) - loss(G - h * along)) / (2 * h)
    assert np.sum(pb.grad(loss, method=method)(G) * along) == pytest.approx(slope, 1e-6, 1e-8)


def test_what_is_refused() -> None:
    def negative(g):
        return csgraph.bellman_ford(-g)

    def of_others(g):
        return csgraph.shortest_path(sp.csr_array(g) @ sp.csr_array(g))

    for f in (negative, of_others):
        with pytest.raises(NotImplementedError):
            pb.jit(f)(G)
