"""Functions of ``numpy.ma`` that make masked arrays and compute with them, as plain Python that the
front end compiles (``masked_arrays``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.masked_arrays import (
    _NONE,
    _TINY,
    MaskedArray,
    _numbers,
    _of,
    _of_parts,
)
from pullback.frontend.library.text_helpers import known, unsupported


def array(data: Any, dtype: Any = None, copy: bool = False, order: None = None, mask: Any = None,
          fill_value: Any = None) -> MaskedArray:  # fmt: skip
    return MaskedArray(data, mask, dtype, copy, True, 0, fill_value)


def masked_where(condition: Any, a: Any, copy: bool = True) -> MaskedArray:
    given, said = _of(a), condition
    if isinstance(condition, MaskedArray):
        said = condition.filled(False)
    hidden = np.asarray(said).astype(bool).copy()
    if hidden.shape != given.data.shape:
        raise IndexError("Inconsistent shape between the condition and the input "
                         f"(got {hidden.shape} and {given.data.shape})")  # fmt: skip
    numbers = given.data.copy() if known(copy) else given.data
    whole = hidden if given._mask is None else hidden | given._mask
    return MaskedArray(numbers, whole, None, False, True, 0, given._fill)


def masked_invalid(a: Any, copy: bool = True) -> MaskedArray:
    given = _of(a)
    return masked_where(~np.isfinite(given.data), given, copy)


def masked_equal(x: Any, value: Any, copy: bool = True) -> MaskedArray:
    made = masked_where(_numbers(_of(x)) == value, x, copy)
    return _of_parts(made.data, made._mask, value)


def masked_not_equal(x: Any, value: Any, copy: bool = True) -> MaskedArray:
    return masked_where(_numbers(_of(x)) != value, x, copy)


def masked_greater(x: Any, value: Any, copy: bool = True) -> MaskedArray:
    return masked_where(_numbers(_of(x)) > value, x, copy)


def masked_greater_equal(x: Any, value: Any, copy: bool = True) -> MaskedArray:
    return masked_where(_numbers(_of(x)) >= value, x, copy)


def masked_less(x: Any, value: Any, copy: bool = True) -> MaskedArray:
    return masked_where(_numbers(_of(x)) < value, x, copy)


def masked_less_equal(x: Any, value: Any, copy: bool = True) -> MaskedArray:
    return masked_where(_numbers(_of(x)) <= value, x, copy)


def masked_inside(x: Any, v1: Any, v2: Any, copy: bool = True) -> MaskedArray:
    numbers = _numbers(_of(x))
    low, high = (v1, v2) if v1 <= v2 else (v2, v1)
    return masked_where((numbers >= low) & (numbers <= high), x, copy)


def masked_outside(x: Any, v1: Any, v2: Any, copy: bool = True) -> MaskedArray:
    numbers = _numbers(_of(x))
    low, high = (v1, v2) if v1 <= v2 else (v2, v1)
    return masked_where((numbers < low) | (numbers > high), x, copy)


# --- functions ------------------------------------------------------------------------------------


def filled(a: Any, fill_value: Any = None) -> Any:
    return a.filled(fill_value) if isinstance(a, MaskedArray) else np.asarray(a)


def getdata(a: Any, subok: bool = True) -> Any:
    return _numbers(_of(a))


def getmaskarray(arr: Any) -> Any:
    given = _of(arr)
    return np.zeros(given.data.shape, dtype=bool) if given._mask is None else given._mask


def isMaskedArray(x: Any) -> bool:
    return isinstance(x, MaskedArray)


def is_masked(x: Any) -> bool:
    return isinstance(x, MaskedArray) and bool(np.any(x.mask))


def compressed(x: Any) -> Any:
    return _of(x).compressed()


def count(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return _of(a).count(axis, keepdims)


def sum(a: Any, axis: Any = None, dtype: None = None, out: None = None,
        keepdims: bool = False) -> Any:  # fmt: skip
    return _of(a).sum(axis, None, None, keepdims)


def mean(a: Any, axis: Any = None, dtype: None = None, out: None = None,
         keepdims: bool = False) -> Any:  # fmt: skip
    return _of(a).mean(axis, None, None, keepdims)


def var(a: Any, axis: Any = None, dtype: None = None, out: None = None, ddof: int = 0,
        keepdims: bool = False) -> Any:  # fmt: skip
    return _of(a).var(axis, None, None, ddof, keepdims)


def std(a: Any, axis: Any = None, dtype: None = None, out: None = None, ddof: int = 0,
        keepdims: bool = False) -> Any:  # fmt: skip
    return _of(a).std(axis, None, None, ddof, keepdims)


def median(a: Any, axis: None = None, out: None = None, overwrite_input: bool = False,
           keepdims: bool = False) -> Any:  # fmt: skip
    return np.median(_of(a).compressed())


def _elementwise(f: Any, a: Any, lost: Any) -> MaskedArray:
    given = _of(a)
    hidden = lost if given._mask is None else lost | given._mask
    made = f(np.where(hidden, 1.0, given.data))
    return _of_parts(np.where(hidden, given.data, made), hidden, given._fill)


def log(a: Any) -> MaskedArray:
    return _elementwise(np.log, a, _numbers(_of(a)) <= _TINY)


def sqrt(a: Any) -> MaskedArray:
    return _elementwise(np.sqrt, a, _numbers(_of(a)) < 0.0)


def exp(a: Any) -> MaskedArray:
    given = _of(a)
    made = given._mask
    if made is None:
        return _of_parts(np.exp(given.data), None, given._fill)
    return _of_parts(np.where(made, given.data, np.exp(given.data)), made, given._fill)


def max(obj: Any, axis: Any = None, out: None = None, fill_value: None = None,
        keepdims: bool = False) -> Any:  # fmt: skip
    return _of(obj).max(axis, None, None, keepdims)


def min(obj: Any, axis: Any = None, out: None = None, fill_value: None = None,
        keepdims: bool = False) -> Any:  # fmt: skip
    return _of(obj).min(axis, None, None, keepdims)


def ptp(obj: Any, axis: Any = None, out: None = None, fill_value: None = None) -> Any:
    return _of(obj).ptp(axis)


def prod(a: Any, axis: Any = None, dtype: None = None, out: None = None,
         keepdims: bool = False) -> Any:  # fmt: skip
    return _of(a).prod(axis, None, None, keepdims)


def average(a: Any, axis: None = None, weights: Any = None, returned: bool = False, *,
            keepdims: bool = False) -> Any:  # fmt: skip
    given = _of(a)
    if weights is None:
        whole = np.ones(given.data.shape)
    else:
        whole = np.asarray(_numbers(weights)) * 1.0
        if isinstance(weights, MaskedArray) or whole.ndim != given.data.ndim:
            unsupported("np.ma.average with such weights", "weights in the shape of the array")
        if whole.shape != given.data.shape:
            raise ValueError("Shape of weights must be consistent with shape of a along specified "
                             "axis.")  # fmt: skip
    here = whole if given._mask is None else np.where(given._mask, 0.0, whole)
    total = np.sum(here)
    if total == 0.0:
        raise NotImplementedError(_NONE)
    made = np.sum(given.filled(0) * here) / total
    return (made, total) if known(returned) else made


def count_masked(arr: Any, axis: Any = None) -> Any:
    return np.sum(getmaskarray(arr), axis=axis)
