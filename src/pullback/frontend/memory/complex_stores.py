"""``z[k] = w``, ``z *= w`` and ``z.real = x`` of complex arrays: updates of one part or both."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pullback.errors import ArgumentTypeError
from pullback.frontend.interpret.complex_values import is_array, numpy_parts
from pullback.frontend.kinds.complex_pairs import Complex, Pair, holds_pairs, is_complex
from pullback.frontend.kinds.flatten import NoKindError, kind_of
from pullback.frontend.kinds.kinds import RecordK
from pullback.frontend.kinds.values import (
    ListV,
    RecordV,
    SliceV,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.memory import nested_updates
from pullback.frontend.memory.places import Step

if TYPE_CHECKING:
    from pullback.frontend.run import Run

Stored = Callable[[Callable[[], Value]], Value]
ALL = SliceV(Static(None), Static(None), Static(None))


def split(
    run: Run, base: ast.Name, to: Sequence[Step], value: Stored, node: ast.AST
) -> list[tuple[tuple[Step, ...], Value]] | None:
    """Return the updates of real arrays that an update of a complex one is; None: it is none."""
    *steps, last = to
    whole = run.lookup(base.id, base)
    if not _may_hold(whole):
        return None
    holder = nested_updates.kind_there(run, whole, steps, node)
    if not isinstance(holder, RecordK) or not issubclass(holder.cls, Pair):
        return None
    here = whole
    for step in steps:
        here = (
            run.attribute(here, step, node) if isinstance(step, str)
            else run.subscript(here, step, node)
        )  # fmt: skip
    if isinstance(last, str):
        return _of_part(run, here, (*steps, last), value, node)
    if issubclass(holder.cls, Complex) or not is_array(here):
        reason = "'complex' object does not support item assignment"
        run.refuse(node, reason, error=ArgumentTypeError)
    new = value(lambda: run.subscript(here, last, node))
    if isinstance(new, (TupleV, ListV)):
        new = run.call(Static(np.asarray), (new,), node)
    parts = numpy_parts(run, new, node, False).items
    return [((*steps, name, last), x) for name, x in zip(("real", "imag"), parts, strict=True)]


def _of_part(
    run: Run, here: Value, to: tuple[Step, ...], value: Stored, node: ast.AST
) -> list[tuple[tuple[Step, ...], Value]]:
    """``z.real = x``"""
    name = str(to[-1])
    if name not in ("real", "imag") or not is_array(here):
        reason = f"attribute {name!r} of a complex number is not writable"
        run.refuse(node, reason, error=ArgumentTypeError)
    new = value(lambda: run.attribute(here, name, node))
    if is_complex(new):
        reason = f"a complex value as the {name} part"
        run.refuse(node, reason, error=ArgumentTypeError)
    return [((*to, ALL), new)]


def _may_hold(value: Value) -> bool:
    match value:
        case RecordV() | TupleV() | ListV():
            try:
                return holds_pairs(kind_of(value))
            except NoKindError:
                return False
        case _:
            return False


__all__ = ["ALL", "split"]
