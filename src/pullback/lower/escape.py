"""Arrays that are put into data are made in the residual arena, where data lives.

A node, or an array of arrays, must not refer to temporaries: what it gets is copied out of their
arena (``arenas.keep``). An array that goes into many nodes would be copied for each of them, while
Python shares it. So an array that may end up in data is made where it can stay. (Not if a loop
makes one in every iteration and carries only the last: they would all stay.)"""

from __future__ import annotations

from dataclasses import dataclass, field

from pullback.core.calls import recursive_functions
from pullback.core.prims import VIEWS
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
    Prim,
    Program,
    Sum_,
    Update,
    Var,
    While,
    sub_blocks,
)
from pullback.core.types import Array, Named, Sum

_ALIASES = VIEWS | {"reshape", "stop_gradient"}


def lasting_arrays(program: Program) -> frozenset[Var]:
    """The variables bound by a let that makes an array which may end up in data."""
    flow = _Flow(program)
    for f in program.functions.values():
        flow.block(f.body)
    looping = _called_in_loops(program)
    for f in program.functions.values():
        flow.find_sites(f.body, f.name in looping)
    put = {flow.root(v) for v in flow.put}
    carried = {flow.root(v) for v in flow.carried}
    return frozenset(
        v
        for v, in_loop in flow.sites
        if flow.root(v) in put and not (in_loop and flow.root(v) in carried)
    )


def _called_in_loops(program: Program) -> frozenset[str]:
    """Functions that may run many times during a call of main."""
    inside: set[str] = set(recursive_functions(program))
    calls: dict[str, set[str]] = {name: set() for name in program.functions}

    def block(b: Block, caller: str, looping: bool) -> None:
        for let in b.lets:
            if isinstance(let.op, Call):
                calls[caller].add(let.op.function)
                if looping:
                    inside.add(let.op.function)
            here = looping or isinstance(let.op, Loop | While | Build | Sum_)
            for _, inner in sub_blocks(let.op):
                block(inner, caller, here)

    for f in program.functions.values():
        block(f.body, f.name, False)
    work = list(inside)
    while work:
        for callee in calls[work.pop()]:
            if callee not in inside:
                inside.add(callee)
                work.append(callee)
    return frozenset(inside)


def _holds(a: Atom) -> bool:
    return isinstance(a, Var) and isinstance(a.type, Array | Sum | Named)


@dataclass
class _Flow:
    """Union-find over the variables that may hold the same arrays, in the whole program.

    put      what goes into nodes and arrays of arrays, or is emitted by a loop
    carried  arrays that loops carry
    sites    what makes arrays, and whether that is in a loop"""

    program: Program
    parent: dict[Var, Var] = field(default_factory=dict)
    put: list[Var] = field(default_factory=list)
    carried: list[Var] = field(default_factory=list)
    sites: list[tuple[Var, bool]] = field(default_factory=list)

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
            case Prim(name, args, _) if name in _ALIASES and let.vars:
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
                for v, c, init in zip(let.vars, carried, inits, strict=False):
                    self.union(v, c)
                    self.union(v, init)
                    if isinstance(c.type, Array):
                        self.carried.append(c)
            case Call(f, args):
                callee = self.program.functions[f]
                for p, a in zip(callee.params, args, strict=True):
                    self.union(p, a)
                for v, x in zip(let.vars, callee.body.results, strict=True):
                    self.union(v, x)
            case _:
                pass

    def find_sites(self, block: Block, in_loop: bool) -> None:
        for let in block.lets:
            makes = isinstance(let.op, Build) or (
                isinstance(let.op, Prim) and let.op.name not in VIEWS
            )
            if makes:
                self.sites += [(v, in_loop) for v in let.vars if isinstance(v.type, Array)]
            inside = in_loop or isinstance(let.op, Loop | While | Build | Sum_)
            for _, inner in sub_blocks(let.op):
                self.find_sites(inner, inside)
