"""Compute common subexpressions once.

Two ops have the same key if they have the same constructor, static parameters and atoms, and blocks
that are alike up to the names that they bind. An op whose key an earlier op in scope has is
replaced by the results of that op. This is done for ops without effects and for those that can only
raise: where the first did not raise, the second would not either. Arrays that are updated somewhere
keep their own storage, and nodes their identity.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from pullback.core.effects import EffectsOf
from pullback.core.terms import (
    TRAVERSALS,
    Atom,
    Block,
    Build,
    Call,
    Case,
    Function,
    If,
    Inject,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Program,
    Ruled,
    Sum_,
    Var,
    While,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import map_children
from pullback.core.types import Array, Named, Type
from pullback.opt.arrays.storage import updated_arrays
from pullback.opt.scalar.rewrite_rules import COMMUTATIVE

LARGEST = 60
"""Blocks with more lets than this are not compared."""


def merge_common(program: Program) -> Program:
    """The program with every common subexpression computed once."""
    effects, updated = EffectsOf(program), updated_arrays(program)
    functions = {
        name: _Merger(effects, updated).function(f) for name, f in program.functions.items()
    }
    return Program(functions, program.decls, program.main)


class _Merger:
    """The walk over one function: the new names of variables, and the ops that are available."""

    def __init__(self, effects: EffectsOf, updated: frozenset[Var]) -> None:
        self.effects = effects
        self.updated = updated
        self.names: dict[Var, Atom] = {}
        self.available: dict[Hashable, tuple[Var, ...]] = {}

    def atom(self, a: Atom) -> Atom:
        return self.names.get(a, a) if isinstance(a, Var) else a

    def function(self, f: Function) -> Function:
        return Function(f.name, f.params, self.block(f.body), f.results)

    def block(self, block: Block) -> Block:
        out: list[Let] = []
        mine: list[Hashable] = []
        for let in block.lets:
            op = map_children(let.op, self.atom, self.block)
            key = self.key(let, op)
            found = None if key is None else self.available.get(key)
            if found is not None:
                self.names.update(zip(let.vars, found, strict=True))
                continue
            if key is not None:
                self.available[key] = let.vars
                mine.append(key)
            out.append(Let(let.vars, op, let.site))
        results = tuple(self.atom(a) for a in block.results)
        for key in mine:  # what a block computes is not in scope after it
            del self.available[key]
        return Block(tuple(out), results)

    def key(self, let: Let, op: Op) -> Hashable:
        """Return a key that equal ops share; None for an op that must stay."""
        if not self.effects.may_share(op):
            return None
        if not self.updated.isdisjoint(let.vars) or makes_nodes(let.vars, op):
            return None
        if isinstance(op, (Build, Sum_, Loop, While, If, Case)) and _size(op) > LARGEST:
            return None
        return _key(op, {})


def makes_nodes(variables: Sequence[Var], op: Op) -> bool:
    """Whether an op may build nodes. A caller can tell the nodes of a result apart, and each node
    gets its own cotangent, so two equal nodes stay two."""
    match op:
        case Inject(t, _, fields):
            return isinstance(t, Named) and bool(fields)
        case Call() | Ruled():
            return any(_holds_node(v.type) for v in variables)
        case _:
            lets = (let for _, block in sub_blocks(op) for let in block.lets)
            return any(makes_nodes(let.vars, let.op) for let in lets)


def _holds_node(t: Type) -> bool:
    while isinstance(t, Array):
        t = t.elem
    return isinstance(t, Named)


def _size(op: Op) -> int:
    """Return the number of lets inside the op; counting stops at the limit that matters."""
    total = 0
    for _, block in sub_blocks(op):
        total += len(block.lets)
        for let in block.lets:
            if total > LARGEST:
                return total
            total += _size(let.op)
    return total


Bound = dict[Var, int]


def _key(op: Op, bound: Bound) -> Hashable:
    """Return the op with the variables that it binds numbered in order."""
    read: list[Hashable] = [_atom(a, bound) for a in atoms(op)]
    match op:
        case Prim("require" | "require.early"):
            return ("require", read[0])  # the second cannot raise, whatever it would say
        case Prim(name, _, static):
            if name in COMMUTATIVE:
                read.sort(key=hash)
            return (name, static, *read)
        case _:
            constants = TRAVERSALS[type(op)].constants(op)
            blocks = [_block_key(block, bind, bound) for bind, block in sub_blocks(op)]
            return (type(op), len(read), *constants, *read, *blocks)


def _block_key(block: Block, variables: Iterable[Var], bound: Bound) -> Hashable:
    for v in variables:
        bound[v] = len(bound)
    lets = []
    for let in block.lets:
        lets.append((_key(let.op, bound), len(let.vars)))
        for v in let.vars:
            bound[v] = len(bound)
    return (tuple(lets), tuple(_atom(a, bound) for a in block.results))


def _atom(a: Atom, bound: Bound) -> Hashable:
    match a:
        case Var():
            return bound.get(a, a)
        case Lit(value, t):
            return ("literal", t, repr(value))


