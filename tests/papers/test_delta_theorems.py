"""Theorems on every program up to a size: Krawiec et al., Lemma 1 and Theorem 6; the stages of dual
numbers give the same. Small programs find what random ones pass by."""

from __future__ import annotations

from pullback.papers.delta import dense as delta_dense
from pullback.papers.delta import symbolic as delta_symbolic
from pullback.papers.delta.arrays import ARRAY
from pullback.papers.delta.eval import MAP
from pullback.papers.delta.wrapper import gradient
from pullback.papers.dual.forward import push
from tests.papers.dual import STAGES, outcome
from tests.papers.generate import FULL, close, every_program, finite_difference
from tests.papers.test_delta_quaternion import Q0, V0, quaternion

AT, STEP = 0.3, 0.7


def test_every_program() -> None:
    for s in every_program(6 if FULL else 4, higher=True):
        value, slope = push(s, (AT,), (STEP,))
        found, (ct,) = gradient(s, (AT,), 1.0, ARRAY)
        assert found == value and close([ct * STEP], [slope], 1e-9), s
        assert gradient(s, (AT,), 1.0, MAP) == (found, (ct,)), s
        assert close([ct], list(finite_difference(s, (AT,), 1.0)), 1e-5), s
        for name in STAGES if FULL else ("N1", "N2", "N5"):
            out = outcome(STAGES[name], s, (AT,), 1.0)
            assert out.value == value and close(out.cotangents, (ct,), 1e-9), (name, s)


def test_the_early_stages_rotate() -> None:
    """Dense and symbolic deltas do the quaternion of Fig. 12."""
    for k in range(3):
        wanted = gradient(quaternion(k), (Q0, V0), 1.0, ARRAY)
        for stage in (delta_dense.gradient, delta_symbolic.gradient):
            found = stage(quaternion(k), (Q0, V0), 1.0)
            assert found[0] == wanted[0] and close(found[1], wanted[1], 1e-12)
