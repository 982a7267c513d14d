"""Second derivatives of the corpus, in all modes: forward over reverse, reverse over reverse,
Taylor coefficients, and differences of gradients.

Three programs in every run, and a shard of the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import campaign, harness
from tests.programs import Program, corpus

ALWAYS = {"record_argument", "reductions", "trampoline"}
EVERY = 120

SMOOTH = [p for p in corpus() if p.argnums and not p.single and not p.growth]
TAKEN = [p for p in SMOOTH if p.name in ALWAYS or campaign.chosen("agreement", p.name, EVERY)]


def is_all_real(program: Program) -> bool:
    """Whether its differentiated arguments have nothing discrete in them: a gradient by such data
    has None there, and cannot be the result of a function that is differentiated."""
    args = program.make_args(np.random.default_rng(0), program.sizes[0])
    chosen = [harness.still(args[i]) for i in program.argnums]
    return all(leaf is not None for leaf in harness.leaves(chosen))


CASES = [p for p in TAKEN if is_all_real(p)]


def second_derivatives(program: Program, size: int) -> dict[str, float]:
    """The second derivative along a direction, by each mode."""
    f, wrt = program.f, program.argnums
    args = program.make_args(np.random.default_rng(size), size)
    rng = np.random.default_rng(1000 + size)
    along = tuple(
        harness.direction(rng, x) if i in wrt else harness.still(x) for i, x in enumerate(args)
    )
    chosen = tuple(along[i] for i in wrt)
    none = harness.map_leaves(lambda t: t if t is None else 0.0 * t, along)
    series = tuple((t, z) if i in wrt else None for i, (t, z) in enumerate(zip(along, none)))
    gradient = pb.grad(f, wrt)

    def inner(gradients: Any) -> float:
        return harness.inner(tuple(gradients), chosen)

    def of_all(products: Any) -> float:
        return inner(products[i] for i in wrt)

    ways: dict[str, Callable[[], Any]] = {
        "hvp": lambda: of_all(pb.hvp(f, args, along)),
        "vhp": lambda: of_all(pb.vhp(f, args, along)),
        "jvp of grad": lambda: inner(pb.jvp(gradient, args, along)[1]),
        "jet": lambda: pb.jet(f, args, series)[1][1],
    }
    try:
        found = {name: float(way()) for name, way in ways.items()}
    except pb.UnsupportedError as error:  # of data inside: docs/LANGUAGE.md, "Not yet"
        assert "has None where these have something" in str(error) or "by nodes" in str(error)
        found = {"jet": float(ways["jet"]())}
    ends = [inner(gradient(*harness.moved(args, along, h))) for h in (1e-5, -1e-5)]
    return found | {"differences": (ends[0] - ends[1]) / 2e-5}


@pytest.mark.parametrize("program", CASES, ids=str)
def test_second_derivatives_agree(program: Program) -> None:
    found = second_derivatives(program, program.sizes[0])
    assert harness.disagreements(found, {"differences": 1e-4}, 1e-9) == []
