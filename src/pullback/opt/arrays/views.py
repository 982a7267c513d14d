"""Compute where the element of a view stands in the array that it is a view of."""

from __future__ import annotations

from collections.abc import Callable

from pullback.core.terms import Atom, Lit, Prim, Var
from pullback.core.types import I64
from pullback.opt.arrays.shapes import Extents, Shapes, same

_ZERO, _ONE = Lit(0, I64), Lit(1, I64)

Arithmetic = Callable[..., Atom]
"""``arithmetic(name, *args)`` emits a primitive."""


def base_index(
    op: Prim, idx: tuple[Atom, ...], shapes: Shapes, arithmetic: Arithmetic
) -> tuple[Atom, ...] | None:
    """Return the indices of the element ``op[idx]`` in ``op.args[0]``; None if ``op`` is no view,
    or if the answer depends on extents at run time."""
    match op.name:
        case "transpose":
            out = list(idx)
            for k, axis in enumerate(op.static):
                assert isinstance(axis, int)
                out[axis] = idx[k]
            return tuple(out)
        case "broadcast":
            return _broadcast(shapes.of(op.args[0]), op.args[1:], idx)
        case "reshape":
            return _reshape(shapes.of(op.args[0]), op.args[1:], idx)
        case "pick" | "expand" | "slice":
            axis = op.static[0]
            assert isinstance(axis, int)
            before, after = idx[:axis], idx[axis:]
            if op.name == "pick":
                return (*before, op.args[1], *after)
            if op.name == "expand":
                return before + after[1:]
            _, start, _, step = op.args
            there = arithmetic("add", start, arithmetic("mul", after[0], step))
            return (*before, there, *after[1:])
        case _:
            return None


def _broadcast(
    have: Extents, wanted: tuple[Atom, ...], idx: tuple[Atom, ...]
) -> tuple[Atom, ...] | None:
    out: list[Atom] = []
    for n, m, i in zip(have, wanted, idx, strict=False):
        if same(n, m):
            out.append(i)
        elif same(n, _ONE):
            out.append(_ZERO)
        elif isinstance(n, Lit):
            out.append(i)  # not 1, so it must be m
        else:
            return None
    return tuple(out)


def _reshape(
    have: Extents, wanted: tuple[Atom, ...], idx: tuple[Atom, ...]
) -> tuple[Atom, ...] | None:
    """Only reshapes that insert and drop axes of extent 1."""
    kept = [(m, i) for m, i in zip(wanted, idx, strict=False) if not same(m, _ONE)]
    out: list[Atom] = []
    for n in have:
        if same(n, _ONE):
            out.append(_ZERO)
        elif kept and isinstance(n, (Var, Lit)) and same(n, kept[0][0]):
            out.append(kept.pop(0)[1])
        else:
            return None
    return None if kept else tuple(out)
