"""Which arrays are updated in place somewhere: what may share storage with them must not be
merged, recomputed later or kept alive longer.

A may-alias analysis that ignores the order of things: variables that may share storage are in one
class (union-find); a class is updated if one of its members is consumed.
"""

from __future__ import annotations

from pullback.core.consumption import consumed_params
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
    Jvp,
    Let,
    Loop,
    Prim,
    Program,
    Update,
    Var,
    Vjp,
    While,
    sub_blocks,
)
from pullback.core.types import Array, Named, Sum

_SHARING = VIEWS | {"reshape", "stop_gradient"}


def updated_arrays(program: Program) -> frozenset[Var]:
    """All variables that may share storage with an array that some op consumes."""
    classes = _Classes({}, set(), consumed_params(program))
    for f in program.functions.values():
        consumed = classes.consumed_params[f.name]
        for i in consumed:
            classes.marked.add(f.params[i])
        _block(classes, f.body)
    marked = {classes.find(v) for v in classes.marked}
    if not marked:
        return frozenset()
    members = [v for v in classes.parent if classes.find(v) in marked]
    return frozenset(members) | frozenset(classes.marked)


class _Classes:
    """Union-find over variables that can hold arrays."""

    def __init__(
        self,
        parent: dict[Var, Var],
        marked: set[Var],
        consumed: dict[str, frozenset[int]],
    ) -> None:
        self.parent = parent
        self.marked = marked
        self.consumed_params = consumed

    def find(self, v: Var) -> Var:
        parent = self.parent
        root = v
        while (up := parent.get(root, root)) is not root:
            root = up
        while (up := parent.get(v, v)) is not root and up is not v:
            parent[v] = root
            v = up
        return root

    def union(self, a: Atom, b: Atom) -> None:
        if isinstance(a, Var) and isinstance(b, Var) and _holds(a) and _holds(b):
            first, second = self.find(a), self.find(b)
            self.parent.setdefault(second, second)
            self.parent[first] = second

    def mark(self, a: Atom) -> None:
        assert isinstance(a, Var)
        self.marked.add(a)


def _holds(v: Var) -> bool:
    return isinstance(v.type, Array | Sum | Named)


def _block(c: _Classes, block: Block) -> None:
    for let in block.lets:
        _let(c, let)
        for _, inner in sub_blocks(let.op):
            _block(c, inner)


def _let(c: _Classes, let: Let) -> None:
    match let.op:
        case Prim(name, args, _):
            if name in _SHARING and let.vars:
                c.union(let.vars[0], args[0])
        case Index(a, _, _):
            c.union(let.vars[0], a)
        case Update(a, _, value, _):
            c.mark(a)
            c.union(let.vars[0], a)
            c.union(let.vars[0], value)
        case Inject(_, _, fields):
            for a in fields:
                c.union(let.vars[0], a)
        case If(_, then, orelse):
            for v, x, y in zip(let.vars, then.results, orelse.results):
                c.union(v, x)
                c.union(v, y)
        case Case(scrutinee, arms):
            for arm in arms:
                for v in arm.fields:
                    c.union(v, scrutinee)
                for v, x in zip(let.vars, arm.body.results):
                    c.union(v, x)
        case Build(_, _, body):
            for v, x in zip(let.vars, body.results):
                c.union(v, x)
        case Loop(_, _, carried, inits, body) | While(carried, inits, _, body):
            for v, x in zip(let.vars, body.results):
                c.union(v, x)
            for v, carry, init in zip(let.vars, carried, inits):
                c.union(v, carry)
                c.union(v, init)
        case Call(f, args) | Vjp(f, args, _, _) | Jvp(f, args, _, _):
            for i in c.consumed_params[f]:
                c.mark(args[i])
            shared = [v for v in let.vars if _holds(v)]
            for a in args if shared else ():
                c.union(shared[0], a)
            for v in shared[1:]:
                c.union(shared[0], v)
        case _:
            pass
