"""The rows of the delta translations: sequence, and folds in the state monad (Krawiec et al., 8.3).

    sequence : Vector (M A) -> M (Vector A)          an array of actions, from left to right
    sequence2                                        of actions that give pairs, into two arrays
    foldM, scanM                                     fold (balanced) and scan, a step an action

>>> from pullback.papers.language.terms import Var
>>> from pullback.papers.language.build import op
>>> from pullback.papers.language.eval import evaluate
>>> tick = lambda s: (10 * s, s + 1)
>>> evaluate(op("sequence", Var("a"), 5), {"a": [tick, tick]}, LIBRARY)[0]
([50, 60], 7)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pullback.papers.language.arrays import OPS
from pullback.papers.language.check import FIRST_ORDER_ARRAYS, SOURCE, Dialect
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Library, Row, sig
from pullback.papers.language.terms import (
    Arr,
    Fun,
    Prod,
    TVar,
)
from pullback.papers.language.values import array, pair

DELTA_SOURCE: Dialect = replace(
    SOURCE, name="Krawiec et al. source", ops=FIRST_ORDER_ARRAYS.ops - {"scatter_add"} | {"error"})
"""Figure 1 with sections 8.2, 8.3 and 8.5: primitives, arrays, recursion and data."""


def _sequence(m: Machine, args: Sequence[object], static: Sequence[object]) -> object:
    out, s = [], args[1]
    for action in array(args[0]):
        v, s = pair(m.call(action, s))
        out.append(v)
        m.cost += 1
    return out, s


def _sequence2(m: Machine, args: Sequence[object], static: Sequence[object]) -> object:
    both: tuple[list[object], list[object]] = [], []
    s = args[1]
    for action in array(args[0]):
        v, s = pair(m.call(action, s))
        for half, out in zip(pair(v), both, strict=True):
            out.append(half)
        m.cost += 1
    return both, s


def _fold_m(m: Machine, args: Sequence[object], static: Sequence[object]) -> object:
    f, level, s = args[0], list(array(args[1])), args[2]
    if not level:
        raise ValueError("fold of an empty array")
    while len(level) > 1:
        above: list[object] = []
        for k in range(0, len(level) - 1, 2):
            v, s = pair(m.call(f, (level[k], level[k + 1]), s))
            above.append(v)
            m.cost += 2
        level = above + level[len(level) // 2 * 2 :]
    return level[0], s


def _scan_m(m: Machine, args: Sequence[object], static: Sequence[object]) -> object:
    out: list[object] = []
    s = args[2]
    for v in array(args[1]):
        if out:
            v, s = pair(m.call(args[0], (out[-1], v), s))
            m.cost += 2
        out.append(v)
    return out, s


_a, _b, _s = TVar("a"), TVar("b"), TVar("s")
_step = Fun(Prod(_a, _a), Fun(_s, Prod(_a, _s)))
LIBRARY: Library = OPS.extended(
    Row("sequence", sig((Arr(Fun(_s, Prod(_a, _s))), _s), Prod(Arr(_a), _s)), _sequence),
    Row("sequence2", sig((Arr(Fun(_s, Prod(Prod(_a, _b), _s))), _s),
                         Prod(Prod(Arr(_a), Arr(_b)), _s)), _sequence2),
    Row("foldM", sig((_step, Arr(_a), _s), Prod(_a, _s)), _fold_m),
    Row("scanM", sig((_step, Arr(_a), _s), Prod(Arr(_a), _s)), _scan_m),
)
"""The shared rows, and those that run an array of actions of a state monad one after the other
(``sequence2``: actions that give pairs, into two arrays)."""
