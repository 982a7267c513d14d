"""Functions of Core in the papers' language: one lambda each, or inlined.

    def f(x, y): ..    let f = \\args. let x = fst args in let y = snd args in .. in ..
    recursive ones     one letrec group, inside the functions that they need

>>> from pullback.core.build import Builder
>>> from pullback.papers.language.pretty import show
>>> from pullback.core.terms import Call, Function, Program
>>> from pullback.core.terms import Var as Name
>>> from pullback.core.types import F64
>>> from pullback.papers.bridge_terms import to_source
>>> b, c, x, y = Builder(), Builder(), *(Name(v, F64) for v in "xyz"[:2])
>>> square = Function("square", (x,), b.block((b.prim("mul", x, x),)), (F64,))
>>> f = Function("f", (y,), c.block(c.let(Call("square", (y,)), (F64,))), (F64,))
>>> program = Program({"square": square, "f": f}, {}, "f")
>>> print(show(to_source(program).body))
let square = \\args:R. let x = args in let t = x * x in t in let t = square y in t
>>> print(show(to_source(program, functions=False).body))
let t = let x = y in let t = x * x in t in t
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.core.call_graph import call_order
from pullback.papers.bridge_scope import Scope
from pullback.papers.language import terms as nested
from pullback.papers.language.build import tuple_
from pullback.papers.language.terms import (
    App,
    Lam,
    Let,
    LetRec,
    Rec,
    Term,
    Var,
    fresh,
)
from pullback.papers.methods import NeedsRecursion


class Functions(Scope):
    """The clauses for definitions and calls of functions."""

    def definitions(self, body: Term) -> Term:
        """Return the functions of the program around ``body``: callees outside."""
        order = [f for f in call_order(self.program) if self.used(f)]
        group = [f for f in order if f in self.recursive]
        if not group:
            chain: list[str] = order
            after: list[str] = []
        else:
            last = max(order.index(f) for f in group)
            chain = [f for f in order[:last] if f not in self.recursive]
            after = order[last + 1 :]
        for f in reversed(after):
            body = Let(self.names[f], self.function(f), body)
        if group:
            body = LetRec(tuple(Rec(self.names[f], self.fun(f), self.function(f))
                                for f in group), body)
        for f in reversed(chain):
            body = Let(self.names[f], self.function(f), body)
        return body

    def used(self, f: str) -> bool:
        return f != self.program.main or f in self.recursive

    def fun(self, f: str) -> nested.Fun:
        fn = self.program.functions[f]
        return nested.Fun(self.types([p.type for p in fn.params]), self.types(fn.results))

    def function(self, f: str) -> Lam:
        fn = self.program.functions[f]
        x = fresh("args")
        return Lam(x, self.fun(f).arg, self.opened(fn.params, Var(x), fn.body))

    def call(self, f: str, args: Sequence[Term]) -> Term:
        if self.functions:
            return App(Var(self.names[f]), tuple_(*args))
        if f in self.recursive:
            raise NeedsRecursion("its source language has no recursion")
        fn = self.program.functions[f]
        return self.under(fn.params, args, fn.body)
