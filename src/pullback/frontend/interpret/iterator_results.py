"""Iterators as results of the function that is compiled: their items are asked for from outside, by
another program (``call.given_iterators``)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pullback.errors import PullbackError
from pullback.frontend.functions.generator_forms import yields
from pullback.frontend.functions.scopes import Scope
from pullback.frontend.functions.stepped_form import tells_something
from pullback.frontend.interpret.advancing import is_made
from pullback.frontend.kinds.flatten import functions_in
from pullback.frontend.kinds.values import Driven, GeneratorV, Value
from pullback.frontend.state import Frame

if TYPE_CHECKING:
    from pullback.frontend.run import Run

NO_RESULT = (
    "the result is an iterator, which pb.jit alone gives back",
    "out = []; out.append(v) for each; return out",
)


def check(rt: Run, value: Value, node: ast.AST) -> Value:
    """Return the result of the function; an iterator is refused. (Its items are asked for by
    ``call.given_iterators``, but not what a generator returns at its end.)"""
    if not is_made(value):
        return value
    items = value.items if isinstance(value, GeneratorV) else None
    found = [items.function] if isinstance(items, Driven) else [*functions_in(value)]
    told = any(tells_something(f.definition.node) for f in found)
    reason, rewrite = NO_RESULT
    if told:
        reason = "the result is a generator that returns something at its end"
    if isinstance(items, Driven):  # at the first yield
        definition = items.function.definition
        rt.frames.append(Frame(definition, Scope({})))
        node = yields(definition.node)
    try:
        rt.refuse(node, reason, rewrite)
    except PullbackError as e:
        e.iterates = not told
        raise


__all__ = ["NO_RESULT", "check"]
