"""Dual numbers of arrays in lists: the ids of each array are consecutive, and known without looking
where the program only reads, slices or chooses among the rows it was given."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import pullback as pb


class Layer(NamedTuple):
    weights: np.ndarray
    offsets: np.ndarray
    scale: float


@dataclass(frozen=True)
class Tree:
    rows: tuple[tuple[float, ...], ...]
    below: "tuple[Tree, ...]"


def matrix_vector(m, v):
    return sum(sum(a * x for a, x in zip(r, v)) for r in m)


def three_deep(t):
    return sum(sum(sum(x**3 for x in r) for r in m) for m in t)


def layers(given):
    return sum(np.sum(p.weights * p.weights) * p.scale + np.sum(np.sin(p.offsets)) for p in given)


def new_rows(m):
    both = [[x * 2.0 for x in r] for r in m] + m
    return sum(sum(x * x for x in r) for r in both)


def from_the_end(m):
    return sum(x * x for x in m[-1]) + m[1][-1] * m[-2][0]


def updated(m):
    m = [list(r) for r in m]
    for i in range(len(m)):
        m[i][0] = m[i][0] * m[i][-1]
    return sum(sum(x * x for x in r) for r in m)


def slices(m):
    return sum(sum(x * x for x in r) for r in m[1:]) + sum(x for r in m[::-2] for x in r)


def chosen(m):
    best = m[0]
    for r in m:
        if r[0] > best[0]:
            best = r
    return sum(x * x for x in best)


def recursive(m, v):
    def below(i):
        return 0.0 if i >= len(m) else m[i][0] * v[i] + below(i + 1)

    return below(0)


def optional(m):
    return sum(sum(x * x for x in r) if r is not None else 1.0 for r in m)


def tree(t):
    total = 0.0
    for r in t.rows:
        for x in r:
            total += x * x
    for s in t.below:
        total += 2.0 * tree(s)
    return total


M = [[0.5, -1.5, 2.0, 0.25], [1.0, 0.75, -0.5, 3.0], [2.5, 1.25, -2.0, 1.5]]
RAGGED = [[1.0, 2.0], [3.0], [], [4.0, 5.0, 6.0]]
A = np.arange(6.0).reshape(2, 3)

CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (matrix_vector, (M, [1.0, 2.0, 3.0, 4.0])),
    (matrix_vector, (RAGGED, [1.0, 2.0])),
    (three_deep, ([M, [[1.0]], [], RAGGED],)),
    (layers, ([Layer(A[0], A, 2.0), Layer(A[1, ::2], A.T, 3.0)],)),
    (layers, ([Layer(A[0].astype(np.float32), A.astype(np.float32), 2.0)] * 2,)),
    (new_rows, (M,)),
    (from_the_end, (M,)),
    (updated, (M,)),
    (slices, (M,)),
    (chosen, (M,)),
    (recursive, (M, [1.0, 2.0, 3.0])),
    (optional, ([[1.0, 2.0], None, [3.0]],)),
    (tree, (Tree(((1.0, 2.0), (3.0,)), (Tree(((4.0,),), ()), Tree((), ()))),)),
]


@pytest.mark.parametrize("k", range(len(CASES)))
def test_rows(k: int) -> None:
    f, args = CASES[k]
    numbers = tuple(range(len(args)))
    chad, dual = (
        pb.value_and_grad(f, argnums=numbers, method=m)(*args) for m in ("chad", "dual")
    )
    flat, ravelled = (pb.ravel(x)[0] for x in (chad, dual))
    np.testing.assert_allclose(ravelled, flat, rtol=1e-6)
    assert repr(dual[1]) == repr(chad[1]) or not np.array_equal(flat, ravelled)
    _, pull = pb.vjp(f, *args, method="dual")
    np.testing.assert_allclose(pb.ravel(pull(2.0))[0], 2.0 * pb.ravel(chad[1])[0], rtol=1e-6)
