"""Write a product, and the choice that alone reads it, as one operation.

    p = fma a b z;  y = select c p z     ==>   y = fma.if c a b z z

A cotangent is a product where it is present and nothing, or the sum so far, elsewhere
(``ad/contributions.py``). Lanes have one instruction for that; loop code has both
(``lower/scalars.py``), so that one test can serve many choices (``lower/fast_paths.py``).
"""

from __future__ import annotations

from pullback.core.terms import Atom, Block, Function, Let, Prim, Program
from pullback.core.traverse import map_blocks, map_functions, uses
from pullback.core.types import Real

PRODUCTS = frozenset({"mul", "fma", "fnma"})


def mask_products(program: Program) -> Program:
    """Return the program with products that only one choice reads as parts of it."""
    return map_functions(program, lambda f: Function(f.name, f.params, _block(f.body), f.results))


def _block(block: Block) -> Block:
    counts = uses(block)
    products: dict[Atom, Prim] = {}
    gone: set[Atom] = set()
    lets: list[Let] = []
    for let in block.lets:
        match op := map_blocks(let.op, _block):
            case Prim("select", (c, x, y)) if x in products:
                gone.add(x)
                op = Prim(f"{products[x].name}.if", (c, *products[x].args, y))
            case Prim(name) if name in PRODUCTS and isinstance(let.vars[0].type, Real):
                if counts[let.vars[0]] == 1:
                    products[let.vars[0]] = op
            case _:
                pass
        lets.append(Let(let.vars, op, let.site))
    return Block(tuple(x for x in lets if gone.isdisjoint(x.vars)), block.results)


__all__ = ["mask_products"]
