"""What goes into an iterator that is advanced from outside, beside the request to go on: what it is
sent, and exceptions; and what comes out at its end."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from pullback.frontend.functions import iterator_lifetimes
from pullback.frontend.functions.choices import definitions
from pullback.frontend.functions.generator_blocks import RETURNED, RETURNS
from pullback.frontend.functions.stepped_form import (
    GO,
    SEND,
    THROW,
    receives,
    returns,
    throws,
)
from pullback.frontend.interpret.iteration import as_run, is_iterator
from pullback.frontend.kinds.values import (
    CaughtV,
    ClosureV,
    LambdaSetV,
    OptionalV,
    Specialiser,
    Static,
    Value,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.python.syntax import THROWN
from pullback.frontend.signals import Unreachable

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def gone_on(
    run: Run, items: Value, given: Value, thrown: Value, more: Callable[[], Value], node: ast.AST
) -> Value:
    """Let what a generator runs over by ``yield from`` go on with what the generator is sent, or
    what is thrown into it; return whether it has a further item (``more``: it is sent nothing)."""
    match given, thrown:
        case _, OptionalV(there, exception, other):
            return run.branch(
                there, lambda: gone_on(run, items, given, exception, more, node),
                lambda: gone_on(run, items, given, other, more, node), node,
            )  # fmt: skip
        case _, CaughtV():
            return throw(run, items, thrown, node)
        case OptionalV(there, value, other), _:
            return run.branch(
                there, lambda: gone_on(run, items, value, thrown, more, node),
                lambda: gone_on(run, items, other, thrown, more, node), node,
            )  # fmt: skip
        case Static(None), _:
            return more()
        case _ if isinstance(items, (ClosureV, LambdaSetV)):
            return sent(run, items, given, node)
        case _ if is_iterator(items):
            return more() if not _receives(items) else run.call(items, (Static(SEND), given), node)
        case _:
            _refuse(run, node)


def sent(run: Run, iterator: Value, given: Value, node: ast.AST) -> Value:
    """Send something to an iterator; return whether it has a further item."""
    if isinstance(given, OptionalV):
        return run.branch(
            given.there, lambda: sent(run, iterator, given.value, node),
            lambda: sent(run, iterator, given.other, node), node,
        )  # fmt: skip
    if isinstance(iterator, (ClosureV, LambdaSetV)):
        return run.case_closure(iterator, lambda f: sent(run, f, given, node), node)
    if isinstance(given, Static) and given.value is None:
        return run.call(iterator, (Static(GO),), node)
    if not _receives(iterator):
        _refuse(run, node)
    return run.call(iterator, (Static(SEND), given), node)


def _refuse(run: Run, node: ast.AST) -> NoReturn:
    run.refuse(
        node, "something is sent to what takes nothing", "ask for the next item"
    )


def _receives(iterator: Value) -> bool:
    return all(map(receives, steps_of(iterator)))


def steps_of(iterator: Value) -> list[ast.AST]:
    """Return the functions of the steps of an iterator, or of each that it can be."""
    return [d.node for d in definitions(iterator) if d is not None]


def throw(run: Run, items: Value, given: Value, node: ast.AST) -> Value:
    """Throw an exception into an iterator; return whether it has a further item. What is no
    generator lets it go on."""
    if isinstance(items, (ClosureV, LambdaSetV)):
        return run.case_closure(items, lambda f: throw(run, f, given, node), node)
    steps = steps_of(items) if is_iterator(items) else []
    if not all(map(throws, steps)) or (len(steps) > 1 and not all(map(receives, steps))):
        run.refuse(
            node, "an exception is thrown into an iterator of the library, or one of several",
            "let a loop go through it, and yield in the loop",
        )  # fmt: skip
    if any(map(receives, steps)):
        return run.call(items, (Static(THROW), Static(None), given), node)
    if steps:
        iterator_lifetimes.over(run, items, node)
    again = ast.copy_location(ast.Raise(ast.copy_location(ast.Name(THROWN), node)), node)
    held, run.scope.names[THROWN] = run.scope.names.get(THROWN), given
    run.execute([again])
    if held is None:
        del run.scope.names[THROWN]
    raise Unreachable


def told_by(run: Run, iterator: Value, node: ast.AST) -> Value:
    """Return what an iterator has returned that is at its end."""
    if is_iterator(iterator) and any(map(returns, steps_of(iterator))):
        something = run.truth(run.call(iterator, (Static(RETURNS),), node), node)
        told = partial(run.call, iterator, (Static(RETURNED),), node)
        return run.branch(something, told, lambda: Static(None), node)
    return Static(None)


def told(iterator: object) -> object:
    """What an iterator has returned."""
    return iterator


@register(told)
def told_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return told_by(as_run(sp), args[0], node)


__all__ = ["gone_on", "sent", "steps_of", "throw", "told", "told_by"]
