"""The step of ``text.spherical`` that is a row of the table of primitives."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from pullback.core.later import SPECIAL
from pullback.frontend.kinds.values import Specialiser, Static, Value, register
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.numpy.scipy_ufuncs import row_call


def row(name: str, n: Any, z: Any, derivative: bool) -> Any:
    """Return a spherical Bessel function of numbers from 0 on, or its derivative."""
    return getattr(SPECIAL, name)(np.asarray(n), z, derivative)


@register(row)
def _row(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    name, n, z, derivative = args
    assert isinstance(name, Static)
    slope = ".1" if sp.static(derivative, node, "True or False") else ""
    return row_call(sp, f"{name.value}{slope}", (n, z), node)
