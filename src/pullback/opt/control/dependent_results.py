"""Which results of operations depend on some variables, result by result.

A loop whose number of iterations does not depend hands on the values that do not depend; a branch
whose condition does not depend, and a call of a function that is not recursive, likewise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    Case,
    Function,
    If,
    Let,
    Loop,
    Op,
    Sum_,
    Var,
    While,
    sub_blocks,
)
from pullback.core.traverse import free_variables_of


class Dependence:
    """The dependence of what functions compute; ``recursive``: those that are not looked into."""

    def __init__(self, functions: Mapping[str, Function], recursive: Collection[str]) -> None:
        self.functions = functions
        self.recursive = recursive
        self.known: dict[tuple[str, tuple[bool, ...]], list[bool]] = {}

    def spread(self, lets: Iterable[Let], depends: set[Var]) -> None:
        """Add the variables that depend on those of the set."""
        for let in lets:
            found = self.results(let.op, len(let.vars), depends)
            depends.update(v for v, on in zip(let.vars, found, strict=True) if on)

    def results(self, op: Op, count: int, depends: set[Var]) -> Sequence[bool]:
        """Whether each of the ``count`` results of an op depends."""
        if depends.isdisjoint(free_variables_of(op)):
            return [False] * count
        if isinstance(op, Call) and op.function not in self.recursive:
            return self.call(op.function, tuple(a in depends for a in op.args))
        if not sub_blocks(op) or steered(op, depends):
            return [True] * count
        if isinstance(op, (Loop, While)):
            self.states(op, depends)
            if isinstance(op, While) and self.block(op.cond, depends)[0]:
                return [True] * count
        blocks = [b for _, b in sub_blocks(op)][-1 if isinstance(op, While) else 0 :]
        found = [self.block(b, depends) for b in blocks]
        return [any(some) for some in zip(*found, strict=True)] or [False] * count

    def block(self, block: Block, depends: set[Var]) -> list[bool]:
        """Whether each result of a block depends; the set gets the variables in it that do."""
        self.spread(block.lets, depends)
        return [a in depends for a in block.results]

    def states(self, op: Loop | While, depends: set[Var]) -> set[Var]:
        """Return the carried variables of a loop that depend, and add them to the set."""
        found = {c for c, a in zip(op.carried, op.inits, strict=True) if a in depends}
        while True:
            depends |= found
            results = self.block(op.body, set(depends))
            more = {c for c, on in zip(op.carried, results, strict=False) if on} - found
            if not more:
                return found
            found |= more

    def call(self, name: str, mask: tuple[bool, ...]) -> list[bool]:
        """Whether each result of a function depends on the parameters of the mask."""
        key = name, mask
        if key not in self.known:
            f = self.functions[name]
            given = {p for p, on in zip(f.params, mask, strict=True) if on}
            self.known[key] = self.block(f.body, given)
        return self.known[key]


def steered(op: Op, depends: set[Var]) -> bool:
    """Whether the extents, the number of iterations or the condition of an op depend."""
    asked: tuple[Atom, ...]
    match op:
        case Build(asked, _, _) | Sum_(asked, _, _):
            pass
        case Loop(count, _, _, _, _):
            asked = (count,)
        case If(cond, _, _):
            asked = (cond,)
        case Case(scrutinee, _):
            asked = (scrutinee,)
        case While():
            asked = ()
        case _:
            return True
    return any(a in depends for a in asked)


__all__ = ["Dependence", "steered"]
