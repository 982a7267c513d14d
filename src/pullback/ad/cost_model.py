"""Estimate how much a function keeps for its reverse sweep.

The estimates decide which arrays are restored, and for which arrays the elements that are read are
kept instead of the array.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pullback.ad.frames import Frame
from pullback.core.prims import VIEWS
from pullback.core.terms import Call, Case, Function, If, Prim, Update, Var
from pullback.core.traverse import all_lets
from pullback.core.types import Array, Real

TRIPS = 8
"""How often a loop is taken to run."""


def pays(without: Frame, restoring: Frame) -> bool:
    """Whether restoring arrays saves at least twice as many values as the old elements that it
    keeps."""
    before, old_before = _kept(without, 1)
    after, old_after = _kept(restoring, 1)
    return before - after >= old_after - old_before


def _kept(frame: Frame, times: int) -> tuple[int, int]:
    """Count the values that the loops of a frame keep, and how many of them are old elements."""
    kept = old = 0
    for let, plan in frame.plans.items():
        inside = times if isinstance(let.op, (If, Case)) else TRIPS * times
        kept += inside * sum(map(len, plan.residuals))
        old += times if isinstance(let.op, Update) else 0
        for g in plan.frames:
            more = _kept(g, inside)
            kept, old = kept + more[0], old + more[1]
    return kept, old


def handed_anew(function: Function) -> Iterator[Var]:
    """Yield the parameters that are matrices, or of higher rank, and are new in every recursive
    call: each call would keep such an array as a whole, however little is read of it."""
    calls, views = [], {}
    for let in all_lets(function.body):
        match let.op:
            case Call(function.name, args):
                calls.append(args)
            case Prim(name, (Var() as source, *_)) if name in VIEWS:
                views[let.vars[0]] = source
            case _:
                pass
    for k, p in enumerate(function.params):
        if isinstance(p.type, Array) and isinstance(p.type.elem, Real) and p.type.rank > 1:
            given = [args[k] for args in calls]
            while any(a in views for a in given):
                given = [views.get(a, a) if isinstance(a, Var) else a for a in given]
            if given and not any(a in function.params for a in given):
                yield p


def shallow(keeping: Frame, reading: Frame, array: Var) -> bool:
    """Whether the values that are kept instead of an array are read inside of fewer loops than the
    array has axes."""
    assert isinstance(array.type, Array)
    before, after = _depths(keeping, 0), _depths(reading, 0)
    return all(n <= before[depth] for depth, n in after.items() if depth >= array.type.rank)


def _depths(frame: Frame, depth: int) -> Counter[int]:
    """Count the values that are kept, by the number of loops around them."""
    found: Counter[int] = Counter()
    for let, plan in frame.plans.items():
        inside = depth if isinstance(let.op, (If, Case)) else depth + 1
        found[inside] += sum(map(len, plan.residuals))
        for g in plan.frames:
            found += _depths(g, inside)
    return found
