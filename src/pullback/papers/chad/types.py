"""Primal and cotangent types (Efficient CHAD, Figs. 2 and 8, sections 4.1, 7 and 9, App. B).

    T1(R)=R  T1(Z)=Z  T1(1)=1  T1(s*t)=T1 s * T1 t  T1(s+t)=T1 s + T1 t  T1(Arr t)=Arr (T1 t)
    T2(R)=L(R)  T2(1)=T2(Z)=L(1)  T2(s*t)=T2 s ×! T2 t  T2(s+t)=T2 s +! T2 t
    T2(Arr t)=Bag (Z * T2 t)
    naive functions (section 9)   T1(s->t) = T1 s -> (T1 t * (T2 t -> T2 s))
                                  T2(s->t) = List (T1 s * T2 t)
    closed functions (App. B)     T1(s ->□ t) = T1 s ->□ (T1 t * (T2 t -> T2 s))
                                  T2(s ->□ t) = L(1)
    existentials (App. B)         T1(Exists a. t) = Exists a. T1 t    T2(Exists a. t) = Σ! a. T2 t
    declared types (derived)      T1(D) = D with T1 of the fields     T2(D): 0, or which constructor
                                  and T2 of its fields, as for a sum of products

>>> from pullback.papers.language.terms import ONE
>>> from pullback.papers.language.pretty import show_type
>>> print(show_type(t2(Prod(Prod(R, Z), Arr(Plus(R, ONE))))))
(L(R) ×! L(1)) ×! Bag (Z * (L(R) +! L(1)))
"""

from __future__ import annotations

from typing import assert_never

from pullback.papers.language.linear import CHAD_OPS, DENSE_OPS, L_1, L_R, lprod, lsum
from pullback.papers.language.ops import Row, pure, sig
from pullback.papers.language.terms import (
    EV,
    EVM,
    Arr,
    Context,
    Data,
    Exists,
    Forall,
    Fun,
    Int,
    Plus,
    Prod,
    R,
    Real,
    TVar,
    Type,
    Unit,
    Z,
)
from pullback.papers.methods import Unsupported


def bag(t: Type) -> Data:
    """Bag (Z * t)."""
    return Data("Bag", (Prod(Z, t),))


def product(t: Type) -> Prod:
    """Return ``t``, which is a product by the typing rules."""
    assert isinstance(t, Prod)
    return t


def t1(t: Type) -> Type:
    """Return the type of the primal."""
    match t:
        # T1(R) = R   T1(Z) = Z   T1(1) = 1
        case Real() | Int() | Unit() | TVar():
            return t
        # T1(s*t) = T1 s * T1 t
        case Prod(a, b):
            return Prod(t1(a), t1(b))
        # T1(s+t) = T1 s + T1 t
        case Plus(a, b):
            return Plus(t1(a), t1(b))
        # T1(Arr t) = Arr (T1 t)
        case Arr(a):
            return Arr(t1(a))
        # T1(s->t) = T1 s -> (T1 t * (T2 t -> T2 s)), and so for ->□
        case Fun(a, b, kind):
            return Fun(t1(a), Prod(t1(b), Fun(t2(b), t2(a))), kind)
        # T1(Exists a. t) = Exists a. T1 t
        case Exists(name, body):
            return Exists(name, t1(body))
        # T1(D t) = D (T1 t)
        case Data(name, args):
            return Data(name, tuple(map(t1, args)))
        case Forall() | EV() | EVM():
            raise Unsupported(f"CHAD: no derivative of values of type {t}")
        case _:
            assert_never(t)


def t2(t: Type) -> Data:
    """Return the type of the cotangent: a commutative monoid."""
    match t:
        # T2(R) = L(R)
        case Real():
            return L_R
        # T2(Z) = T2(1) = T2(s ->□ t) = L(1)
        case Int() | Unit() | Fun(_, _, "->□"):
            return L_1
        # T2(s*t) = T2 s ×! T2 t
        case Prod(a, b):
            return lprod(t2(a), t2(b))
        # T2(s+t) = T2 s +! T2 t
        case Plus(a, b):
            return lsum(t2(a), t2(b))
        # T2(Arr t) = Bag (Z * T2 t)
        case Arr(a):
            return bag(t2(a))
        # T2(s->t) = List (T1 s * T2 t)
        case Fun(a, b):
            return Data("List", (Prod(t1(a), t2(b)),))
        # T2(Exists a. t) = Σ! a. T2 t
        case Exists():
            return Data("Σ!", (t,))
        # T2(D): 0, or which constructor and T2 of its fields
        case TVar() | Data():
            return Data("T2", (t,))
        case Forall() | EV() | EVM():
            raise Unsupported(f"CHAD: no derivative of values of type {t}")
        case _:
            assert_never(t)


def t2_context(context: Context) -> Context:
    """Return a context with the cotangent types of its entries."""
    return tuple((x, t2(t)) for x, t in context)


def t1_context(context: Context) -> Context:
    """Return a context with the primal types of its entries."""
    return tuple((x, t1(t)) for x, t in context)


_ROWS = (
    # L(R) is R: the papers write no conversion.
    Row("lread", sig((L_R,), R), pure(lambda d: d), cost=0, show="{0}"),
)
_SHOWN = Row("lreal", sig((R,), L_R), pure(lambda r: r), cost=0, show="{0}")
LINEAR = CHAD_OPS.replaced(_SHOWN).extended(*_ROWS)
"""Cotangents in the sparse representation, and actions."""
DENSE = DENSE_OPS.replaced(_SHOWN).extended(*_ROWS)
"""Cotangents in the naive representation (Fig. 4)."""
