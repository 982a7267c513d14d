"""Allocate arrays that go into data in the residual arena, where data lives.

A node, or an array of arrays, must not refer to temporaries, so an array that is put into it is
copied out of their arena (``arenas.keep``). An array that goes into many nodes would be copied for
each of them, while Python shares it. So an array that may end up in data is allocated where it can
stay. (Not if a loop makes one in every iteration and carries only the last: they would all stay. If
the loop emits them, they stay anyway.) The same holds for arrays that loops emit.
"""

from __future__ import annotations

from pullback.core.frozen import dataclass, field
from pullback.core.prims import ALIASES, VIEWS
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    Case,
    If,
    Index,
    Inject,
    Let,
    Loop,
    Op,
    Prim,
    Program,
    Update,
    Var,
    While,
    sub_blocks,
)
from pullback.core.types import Array, Named, Sum


def lasting_arrays(program: Program) -> frozenset[Var]:
    """Return the variables of lets that build an array which may end up in data."""
    flow = _Flow(program)
    for f in program.functions.values():
        flow.block(f.body)
    again = _carried_around(program, flow)
    for f in program.functions.values():
        flow.find_sites(f.body, again[f.name])
    put = {flow.root(v) for v in flow.put}
    return frozenset(
        v
        for v, carried in flow.sites
        if v in flow.emitted or (flow.root(v) in put and flow.root(v) not in carried)
    )


def _carried_around(program: Program, flow: _Flow) -> dict[str, frozenset[Var]]:
    """Return for each function the variables that are carried by loops which call it, directly or
    through others."""
    found: dict[str, set[Var]] = {name: set() for name in program.functions}
    calls: dict[str, set[str]] = {name: set() for name in program.functions}

    def block(b: Block, caller: str, carried: frozenset[Var]) -> None:
        for let in b.lets:
            if isinstance(let.op, Call):
                calls[caller].add(let.op.function)
                found[let.op.function] |= carried
            here = carried | flow.carried_by(let.op)
            for _, inner in sub_blocks(let.op):
                block(inner, caller, here)

    for f in program.functions.values():
        block(f.body, f.name, frozenset())
    work = [name for name, carried in found.items() if carried]
    while work:
        caller = work.pop()
        for callee in calls[caller]:
            if not found[caller] <= found[callee]:
                found[callee] |= found[caller]
                work.append(callee)
    return {name: frozenset(carried) for name, carried in found.items()}


def _holds(a: Atom) -> bool:
    return isinstance(a, Var) and isinstance(a.type, (Array, Sum, Named))


@dataclass
class _Flow:
    """Union-find over the variables that may hold the same arrays, in the whole program.

    put      arrays that go into nodes and arrays of arrays, or that a loop emits
    emitted  the latter, under the very name
    sites    the lets that build arrays, with the variables that the loops around carry
    """

    program: Program
    parent: dict[Var, Var] = field(default_factory=dict)
    put: list[Var] = field(default_factory=list)
    emitted: set[Atom] = field(default_factory=set)
    sites: list[tuple[Var, frozenset[Var]]] = field(default_factory=list)

    def root(self, v: Var) -> Var:
        while (up := self.parent.get(v, v)) is not v:
            self.parent[v] = self.parent.get(up, up)
            v = up
        return v

    def union(self, a: Atom, b: Atom) -> None:
        if isinstance(a, Var) and isinstance(b, Var) and _holds(a) and _holds(b):
            first, second = self.root(a), self.root(b)
            if first is not second:
                self.parent[first] = second

    def keep(self, a: Atom) -> None:
        if isinstance(a, Var) and _holds(a):
            self.put.append(a)

    def block(self, block: Block) -> None:
        for let in block.lets:
            self.let(let)
            for _, inner in sub_blocks(let.op):
                self.block(inner)

    def let(self, let: Let) -> None:
        match let.op:
            case Prim(name, args, _) if name in ALIASES and let.vars:
                self.union(let.vars[0], args[0])
            case Index(a, _, _):
                self.union(let.vars[0], a)
            case Update(a, _, value, _):
                self.union(let.vars[0], a)
                self.union(let.vars[0], value)
                self.keep(value)
            case Inject(t, _, fields):
                for a in fields:
                    self.union(let.vars[0], a)
                    if isinstance(t, Named):
                        self.keep(a)
            case If() | Case():
                for bound, inner in sub_blocks(let.op):
                    for v in bound:
                        self.union(v, let.op.scrutinee if isinstance(let.op, Case) else v)
                    for v, x in zip(let.vars, inner.results, strict=True):
                        self.union(v, x)
            case Build(_, _, body):
                for v, x in zip(let.vars, body.results, strict=True):
                    self.union(v, x)
            case Loop(_, _, carried, inits, body) | While(carried, inits, _, body):
                for v, x in zip(let.vars, body.results, strict=True):
                    self.union(v, x)
                for x in body.results[len(carried) :]:
                    self.keep(x)
                    self.emitted.add(x)
                for v, c, init in zip(let.vars, carried, inits, strict=False):
                    self.union(v, c)
                    self.union(v, init)
            case Call(f, args):
                callee = self.program.functions[f]
                for p, a in zip(callee.params, args, strict=True):
                    self.union(p, a)
                for v, x in zip(let.vars, callee.body.results, strict=True):
                    self.union(v, x)
            case _:
                pass

    def carried_by(self, op: Op) -> frozenset[Var]:
        """Return, after all unions, the arrays that a loop carries."""
        if not isinstance(op, (Loop, While)):
            return frozenset()
        return frozenset(self.root(c) for c in op.carried if isinstance(c.type, Array))

    def find_sites(self, block: Block, carried: frozenset[Var]) -> None:
        for let in block.lets:
            op = let.op
            emits = len(op.carried) if isinstance(op, Loop) else 0
            makes = isinstance(op, (Build, Loop)) or (
                isinstance(op, Prim) and op.name not in VIEWS
            )
            if makes:
                made = let.vars[emits:]
                self.sites += [(v, carried) for v in made if isinstance(v.type, Array)]
            around = carried | self.carried_by(op)
            for _, inner in sub_blocks(op):
                self.find_sites(inner, around)
