"""The corpus: readable programs, each the smallest honest use of one part of the language.

Every program runs as plain Python and NumPy. The agreement test runs each through every tier and
every kind of derivative; the cost test counts its steps.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator


@dataclass(frozen=True)
class Program:
    """One program of the corpus.

    ``make_args(rng, n)`` makes arguments of size about ``n``, away from kinks. ``argnums`` are the
    arguments that are differentiated; empty where the program is about values only (structured or
    discrete results). ``single`` marks arithmetic in float32, compared with its own tolerance.
    ``growth`` are the sizes at which a real program is counted and timed (over two decades of its
    work where that is feasible); small programs about one construct have none.
    """

    name: str
    f: Callable[..., Any]
    make_args: Callable[[Generator, int], tuple[Any, ...]]
    argnums: tuple[int, ...] = (0,)
    sizes: tuple[int, ...] = (3, 8, 32)
    growth: tuple[int, ...] = ()
    single: bool = False

    def __str__(self) -> str:
        return self.name


def real(
    name: str,
    f: Callable[..., Any],
    make_args: Callable[[Generator, int], tuple[Any, ...]],
    argnums: tuple[int, ...] = (0,),
    sizes: tuple[int, ...] = (3, 8),
    growth: tuple[int, ...] = (10, 100, 1000),
) -> Program:
    """A program that solves a whole problem: its growth is counted and timed."""
    return Program(name, f, make_args, argnums, sizes, growth=growth)


def corpus() -> list[Program]:
    """Return all programs, in the order of the language's table."""
    from tests.programs import (
        arrays,
        automata,
        captured,
        codata,
        combinators,
        control,
        derivatives,
        dicts,
        dp,
        dynamics,
        enums,
        examples,
        finance,
        flags,
        functions,
        generators,
        generics,
        geometry,
        hash_tables,
        interpreters,
        iterators,
        library,
        linear,
        lists,
        loops,
        numerics,
        objects,
        optionals,
        patterns,
        persistent,
        records,
        rows,
        scalars,
        sentinels,
        shared,
        standard,
        statistics,
        tables,
        trees,
        unions,
        unset,
        updates,
        walrus,
    )

    rooms = (
        scalars, functions, control, records, loops, unset, arrays, linear, combinators, updates,
        unions, optionals, patterns, walrus, lists, rows, tables, dicts, standard, library,
        numerics, dynamics, statistics, geometry, dp, finance, trees, generics, interpreters,
        derivatives, enums, captured, examples, codata, automata, persistent, iterators, flags,
        generators, hash_tables, objects, shared, sentinels,
    )  # fmt: skip
    programs = [program for room in rooms for program in room.PROGRAMS]
    names = [program.name for program in programs]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice, f"programs share a name: {twice}"
    return programs
