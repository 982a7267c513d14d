"""The combinators of The Differentiable Curry (section 2), with their types.

    id : a ~> a                  curry f : a ~> (b ~> c)     for f : a * b ~> c
    f ∘ g : a ~> c               eval : (a ~> b) * a ~> b
    prod f g : y ~> a * b        const c : b ~> a            proj_i : (a1,..,an) ~> ai
    rep_op : s ~> t              the rep-function of a primitive

    inl : a ~> a + b             roll : F ~> T          of a declared type T (``curry.rolled``)
    inr : b ~> a + b             unroll : T ~> F
    case f g : d * (a + b) ~> c  for f : d * a ~> c and g : d * b ~> c
    rec f : d ~> (a ~> b)        for f : (d * (a ~> b)) * a ~> b, a function that knows itself

The last four lines are section 6.2's, which only names them.

``∘`` is in the order of the data: (f ∘ g) a = g (f a). What the combinators *are* is in
``curry.simple`` (section 4) and ``curry.dependent`` (section 5); ``curry.translation`` makes terms
of them.

>>> from pullback.papers.language.terms import R
>>> from pullback.papers.language.build import op
>>> from pullback.papers.language.check import check
>>> from pullback.papers.language.pretty import show_type
>>> mul = Op("rep", (), ("mul", Prod(R, R)))
>>> for t in (mul, op("curry", mul), op("comp", op("prod", proj(1, 1, R), proj(1, 1, R)), mul)):
...     print(show_type(check(t, library=COMBINATORS)))
R * R ~> R
R ~> R ~> R
R ~> R
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.papers.curry.rolled import rolled_types
from pullback.papers.language.check import Dialect
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Library, Row, sig
from pullback.papers.language.prims import prim_type, split_type
from pullback.papers.language.terms import (
    App,
    Case,
    Con,
    Fst,
    Fun,
    Inl,
    Inr,
    Lam,
    Let,
    LetRec,
    Lit,
    Match,
    Nil,
    Op,
    Pair,
    Plus,
    Prim,
    Prod,
    Snd,
    Static,
    Term,
    TVar,
    Type,
    Var,
)

CURRY_SOURCE = Dialect("λ∂ (Differentiable Curry)", frozenset(
    {Var, Lit, Nil, Let, Lam, App, Pair, Fst, Snd, Prim,
     Inl, Inr, Case, LetRec, Con, Match}))
"""λ∂ with sums, recursion and declared types, which section 6.2 only names (``curry.rolled``)."""

a, b, c, d, y = map(TVar, "abcdy")


def rep(s: Type, t: Type) -> Fun:
    """s ~> t, the differentiable functions."""
    return Fun(s, t, "~>")


def components(delta: Type, n: int) -> list[Type]:
    """Return the n components of a tuple type."""
    return split_type(delta, n) if n else []


def _type(s: Static) -> Type:
    assert not isinstance(s, str | int)
    return s


def _proj(types: Sequence[Type], static: Sequence[Static]) -> Type:
    i, n, delta = int(str(static[0])), int(str(static[1])), _type(static[2])
    return rep(delta, components(delta, n)[i - 1])


def _rep(types: Sequence[Type], static: Sequence[Static]) -> Type:
    arg = _type(static[1])
    return rep(arg, prim_type(str(static[0]), [arg], parameters(static)))


def parameters(static: Sequence[Static]) -> tuple[int | str, ...]:
    """Return the static parameters of the primitive of a ``rep``."""
    return tuple(s for s in static[2:] if isinstance(s, str | int))


def combinator(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    """Refuse to run a combinator, which means something in a library only."""
    raise TypeError("a combinator means something in a library: curry_simple, curry_dependent")


COMBINATORS = Library(
    Row("id", sig((), rep(a, a), "a"), combinator),
    Row("curry", sig((rep(Prod(a, b), c),), rep(a, rep(b, c))), combinator),
    Row("eval", sig((), rep(Prod(rep(a, b), a), b), "a", "b"), combinator),
    Row("prod", sig((rep(y, a), rep(y, b)), rep(y, Prod(a, b))), combinator),
    Row("comp", sig((rep(a, b), rep(b, c)), rep(a, c)), combinator, show="{0} ∘ {1}"),
    Row("const", sig((a,), rep(b, a), "b"), combinator),
    Row("proj", _proj, combinator),  # proj[i, n, Δ]
    Row("rep", _rep, combinator),  # rep[op, s]: the rep-function of a primitive
    # section 6.2
    Row("inl", sig((), rep(a, Plus(a, b)), "a", "b"), combinator),
    Row("inr", sig((), rep(b, Plus(a, b)), "a", "b"), combinator),
    Row("case", sig((rep(Prod(d, a), c), rep(Prod(d, b), c)), rep(Prod(d, Plus(a, b)), c)),
        combinator),
    Row("roll", lambda types, static: rep(*rolled_types(static)[::-1]), combinator, show="roll"),
    Row("unroll", lambda types, static: rep(*rolled_types(static)), combinator, show="unroll"),
    Row("rec", sig((rep(Prod(Prod(d, rep(a, b)), a), b),), rep(d, rep(a, b))), combinator),
)


def proj(i: int, n: int, of: Type) -> Term:
    """proj_i of an n-tuple."""
    return Op("id", (), (of,)) if n == 1 else Op("proj", (), (str(i), n, of))
