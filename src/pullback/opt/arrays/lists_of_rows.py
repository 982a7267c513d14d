"""A list of rows that are as long as each other, and of which only elements are read, is a matrix.

    lengths, rows = build i < n.                          lengths = build i < n. m
                      let r = build j < m. e in m, r      list = build i < n. let r = ... in r
    ... lengths[k] ... let r = rows[k] in r[l]      ==>   rows = stack list
                                                          ... lengths[k] ... pick rows k ...

where m does not depend on i. ``[[f(i, j) for j in ...] for i in ...]`` has this form. Its rows
would be arrays of their own, each with its length beside it: loops over them have no lanes, and
they are no matrix of a product. Other results that are the same in all rounds are builds of their
own as well, so that they are known where they are read.
"""

from __future__ import annotations

from collections import Counter

from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Function,
    Index,
    Let,
    Lit,
    Op,
    Prim,
    Program,
    Var,
)
from pullback.core.traverse import all_lets, defined, map_blocks, map_children, map_functions, uses
from pullback.core.types import Array


def make_matrices(program: Program) -> Program:
    """Return the program with matrices instead of lists of rows."""
    return map_functions(program, _function)


def _function(f: Function) -> Function:
    if not any(_is_list(v) for let in all_lets(f.body) for v in let.vars):
        return f
    body = _apart(f.body)
    return Function(f.name, f.params, _Writer(_matrices(body)).block(body), f.results)


def _is_list(v: Var) -> bool:
    """Whether the variable is a list of arrays of numbers."""
    match v.type:
        case Array(Array(elem, _), 1):
            return not isinstance(elem, Array)
        case _:
            return False


def _apart(block: Block) -> Block:
    """Return the block in which what a build has the same in all rounds is a build of its own."""
    lets: list[Let] = []
    for let in block.lets:
        op = map_blocks(let.op, _apart)
        if isinstance(op, Build) and any(map(_is_list, let.vars)) and len(let.vars) > 1:
            lets += _divided(let, op)
        else:
            lets.append(Let(let.vars, op, let.site))
    return Block(tuple(lets), block.results)


def _divided(let: Let, op: Build) -> list[Let]:
    inside = defined(op.body) | {*op.indices}
    results = list(zip(let.vars, op.body.results, strict=True))
    alone = {v for v, r in results if isinstance(r, Lit) or r not in inside}
    found: list[Let] = []
    for v, r in results:
        if v in alone:
            indices = tuple(Var(i.name, i.type) for i in op.indices)
            found.append(Let((v,), Build(op.extents, indices, Block((), (r,)))))
    rest = [(v, r) for v, r in results if v not in alone]
    if rest:
        body = Block(op.body.lets, tuple(r for _, r in rest))
        found.append(
            Let(tuple(v for v, _ in rest), Build(op.extents, op.indices, body), let.site)
        )
    return found


def _matrices(body: Block) -> dict[Var, Var]:
    """Return the lists of rows that may be matrices, with a variable for each matrix."""
    lists = {
        let.vars[0] for let in all_lets(body)
        if len(let.vars) == 1 and _is_list(let.vars[0]) and _is_even(let.op)
    }  # fmt: skip
    if not lists:
        return {}
    counts, elements = uses(body), Counter[Var]()
    rows: dict[Var, list[Var]] = {v: [] for v in lists}
    for let in all_lets(body):
        match let.op:
            case Index(Var() as a, _, checked):
                if a in lists and not checked:
                    rows[a].append(let.vars[0])
                elements[a] += 1
            case Prim("dim", (Var() as a,), _):
                elements[a] += 1
            case _:
                pass
    return {
        v: Var(v.name, _matrix(v)) for v in lists
        if len(rows[v]) == counts[v] and all(elements[r] == counts[r] for r in rows[v])
    }  # fmt: skip


def _matrix(v: Var) -> Array:
    assert isinstance(v.type, Array) and isinstance(v.type.elem, Array)
    return Array(v.type.elem.elem, v.type.elem.rank + 1)


def _is_even(op: Op) -> bool:
    """Whether the op builds rows that are as long as each other."""
    if not isinstance(op, Build) or len(op.extents) != 1:
        return False
    (result,) = op.body.results
    inner = next((x.op for x in op.body.lets if x.vars == (result,)), None)
    inside = defined(op.body) | {*op.indices}
    return isinstance(inner, Build) and inside.isdisjoint(inner.extents)


class _Writer:
    """The walk over a function with ``matrices`` for lists of rows. ``rows``: the matrix and the
    number of each row; ``same``: the items of lists that have one number everywhere; ``names``:
    what the variables are that were read of these."""

    def __init__(self, matrices: dict[Var, Var]) -> None:
        self.matrices = matrices
        self.rows: dict[Var, tuple[Var, Atom]] = {}
        self.same: dict[Var, Atom] = {}
        self.names: dict[Var, Atom] = {}

    def atom(self, a: Atom) -> Atom:
        return self.names.get(a, a) if isinstance(a, Var) else a

    def block(self, block: Block) -> Block:
        lets: list[Let] = []
        for let in block.lets:
            self.let(let, lets)
        return Block(tuple(lets), tuple(map(self.atom, block.results)))

    def let(self, let: Let, lets: list[Let]) -> None:
        op = map_children(let.op, self.atom, self.block)
        match op:
            case Index(Var() as a, (i,), False) if a in self.same:
                self.names[let.vars[0]] = self.same[a]
                return
            case Index(Var() as a, (i,), _) if a in self.matrices:
                self.rows[let.vars[0]] = self.matrices[a], i
                return
            case Index(Var() as a, indices, checked) if a in self.rows:
                matrix, i = self.rows[a]
                op = Index(matrix, (i, *indices), checked)
            case Prim("dim", (Var() as a,), (int(axis),)) if a in self.rows:
                op = Prim("dim", (self.rows[a][0],), (axis + 1,))
            case Build((_,), (i,), Block((), (r,))) if r != i:
                self.same[let.vars[0]] = r
            case _:
                pass
        lets.append(Let(let.vars, op, let.site))
        if len(let.vars) == 1 and let.vars[0] in self.matrices:
            v = let.vars[0]
            lets.append(Let((self.matrices[v],), Prim("stack", (v,))))


__all__ = ["make_matrices"]
