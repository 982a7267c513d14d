"""The cost theorem, counted: gradient <= BOUND * (function + input), and reads and updates O(1)."""

from typing import Any

import numpy as np
import pytest

from tests import campaign, harness
from tests.programs import Program, corpus
from tests.programs.lists import collected, running_sums
from tests.programs.loops import gather, gradient_in_loop
from tests.programs.updates import update_loop

# One constant for every program and every size, in evaluator steps of the production algorithm.
BOUND = 10.0
LONG = {"gamma_likelihood": 60.0}  # gammainc is one step, its derivative by the shape a series
DUAL_BOUND = 20.0  # of dual numbers: every entry of the tape is a step, and one more backwards
LONG_DUAL = {"gamma_likelihood": 150.0}  # the terms of that series are entries of the tape
# Steps that any gradient may take besides: the cotangent that starts it, the results' tuple.
OVERHEAD = 50

# Real programs are counted in test_scaling; the others in every second shard, as there.
SMOOTH = [
    program for program in corpus()
    if program.argnums and not program.growth and campaign.chosen("cost", program.name, 2)
]  # fmt: skip
IN_SHARD = [program for program in SMOOTH if campaign.chosen("cost", program.name, 4)]


def size_of(args: tuple[Any, ...]) -> int:
    return sum(int(np.size(leaf)) for leaf in harness.leaves(args))


def ratio(program: Program, size: int) -> float:
    args = program.make_args(np.random.default_rng(size), size)
    function = harness.steps(program.f, args) + size_of(args)
    return (harness.steps(program.f, args, "chad") - OVERHEAD) / function


@pytest.mark.parametrize("program", SMOOTH, ids=str)
def test_the_gradient_costs_a_constant_factor(program: Program) -> None:
    found = {size: ratio(program, size) for size in program.sizes}
    bound = LONG.get(program.name, BOUND)
    assert all(value <= bound for value in found.values()), found


@pytest.mark.parametrize("program", IN_SHARD, ids=str)
def test_dual_numbers_cost_a_constant_factor(program: Program) -> None:
    args = program.make_args(np.random.default_rng(8), program.sizes[len(program.sizes) // 2])
    steps = harness.steps(program.f, args, "dual") - OVERHEAD
    bound = LONG_DUAL.get(program.name, DUAL_BOUND)
    assert steps <= bound * (harness.steps(program.f, args) + size_of(args))


def exponent(sizes: list[int], counts: list[float]) -> float:
    """The slope of log(count) over log(size), by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(counts), 1)[0])


def gather_args(n: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    return rng.normal(size=n), rng.integers(0, n, size=n)


def update_args(n: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    return rng.normal(size=n), rng.integers(0, np.arange(1, n + 1))


def pushed_and_popped(x: float, n: int) -> float:
    stack, total, pushed = [x], 0.0, 0
    while stack:
        v = stack.pop()
        total += v * v
        if pushed < n:
            stack.append(v * 0.5)
            stack.append(v * 0.3)
            pushed += 2
    return total


class Sum:
    """A sum of others."""

    def __init__(self, v: float, terms: Any) -> None:
        self.v, self.terms = v, terms

    def plus(self, other: Any) -> Any:
        return Sum(self.v + other.v, [self, other])


def sums_of_sums(xs: list[float]) -> float:
    leaves = [Sum(x, []) for x in xs]
    out = Sum(0.0, [])
    for leaf in leaves:
        twice = leaf.plus(leaf)
        out = out.plus(twice)
    return out.v + sum(t.v for t in out.terms)


@pytest.mark.parametrize("method", ["chad", "dual"])
@pytest.mark.parametrize(
    ("f", "make"),
    [
        (gather, gather_args),
        (update_loop, update_args),
        (gradient_in_loop, gather_args),
        (collected, lambda n: gather_args(n)[:1]),
        (running_sums, lambda n: gather_args(n)[:1]),
        (pushed_and_popped, lambda n: (0.7, n)),
        (sums_of_sums, lambda n: (gather_args(n // 8)[0].tolist(),)),
    ],
    ids=[
        "reads", "updates", "gradients", "appends", "appends and reads", "pushes and pops",
        "objects",
    ],
)
def test_reads_and_updates_in_a_loop_are_linear(f: Any, make: Any, method: str) -> None:
    sizes = [128, 256, 512, 1024, 2048]
    counts = [float(harness.steps(f, make(n), method)) for n in sizes]
    assert exponent(sizes, counts) < 1.05, dict(zip(sizes, counts))


def test_the_exponent_tells_linear_from_quadratic() -> None:
    sizes = [100, 1000, 10000]
    assert exponent(sizes, [7.0 * n + 30 for n in sizes]) < 1.05
    assert exponent(sizes, [n * np.log(n) for n in sizes]) > 1.05
    assert exponent(sizes, [0.01 * n * n + 50 * n for n in sizes]) > 1.05
