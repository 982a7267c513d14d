"""Conditions of ``while`` loops that change variables, and so are part of the round:

    while (x := f(x)) > 1.0: body        while True: if (x := f(x)) > 1.0: body else: break

(``else`` of the loop is run behind this ``break``.) Whether a call changes something shows when it
is run; then the function around the loop is run anew.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pullback.frontend.python.liveness import liveness_of
from pullback.frontend.python.memo import by_node
from pullback.frontend.python.syntax import binds_names
from pullback.frontend.signals import Anew, NotCarriedError

if TYPE_CHECKING:
    from pullback.frontend.run import Run

EXIT_BREAK, EXIT_RETURN, EXIT_TEST = 1, 2, 3
"""How a loop was left, as ``$exit`` says it: by its condition only where that is in the round."""


def is_in_the_round(run: Run, s: ast.While) -> bool:
    """Whether the condition changes variables, as far as is known."""
    return binds_names([s.test]) or s in run.calls.ordered


@contextmanager
def only_read(run: Run, s: ast.For | ast.While) -> Iterator[None]:
    """Run a condition that is evaluated outside of the round. If it turns out to change variables
    there, it is known as one that does, and the function is run anew."""
    before = dict(run.scope.names)
    try:
        yield
    except NotCarriedError as change:
        run.calls.ordered.add(s)
        raise Anew from change
    if any(run.scope.names.get(n) is not v for n, v in before.items()):
        run.calls.ordered.add(s)
        raise Anew


def with_condition(run: Run, s: ast.While) -> ast.While:
    """Return the loop with its condition in the round."""
    made = _with_condition(s)
    assert run.frame.definition is not None
    live = liveness_of(run.frame.definition.node)
    if s in live.head:
        live.head[made], live.after[made] = live.head[s], live.after[s]
    return made


@by_node
def _with_condition(s: ast.While) -> ast.While:
    leave = ast.Break()
    vars(leave)["by_test"] = True
    test = ast.If(s.test, s.body, [leave])
    made = ast.While(ast.Constant(True), [test], [])
    for n in (leave, test, made, made.test):
        ast.copy_location(n, s)
    return made


def exit_code(s: ast.Break) -> int:
    """Return the number that says how a ``break`` leaves a loop."""
    return EXIT_TEST if vars(s).get("by_test", False) is True else EXIT_BREAK
