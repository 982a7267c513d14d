"""Functions of ``scipy.sparse.csgraph`` for texts of the library (``solver_calls``): of a graph as
a matrix, or by its edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.core.later import Later
from pullback.core.reverse_communication import Ask

_sparse = Later("scipy.sparse")
_graphs = Later("scipy.sparse.csgraph")


def _graph(form: str, given: Any) -> Any:
    """Return the matrix: all of its numbers, or its entries."""
    n = int(given.number())
    if form == "dense":
        return given.vector().reshape(n, n)
    values, row, col = (given.vector() for _ in range(3))
    return _sparse.csr_array((values, (row.astype(int), col.astype(int))), shape=(n, n))


def paths(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return the lengths of shortest paths, and behind them the node before each node."""
    name, form, directed, unweighted, method, several, limited = told
    graph = _graph(form, given)
    more: dict[str, Any] = {} if method is None else {"method": method}
    if several:
        more["indices"] = given.vector().astype(int)
    if limited:
        more["limit"] = given.number()
    try:
        found = getattr(_graphs, name)(
            graph, directed=directed, unweighted=unweighted, return_predecessors=True, **more
        )
    except _graphs.NegativeCycleError as error:
        raise NotImplementedError(f"NegativeCycleError: {error}") from error
    return np.concatenate([np.ravel(x) for x in found])


def components(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return how many parts a graph has, and to which each node belongs."""
    form, directed, connection = told
    count, labels = _graphs.connected_components(_graph(form, given), directed, connection)
    return np.append(labels, count)


def tree(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return the edges of the tree of least weight: their rows, then their columns."""
    found = _graphs.minimum_spanning_tree(_graph(told[0], given)).tocoo()
    return np.concatenate((found.row, found.col))


def visited(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return the nodes in the order of a search, and the node before each node."""
    name, form, directed = told
    graph, start = _graph(form, given), int(given.number())
    return np.concatenate(getattr(_graphs, name)(graph, start, directed, True))


__all__ = ["components", "paths", "tree", "visited"]
