"""Turn a loop that only adds up into a sum: its iterations are independent, and it keeps nothing
for the reverse sweep.

    loop i < n with s = a. let ... in s + t   ==>   a + sum i < n. let ... in t

where the only use of s in the body is that something is added to it, perhaps on some paths only.
The sum is recognised by its effect and not by its form: if every path from s to the result only
adds to it, the result for s = 0 is the number that the iteration adds, so the body of the sum is
the body with 0 for s.
"""

from __future__ import annotations

from pullback.core.build import lit
from pullback.core.terms import (
    Atom,
    Block,
    Case,
    Function,
    If,
    Let,
    Loop,
    Op,
    Prim,
    Program,
    Sum_,
    Var,
    While,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import free_variables, map_blocks, map_functions, substitute, uses
from pullback.core.types import Real
from pullback.opt.arrays.shapes import same

Running = dict[Var, Var]
"""For every variable that is a carried variable plus something: which one."""


def find_sums(program: Program) -> Program:
    """Return the program in which loops that only add up are sums."""
    return map_functions(program, _function)


def _function(f: Function) -> Function:
    return Function(f.name, f.params, _block(f.body), f.results)


def _block(old: Block) -> Block:
    lets: list[Let] = []
    for x in old.lets:
        op = map_blocks(x.op, _block)
        if isinstance(op, Loop) and _only_adds(op):
            lets += _as_sum(x, op)
        else:
            lets.append(Let(x.vars, op, x.site))
    return Block(tuple(lets), old.results)


def _as_sum(let: Let, op: Loop) -> tuple[Let, ...]:
    total = Sum_((op.count,), (op.index,), _from_zero(op))
    parts = tuple(Var(v.name, v.type) for v in let.vars)
    sums = [
        Let((v,), Prim("add", (start, part)), let.site)
        for v, start, part in zip(let.vars, op.inits, parts, strict=False)
    ]
    return (Let(parts, total, let.site), *sums)


def _from_zero(op: Loop) -> Block:
    """Return the body with zeros for the carried variables. If it adds to such a zero at its end,
    the summand itself is the result: a sum starts from zero anyway, so it makes no difference that
    this may be -0.0. A sum that is the whole body of another one can then be merged with it
    (``build_flattening.py``)."""
    zeros: dict[Var, Atom] = {v: lit(0.0, v.type) for v in op.carried}
    counts = uses(op.body)
    ends: dict[Var, Atom] = {}
    for let in op.body.lets:
        match let.op:
            case Prim("add", (a, b)) if counts[let.vars[0]] == 1:
                if a in zeros or b in zeros:
                    ends[let.vars[0]] = b if a in zeros else a
            case _:
                pass
    last = {v: ends[v] for v in op.body.results if isinstance(v, Var) and v in ends}
    lets = tuple(let for let in op.body.lets if last.keys().isdisjoint(let.vars))
    results = tuple(last.get(r, r) if isinstance(r, Var) else r for r in op.body.results)
    return substitute(Block(lets, results), zeros)


def _only_adds(op: Loop) -> bool:
    """Whether every carried variable is real and each iteration only adds to it. A variable that
    starts from -0.0 keeps that value if only -0.0 is added to it; a sum, which starts from 0.0,
    would not."""
    if not op.carried or len(op.body.results) != len(op.carried):
        return False
    if any(same(a, lit(-0.0, a.type)) for a in op.inits):
        return False
    if not all(isinstance(v.type, Real) for v in op.carried):
        return False
    ends = _ends(op.body, {v: v for v in op.carried})
    return ends is not None and ends == list(op.carried)


def _ends(block: Block, outer: Running) -> list[Var | None] | None:
    """Return for each result the carried variable to which it adds (None: to none); None if some
    carried variable has another use."""
    running = dict(outer)
    for x in block.lets:
        ends = _through(x.op, running)
        if ends is None:
            return None
        running.update({v: end for v, end in zip(x.vars, ends, strict=False) if end is not None})
    return [running.get(a) if isinstance(a, Var) else None for a in block.results]


def _through(op: Op, running: Running) -> list[Var | None] | None:
    """The same as ``_ends``, for one operation."""

    def source(a: Atom) -> Var | None:
        return running.get(a) if isinstance(a, Var) else None

    match op:
        case Prim("add", (a, b)) if source(a) is None or source(b) is None:
            return [source(a) or source(b)]
        case Prim("sub", (a, b)) if source(b) is None:
            return [source(a)]
        case If(_, _, _) | Case(_, _) if not any(source(a) for a in atoms(op)):
            paths = [_ends(b, running) for _, b in sub_blocks(op)]
            first = paths[0]
            return first if all(path == first for path in paths) else None
        case Loop(_, _, carried, inits, body) if source(op.count) is None:
            if any(a in running for a in free_variables(body)):
                return None
            ends = _ends(body, _started(carried, inits, running))
            begun = [source(a) for a in inits]
            if ends is None or ends[: len(carried)] != begun or any(ends[len(carried) :]):
                return None
            return ends
        case While(carried, inits, cond, body):
            if any(a in running for b in (cond, body) for a in free_variables(b)):
                return None
            begun = [source(a) for a in inits]
            within = _started(carried, inits, running)
            if any(a in within for a in free_variables(cond)):
                return None
            return begun if _ends(body, within) == begun else None
        case _:
            inside = [a for _, b in sub_blocks(op) for a in free_variables(b)]
            if any(source(a) for a in (*atoms(op), *inside)):
                return None
            return [None]


def _started(carried: tuple[Var, ...], inits: tuple[Atom, ...], running: Running) -> Running:
    """Return the carried variables of an inner loop that begin with a running sum."""
    pairs = zip(carried, inits, strict=False)
    return {v: running[a] for v, a in pairs if isinstance(a, Var) and a in running}
