"""Describe values that compiled code does not take, and say what to pass instead."""

from __future__ import annotations

import collections
import datetime
import decimal
import fractions
import types
from collections.abc import Iterator

import numpy as np

_FLOAT = "convert it: a.astype(np.float64)"
_DTYPES: dict[str, str] = {
    "c": "convert it: a.astype(np.complex128)",
    "U": "pass numbers for the words: np.unique(a, return_inverse=True)[1]; or a list: a.tolist()",
    "S": "pass numbers for the words: np.unique(a, return_inverse=True)[1]",
    "O": "convert it: np.array(a.tolist(), np.float64); arrays of several lengths as list(a)",
    "M": "pass numbers, the days since the first: (a - a[0]) / np.timedelta64(1, 'D')",
    "m": "pass numbers, the seconds: a / np.timedelta64(1, 's')",
    "V": "pass its columns in a dict: {name: a[name] for name in a.dtype.names}",
    "u": "convert it: a.astype(np.int64), or a.astype(np.float64) to differentiate by it",
    "i": "convert it: a.astype(np.int64), or a.astype(np.float64) to differentiate by it",
    "f": _FLOAT,
}
_CLASSES: dict[type, str] = {
    set: "pass a tuple or a list: sorted(s)",
    frozenset: "pass a tuple or a list: sorted(s)",
    bytes: "pass a list of numbers: list(b)",
    bytearray: "pass a list of numbers: list(b)",
    memoryview: "pass an array: np.asarray(m).astype(np.int64)",
    collections.deque: "pass a list: list(d)",
    decimal.Decimal: "pass a float: float(d)",
    fractions.Fraction: "pass a float: float(q)",
    datetime.datetime: "pass a number: t.timestamp()",
    datetime.date: "pass a number: d.toordinal()",
    datetime.timedelta: "pass a number: t.total_seconds()",
    dict: "pass a plain dict: dict(d)",
    types.GeneratorType: "pass a list: list(g)",
}
_MODULES: dict[str, str] = {
    "pandas": "pass an array: df['x'].to_numpy()",
    "polars": "pass an array: df['x'].to_numpy()",
    "xarray": "pass an array: a.values",
    "torch": "pass an array: t.detach().numpy()",
    "tensorflow": "pass an array: t.numpy()",
    "jax": "pass an array: np.asarray(a)",
    "jaxlib": "pass an array: np.asarray(a)",
    "scipy.sparse": "convert it: m.tocsr(), m.tocsc() or m.tocoo(); or m.toarray()",
}


def unsupported_dtype(value: np.ndarray) -> tuple[str, str]:
    """Return the reason and the rewrite for an array of another dtype (or a scalar, as an
    array)."""
    reason = f"of dtype {value.dtype} is not supported"
    if value.ndim or value.dtype.kind not in "uif":
        what = "an array" if value.ndim else "a number or array"
        return f"{what} {reason}", _DTYPES.get(value.dtype.kind, _FLOAT)
    kept = "" if value.dtype.kind == "f" else ", or int(x)"
    return f"a number or array {reason}", f"convert it: float(x){kept}"


def unsupported_value(value: object) -> tuple[str, str] | None:
    """Return the reason and the rewrite for a value of a known class of Python's or of a library's;
    None if it is of another class."""
    cls = type(value)
    reason = f"a value of type {cls.__name__} is not supported"
    for known, rewrite in _CLASSES.items():
        if isinstance(value, known):
            return reason, rewrite
    for module, rewrite in _MODULES.items():
        if cls.__module__ == module or cls.__module__.startswith(module + "."):
            return reason, rewrite
    return (reason, "pass a list: list(xs)") if isinstance(value, Iterator) else None


__all__ = ["unsupported_dtype", "unsupported_value"]
