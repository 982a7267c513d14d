"""Compute both arms of a small choice between integers, and select one result.

    k = if c then j else (let m = j + 1 in m)   ==>   m = j + 1;  k = select c j m

The reverse sweep would need a residual of a branch: the arm that was taken, or its result. A
``select`` of values that are available anyway is repeated instead (``core.effects.done_again``).
Only integers and truth values are converted: of reals, the cotangent of the other arm could be 0
times infinity.
"""

from __future__ import annotations

from pullback.core.effects import may_duplicate
from pullback.core.terms import Block, Function, If, Let, Lit, Prim, Program
from pullback.core.traverse import map_blocks, map_functions
from pullback.core.types import BOOL, Bool, Int

MOST = 3
"""Steps of both arms together."""

MOST_IN_TEST = 8
"""Steps of the second operand of ``c and d`` or ``c or d``: where all of them is one condition,
the loop around it can be divided (``lower/index_sets.py``)."""

_LONG = frozenset({"floordiv", "mod", "ipow"})
"""What takes longer than a branch that is predicted."""


def convert_ifs(program: Program) -> Program:
    """Return the program with such branches as straight-line code."""
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
        and len(steps) <= (MOST_IN_TEST if _is_test(op) else MOST)
        and all(isinstance(v.type, (Int, Bool)) for x in (let, *steps) for v in x.vars)
        and all(
            isinstance(x.op, Prim) and may_duplicate(x.op) and x.op.name not in _LONG
            and all(isinstance(a.type, (Int, Bool)) for a in x.op.args)
            for x in steps
        )
    )


def _is_test(op: If) -> bool:
    """Whether it is ``c and d`` or ``c or d``."""
    return any(
        not arm.lets and len(arm.results) == 1 and isinstance(arm.results[0], Lit)
        and arm.results[0].type == BOOL
        for arm in (op.then, op.orelse)
    )  # fmt: skip
