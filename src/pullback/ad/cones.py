"""Selective fusion (Krawiec et al., section 8.7): which scalars of a block leave a row on the tape.

The active operations of a block make a graph. A variable is *wanted* if something other than such
an operation uses it: then it needs an id, so a row. The operations between it and the ids that it
comes from are its *cone*: they leave no rows of their own, since the row has the partials with
respect to these ids. An operation that several cones would contain gets a row too, so that the code
of all rows together is no larger than a constant times the block; but not if repeating what little
is below it costs no more than a row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pullback.core.prims import TABLE
from pullback.core.rows import Mark
from pullback.core.terms import Atom, Block, Let, Prim, Var, sub_blocks
from pullback.core.terms import atoms as atoms_of
from pullback.core.traverse import free_variables
from pullback.core.types import Real

MOST_REPEATED = 6
"""An operation is repeated in several cones only with so few others below it."""

On = Callable[[Atom], bool]


def is_operation(let: Let, on: On) -> bool:
    """Whether the let computes an active real from reals by a row of the table that has partials
    (a *gate* chooses among its arguments instead, and has the id of the one that it chooses)."""
    match let.op:
        case Prim(name, _, _) if name != "stop_gradient" and len(let.vars) == 1:
            v = let.vars[0]
            return isinstance(v.type, Real) and on(v) and TABLE[name].product != "gate"
        case _:
            return False


@dataclass(frozen=True, slots=True)
class Cones:
    """The lets of each row's cone in order, by the variable that has the row; and the variables
    that other lets want."""

    of: dict[Var, list[Let]]
    escaping: set[Var]


def cones_of(block: Block, wanted: set[Var], on: On) -> Cones:
    """The cones of a block, of which ``wanted`` need an id besides those that its lets want."""
    operations = {let.vars[0]: let for let in block.lets if is_operation(let, on)}
    escaping = _escaping(block, operations, on)
    wanted = wanted | escaping
    below = _below(operations, on)
    owners: dict[Var, set[Var]] = {v: set() for v in operations}
    of: dict[Var, list[Let]] = {}
    for v, let in reversed(operations.items()):
        mine = owners[v]
        if v in wanted or (len(mine) > 1 and not _repeated(below[v], len(mine))):
            owners[v] = mine = {v}
        for root in mine:
            of.setdefault(root, []).append(let)
        for a in differentiable(let, on):
            if a in operations:
                owners[a] |= mine
    return Cones({v: lets[::-1] for v, lets in of.items()}, escaping)


def differentiable(let: Let, on: On) -> list[Var]:
    """The active arguments of an operation on which its result depends differentiably."""
    assert isinstance(let.op, Prim)
    row = TABLE[let.op.name]
    return [
        a
        for i, a in enumerate(let.op.args)
        if isinstance(a, Var) and on(a) and row.partial(i) is not Mark.ZERO
    ]


def _escaping(block: Block, operations: dict[Var, Let], on: On) -> set[Var]:
    """What something else than the operations uses."""
    out: set[Var] = set()
    for let in block.lets:
        if let.vars and let.vars[0] in operations:
            continue
        if any(on(v) for v in let.vars) or not isinstance(let.op, Prim):
            out.update(a for a in atoms_of(let.op) if isinstance(a, Var))
        for bound, inner in sub_blocks(let.op):
            out.update(free_variables(inner, bound))
    return out & operations.keys()


def _below(operations: dict[Var, Let], on: On) -> dict[Var, tuple[set[Var], int]]:
    """The ids that an operation comes from and the number of operations on the way; more than
    ``MOST_REPEATED`` are not counted."""
    out: dict[Var, tuple[set[Var], int]] = {}
    for v, let in operations.items():
        ids: set[Var] = set()
        count = 1
        for a in differentiable(let, on):
            found, more = out.get(a, ({a}, 0))
            ids |= found
            count = min(count + more, MOST_REPEATED + 1)
            if count > MOST_REPEATED:
                break
        out[v] = ids, count
    return out


def _repeated(below: tuple[set[Var], int], cones: int) -> bool:
    """Whether being in several cones adds no more entries than a row of its own."""
    ids, count = below
    return count <= MOST_REPEATED and (len(ids) - 1) * (cones - 1) <= 2
