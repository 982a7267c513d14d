"""Loops that ``break`` or ``return`` may leave, over a few items of several types.

Such a loop has no body that fits all items, so it is written out: the body for the first item,
then, where nothing has left the loop, the body for the second one, and so on. Each round stands
inside of the branch that goes on to it, so a name may be of another type in each of them.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pullback.frontend.interpret.branching import branch, once
from pullback.frontend.interpret.loop_sources import Source
from pullback.frontend.interpret.unrolling import MOST_ROUNDS
from pullback.frontend.kinds.chosen import is_choice_kind
from pullback.frontend.kinds.flatten import NoKindError, kind_of
from pullback.frontend.kinds.join import of_one_type
from pullback.frontend.kinds.kinds import Kind, parts
from pullback.frontend.kinds.values import Items, Late, Static, TupleV, Unrolled, Value
from pullback.frontend.python.liveness import liveness_of
from pullback.frontend.state import Flow

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def are_unlike(items: Items) -> bool:
    """Whether these are a few known items for which there is no one type, or one in which it is
    left to the run which class they have in them."""
    if not isinstance(items, Unrolled) or isinstance(items.each, Late):
        return False
    if not 2 <= len(items.each) <= MOST_ROUNDS:
        return False
    try:
        found = of_one_type(kind_of(TupleV(items.each)))
        return found is None or _has_choice(found)
    except NoKindError:
        return False


def _has_choice(kind: Kind) -> bool:
    return is_choice_kind(kind) or any(map(_has_choice, parts(kind)))


def for_unlike(run: Run, s: ast.For, items: tuple[Value, ...], source: Source) -> Flow:
    """Compile the loop, one round after the other."""
    assert run.frame.definition is not None
    after = liveness_of(run.frame.definition.node).after.get(s, frozenset())

    def rounds(k: int) -> Flow:
        names = run.scope.names
        if k == len(items):
            return Flow.FALL
        names["$exit"] = Static(0)
        run.assign(s.target, source.item(k, items[k]), s)
        if run.execute(s.body) is Flow.DEAD:
            return Flow.DEAD
        source.check_size()
        exit_ = run.scope.names["$exit"]
        stays = run.truth(run.compare("==", exit_, Static(0), s), s)
        live = after | run.frame.live_end | {"$exit", "$return"}
        return branch(run, stays, lambda: rounds(k + 1), lambda: Flow.FALL, live, s)

    flow = once(run, s, lambda: rounds(0))
    if flow is Flow.FALL:
        source.close()
    return flow


__all__ = ["are_unlike", "for_unlike"]
