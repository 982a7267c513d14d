"""The functions that texts of Fourier transforms call: the transforms of rows, which are primitives
(``core/prims_fourier.py``) or plain programs, and what makes results of them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from pullback.core import pocketfft
from pullback.core.build import lit
from pullback.core.prims_fourier import FOURIER
from pullback.core.types import F64, I64
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import (
    ArrayV,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.compiled_text import array_of, run_program
from pullback.frontend.library.numpy.sort import as_type
from pullback.frontend.library.text import plain_transforms

Rows = Any
"""A matrix; mypy would demand casts that plain Python does not need."""


def _by_rows(sp: Specialiser) -> bool:
    """Whether transforms are primitives here."""
    return bool(sp.lapack) and pocketfft.available()


def _wide(sp: Specialiser, arrays: Sequence[Value], node: ast.AST) -> list[ArrayV]:
    return [as_type(sp, array_of(v), F64, node) for v in arrays]


def transform(x: Rows, y: Rows, factor: float, inverse: int) -> Any:
    """Return the transforms of complex rows, times the factor: the last axis has the two parts."""
    return FOURIER.rows["fft"].numpy(x, y, factor, inverse)


@register(transform)
def _transform(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    first, second, factor, inverse = args
    x, y = _wide(sp, (first, second), node)
    if not _by_rows(sp):
        return run_program(sp, plain_transforms.fft, (x, y, factor, inverse), node)
    sign = sp.static_int(inverse, node, "a direction")
    scale = sp.convert(factor, F64, node)
    made = sp.fresh(sp.b.prim("fft", x.atom, y.atom, scale, static=(sign,)), node)
    return ext.note(sp, made, (*ext.extents(sp, x), lit(2, I64)))


def real_transform(x: Rows, factor: float) -> Any:
    """Return the first halves of the transforms of real rows, times the factor."""
    return FOURIER.rows["rfft"].numpy(x, factor)


@register(real_transform)
def _real_transform(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (x,) = _wide(sp, args[:1], node)
    if not _by_rows(sp):
        return run_program(sp, plain_transforms.rfft, (x, args[1]), node)
    return sp.fresh(sp.b.prim("rfft", x.atom, sp.convert(args[1], F64, node)), node)


def half_transform(x: Rows, y: Rows, n: int, factor: float) -> Rows:
    """Return the real rows of length n whose transforms begin with these n // 2 + 1 items."""
    return FOURIER.rows["irfft"].numpy(x, y, n, factor)


@register(half_transform)
def _half_transform(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    first, second, n, factor = args
    x, y = _wide(sp, (first, second), node)
    if not _by_rows(sp):
        return run_program(sp, plain_transforms.irfft, (x, y, n, factor), node)
    length, scale = sp.convert(n, I64, node), sp.convert(factor, F64, node)
    return sp.fresh(sp.b.prim("irfft", x.atom, y.atom, length, scale), node)


def own(array: Any) -> Any:
    """Return an array that is new, and only looks like a view: nothing else refers to the array
    that it is all of."""
    return array


@register(own)
def _own(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    array = array_of(args[0])
    return ext.note(sp, sp.fresh(array.atom, node), ext.extents(sp, array))


def two_parts(pairs: Any) -> tuple[Any, Any]:
    """Return the real and the imaginary parts, which stand side by side on the last axis."""
    return pairs[..., 0], pairs[..., 1]


@register(two_parts)
def _two_parts(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (pairs,) = args
    parts = (sp.subscript(pairs, TupleV((Static(...), Static(k))), node) for k in range(2))
    return TupleV(tuple(_own(sp, (part,), {}, node) for part in parts))


__all__ = [
    "half_transform", "own", "real_transform", "transform", "two_parts",
]  # fmt: skip
