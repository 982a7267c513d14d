"""Environment tangents (The Differentiable Curry, section 5, Defs. 5.1 and 5.2).

    a ~> b = exists env. a -> (b, T b -> (env, T a))         T[v : a ~> b] = the witness of v

T[v] depends on the value v. Here a rep-function carries its witness at run time, ``exT w f`` is the
pair (w, f), and every environment tangent has the one type Env:

    ty_unit, ty_pair w w : Ty    ty_of[a] v : Ty, that is T[v : a]
    env w v : Env  (v is checked to be of the type w)    open[t] e : t    zero_env w    plus_env e e

``ERASED`` has the same rows without witnesses (reinterpret casts and a universal zero), as the end
of section 5 proposes for languages without dependent types.

>>> from pullback.papers.language.terms import R
>>> tangent_type(Prod(R, Arr(R)), (1.0, [2.0, 3.0])) == Prod(R, Data("Tensor", (R, R)))
True
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.papers.curry.tangents import (
    Functions,
    primal,
    tangent,
    type_of,
)
from pullback.papers.curry.universal_zero import ANY_ZERO, SUMS, plus_values, tangent_data
from pullback.papers.language.arrays import OPS
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Row, pure, sig
from pullback.papers.language.terms import (
    ONE,
    Arr,
    Data,
    Fst,
    Fun,
    Op,
    Plus,
    Prod,
    Real,
    Static,
    TVar,
    Type,
    Unit,
)
from pullback.papers.language.values import Inj, array, pair

TY, ENV = Data("Ty"), Data("Env")
DEPENDENT = Functions(
    # Def. 5.1: exT w f, with f : a -> (b, T b -> (env, T a))
    lambda a, b: Prod(TY, Fun(e(a), Prod(e(b), Fun(T(b), Prod(ENV, T(a)), "-o")))),
    # Def. 5.2: T[v : a ~> b] is the witness of v
    lambda a, b: ENV,
    lambda f: Op("zero_env", (Fst(f),)),
    lambda x, y: Op("plus_env", (x, y)),
)


def e(t: Type) -> Type:
    """Return the type of values."""
    return primal(t, DEPENDENT)


def T(t: Type) -> Type:
    """Return the type of tangents, as far as it does not depend on the value."""
    return tangent(t, DEPENDENT)


def tangent_type(t: Type, v: object) -> Type:
    """T[v : t] (Fig. 6, Def. 5.2)."""
    match t:
        # T[x : Float] = Float
        case Real():
            return t
        # A tensor: also its shape depends on the value.
        case Arr(a) if tangent(t, DEPENDENT) != ONE:
            return Data("Tensor", tuple(tangent_type(a, x) for x in array(v)))
        # T[(x, y) : (a, b)] = (T[x : a], T[y : b])
        case Prod(a, b):
            x, y = pair(v)
            return Prod(tangent_type(a, x), tangent_type(b, y))
        # T[v : a ~> b] = the witness of v (Def. 5.2)
        case Fun():
            return witness(pair(v)[0])
        # T[inl x : a + b] = 0 | inl T[x : a]; T[x : T] = 0 | T[F]        (6.2)
        case Plus(a, b) if tangent(t, DEPENDENT) != ONE:
            assert isinstance(v, Inj)
            return Data(("Inl", "Inr")[v.tag], (tangent_type((a, b)[v.tag], v.value),))
        case Data():
            return tangent_data(t)
        # T[Unit] = T[Int] = T[Bool] = T[Tensor Int] = Unit
        case _:
            return ONE


def witness(w: object) -> Type:
    """Return the type that a function carries."""
    assert isinstance(w, Real | Prod | Data | Unit)
    return w


def is_tangent(v: object, w: Type) -> bool:
    """Whether v is a tangent of this type."""
    match w:
        case Real():
            return isinstance(v, float)
        case Data("Tensor", ws):
            return isinstance(v, list) and len(v) == len(ws) and all(map(is_tangent, v, ws))
        case Data("Inl" | "Inr" as name, (a,)):
            return v is ANY_ZERO or (isinstance(v, Inj) and v.tag == (name == "Inr")
                                     and is_tangent(v.value, a))
        case Data("Tangent"):
            return v is ANY_ZERO or isinstance(v, Inj | tuple | float)
        case Prod(a, b):
            return isinstance(v, tuple) and len(v) == 2 and (
                is_tangent(v[0], a) and is_tangent(v[1], b))
        case _:
            return v == ()


def _env(w: Type, v: object) -> object:
    if not is_tangent(v, w):
        raise TypeError(f"{v} is not a tangent of type {w}")
    return v


def _zero_env(m: Machine, w: Type) -> object:
    # It costs its size, which is exponential where functions capture functions again and again.
    m.spend(1)
    match w:
        case Real():
            return 0.0
        case Prod(a, b):
            return _zero_env(m, a), _zero_env(m, b)
        case Data("Tensor", ws):
            return [_zero_env(m, x) for x in ws]
        case Data("Inl" | "Inr" | "Tangent"):
            return ANY_ZERO
        case _:
            return ()


_a = TVar("a")
LIBRARY = OPS.extended(
    *SUMS,
    Row("ty_unit", sig((), TY), lambda m, args, static: ONE, show="()"),
    Row("ty_pair", sig((TY, TY), TY), pure(Prod), show="({0}, {1})"),
    Row("ty_of", sig((TVar("v"),), TY, "a"),
        lambda m, args, static: tangent_type(type_of(static[0]), args[0]), show="T[{0}]"),
    Row("env", sig((TY, _a), ENV), pure(_env), show="{1}", linear=(1,)),
    Row("open", sig((ENV,), _a, "a"), pure(lambda v: v), show="{0}", linear=(0,)),
    Row("zero_env", sig((TY,), ENV), lambda m, args, static: _zero_env(m, witness(args[0])),
        show="0", linear=()),
    Row("plus_env", sig((ENV, ENV), ENV), pure(plus_values), show="{0} + {1}", linear=(0, 1)),
)


def _cast(t: Type) -> object:
    # What is known of the type gets its own zero; environments stay what they are.
    match t:
        case Real():
            return 0.0
        case Prod(a, b):
            return _cast(a), _cast(b)
        case Data("Env" | "Tangent") | Plus():
            return ANY_ZERO
        case Arr():
            raise TypeError("the zero of a tensor in an environment has no shape")
        case _:
            return ()


def _open_erased(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    return _cast(type_of(static[0])) if args[0] is ANY_ZERO else args[0]


ERASED = LIBRARY.replaced(
    Row("ty_pair", sig((TY, TY), TY), pure(lambda x, y: ONE)),
    Row("ty_of", sig((TVar("v"),), TY, "a"), pure(lambda v: ONE)),
    Row("env", sig((TY, _a), ENV), pure(lambda w, v: v)),
    Row("open", sig((ENV,), _a, "a"), _open_erased),
    Row("zero_env", sig((TY,), ENV), pure(lambda w: ANY_ZERO)),
    Row("plus_env", sig((ENV, ENV), ENV), pure(plus_values)),
)
