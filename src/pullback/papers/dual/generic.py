"""Functions by type, for the wrappers of dual-numbers reverse AD (Smeding & Vákár, section 9).

Interleave and Deinterleave are families of functions, one for each first-order type. At a declared
type the member is a recursive function, written once, in one letrec group around the program; all
recur on the actual value, so that zeros and cotangents have its branches, constructors and lengths.

>>> from pullback.papers.language.terms import R, TVar, Z
>>> from pullback.papers.language.pretty import show, show_type
>>> a = TVar("a")
>>> lists = DataDecl("List", ("a",), (("End", ()), ("More", (a, Data("List", (a,))))))
>>> family = Generic(Duals(Prod(R, R), Z), [lists])
>>> for name, fields in family.fields(Data("List", (R,))):
...     print(name, *map(show_type, fields))
End
More R List R
>>> print(show_type(family.stateful(R, family.dual(R))))
R -> Z -> R * R * Z
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from pullback.core.frozen import dataclass, field
from pullback.papers.dual.block import Block
from pullback.papers.dual.types import Duals, cotangent, dual_type
from pullback.papers.language.build import op
from pullback.papers.language.terms import (
    Build,
    Case,
    Data,
    DataDecl,
    Fun,
    Lam,
    LetRec,
    Map,
    Match,
    MatchArm,
    Op,
    Prim,
    Prod,
    Rec,
    Term,
    Type,
    Var,
    fresh,
)
from pullback.papers.language.traverse import subst_type
from pullback.papers.methods import Unsupported


@dataclass
class Generic:
    """Functions by type: one for each declared type that occurs, written once."""

    n: Duals
    decls: Sequence[DataDecl]
    names: dict[Data, str] = field(default_factory=dict)
    recs: list[Rec] = field(default_factory=list)

    def fields(self, t: Data) -> list[tuple[str, tuple[Type, ...]]]:
        decl = next(d for d in self.decls if d.name == t.name)
        by = dict(zip(decl.params, t.args, strict=True))
        return [(c, tuple(subst_type(f, by) for f in fs)) for c, fs in decl.constructors]

    def function(self, hint: str, t: Data, kind: Fun, make: Callable[[], Lam]) -> Var:
        """Return the function for a declared type."""
        if t not in self.names:
            if len(self.names) > 100:
                raise Unsupported("dual numbers: an argument of a type that grows as it recurs")
            self.names[t] = fresh(f"{hint}_{t.name}")
            self.recs.append(Rec(self.names[t], kind, make()))
        return Var(self.names[t])

    def around(self, t: Term) -> Term:
        """letrec the functions in t."""
        return LetRec(tuple(self.recs), t) if self.recs else t

    def dual(self, t: Type) -> Type:
        return dual_type(t, self.n)

    def stateful(self, *types: Type) -> Fun:
        """s -> .. -> t, with the state if there is one."""
        out = types[-1]
        if self.n.state is not None:
            out = Fun(self.n.state, Prod(out, self.n.state))
        for t in reversed(types[:-1]):
            out = Fun(t, out)
        assert isinstance(out, Fun)
        return out

    def body(self, make: Callable[[Block], Term]) -> Term:
        """Return the body under the last argument of a stateful function."""
        if self.n.state is None:
            b = Block()
            return b.close(make(b))
        i = fresh("i")
        b = Block(Var(i))
        return Lam(i, self.n.state, b.close(make(b)))

    def branch(self, b: Block, make: Callable[[Block], Term]) -> Term:
        """Return a branch, from the state of ``b`` on."""
        inner = Block(b.state)
        return inner.close(make(inner))

    def traverse(self, b: Block, a: Term, elem: Type, make: Callable[[Block, Term], Term]) -> Term:
        """Return an array from the elements of another, in order."""
        if self.n.state is None:
            x = fresh("x")
            return Map(x, self.branch(b, lambda c: make(c, Var(x))), a)
        x = fresh("x")
        f = Lam(x, elem, self.body(lambda c: make(c, Var(x))))
        assert b.state is not None
        return b.run("a", op("traverse", f, a, b.state))


def error(t: Type) -> Op:
    """Return the branch that is not taken."""
    return Op("error", (), (t, "another branch than the value's"))


def cot(t: Data) -> Data:
    """Return the cotangent type of a declared type."""
    return cast(Data, cotangent(t))


def zero(x: Term) -> Term:
    """Return the cotangent 0 in the shape of a value."""
    return op("0_c", x)


def indices(a: Term) -> Term:
    """[0, .., length a - 1]."""
    j = fresh("j")
    return Build(Op("length", (a,)), j, Var(j))


def each(k: Term, n: Term, here: Term, there: Callable[[Term], Term]) -> Term:
    """build n (j. if j = k then here else there j)."""
    j = fresh("j")
    return Build(n, j, Case(Prim("eq", (Var(j), k)), "_", there(Var(j)), "_", here))


def only(
    con: str, constructors: Sequence[tuple[str, tuple[Type, ...]]], t: Type, v: Term,
    then: Callable[[list[Term]], Term],
) -> Term:  # fmt: skip
    """match v with {con vs -> then vs; others -> error}."""
    arms = []
    for c, fields in constructors:
        names = tuple(fresh("v") for _ in fields)
        arms.append(MatchArm(c, names, then([Var(x) for x in names]) if c == con else error(t)))
    return Match(v, tuple(arms))
