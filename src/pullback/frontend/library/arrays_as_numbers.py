"""Arrays in the place of one number of Python's: ``float(a)``, ``math.sin(a)``, ``if a``."""

from __future__ import annotations

import ast
import warnings

import numpy as np

from pullback.core.build import i64
from pullback.core.terms import Lit
from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import ArrayV, Scalar, Specialiser
from pullback.frontend.library.numpy.elementwise import numpy_scalar


def _told(asked: type, shape: tuple[int, ...]) -> str:
    """Return what this NumPy says if ``float`` or ``bool`` is asked of an array of ones of this
    shape; nothing if it gives an answer, as older ones do."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            asked(np.ones(shape))
        except (TypeError, ValueError) as e:
            return str(e)
    return ""


_OF_ONE, _OF_TWO = _told(float, (1,)), _told(float, (2,))
_EMPTY, _SEVERAL = _told(bool, (0,)), _told(bool, (2,))


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


def only_element(sp: Specialiser, array: ArrayV, node: ast.AST, rewrite: str) -> Scalar:
    """Return the element whose truth is that of an array of one element. NumPy raises a ValueError
    for any other array, except for one of no elements in older versions."""
    reason = "the truth value of an array is ambiguous"
    size = ext.product(sp, ext.extents(sp, array))
    if not _EMPTY:
        sp.refuse(node, reason, rewrite, error=ArgumentValueError)
    if isinstance(size, Lit) and size.value != 1:
        message = _SEVERAL if size.value else _EMPTY
        sp.never(
            "ValueError", message, node, ArgumentValueError, rewrite=rewrite, reason=reason
        )
    if not isinstance(size, Lit):
        sp.require(sp.b.prim("ne", size, i64(0)), "ValueError", _EMPTY, node)
        sp.require(sp.b.prim("eq", size, i64(1)), "ValueError", _SEVERAL, node)
    at = (i64(0),) * array.rank
    return numpy_scalar(sp.b.index(array.atom, at, checked=False))
