"""Lower Fourier transforms to calls of NumPy's loops (``core/pocketfft.py``).

A loop takes complex numbers as pairs of reals side by side. Real and imaginary parts are arrays of
their own in Core. Where they lie side by side nevertheless (they are the parts of a complex
argument, or of another transform), the loop reads them there; otherwise they are copied into pairs,
and the transform of complex rows stays in the memory of that copy. Real rows are read where they
lie, whatever the strides."""

from __future__ import annotations

from collections.abc import Callable

from pullback.core.pocketfft import PREFIX
from pullback.core.terms import Prim
from pullback.core.types import F64, Array
from pullback.lower.copies import copy_view, fresh, nest
from pullback.lower.forms import pointers
from pullback.lower.loopcode import Foreign, Imm, Ty, Value
from pullback.lower.state import Lowering
from pullback.lower.values import ONE, ZERO, NotInLanes, Scalar, View
from pullback.lower.views import place_of, read, write

_TWO = Imm(2, Ty.I64)
_SIZE, _PAIR = Imm(8, Ty.I64), Imm(16, Ty.I64)
"""The bytes of a real, and of two."""


def fourier_prim(lo: Lowering, op: Prim) -> View:
    """The result of a row of ``core/prims_fourier.py``."""
    if lo.lane is not None:
        raise NotInLanes("it calls a Fourier transform")
    match op.name:
        case "fft":
            x, y, factor = op.args
            (inverse,) = op.static
            name = "ifft" if inverse else "fft"
            return _complex(lo, name, lo.view(x), lo.view(y), lo.uniform(lo.scalar(factor)))
        case "rfft":
            x, factor = op.args
            return _real(lo, lo.view(x), lo.uniform(lo.scalar(factor)))
        case "irfft":
            x, y, n, factor = op.args
            length, scale = lo.extent(n), lo.uniform(lo.scalar(factor))
            return _half(lo, lo.view(x), lo.view(y), length, scale)
        case _:
            raise TypeError(f"not a Fourier transform: {op.name}")


def _complex(lo: Lowering, name: str, x: View, y: View, factor: Value) -> View:
    """Transform complex rows: in the memory of the result, unless they are read where they lie."""
    rows, n = x.extents
    out = fresh(lo, Array(F64, 3), (rows, n, _TWO), 1, "temp")
    at, row = out.ptrs[0], lo.mul(n, _PAIR)
    source, steps = _source(lo, x, y, lambda: out)
    _call(lo, name, source, at, factor, rows, (n, n), steps, (row, _PAIR))
    return out


def _real(lo: Lowering, x: View, factor: Value) -> View:
    """Transform real rows, by one of two loops: for even and for odd lengths."""
    source = x if x.uniform else copy_view(lo, x)
    rows, n = source.extents
    half = lo.add(lo.arith("shr", Ty.I64, n, ONE), ONE)
    out = fresh(lo, Array(F64, 3), (rows, half, _TWO), 1, "temp")
    steps = [lo.mul(s, _SIZE) for s in source.strides]
    given = (pointers(lo, source)[0], out.ptrs[0], factor, rows, (n, half),
             (steps[0], steps[1]), (lo.mul(half, _PAIR), _PAIR))  # fmt: skip

    def of(name: str) -> list[Value]:
        _call(lo, name, *given)
        return []

    odd = lo.test("eq", lo.arith("and", Ty.I64, n, ONE), ONE)
    lo.choose(odd, lambda: of("rfft_n_odd"), lambda: of("rfft_n_even"))
    return out


def _half(lo: Lowering, x: View, y: View, n: Value, factor: Value) -> View:
    """Find the real rows of which these are the first halves of the transforms."""
    rows, width = x.extents
    source, steps = _source(
        lo, x, y, lambda: fresh(lo, Array(F64, 3), (rows, width, _TWO), 1, "temp")
    )
    out = fresh(lo, Array(F64, 2), (rows, n), 1, "temp")
    _call(lo, "irfft", source, out.ptrs[0], factor, rows, (width, n), steps,
          (lo.mul(n, _SIZE), _SIZE))  # fmt: skip
    return out


def _source(
    lo: Lowering, x: View, y: View, room: Callable[[], View]
) -> tuple[Value, tuple[Value, Value]]:
    """Return the address of pairs, and the bytes from row to row and from item to item: where the
    parts lie side by side, or a copy in the ``room``."""

    def there() -> list[Value]:
        return [pointers(lo, x)[0], *(lo.mul(s, _SIZE) for s in x.strides)]

    def copied() -> list[Value]:
        pairs = room()
        _copy_pairs(lo, x, y, pairs)
        return [pairs.ptrs[0], lo.mul(x.extents[1], _PAIR), _PAIR]

    if not (x.uniform and y.uniform):
        at, row, item = copied()
        return at, (row, item)
    first, second = (lo.address(pointers(lo, v)[0]) for v in (x, y))
    beside = lo.test("eq", lo.sub(second, first), _SIZE)
    for mine, others in zip(x.strides, y.strides, strict=True):
        beside = lo.arith("and", Ty.I1, beside, lo.test("eq", mine, others))
    at, row, item = lo.choose(beside, there, copied)
    return at, (row, item)


def _copy_pairs(lo: Lowering, x: View, y: View, out: View) -> None:
    """Emit a copy of two matrices that has their elements side by side."""

    def element(indices: list[Scalar], _: list[Value]) -> list[Value]:
        for k, part in enumerate((x, y)):
            at = Scalar(indices[0].type, Imm(k, Ty.I64))
            write(lo, out, place_of(lo, out, [*indices, at]),
                  read(lo, part, place_of(lo, part, indices)))  # fmt: skip
        return []

    nest(lo, x.extents, [], element)


def _call(
    lo: Lowering, name: str, source: Value, to: Value, factor: Value, rows: Value,
    lengths: tuple[Value, Value], steps: tuple[Value, Value], out_steps: tuple[Value, Value],
) -> None:  # fmt: skip
    """Emit the call. There is none of rows of length 0, which NumPy's loops do not take: code that
    asks for one raises an error before, but may have been moved in front of that."""

    def call() -> list[Value]:
        given = (source, to, factor, rows, *lengths, *steps, *out_steps)
        lo.emit(Foreign(None, f"{PREFIX}{name}", given))
        return []

    some = (lo.test("gt", n, ZERO) for n in lengths)
    lo.choose(lo.arith("and", Ty.I1, *some), call, lambda: [])


__all__ = ["fourier_prim"]
