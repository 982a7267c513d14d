"""Efficient CHAD: primal and cotangent types, and what all its stages share.

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

>>> from pullback.core.nested import ONE
>>> from pullback.core.nested_pretty import show_type
>>> print(show_type(t2(Prod(Prod(R, Z), Arr(Plus(R, ONE))))))
(L(R) ×! L(1)) ×! Bag (Z * (L(R) +! L(1)))
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never, cast

from pullback.core.nested import (
    EV,
    EVM,
    Arr,
    Context,
    Data,
    Exists,
    Forall,
    Fun,
    Int,
    Op,
    Plus,
    Prod,
    R,
    Real,
    Term,
    TVar,
    Type,
    Unit,
    Z,
)
from pullback.core.nested_build import op
from pullback.core.nested_check import Types
from pullback.core.nested_linear import CHAD_OPS, DENSE_OPS, L_1, L_R, lprod, lsum, plus
from pullback.core.nested_machine import Machine
from pullback.core.nested_ops import Row, pure, sig
from pullback.core.nested_prims import dop, is_discrete
from pullback.core.nested_traverse import deeply
from pullback.core.nested_values import ConV, Inj, Packed, Zero, array, items, pair, tuple_value
from pullback.papers.methods import Unsupported


def bag(t: Type) -> Data:
    """Bag (Z * t)."""
    return Data("Bag", (Prod(Z, t),))


def product(t: Type) -> Prod:
    """``t``, which is a product by the typing rules."""
    assert isinstance(t, Prod)
    return t


def t1(t: Type) -> Type:
    """The type of the primal."""
    match t:
        case Real() | Int() | Unit() | TVar():
            return t
        case Prod(a, b):
            return Prod(t1(a), t1(b))
        case Plus(a, b):
            return Plus(t1(a), t1(b))
        case Arr(a):
            return Arr(t1(a))
        case Fun(a, b, kind):
            return Fun(t1(a), Prod(t1(b), Fun(t2(b), t2(a))), kind)
        case Exists(name, body):
            return Exists(name, t1(body))
        case Data(name, args):
            return Data(name, tuple(map(t1, args)))
        case Forall() | EV() | EVM():
            raise Unsupported(f"CHAD: no derivative of values of type {t}")
        case _:
            assert_never(t)


def t2(t: Type) -> Data:
    """The type of the cotangent: a commutative monoid."""
    match t:
        case Real():
            return L_R
        case Int() | Unit() | Fun(_, _, "->□"):
            return L_1
        case Prod(a, b):
            return lprod(t2(a), t2(b))
        case Plus(a, b):
            return lsum(t2(a), t2(b))
        case Arr(a):
            return bag(t2(a))
        case Fun(a, b):
            return Data("List", (Prod(t1(a), t2(b)),))
        case Exists():
            return Data("Σ!", (t,))
        case TVar() | Data():
            return Data("T2", (t,))
        case Forall() | EV() | EVM():
            raise Unsupported(f"CHAD: no derivative of values of type {t}")
        case _:
            assert_never(t)


def t2_context(context: Context) -> Context:
    """A context with the cotangent types of its entries."""
    return tuple((x, t2(t)) for x, t in context)


def t1_context(context: Context) -> Context:
    """A context with the primal types of its entries."""
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


# --- derivatives of primitives --------------------------------------------------------------------


def is_constant(name: str, types: list[Type], result: Type) -> bool:
    """Whether no cotangent goes through a primitive."""
    return result != R or is_discrete(name, (), R in types)


def dops(name: str, xs: list[Term], types: list[Type], d: Term) -> list[Term]:
    """Dop^t (x1..xn) d = <d1,..,dn>, one cotangent per argument.

    >>> from pullback.core.nested import Var
    >>> from pullback.core.nested_pretty import show
    >>> [show(d, library=LINEAR) for d in dops("mul", [Var("x"), Var("y")], [R, R], Var("d"))]
    ['d * y', 'd * x']
    """
    match name:
        case "add":
            return [d, d]
        case "mul":
            return [op("lscale", d, xs[1]), op("lscale", d, xs[0])]
        case "neg":
            return [op("lneg", d)]
        case "select":
            types = [R, *types[1:]]
            return [Op("zero", (), (lsum(L_1, L_1),)), *(
                op("lreal", dop(name, i, xs, op("lread", d))) for i in (1, 2))]
        case _:
            return [
                op("lreal", dop(name, i, xs, op("lread", d))) if t == R
                else Op("zero", (), (t2(t),))
                for i, t in enumerate(types)
            ]


NOTHING = Zero(L_1)
"""A zero whose type does not matter."""

# --- values ---------------------------------------------------------------------------------------


def to_cotangent(t: Type, seed: object, types: Types | None = None) -> object:
    """A cotangent shaped like a value, in the sparse representation; an array is a BArray.
    ``types`` knows the declared types."""
    match t:
        case Real():
            return float(cast(float, seed))
        case Prod(a, b):
            first, second = pair(seed)
            return to_cotangent(a, first, types), to_cotangent(b, second, types)
        case Plus(a, b):
            if not isinstance(seed, Inj):  # of a truth value: there is nothing in it
                return Zero(t2(t))
            return Inj(seed.tag, to_cotangent(b if seed.tag else a, seed.value, types))
        case Arr(a):
            return ConV("BArray", ([to_cotangent(a, x, types) for x in array(seed)],))
        case Data():
            assert isinstance(seed, ConV) and types is not None
            fields = types.fields(t)
            parts = zip(fields[seed.name], seed.fields, strict=True)
            return Inj(list(fields).index(seed.name), tuple_value(
                *(to_cotangent(f, x, types) for f, x in parts)))
        case _:
            return ()


def from_cotangent(d: object, value: object) -> object:
    """A cotangent shaped like ``value``: zeros are written out, bags are added up."""
    inside = d.value if isinstance(d, Inj) else d
    match value:
        case float():
            return 0.0 if isinstance(d, Zero) else d
        case list():  # before pairs: a list of two is a sequence of two to a pattern
            m = Machine()
            cells: dict[int, object] = {}
            for k, e in [] if isinstance(d, Zero) else collected(d):
                cells[k] = plus(m, cells[k], e) if k in cells else e
            return [from_cotangent(cells.get(k, NOTHING), x) for k, x in enumerate(value)]
        case (v1, v2):
            d1, d2 = (d, d) if isinstance(d, Zero) else pair(d)
            return from_cotangent(d1, v1), from_cotangent(d2, v2)
        case Inj(tag, x):
            return Inj(tag, from_cotangent(inside, x))
        case ConV(name, fields):
            n = len(fields)
            ds = [inside] * n if isinstance(inside, Zero) else items(inside, n)
            return ConV(name, tuple(map(from_cotangent, ds, fields)))
        case _:
            return ()


def collected(bag_: object) -> list[tuple[int, object]]:
    """The index-cotangent pairs of a bag, in order."""
    out: list[tuple[int, object]] = []
    todo = [bag_]
    while todo:
        b = todo.pop()
        assert isinstance(b, ConV)
        match b.name:
            case "BEmpty":
                pass
            case "BOne":
                k, e = pair(b.fields[0])
                out.append((cast(int, k), e))
            case "BPlus":
                todo += [b.fields[1], b.fields[0]]
            case "BArray":
                out += enumerate(array(b.fields[0]))
            case _:
                out += cast("list[tuple[int, object]]", b.fields[0])
    return out


def bag_size(bag_: object) -> int:
    """The number of constructors of a bag, with the lengths of its blocks."""
    count, todo = 0, [bag_]
    while todo:
        b = todo.pop()
        assert isinstance(b, ConV)
        count += 1
        if b.name == "BPlus":
            todo += b.fields
        elif b.name in ("BArray", "BPairs"):
            count += len(array(b.fields[0]))
    return count


def size(d: object) -> int:
    """The size of a cotangent (section 4.3): R 1, 1 1, None 1, pair 1 + .., inl 1 + .."""
    total, todo = 0, [d]
    while todo:
        d = todo.pop()
        total += 1
        match d:
            case (a, b):
                todo += [a, b]
            case Inj(_, x) | Packed(_, x):
                todo.append(x)
            case _:
                pass
    return total


def environment(cells: object, context: Context, args: Mapping[str, object]) -> tuple[object, ...]:
    """The cotangents in an environment tuple, shaped like the arguments."""
    values = items(cells, len(context) + 1)[1:]
    return deeply(lambda: tuple(
        from_cotangent(d, args[x]) for (x, _), d in zip(context, values, strict=True)))

