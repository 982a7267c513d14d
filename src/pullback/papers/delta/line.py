"""K and eval run on names at compile time (Krawiec et al., section 8.7 on a straight line).

    input (x, u)    a node with its delta u
    op(x1..xn)      y = op(x1..xn), a node with the partials and operands of what K binds
    eval 1 y        over the nodes from the last to the first: c_k = c_k + seed * partial

A ``Line`` is what Fig. 11 has as bindings, kept outside the program: its nodes stand for Var k.

>>> from pullback.papers.language.build import prim as p
>>> from pullback.papers.language.check import types_of
>>> from pullback.papers.language.pretty import show
>>> x, t = Var("x"), p("mul", Var("x"), p("sin", Var("x")))
>>> line = Line(types_of(t, {"x": R}), Block())
>>> y = line.run(t, {"x": line.input(R, Var("d"))})
>>> ((c, u),) = line.coefficients(y)
>>> print(show(line.block.close(Pair(c, u)), 80))
let y = sin (fst d) in
let y1 = fst d * y in
let c = cos (fst d) in let c1 = fst d * c in let c2 = y + c1 in (c2, snd d)
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.core.frozen import dataclass, field
from pullback.papers.delta.direct import coefficient, is_zero
from pullback.papers.dual.block import Block
from pullback.papers.language.build import prim
from pullback.papers.language.check import Types
from pullback.papers.language.prims import arity, is_discrete
from pullback.papers.language.terms import (
    Fst,
    Let,
    Lit,
    Pair,
    Prim,
    Prod,
    R,
    Snd,
    Term,
    Type,
    Var,
)


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A real of the program: its value, and the operation that made it, as (partial, operand); an
    input has the delta that came with it."""

    value: Term
    parts: Sequence[tuple[Term, Node]] = ()
    delta: Term | None = None


Symbol = Node | tuple["Symbol", "Symbol"] | Term
"""What is known of a value: a real, a pair, or a discrete term."""


@dataclass(eq=False)
class Line:
    """K{f} run on names: the lets of the primal, and the nodes in the order of their bindings."""

    types: Types
    block: Block
    nodes: list[Node] = field(default_factory=list)

    def input(self, t: Type, x: Term) -> Symbol:
        """Return the argument, a tuple of dual numbers."""
        if isinstance(t, Prod):
            return self.input(t.left, Fst(x)), self.input(t.right, Snd(x))
        return self.node(Node(Fst(x), (), Snd(x))) if t == R else x

    def node(self, n: Node) -> Node:
        self.nodes.append(n)
        return n

    def run(self, t: Term, env: dict[str, Symbol]) -> Symbol:
        """Return the value of a term."""
        while isinstance(t, Let):
            env = {**env, t.x: self.run(t.bound, env)}
            t = t.body
        match t:
            # K on names: a variable is its node, a pair one of symbols, a literal a node alone
            case Var(x):
                return env[x]
            case Pair(a, b):
                return self.run(a, env), self.run(b, env)
            case Fst(a) | Snd(a):
                both = self.run(a, env)
                assert isinstance(both, tuple)
                return both[0 if isinstance(t, Fst) else 1]
            case Lit(float()):
                return Node(t)
            # y = op(x1..xn), a node with the partials and operands of what K binds
            case Prim():
                return self.prim(t, env)
            case _:
                return t

    def prim(self, t: Prim, env: dict[str, Symbol]) -> Symbol:
        args = [self.run(a, env) for a in t.args]
        if len(args) == 1 and (n := arity(t.op)) > 1:  # op on a tuple
            args = list(flat(args[0], n))
        xs = tuple(a.value if isinstance(a, Node) else term_of(a) for a in args)
        y = self.block.name("y", Prim(t.op, xs, t.static))
        if self.types[t] != R:
            return y
        parts: list[tuple[Term, Node]] = []
        if not is_discrete(t.op):
            for i, a in enumerate(args):
                if isinstance(a, Node) and not is_zero(c := coefficient(t, i, xs)):
                    parts.append((c, a))
        return self.node(Node(y, parts)) if parts else Node(y)

    def coefficients(self, y: Node) -> list[tuple[Term, Term]]:
        """(c_k, u_k): eval 1 of the Delta of y, over the bindings from the last to the first."""
        fm: dict[Node, Term] = {y: Lit(1.0)}
        out = []
        for n in reversed(self.nodes):
            if n not in fm:
                continue
            seed = fm.pop(n)
            if n.delta is not None:
                out.append((seed, n.delta))
            for c, of in n.parts:
                if not of.parts and of.delta is None:
                    continue  # a literal
                by = self.product(seed, c)
                fm[of] = self.block.name("c", prim("add", fm[of], by)) if of in fm else by
        return out[::-1]

    def product(self, seed: Term, c: Term) -> Term:
        """seed * c, a name."""
        if isinstance(c, Lit) and c.value == 1.0:
            return seed
        c = c if isinstance(c, Lit | Var | Fst) else self.block.name("c", c)
        return c if isinstance(seed, Lit) and seed.value == 1.0 else self.block.name(
            "c", prim("mul", seed, c))


def flat(p: Symbol, n: int) -> Sequence[Symbol]:
    """Return the components of a tuple."""
    out: list[Symbol] = []
    while len(out) < n - 1:
        assert isinstance(p, tuple)
        p, last = p
        out.insert(0, last)
    return [p, *out]


def term_of(s: Symbol) -> Term:
    """Return a discrete value."""
    assert not isinstance(s, tuple | Node)
    return s
