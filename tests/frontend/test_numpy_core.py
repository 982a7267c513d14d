"""The Core of common code is clean: what is fused, put in lanes and differentiated later."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pullback.core.terms import Block, Build, Index, Loop, Op, Prim, Program, Sum_, sub_blocks
from tests.frontend.numpy_oracle import core, evaluated, specialised

X = np.linspace(0.1, 1.0, 5)
M = np.arange(15.0).reshape(3, 5)


def ops(program: Program) -> list[Op]:
    def inside(block: Block) -> Iterator[Op]:
        for let in block.lets:
            yield let.op
            for _, body in sub_blocks(let.op):
                yield from inside(body)

    return [op for f in program.functions.values() for op in inside(f.body)]


def named(program: Program) -> list[str]:
    return [op.name for op in ops(program) if isinstance(op, Prim)]


def count(program: Program, kind: type[Op]) -> int:
    return sum(isinstance(op, kind) for op in ops(program))


def test_chain_of_one_array() -> None:
    p = core(lambda x: np.exp(x * x + 2.0 * x).sum(), X)
    assert "require" not in named(p) and "select" not in named(p) and "broadcast" not in named(p)
    assert (count(p, Build), count(p, Sum_), count(p, Loop)) == (4, 1, 0)
    assert all(not op.checked for op in ops(p) if isinstance(op, Index))


def test_known_extents_need_no_check() -> None:
    p = core(lambda x: np.zeros(len(x)) + x + np.arange(x.shape[0]) + np.ones(x.size), X)
    assert "select" not in named(p) and "broadcast" not in named(p)
    p = core(lambda m: m - m.sum(axis=1, keepdims=True) + m.sum(axis=0), M)
    assert "require" not in named(p) and "select" not in named(p)
    p = core(lambda m: m.T @ m + (m.T @ m).T, M)
    assert "require" not in named(p) and "select" not in named(p)


def test_rows_against_columns() -> None:
    p = core(lambda x, y: x[:, None] * y[None, :], X, X)
    assert "require" not in named(p) and "select" not in named(p)


def test_sum_of_generator() -> None:
    p = core(lambda x: sum(v * v for v in x), X)
    assert (count(p, Build), count(p, Sum_), count(p, Loop)) == (0, 1, 0)
    p = core(lambda x: sum(x[i] * x[j] for i in range(len(x)) for j in range(i)), X)
    assert (count(p, Build), count(p, Sum_), count(p, Loop)) == (0, 2, 0)


def test_nested_comprehension() -> None:
    p = core(lambda x, y: np.array([[a * b for b in y] for a in x]), X, X)
    assert (count(p, Build), "stack" in named(p)) == (1, False)
    p = core(lambda x, n: np.array([x * i for i in range(n)]), X, 3)
    assert (count(p, Build), "stack" in named(p)) == (1, False)


def test_maximum_is_read() -> None:
    p = core(lambda x: np.max(x), X)
    assert count(p, Loop) == 1 and "stop_gradient" in named(p)


def add(x: Any, y: Any) -> Any:
    return x + y * x


def test_assumed_equal() -> None:
    p = specialised(add, X, X, assume_equal=True).program
    assert named(p).count("require") == 1 and "select" not in named(p)
    np.testing.assert_array_equal(evaluated(add, X, X, assume_equal=True)[0], add(X, X))
    with pytest.raises(ValueError, match="could not be broadcast"):
        evaluated(add, X, X[:1], assume_equal=True)
    np.testing.assert_array_equal(evaluated(add, X, X[:1])[0], add(X, X[:1]))
