"""No pass duplicates work: after each one, the evaluator's steps have not grown.

Recursions, tables and the programs of the corpus, at growing sizes, through the whole pipeline, for
the function and for value and gradient. A factor that grows with the size is the failure; a
constant one has a bound.
"""

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from pullback.call import driver
from pullback.call.driver import Unit
from pullback.call.evaluate import flatten_arguments, run_evaluator
from pullback.call.request import Plan, Request, What
from pullback.core.alike import alike
from pullback.core.terms import Jvp, Vjp
from pullback.core.terms import Program as CoreProgram
from pullback.core.traverse import all_lets
from pullback.pipeline import AD, PIPELINE
from tests.campaign import part
from tests.programs import Program, corpus
from tests.recursions import RECURSIONS, Recursion
from tests.tables import TABLES

BOUND = 2.0
"""The factor by which one pass may make a program slower: others profit from it later."""

GROWTH = 1.1
"""So much larger the factor of a pass may be at the next size."""

FEW = 1.2
"""A factor below this is that of some steps more, at small sizes."""

WITHIN = {"unbox", "ad"}
"""After these stages another one has to follow: unfolded nodes are tuples of many fields, which
flattening takes apart; a gradient has no entry yet."""


Args = tuple[Any, ...]
Counts = list[tuple[str, int]]


def stages(unit: Unit) -> Iterator[tuple[str, CoreProgram, Plan]]:
    """The program after every stage that changes it, and the plan by which it is given its
    arguments."""
    value = unit.special.unit(Request(What.VALUE)).plan
    given = {
        "invariant loads": unit.prepared,
        "ad": unit.derived,
        "entry": lambda p: unit.entry(p, False),
    }  # fmt: skip
    program = last = unit.special.special.program
    planned = value
    yield "front end", program, value
    for k, stage in enumerate(PIPELINE):
        program = unit.source if stage.name == "invariant loads" else program
        chosen = stage.run if stage.run is not None else given[stage.name]
        program = chosen(program)
        plan = value if k < AD else unit.plan
        if stage.name not in WITHIN and not (plan is planned and alike(program, last)):
            yield stage.name, program, plan
            last, planned = program, plan


def counts(f: Callable[..., Any], argnums: tuple[int, ...]) -> Callable[[Args], Counts]:
    """The steps of the evaluator after every stage, by arguments; compiled once for each kind of
    them."""
    request = Request(What.VALUE_AND_GRADIENT if argnums else What.VALUE, argnums)
    known: dict[Unit, list[tuple[str, CoreProgram, Plan]]] = {}

    def counted(args: Args) -> Counts:
        def use(function: FunctionType, unit: Unit) -> Counts:
            if unit not in known:
                known[unit] = list(stages(unit))
            values = unit.special.values(function, args)
            return [(name, steps(p, plan, values)) for name, p, plan in known[unit] if is_run(p)]

        return driver.using(f, args, request, use)

    return counted


def is_run(program: CoreProgram) -> bool:
    """Whether the evaluator runs the program: derivative terms are code first."""
    lets = (let for f in program.functions.values() for let in all_lets(f.body))
    return not any(isinstance(let.op, Vjp | Jvp) for let in lets)


def steps(program: CoreProgram, plan: Plan, values: Sequence[object]) -> int:
    """The steps of the evaluator."""
    flat = flatten_arguments(plan, copy.deepcopy(values))
    return run_evaluator(program, flat, plan.cells)[1]


def factors(counted: Counts, argnums: tuple[int, ...]) -> dict[str, float]:
    """Return the factor by which every stage makes the program slower (except from the function to
    the gradient)."""
    pairs = pairwise(counted)
    return {
        name: after / before for (_, before), (name, after) in pairs
        if name != "entry" or not argnums
    }


def grown(f: Callable[..., Any], argnums: tuple[int, ...], runs: Iterable[Args]) -> list[str]:
    """The stages that make the program slower by much, or by more and more at each size. Sizes
    are taken as long as there is doubt: a few steps more in each round show at small sizes, too."""
    counted, before, doubts = counts(f, argnums), None, []
    for args in runs:
        now = factors(counted(args), argnums)
        slow = [f"{name}: {x:.2f}" for name, x in now.items() if x > BOUND]
        if slow:
            return slow
        if before is not None:
            doubts = [
                f"{name}: {before.get(name, 1.0):.2f}, {x:.2f}" for name, x in now.items()
                if x > max(FEW, GROWTH * before.get(name, 1.0))  # 1: it has changed nothing there
            ]
            if not doubts:
                break
        before = now
    return doubts


@pytest.mark.parametrize("f", RECURSIONS, ids=lambda f: f.__name__)
def test_no_pass_makes_recursions_slower(f: Recursion) -> None:
    assert grown(f, (0,), [(0.5, 2), (0.5, 5), (0.5, 8)]) == []


@pytest.mark.parametrize("f", TABLES, ids=lambda f: f.__name__)
def test_no_pass_makes_tables_slower(f: Recursion) -> None:
    assert grown(f, (0,), [(0.5, 8), (0.5, 32), (0.5, 128)]) == []


@pytest.mark.parametrize("program", part("work", corpus(), 40, core=(7, 207)), ids=str)
def test_no_pass_makes_programs_slower(program: Program) -> None:
    sizes = program.growth or (program.sizes[0], program.sizes[-1], 4 * program.sizes[-1])
    runs = (program.make_args(np.random.default_rng(n), n) for n in sizes)
    assert grown(program.f, program.argnums, runs) == []
