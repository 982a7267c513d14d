"""The theorems on every well-typed program up to a size, not only on random ones.

Sizes are those of a term's constructors, over one real argument and the types R, R * R, R + R and
R -> R; the campaign "papers" takes every size one or two further.
"""

from __future__ import annotations

import random

import pytest

from pullback.papers import load
from pullback.papers.chad.program import check_chad
from pullback.papers.chad.types import t2
from pullback.papers.closure_conversion import convert
from pullback.papers.delta.arrays import ARRAY
from pullback.papers.delta.wrapper import gradient
from pullback.papers.dual.forward import push
from pullback.papers.language.eval import evaluate
from pullback.papers.language.terms import Source
from pullback.papers.language.values import Zero
from pullback.papers.methods import METHODS, run
from tests import campaign
from tests.papers.chad_tools import apart, sparse_cotangent, theorem
from tests.papers.generate import FULL, close, every_program

load()
POINT = (0.7,)
SLOWER = 2 if FULL else 0


def dens(source: Source, seed: int) -> list[tuple[object, ...]]:
    """The zero environment, and a random one."""
    rng = random.Random(seed)
    return [tuple(0.0 if t2(t).name == "L" else Zero(t2(t)) for _, t in source.context),
            tuple(sparse_cotangent(t, a, rng) for (_, t), a in zip(source.context, POINT))]


def test_th1_and_th2() -> None:
    worst = 0.0
    for k, source in enumerate(every_program(5 + SLOWER)):
        source = apart(source)
        for den in dens(source, k):
            found = theorem(source, POINT, 1.0, den)
            assert found.th1 <= 34 * found.cost and found.th2 <= found.bound
            assert found.value == evaluate(source.body, {"x": 0.7})[0]  # primal preservation
            worst = max(worst, found.th1 / found.cost)
    assert 10 < worst < 34


def test_types_and_casts() -> None:
    for source in every_program(5 + SLOWER // 2, higher=True):
        check_chad(convert(apart(source)))


@pytest.mark.parametrize("higher", [False, True], ids=["first order", "higher order"])
def test_all_methods_agree(higher: bool) -> None:
    size = (3 if higher else 4) + SLOWER
    for k, source in enumerate(every_program(size, higher)):
        wanted = run("chad.closures", source, POINT, 1.0)
        for name, method in METHODS.items():
            if campaign.chosen("papers", f"{name}, {k}", 6) and not method.supports(source):
                found = run(name, source, POINT, 1.0)
                assert found.value == wanted.value, name
                assert close(found.cotangents, wanted.cotangents), name


def test_at_most_once_and_lemma_1() -> None:
    for source in every_program(4 + SLOWER, higher=True):
        for stage in ("dual.staged", "dual.cayley", "dual.mutable"):
            assert max(run(stage, source, POINT, 1.0).machine.calls, default=0) <= 1
        _, tangent = push(source, POINT, (1.0,))
        (cotangent,) = gradient(source, POINT, 1.0, ARRAY)[1]
        assert close(tangent, cotangent)
