"""The three passes that follow any other: simplify, merge what is equal, drop what nobody needs.

They stand in the order in which each makes work for the next. One round is enough: a second one
changes neither steps nor code of any program of the corpus that was looked at (``docs/DESIGN.md``).
"""

from __future__ import annotations

from pullback.core.terms import Program
from pullback.opt.cse import merge_common
from pullback.opt.dce import drop_dead
from pullback.opt.scalar.simplify import simplify


def clean_up(program: Program) -> Program:
    """The program simplified, with every common subexpression computed once, and without what does
    not matter for its results, errors and accumulations."""
    return drop_dead(merge_common(simplify(program)))
