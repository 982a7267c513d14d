"""Find arrays of integers that are all different, such as the numbers of the rows of a table.

The numbers 0, 1, ..., n - 1 are different, and so they are when two of them change places:

    x = p[i];  y = p[j];  q = p[i] := y;  r = q[j] := x

A loop carries such an array if the initial array is one and every iteration keeps it so. The
numbers stay below the extent of the array from which they came.
"""

from __future__ import annotations

from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Case,
    Function,
    If,
    Index,
    Let,
    Loop,
    Op,
    Prim,
    Update,
    Var,
    While,
    sub_blocks,
)
from pullback.opt.arrays.shapes import same


def distinct_arrays(function: Function) -> dict[Var, Atom]:
    """Return the variables of a function that certainly are such arrays, with the bound below which
    their numbers are."""
    walk = _Walk()
    walk.block(function.body)
    return walk.found


class _Walk:
    def __init__(self) -> None:
        self.found: dict[Var, Atom] = {}
        self.defs: dict[Var, Op] = {}

    def block(self, block: Block) -> None:
        for let in block.lets:
            self.let(let)
            self.defs.update((v, let.op) for v in let.vars)

    def let(self, let: Let) -> None:
        match let.op:
            case Build((n,), (i,), body):
                self.block(body)
                pairs = zip(let.vars, body.results, strict=True)
                self.found.update((v, n) for v, r in pairs if r is i)
            case Update(Var() as q, _, _, _):
                self.swapped(let.vars[0], q, let.op)
            case Prim("copy", (Var() as a,)) if a in self.found:
                self.found[let.vars[0]] = self.found[a]
            case If() | Case():
                blocks = [block for _, block in sub_blocks(let.op)]
                for block in blocks:
                    self.block(block)
                for k, v in enumerate(let.vars):
                    self.joined(v, [block.results[k] for block in blocks])
            case Loop(_, _, carried, inits, body) | While(carried, inits, _, body):
                self.loop(let, carried, inits, body)
            case _:
                for _, block in sub_blocks(let.op):
                    self.block(block)

    def loop(
        self, let: Let, carried: tuple[Var, ...], inits: tuple[Atom, ...], body: Block
    ) -> None:
        """Suppose that a carried array stays so, until the body refutes that."""
        taken = {k: a for k, a in enumerate(inits) if isinstance(a, Var) and a in self.found}
        while True:
            before = dict(self.found)
            self.found.update((carried[k], self.found[a]) for k, a in taken.items())
            for _, block in sub_blocks(let.op):
                self.block(block)
            held = {k: a for k, a in taken.items() if self.as_before(body.results[k], a)}
            if len(held) == len(taken):
                self.found.update((let.vars[k], self.found[a]) for k, a in taken.items())
                return
            self.found, taken = before, held

    def as_before(self, a: Atom, init: Var) -> bool:
        """Whether the numbers of ``a`` are different, and below the bound of those of ``init``."""
        return isinstance(a, Var) and a in self.found and same(self.found[a], self.found[init])

    def joined(self, v: Var, given: list[Atom]) -> None:
        """Bind a variable to the facts that hold for the results of all branches."""
        first = given[0]
        if isinstance(first, Var) and all(self.as_before(a, first) for a in given):
            self.found[v] = self.found[first]

    def swapped(self, new: Var, q: Var, second: Update) -> None:
        """Note that two elements may have changed places, with the update of ``q``."""
        first = self.defs.get(q)
        if isinstance(first, Update) and isinstance(first.array, Var) and first.array in self.found:
            (i,), (j,) = first.indices, second.indices
            if self.is_element(first.value, first.array, j) and self.is_element(
                second.value, first.array, i
            ):
                self.found[new] = self.found[first.array]

    def is_element(self, a: Atom, array: Var, i: Atom) -> bool:
        """Whether ``a`` was read from that place of the array."""
        match self.defs.get(a) if isinstance(a, Var) else None:
            case Index(p, (k,), _):
                return p is array and same(k, i)
            case _:
                return False

