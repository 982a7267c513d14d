"""Merge nested builds: an array of equal arrays that is only stacked is built as one array.

    stack (build i < n. let r = build j < m. e in r)   ==>   build i < n, j < m. e

where m does not depend on i and everything else in the outer body is cheap (it is done once per
element instead of once per row) and cannot raise. ``np.array([[f(i, j) for j in ...] for i in
...])`` has this form after inlining, and so has the array of the results of a function.

    sum i < n. let r = sum j < m. e in r   ==>   sum i < n, j < m. e

likewise, if the body is small. Lanes run along the last axis of one sum (of nested sums, along the
first), where the elements of arrays follow each other.
"""

from __future__ import annotations

from pullback.core.effects import may_duplicate
from pullback.core.terms import Block, Build, Function, Let, Op, Prim, Program, Sum_, Var
from pullback.core.traverse import (
    all_lets,
    defined,
    free_variables_of,
    map_blocks,
    map_functions,
    uses,
)
from pullback.opt.arrays.row_extents import know_rows

MOST_CHEAP = 16
"""At most this many scalar operations of the outer body are repeated per element."""

MOST_IN_SUM = 30
"""Sums with at most this many lets inside are merged: lanes run along the last axis then."""


def flatten_builds(program: Program) -> Program:
    """Return the program with nested builds and sums merged."""
    return map_functions(program, lambda f: _function(f, True))


def flatten_rows(program: Program) -> Program:
    """Return the program with nested builds merged, and no sums; other stacks know the extents of
    their rows."""
    return know_rows(map_functions(program, lambda f: _function(f, False)))


def flattened(block: Block) -> Block:
    """The block with nested builds and sums merged; what it builds is read nowhere else."""
    return _function(Function("", (), block, ()), True).body


def _function(f: Function, sums: bool) -> Function:
    if not any(_may_merge(let.op, sums) for let in all_lets(f.body)):
        return f
    counts = uses(f.body)

    def block(old: Block) -> Block:
        new = (Let(x.vars, map_blocks(x.op, block), x.site) for x in old.lets)
        lets = [y for x in new for y in (_merged_sum(x) if sums else (x,))]
        made = {x.vars[0]: k for k, x in enumerate(lets) if isinstance(x.op, Build) and x.vars}
        gone: set[int] = set()
        for k, let in enumerate(lets):
            match let.op:
                case Prim("stack", (Var() as rows, *_)) if rows in made and counts[rows] == 1:
                    outer = lets[made[rows]].op
                    assert isinstance(outer, Build)
                    merged = _merged(outer)
                    if merged is not None:
                        gone.add(k)  # at the place of the rows: their operands may be updated later
                        lets[made[rows]] = Let(let.vars, merged, let.site)
                case _:
                    pass
        return Block(tuple(x for k, x in enumerate(lets) if k not in gone), old.results)

    return Function(f.name, f.params, block(f.body), f.results)


def _may_merge(op: Op, sums: bool) -> bool:
    return (isinstance(op, Prim) and op.name == "stack") or (sums and isinstance(op, Sum_))


def _merged_sum(let: Let) -> tuple[Let, ...]:
    """Return a sum that only contains a sum as one sum, if little else is done in it; the lets that
    are the same in every iteration come first."""
    outer = let.op
    if not isinstance(outer, Sum_) or not outer.body.lets:
        return (let,)
    *rest, last = outer.body.lets
    inside = set(outer.indices)
    before: list[Let] = []
    again: list[Let] = []
    for x in rest:
        if inside.isdisjoint(free_variables_of(x.op)):
            before.append(x)
        else:
            again.append(x)
            inside.update(x.vars)
    inner = last.op
    if last.vars != outer.body.results or not isinstance(inner, Sum_):
        return (let,)
    if not all(map(_cheap, rest)) or not inside.isdisjoint(inner.extents):
        return (let,)
    body = Block((*again, *inner.body.lets), inner.body.results)
    if sum(1 for _ in all_lets(body)) > MOST_IN_SUM:
        return (let,)
    whole = Sum_(outer.extents + inner.extents, outer.indices + inner.indices, body)
    return (*before, Let(let.vars, whole, let.site))


def _merged(outer: Build) -> Build | None:
    """Return one build for a build whose only result is a build at the end of its body."""
    if len(outer.body.results) != 1:
        return None
    (result,) = outer.body.results
    at = next((k for k, x in enumerate(outer.body.lets) if result in x.vars), None)
    if at is None or outer.body.lets[at].vars != (result,):
        return None
    inner = outer.body.lets[at].op
    rest = outer.body.lets[:at] + outer.body.lets[at + 1 :]
    if not isinstance(inner, Build) or len(inner.body.results) != 1:
        return None
    if uses(outer.body)[result] != 1 if isinstance(result, Var) else True:
        return None
    inside = defined(outer.body) | set(outer.indices)
    if any(isinstance(n, Var) and n in inside for n in inner.extents):
        return None
    if len(rest) > MOST_CHEAP or not all(_cheap(x) for x in rest):
        return None
    body = Block(outer.body.lets[:at] + inner.body.lets, inner.body.results)
    return Build(outer.extents + inner.extents, outer.indices + inner.indices, body)


def _cheap(let: Let) -> bool:
    return may_duplicate(let.op)
