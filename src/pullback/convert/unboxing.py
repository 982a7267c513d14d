"""Replace nodes that hold no node of their own declaration by values: SOURCE -> SOURCE.

    type N = A(ts) | B(us)        Named(N)  ->  Sum((A(ts), B(us)))
    type N = A(ts)                Named(N)  ->  Tuple(ts)

The front end declares a class if its fields lead back to it, even if only through the result of a
function in a field: a step of a trampoline is a function that returns the next step. If such a
function captures no step, nothing is recursive, and a loop that takes one step after the other
carries the captured values. Nodes that come in or go out, or that a derivative inside of the
program is taken of, stay, and so do those of more than ``WIDEST`` leaves.
"""

from __future__ import annotations

from pullback.convert.flatten import leaves_of
from pullback.convert.retype import Retype, projected
from pullback.core.frozen import dataclass, field
from pullback.core.terms import Case, Inject, Jvp, Let, MakeTuple, Program, Ruled, Vjp, atoms
from pullback.core.traverse import all_lets, own_declarations
from pullback.core.types import Array, Named, Sum, Tuple, Type

WIDEST = 64
"""Nodes of nodes of nodes, two in each, would be many variables."""


def unbox_nodes(program: Program) -> Program:
    """Return the program with fewer declarations."""
    values = _values(program, own_declarations(program) - _kept(program))
    if not values:
        return program
    return _Unfold(program, values=values).run(gone=frozenset(values))


def _kept(program: Program) -> set[str]:
    """Return the declarations of the arguments of derivative terms."""
    out: set[str] = set()
    for f in program.functions.values():
        for let in all_lets(f.body):
            if isinstance(let.op, (Vjp, Jvp, Ruled)):
                for a in (*atoms(let.op), *let.vars):
                    out |= _names(a.type)
    return _reached(program, out)


def _names(t: Type) -> set[str]:
    match t:
        case Named(name):
            return {name}
        case Array(elem, _):
            return _names(elem)
        case Tuple(items):
            return {n for i in items for n in _names(i)}
        case Sum(variants):
            return {n for v in variants for i in v.fields for n in _names(i)}
        case _:
            return set()


def _values(program: Program, own: frozenset[str]) -> dict[str, Type]:
    """Return the types that replace declarations."""
    found: dict[str, Type] = {}
    todo = [name for name in program.decls if name in own and not _recursive(program, name)]
    while todo:
        later = set(todo)
        name = next(n for n in todo if _below(program, n).isdisjoint(later))
        todo.remove(name)
        variants = _Unfold(program, values=found).variants(program.decls[name].variants)
        t = Tuple(variants[0].fields) if len(variants) == 1 else Sum(variants)
        if _width(t) <= WIDEST:
            found[name] = t
    return found


def _below(program: Program, name: str) -> set[str]:
    """Return the declarations that this one mentions."""
    return {n for v in program.decls[name].variants for t in v.fields for n in _names(t)}


def _recursive(program: Program, name: str) -> bool:
    return name in _reached(program, _below(program, name))


def _reached(program: Program, names: set[str]) -> set[str]:
    """Return these declarations, and those that they mention."""
    out, todo = set(names), list(names)
    while todo:
        more = _below(program, todo.pop()) - out
        out |= more
        todo.extend(more)
    return out


def _width(t: Type) -> int:
    """Return the number of scalars, arrays and tags of a value."""
    match t:
        case Tuple(items):
            return sum(map(_width, items))
        case Sum(variants):
            return 1 + max(sum(map(_width, v.fields)) for v in variants)
        case _:
            return len(leaves_of(t))


@dataclass
class _Unfold(Retype):
    """The rewriting. ``values``: the types that replace names."""

    values: dict[str, Type] = field(default_factory=dict)

    def sum(self, t: Sum | Named) -> Type:
        return Sum(self.variants(t.variants)) if isinstance(t, Sum) else self.values.get(t.name, t)

    def inject(self, let: Let, op: Inject, out: list[Let]) -> None:
        fields = self.atoms(op.fields)
        out.append(Let(self.binds(let.vars), MakeTuple(self.type(op.type), fields), let.site))

    def case(self, let: Let, op: Case, out: list[Let]) -> None:
        """Replace a case on a tuple by its only arm."""
        (arm,) = op.arms
        for k, v in enumerate(arm.fields):
            self.env[v] = projected(self.atom(op.scrutinee), k, out)
        body = self.block(arm.body)
        out += body.lets
        self.env.update(zip(let.vars, body.results, strict=True))


__all__ = ["unbox_nodes"]
