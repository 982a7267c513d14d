"""Where two numbers of Python meet: the kind of both, and whether the result is an int or a float.

A variable that is an int on one path and a float on another is a float here; whether it is an int
in Python is a leaf of its own beside it (``values.Scalar.is_int``), which is computed only if it
can be seen.
"""

from __future__ import annotations

from dataclasses import replace

from pullback.core.build import boolean
from pullback.core.terms import Atom
from pullback.core.types import F32, F64, I64, Bool, Int, Real
from pullback.frontend.kinds.plain_kinds import Number, ScalarK, static_scalar
from pullback.frontend.kinds.plain_values import Scalar, Static


def of_members(cls: type) -> ScalarK:
    """Return the kind of the members of an IntEnum as plain numbers."""
    return ScalarK(I64 if issubclass(cls, int) else Real(64), True)


def joined_numbers(
    x: ScalarK, y: ScalarK, x_literal: bool, y_literal: bool
) -> ScalarK | None:
    """Return the kind of a number that is one of two; ``x_literal``: the first is a literal."""
    t = _number(x, y, x_literal, y_literal)
    if t is None:
        return None
    rank0 = x.rank0 and y.rank0
    if not isinstance(t, Real):
        return ScalarK(t, x.py and y.py, max(x.bits, y.bits), rank0=rank0)
    ints = any(k.may_be_int or isinstance(k.type, Int) for k in (x, y))
    return ScalarK(t, x.py and y.py, may_be_int=ints and x.py and y.py, rank0=rank0)


def _number(x: ScalarK, y: ScalarK, x_literal: bool, y_literal: bool) -> Number | None:
    match x.type, y.type:
        case Real(p), Real(q):
            if x_literal and not y.py:  # a literal takes the precision of the NumPy scalar
                return Real(q)
            if y_literal and not x.py:
                return Real(p)
            if p != q and x.py != y.py:
                return None  # a Python float takes the precision of what it meets, this time so
            return Real(max(p, q))
        case Real(p), Int() | Bool():
            return x.type
        case Int() | Bool(), Real():
            return y.type
        case Int(p), Int(q):
            if x_literal and not y.py:
                return Int(q)
            return Int(p) if y_literal and not x.py else Int(max(p, q))
        case Int(), Bool():
            return x.type
        case Bool(), Int():
            return y.type
        case _:
            return Bool() if x.type == y.type else I64


def of_kind(value: Static | Scalar, kind: ScalarK, atom: Atom) -> Scalar:
    """Return a number as one of a kind, with its atom there."""
    told = tells_int(value) if kind.may_be_int else None
    made = Scalar(atom, kind.py, kind.bits, told, kind.rank0)
    if kind.rank0 and isinstance(value, Scalar):
        return replace(made, owners=value.owners, fresh=value.fresh)
    return made


def tells_int(value: Static | Scalar) -> Atom:
    """Return what tells whether a number of Python is an int."""
    if isinstance(value, Static):
        return boolean(type(value.value) is int)
    return boolean(value.type == I64) if value.is_int is None else value.is_int


def fits(value: Static | Scalar, t: Number) -> bool:
    """Whether a number can have this type. A float never becomes an int: its fraction would be
    lost."""
    if isinstance(value, Static):
        known = static_scalar(value.value)
        return known is not None and _RANKS[type(known.type)] <= _RANKS[type(t)]
    single = value.type == F64 and t == F32
    return _RANKS[type(value.type)] <= _RANKS[type(t)] and not single


_RANKS = {Bool: 0, Int: 1, Real: 2}
