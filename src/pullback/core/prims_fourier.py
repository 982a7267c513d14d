"""Rows for Fourier transforms of rows of float64, which NumPy's loops compute (``pocketfft``).

    fft(x, y, factor; inverse)     of the complex rows x + iy, as long as they are
    rfft(x, factor)                of real rows: the first n // 2 + 1 items
    irfft(x, y, n, factor)         the real rows of length n whose rfft is x + iy; x and y have
                                   n // 2 + 1 columns, and n is at least 1

A complex result is an array of rank 3: the last axis has the real and the imaginary part. The
result is multiplied by ``factor``, which has no derivative. ``inverse`` is 1 for the sign of the
inverse transform, which is not divided by n. All of them are linear, and each derivative is again
one of them:

    fft    the transform of the other sign
    rfft   irfft, where the items that stand for two of the whole transform are halved
    irfft  rfft, where those items are doubled
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pullback.core.later import Later
from pullback.core.rows import ZERO, Mark, Row, Rule, Static, Table, Whole
from pullback.core.terms import Atom, Build, Lit, Var
from pullback.core.types import F64, I64, Array, Type

if TYPE_CHECKING:
    from pullback.core.build import Builder

FOURIER = Table()

Rows = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
MATRIX, PAIRS = Array(F64, 2), Array(F64, 3)


def _types(*wanted: Type, result: Type, flags: int = 0) -> Rule:
    def rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
        if types != wanted:
            raise TypeError(f"takes {', '.join(map(str, wanted))}, not {types}")
        if len(static) != flags or not all(isinstance(s, int) for s in static):
            raise TypeError(f"takes {flags} flags, not {static}")
        return (result,)

    return rule


# --- meaning -------------------------------------------------------------------------------------

_umath = Later("numpy.fft._pocketfft_umath")
_LAST = [(-1,), (), (-1,)]


def _joined(x: Rows, y: Rows) -> np.ndarray[tuple[int, ...], np.dtype[np.complex128]]:
    z = np.empty(x.shape, np.complex128)
    z.real, z.imag = x, y
    return z


def _taken_apart(z: np.ndarray[tuple[int, ...], np.dtype[np.complex128]]) -> Rows:
    return np.ascontiguousarray(z).view(np.float64).reshape(*z.shape, 2)


def _fft(x: Rows, y: Rows, factor: float, inverse: int) -> Rows:
    z = _joined(x, y)
    transform = _umath.ifft if inverse else _umath.fft
    return _taken_apart(transform(z, factor, out=z, axes=_LAST) if z.size else z)


def _rfft(x: Rows, factor: float) -> Rows:
    rows, n = x.shape
    out = np.zeros((rows, n // 2 + 1), np.complex128)
    if n:
        (_umath.rfft_n_odd if n % 2 else _umath.rfft_n_even)(x, factor, out=out, axes=_LAST)
    return _taken_apart(out)


def _irfft(x: Rows, y: Rows, n: int, factor: float) -> Rows:
    out = np.empty((len(x), n))
    found: Rows = _umath.irfft(_joined(x, y), factor, out=out, axes=_LAST) if n else out
    return found


# --- rules ---------------------------------------------------------------------------------------

Args = tuple[Atom, ...]
Given = tuple[Atom | None, ...]


def _zeros(b: Builder, like: Atom) -> Var:
    extents = b.dim(like, 0), b.dim(like, 1)
    return b.let(Build(extents, (Var("i", I64), Var("j", I64)), type(b)().block((Lit(0.0, F64),))),
                 (MATRIX,))[0]  # fmt: skip


def _pair(b: Builder, args: Args, d: Given) -> tuple[Atom, Atom]:
    """The tangents of the two parts, zeros where there is none."""
    return (
        _zeros(b, args[0]) if d[0] is None else d[0],
        _zeros(b, args[0]) if d[1] is None else d[1],
    )


def _part(b: Builder, z: Atom, which: int) -> Var:
    return b.prim("pick", z, Lit(which, I64), static=(2,))


def _fft_tangent(b: Builder, args: Args, d: Given, out: Atom, static: Static) -> Atom:
    return b.prim("fft", *_pair(b, args, d), args[2], static=static)


def _fft_cotangents(b: Builder, args: Args, ct: Atom, out: Atom, static: Static) -> Given:
    """Of the two parts as a pair: the transform of the other sign."""
    (inverse,) = static
    other = 0 if inverse else 1
    back = b.prim("fft", _part(b, ct, 0), _part(b, ct, 1), args[2], static=(other,))
    return _part(b, back, 0), _part(b, back, 1), None


def _weighted(b: Builder, z: Atom, which: int, n: Atom, weight: float) -> Var:
    """A part of the first half of a transform of length n, where the items that stand for two of
    the whole transform are multiplied: all but the first, and the one in the middle."""
    i, j, inner = Var("i", I64), Var("j", I64), type(b)()
    item = inner.index(z, (i, j, Lit(which, I64)), checked=False)
    middle = inner.prim("eq", inner.prim("add", j, j), n)
    once = inner.prim("or", inner.prim("eq", j, Lit(0, I64)), middle)
    twice = inner.prim("mul", Lit(weight, F64), item)
    body = inner.block((inner.prim("select", once, item, twice),))
    return b.let(Build((b.dim(z, 0), b.dim(z, 1)), (i, j), body), (MATRIX,))[0]


def _rfft_tangent(b: Builder, args: Args, d: Given, out: Atom, static: Static) -> Atom:
    assert d[0] is not None
    return b.prim("rfft", d[0], args[1])


def _rfft_cotangents(b: Builder, args: Args, ct: Atom, out: Atom, static: Static) -> Given:
    n = b.dim(args[0], 1)
    parts = [_weighted(b, ct, k, n, 0.5) for k in range(2)]
    return b.prim("irfft", *parts, n, args[1]), None


def _irfft_tangent(b: Builder, args: Args, d: Given, out: Atom, static: Static) -> Atom:
    return b.prim("irfft", *_pair(b, args, d), *args[2:])


def _irfft_cotangents(b: Builder, args: Args, ct: Atom, out: Atom, static: Static) -> Given:
    half = b.prim("rfft", ct, args[3])
    first, second = (_weighted(b, half, k, args[2], 2.0) for k in range(2))
    return first, second, None, None


# --- the rows ------------------------------------------------------------------------------------


def _row(
    name: str, rule: Rule, numpy: Callable[..., object], whole: Whole, arrays: int, numbers: int
) -> None:
    partials = (*(Mark.WHOLE,) * arrays, *(ZERO,) * numbers)
    FOURIER.add(Row(
        name, arrays + numbers, rule, numpy, partials, {"array": "lower"}, cost="transform",
        whole=whole,
    ))  # fmt: skip


_row("fft", _types(MATRIX, MATRIX, F64, result=PAIRS, flags=1), _fft,
     Whole(_fft_tangent, _fft_cotangents), 2, 1)  # fmt: skip
_row("rfft", _types(MATRIX, F64, result=PAIRS), _rfft, Whole(_rfft_tangent, _rfft_cotangents),
     1, 1)  # fmt: skip
_row("irfft", _types(MATRIX, MATRIX, I64, F64, result=MATRIX), _irfft,
     Whole(_irfft_tangent, _irfft_cotangents), 2, 2)  # fmt: skip

__all__ = ["FOURIER"]
