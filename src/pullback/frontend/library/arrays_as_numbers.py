"""Arrays in the place of one number of Python's: ``float(a)``, ``math.sin(a)``."""

from __future__ import annotations

import ast
import warnings

import numpy as np

from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.values import ArrayV, Specialiser


def _told(shape: tuple[int, ...]) -> str:
    """Return what this NumPy says of an array of ones of this shape; nothing if it gives the number
    of one in a row, as it did for long."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            float(np.ones(shape))
        except TypeError as e:
            return str(e)
    return ""


_OF_ONE, _OF_TWO = _told((1,)), _told((2,))


def require_no_axes(
    sp: Specialiser, array: ArrayV, node: ast.AST, reason: str, rewrite: str
) -> None:
    """Raise NumPy's TypeError for an array with axes. Where NumPy would give the number of an array
    of size 1, only the run knows: that is refused for two axes or more."""
    if array.rank and _OF_ONE == _OF_TWO:
        sp.never(
            "TypeError", _OF_TWO, node, ArgumentTypeError, rewrite=rewrite, reason=reason
        )
    if array.rank > 1:
        sp.refuse(node, reason, rewrite, error=ArgumentTypeError)
