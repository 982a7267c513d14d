"""Nodes of recursive data, taken apart: a node of one class as the record that it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pullback.core.terms import Var
from pullback.core.types import Named, variants_of
from pullback.frontend.derivatives.gradients import reduced
from pullback.frontend.kinds.flatten import rebuild
from pullback.frontend.kinds.values import RecordV, UnionV, Value

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def unpack(run: Run, value: UnionV, cls: type, fields: tuple[Var, ...]) -> Value:
    """Return a node, known to be of class ``cls``, as a record of its fields (None: as None)."""
    kind = value.union.variant_kind(cls)
    if value.union.primal is not None:
        kind, kept = reduced(run, kind)
        fields = tuple(f for f, on in zip(fields, kept, strict=False) if on)
    inside = rebuild(kind, iter(fields), lambda: (value.owners, False))
    if isinstance(inside, RecordV):
        return RecordV(inside.cls, inside.fields, value)
    return inside


def variant_params(run: Run, value: UnionV, tag: int) -> tuple[Var, ...]:
    """Return variables for the fields of a node of the class with this number."""
    run.declare(value.union)
    variant = variants_of(Named(value.union.name), run.decls)[tag]
    return tuple(Var(variant.name.lower(), t) for t in variant.fields)


__all__ = ["unpack", "variant_params"]
