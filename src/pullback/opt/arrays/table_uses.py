"""Follow an array of equal rows, and decide whether all its uses also work with the numbers of
rows.

A table is built by one build, whose rows are builds of one extent. Its versions are followed
through updates, branches and loops; its rows may be read, change places, and be updated inside. If
the table or a row has any other use (it is returned, passed to a call, put into data, ...), it
stays an array of arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pullback.core.consumption import is_inside
from pullback.core.effects import Work, may_duplicate
from pullback.core.frozen import dataclass
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Case,
    Function,
    If,
    Index,
    Let,
    Loop,
    Prim,
    Update,
    Var,
    While,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import all_lets, uses
from pullback.core.types import Array, Bool, Int, Real


@dataclass(frozen=True)
class Table:
    """The let that builds the table, the position of the table among its results, its versions and
    its rows."""

    made: Let
    at: int
    versions: set[Var]
    rows: set[Var]

    def inside(self, let: Let) -> bool:
        """Whether elements of rows are updated in the blocks of a let."""
        return any(is_inside(u) for u in self._updates(let))

    def exchanged(self, let: Let) -> bool:
        """Whether rows change their places there."""
        return any(not is_inside(u) for u in self._updates(let))

    def _updates(self, let: Let) -> list[Update]:
        lets = [x for _, block in sub_blocks(let.op) for x in all_lets(block)]
        return [
            x.op for x in lets if isinstance(x.op, Update) and x.op.array in self.versions
        ]


def tables_of(function: Function) -> Iterator[Table]:
    """Yield the tables of a function of which all uses are understood."""
    for let in all_lets(function.body):
        if isinstance(let.op, Build):
            for at in range(len(let.vars)):
                if _equal_rows(let.op, at):
                    table = Table(let, at, {let.vars[at]}, set())
                    if _followed(table, function.body):
                        yield table


def _equal_rows(op: Build, at: int) -> bool:
    """Whether the result consists of rows of numbers, all of one extent, and the other results need
    a few scalar steps only."""
    row = op.body.results[at]
    if len(op.extents) != 1 or not isinstance(row, Var) or uses(op.body)[row] != 1:
        return False
    made = next((let for let in op.body.lets if row in let.vars), None)
    if made is None or not isinstance(made.op, Build) or made.vars != (row,):
        return False
    assert isinstance(row.type, Array)
    rest = [r for k, r in enumerate(op.body.results) if k != at]
    extents = steps(op.body, made.op.extents)
    return (
        len(made.op.extents) == 1
        and isinstance(row.type.elem, (Real, Int, Bool))
        and extents is not None
        and op.indices[0] not in (*made.op.extents, *(a for x in extents for a in atoms(x.op)))
        and steps(op.body, rest) is not None
    )


def steps(block: Block, wanted: Iterable[Atom]) -> tuple[Let, ...] | None:
    """Return the scalar steps of a block that compute these atoms; None if something else is
    needed."""
    made = {v: let for let in block.lets for v in let.vars}
    needed: set[Let] = set()
    work = list(wanted)
    while work:
        let = made.get(a) if isinstance(a := work.pop(), Var) else None
        if let is not None and let not in needed:
            match let.op:
                case Prim(_, args) if may_duplicate(let.op, Work.FUNCTION):
                    needed.add(let)
                    work.extend(args)
                case _:
                    return None
    return tuple(let for let in block.lets if let in needed)


def _followed(table: Table, body: Block) -> bool:
    """Collect all versions and rows; return whether all their uses are understood and something is
    updated inside of a row (otherwise an array of arrays is as good)."""
    size = -1
    while size != len(table.versions) + len(table.rows):
        size = len(table.versions) + len(table.rows)
        _collect(table, body)
    known = _Known(table)
    return known.block(body, ()) and known.updated


def _collect(table: Table, block: Block) -> None:
    versions = table.versions
    for let in block.lets:
        for _, sub in sub_blocks(let.op):
            _collect(table, sub)
        match let.op:
            case Index(a, _, _) if a in versions:
                table.rows.update(let.vars)
            case Update(a, _, _, _) if a in versions:
                versions.update(let.vars)
            case If() | Case():
                for _, sub in sub_blocks(let.op):
                    pairs = zip(let.vars, sub.results, strict=True)
                    versions.update(v for v, r in pairs if r in versions)
            case Loop(_, _, carried, inits, _) | While(carried, inits, _, _):
                for c, i, v in zip(carried, inits, let.vars, strict=False):
                    if i in versions:
                        versions.update((c, v))
            case _:
                pass


class _Known:
    """The check of every use."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.updated = False

    def mine(self, a: Atom) -> bool:
        return a in self.table.versions or a in self.table.rows

    def block(self, block: Block, through: tuple[int, ...]) -> bool:
        """Whether all uses in a block are understood, where ``through`` are the results that are
        versions, and no result is a row."""
        return all(map(self.let, block.lets)) and all(
            (r in self.table.versions) if k in through else not self.mine(r)
            for k, r in enumerate(block.results)
        )

    def let(self, let: Let) -> bool:
        versions, rows = self.table.versions, self.table.rows
        if let is self.table.made:
            return True
        mine = tuple(k for k, v in enumerate(let.vars) if v in versions)
        match let.op:
            case Index(a, idx, _):
                return (not self.mine(a) or len(idx) == 1) and not any(map(self.mine, idx))
            case Prim("dim", _):
                return True
            case Update(a, _, value, _) if a in versions:
                self.updated = self.updated or is_inside(let.op)
                return value in rows if not is_inside(let.op) else not self.mine(value)
            case If() | Case():
                return self.steady(let, mine) and all(
                    self.block(sub, mine) for _, sub in sub_blocks(let.op)
                )
            case Loop(_, _, carried, inits, body) | While(carried, inits, _, body):
                given = all((a in versions) == (k in mine) for k, a in enumerate(inits))
                conds = [sub for _, sub in sub_blocks(let.op) if sub is not body]
                return (
                    given and not any(a in rows for a in inits) and self.steady(let, mine)
                    and max(mine, default=-1) < len(carried)
                    and all(self.block(sub, ()) for sub in conds) and self.block(body, mine)
                )
            case _:
                return (
                    not mine and not any(map(self.mine, atoms(let.op))) and self.steady(let, ())
                    and all(self.block(sub, ()) for _, sub in sub_blocks(let.op))
                )

    def steady(self, let: Let, mine: tuple[int, ...]) -> bool:
        """Whether a let returns one version at most, and returns that one if it updates any."""
        changes = self.table.inside(let) or self.table.exchanged(let)
        return len(mine) <= 1 and (bool(mine) or not changes)
