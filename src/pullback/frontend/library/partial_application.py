"""Compile ``functools.partial``: a function with some arguments bound, positional and by keyword.

It is an operator value: the function, the keywords as options, the arguments that it holds. If
these are lists or other objects in variables, it is a function that holds them by reference.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence

from pullback.errors import ArgumentTypeError
from pullback.frontend.interface import Specialiser
from pullback.frontend.kinds.snapshots import held
from pullback.frontend.kinds.values import REGISTRY, OperatorV, Value, register
from pullback.frontend.memory import references
from pullback.frontend.run import Run


def partial_of(
    function: Value, args: Sequence[Value], keywords: dict[str, Value]
) -> OperatorV:
    """Return the value of ``partial(function, *args, **keywords)``."""
    return OperatorV("partial", function, tuple(keywords), (*args, *keywords.values()))


@register(functools.partial)
def partial(
    sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """partial(function, *args, **keywords)"""
    if not args:
        sp.refuse(node, "functools.partial needs a function", error=ArgumentTypeError)
    keywords = {n: held(v) for n, v in kwargs.items()}
    assert isinstance(sp, Run)
    if any(references.place_of(sp, v) for v in args[1:]):
        made = references.made(sp, "", args[0], args[1:], node)
        return partial_of(made, (), keywords) if keywords else made
    return partial_of(args[0], tuple(map(held, args[1:])), keywords)


def _call(
    sp: Specialiser,
    operator: OperatorV,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:
    """Call a partial; keyword arguments of the call replace those that it holds."""
    positional = len(operator.args) - len(operator.options)
    held = dict(zip(map(str, operator.options), operator.args[positional:], strict=False))
    given = (*operator.args[:positional], *args)
    return sp.call(operator.function, given, node, held | kwargs)


REGISTRY.operators["partial"] = _call

__all__ = ["partial_of"]
