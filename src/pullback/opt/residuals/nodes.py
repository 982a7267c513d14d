"""Shrink nodes: a node holds only fields that are read, and one accumulator instead of its parts.

    R = A(x, hs);  es = loop i < n. pick H i emitted;  inject A(a, es);  case r { A(x, hs). hs[j] }
    ==>   R = A(h);  inject A(H);  case r { A(h). pick h j }

A field that no case reads is removed: a recursion whose last call only adds into its accumulator
need not keep its array. Signs that alternate are computed instead of kept. Only nodes that the
program itself builds and takes apart are changed, not those that come in or go out.
"""

from __future__ import annotations

from pullback.core.build import Builder
from pullback.core.frozen import dataclass, field
from pullback.core.terms import (
    Atom,
    Block,
    Case,
    CaseArm,
    Function,
    Index,
    Inject,
    Let,
    Lit,
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
from pullback.opt.residuals.residual_elimination import alternating, turned

Place = tuple[str, int, int]
"""A declaration, a variant of it, and a field of that."""


def shrink_nodes(program: Program) -> Program:
    """Return the program with fewer and smaller fields in its own nodes."""
    own = own_declarations(program)
    if not own:
        return program
    found = _Found(program, own)
    for f in program.functions.values():
        found.block(f.body)
    signs = found.alternating()
    change = _Change(found, found.unread() | signs.keys(), found.whole(), signs)
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
    """The facts about the fields of nodes.

    read     fields that some case reads
    other    fields with another use than an Index without check
    picked   arrays of accumulators that a loop emits: the accumulator whose parts they hold
    signs    arrays with alternating signs: their first element
    given    the atoms with which nodes are built
    """

    program: Program
    own: frozenset[str]
    read: set[Place] = field(default_factory=set)
    other: set[Place] = field(default_factory=set)
    picked: dict[Atom, Var] = field(default_factory=dict)
    signs: dict[Atom, Lit] = field(default_factory=dict)
    given: dict[Place, list[Atom]] = field(default_factory=dict)
    bound: dict[Atom, Place] = field(default_factory=dict)

    def block(self, block: Block) -> None:
        for let in block.lets:
            op = let.op
            if isinstance(op, Case) and self.mine(op.scrutinee.type):
                for tag, arm in enumerate(op.arms):
                    for v, place in zip(
                        arm.fields, self.places(op.scrutinee.type, tag), strict=True
                    ):
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
        """Note the arrays that a loop emits of parts of an accumulator in front of it, or of
        alternating signs."""
        n, varying = len(op.carried), {*defined(op.body), op.index, *op.carried}
        made = {x.vars[0]: x for x in op.body.lets if x.vars}
        first = {
            c: init for c, init, following in zip(
                op.carried, op.inits, op.body.results, strict=False
            )
            if isinstance(init, Lit) and turned(following, made) is c
        }  # fmt: skip
        for v, r in zip(let.vars[n:], op.body.results[n:], strict=True):
            if isinstance(r, Var) and r in first:
                self.signs[v] = first[r]
            match made[r].op if isinstance(r, Var) and r in made else None:
                case Prim("pick", (Var(type=Handle()) as h, i), (0,)) if i is op.index:
                    if h not in varying:
                        self.picked[v] = h
                case _:
                    pass

    def alternating(self) -> dict[Place, Lit]:
        """Return the arrays that need not be stored, and their first elements."""
        return {
            place: self.signs[given[0]]
            for place, given in self.given.items()
            if place in self.read and place not in self.other
            and all(a in self.signs for a in given)
            and len({repr(self.signs[a]) for a in given}) == 1
        }  # fmt: skip

    def unread(self) -> set[Place]:
        """Return the fields that nobody reads."""
        return {
            (d.name, tag, k)
            for d in self.program.decls.values() if d.name in self.own
            for tag, v in enumerate(d.variants) for k in range(len(v.fields))
            if (d.name, tag, k) not in self.read
        }  # fmt: skip

    def whole(self) -> dict[Place, Handle]:
        """Return the arrays of accumulators that one accumulator can replace, and its type."""
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
    signs: dict[Place, Lit]
    handles: dict[Atom, Var] = field(default_factory=dict)
    first: dict[Atom, Lit] = field(default_factory=dict)

    def decl(self, d: Decl) -> Decl:
        return Decl(d.name, tuple(
            Variant(v.name, tuple(
                self.whole.get((d.name, tag, k), t)
                for k, t in enumerate(v.fields) if (d.name, tag, k) not in self.gone
            ))
            for tag, v in enumerate(d.variants)
        ))  # fmt: skip

    def block(self, block: Block) -> Block:
        b = Builder()
        for let in block.lets:
            match let.op:
                case Index(array, (i,), False) if array in self.first:
                    op = alternating(self.first[array], b, i)
                case _:
                    op = map_blocks(self.op(let.op), self.block)
            b.lets.append(Let(let.vars, op, let.site))
        return b.block(block.results)

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
            if place in self.signs:
                self.first[v] = self.signs[place]
            if place not in self.gone:
                fields.append(self.handles.get(v, v))
        return CaseArm(tuple(fields), arm.body)


__all__ = ["shrink_nodes"]
