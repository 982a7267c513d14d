"""Loops of Core in the papers' language.

    Build           build n (i. build m (j. ..)), of tuples: taken apart afterwards
    Sum             the sum of such an array
    Loop            foldl (state i. ..) inits (build n (k. k)); what it emits is appended
    While           letrec loop = \\state. if cond then loop (..) else state in loop inits

>>> from pullback.core.build import Builder, f64
>>> from pullback.papers.language.pretty import show
>>> from pullback.core.terms import Block, Function, Program
>>> from pullback.core.terms import Var as Name
>>> from pullback.core.types import F64, I64
>>> from pullback.papers.bridge_terms import to_source
>>> b, inner, i = Builder(), Builder(), Name("i", I64)
>>> x, n, y = Name("x", F64), Name("n", I64), Name("y", F64)
>>> loop = Loop(n, i, (y,), (f64(1),), inner.block((inner.prim("mul", y, x),)))
>>> power = Function("power", (x, n), b.block(b.let(loop, (F64,))), (F64,))
>>> print(show(to_source(Program({"power": power}, {}, "power")).body))
let t = foldl (state i. let y = state in let t = y * x in t) 1 (build n (i. i)) in t
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.core.terms import (
    Block,
    Loop,
    Sum_,
    While,
)
from pullback.core.terms import Var as CoreVar
from pullback.core.types import Array, Real
from pullback.papers import bridge_arrays as arrays
from pullback.papers.bridge_scope import Scope
from pullback.papers.language import terms as nested
from pullback.papers.language.build import if_, lets, op, proj, tuple_, tuple_type, unpacked
from pullback.papers.language.terms import (
    App,
    Foldl,
    Fst,
    Lam,
    LetRec,
    Nil,
    Op,
    Rec,
    Term,
    Var,
    fresh,
)
from pullback.papers.methods import NeedsRecursion


class Loops(Scope):
    """The clauses that make folds and builds of the loops of Core."""

    def nest(self, extents: list[Term], indices: Sequence[CoreVar], body: Block) -> Term:
        """build n (i. build m (j. .. tuple of results))."""
        if not extents:
            return self.block(body)
        i = self.bind(indices[0])
        return nested.Build(extents[0], i, self.nest(extents[1:], indices[1:], body))

    def build(self, extents: list[Term], indices: Sequence[CoreVar], body: Block) -> Term:
        whole, n = self.nest(extents, indices, body), len(body.results)
        if n < 2:
            return whole

        def column(a: Term, k: int) -> Term:
            return arrays.over(len(extents), a, lambda x: proj(x, k, n))

        return arrays.named(whole, lambda a: tuple_(*(column(a, k) for k in range(n))))

    def sum(self, s: Sum_) -> Term:
        extents, rank = self.atoms(s.extents), len(s.extents)
        whole, n = self.nest(extents, s.indices, s.body), len(s.body.results)

        def column(a: Term, k: int, depth: int) -> Term:
            if depth == 0:
                return proj(a, k, n)
            x = fresh("x")
            inner = nested.Map(x, column(Var(x), k, depth - 1), a)
            return arrays.total(inner, isinstance(s.body.results[k].type, Real))

        return arrays.named(whole, lambda a: tuple_(*(column(a, k, rank) for k in range(n))))

    def state(self, vars_: Sequence[CoreVar], carried: int, inits: list[Term]) -> list[Term]:
        """Return the first state of a loop: what it carries, and the emitted arrays, empty."""
        empty: list[Term] = []
        for v in vars_[carried:]:
            assert isinstance(v.type, Array)
            empty.append(Op("nil", (), (self.type(v.type.elem),)))
        return [*inits, *empty]

    def step(self, carried: Sequence[CoreVar], state: Term, n: int, body: Block) -> Term:
        """Return one iteration: the next state."""
        k = len(carried)
        names = [self.bind(v) for v in carried]
        emitted = [fresh("out") for _ in range(k, n)]
        t = self.block(body, lambda out: tuple_(
            *out[:k],
            *(op("append", Var(x), arrays.one(v))
              for x, v in zip(emitted, out[k:], strict=True))))
        return lets(unpacked(state, [*names, *emitted]), t)

    def loop(self, loop: Loop, vars_: Sequence[CoreVar]) -> Term:
        inits = self.state(vars_, len(loop.carried), self.atoms(loop.inits))
        acc, i = fresh("state"), self.bind(loop.index)
        body = self.step(loop.carried, Var(acc), len(vars_), loop.body)
        indices = arrays.build(self.atom(loop.count), lambda k: k)
        return Foldl(acc, i, body, tuple_(*inits) if inits else Nil(), indices)

    def while_(self, loop: While, vars_: Sequence[CoreVar]) -> Term:
        if not self.functions:
            raise NeedsRecursion("its source language has no recursion, nor while loops")
        n, k = len(vars_), len(loop.carried)
        inits = self.state(vars_, k, self.atoms(loop.inits))
        types = [self.type(v.type) for v in vars_]
        go, s = fresh("loop"), fresh("state")
        t = nested.Fun(tuple_type(*types), tuple_type(*types))
        carried: Term = Var(s)
        for _ in range(n - k if k else 0):  # without the emitted arrays
            carried = Fst(carried)
        cond = self.opened(loop.carried, carried, loop.cond)
        again = App(Var(go), self.step(loop.carried, Var(s), n, loop.body))
        body = if_(cond, again, Var(s))
        return LetRec((Rec(go, t, Lam(s, t.arg, body)),), App(Var(go), tuple_(*inits)))
