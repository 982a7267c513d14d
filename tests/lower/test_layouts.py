"""Fields that are equal in all nodes of a variant are not stored in the nodes."""

import contextlib
import io
import math
import re
from dataclasses import dataclass

import numpy as np
import pytest

import pullback as pb
from examples.determinant import determinant
from pullback.lower.layouts import Layouts, OtherWordsError
from pullback.lower.loopcode import Imm, Reg, Ty
from tests.harness import difference, direction, inner

ONE, TWO = Imm(1, Ty.I64), Imm(2, Ty.I64)
N, M = Reg("n", Ty.I64), Reg("m", Ty.I64)
V = np.array([0.5, -2.0, 3.0, 0.25, 1.5])


def test_what_holds_of_all_nodes() -> None:
    layouts = Layouts(frozenset({"R"}))
    for words in ([N, N, ONE, ONE, M], [M, M, ONE, TWO, M]):
        assert layouts.stored(("R", 1), words) == words
        layouts.stored(("S", 0), words)  # nodes that others see stay as they are
    found = layouts.found()
    assert found.stored(("R", 1), [N, N, ONE, TWO, N]) == [N, TWO, N]
    assert found.stored(("S", 0), [N, N, ONE]) == [N, N, ONE]
    types = [Ty.I64] * 5
    assert found.words(("R", 1), types) == [(0, Ty.I64), (0, Ty.I64), ONE, (1, Ty.I64), (2, Ty.I64)]
    for other in ([N, M, ONE, TWO, N], [N, N, TWO, TWO, N]):
        with pytest.raises(OtherWordsError):
            found.stored(("R", 1), other)


def test_zeros_differ_by_sign() -> None:
    layouts = Layouts(frozenset({"R"}))
    for zero in (0.0, -0.0):
        layouts.stored(("R", 0), [Imm(zero, Ty.F64), ONE])
    assert layouts.found().stored(("R", 0), [Imm(0.0, Ty.F64), ONE]) == [Imm(0.0, Ty.F64)]


def test_extents_and_strides_of_what_a_recursion_keeps() -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        code = pb.show(pb.grad(determinant), np.eye(3), stage="loop")
    words = [int(n) for n in re.findall(r"alloc (\d+) i64 residual", code)]
    assert max(words) <= 9


@dataclass(frozen=True)
class End:
    w: float


@dataclass(frozen=True)
class Cell:
    xs: np.ndarray
    ys: np.ndarray
    next: "Cells"


Cells = Cell | End


def made(xs, n) -> Cells:
    """Nodes from two places: with arrays of one length, and of two."""
    if n == 0:
        return End(xs[0])
    if n % 2 == 0:
        return Cell(xs, np.array([math.sin(x) for x in xs]), made(xs * 0.5, n - 1))
    return Cell(xs[::2], xs[:n], made(xs, n - 1))


def total(cells: Cells):
    match cells:
        case End(w):
            return w
        case Cell(xs, ys, rest):
            return xs[-1] * ys[0] * total(rest) + xs[1] * len(ys) + ys[-1] * len(xs)


def both(xs, n):
    return total(made(xs, n))


def test_nodes_from_several_places() -> None:
    for n in (1, 4):
        steps = (direction(np.random.default_rng(1), V),)
        slope = difference(lambda x, n=n: both(x, n), (V,), steps)
        value, found = pb.value_and_grad(both)(V, n)
        assert math.isclose(value, both(V, n), rel_tol=1e-14)
        assert math.isclose(inner((found,), steps), slope, rel_tol=1e-6)
