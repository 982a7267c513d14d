"""Take values that are known for what they are, once all derivatives have been written.

    y = known x v    ==>   y = copy v
    y = valued v x   ==>   y = v

Nobody may read x then: it was there for its derivative. (A copy of an array, since v may be
updated, and y too; the second line is of numbers.)
"""

from __future__ import annotations

from pullback.core.terms import Block, Function, Let, Prim, Program, sub_blocks
from pullback.core.traverse import map_blocks, map_functions


def take_known(program: Program) -> Program:
    """Return the program without the primitives ``known`` and ``valued``."""
    return map_functions(program, lambda f: Function(f.name, f.params, _block(f.body), f.results))


def _block(block: Block) -> Block:
    return Block(tuple(map(_let, block.lets)), block.results)


def _let(let: Let) -> Let:
    match let.op:
        case Prim("known", (_, v)):
            return Let(let.vars, Prim("copy", (v,)), let.site)
        case Prim("valued", (v, _)):
            return Let(let.vars, Prim("stop_gradient", (v,)), let.site)
        case op if any(sub_blocks(op)):
            return Let(let.vars, map_blocks(op, _block), let.site)
        case _:
            return let


__all__ = ["take_known"]
