"""What products with derivatives cost, counted in steps of the evaluator: bars for all programs.
``benchmarks/operators.py`` measures them, also where lanes make the difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb
from benchmarks import operators
from tests import campaign, harness
from tests.modes import Direction
from tests.programs import Program, corpus, examples
from tests.test_scaling import OVERHEAD

PROGRAMS = {"kalman": 10, "force_field": 30, "robot_arm": 10, "kepler": 10, "gaussian_process": 6,
            "hamiltonian": 20, "epidemic": 10}  # fmt: skip
"""The sizes at which they are counted."""

BAR = 6.0
DEARER = {
    # rounds of a few products and sums: each value is kept and read again, its tangent too
    "epidemic": 7.3, "secant_roots": 6.5, "implied_volatilities": 6.2, "predator_prey": 6.1,
    # small arrays: what names, allocates and reads their cells costs more than the arithmetic
    "hamiltonian": 6.2, "mean_shift": 6.3, "interval_polynomial": 7.6,
    # the function is made of derivatives itself
    "influence": 8.8, "ridge": 6.8,
}  # fmt: skip
"""How many functions a Hessian-vector product may cost where it is more than 6."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_examples(name: str) -> None:
    d = Direction.of(examples.program_of(name), PROGRAMS[name])

    def product(*args: Any) -> Any:
        return pb.hvp(d.f, args, d.along)

    function, gradient = pb.cost(d.f, *d.args), pb.cost(pb.grad(d.f, d.wrt), *d.args)
    assert pb.cost(d.slope, *d.args) <= 2.5 * function
    assert pb.cost(product, *d.args) <= min(DEARER.get(name, BAR) * function, 2.5 * gradient)


def is_flat(program: Program) -> bool:
    """Whether it has growth, and numbers and arrays only (trees and lists of the user's go through
    vectors, which may cost more than what the function does with them)."""
    args = Direction.of(program, program.growth[0]).args if program.growth else (None,)
    return all(isinstance(x, bool | int | float | np.ndarray) for x in args)


SHARD = [p for p in corpus() if campaign.chosen("cost", p.name, 40) and is_flat(p)]


@pytest.mark.parametrize("program", SHARD, ids=str)
def test_products_of_the_corpus(program: Program) -> None:
    d = Direction.of(program, program.growth[0])
    size = harness.gradient_size(d.args, d.wrt)

    def product(*args: Any) -> Any:
        return pb.hvp(d.f, args, d.along)

    function, gradient = pb.cost(d.f, *d.args), pb.cost(pb.grad(d.f, d.wrt), *d.args)
    found = pb.cost(product, *d.args) - OVERHEAD
    assert found <= DEARER.get(program.name.removeprefix("examples/"), BAR) * (function + size)
    assert found <= (2.7 if "influence" in program.name else 2.5) * (gradient + size)


@pytest.mark.parametrize("f", [operators.perceptron, operators.weather], ids=lambda f: f.__name__)
def test_the_benchmarks_programs(f: Any) -> None:
    found = {
        name: float(pb.cost(g, operators.POINTS[f], operators.POINTS[f]))
        for name, g in operators.derivatives(f, pb).items()
        if name not in ("hessian", "jacfwd")
    }
    for name, (ratio, bar) in operators.ratios(found, 40).items():
        assert ratio <= bar, (name, ratio)


def test_a_diagonal_hessian_takes_one_product() -> None:
    hessian = pb.sparse_hessian(operators.separate)
    x = np.linspace(-1.0, 1.0, 50)
    assert hessian(x).nnz == 50 and hessian.directions.derivatives == 1
