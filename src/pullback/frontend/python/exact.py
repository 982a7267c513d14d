"""Decide which objects are data: exactly those of the classes whose behaviour is compiled.

A subclass of a number, array or container can have a behaviour of its own (``np.matrix`` multiplies
differently, a masked array skips elements), and even an empty subclass is another class to
``isinstance``. So an object of a subclass is no value of the base class: it is refused, wherever it
comes from.

NumPy's scalars, ``bool``, members of enumerations and ``NamedTuple`` classes are not refused, since
they are values with a meaning of their own, and neither are objects of classes that a user derives
from ``float``, ``list`` and their likes, which hold one (``container_bases``). A ``np.memmap`` has
the behaviour of an array, and is read as one, where it lies.
"""

from __future__ import annotations

import enum

import numpy as np

from pullback.errors import ArgumentTypeError, IntRangeError

_BASES: dict[type, str] = {
    np.ndarray: "np.asarray(x)",
    float: "float(x)",
    int: "int(x)",
    str: "str(x)",
    list: "list(x)",
    tuple: "tuple(x)",
    dict: "dict(x)",
}
"""The classes of data that can have subclasses, each with a call that makes a value of the class
itself."""

_EXACT = frozenset(
    {*_BASES, bool, np.float64, np.float32, np.int64, np.int32, np.bool_, type(None), np.memmap}
)
_SPECIAL: dict[type, str] = {
    np.ma.MaskedArray: "pass x.filled(0.0), or the data and the mask as two arrays: x.data, x.mask",
    np.matrix: "pass np.asarray(x), and write A @ B for A * B",
}


def refusal(value: object) -> tuple[str, str] | None:
    """Return the reason to refuse an object of a subclass, and what to write instead; None if it is
    of exactly its class, or is no data."""
    cls = type(value)
    if cls in _EXACT:
        return None
    base = next((b for b in _BASES if isinstance(value, b)), None)
    if base is None or isinstance(value, enum.Enum) or _has_names(cls):
        return None
    if isinstance(value, np.generic) and cls.__module__ == "numpy":
        return None  # a scalar of another dtype has a message of its own
    rewrite = next((text for c, text in _SPECIAL.items() if issubclass(cls, c)), None)
    reason = f"a {cls.__name__}: a subclass of {base.__name__} can behave in another way"
    return reason, rewrite or f"pass {_BASES[base]}"


def _has_names(cls: type) -> bool:
    """Whether a class is a ``NamedTuple``, or a class like those that Python has
    (``sys.version_info``)."""
    return issubclass(cls, tuple) and (hasattr(cls, "_fields") or hasattr(cls, "n_fields"))


def require_exact(value: object) -> None:
    """Raise ``ArgumentTypeError`` for an object of a subclass of a class of data."""
    found = refusal(value)
    if found is not None:
        raise ArgumentTypeError(*found)


def exact_int(number: object) -> int:
    """Return the int that a float stands for where ints and floats have met. From 2**53 on it may
    be another one, so that is refused."""
    assert isinstance(number, float)
    if not abs(number) < _MOST:
        raise IntRangeError(
            "an int of 2**53 or more has met a float: as a float it is not known exactly",
            "write float(n), or keep ints and floats in variables of their own",
        )
    return int(number)


_MOST = 2.0**53
