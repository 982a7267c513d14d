"""Results that are put into an array of the caller, as plain Python that the front end compiles
(``library/numpy/outputs.py``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array
from pullback.frontend.library.text.wider_reductions import truths
from pullback.frontend.library.text_helpers import unsupported


def into(made: Array, out: Array, where: Any) -> Array:
    """Put a result into an array of its type and shape."""
    if np.asarray(made).dtype != out.dtype:
        unsupported("out= of another type than the result", "write out[...] = f(x)")
    if np.shape(made) != out.shape:
        raise ValueError(
            "output parameter has wrong dimensions: the array out= has another shape than the "
            "result"
        )
    out[...] = made
    return out


def where_so(made: Array, out: Array, where: Any) -> Array:
    """Put the items for which a condition holds into an array to whose shape they broadcast."""
    floats = np.asarray(made).dtype == np.float64 or np.asarray(made).dtype == np.float32
    if floats and not (out.dtype == np.float64 or out.dtype == np.float32):
        unsupported("out= of ints for floats", "give it an array of floats")
    if np.asarray(made).dtype != np.bool_ and out.dtype == np.bool_:
        unsupported("out= of bools for numbers", "give it an array of the type of the result")
    if np.ndim(made) > out.ndim:
        raise ValueError(
            f"non-broadcastable output operand with shape {out.shape} doesn't match the broadcast "
            f"shape {np.shape(made)}"
        )
    if isinstance(where, bool) and where:
        out[...] = made
    else:
        out[...] = np.where(truths(where), made, out)
    return out


def where_alone(number: Any, mask: bool, value: Any) -> Any:
    """Return what an array without axes holds after ``array[mask] = value``."""
    return value if mask else number


def one_where(number: Any, mask: bool, values: Array) -> Any:
    """The same of an array, which has as many items as the mask takes."""
    if mask and len(values) != 1:
        raise ValueError(
            f"NumPy boolean array indexing assignment cannot assign {len(values)} input values to "
            "the 1 output values where the mask is true"
        )
    return values[0] if mask else number
