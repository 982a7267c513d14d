"""Store the residuals of nested loops in one array, not in arrays of arrays.

    let E = loop i < n. (let r = loop j < m. e emitted in r) emitted;  ... (E[i])[j] ...
    ==>  let R0 = build i < n, j < m. 0
         let R  = loop i < n with R0. loop j < m. (R[i, j] := e);      ... (pick R i)[j] ...

where m does not depend on i and E is only ever indexed. The inner loops then yield no arrays, and
nothing is allocated inside the loops. This works to any depth; the loops of one nest share the
walk. If m depends on i (triangles), the loops inside are joined as far as possible, and a loop
around them emits the arrays of higher rank.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pullback.core.build import lit
from pullback.core.frozen import dataclass, field
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Function,
    Index,
    Let,
    Loop,
    Prim,
    Program,
    Update,
    Var,
    While,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import defined, map_blocks
from pullback.core.types import I64, Array, Bool, Int, Real, Type


def flatten_residuals(program: Program) -> Program:
    """Return the program with one array for the residuals of each nest."""
    functions = {name: _function(f) for name, f in program.functions.items()}
    return Program(functions, program.decls, program.main)


@dataclass(frozen=True, slots=True)
class _Item:
    """One emitted result of a loop that is to be stored: its position, the array, the indices."""

    emitted: int
    array: Atom
    indices: tuple[Atom, ...]


def _function(f: Function) -> Function:
    uses = _Uses()
    uses.block(f.body)
    walk = _Walk(uses)
    return Function(f.name, f.params, walk.block(f.body), f.results)


@dataclass
class _Uses:
    """For each variable: its readers (None: the results of a block) and their number, its op, and
    the emitted arrays whose elements it is."""

    readers: dict[Var, list[Let | None]] = field(default_factory=dict)
    made_by: dict[Var, Let] = field(default_factory=dict)
    rows_of: dict[Atom, list[Var]] = field(default_factory=dict)

    def block(self, block: Block) -> None:
        for let in block.lets:
            for v in let.vars:
                self.made_by[v] = let
            if isinstance(let.op, (Loop, While)):
                n = len(let.op.carried)
                for v, r in zip(let.vars[n:], let.op.body.results[n:], strict=True):
                    self.rows_of.setdefault(r, []).append(v)
            self.read(atoms(let.op), let)
            for _, sub in sub_blocks(let.op):
                self.block(sub)
        self.read(block.results, None)

    def read(self, read: Iterable[Atom], by: Let | None) -> None:
        for a in read:
            if isinstance(a, Var):
                self.readers.setdefault(a, []).append(by)

    def only_indexed(self, v: Var) -> bool:
        """Whether an array of arrays (of arrays...) is only ever read down to its rows."""
        if not isinstance(v.type, Array) or not isinstance(v.type.elem, Array):
            return True
        readers, outer = self.readers.get(v, []), self.rows_of.get(v, [])
        if readers.count(None) != len(outer) or not all(map(self.only_indexed, outer)):
            return False
        for let in readers:
            if let is None:
                continue  # a loop emits it
            if not isinstance(let.op, Index) or let.op.checked:
                return False
            if let.op.array is not v or not self.only_indexed(let.vars[0]):
                return False
        return True


class _Walk:
    def __init__(self, uses: _Uses) -> None:
        self.uses = uses
        self.joined: dict[Var, Var] = {}

    def block(self, block: Block) -> Block:
        out: list[Let] = []
        for let in block.lets:
            match let.op:
                case Loop():
                    out.extend(self.loop(let, let.op))
                case While():
                    out.append(self.emitting(let, let.op))
                case Index(Var() as array, (i,), False) if array in self.joined:
                    source = self.joined[array]
                    assert isinstance(source.type, Array)
                    elem, rank = source.type.elem, source.type.rank
                    row = self.row(let.vars[0], elem if rank == 1 else Array(elem, rank - 1))
                    pick = Prim("pick", (source, i), (0,))
                    op = Index(source, (i,), False) if rank == 1 else pick
                    out.append(Let((row,), op, let.site))
                case _:
                    out.append(Let(let.vars, map_blocks(let.op, self.block), let.site))
        return Block(tuple(out), block.results)

    def row(self, v: Var, t: Type) -> Var:
        """Return the variable that replaces ``v``, which may have another type now."""
        if v.type == t:
            return v
        self.joined[v] = Var(v.name, t)
        return self.joined[v]

    def emitting(self, let: Let, op: Loop | While) -> Let:
        """Return a loop that emits the same, when inner loops emit with other ranks now."""
        n = len(op.carried)
        new = map_blocks(op, self.block)
        assert isinstance(new, (Loop, While))
        results = tuple(self.joined.get(r, r) if isinstance(r, Var) else r
                        for r in new.body.results)  # fmt: skip
        emitted = tuple(
            self.row(v, Array(r.type, 1)) for v, r in zip(let.vars[n:], results[n:], strict=True)
        )
        body = Block(new.body.lets, (*new.body.results[:n], *results[n:]))
        return Let((*let.vars[:n], *emitted), replace(new, body=body), let.site)

    def loop(self, let: Let, op: Loop) -> list[Let]:
        n = len(op.carried)
        inside = defined(op.body) | {op.index, *op.carried}
        before: list[Let] = []
        items: list[_Item] = []
        for k, v in enumerate(let.vars[n:]):
            depth = self.extents(op, k, inside)
            if depth is not None and len(depth[0]) > 1 and self.uses.only_indexed(v):
                extents, elem = depth
                idx = tuple(Var("i", I64) for _ in extents)
                store = Var(v.name, Array(elem, len(extents)))
                zero = Block((), (lit(0, elem),))
                before.append(Let((store,), Build(extents, idx, zero)))
                items.append(_Item(k, store, ()))
        if not items:
            return [self.emitting(let, op)]
        new, stores = self.rewrite(let, op, items)
        for item, store in zip(items, stores, strict=True):
            self.joined[let.vars[n + item.emitted]] = store
        assert isinstance(new.op, Loop)
        return [*before, self.emitting(new, new.op)]

    def extents(
        self, op: Loop, k: int, outer: set[Var]
    ) -> tuple[tuple[Atom, ...], Type] | None:
        """Return the trip counts of the nest that emits result ``k``, and the type of its innermost
        elements; None if a count cannot be computed in front of the nest or the rows have another
        use."""
        if isinstance(op.count, Var) and op.count in outer:
            return None
        r = op.body.results[len(op.carried) + k]
        if isinstance(r.type, (Real, Int, Bool)):
            return (op.count,), r.type
        made = self.uses.made_by.get(r) if isinstance(r, Var) else None
        if made is None or not isinstance(made.op, Loop) or not isinstance(r, Var):
            return None
        at = made.vars.index(r) - len(made.op.carried)
        if at < 0 or self.uses.readers.get(r) != [None] or made not in op.body.lets:
            return None
        below = self.extents(made.op, at, outer)
        return None if below is None else ((op.count, *below[0]), below[1])

    def rewrite(self, let: Let, op: Loop, items: list[_Item]) -> tuple[Let, list[Var]]:
        """Return the loop with these results stored instead of emitted, and the arrays after it."""
        n = len(op.carried)
        gone = {item.emitted for item in items}
        state = [Var(_name(item.array), item.array.type) for item in items]
        last: dict[int, Atom] = {}
        inner: dict[Let, list[int]] = {}
        tail: list[Let] = []
        for k, item in enumerate(items):
            r = op.body.results[n + item.emitted]
            if isinstance(r.type, (Real, Int, Bool)):
                done = Var(state[k].name, state[k].type)
                where = (*item.indices, op.index)
                tail.append(Let((done,), Update(state[k], where, r, False)))
                last[k] = done
            else:
                assert isinstance(r, Var)
                inner.setdefault(self.uses.made_by[r], []).append(k)
        lets: list[Let] = []
        for x in op.body.lets:
            if x not in inner:
                lets.append(x)
                continue
            assert isinstance(x.op, Loop)
            ks = inner[x]
            below = []
            for k in ks:
                r = op.body.results[n + items[k].emitted]
                assert isinstance(r, Var)
                at = x.vars.index(r) - len(x.op.carried)
                below.append(_Item(at, state[k], (*items[k].indices, op.index)))
            new, stores = self.rewrite(x, x.op, below)
            lets.append(new)
            last.update(zip(ks, stores, strict=True))
        results = (
            *op.body.results[:n],
            *(last[k] for k in range(len(items))),
            *(r for k, r in enumerate(op.body.results[n:]) if k not in gone),
        )
        body = Block((*lets, *tail), results)
        inits = (*op.inits, *(item.array for item in items))
        after = [Var(s.name, s.type) for s in state]
        out = (
            *let.vars[:n], *after,
            *(v for k, v in enumerate(let.vars[n:]) if k not in gone),
        )
        loop = Loop(op.count, op.index, (*op.carried, *state), inits, body)
        return Let(out, loop, let.site), after


def _name(a: Atom) -> str:
    return a.name if isinstance(a, Var) else "r"
