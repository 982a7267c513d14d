"""Arrays that loops overwrite before they are read are not cleared, and no others."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.lower.filled import filled_arrays
from tests.ad.flatcore import A2, I64, Code, E, program
from tests.lower.agreement import agree


def filled(body: Any, n: int = 4) -> int:
    """Return how many arrays are not cleared; the machine's memory is no zeros before."""
    p = program([A2, I64], body)
    agree(p, [np.linspace(0.0, 1.0, n * n).reshape(n, n), n])
    return len(filled_arrays(p))


def nested(c: Code, x: E, n: E, step: Any, columns: Any = None) -> E:
    """A table of zeros, and a loop over its rows with one over the columns in it."""
    table = c.build(n, n, lambda i, j: 0.0)
    m = n if columns is None else columns

    def row(i: E, s: E) -> Any:
        return c.loop(m, [s], lambda j, t: step(i, j, t))

    return c.total(c.loop(n, [table], row))


def test_every_element_is_put_in_its_place() -> None:
    assert filled(lambda c, x, n: nested(c, x, n, lambda i, j, t: t.set((i, j), x.at(j, i)))) == 1


def test_one_axis() -> None:
    def body(c: Code, x: E, n: E) -> Any:
        row = c.build(n, lambda i: 0.0)
        return c.total(c.loop(n, [row], lambda i, r: r.set(i, x.at(i, 0))))

    assert filled(body) == 1


def test_elsewhere_zeros_stay() -> None:
    transposed = lambda i, j, t: t.set((j, i), 1.0)
    assert filled(lambda c, x, n: nested(c, x, n, transposed)) == 0

    def short(c: Code, x: E, n: E) -> Any:
        return nested(c, x, n, lambda i, j, t: t.set((i, j), 1.0), columns=n - 1)

    assert filled(short) == 0


def test_what_is_read_has_zeros() -> None:
    def running(c: Code, x: E, n: E) -> Any:
        return nested(c, x, n, lambda i, j, t: t.set((i, j), t.at(j, i) + 1.0))

    def some(c: Code, x: E, n: E) -> Any:
        def step(i: E, j: E, t: E) -> Any:
            return c.if_(x.at(i, j) < 0.5, lambda: t.set((i, j), 1.0), lambda: t)

        return nested(c, x, n, step)

    def besides(c: Code, x: E, n: E) -> Any:
        table = c.build(n, lambda i: 0.0)
        before = table.at(0)
        return c.total(c.loop(n, [table], lambda i, r: r.set(i, 1.0))) + before

    assert filled(running) == filled(some) == filled(besides) == 0


def test_other_constants_need_not_be_written_either() -> None:
    def body(c: Code, x: E, n: E) -> Any:
        table = c.build(n, lambda i: 7.0)
        return c.total(c.loop(n, [table], lambda i, r: r.set(i, x.at(i, i))))

    assert filled(body) == 1
