"""The corpus by the methods of dual numbers, of Krawiec et al. and of The Differentiable Curry: the
whole language (section 10 of the dual-numbers paper), against forward mode and differences."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.by_method import method_names
from tests.harness import difference, direction, distance, inner, is_real, leaves, still
from tests.papers.conformance import claim
from tests.papers.generate import FULL
from tests.programs import Program, corpus

METHODS = [m for m in method_names() if m.split(".")[0] in ("dual", "delta", "curry")]
PROGRAMS = [p for p in corpus() if p.argnums and not p.single]
EXPONENTIAL = ("dual.naive", "delta.symbolic", "curry.simple", "curry.dependent")
"""Stages that a loop of a hundred steps, or functions of functions, can keep busy for ever."""
REFUSED = ("a derivative inside a function", "language has no", "tangents of", "values of type")


class TooLong(Exception):
    """The time of a stage is up."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """TooLong where it takes longer."""
    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


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


@claim("DN-60")
def test_the_whole_language(row: str) -> None:
    """Every program by the tape and by forward mode; each of them by one more method, or by all of
    them in the full run. The programs have lists, trees, records, recursion, functions as values,
    loops and arrays."""
    done = dict.fromkeys(METHODS, 0)
    for k, p in enumerate(PROGRAMS[:: 1 if FULL else len(PROGRAMS) // 50]):
        args = p.make_args(np.random.default_rng(1), 3)
        reals = sum(np.size(x) for x in leaves(args) if is_real(x))
        wanted = gradients(p, args, "forward") if FULL or reals <= 12 else None
        if wanted is None:
            continue
        slopes = wanted[1]
        steps = moves(p, args)
        along = inner(tuple(slopes), tuple(steps[i] for i in p.argnums))
        assert math.isclose(
            along, difference(p.f, args, steps), rel_tol=2e-5, abs_tol=2e-5), p.name
        some = METHODS if FULL else ["dual.tape", METHODS[k % len(METHODS)]]
        for method in some:
            found = None
            try:
                with limited(10.0 if FULL else 1.0) if method in EXPONENTIAL else nullcontext():
                    found = gradients(p, args, method)
            except TooLong:
                continue
            if found is not None:
                assert distance(wanted, found) < 1e-9, (p.name, method)
                done[method] += 1
    assert done["dual.tape"] >= (200 if FULL else 30), done


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
