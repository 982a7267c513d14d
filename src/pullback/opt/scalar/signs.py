"""Take signs into the operations that have them for nothing.

    n = neg d;  y = fma p n c;  z = mul q n;  w = add z y   ==>   y = fnma p d c
                                                                  z = mul q d;  w = sub y z

A real that is the negative of another one is not computed where it is read, as long as what reads
it can have the sign in its place: in a product, a quotient, a sum. Cotangents of differences and
quotients are full of such signs. What cannot (an accumulator, a loop, a result) gets the ``neg``,
and a ``neg`` that would have to be written twice then stays where it was.

Plain values keep their bits: only operations that derivatives alone have (``fma``, ``fmaz``,
``mulz``, ``flush``) may give a zero of the other sign.
"""

from __future__ import annotations

from collections.abc import Iterable

from pullback.core.terms import Atom, Block, Function, Let, Lit, Op, Prim, Program, Var, sub_blocks
from pullback.core.traverse import (
    free_variables_of,
    map_blocks,
    map_children,
    map_functions,
    substitute,
)
from pullback.core.types import Real

ROUNDS = 6

Signed = tuple[Atom, bool]
"""An atom, and whether its negative is meant."""


def take_signs(program: Program) -> Program:
    """Return the program with fewer negations."""
    return map_functions(program, lambda f: Function(f.name, f.params, _block(f.body), f.results))


def _block(block: Block) -> Block:
    lets = tuple(
        Let(x.vars, map_blocks(x.op, _block), x.site) if any(sub_blocks(x.op)) else x
        for x in block.lets
    )
    block, stay = Block(lets, block.results), set[Var]()
    if not any(isinstance(x.op, Prim) and x.op.name == "neg" for x in lets):
        return block
    best = block
    for _ in range(ROUNDS):
        walk = _Walk(stay)
        found = walk.block(block)
        best = min(best, found, key=lambda b: len(b.lets))
        most = max(walk.written.values(), default=0)
        if most < 2:
            break
        stay |= {v for v, n in walk.written.items() if n == most}
    return best


class _Walk:
    """The walk over one block, without those inside it.

    stay      negations that are written where they are
    meant     what each variable is now: another one, or its negative
    origins   the negations from which the sign of a variable comes
    written   how many negations had to be written because of each of these
    """

    def __init__(self, stay: set[Var]) -> None:
        self.stay = stay
        self.meant: dict[Var, Signed] = {}
        self.origins: dict[Var, frozenset[Var]] = {}
        self.written: dict[Var, int] = {}
        self.there: dict[Var, Var] = {}  # negatives that are written
        self.out: list[Let] = []

    def block(self, block: Block) -> Block:
        for let in block.lets:
            if not self.taken(let):
                self.written_as_it_is(let)
        results = tuple(self.plain(a) for a in block.results)
        return Block(tuple(self.out), results)

    def written_as_it_is(self, let: Let) -> None:
        """Write a let that reads the variables themselves."""
        free = free_variables_of(let.op)
        new: dict[Var, Atom] = {v: self.plain(v) for v in free if v in self.meant}
        op = map_children(
            let.op, lambda a: new.get(a, a) if isinstance(a, Var) else a,
            lambda block: substitute(block, new) if new else block,
        )
        self.out.append(Let(let.vars, op, let.site))

    def plain(self, a: Atom) -> Atom:
        """Return the atom by a variable that holds it."""
        if not isinstance(a, Var) or a not in self.meant:
            return a
        base, negative = self.meant[a]
        if not negative:
            return base
        assert isinstance(base, Var)
        if base not in self.there:
            self.there[base] = Var(a.name, a.type)
            self.out.append(Let((self.there[base],), Prim("neg", (base,))))
            for v in self.origins[a]:
                self.written[v] = self.written.get(v, 0) + 1
        return self.there[base]

    def taken(self, let: Let) -> bool:
        """Whether the let is written, or its variable known, with signs in their places."""
        op = let.op
        if not isinstance(op, Prim) or len(let.vars) != 1:
            return False
        (v,) = let.vars
        if not op.args or not isinstance(op.args[-1].type, Real) or v in self.stay:
            return False
        signed = [self.meant.get(a, (a, False)) if isinstance(a, Var) else (a, False)
                  for a in op.args]  # fmt: skip
        if op.name == "neg":
            ((base, negative),) = signed
            turned = Lit(-base.value, base.type) if isinstance(base, Lit) else None
            self.means(v, (base, not negative) if turned is None else (turned, False), op.args)
            return True
        if not any(negative for _, negative in signed):
            return False
        found = _with_signs(op, signed)
        if found is None:
            return False
        new, negative = found
        base = Var(v.name, v.type) if negative else v
        self.out.append(Let((base,), new, let.site))
        if negative:
            self.means(v, (base, True), op.args)
        return True

    def means(self, v: Var, signed: Signed, args: Iterable[Atom]) -> None:
        """Note what a variable is now, and where its sign comes from: from its operands, or else
        from itself."""
        self.meant[v] = signed
        found = [o for a in args if isinstance(a, Var) for o in self.origins.get(a, ())]
        self.origins[v] = frozenset(found or [v])


def _with_signs(op: Prim, signed: list[Signed]) -> tuple[Op, bool] | None:
    """Return an op on what the operands are the negatives of, and whether the negative of its
    result is meant; None: the operands are needed themselves."""
    atoms = [a for a, _ in signed]
    match op.name, *(negative for _, negative in signed):
        case ("mul" | "mulz" | "div"), s, t:
            return Prim(op.name, (atoms[0], atoms[1])), s != t
        case ("fma" | "fmaz"), s, t, _:
            negative = signed[2][1]
            name = op.name if (s == t) != negative else op.name.replace("f", "fn", 1)
            return Prim(name, tuple(atoms)), negative
        case "add", False, True:
            return Prim("sub", (atoms[0], atoms[1])), False
        case "add", True, False:
            return Prim("sub", (atoms[1], atoms[0])), False
        case "sub", False, True:
            return Prim("add", (atoms[0], atoms[1])), False
        case "flush", True:
            return Prim("flush", (atoms[0],)), True
        case "present", True:
            return Prim("present", (atoms[0],)), False
        case "abs", True:
            return Prim("abs", (atoms[0],)), False
        case "select", _, *signs:
            both = [
                a if s else Lit(-a.value, a.type) if isinstance(a, Lit) else None
                for a, s in zip(atoms[1:], signs, strict=True)
            ]
            if None not in both:
                return Prim("select", (atoms[0], *(a for a in both if a is not None))), True
    return None


__all__ = ["take_signs"]
