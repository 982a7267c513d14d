"""The numbers of a ``range``: how many there are, and each by its position."""

from __future__ import annotations

import ast

from pullback.core.build import i64
from pullback.core.terms import Atom, Lit
from pullback.frontend.interpret.indices import int_atom
from pullback.frontend.interpret.scalars import MAX_SUM_BITS, TOO_MANY_BITS
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import Indexed, RangeV, Scalar, Static, Value
from pullback.frontend.run import Run


def parts(run: Run, value: RangeV, node: ast.AST) -> tuple[Atom, Atom, Atom]:
    """Return the start, the number of items and the step (of either sign) of a range."""
    step = int_atom(run, value.step, node, "an argument of range")
    start = int_atom(run, value.start, node, "an argument of range")
    stop = int_atom(run, value.stop, node, "an argument of range")
    bits = max(run.scalar(v, node).bits for v in (value.start, value.stop))
    wide = node if bits > MAX_SUM_BITS else None
    if isinstance(step, Lit) and abs(int(step.value)) < 2**31:
        count = _count(run, start, stop, int(step.value), wide)
    else:
        count = _any_count(run, start, stop, step, wide)
    if isinstance(count, Lit):
        return start, run.scalar(Static(max(int(count.value), 0)), node).atom, step
    if ext.never_negative(run, count):
        return start, count, step
    return start, run.b.prim("max", count, i64(0)), step


def _count(run: Run, start: Atom, stop: Atom, step: int, wide: ast.AST | None) -> Atom:
    """Return the number of items of a range; below 0 if it has none. A number beyond 64 bits is an
    OverflowError at ``wide`` (None: there cannot be any)."""
    def checked(name: str, x: Atom, y: Atom) -> Atom:
        if wide is None or y == i64(0) or (isinstance(x, Lit) and isinstance(y, Lit)):
            return ext.sub(run, x, y) if name == "sub" else ext.add(run, x, y)
        return run.b.prim(f"{name}.ck", x, y, site=run.site(wide))

    size = abs(step)
    if size == 0:  # raises ValueError where it is made
        return i64(0)
    ends = (stop, start) if step > 0 else (start, stop)
    span = checked("sub", *ends)
    if size == 1:
        return span
    return ext.floordiv(run, checked("add", span, i64(size - 1)), i64(size))


def _any_count(run: Run, start: Atom, stop: Atom, step: Atom, wide: ast.AST | None) -> Atom:
    """Return the number of items of a range whose step may be any number: 1 + (span - 1) //
    abs(step), with both numbers negated, since there is no abs(-2**63)."""
    b = run.b
    up = b.prim("gt", step, i64(0))
    low, high = b.prim("select", up, start, stop), b.prim("select", up, stop, start)
    some, back = b.prim("lt", low, high), b.prim("sub", low, high)
    if wide is not None:
        near = b.prim("and", b.prim("lt", back, i64(0)), b.prim("gt", back, i64(-(2**63))))
        fits = b.prim("or", b.prim("not", some), near)
        run.require(fits, TOO_MANY_BITS, "integer result does not fit in 64 bits", wide)
    down = b.prim("select", up, b.prim("sub", i64(0), step), step)
    rounds = b.prim("add", b.prim("floordiv", b.prim("add", back, i64(1)), down), i64(1))
    return b.prim("select", some, rounds, i64(0))


def items_of(run: Run, value: RangeV, node: ast.AST) -> Indexed:
    """Return the numbers of a range."""
    start, count, step = parts(run, value, node)
    small = _bits_of_items(run, value, start, step, node)

    def at(i: Atom) -> Value:
        if start == i64(0) and step == i64(1):
            return Scalar(i, True, small)
        scaled = i if step == i64(1) else run.b.prim("mul", i, step)
        if start == i64(0):
            return Scalar(scaled, True, small)
        return Scalar(run.b.prim("add", start, scaled), True, small)

    return Indexed(count, at)


def _bits_of_items(run: Run, value: RangeV, start: Atom, step: Atom, node: ast.AST) -> int:
    """Return the bits of the items: they lie between the ends, and no loop has 2**31 rounds."""
    if max(run.scalar(v, node).bits for v in (value.start, value.stop)) <= 31:
        return 31
    near = isinstance(start, Lit) and abs(int(start.value)) < 2**31
    return 31 if near and step in (i64(1), i64(-1)) else 64


__all__ = ["items_of", "parts"]
