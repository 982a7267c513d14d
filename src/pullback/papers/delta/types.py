"""Delta, and the types of the monadic translation (Krawiec et al., Figs. 9 and 11).

    data Delta = Zero | Scale R Delta | Add Delta Delta | Var Id | Let Id Delta Delta
    K(R) = R * Delta        K(A -> B) = K(A) -> M K(B)        M a = DeltaState -> (a, DeltaState)

>>> from pullback.papers.language.terms import Fun
>>> from pullback.papers.language.pretty import show, show_type
>>> from pullback.papers.dual.types import dual_type
>>> print(show_type(dual_type(Fun(R, Z), duals(STATE))))
R * Delta -> DeltaState -> Z * DeltaState
>>> print(show(scaled([(Lit(1.0), Var("u")), (Var("c"), Var("v"))])))
Add u (Scale c v)
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.papers.dual.types import Duals
from pullback.papers.language.terms import (
    Con,
    Data,
    DataDecl,
    Lit,
    Prod,
    R,
    Term,
    Type,
    Var,
    Z,
)

DELTA = Data("Delta")
DELTA_DECL = DataDecl("Delta", (), (
    ("Zero", ()), ("Scale", (R, DELTA)), ("Add", (DELTA, DELTA)), ("Var", (Z,)),
    ("Let", (Z, DELTA, DELTA))))  # fmt: skip
ZERO = Con("Zero", (), DELTA)
STATE = Data("DeltaState")
DELTA_LET = Var("deltaLet")


def scaled(parts: Sequence[tuple[Term, Term]], delta: Data = DELTA) -> Term:
    """Add (Scale c1 u1) (Add ..): Zero if there is none; u itself for a coefficient of 1."""
    terms = [u if isinstance(c, Lit) and c.value == 1.0 else Con("Scale", (c, u), delta)
             for c, u in parts]
    if not terms:
        return Con("Zero", (), delta)
    out = terms[0]
    for t in terms[1:]:
        out = Con("Add", (out, t), delta)
    return out


def duals(state: Type, kept: frozenset[str] = frozenset()) -> Duals:
    """Return the types that K makes of these types."""
    return Duals(Prod(R, DELTA), state, kept)
