"""Bind the arguments of a call of a library function to its parameters."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pullback.frontend.kinds.values import Specialiser, Static, Value

Args = Sequence[Value]
Kwargs = dict[str, Value]

MISSING = Static("<no value>")
"""The default of a parameter that must have an argument."""

NONE = Static(None)


def bind(
    sp: Specialiser,
    name: str,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    node: ast.AST,
    /,
    **parameters: Value,
) -> tuple[Value, ...]:
    """Return the values of ``parameters`` (name and default, in order), from a call of ``name``.

    Arguments that are not listed are refused, as is a missing argument whose default is
    ``MISSING``, and an array for ``out``, which is listed only for its position."""
    names = list(parameters)
    if len(args) > len(names):
        sp.refuse(
            node,
            f"{name} is supported with at most {len(names)} positional arguments, not {len(args)}",
        )
    given = dict(zip(names, args, strict=False))
    for key, value in kwargs.items():
        if key not in parameters:
            if isinstance(value, Static) and value.value is None:
                continue  # out=None, axis=None, ...: the default, written out
            sp.refuse(node, f"the argument {key}= of {name} is not supported")
        if key in given:
            sp.refuse(node, f"{name} got two values for its argument {key}")
        given[key] = value
    for key, default in parameters.items():
        if key not in given:
            if default is MISSING:
                sp.refuse(node, f"{name} needs the argument {key}")
            given[key] = default
    if not is_none(given.get("out", NONE)):
        sp.refuse(node, f"the argument out= of {name} is not supported", "use the result")
    return tuple(given[key] for key in names)


def is_none(value: Value) -> bool:
    return isinstance(value, Static) and value.value is None


def flag(sp: Specialiser, value: Value, node: ast.AST, what: str) -> bool:
    """Return a truth value that must be known at compile time."""
    return bool(sp.static(value, node, what))
