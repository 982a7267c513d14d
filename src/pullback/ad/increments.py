"""Find updates that only add to the element that they replace: ``a[i] += v``.

    let x = a[i];  ...  let y = x + v;  let a' = a[i] := y

The reverse of an update takes the cotangent out of the cell, and the reverse of reading ``x`` adds
a cotangent to the same cell. For an increment this is the same number, so the reverse sweep only
reads the cell, for the cotangent of ``v``. No cell is written, and iterations that add to different
elements are independent in reverse.
"""

from __future__ import annotations

from pullback.core.terms import Atom, Block, Index, Let, Lit, Prim, Update, Var
from pullback.core.traverse import uses
from pullback.core.types import Real

DEEPEST = 8
"""A sum of more terms than that is not looked through."""

Operand = tuple[Let, int]
"""An argument of a primitive."""


def increments(block: Block) -> dict[Let, Operand]:
    """Return the updates of a block that add to an element, each with the place of the old element
    in the sum.

    Nothing but the addition uses the values between the old and the new element, so their cotangent
    is that of the new element.
    """
    updates = [let for let in block.lets if isinstance(let.op, Update)]
    if not updates:
        return {}
    made = {v: let for let in block.lets for v in let.vars}
    counts = uses(block)
    out: dict[Let, Operand] = {}
    for let in updates:
        assert isinstance(let.op, Update)
        if isinstance(let.op.value.type, Real):
            found = _old(let.op.value, let.op, made, counts, DEEPEST)
            if found is not None:
                out[let] = found
    return out


def _old(
    a: Atom, update: Update, made: dict[Var, Let], counts: dict[Var, int], depth: int
) -> Operand | None:
    """Return the operand of the sum ``a`` that is the element which the update replaces."""
    let = made.get(a) if isinstance(a, Var) else None
    if let is None or depth == 0 or counts[let.vars[0]] != 1:
        return None
    match let.op:
        case Prim("add", (x, y)):
            terms = [x, y]
        case Prim("sub", (x, _)):
            terms = [x]
        case _:
            return None
    for k, term in enumerate(terms):
        place = _place(term, made)
        if place is not None and _same(place, (update.array, *update.indices)):
            return let, k
    for term in terms:
        found = _old(term, update, made, counts, depth - 1)
        if found is not None:
            return found
    return None


def _place(a: Atom, made: dict[Var, Let]) -> tuple[Atom, ...] | None:
    """Return the array and the indices of an element, through the rows in which it lies."""
    let = made.get(a) if isinstance(a, Var) else None
    match let.op if let is not None else None:
        case Index(array, indices, _):
            outer = _place(array, made)
            return (*(outer or (array,)), *indices)
        case _:
            return None


def _same(place: tuple[Atom, ...], other: tuple[Atom, ...]) -> bool:
    return len(place) == len(other) and all(
        x is y or (isinstance(x, Lit) and isinstance(y, Lit) and x == y)
        for x, y in zip(place, other, strict=True)
    )
