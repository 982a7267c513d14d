"""Nested builds become one: an array of equal arrays that is only stacked is built at its rank.

    stack (build i < n. let r = build j < m. e in r)   ==>   build i < n, j < m. e

where m does not depend on i and what else the outer body does is cheap (it is done once per
element instead of once per row) and cannot raise. ``np.array([[f(i, j) for j in ...] for i in
...])`` and the array of what a function returns are of this form after inlining.
"""

from __future__ import annotations

from pullback.core.prims import TABLE, VIEWS
from pullback.core.terms import Block, Build, Function, Index, Let, Prim, Program, Var
from pullback.core.traverse import defined, map_blocks, map_functions, uses

MOST_CHEAP = 16
"""At most this many scalar operations of the outer body are repeated per element."""

CHEAP = frozenset((
    "add", "sub", "mul", "neg", "floordiv", "mod", "max", "min", "to_real", "to_int", "select",
    "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "dim",
))


def nest(program: Program) -> Program:
    """Merge the nested builds of every function."""
    return map_functions(program, _function)


def _function(f: Function) -> Function:
    counts = uses(f.body)

    def block(old: Block) -> Block:
        lets = [Let(x.vars, map_blocks(x.op, block), x.site) for x in old.lets]
        made = {x.vars[0]: k for k, x in enumerate(lets) if isinstance(x.op, Build) and x.vars}
        gone: set[int] = set()
        for k, let in enumerate(lets):
            match let.op:
                case Prim("stack", (Var() as rows,)) if rows in made and counts[rows] == 1:
                    outer = lets[made[rows]].op
                    assert isinstance(outer, Build)
                    merged = _merged(outer)
                    if merged is not None:
                        gone.add(k)  # where the rows were made: what they read may be updated later
                        lets[made[rows]] = Let(let.vars, merged, let.site)
                case _:
                    pass
        return Block(tuple(x for k, x in enumerate(lets) if k not in gone), old.results)

    return Function(f.name, f.params, block(f.body), f.results)


def _merged(outer: Build) -> Build | None:
    """One build for a build whose only result is a build made at the end of its body."""
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
    match let.op:
        case Prim(name, _):
            return (name in CHEAP or name in VIEWS) and not TABLE[name].effect
        case Index(_, _, checked):
            return not checked
        case _:
            return False
