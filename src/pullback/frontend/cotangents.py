"""Cotangents and tangents of values: which leaves have one, and in what shape they are given."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pullback.core.terms import Atom
from pullback.core.types import Array, Real, Type
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds import (
    ArrayK,
    Kind,
    ListK,
    RecordK,
    ScalarK,
    StaticK,
    TupleK,
    describe,
    leaf_types,
)
from pullback.frontend.values import (
    ArrayV,
    ListV,
    Owner,
    RecordV,
    Scalar,
    Static,
    TupleV,
    Value,
)

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def is_real(t: Type) -> bool:
    """A real number or an array of them: what has a cotangent of its own."""
    return isinstance(t, Real) or (isinstance(t, Array) and isinstance(t.elem, Real))


def cotangent(kind: Kind, primal: Iterator[Atom], cts: Iterator[Atom]) -> Value:
    """A gradient in the shape of its argument: discrete leaves are None."""
    match kind:
        case ScalarK(t, py):
            next(primal)
            return Scalar(next(cts), py) if isinstance(t, Real) else Static(None)
        case ArrayK(elem):
            next(primal)
            return _fresh(next(cts)) if isinstance(elem, Real) else Static(None)
        case TupleK(items, is_list):
            return TupleV(tuple(cotangent(k, primal, cts) for k in items), is_list)
        case RecordK(cls, fields):
            return RecordV(cls, {n: cotangent(k, primal, cts) for n, k in fields})
        case ListK(elem):
            length = next(primal)
            types = list(leaf_types(elem))
            for _ in types:
                next(primal)
            if all(isinstance(u, Real) for u in types):
                return ListV(length, elem, tuple(next(cts) for _ in types))
            return Static(None)
        case _:
            for _ in leaf_types(kind):
                next(primal)
            return Static(None)


def _fresh(atom: Atom) -> ArrayV:
    return ArrayV(atom, frozenset({Owner()}), True)


def extents(run: Run, leaves: Iterable[Atom]) -> list[Atom]:
    """The extents of all arrays of real numbers among the leaves."""
    return [
        run.b.prim("dim", a, static=(axis,))
        for a in leaves
        if isinstance(a.type, Array) and is_real(a.type)
        for axis in range(a.type.rank)
    ]


def check_shapes(run: Run, given: Iterable[Atom], wanted: Sequence[Atom], node: ast.AST) -> None:
    """(Co)tangents must have the shapes of what they are for: memory is read by these."""
    for a, b in zip(extents(run, given), wanted, strict=True):
        fits = run.b.prim("eq", a, b)
        run.require(fits, "ValueError", "a (co)tangent of another shape than its array", node)


def matching(run: Run, kind: Kind, value: Value, node: ast.AST) -> Iterator[Atom]:
    """The atoms of a (co)tangent for the real leaves of a value of ``kind``."""
    match kind, value:
        case ScalarK(t), _:
            if isinstance(t, Real):
                yield run.convert(value, t, node)
        case ArrayK(elem), ArrayV(atom):
            if isinstance(elem, Real):
                if value.elem != elem:
                    run.refuse(
                        node,
                        f"{run.describe(value)} as a (co)tangent of {describe(kind)}",
                        error=ArgumentTypeError,
                    )
                yield atom
        case ArrayK(elem), _ if not isinstance(elem, Real):
            return
        case TupleK(kinds), TupleV(items) if len(kinds) == len(items):
            for k, v in zip(kinds, items):
                yield from matching(run, k, v, node)
        case RecordK(cls, fields), RecordV(other, values) if cls is other:
            for n, k in fields:
                yield from matching(run, k, values[n], node)
        case ListK(elem), ListV():
            for u, leaf in zip(leaf_types(elem), run.to_list(value, node).atoms):
                if isinstance(u, Real):
                    yield leaf
        case StaticK(), _:
            return
        case _:
            run.refuse(
                node,
                f"{run.describe(value)} as a (co)tangent of {describe(kind)}",
                "give it the same structure",
                error=ArgumentTypeError,
            )
