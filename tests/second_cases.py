"""What is run in two processes (``tests/second_process.py``): the corpus, the foreign programs, and
random programs, which stand in modules of their own. Each gives the value and the gradient."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import pullback as pb
from tests.foreign.__main__ import FILES
from tests.foreign.__main__ import cases as foreign_cases
from tests.frontend import (
    test_keyed_programs,
    test_random_control,
    test_random_lists,
    test_random_places,
    test_random_tables,
    test_random_updates,
)
from tests.harness import is_real
from tests.programs import corpus as programs

WRITERS: dict[str, Callable[[int], str]] = {
    "control": lambda k: test_random_control.PRELUDE + test_random_control.Writer(k).program(),
    "lists": lambda k: test_random_lists.Writer(k).program(),
    "updates": lambda k: test_random_updates.Writer(k).program(),
    "places": lambda k: test_random_places.Writer(k).program(),
    "tables": lambda k: test_random_tables.Writer(k, 0.5).program(),
    "ordered": test_keyed_programs.program,
}
"""The random programs: their texts by the seed."""


def names(kind: str) -> list[str]:
    """Return the names of all programs of a kind; random ones have no end."""
    match kind:
        case "corpus":
            return [p.name for p in programs()]
        case "foreign":
            return [title for file in FILES for title, _, _ in foreign_cases(file)]
        case _:
            return [f"{kind}_{seed}" for seed in range(40)]


def write(folder: Path, wanted: list[str]) -> None:
    """Write the modules of random programs."""
    for name in wanted:
        kind, _, seed = name.partition("_")
        (folder / f"random_{name}.py").write_text(WRITERS[kind](int(seed)))


Called = Callable[[], object]


def _both(
    name: str, f: Callable[..., Any], given: list[tuple[Any, ...]], by: tuple[int, ...]
) -> Iterator[tuple[str, Called]]:
    def value() -> object:
        return [pb.jit(f)(*copy.deepcopy(args)) for args in given]

    def gradient() -> object:
        of = pb.value_and_grad(f, by if len(by) > 1 else by[0])
        return [of(*copy.deepcopy(args)) for args in given]

    yield f"{name}, value", value
    if by:
        yield f"{name}, gradient", gradient


def corpus(*wanted: str) -> Iterator[tuple[str, Called]]:
    for p in programs():
        if p.name in wanted:
            args = p.make_args(np.random.default_rng(7), max(p.sizes))
            yield from _both(p.name, p.f, [args], p.argnums)


def foreign(*wanted: str) -> Iterator[tuple[str, Called]]:
    for file in FILES:
        for title, f, args in foreign_cases(file):
            if title in wanted:
                by = tuple(k for k, a in enumerate(args) if _has_reals(a))
                yield from _both(title, f, [args], by)


def _has_reals(value: object) -> bool:
    match value:
        case dict():
            return any(map(_has_reals, value.values()))
        case list() | tuple():
            return any(map(_has_reals, value))
        case _ if hasattr(value, "__dict__") and not isinstance(value, type):
            return _has_reals(list(vars(value).values()))
        case _:
            return is_real(value)


def random(*wanted: str) -> Iterator[tuple[str, Called]]:
    for name in wanted:
        f = importlib.import_module(f"random_{name}").f
        more = (3,) * (f.__code__.co_argcount - 1)
        yield from _both(name, f, [(x, *more) for x in (0.7, -1.3, 2.5)], (0,))
