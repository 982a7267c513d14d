"""The names of a program on its way from Core to the papers' language, and its blocks as lets.

A block is ``let x1 = t1 in .. in (r1,..,rn)``: an operation with several results is a tuple that
is taken apart. Variables of Core get names that are distinct from all others.

>>> from pullback.core.build import Builder
>>> from pullback.papers.language.pretty import show
>>> from pullback.core.types import F64
>>> from pullback.papers.bridge_terms import Bridge
>>> b, x = Builder(), CoreVar("x", F64)
>>> bridge = Bridge(Program({}, {}, ""), functions=True)
>>> _ = bridge.bind(x)
>>> print(show(bridge.block(b.block((b.prim("exp", x), x)))))
let t = exp x in (t, x)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from pullback.core.call_graph import recursive_functions
from pullback.core.terms import (
    Atom,
    Block,
    Program,
)
from pullback.core.terms import Let as CoreLet
from pullback.core.terms import Var as CoreVar
from pullback.core.types import Real, Type
from pullback.papers.bridge_values import (
    type_of,
)
from pullback.papers.language import terms as nested
from pullback.papers.language.build import FALSE, TRUE, lets, tuple_, tuple_type, unpacked
from pullback.papers.language.terms import (
    Lit,
    Term,
    Var,
    fresh,
)
from pullback.papers.methods import Unsupported


class Scope(ABC):
    """One program; ``functions``: whether its functions may become lambdas."""

    def __init__(self, program: Program, functions: bool) -> None:
        self.program = program
        self.functions = functions
        self.recursive = recursive_functions(program)
        self.names = {f: fresh(f) for f in program.functions}
        self.env: dict[CoreVar, Term] = {}

    def type(self, t: Type) -> nested.Type:
        return type_of(t, self.program)

    def types(self, ts: Sequence[Type]) -> nested.Type:
        return tuple_type(*map(self.type, ts))

    @abstractmethod
    def op(self, x: CoreLet) -> Term:
        """Return the operation of a let."""

    def bind(self, v: CoreVar) -> str:
        x = fresh(v.name)
        self.env[v] = Var(x)
        return x

    def atom(self, a: Atom) -> Term:
        if isinstance(a, CoreVar):
            return self.env[a]
        self.type(a.type)  # refuses what is not in the language
        if isinstance(a.value, bool):
            return TRUE if a.value else FALSE
        return Lit(float(a.value) if isinstance(a.type, Real) else int(a.value))

    def atoms(self, atoms: Sequence[Atom]) -> list[Term]:
        return [self.atom(a) for a in atoms]

    def block(self, b: Block, results: Callable[[list[Term]], Term] | None = None) -> Term:
        """Return the block as a term: the tuple of its results, or what ``results`` makes of
        them."""
        bound: list[tuple[str, Term]] = []
        for x in b.lets:
            try:
                t = self.op(x)
                for v in x.vars:
                    self.type(v.type)
            except Unsupported as e:
                raise type(e)(e.reason, e.site or x.site) from None
            if len(x.vars) == 1:
                bound.append((self.bind(x.vars[0]), t))
                continue
            whole = fresh("r" if x.vars else "_")
            bound.append((whole, t))
            bound += unpacked(Var(whole), [self.bind(v) for v in x.vars])
        out = self.atoms(b.results)
        return lets(bound, results(out) if results else tuple_(*out))

    def under(self, vs: Sequence[CoreVar], given: Sequence[Term], b: Block) -> Term:
        """Return the block where these variables stand for these terms."""
        bound = [(self.bind(v), t) for v, t in zip(vs, given, strict=True)]
        return lets(bound, self.block(b))

    def opened(self, vs: Sequence[CoreVar], whole: Term, b: Block) -> Term:
        """Return the block where these variables are the parts of a tuple."""
        bound = unpacked(whole, [self.bind(v) for v in vs])
        return lets(bound, self.block(b))
