"""The values of nested terms.

    R float    Z int    1 ()    s * t  a Python pair    s + t  Inj    Arr t  a Python list
    T t*  ConV    s -> t  a ``language.eval.Closure``, or a Python callable of a library
    Pack  Packed (the witness type and the value)

and those of the libraries: ``Zero`` (the zero of a sparse cotangent, which knows its type) and what
the rows of ``language.ops`` make. Values are never changed once made, but for ``MArr``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from pullback.core.frozen import dataclass
from pullback.papers.language.terms import Type


@dataclass(frozen=True, slots=True)
class Inj:
    """inl value (tag 0) or inr value (tag 1)."""

    tag: int
    value: object


@dataclass(frozen=True, slots=True)
class ConV:
    """A value of a declared type."""

    name: str
    fields: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Packed:
    """A value of an existential type, tagged with its witness."""

    witness: Type
    value: object


@dataclass(frozen=True, slots=True)
class Zero:
    """The zero of a sparse product or sum (``None`` in the paper), at its type."""

    type: Type


FALSE, TRUE = Inj(0, ()), Inj(1, ())


def to_bool(b: object) -> Inj:
    """Return a truth value as a value of B."""
    return TRUE if b else FALSE


def pair(v: object) -> tuple[object, object]:
    """Return ``v``, which is a pair by its type."""
    return cast("tuple[object, object]", v)


def real(v: object) -> float:
    """Return ``v``, which is a real by its type."""
    return cast(float, v)


def array(v: object) -> list[object]:
    """Return ``v``, which is an array by its type."""
    return cast("list[object]", v)


def items(v: object, n: int) -> list[object]:
    """Return the n components of a left-nested tuple."""
    out: list[object] = []
    while len(out) < n - 1:
        v, last = pair(v)
        out.append(last)
    return [v, *reversed(out)] if n else []


def tuple_value(*values: object) -> object:
    """The tuple (v1,..,vn), pairs nested to the left: () of no values, the value itself of one."""
    if not values:
        return ()
    out = values[0]
    for v in values[1:]:
        out = (out, v)
    return out


def map_reals(change: Callable[[float], object], v: object, discrete: bool = False) -> object:
    """Return a value like ``v`` with its reals changed. With ``discrete``, integers become ()."""
    match v:
        case float():
            return change(v)
        case bool() | int():
            return () if discrete else v
        case list():  # before pairs: a list of two is a sequence of two to a pattern
            return [map_reals(change, x, discrete) for x in v]
        case ():
            return ()
        case (a, b):
            return (map_reals(change, a, discrete), map_reals(change, b, discrete))
        case Inj(tag, x):
            return Inj(tag, map_reals(change, x, discrete))
        case ConV(name, fields):
            return ConV(name, tuple(map_reals(change, x, discrete) for x in fields))
        case _:
            raise TypeError(f"not a first-order value: {v!r}")


def reals_in(v: object) -> list[float]:
    """Return the reals of a first-order value, from left to right."""
    found: list[float] = []

    def keep(x: float) -> float:
        found.append(x)
        return x

    map_reals(keep, v)
    return found
