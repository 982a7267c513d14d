"""Lists of rows that are as long as each other become matrices, all other lists stay."""

import numpy as np

from pullback.core.terms import Build
from pullback.opt.arrays.build_flattening import flatten_builds
from pullback.opt.arrays.lists_of_rows import make_matrices
from tests.ad.flatcore import A2, program
from tests.opt.agreement import agree, ops, prims

M = np.arange(6.0).reshape(2, 3)
RUNS = ([M], [M[:0]], [M[:, :0]])


def read(c, lengths, rows):
    return c.sum(
        lengths.dim(), lambda i: c.sum(lengths.at(i), lambda j: rows.at(i).at(j) * c.real(i + 1))
    )


def test_rows_of_one_length() -> None:
    def body(c, m):
        n = m.dim(1)

        def one(i):
            return n, c.build(n, lambda j: m[i, j] * 2.0)

        return read(c, *c.build(m.dim(0), one))

    q = agree([make_matrices, flatten_builds], program([A2], body), *RUNS)
    assert any(len(op.extents) == 2 for op in ops(q, Build))
    assert not {"stack", "pick"} & set(prims(q))


def test_rows_of_several_lengths() -> None:
    def body(c, m):
        def one(i):
            return i + 1, c.build(i + 1, lambda j: m[i, j] * 2.0)

        return read(c, *c.build(m.dim(0), one))

    q = agree(make_matrices, program([A2], body), [M], [M[:0]])
    assert not any(len(op.extents) == 2 for op in ops(q, Build)) and "stack" not in prims(q)


def test_rows_that_are_used_as_a_whole() -> None:
    """A row that is a result stays an array of its own."""

    def body(c, m):
        rows = c.build(m.dim(0), lambda i: c.build(m.dim(1), lambda j: m[i, j] * 2.0))
        return rows.at(0)

    q = agree(make_matrices, program([A2], body), [M])
    assert "stack" not in prims(q)


def test_what_is_read_is_what_all_rounds_have() -> None:
    """The lengths are known where they are read; the numbers of the rows are not."""

    def body(c, m):
        def one(i):
            return i, m.dim(1), c.build(m.dim(1), lambda j: m[i, j])

        numbers, lengths, rows = c.build(m.dim(0), one)
        return c.sum(lengths.dim(), lambda k: rows.at(numbers.at(k)).at(0)), read(c, lengths, rows)

    agree(make_matrices, program([A2], body), [M], [M[:0]])
