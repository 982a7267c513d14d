"""Real programs at sizes over two decades: what a gradient costs beside its function, counted.

Counted are the steps of the evaluator of Core, and the instructions of the loop code that becomes
machine code. Neither depends on the machine; ``benchmarks/scaling.py`` measures the time.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from pullback.call import evaluate
from pullback.core.recursion import recursion_limit
from pullback.core.terms import Program as CoreProgram
from pullback.lower import lanes
from pullback.lower.values import NotInLanes
from tests import campaign, harness
from tests.lower import agreement
from tests.programs import Program, corpus

# One constant for every program and every size.
BOUND = 6.0
INSTRUCTIONS_BOUND = 8.0
# What any gradient may take besides: its seed, the results' tuple, the first blocks of memory.
OVERHEAD = 100
MEMORY = 1 << 23

REAL = [program for program in corpus() if program.growth]


def arguments(program: Program, size: int) -> tuple[Any, ...]:
    return program.make_args(np.random.default_rng(size), size)


def sizes(program: Program, few: int, many: int) -> tuple[int, ...]:
    """The first sizes at which a program is counted: more of them for those in the shard."""
    more = campaign.chosen("cost", program.name, 6)
    return program.growth[: many if more else few]


def ratio(program: Program, size: int) -> float:
    """Return the counted gradient over the counted function and the size of the gradient."""
    args = arguments(program, size)
    function = harness.steps(program.f, args) + harness.gradient_size(args, program.argnums)
    return (harness.steps(program.f, args, "chad") - OVERHEAD) / function


@pytest.mark.parametrize(
    "program", [p for p in REAL if campaign.chosen("cost", p.name, 4)], ids=str
)
def test_steps_of_the_gradient_scale_as_the_function(program: Program) -> None:
    found = {size: round(ratio(program, size), 2) for size in sizes(program, 2, 3)}
    assert all(value <= BOUND for value in found.values()), found


def by_loop_code(program: CoreProgram, args: Sequence[Any]) -> tuple[list[Any], int]:
    """Like ``core.eval.evaluate``, but by the loop code, counting its instructions."""
    results, machine, _ = agreement.run(program, args, MEMORY)
    return results, machine.steps


def not_in_lanes(*args: Any) -> Any:
    raise NotInLanes


@pytest.mark.parametrize(
    "program", [p for p in REAL if campaign.chosen("cost", p.name, 4)], ids=str
)
def test_instructions_of_the_gradient_scale_as_those_of_the_function(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without lanes: a function may run 8 iterations at a time where its reverse sweep does not."""
    monkeypatch.setattr(evaluate, "evaluate", by_loop_code)
    monkeypatch.setattr(lanes.Parallel, "_vector", not_in_lanes)
    with recursion_limit(50_000):  # the evaluator of loop code recurses where the program does
        found = {size: round(ratio(program, size), 2) for size in sizes(program, 1, 2)}
    assert found and all(value <= INSTRUCTIONS_BOUND for value in found.values()), found
