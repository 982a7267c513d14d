"""Functions that a class has: of its methods and properties."""

from __future__ import annotations

import ast
import functools
import types
from typing import TYPE_CHECKING

from pullback.frontend.functions.scopes import Path
from pullback.frontend.kinds.values import FunctionV
from pullback.frontend.python.rewrites import refuse_library

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def function_in(
    run: Run, cls: type, function: types.FunctionType, name: str, node: ast.AST,
    part: str = "fget",
) -> FunctionV:  # fmt: skip
    """Return a function that a class has under a name, as that of a method, or as a ``part`` of a
    property."""
    path: Path = (("class", cls), ("attr", name))
    match getattr(cls, name):
        case property() | functools.cached_property():
            path = (*path, ("attr", part))
        case types.MethodType():  # of a class: made anew by every look
            path = (*path, ("attr", "__func__"))
        case _:
            pass
    f = run.from_python(function, path, node)
    if not isinstance(f, FunctionV):
        refuse_library(run, function, node)
    return f


__all__ = ["function_in"]
