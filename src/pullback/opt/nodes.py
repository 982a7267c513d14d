"""Nodes hold what is read of them, and accumulators by the one they are parts of.

    R = A(x, hs);  es = loop i < n. pick H i emitted;  inject A(a, es);  case r { A(x, hs). hs[j] }
    ==>   R = A(h);  inject A(H);  case r { A(h). pick h j }

A field that no case reads is left out: a recursion whose last call only adds into its accumulator
need not keep its array. Only nodes that the program itself makes and takes apart are changed, not
those that come in or go out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pullback.core.terms import (
    Atom,
    Block,
    Case,
    CaseArm,
    Function,
    Index,
    Inject,
    Let,
    Loop,
    Op,
    Prim,
    Program,
    Var,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import defined, map_blocks, own_declarations
from pullback.core.types import Array, Decl, Handle, Named, Type, Variant

Place = tuple[str, int, int]
"""A declaration, a variant of it, and a field of that."""


def shrink_nodes(program: Program) -> Program:
    """The program with fewer and smaller fields in its own nodes."""
    own = own_declarations(program)
    if not own:
        return program
    found = _Found(program, own)
    for f in program.functions.values():
        found.block(f.body)
    change = _Change(found, found.unread(), found.whole())
    if not change.gone and not change.whole:
        return program
    decls = {d.name: change.decl(d) if d.name in own else d for d in program.decls.values()}
    functions = {
        f.name: Function(f.name, f.params, change.block(f.body), f.results)
        for f in program.functions.values()
    }
    return Program(functions, decls, program.main)


@dataclass
class _Found:
    """What is known of the fields of nodes.

    read     fields that some case reads
    other    fields that are read by more than an Index without check
    picked   of an array that a loop emits: the accumulator of whose parts it consists
    given    what nodes are made with"""

    program: Program
    own: frozenset[str]
    read: set[Place] = field(default_factory=set)
    other: set[Place] = field(default_factory=set)
    picked: dict[Atom, Var] = field(default_factory=dict)
    given: dict[Place, list[Atom]] = field(default_factory=dict)
    bound: dict[Atom, Place] = field(default_factory=dict)

    def block(self, block: Block) -> None:
        for let in block.lets:
            op = let.op
            if isinstance(op, Case) and self.mine(op.scrutinee.type):
                for tag, arm in enumerate(op.arms):
                    for v, place in zip(arm.fields, self.places(op.scrutinee.type, tag)):
                        self.bound[v] = place
            if isinstance(op, Inject) and self.mine(op.type):
                for a, place in zip(op.fields, self.places(op.type, op.tag), strict=True):
                    self.given.setdefault(place, []).append(a)
            others = atoms(op)
            if isinstance(op, Index) and not op.checked and len(op.indices) == 1:
                others = op.indices
                if op.array in self.bound:
                    self.read.add(self.bound[op.array])
            self.reads(others)
            for _, inner in sub_blocks(op):
                self.block(inner)
            if isinstance(op, Loop):
                self.emitted(let, op)
        self.reads(block.results)

    def reads(self, some: tuple[Atom, ...]) -> None:
        places = {self.bound[a] for a in some if a in self.bound}
        self.read |= places
        self.other |= places

    def mine(self, t: Type) -> bool:
        return isinstance(t, Named) and t.name in self.own

    def places(self, t: Type, tag: int) -> list[Place]:
        assert isinstance(t, Named)
        fields = self.program.decls[t.name].variants[tag].fields
        return [(t.name, tag, k) for k in range(len(fields))]

    def emitted(self, let: Let, op: Loop) -> None:
        """Find what the loop emits of accumulators that stand in front of it."""
        n, varying = len(op.carried), {*defined(op.body), op.index, *op.carried}
        made = {x.vars[0]: x.op for x in op.body.lets if x.vars}
        for v, r in zip(let.vars[n:], op.body.results[n:], strict=True):
            match made.get(r) if isinstance(r, Var) else None:
                case Prim("pick", (Var(type=Handle()) as h, i), (0,)) if i is op.index:
                    if h not in varying:
                        self.picked[v] = h
                case _:
                    pass

    def unread(self) -> set[Place]:
        """The fields that nobody reads."""
        return {
            (d.name, tag, k)
            for d in self.program.decls.values() if d.name in self.own
            for tag, v in enumerate(d.variants) for k in range(len(v.fields))
            if (d.name, tag, k) not in self.read
        }  # fmt: skip

    def whole(self) -> dict[Place, Handle]:
        """The arrays of accumulators in whose place there can be one, and its type."""
        return {
            place: Handle(t.elem.rank + 1)
            for place, given in self.given.items()
            for t in (given[0].type,)
            if place in self.read and place not in self.other
            and isinstance(t, Array) and isinstance(t.elem, Handle) and t.rank == 1
            and all(a in self.picked for a in given)
        }  # fmt: skip


@dataclass
class _Change:
    found: _Found
    gone: set[Place]
    whole: dict[Place, Handle]
    handles: dict[Atom, Var] = field(default_factory=dict)

    def decl(self, d: Decl) -> Decl:
        return Decl(d.name, tuple(
            Variant(v.name, tuple(
                self.whole.get((d.name, tag, k), t)
                for k, t in enumerate(v.fields) if (d.name, tag, k) not in self.gone
            ))
            for tag, v in enumerate(d.variants)
        ))  # fmt: skip

    def block(self, block: Block) -> Block:
        return Block(
            tuple(Let(x.vars, map_blocks(self.op(x.op), self.block), x.site) for x in block.lets),
            block.results,
        )

    def op(self, op: Op) -> Op:
        match op:
            case Inject(t, tag, fields) if self.found.mine(t):
                places = zip(fields, self.found.places(t, tag), strict=True)
                return Inject(t, tag, tuple(
                    self.found.picked[a] if p in self.whole else a
                    for a, p in places if p not in self.gone
                ))  # fmt: skip
            case Case(x, arms) if self.found.mine(x.type):
                return Case(x, tuple(self.arm(x.type, k, arm) for k, arm in enumerate(arms)))
            case Index(array, (i,), False) if array in self.handles:
                return Prim("pick", (self.handles[array], i), (0,))
            case _:
                return op

    def arm(self, t: Type, tag: int, arm: CaseArm) -> CaseArm:
        fields = []
        for v, place in zip(arm.fields, self.found.places(t, tag), strict=True):
            if place in self.whole:
                self.handles[v] = Var(v.name, self.whole[place])
            if place not in self.gone:
                fields.append(self.handles.get(v, v))
        return CaseArm(tuple(fields), arm.body)


__all__ = ["shrink_nodes"]
