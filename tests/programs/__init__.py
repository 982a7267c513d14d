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
    """

    name: str
    f: Callable[..., Any]
    make_args: Callable[[Generator, int], tuple[Any, ...]]
    argnums: tuple[int, ...] = (0,)
    sizes: tuple[int, ...] = (3, 8, 32)
    single: bool = False

    def __str__(self) -> str:
        return self.name


def corpus() -> list[Program]:
    """All programs, in the order of the language's table."""
    from tests.programs import (
        arrays,
        combinators,
        control,
        functions,
        linear,
        lists,
        loops,
        optionals,
        records,
        scalars,
        standard,
        unions,
        updates,
    )

    rooms = (
        scalars, functions, control, records, loops, arrays, linear, combinators, updates, unions,
        optionals, lists, standard,
    )  # fmt: skip
    programs = [program for room in rooms for program in room.PROGRAMS]
    names = [program.name for program in programs]
    assert len(set(names)) == len(names), "two programs share a name"
    return programs
