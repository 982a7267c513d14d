"""Replace a result of a call by the argument, if the function always returns that parameter.

    fun f(n, t) = let u = t[0][0] := 1.0 in return (u, n)
    let v, m = call f(k, a) in ... m ...      ==>      let v, m = call f(k, a) in ... k ...

A function that updates a table returns all parts of it, also those that it does not change (the
lengths of the rows). Arrays are values here, so such a part is the array that the caller has. Under
a second name it would be an array of unknown owner, and would be copied before the next update
(``ownership``), in every iteration of a loop. Nobody reads the result then, and ``dce`` removes it.

The results that are parameters are a greatest fixed point, so a recursive call does not spoil them,
and an arm of a branch that ends in an error has no results.
"""

from __future__ import annotations

from collections.abc import Iterable

from pullback.core.effects import fails
from pullback.core.terms import (
    Atom,
    Block,
    Call,
    Case,
    Function,
    If,
    Let,
    Loop,
    Program,
    Var,
    While,
    sub_blocks,
)
from pullback.core.traverse import map_blocks, map_functions, substitute
from pullback.core.types import Array

Sources = frozenset[int]
"""The parameters that a value surely is."""

NONE: Sources = frozenset()


def without_passed(program: Program) -> Program:
    """Return the program in which nobody reads arrays that a call returns unchanged."""
    known = {f.name: _everything(f) for f in program.functions.values()}
    changed = True
    while changed:
        changed = False
        for f in program.functions.values():
            found = _Sources(f.params, known).of_function(f)
            changed = changed or found != known[f.name]
            known[f.name] = found
    if not any(sources for results in known.values() for sources in results):
        return program
    return map_functions(program, lambda f: _function(f, known))


def _everything(f: Function) -> tuple[Sources, ...]:
    """Return the first assumption: a result is every parameter of its type."""
    return tuple(
        frozenset(k for k, p in enumerate(f.params) if p.type == t and isinstance(t, Array))
        for t in f.results
    )


class _Sources:
    """The walk over one function that finds the sources of its variables."""

    def __init__(self, params: Iterable[Var], known: dict[str, tuple[Sources, ...]]) -> None:
        self.known = known
        self.sources: dict[Var, Sources] = {p: frozenset({k}) for k, p in enumerate(params)}

    def of_function(self, f: Function) -> tuple[Sources, ...]:
        self.block(f.body)
        results = zip(f.body.results, _everything(f), strict=True)
        return tuple(self.of(a) & possible for a, possible in results)

    def of(self, a: Atom) -> Sources:
        return self.sources.get(a, NONE) if isinstance(a, Var) else NONE

    def block(self, block: Block) -> None:
        for let in block.lets:
            match let.op:
                case Loop(_, _, carried, inits, body) | While(carried, inits, _, body):
                    stays = [r is c for c, r in zip(carried, body.results, strict=False)]
                    for c, init, v, same in zip(carried, inits, let.vars, stays, strict=False):
                        self.sources[c] = self.sources[v] = self.of(init) if same else NONE
                case _:
                    pass
            for _, inner in sub_blocks(let.op):
                self.block(inner)
            match let.op:
                case If() | Case():
                    blocks = [b for _, b in sub_blocks(let.op)]
                    ends = [b for b in blocks if not fails(b)] or blocks
                    for k, v in enumerate(let.vars):
                        arms = [self.of(b.results[k]) for b in ends]
                        self.sources[v] = arms[0].intersection(*arms[1:])
                case Call(name, args):
                    for v, through in zip(let.vars, self.known[name], strict=True):
                        self.sources[v] = NONE.union(*(self.of(args[k]) for k in through))
                case _:
                    pass


def _function(f: Function, known: dict[str, tuple[Sources, ...]]) -> Function:
    names: dict[Var, Atom] = {}

    def block(old: Block) -> Block:
        return Block(tuple(map(renamed, old.lets)), old.results)

    def renamed(let: Let) -> Let:
        if isinstance(let.op, Call):
            for v, through in zip(let.vars, known[let.op.function], strict=True):
                if through:
                    given = let.op.args[min(through)]
                    names[v] = names.get(given, given) if isinstance(given, Var) else given
        return Let(let.vars, map_blocks(let.op, block), let.site)

    body = block(f.body)
    return Function(f.name, f.params, substitute(body, names), f.results) if names else f


__all__ = ["without_passed"]
