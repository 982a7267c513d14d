"""The span of C's reverse pass: its length on enough processors (Efficient CHAD, section 8).

    span = the steps in sequence, except: the longest of the elements of build, map and zipWith, of
    the actions of ``sequence``, ``par`` and ``also``; the logarithm of the work of an operation on
    a whole array or bag; and for a cell, the logarithm of the number of additions into it

Work stays proportional to the function's, the span need not: build n (i. x) has a constant one,
its derivative adds up n cotangents.

>>> from pullback.papers.language.terms import Build, Lit, R, Var
>>> from pullback.papers.language.build import op, reals
>>> def wide(n):
...     return Source(reals("x"), op("index", Build(Lit(n), "i", Var("x")), Lit(0)), R)
>>> [run_span(wide(n), (1.0,), 1.0).reverse for n in (4, 64, 1024)]
[48, 56, 64]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

from pullback.papers.chad.mutable import slot, width
from pullback.papers.chad.parallel import parallel, parallel_library
from pullback.papers.chad.program import run_monadic
from pullback.papers.chad.workers import Workers
from pullback.papers.language.linear import plus
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Library, Row, Run, implementation
from pullback.papers.language.terms import Source, Static
from pullback.papers.language.traverse import deeply
from pullback.papers.language.values import array, items, tuple_value
from pullback.papers.methods import Outcome

WIDE = ("collect", "scatter", "BArray", "BPairs", "concat", "fromList", "total", "unzip", "zip",
        "sum", "replicate", "gather", "scatter_add", "scatter_set", "transpose", "append",
        "reverse", "slice")
"""Operations on whole arrays and bags."""


class Adding:
    """A cell that counts the additions."""

    __slots__ = ("count", "value")

    def __init__(self, value: object) -> None:
        self.value = value
        self.count = 0

    def read(self, m: Machine) -> object:
        m.cost += self.count.bit_length()
        return self.value


Action = Callable[[list[Adding]], object]


def _act(x: object) -> Action:
    return cast(Action, x)


def longest(m: Machine, tasks: Sequence[Callable[[], object]]) -> list[object]:
    """Return all results; the cost is that of the most expensive one."""
    start, most, out = m.cost, 0, []
    for task in tasks:
        m.cost = start
        out.append(task())
        most = max(most, m.cost - start)
    m.cost = start + most
    return out


def _one(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    def action(cells: list[Adding]) -> object:
        m.cost += 1
        cell = cells[slot(static)]
        cell.count += 1
        cell.value = plus(Machine(), args[0], cell.value)
        return ()

    return action


def _scope(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    def action(cells: list[Adding]) -> object:
        m.cost += 1
        cells.append(Adding(args[0]))
        result = _act(args[1])(cells)
        return cells.pop().read(m), result

    return action


def _beside(pick: Callable[[list[object]], object]) -> Run:
    def run(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
        def action(cells: list[Adding]) -> object:
            m.cost += 1
            actions = array(args[0]) if len(args) == 1 else args
            return pick(longest(m, [partial(_act(a), cells) for a in actions]))

        return action

    return run


def _run(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    n = width(static)
    m.cost += 1
    cells = [Adding(d) for d in items(args[1], n + 1)[1:]]
    result = _act(args[0])(cells)
    longest(m, [partial(cell.read, m) for cell in cells])
    return result, tuple_value((), *(cell.value for cell in cells))


def _logarithmic(row: Row) -> Row:
    def run(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
        start = m.cost
        out = row.run(m, args, static)
        m.cost = start + (m.cost - start).bit_length()
        return out

    return Row(row.name, row.rule, run, row.cost, row.show)


_PARALLEL = parallel_library(Workers(1))
SPAN: Library = _PARALLEL.replaced(
    *implementation(
        _PARALLEL, one=_one, scope=_scope, sequence=_beside(lambda out: out), run=_run),
    Row("also", _PARALLEL["also"].rule, _beside(lambda out: out[1])),
    Row("par", _PARALLEL["par"].rule, _beside(lambda out: (out[0], out[1]))),
    *(_logarithmic(_PARALLEL[name]) for name in WIDE))
"""C's operations with the cost that they have on enough processors."""


class Span(Machine):
    """Elements of arrays are computed beside each other."""

    wide = True


def run_span(source: Source, args: tuple[object, ...], seed: object) -> Outcome:
    """Return the value and the cotangents; the costs are the spans of the two passes."""
    return deeply(lambda: run_monadic(source, args, seed, SPAN, after=parallel, machine=Span()))
