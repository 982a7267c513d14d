"""The pattern of a Jacobian, from dependence runs (``ad/dependence.py``).

A run tells which of some tens of groups of inputs each result depends on. The groups are refined:

    1. all inputs are one group, on which every result depends
    2. groups that meet in no result get the same colour, and are told apart by the result
    3. the bits of a word are divided among the colours: each group is split into as many parts
    4. a run shows which parts each result depends on; on with 2., until a group is one input

So a pattern with k colours takes about log n / log(52 / k) runs, not n / 52. Hierarchical seeding
like this is what CasADi does (Andersson, Gillis, Horn, Rawlings and Diehl, 2019, section 3.6).

The runs of a call say whether the pattern is that of the last call: each is repeated, and as long
as its words are the same as they were, so is everything that follows from them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pullback.api.colouring import columns_apart

Array = np.ndarray[Any, np.dtype[Any]]
Run = Callable[[Array], Array]
"""From the word of each input to the word of each result."""


class Directions(NamedTuple):
    """What the last matrix took: ``mode`` is "forward" or "reverse", ``derivatives`` the
    number of directional derivatives, ``runs`` the number of dependence runs that the pattern took.
    """

    mode: str
    derivatives: int
    runs: int


@dataclass(frozen=True, slots=True)
class Level:
    """One refinement: the words of the inputs for each run, and what the results had for words."""

    seeds: tuple[Array, ...]
    words: tuple[Array, ...]
    rows: Array
    groups: Array
    bounds: Array


@dataclass(frozen=True, slots=True)
class Pattern:
    """The places that are not known to be zero, row by row, and how they were found."""

    ends: Array
    columns: Array
    levels: tuple[Level, ...]

    @property
    def rows(self) -> Array:
        """Return the row of each place."""
        return np.repeat(np.arange(len(self.ends) - 1), np.diff(self.ends))

    @property
    def runs(self) -> int:
        """Return how many dependence runs the pattern took."""
        return sum(len(level.seeds) for level in self.levels)

    @staticmethod
    def of(rows: Array, columns: Array, count: int, levels: tuple[Level, ...] = ()) -> Pattern:
        """Return the pattern that has these places, in any order."""
        order = np.lexsort((columns, rows))
        ends = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=count))))
        return Pattern(ends, columns[order], levels)


def pattern(run: Run, inputs: int, results: int, width: int, known: Pattern | None) -> Pattern:
    """Return the pattern at this point; ``width``: how many bits a word has, ``known``: the pattern
    of an earlier point, which is returned if it is that of this one too."""
    bounds = np.array([0, inputs])
    rows, groups = np.arange(results), np.zeros(results, np.int64)
    levels: list[Level] = []
    before = known.levels if known is not None else ()
    same = True
    while np.max(np.diff(bounds), initial=0) > 1 or not levels:
        old = before[len(levels)] if same and len(levels) < len(before) else None
        if old is not None:
            words = tuple(run(seed) for seed in old.seeds)
            if all(map(np.array_equal, words, old.words)):
                levels.append(old)
                rows, groups, bounds = old.rows, old.groups, old.bounds
                continue
            same = False
        levels.append(_refined(run, rows, groups, bounds, width))
        rows, groups, bounds = levels[-1].rows, levels[-1].groups, levels[-1].bounds
    if same and known is not None:
        return known
    return Pattern.of(rows, groups, results, tuple(levels))


def _refined(run: Run, rows: Array, groups: Array, bounds: Array, width: int) -> Level:
    """Return the next refinement."""
    count = len(bounds) - 1
    colours = _colours(rows, groups, count)
    parts = max(2, width // (int(np.max(colours, initial=0)) + 1))
    sizes = np.diff(bounds)
    pieces = np.minimum(sizes, parts)
    firsts = np.concatenate(([0], np.cumsum(pieces)))  # the first part of each group
    parent = np.repeat(np.arange(count), pieces)
    place = np.arange(firsts[-1]) - firsts[parent]
    finer = bounds[parent] + place * sizes[parent] // np.maximum(pieces[parent], 1)
    finer = np.concatenate((finer, bounds[-1:]))
    at_once = width // parts
    seeds: list[Array] = []
    words: list[Array] = []
    found: list[tuple[Array, Array]] = []
    for start in range(0, int(np.max(colours, initial=0)) + 1, at_once):
        here = (colours[parent] >= start) & (colours[parent] < start + at_once)
        bit = (colours[parent] - start) * parts + place
        word = np.where(here, 1.0 + np.ldexp(1.0, np.where(here, -1 - bit, 0)), 0.0)
        seeds.append(np.repeat(word, np.diff(finer)))
        words.append(run(seeds[-1]))
        bits = _bits(words[-1])
        mine = (colours[groups] >= start) & (colours[groups] < start + at_once)
        row, group = rows[mine], groups[mine]
        shift = (colours[group] - start) * parts
        for part in range(parts):
            inside = part < pieces[group]
            hit = inside & ((bits[row] >> (51 - np.minimum(shift + part, 51))) & 1 == 1)
            found.append((row[hit], firsts[group[hit]] + part))
    return Level(
        tuple(seeds), tuple(words), np.concatenate([r for r, _ in found]),
        np.concatenate([g for _, g in found]), finer,
    )  # fmt: skip


def _bits(words: Array) -> Array:
    """Return the members of sets, as bits of an int."""
    return words.view(np.int64) & ((1 << 52) - 1)


def _colours(rows: Array, groups: Array, count: int) -> Array:
    """Return colours such that groups of one colour meet in no row."""
    if count == 1:
        return np.zeros(1, np.int64)
    places = Pattern.of(rows, groups, int(np.max(rows, initial=-1)) + 1)
    return columns_apart(places.ends, places.columns, count)


__all__ = ["Directions", "Pattern", "Run", "pattern"]
