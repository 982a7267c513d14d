"""Change the types of sum values throughout a program: the common part of several passes."""

from __future__ import annotations

from abc import ABC, abstractmethod

from pullback.core.frozen import dataclass, field
from pullback.core.terms import (
    Atom,
    Block,
    Case,
    Function,
    Inject,
    Let,
    MakeTuple,
    Prim,
    Program,
    Project,
    Var,
)
from pullback.core.traverse import map_children
from pullback.core.types import Array, Decl, Named, Sum, Tuple, Type, Variant


@dataclass
class Retype(ABC):
    """``program`` with other types in the place of its sums. ``env``: the new names of variables;
    ``types``: the new types."""

    program: Program
    env: dict[Var, Atom] = field(default_factory=dict)
    types: dict[Type, Type] = field(default_factory=dict)

    @abstractmethod
    def sum(self, t: Sum | Named) -> Type:
        """Return the new type of a sum."""

    @abstractmethod
    def inject(self, let: Let, op: Inject, out: list[Let]) -> None:
        """Append the lets that build a value of the new type."""

    @abstractmethod
    def case(self, let: Let, op: Case, out: list[Let]) -> None:
        """Append the lets that take a value of the new type apart."""

    def run(self, gone: frozenset[str] = frozenset()) -> Program:
        """Return the program without the declarations ``gone``."""
        decls = {
            name: Decl(name, self.variants(d.variants))
            for name, d in self.program.decls.items() if name not in gone
        }  # fmt: skip
        functions = {name: self.function(f) for name, f in self.program.functions.items()}
        return Program(functions, decls, self.program.main)

    def type(self, t: Type) -> Type:
        found = self.types.get(t)
        if found is None:
            found = self.types[t] = self._type(t)
        return found

    def _type(self, t: Type) -> Type:
        match t:
            case Named() | Sum():
                return self.sum(t)
            case Array(elem, rank):
                return Array(self.type(elem), rank)
            case Tuple(items, names, cls):
                return Tuple(tuple(map(self.type, items)), names, cls)
            case _:
                return t

    def variants(self, variants: tuple[Variant, ...]) -> tuple[Variant, ...]:
        return tuple(Variant(v.name, tuple(map(self.type, v.fields))) for v in variants)

    def bind(self, v: Var) -> Var:
        t = self.type(v.type)
        new = v if t == v.type else Var(v.name, t)
        self.env[v] = new
        return new

    def binds(self, variables: tuple[Var, ...]) -> tuple[Var, ...]:
        return tuple(map(self.bind, variables))

    def atom(self, a: Atom) -> Atom:
        return self.env[a] if isinstance(a, Var) else a

    def atoms(self, some: tuple[Atom, ...]) -> tuple[Atom, ...]:
        return tuple(map(self.atom, some))

    def function(self, f: Function) -> Function:
        params = self.binds(f.params)
        return Function(f.name, params, self.block(f.body), tuple(map(self.type, f.results)))

    def block(self, block: Block) -> Block:
        out: list[Let] = []
        for let in block.lets:
            op = let.op
            if isinstance(op, Inject) and isinstance(self.type(op.type), Tuple):
                self.inject(let, op, out)
            elif isinstance(op, Case) and isinstance(self.atom(op.scrutinee).type, Tuple):
                self.case(let, op, out)
            else:
                self.let(let, out)
        return Block(tuple(out), self.atoms(block.results))

    def let(self, let: Let, out: list[Let]) -> None:
        op = map_children(let.op, self.atom, self.block, self.bind)
        match op:
            case Inject(t, tag, fields):
                op = Inject(self.type(t), tag, fields)
            case MakeTuple(t, items):
                op = MakeTuple(self.type(t), items)
            case Prim(name, args, static):
                types = tuple(self.type(s) if isinstance(s, Type) else s for s in static)
                op = Prim(name, args, types)
            case _:
                pass
        out.append(Let(self.binds(let.vars), op, let.site))


def projected(value: Atom, k: int, out: list[Let]) -> Var:
    """Emit a component of a tuple."""
    assert isinstance(value, Var) and isinstance(value.type, Tuple)
    v = Var(value.name, value.type.items[k])
    out.append(Let((v,), Project(value, k)))
    return v


__all__ = ["Retype", "projected"]
