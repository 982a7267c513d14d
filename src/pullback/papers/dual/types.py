"""The types of dual-numbers reverse AD (Smeding & Vákár, 3.1, Figs. 6, 8, 9 and section 9).

    N(R) is the stage's own;  N(s*t) = N(s)*N(t), N(s+t) = N(s)+N(t), N(Z) = Z, N(a) = a
    N(s -> t) = N(s) -> N(t)                          in the naive stage, and
              = N(s) -> S -> N(t) * S                 in the others, S the state of the monad
    data T a = C s | ..   gives   data D_T a = C N(s) | ..        and N(T t) = D_T N(t);
                                  T itself if reals come in only through its parameters
    cotangents   R' = R, Z' = 1, (s*t)' = s'*t', (s+t)' = s'+t', (T t)' = C_T t'

>>> from pullback.papers.language.terms import Z
>>> from pullback.papers.language.pretty import show_type
>>> print(show_type(dual_type(Fun(R, Prod(R, Z)), Duals(Prod(R, Z), Z))))
R * Z -> Z -> R * Z * Z * Z
>>> print(show_type(cotangent(Prod(Plus(R, Z), Data("T")))))
(R + 1) * C_T
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from pullback.core.frozen import dataclass
from pullback.papers.language.terms import (
    EV,
    EVM,
    ONE,
    Arr,
    Data,
    DataDecl,
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
)
from pullback.papers.methods import Unsupported


@dataclass(frozen=True, slots=True)
class Duals:
    """What a stage makes of types: of R, the state of its monad if it has one, and the declared
    types that stay as they are; and of Arr R, where that is not Arr N(R)."""

    real: Type
    state: Type | None = None
    kept: frozenset[str] = frozenset()
    vector: Type | None = None


def dual_type(t: Type, n: Duals) -> Type:
    """N(t)."""
    match t:
        # N(R): the stage's own
        case Real():
            return n.real
        # N(Z) = Z   N(1) = 1   N(a) = a
        case Int() | Unit() | TVar():
            return t
        # N(s*t) = N(s) * N(t)
        case Prod(a, b):
            return Prod(dual_type(a, n), dual_type(b, n))
        # N(s+t) = N(s) + N(t)
        case Plus(a, b):
            return Plus(dual_type(a, n), dual_type(b, n))
        # N(s -> t) = N(s) -> N(t), in a state monad N(s) -> S -> N(t) * S
        case Fun(a, b, kind):
            result = dual_type(b, n)
            if n.state is not None:
                result = Fun(n.state, Prod(result, n.state))
            return Fun(dual_type(a, n), result, kind)
        # N(Arr t) = Arr N(t)
        case Arr(a):
            return n.vector if a == R and n.vector is not None else Arr(dual_type(a, n))
        # N(T t) = D_T N(t)
        case Data(name, args):
            changed = name if name in n.kept else f"D_{name}"
            return Data(changed, tuple(dual_type(a, n) for a in args))
        # N(forall a. t) = forall a. N(t)
        case Forall(names, body):
            return Forall(names, dual_type(body, n))
        case Exists() | EV() | EVM():
            raise Unsupported("dual numbers: types that only targets have")
        case _:
            assert_never(t)


def dual_decls(decls: Sequence[DataDecl], n: Duals) -> tuple[DataDecl, ...]:
    """Return the declarations of D_T for every T that is not kept."""
    return tuple(
        DataDecl(f"D_{d.name}", d.params, tuple(
            (c, tuple(dual_type(f, n) for f in fields)) for c, fields in d.constructors))
        for d in decls if d.name not in n.kept)  # fmt: skip


def parametric(decls: Sequence[DataDecl]) -> frozenset[str]:
    """Return the declared types with reals and functions at most in their arguments, for which N(T
    t) is T N(t) (the paper's implementation knows no others)."""
    kept = {d.name for d in decls}

    def plain(t: Type) -> bool:
        match t:
            case Int() | Unit() | TVar():
                return True
            case Prod(a, b) | Plus(a, b):
                return plain(a) and plain(b)
            case Arr(a):
                return plain(a)
            case Data(name, args):
                return name in kept and all(map(plain, args))
            case _:
                return False

    while True:
        lost = {d.name for d in decls if d.name in kept
                and not all(plain(f) for _, fields in d.constructors for f in fields)}
        if not lost:
            return frozenset(kept)
        kept -= lost


def cotangent(t: Type) -> Type:
    """Return the type of cotangents."""
    match t:
        # R' = R   1' = 1
        case Real() | Unit() | TVar():
            return t
        # Z' = 1
        case Int():
            return ONE
        # (s*t)' = s' * t'
        case Prod(a, b):
            return Prod(cotangent(a), cotangent(b))
        # (s+t)' = s' + t'
        case Plus(a, b):
            return Plus(cotangent(a), cotangent(b))
        # (Arr t)' = Arr t'
        case Arr(a):
            return Arr(cotangent(a))
        # (T t)' = C_T t'
        case Data(name, args):
            return Data(f"C_{name}", tuple(map(cotangent, args)))
        case _:
            raise Unsupported("dual numbers: the arguments and the result may not hold functions")


def cotangent_decls(decls: Sequence[DataDecl]) -> tuple[DataDecl, ...]:
    """Return the declarations of C_T, for every T that can have a cotangent."""
    out = []
    for d in decls:
        try:
            out.append(DataDecl(f"C_{d.name}", d.params, tuple(
                (c, tuple(map(cotangent, fields))) for c, fields in d.constructors)))
        except Unsupported:
            continue  # it holds functions: local use only
    return tuple(out)
