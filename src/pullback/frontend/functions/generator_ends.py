"""What leaves a generator: a ``StopIteration`` that its body raises, and nothing in it catches, is
a RuntimeError outside (PEP 479), since to who goes through the generator it would be the end."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pullback.core.messages import Applied, Constant, Leaf, Message, Raised
from pullback.core.prims_discrete import exception_class, exception_of
from pullback.core.terms import Call, Prim
from pullback.core.traverse import all_lets, called
from pullback.frontend.functions.generator_forms import LISTED, guards
from pullback.frontend.functions.iterator_lifetimes import is_ending
from pullback.frontend.functions.scopes import chain, function_scope
from pullback.frontend.functions.stepped_form import is_step
from pullback.frontend.kinds.flatten import functions_in
from pullback.frontend.kinds.values import Static, Value
from pullback.frontend.python.syntax import CONSUMER

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_TEXT = "generator raised StopIteration"


def left_with(
    run: Run, exception: Raised, message: str | Message, leaves: int
) -> tuple[Raised, str | Message]:
    """Return the name and the message of what comes out where this is raised."""
    if not _ends(exception) or not _leaves_a_generator(run, exception):
        return exception, message
    given = tuple(Leaf(k) for k in range(leaves))
    cause = Applied(partial(_stopped, exception, message), given)
    return RuntimeError.__name__, Message((Constant(_TEXT),), leaves, _TEXT, (), cause)


def check_call(run: Run, function: str, node: ast.AST) -> None:
    """Refuse the call of a function that may raise StopIteration, in a generator that lets it
    go."""
    name = StopIteration.__name__
    if _ends_items(run, name) and _may_stop(run, function, set()):
        run.refuse(
            node,
            "this call may raise StopIteration, which ends the iteration without a word",
            "let the function return a value that says so, and end a loop with break there",
        )
    if _leaves_a_generator(run, name) and _may_stop(run, function, set()):
        run.refuse(
            node,
            "this call may raise StopIteration, which leaves a generator as RuntimeError",
            "give next() a default: next(it, None); or catch it here",
        )


def check_left(run: Run, generator: ast.AST, named: bool, node: ast.AST) -> None:
    """Refuse to leave a generator in the middle, where Python tells a manager so, or closes it when
    nothing has it any longer."""
    found = guards(generator)
    if any(g.managed for g in found):
        run.refuse(
            node,
            "a generator is left inside of a 'with', whose __exit__ gets GeneratorExit",
            "let it yield all items, or take those that are wanted outside of it",
        )
    if named and any(g.ends for g in found):
        run.refuse(
            node,
            "a generator with a name is left inside of a try, and is closed where the name goes",
            "call it where it is used: for v in items(xs): ...",
        )


def check_advanced(
    run: Run, generator: ast.AST, args: Iterable[Value], node: ast.AST
) -> None:
    """Refuse to advance a generator of which it is not known here when it ends."""
    inside = any(is_ending(f) for v in args for f in functions_in(v))
    if inside or any(g.managed for g in guards(generator)):
        run.refuse(
            node,
            "a generator that yields inside of a 'with', or runs over one that yields inside of a "
            "try, is advanced by next() or beside others",
            "make a list of its items first: xs = list(...)",
        )


def passes(run: Run) -> str | None:
    """Return the name of the consumer of the generator that is being run: what it raises passes the
    clauses of the generator."""
    consumer = function_scope(run.scope).names.get(CONSUMER)
    return getattr(consumer.value, "name", None) if isinstance(consumer, Static) else None


def item(run: Run, function: Value, args: Sequence[Value], node: ast.AST) -> Value:
    """Call a function that ``map`` or ``filter`` was given: a StopIteration of it would be the end
    of the items."""
    outer, run.calls.makes_items = run.calls.makes_items, len(run.frames)
    try:
        return run.call(function, args, node)
    finally:
        run.calls.makes_items = outer


def _ends_items(run: Run, exception: Raised) -> bool:
    if run.calls.makes_items is None:
        return False
    inside = run.frames[run.calls.makes_items - 1 :]
    return not any(f.trying is not None and f.trying.number(exception) for f in inside)


def _ends(exception: Raised) -> bool:
    return issubclass(exception_class(exception) or RuntimeError, StopIteration)


def _leaves_a_generator(run: Run, exception: Raised) -> bool:
    mine = function_scope(run.scope)
    for scope in chain(run.scope):
        if scope.is_generator:
            return True
        if scope is mine:
            break
    for frame in reversed(run.frames):
        definition, trying = frame.definition, frame.trying
        if trying is not None and trying.number(exception):
            return False
        if definition is None or definition.name != LISTED:
            yields = CONSUMER in function_scope(frame.scope).names
            return yields or (definition is not None and is_step(definition.node))
    return False


def _may_stop(run: Run, function: str, seen: set[str]) -> bool:
    if function in seen or function not in run.functions:
        return False
    seen.add(function)
    for let in all_lets(run.functions[function].body):
        match let.op:
            case Prim("require" | "require.early", _, (str() | type() as name, *_)) if _ends(name):
                return True
            case Call() if any(_may_stop(run, f, seen) for f in called(let.op)):
                return True
            case _:
                pass
    return False


def _stopped(exception: Raised, message: str | Message, *leaves: object) -> Exception:
    return exception_of(exception, message, leaves)


__all__ = ["check_call", "check_left", "item", "left_with", "passes"]
