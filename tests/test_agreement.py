"""Every program, every way to its value and to its derivative: a disagreement names the pair.

In every second shard each program goes through Python, the native gradient with its value, finite
differences, and one way of the evaluator (``EVALUATED``), another one in each turn; the other ways
natively in a shard of the programs. ``make campaign-agreement``: all ways of all of them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import campaign, harness
from tests.programs import Program, corpus
from tests.programs.scalars import TWICE

ALL = [(program, size) for program in corpus() for size in program.sizes]
EVALUATED = ("value", "", "reverse", "", "forward", "", "dual", "")
"""What the evaluator computes of a program whose gradient is compiled; between two of them, the
gradient is not compiled."""
DIRECTIONS = 2
EVERY = 24


def evaluated(program: Program) -> Sequence[str]:
    """The ways of the evaluator that are chosen for a program in this run."""
    return campaign.rotated("agreement", program.name, EVALUATED)


SMOOTH = [
    (program, size) for program, size in ALL if program.argnums and any(evaluated(program))
]  # fmt: skip
# Real programs are compiled once, for their values and gradients together.
CASES = [
    (program, size) for program, size in ALL
    if not program.growth and (not program.argnums or "value" in evaluated(program))
]  # fmt: skip


def name_of(case: Any) -> str:
    return str(case)


def arguments(program: Program, size: int) -> tuple[Any, ...]:
    return program.make_args(np.random.default_rng(size), size)


def exactness(program: Program) -> float:
    """Rounding only: sums may be taken in another order."""
    return 2e-5 if program.single else 1e-11


def tier_of(program: Program) -> str:
    """Return the tier of ways other than the gradient: those of one request share the compiled
    code."""
    native = not program.argnums or campaign.chosen("agreement", program.name, EVERY)
    return "native" if native else "eval"


@pytest.mark.parametrize(("program", "size"), CASES, ids=name_of)
def test_values_agree(program: Program, size: int) -> None:
    args = arguments(program, size)
    tiers = {"python", "eval", tier_of(program)}
    values = {tier: harness.run(program.f, args, tier) for tier in sorted(tiers)}
    assert harness.disagreements(values, {}, exactness(program)) == []


@pytest.mark.parametrize(("program", "size"), SMOOTH, ids=name_of)
def test_derivatives_agree(program: Program, size: int) -> None:
    args = arguments(program, size)
    native_value, native = harness.gradient(program.f, args, program.argnums, "native")
    exact, ways = exactness(program), evaluated(program)
    values = {"python": program.f(*args), "native gradient": native_value}
    gradients = {"native reverse": native}

    def compute(name: str, tier: str, method: str = "chad") -> None:
        found = harness.gradient(program.f, args, program.argnums, tier, method)
        values[name], gradients[name] = found

    if (tier := tier_of(program)) == "native":
        compute("dual numbers", tier, "dual")
    if "reverse" in ways:
        compute("evaluated reverse", "eval")
    if "dual" in ways and size == program.sizes[0]:
        compute("evaluated dual numbers", "eval", "dual")
    assert harness.disagreements(values, {}, exact) == []
    assert harness.disagreements(gradients, {}, exact) == []

    rng = np.random.default_rng(1000 + size)
    for _ in range(DIRECTIONS):
        tangents = tuple(
            harness.direction(rng, arg) if i in program.argnums else harness.still(arg)
            for i, arg in enumerate(args)
        )
        chosen = tuple(tangents[i] for i in program.argnums)
        derivatives = {name: harness.inner(found, chosen) for name, found in gradients.items()}
        derivatives["finite differences"] = harness.difference(program.f, args, tangents)
        if tier == "native" or "forward" in ways:
            found = harness.forward(program.f, args, tangents, tier)
            derivatives["forward mode"] = float(found)
        rough = {"finite differences": 1e-3 if program.single else 1e-7}
        assert harness.disagreements(derivatives, rough, 10 * exact) == []


@pytest.mark.parametrize(("program", "size"), SMOOTH, ids=name_of)
def test_gradients_have_the_shape_of_their_arguments(program: Program, size: int) -> None:
    args = arguments(program, size)
    before = harness.map_leaves(
        lambda leaf: leaf.copy() if isinstance(leaf, np.ndarray) else leaf, args
    )
    _, gradients = harness.gradient(program.f, args, program.argnums, "native")
    zeros = harness.still(tuple(args[i] for i in program.argnums))
    scaled = harness.map_leaves(lambda zero, g: g if zero is None else 0.0 * g, zeros, gradients)
    assert harness.distance(scaled, zeros) == 0.0
    assert harness.distance(args, before) == 0.0, "the arguments were changed"


@pytest.mark.parametrize(("f", "second"), TWICE, ids=lambda f: f.__name__)
def test_second_derivatives_agree(f: Any, second: Any) -> None:
    for x in (-1.3, 0.2, 0.9):
        nested = pb.grad(pb.grad(f))(x)
        assert harness.disagreements({"grad(grad)": nested, "by hand": second(x)}, {}, 1e-11) == []


def test_a_wrong_derivative_is_caught() -> None:
    """The comparison itself can fail, and names the pair."""

    def f(x: float) -> float:
        return x * x

    derivatives = {
        "right": 3.0,
        "wrong": 3.0001,
        "differences": harness.difference(f, (1.5,), (1.0,)),
    }
    assert harness.disagreements(derivatives, {"differences": 1e-7}, 1e-11) == [
        "right and wrong differ by 1.43e-05 (allowed 1e-11)",
        "wrong and differences differ by 1.43e-05 (allowed 1e-07)",
    ]
    assert harness.distance((1.0, None), (1.0, 0.0)) == float("inf")
    assert harness.distance(np.zeros(2), np.zeros(3)) == float("inf")
    assert harness.distance(float("nan"), 0.0) == float("inf")
