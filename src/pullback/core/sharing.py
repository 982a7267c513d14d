"""Compute which variables may hold the same arrays: a may-alias analysis that ignores the order of
execution.

Variables that may share storage, at any depth, are in one class (union-find). A called function is
not looked into: its results may share with all of its arguments.
"""

from __future__ import annotations

from collections.abc import Iterable

from pullback.core.prims import ALIASES
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
    Ruled,
    Update,
    Var,
    Vjp,
    While,
    sub_blocks,
)
from pullback.core.types import Array, Named, Sum


class Sharing:
    """The classes of the variables of the blocks that it was told of."""

    def __init__(self) -> None:
        self.parent: dict[Var, Var] = {}

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

    def of(self, some: Iterable[Var]) -> set[Var]:
        """All variables that may share storage with one of these."""
        marked = {self.find(v) for v in some}
        if not marked:
            return set()
        return {v for v in self.parent if self.find(v) in marked}.union(some)

    def block(self, block: Block) -> None:
        for let in block.lets:
            self.let(let)
            for _, inner in sub_blocks(let.op):
                self.block(inner)

    def let(self, let: Let) -> None:
        match let.op:
            case Prim(name, args, _):
                if name in ALIASES and let.vars:
                    self.union(let.vars[0], args[0])
            case Index(a, _, _):
                self.union(let.vars[0], a)
            case Update(a, _, value, _):
                self.union(let.vars[0], a)
                self.union(let.vars[0], value)
            case Inject(_, _, fields):
                for a in fields:
                    self.union(let.vars[0], a)
            case If(_, then, orelse):
                for v, x, y in zip(let.vars, then.results, orelse.results, strict=True):
                    self.union(v, x)
                    self.union(v, y)
            case Case(scrutinee, arms):
                for arm in arms:
                    for v in arm.fields:
                        self.union(v, scrutinee)
                    for v, x in zip(let.vars, arm.body.results, strict=True):
                        self.union(v, x)
            case Build(_, _, body):
                for v, x in zip(let.vars, body.results, strict=True):
                    self.union(v, x)
            case Loop(_, _, carried, inits, body) | While(carried, inits, _, body):
                for v, x in zip(let.vars, body.results, strict=True):
                    self.union(v, x)
                for v, carry, init in zip(let.vars, carried, inits, strict=False):
                    self.union(v, carry)
                    self.union(v, init)
            case Call(_, args) | Ruled(_, args) | Vjp(_, args, _, _) | Jvp(_, args, _, _):
                shared = [v for v in let.vars if _holds(v)]
                for a in args if shared else ():
                    self.union(shared[0], a)
                for v in shared[1:]:
                    self.union(shared[0], v)
            case _:
                pass


def _holds(v: Var) -> bool:
    return isinstance(v.type, (Array, Sum, Named))
