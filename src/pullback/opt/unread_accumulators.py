"""Drop additions to accumulators that nobody reads.

    h = acc_new(n);  sum i < n. acc_add(h, i, x[i]);  (no acc_read of h)   ==>   nothing

The gradient whose tangent alone is wanted, and the part of a pullback that nobody asked for, are
such additions. Handles that may be of one accumulator are in one class (union-find over the whole
program, in no order); a class is read if one of its handles is, if it is in data, or if main gets
or returns it.
"""

from __future__ import annotations

from collections.abc import Iterable

from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Atom,
    Block,
    Build,
    Call,
    Case,
    Function,
    If,
    Let,
    Loop,
    Program,
    Sum_,
    Var,
    While,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import all_lets, map_blocks, map_functions
from pullback.core.types import Array, Handle, Named, Sum, Tuple, Type


def drop_unread(program: Program) -> Program:
    """Return the program without additions to accumulators that are never read; the same program,
    if there are none."""
    lets = [let for f in program.functions.values() for let in all_lets(f.body)]
    if not any(isinstance(let.op, AccNew) for let in lets):
        return program
    classes = _Classes(program)
    for let in lets:
        classes.let(let)
    read = classes.read()
    added = {let.op.handle for let in lets if isinstance(let.op, AccAdd)}
    dead = {h for h in added if isinstance(h, Var) and classes.find(h) not in read}
    if not dead:
        return program

    def block(old: Block) -> Block:
        return Block(
            tuple(
                Let(let.vars, map_blocks(let.op, block), let.site) for let in old.lets
                if not (isinstance(let.op, AccAdd) and let.op.handle in dead)
            ),
            old.results,
        )  # fmt: skip

    return map_functions(program, lambda f: Function(f.name, f.params, block(f.body), f.results))


def _holds(t: Type) -> bool:
    """Whether a value of this type may hold handles."""
    match t:
        case Handle() | Named():
            return True
        case Array(elem, _):
            return _holds(elem)
        case Sum(variants):
            return any(_holds(f) for v in variants for f in v.fields)
        case Tuple(items):
            return any(map(_holds, items))
        case _:
            return False


def _in_data(t: Type) -> bool:
    """Whether handles in it are in nodes, which are not followed."""
    return _holds(t) and not isinstance(t.elem if isinstance(t, Array) else t, Handle)


class _Classes:
    """The classes of the variables that hold handles."""

    def __init__(self, program: Program) -> None:
        self.functions = program.functions
        self.parent: dict[Var, Var] = {}
        main = program.functions[program.main]
        given = (*main.params, *main.body.results)
        self.reads: list[Var] = [v for v in given if isinstance(v, Var) and _holds(v.type)]

    def find(self, v: Var) -> Var:
        while (up := self.parent.get(v, v)) is not v:
            self.parent[v] = self.parent.get(up, up)
            v = up
        return v

    def read(self) -> set[Var]:
        """The classes that are read."""
        return {self.find(v) for v in self.reads}

    def join(self, some: Iterable[Atom]) -> None:
        """These may hold the same handles."""
        first: Var | None = None
        for a in some:
            if isinstance(a, Var) and _holds(a.type):
                if _in_data(a.type):
                    self.reads.append(a)
                root = self.find(a)
                first = root if first is None else first
                self.parent[root] = first

    def rows(self, *rows: Iterable[Atom]) -> None:
        """The atoms in one place of each row may hold the same."""
        for some in zip(*rows, strict=False):
            self.join(some)

    def let(self, let: Let) -> None:
        match let.op:
            case AccRead(h, _) | AccTake(h, _):
                self.reads.extend((h,) if isinstance(h, Var) else ())
            case AccAdd() | Sum_():
                return
            case Call(name, args):
                f = self.functions[name]
                self.rows(args, f.params)
                self.rows(let.vars, f.body.results)
            case Loop(_, _, carried, inits, body) | While(carried, inits, _, body):
                self.rows(let.vars, body.results)
                self.rows(let.vars, carried, inits)
            case If() | Build() | Case():
                if isinstance(let.op, Case):
                    fields = (v for arm in let.op.arms for v in arm.fields)
                    self.join((let.op.scrutinee, *fields))
                for _, block in sub_blocks(let.op):
                    self.rows(let.vars, block.results)
            case op:
                if any(_holds(v.type) for v in let.vars):
                    self.join((*let.vars, *atoms(op)))


__all__ = ["drop_unread"]
