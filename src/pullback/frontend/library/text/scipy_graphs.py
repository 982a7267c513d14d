"""Functions of ``scipy.sparse.csgraph`` as plain Python that the front end compiles. Which edges
the paths have is SciPy's answer, and has no derivative; a length has that of its edges' weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.combinators import stop_gradient
from pullback.frontend.library.solutions import constant
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text.solver_answers import packed, told
from pullback.frontend.library.text.sparse_entries import Entries, spmatrix
from pullback.frontend.library.text.sparse_matrices import (
    Sparse,
    coo_array,
    coo_matrix,
    csr_array,
    csr_matrix,
)
from pullback.frontend.library.text_helpers import unsupported


def _graph(csgraph: Any) -> tuple[str, Matrix, Any]:
    """Return how the graph goes over to SciPy, its weights, and the numbers that go over."""
    if isinstance(csgraph, Sparse) and csgraph._order != "dense":
        n, m = csgraph.shape
        if csgraph._order == "" and np.any(csgraph._values == 0.0):
            raise NotImplementedError("an entry 0 in a graph that was made of other matrices")
        numbers: Any = [n, csgraph._values, csgraph._row, csgraph._col]
        weights = csgraph.toarray() * 1.0
        form = "entries"
    else:
        dense = csgraph.toarray() if isinstance(csgraph, Sparse) else np.asarray(csgraph)
        weights = dense * 1.0
        if weights.ndim != 2:
            raise ValueError("compressed-sparse graph must be 2-D")
        n, m = weights.shape
        numbers = [n, weights]
        form = "dense"
    if n != m:
        raise ValueError("graph should be a square array")
    return form, weights, numbers


def _least(weights: Matrix) -> Matrix:
    """Return the weights of a graph whose edges go both ways: the smaller one, if there are two."""
    there = (weights != 0.0) & np.isfinite(weights)
    one = np.where(there, weights, 0.0)
    other = np.where(there.T & (~there | (weights > weights.T)), weights.T, one)
    return np.where(np.isfinite(other), other, 0.0)


def _lengths(name: str, csgraph: Any, directed: bool, indices: Any, return_predecessors: bool,
             unweighted: bool, method: Any, limit: Any) -> Any:  # fmt: skip
    form, weights, numbers = _graph(csgraph)
    n = weights.shape[0]
    starts = np.arange(n)
    if indices is not None:
        starts = np.ravel(np.atleast_1d(np.asarray(indices)))
        starts = np.where(starts < 0, starts + n, starts)
        numbers = [*numbers, starts]
    if limit is not None:
        numbers = [*numbers, limit]
    words = described(
        "paths", name, form, bool(directed), bool(unweighted), method, indices is not None,
        limit is not None,
    )  # fmt: skip
    found = told(words, constant(packed(numbers)))
    count = len(starts)
    still = found[: count * n].reshape(count, n)
    before = found[count * n :].reshape(count, n).astype(np.int32)
    lengths = still
    if not unweighted:
        moved = _along(weights if directed else _least(weights), starts, before)
        lengths = still + (moved - stop_gradient(moved))
    if indices is not None and np.ndim(indices) == 0:
        return (lengths[0], before[0]) if return_predecessors else lengths[0]
    return (lengths, before) if return_predecessors else lengths


def _along(weights: Matrix, starts: Vector, before: Matrix) -> Matrix:
    """Return the lengths of the paths that lead from each start to each node, 0 if there is none.
    """
    lengths = np.zeros(before.shape)
    for s in range(before.shape[0]):
        for j in range(before.shape[1]):
            k, total = j, 0.0
            while k != starts[s] and before[s, k] >= 0:
                total += weights[before[s, k], k]
                k = before[s, k]
            lengths[s, j] = total
    return lengths


def shortest_path(csgraph: Any, method: str = "auto", directed: bool = True,
                  return_predecessors: bool = False, unweighted: bool = False,
                  overwrite: bool = False, indices: Any = None) -> Any:  # fmt: skip
    return _lengths("shortest_path", csgraph, directed, indices, return_predecessors, unweighted,
                    method, None)  # fmt: skip


def dijkstra(csgraph: Any, directed: bool = True, indices: Any = None,
             return_predecessors: bool = False, unweighted: bool = False, limit: Any = None,
             min_only: bool = False) -> Any:  # fmt: skip
    if min_only:
        unsupported("dijkstra with min_only=True", "np.min of the lengths, along the first axis")
    return _lengths("dijkstra", csgraph, directed, indices, return_predecessors, unweighted, None,
                    limit)  # fmt: skip


def floyd_warshall(csgraph: Any, directed: bool = True, return_predecessors: bool = False,
                   unweighted: bool = False, overwrite: bool = False) -> Any:  # fmt: skip
    return _lengths("floyd_warshall", csgraph, directed, None, return_predecessors, unweighted,
                    None, None)  # fmt: skip


def bellman_ford(csgraph: Any, directed: bool = True, indices: Any = None,
                 return_predecessors: bool = False, unweighted: bool = False) -> Any:  # fmt: skip
    return _lengths("bellman_ford", csgraph, directed, indices, return_predecessors, unweighted,
                    None, None)  # fmt: skip


def johnson(csgraph: Any, directed: bool = True, indices: Any = None,
            return_predecessors: bool = False, unweighted: bool = False) -> Any:  # fmt: skip
    return _lengths("johnson", csgraph, directed, indices, return_predecessors, unweighted, None,
                    None)  # fmt: skip


def connected_components(csgraph: Any, directed: bool = True, connection: str = "weak",
                         return_labels: bool = True) -> Any:  # fmt: skip
    form, weights, numbers = _graph(csgraph)
    n = weights.shape[0]
    words = described("components", form, bool(directed), connection)
    found = told(words, constant(packed(numbers)))
    count = int(found[n])
    return (count, found[:n].astype(np.int32)) if return_labels else count


def minimum_spanning_tree(csgraph: Any, overwrite: bool = False) -> Any:
    """Return the edges of the tree of least weight, with their weights."""
    form, weights, numbers = _graph(csgraph)
    found = told(described("tree", form), constant(packed(numbers))).astype(np.int64)
    count = len(found) // 2
    row, col = found[:count], found[count:]
    entries = Entries(weights[row, col], row, col, weights.shape, "csr")
    if isinstance(csgraph, spmatrix):
        return csr_matrix(entries)
    return csr_array(entries)


def breadth_first_order(csgraph: Any, i_start: int, directed: bool = True,
                        return_predecessors: bool = True) -> Any:  # fmt: skip
    return _visited("breadth_first_order", csgraph, i_start, directed, return_predecessors)


def depth_first_order(csgraph: Any, i_start: int, directed: bool = True,
                      return_predecessors: bool = True) -> Any:  # fmt: skip
    return _visited("depth_first_order", csgraph, i_start, directed, return_predecessors)


def _visited(name: str, csgraph: Any, start: int, directed: bool, both: bool) -> Any:
    form, weights, numbers = _graph(csgraph)
    words = described("visited", name, form, bool(directed))
    found = told(words, constant(packed([*numbers, start]))).astype(np.int32)
    n = weights.shape[0]
    order, before = found[: len(found) - n], found[len(found) - n :]
    return (order, before) if both else order


def laplacian(csgraph: Any, normed: bool = False, return_diag: bool = False,
              use_out_degree: bool = False, *, copy: bool = True, form: str = "array",
              dtype: Any = None, symmetrized: bool = False) -> Any:  # fmt: skip
    """Return the degrees on the diagonal, less the weights of a graph without loops."""
    if form != "array" or dtype is not None:
        unsupported("laplacian with form or dtype", "leave them away")
    given = csgraph if isinstance(csgraph, Sparse) else np.asarray(csgraph)
    if given.ndim != 2:
        unsupported("laplacian of other than a matrix", "make it one")
    if given.shape[0] != given.shape[1]:
        raise ValueError("csgraph must be a square matrix or array")
    real = given.dtype == np.float64 or given.dtype == np.float32
    graph = given.astype(np.float64) if normed and not real else given
    if isinstance(graph, Sparse):
        return _sparse_laplacian(graph, normed, return_diag, use_out_degree, symmetrized)
    weights = graph + graph.T if symmetrized else graph
    loops = np.eye(weights.shape[0]) > 0.0
    apart = np.where(loops, 0 * weights, weights)
    degrees: Array = np.sum(apart, axis=1 if use_out_degree else 0)
    if not normed:
        made = np.diag(degrees) - apart
        return (made, degrees) if return_diag else made
    alone = degrees == 0.0
    sides = np.where(alone, 1.0, np.sqrt(np.where(alone, 1.0, degrees)))
    made = np.diag(1.0 - alone) - apart / sides / sides[:, None]
    return (made, sides) if return_diag else made


def _sparse_laplacian(graph: Any, normed: bool, return_diag: bool, use_out_degree: bool,
                      symmetrized: bool) -> Any:  # fmt: skip
    if graph.format == "dia":
        unsupported("laplacian of a matrix of diagonals", "laplacian(S.tocsr())")
    weights, row, col, n = graph._values, graph._row, graph._col, graph.shape[0]
    if symmetrized:
        weights = np.concatenate((weights, weights))
        row, col = np.concatenate((row, col)), np.concatenate((col, row))
    apart = np.where(row == col, 0 * weights, weights)
    degrees = np.zeros(n, apart.dtype)
    np.add.at(degrees, row if use_out_degree else col, apart)
    corners = degrees
    if normed:
        alone = degrees == 0.0
        degrees = np.where(alone, 1.0, np.sqrt(np.where(alone, 1.0, degrees)))
        apart, corners = apart / degrees[row] / degrees[col], np.where(alone, 0.0, 1.0)
    places, every = np.arange(n), np.concatenate((-apart, corners))
    rows, cols = np.concatenate((row, places)), np.concatenate((col, places))
    entries = Entries(every, rows, cols, (n, n), "")
    made = coo_matrix(entries) if isinstance(graph, spmatrix) else coo_array(entries)
    return (made, degrees) if return_diag else made
