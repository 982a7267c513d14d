"""What products with derivatives cost, counted in steps of the evaluator: bars for all programs.
``benchmarks/operators.py`` measures them, also where lanes make the difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb
from benchmarks import operators
from tests import modes
from tests.programs import examples

PROGRAMS = {"kalman": (10, 6.0), "force_field": (30, 6.0), "robot_arm": (10, 6.0),
            "kepler": (10, 7.0), "hamiltonian": (20, 7.0), "epidemic": (10, 9.5)}  # fmt: skip
"""The size, and how many functions a Hessian-vector product may cost. The bar is 6: what misses it
has a dearer gradient (3 to 4 functions), of which a product takes up to 2.5."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_examples(name: str) -> None:
    size, bar = PROGRAMS[name]
    d = modes.Direction.of(examples.program_of(name), size)

    def product(*args: Any) -> Any:
        return pb.hvp(d.f, args, d.along)

    function, gradient = pb.cost(d.f, *d.args), pb.cost(pb.grad(d.f, d.wrt), *d.args)
    assert pb.cost(d.slope, *d.args) <= 2.5 * function
    assert pb.cost(product, *d.args) <= min(bar * function, 2.5 * gradient)


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
