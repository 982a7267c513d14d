"""How much a function keeps for its reverse sweep, to decide which arrays are restored."""

from __future__ import annotations

from pullback.ad.frames import Frame
from pullback.core.terms import Case, If, Update

TRIPS = 8
"""How often a loop is taken to run."""


def pays(without: Frame, restoring: Frame) -> bool:
    """Whether restoring arrays saves at least twice the old elements that are kept for it."""
    before, old_before = _kept(without, 1)
    after, old_after = _kept(restoring, 1)
    return before - after >= old_after - old_before


def _kept(frame: Frame, times: int) -> tuple[int, int]:
    """How many values the loops in a frame keep, and how many of these are old elements."""
    kept = old = 0
    for let, plan in frame.plans.items():
        inside = times if isinstance(let.op, If | Case) else TRIPS * times
        kept += inside * sum(map(len, plan.residuals))
        old += times if isinstance(let.op, Update) else 0
        for g in plan.frames:
            more = _kept(g, inside)
            kept, old = kept + more[0], old + more[1]
    return kept, old
