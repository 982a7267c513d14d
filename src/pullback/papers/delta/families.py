"""Families of functions by type (Krawiec et al., section 3).

"Each should be understood as an infinite family of ordinary, lambda-definable functions, indexed
by type": here is the generator. The member at a declared type is a function of one letrec group
around the program, written once.

>>> from pullback.papers.language.terms import R, TVar
>>> from pullback.papers.language.pretty import show_type
>>> a = TVar("a")
>>> lists = DataDecl("List", ("a",), (("End", ()), ("More", (a, Data("List", (a,))))))
>>> for name, fields in Families([lists]).fields(Data("List", (R,))):
...     print(name, *map(show_type, fields))
End
More R List R
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pullback.core.frozen import dataclass
from pullback.papers.language.build import app
from pullback.papers.language.terms import (
    Data,
    DataDecl,
    Fun,
    Lam,
    LetRec,
    Lit,
    Rec,
    Term,
    Type,
    Var,
    fresh,
)
from pullback.papers.language.traverse import subst_type
from pullback.papers.methods import Unsupported


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """A function that is homomorphic but at reals: its name, what it does there, and the types."""

    name: str
    leaf: Callable[[Term], Term]
    source: Callable[[Type], Type]
    target: Callable[[Type], Type]


def same(t: Type) -> Type:
    """Return a type that does not change."""
    return t


class Families:
    """Functions by type, for one set of declarations. ``close`` puts those on declared types around
    a term."""

    def __init__(self, decls: Sequence[DataDecl]) -> None:
        self.decls = {d.name: d for d in decls}
        self.recs: dict[tuple[str, Data], Rec] = {}

    def close(self, body: Term) -> Term:
        """letrec .. in body."""
        return LetRec(tuple(self.recs.values()), body) if self.recs else body

    def fields(self, t: Data) -> list[tuple[str, tuple[Type, ...]]]:
        """Return the constructors of a declared type and their fields."""
        if t.name not in self.decls:
            raise Unsupported(f"delta: no data type {t.name}")
        d = self.decls[t.name]
        by = dict(zip(d.params, t.args, strict=True))
        return [(c, tuple(subst_type(f, by) for f in fs)) for c, fs in d.constructors]

    def call(self, name: str, t: Data, f: Fun, body: Callable[[Term], Term], x: Term) -> Term:
        """``name_t x``, where name_t : f = \\p. body(p)."""
        if (name, t) not in self.recs:
            g, p = fresh(name), fresh("p")
            self.recs[name, t] = Rec(g, f, Lam(p, f.arg, Lit(0)))  # seen by the body
            self.recs[name, t] = Rec(g, f, Lam(p, f.arg, body(Var(p))))
        return app(Var(self.recs[name, t].f), x)
