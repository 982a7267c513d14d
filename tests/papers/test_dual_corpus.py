"""The corpus by the methods of dual numbers, of Krawiec et al. and of The Differentiable Curry: the
whole language (section 10 of the dual-numbers paper), against forward mode and differences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call.by_method import method_names
from pullback.papers.language.machine import Machine, OutOfSteps
from tests.harness import difference, direction, distance, inner, is_real, leaves, still
from tests.papers.conformance import claim
from tests.papers.generate import FULL
from tests.programs import Program, corpus

METHODS = [m for m in method_names() if m.split(".")[0] in ("dual", "delta", "curry")]
PROGRAMS = [p for p in corpus() if p.argnums and not p.single]
PARTS = 8
EXPONENTIAL = ("dual.naive", "delta.symbolic", "delta.towers", "curry.simple", "curry.dependent",
               "curry.erased")  # fmt: skip
"""Stages that a loop of a hundred steps, or functions of functions, can keep busy for ever."""
REFUSED = ("a derivative inside a function", "updates inside lists", "language has no",
           "tangents of", "values of type", "declared data types", "functions that call each other",
           "has no derivative by argument", "that there is not")


def gradients(p: Program, args: tuple[Any, ...], method: str) -> Any:
    """Value and gradients by a method; None if the program is not in its source language."""
    try:
        return pb.value_and_grad(p.f, p.argnums, method=method)(*args)
    except NotImplementedError as e:
        assert isinstance(e, pb.PullbackError) and any(r in str(e) for r in REFUSED), e
        return None


def moves(p: Program, args: tuple[Any, ...]) -> tuple[Any, ...]:
    rng = np.random.default_rng(5)
    return tuple(direction(rng, a) if i in p.argnums else still(a) for i, a in enumerate(args))


def compare(programs: list[Program], every: bool, monkeypatch: pytest.MonkeyPatch) -> int:
    """Programs by the tape and by forward mode, each by one more method or by ``every`` one: how
    many of them the tape takes."""
    done = 0
    for k, p in enumerate(programs):
        args = p.make_args(np.random.default_rng(1), 3)
        reals = sum(np.size(x) for x in leaves(args) if is_real(x))
        wanted = gradients(p, args, "forward") if every or reals <= 12 else None
        if wanted is None:
            continue
        slopes = wanted[1]
        steps = moves(p, args)
        along = inner(tuple(slopes), tuple(steps[i] for i in p.argnums))
        assert math.isclose(
            along, difference(p.f, args, steps), rel_tol=2e-5, abs_tol=2e-5), p.name
        for method in METHODS if every else ("dual.tape", METHODS[k % len(METHODS)]):
            with monkeypatch.context() as patch:
                if method in EXPONENTIAL:
                    patch.setattr(Machine, "most", 1_000_000 if every else 500_000)
                try:
                    found = gradients(p, args, method)
                except OutOfSteps:
                    continue
            if found is not None:
                assert distance(wanted, found) < 1e-9, (p.name, method)
                done += method == "dual.tape"
    return done


@claim("DN-60")
def test_the_whole_language(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs with lists, trees, records, recursion, functions as values, loops and arrays."""
    assert compare(PROGRAMS[:: len(PROGRAMS) // 50], False, monkeypatch) >= 30


if FULL:
    @pytest.mark.parametrize("part", range(PARTS))
    def test_every_program_by_every_method(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
        assert compare(PROGRAMS[part::PARTS], True, monkeypatch) >= 20


VEC = tuple[float, float, float]


def cross(a: VEC, b: VEC) -> VEC:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def rotated(q: tuple[float, VEC], v: VEC) -> float:
    """A component of q v q* (Table 1), on tuples."""
    w, u = q
    t = cross(u, v)
    s = tuple(2.0 * x for x in t)
    r = cross(u, (s[0], s[1], s[2]))
    return v[0] + w * s[0] + r[0]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_rotates(method: str) -> None:
    """The slowest stages too."""
    args = (0.5, (-0.1, 0.3, 0.8)), (1.0, 2.0, -1.5)
    wanted = pb.value_and_grad(rotated, (0, 1), method="forward")(*args)
    found = pb.value_and_grad(rotated, (0, 1), method=method)(*args)
    assert distance(wanted, found) < 1e-12
    assert len(list(leaves(found[1]))) == 7
