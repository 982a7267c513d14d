"""The operations on bags and lists that the array rules need (Efficient CHAD, section 7 and 8.1).

    data Bag a = BEmpty | BOne a | BPlus (Bag a) (Bag a) | BArray (Arr b) | BPairs (Arr a)

The cotangent of an array is a bag of (index, cotangent): BArray has element k for index k, BPairs
is a block. Zero, + and BOne cost 1; blocks cost their length when they are made, and ``collect``
the constructors of the bag. ``scatter zeros pairs`` adds; lists are what difference lists end in.

>>> from pullback.papers.language.terms import Var
>>> from pullback.papers.language.eval import evaluate
>>> from pullback.papers.language.linear import L_R
>>> bags = [ConV("BOne", ((2, 0.5),)), ConV("BArray", ([1.0, 2.0, 3.0],))]
>>> evaluate(op("collect", Var("d")), {"d": ConV("BPlus", tuple(bags))}, BAGS)[0]
[(2, 0.5), (0, 1.0), (1, 2.0), (2, 3.0)]
>>> evaluate(densify(Lit(3), L_R, Var("d")), {"d": ConV("BPlus", tuple(bags))}, BAGS)[0]
[1.0, 2.0, 3.5]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pullback.papers.chad.types import LINEAR
from pullback.papers.chad.values import bag_size, collected
from pullback.papers.language.build import op
from pullback.papers.language.linear import plus, zero
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Row, pure, sig
from pullback.papers.language.terms import (
    Arr,
    Data,
    DataDecl,
    Fun,
    Lit,
    Prod,
    Static,
    Term,
    TVar,
    Type,
    Z,
    fresh,
)
from pullback.papers.language.terms import Build as BuildTerm
from pullback.papers.language.values import ConV, array, pair

a, b = TVar("a"), TVar("b")
BAG, OF = Data("Bag", (a,)), Data("Bag", (Prod(Z, a),))
LIST = Data("List", (a,))
TREE = DataDecl("Tree", ("a", "f"), (
    ("Leaf", (a,)),
    ("Node", (Data("Tree", (a, TVar("f"))), a, TVar("f"), Data("Tree", (a, TVar("f")))))))
"""data Tree a f = Leaf a | Node (Tree a f) a f (Tree a f): what a fold did."""


def _one(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    m.count("BOne")
    return ConV("BOne", (args[0],))


def _block(name: str) -> Row:
    def run(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
        m.count(name)
        m.cost += len(array(args[0]))
        return ConV(name, (args[0],))

    return Row(name, sig((Arr(a if name == "BArray" else Prod(Z, a)),), OF), run)


def _collect(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    m.cost += bag_size(args[0])
    m.count("collect", bag_size(args[0]))
    return cast("list[object]", collected(args[0]))


def _scatter(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    out = list(array(args[0]))
    m.cost += len(out)
    for entry in array(args[1]):
        k, d = pair(entry)
        m.cost += 1
        out[cast(int, k)] = plus(m, d, out[cast(int, k)])
    return out


def _concat(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    out = [x for row in array(args[0]) for x in array(row)]
    m.cost += len(out) + len(array(args[0]))
    return out


def _from_list(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    m.cost += len(array(args[0]))
    return args[0]


def _total(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    out = args[1]
    for x in array(args[0]):
        m.cost += 1
        out = plus(m, x, out)
    return out


def _foldr(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    f, acc, items = args
    for x in reversed(array(items)):
        m.cost += 1
        acc = m.call(f, (x, acc))
    return acc


BAG_ROWS = (
    Row("BOne", sig((Prod(Z, a),), OF), _one),
    _block("BArray"),
    _block("BPairs"),
    Row("collect", sig((BAG,), Arr(a)), _collect),
    Row("scatter", sig((Arr(a), Arr(Prod(Z, a))), Arr(a)), _scatter),
    Row("concat", sig((Arr(Arr(a)),), Arr(a)), _concat),
    Row("lnil", sig((), LIST, "a"), pure(list), show="[]"),
    Row("lcons", sig((a, LIST), LIST), pure(lambda x, xs: [x, *xs]), show="{0} :: {1}"),
    Row("fromList", sig((LIST,), Arr(a)), _from_list),
    Row("total", sig((Arr(a), a), a), _total),
    Row("foldr", sig((Fun(Prod(a, b), b), b, LIST), b), _foldr),
)
BAGS = LINEAR.extended(*BAG_ROWS)
"""Cotangents, actions, bags."""


def densify(n: Term, elem: Type, d: Term) -> Term:
    """Return the bag as an array of cotangents: scatter (build n (_. 0)) (collect d)."""
    return op("scatter", BuildTerm(n, fresh("_"), zero(elem)), op("collect", d))


def lit(n: int) -> Term:
    """Return an integer."""
    return Lit(n)
