"""Values as one of several alternatives (``sum_kinds``): where one of them is known, and where
they are in another order."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pullback.core.build import boolean
from pullback.core.terms import Atom
from pullback.frontend.kinds.flatten import kind_of
from pullback.frontend.kinds.kinds import Kind, OptionalK, UnionK
from pullback.frontend.kinds.sum_kinds import Sort, sort, sort_in
from pullback.frontend.kinds.undefined import any_of_kind, dummy
from pullback.frontend.kinds.values import OptionalV, UnionV, Value
from pullback.frontend.kinds.widening import is_none

if TYPE_CHECKING:
    from pullback.frontend.run import Run

Coerce = Callable[..., Value]


def into(
    run: Run, value: Value, kind: OptionalK, node: ast.AST, known: Kind, coerce: Coerce
) -> Value | None:
    """Return a value as one of these alternatives; None: it is none of them."""
    if isinstance(value, OptionalV):
        assert isinstance(known, OptionalK)
        if sort(known.other) == sort(kind.other):
            present = coerce(run, value.value, kind.inner, node, known.inner)
            return OptionalV(value.there, present, coerce(run, value.other, kind.other, node))
        every = [(kind_of(v), v, is_it) for v, is_it in _parts(run, value, boolean(True))]
    elif isinstance(value, UnionV) and _is_without_none(value, kind):
        none = run.bool_atom(run.truth(run.is_instance(value, (type(None),), node), node))
        present = UnionV(value.atom, value.union, value.owners, value.absent | {type(None)})
        there = run.b.prim("not", none)
        return OptionalV(there, coerce(run, present, kind.inner, node), dummy(run, kind.other))
    else:
        every = [(known, value, boolean(True))]
    found: dict[Sort, list[tuple[Value, Atom]]] = {}
    for own, part, is_it in every:
        place = sort_in(own, kind)
        if place is None:
            return None
        found.setdefault(place, []).append((part, is_it))
    return _chain(run, found, kind, node, coerce)


def _is_without_none(value: UnionV, kind: OptionalK) -> bool:
    return (
        type(None) in value.union.classes and isinstance(kind.inner, UnionK) and is_none(kind.other)
    )


def _parts(run: Run, value: Value, there: Atom) -> list[tuple[Value, Atom]]:
    """Return the alternatives of a value, and whether it is each of them."""
    if not isinstance(value, OptionalV):
        return [(value, there)]
    other = run.b.prim("and", there, run.b.prim("not", value.there))
    inside = run.b.prim("and", there, value.there)
    return [*_parts(run, value.value, inside), (value.other, other)]


def _chain(
    run: Run, found: dict[Sort, list[tuple[Value, Atom]]], kind: Kind, node: ast.AST, coerce: Coerce
) -> Value:
    here = kind.other if isinstance(kind, OptionalK) else kind

    def one_of(given: Sequence[tuple[Value, Atom]]) -> Value:
        (value, is_it), *others = given
        if not others:
            return coerce(run, value, here, node)
        return run.branch(
            is_it, lambda: coerce(run, value, here, node), lambda: one_of(others), node
        )

    given = found.get(sort(here), [])
    made = one_of(given) if given else any_of_kind(run, here)
    if not isinstance(kind, OptionalK):
        return made
    is_it: Atom = boolean(False)
    for _, one in given:
        is_it = run.b.prim("or", is_it, one)
    there = run.b.prim("not", is_it)
    return OptionalV(there, _chain(run, found, kind.inner, node, coerce), made)


__all__ = ["into"]
