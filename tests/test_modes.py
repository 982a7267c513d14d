"""All modes agree, by the dot-product test: along a direction, reverse mode, its halves, dual
numbers, forward mode and Taylor arithmetic give one number, of the first, second and third order
(Lemma 1 of Krawiec et al., 2022), to 1e-12 relative.

A few programs in every run, and a shard of the corpus."""

from __future__ import annotations

import pytest

from tests import campaign, harness, modes
from tests.programs import Program, corpus

ALWAYS = {"record_argument", "reductions", "trampoline"}
EVERY = 160

SMOOTH = [p for p in corpus() if p.argnums]
CASES = [p for p in SMOOTH if p.name in ALWAYS or campaign.chosen("agreement", p.name, EVERY)]


@pytest.mark.parametrize("program", CASES, ids=str)
def test_all_modes_agree(program: Program) -> None:
    d = modes.Direction.of(program, program.sizes[0])
    allowed = 2e-5 if program.single else 1e-12
    size = 0.0  # the largest derivative so far: those after it are rounded sums of such terms
    for order, ways in ((1, modes.first), (2, modes.second), (3, modes.third)):
        found = modes.values(ways(d))
        assert modes.apart(found, size) <= allowed, (order, size, found)
        assert order > 1 or {"grad", "pullback", "jvp", "dual numbers"} <= set(found)
        size = max(size, *map(abs, found.values())) if found else size


def test_differences_agree_with_the_second_derivative() -> None:
    (program,) = (p for p in SMOOTH if p.name == "reductions")
    d = modes.Direction.of(program, program.sizes[0])
    ends = [
        harness.inner(modes.gradient(d, *harness.moved(d.args, d.along, h)), d.chosen)
        for h in (1e-5, -1e-5)
    ]
    found = {"hvp": d.inner(d.products(*d.args)), "differences": (ends[0] - ends[1]) / 2e-5}
    assert harness.disagreements(found, {"differences": 1e-6}, 0.0) == []


def test_a_difference_is_told() -> None:
    assert modes.apart({"a": 1.0, "b": 1.0 + 3e-12}) > 1e-12
    assert modes.apart({"a": 0.0, "b": 1e-300}) == 1.0
    assert modes.apart({"a": float("nan"), "b": 1.0}) == float("inf")
    assert modes.apart({"a": float("nan"), "b": float("nan")}) == 0.0
