"""What S makes of types: the tangent of a function is the list of its calls (The Differentiable
Curry, section 4).

    a ~> b = a -> (b, T b -> T a)               T[a ~> b] = [(a, T b)], 0 = [], + = ++

>>> from pullback.papers.language.terms import R
>>> from pullback.papers.language.pretty import show_type
>>> print(show_type(T(Fun(R, R, "~>"))))
Arr (R * R)
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.papers.curry.tangents import Functions, primal, tangent
from pullback.papers.curry.universal_zero import SUMS
from pullback.papers.language.arrays import OPS
from pullback.papers.language.build import lam
from pullback.papers.language.ops import Row, pure, sig
from pullback.papers.language.terms import Arr, Fun, Op, Prod, Term, TVar, Type

SIMPLE = Functions(
    # a ~> b = a -> (b, T b -> T a)
    lambda a, b: Fun(s(a), Prod(s(b), Fun(T(b), T(a), "-o"))),
    # T[a ~> b] = [(a, T b)]
    lambda a, b: Arr(Prod(s(a), T(b))),
    # 0 = [] (the type follows from the function)
    lambda f: Op("no_calls", (f,)),
    # x + y = x ++ y
    lambda x, y: Op("append", (x, y)),
)
LIBRARY = OPS.extended(
    Row("no_calls", sig((Fun(TVar("a"), Prod(TVar("b"), Fun(TVar("d"), TVar("e")))),),
                        Arr(Prod(TVar("a"), TVar("d")))), pure(lambda f: []), show="[]", linear=()),
    *SUMS,
    Row("one_call", sig((TVar("a"), TVar("b")), Arr(Prod(TVar("a"), TVar("b")))),
        pure(lambda x, g: [(x, g)]), show="[({0}, {1})]", linear=(1,)),
)


def s(t: Type) -> Type:
    """Return the type of values."""
    return primal(t, SIMPLE)


def T(t: Type) -> Type:
    """Return the type of tangents."""
    return tangent(t, SIMPLE)


def back(t: Type, body: Callable[[Term], Term], role: str = "") -> Term:
    """Return a backpropagator, from a cotangent of ``t``."""
    return lam("g", T(t), lambda g: body(g.t), kind="-o", role=role)
