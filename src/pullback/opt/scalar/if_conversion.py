"""A choice between integers that take a step or two is computed both ways, and one is selected.

    k = if c then j else (let m = j + 1 in m)   ==>   m = j + 1;  k = select c j m

A branch would have to be kept for the reverse sweep: which way it went, or what came out. A
``select`` of what is there anyway is done again (``core.effects.done_again``). Only integers and
truth values: of reals, the cotangent of the way not taken could be 0 times infinity.
"""

from __future__ import annotations

from pullback.core.effects import may_duplicate
from pullback.core.terms import Block, Function, If, Let, Prim, Program
from pullback.core.traverse import map_blocks, map_functions
from pullback.core.types import Bool, Int

MOST = 3
"""Steps of both arms together."""

_LONG = frozenset({"floordiv", "mod", "ipow"})
"""What takes longer than a branch that is predicted."""


def convert_ifs(program: Program) -> Program:
    """The program with such branches made straight."""
    return map_functions(program, _function)


def _function(f: Function) -> Function:
    return Function(f.name, f.params, _block(f.body), f.results)


def _block(block: Block) -> Block:
    lets: list[Let] = []
    for let in block.lets:
        op = map_blocks(let.op, _block)
        if isinstance(op, If) and _is_choice(let, op):
            lets += (*op.then.lets, *op.orelse.lets)
            for v, x, y in zip(let.vars, op.then.results, op.orelse.results, strict=True):
                lets.append(Let((v,), Prim("select", (op.cond, x, y)), let.site))
        else:
            lets.append(Let(let.vars, op, let.site))
    return Block(tuple(lets), block.results)


def _is_choice(let: Let, op: If) -> bool:
    steps = (*op.then.lets, *op.orelse.lets)
    return (
        bool(let.vars)
        and len(steps) <= MOST
        and all(isinstance(v.type, Int | Bool) for x in (let, *steps) for v in x.vars)
        and all(
            isinstance(x.op, Prim) and may_duplicate(x.op) and x.op.name not in _LONG
            and all(isinstance(a.type, Int | Bool) for a in x.op.args)
            for x in steps
        )
    )
