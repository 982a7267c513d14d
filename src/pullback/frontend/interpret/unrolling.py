"""Loops over short ranges that are known, whose bodies read items of several types by number.

``layers = [w, b, 2]`` has items of three types: ``layers[i]`` has one only where ``i`` is known. A
loop ``for i in range(len(layers))`` is compiled as a loop at first; where its body asks for an item
like this, the function is begun anew, and the loop is unrolled.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod

from pullback.frontend.kinds.values import RangeV, Static, Unrolled, Value
from pullback.frontend.python.syntax import target_names
from pullback.frontend.run import Run
from pullback.frontend.signals import Anew

MOST_ROUNDS = 64
"""As many items as an argument of several types may have; of loops in each other the product of
their rounds."""


def unrolled(run: Run, value: Value, loop: ast.AST) -> Unrolled | None:
    """Return the numbers of a range, if this loop is known to need them one by one."""
    numbers = _numbers(value) if loop in run.calls.unrolled else None
    return None if numbers is None else Unrolled(tuple(map(Static, numbers)))


@contextmanager
def may_unroll(run: Run, value: Value, target: ast.expr, loop: ast.AST) -> Iterator[None]:
    """Run a body, in which ``begin_anew`` may find that the loop must be unrolled."""
    numbers = _numbers(value)
    if numbers is None:
        yield
        return
    around = run.frame.ranges
    around[loop] = frozenset(target_names(target)), len(numbers)
    try:
        yield
    finally:
        del around[loop]


def begin_anew(run: Run, node: ast.AST) -> None:
    """Begin the function anew, with one more of the loops around an expression unrolled: the inner
    one of those whose targets it names, else the inner one. Do nothing if none can be."""
    around, names = run.frame.ranges, {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    rolled = [loop for loop in around if loop not in run.calls.unrolled]
    named = [loop for loop in rolled if around[loop][0] & names]
    for loop in (named or rolled)[-1:]:
        rounds = prod(n for other, (_, n) in around.items() if other not in rolled)
        if rounds * around[loop][1] <= MOST_ROUNDS:
            run.calls.unrolled.add(loop)
            raise Anew


def _numbers(value: Value) -> range | None:
    match value:
        case RangeV(Static(int(start)), Static(int(stop)), Static(int(step))) if step:
            numbers = range(start, stop, step)
            return numbers if len(numbers) <= MOST_ROUNDS else None
    return None


__all__ = ["MOST_ROUNDS", "begin_anew", "may_unroll", "unrolled"]
