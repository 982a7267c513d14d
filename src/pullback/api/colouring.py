"""Colourings of sparse patterns: columns of one colour are computed by one derivative.

A pattern is given by its rows (``ends``, ``columns``), as in ``scipy.sparse.csr_array``. The texts
are plain Python: small patterns run them as they are, large ones compiled. Vertices are taken in
the order of falling degree, those of equal degree in their own order, and get the smallest colour
that is allowed, so a pattern always has the same colours.

Columns for a Jacobian: two columns that meet in a row have different colours (Curtis, Powell and
Reid, 1974). For a symmetric matrix a *star colouring* is enough: neighbours have different colours,
and every path of four vertices has three (Coleman and Moré, 1984; the algorithm is that of
Gebremedhin, Tarafdar, Manne and Pothen, New acyclic and star coloring algorithms, 2007).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.api.compilation import jit

Ints = np.ndarray[Any, np.dtype[np.int64]]

SMALL = 20_000
"""Up to so many steps the texts run in Python: they take less time than compiling."""


def columns_apart(ends: Ints, columns: Ints, count: int) -> Ints:
    """Return colours of ``count`` columns, such that those of one colour meet in no row."""
    rows = len(ends) - 1
    lengths = np.diff(ends)
    above = np.repeat(np.arange(rows), lengths)
    by_column = np.argsort(columns, kind="stable")
    degrees = np.zeros(count, np.int64)
    np.add.at(degrees, columns, lengths[above])
    order = np.argsort(-degrees, kind="stable")
    column_ends = np.concatenate(([0], np.cumsum(np.bincount(columns, minlength=count))))
    steps = int(np.sum(lengths * lengths)) + count
    return _run(_apart, _apart_compiled, steps, order, column_ends, above[by_column], ends, columns)


def stars(ends: Ints, columns: Ints) -> Ints:
    """Return a star colouring of a symmetric pattern."""
    count = len(ends) - 1
    rows = np.repeat(np.arange(count), np.diff(ends))
    other = rows != columns
    rows, columns = rows[other], columns[other]
    degrees = np.bincount(rows, minlength=count)
    ends = np.concatenate(([0], np.cumsum(degrees)))
    order = np.argsort(-degrees, kind="stable")
    back = np.lexsort((rows, columns))  # from an edge to itself, seen from its other end
    steps = int(np.sum(degrees * degrees)) + count
    return _run(_stars, _stars_compiled, steps, order, ends, columns, back)


def _run(
    plain: Callable[..., Ints], compiled: Callable[..., Ints], steps: int, *args: Ints
) -> Ints:
    given = [np.ascontiguousarray(a, np.int64) for a in args]
    return np.asarray((plain if steps <= SMALL else compiled)(*given), np.int64)


def _apart(order: Any, column_ends: Any, rows: Any, ends: Any, columns: Any) -> Any:
    colours = np.full(len(order), -1)
    taken = np.full(len(order) + 1, -1)
    for j in order:
        for p in range(column_ends[j], column_ends[j + 1]):
            for q in range(ends[rows[p]], ends[rows[p] + 1]):
                c = colours[columns[q]]
                if c >= 0:
                    taken[c] = j
        colour = 0
        while taken[colour] == j:
            colour += 1
        colours[j] = colour
    return colours


def _stars(order: Any, ends: Any, columns: Any, back: Any) -> Any:
    """``star`` has the two-coloured star that an edge belongs to, ``hubs`` the vertex in the middle
    of each (-1 as long as it is a single edge); ``first`` and ``of``: which edge of the vertex was
    the first to a neighbour of a colour."""
    count = len(order)
    colours = np.full(count, -1)
    taken = np.full(count + 1, -1)
    treated = np.full(count, -1)
    first = np.full(count + 1, 0)
    of = np.full(count + 1, -1)
    star = np.full(len(columns), -1)
    hubs = np.full(len(columns) + 1, -1)
    made = 0
    for v in order:
        for e in range(ends[v], ends[v + 1]):
            w = columns[e]
            c = colours[w]
            if c < 0:
                continue
            taken[c] = v
            if of[c] == v:  # v gets two neighbours of this colour: it will be a hub
                q = columns[first[c]]
                if treated[q] != v:
                    treated[q] = v
                    for d in range(ends[q], ends[q + 1]):
                        if colours[columns[d]] >= 0:
                            taken[colours[columns[d]]] = v
                treated[w] = v
                for d in range(ends[w], ends[w + 1]):
                    if colours[columns[d]] >= 0:
                        taken[colours[columns[d]]] = v
            else:
                of[c] = v
                first[c] = e
                for d in range(ends[w], ends[w + 1]):
                    x = columns[d]
                    if colours[x] >= 0 and hubs[star[d]] == x:
                        taken[colours[x]] = v
        colour = 0
        while taken[colour] == v:
            colour += 1
        colours[v] = colour
        for e in range(ends[v], ends[v + 1]):
            w = columns[e]
            if colours[w] < 0:
                continue
            found = -1
            for d in range(ends[w], ends[w + 1]):
                if columns[d] != v and colours[columns[d]] == colour and star[d] >= 0:
                    found = d
            if found >= 0:
                hubs[star[found]] = w
                star[e] = star[found]
            elif first[colours[w]] != e:
                hubs[star[first[colours[w]]]] = v
                star[e] = star[first[colours[w]]]
            else:
                star[e] = made
                made += 1
            star[back[e]] = star[e]
    return colours


_apart_compiled = jit(_apart)
_stars_compiled = jit(_stars)

__all__ = ["columns_apart", "stars"]
