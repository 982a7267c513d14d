"""Join points become closed functions: lambda lifting, in Core.

The consumer of a generator is a function of Core that is made where the generator is consumed, and
reads variables from there; the generator's body calls it, and so do those that it hands its items
on from. What such a function reads from outside becomes a parameter of it, and of all functions
between it and the place where it was made:

    f(x) = ... g(s) ...    g(s) = ... c(s, i) ...    c(s, i) = s + x * i
    f(x) = ... g(s, x) ... g(s, y) = ... c(s, i, y) ...    c(s, i, z) = s + z * i
"""

from __future__ import annotations

from pullback.core.terms import Atom, Block, Call, Function, Let, Op, Var
from pullback.core.traverse import all_lets, defined, map_blocks, substitute, uses


def closed(functions: dict[str, Function]) -> dict[str, Function]:
    """The functions without free variables."""
    bound = {name: defined(f.body) | set(f.params) for name, f in functions.items()}
    needed = {
        name: {v: None for v in uses(f.body) if v not in bound[name]}
        for name, f in functions.items()
    }
    if not any(needed.values()):
        return functions
    calls = {name: _called(f.body) for name, f in functions.items()}
    changed = True
    while changed:
        changed = False
        for name in functions:
            for callee in calls[name]:
                more = {v: None for v in needed[callee] if v not in bound[name]}
                if not more.keys() <= needed[name].keys():
                    needed[name] |= more
                    changed = True
    return {name: _with_parameters(f, needed) for name, f in functions.items()}


def _called(block: Block) -> list[str]:
    found = (let.op.function for let in all_lets(block) if isinstance(let.op, Call))
    return list(dict.fromkeys(found))


def _with_parameters(f: Function, needed: dict[str, dict[Var, None]]) -> Function:
    def walk(block: Block) -> Block:
        return Block(tuple(Let(x.vars, call(x.op), x.site) for x in block.lets), block.results)

    def call(op: Op) -> Op:
        if isinstance(op, Call) and needed[op.function]:
            return Call(op.function, (*op.args, *needed[op.function]))
        return map_blocks(op, walk)

    own: dict[Var, Atom] = {v: Var(v.name, v.type) for v in needed[f.name]}
    params = (*f.params, *(v for v in own.values() if isinstance(v, Var)))
    return Function(f.name, params, substitute(walk(f.body), own), f.results)


__all__ = ["closed"]
