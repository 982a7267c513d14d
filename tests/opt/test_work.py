"""No pass duplicates work: after each one, the evaluator's steps have not grown.

The recursions and the programs of the corpus, at two sizes, through the whole pipeline, for the
function and for value and gradient. A factor that grows with the size is the failure; a constant
one has a bound.
"""

import copy
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from pullback import driver
from pullback.calls import flatten_arguments, run_evaluator
from pullback.core.terms import Program as CoreProgram
from pullback.driver import Unit
from pullback.pipeline import AD, PIPELINE
from pullback.plans import Plan, Request, What
from tests.campaign import part
from tests.programs import Program, corpus
from tests.recursions import RECURSIONS, Recursion

BOUND = 2.0
"""By so much one pass may make a program slower: others make it good, for which it prepares."""

GROWTH = 1.1
"""So much larger the factor of a pass may be at the larger size."""

FEW = 1.2
"""A factor below this is that of some steps more, at small sizes."""

WITHIN = {"unfold", "ad"}
"""After these stages another one has to follow: unfolded nodes are tuples of many fields, which
flattening takes apart; a gradient has no entry yet."""


def stages(unit: Unit) -> list[tuple[str, CoreProgram, Plan]]:
    """The program after every stage, and the plan by which it is given its arguments."""
    value = unit.special.unit(Request(What.VALUE)).plan
    given = {
        "unchanged": unit.prepared, "ad": unit.derived, "entry": lambda p: unit.entry(p, False)
    }  # fmt: skip
    program = unit.special.special.program
    found = [("front end", program, value)]
    for k, stage in enumerate(PIPELINE):
        program = unit.source if stage.name == "unchanged" else program
        chosen = stage.run if stage.run is not None else given[stage.name]
        program = chosen(program)
        if stage.name not in WITHIN:
            found.append((stage.name, program, value if k < AD else unit.plan))
    return found


def steps(program: CoreProgram, plan: Plan, values: Sequence[object]) -> int:
    """The steps of the evaluator."""
    flat = flatten_arguments(plan, copy.deepcopy(values))
    return run_evaluator(program, flat, plan.cells)[1]


def grown(
    f: Callable[..., Any], argnums: tuple[int, ...], runs: Sequence[Sequence[Any]]
) -> list[str]:
    """The stages after which the program takes more steps than before, with the arguments of two
    sizes."""
    what = What.VALUE_AND_GRADIENT if argnums else What.VALUE

    def counted(function: FunctionType, unit: Unit) -> list[tuple[str, list[int]]]:
        out = []
        for name, program, plan in stages(unit):
            values = [unit.special.values(function, args) for args in runs]
            try:
                out.append((name, [steps(program, plan, v) for v in values]))
            except NotImplementedError:  # derivative terms are evaluated when they are code
                assert not out or out[-1][0] != "entry"
        return out

    found = driver.using(f, runs[0], Request(what, argnums), counted)
    wrong = []
    for (_, before), (name, after) in zip(found, found[1:]):
        if name == "entry" and argnums:
            continue  # from the function to the gradient
        small, large = (y / x for x, y in zip(before, after, strict=True))
        if max(small, large) > BOUND or large > max(FEW, GROWTH * small):
            wrong.append(f"{name}: {before} -> {after}")
    return wrong


@pytest.mark.parametrize("f", RECURSIONS, ids=lambda f: f.__name__)
def test_no_pass_makes_recursions_slower(f: Recursion) -> None:
    assert grown(f, (0,), [(0.5, 2), (0.5, 5)]) == []


@pytest.mark.parametrize("program", part(corpus(), 40, 7), ids=str)
def test_no_pass_makes_programs_slower(program: Program) -> None:
    sizes = program.growth[:2] or (program.sizes[0], program.sizes[-1])
    runs = [program.make_args(np.random.default_rng(n), n) for n in sizes]
    assert grown(program.f, program.argnums, runs) == []
