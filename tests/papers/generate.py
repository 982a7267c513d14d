"""Programs for the papers' algorithms: the standard ones, random ones, and all up to a size.

``random_program(seed, fragment, size)`` gives a well-typed ``Source`` and arguments for it.
Fragments: "RG" first-order (reals, integers, pairs, sums, let, case, sign), "RGH" with lambdas and
applications, "RGA" with arrays. Values stay moderate and away from kinks as far as that can be:
primitives get arguments at which they are smooth, and no case branches on a real but through
``sign2``.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count as count_from
from itertools import product
from typing import Any

from pullback.core.prims import TABLE
from pullback.core.rows import NOT_DIFFERENTIABLE
from pullback.papers.language.build import (
    E,
    if_,
    lam,
    letrec,
    lets,
    prim,
    reals,
    term,
    tuple_,
    tuple_type,
)
from pullback.papers.language.eval import evaluate
from pullback.papers.language.prims import prim_type
from pullback.papers.language.terms import (
    ONE,
    App,
    Arr,
    Build,
    Case,
    Context,
    Fold,
    Foldl,
    Fst,
    Fun,
    Inl,
    Inr,
    Int,
    Lam,
    Let,
    Lit,
    Map,
    Nil,
    Op,
    Pair,
    Plus,
    Prim,
    Prod,
    R,
    Real,
    Snd,
    Source,
    Term,
    Type,
    Unit,
    Var,
    Z,
    ZipWith,
)
from pullback.papers.language.values import Inj, map_reals, reals_in
from tests import campaign

FULL = campaign.full("papers")
"""Whether this is the full run: with ``MANY`` random programs for every theorem."""

MANY = int(os.environ.get("PAPERS_PROGRAMS", "4000"))
CORE, LEAST = 5, 10


_used: dict[str, set[int]] = {}


def noted(fragment: str, seed: int) -> None:
    """Remember that the running test takes a program, for the table of the full campaign."""
    _used.setdefault(fragment, set()).add(seed)


def taken() -> dict[str, set[int]]:
    """Return the seeds that were taken since the last call, by the fragment."""
    seeds = dict(_used)
    _used.clear()
    return seeds


def count(few: int) -> int:
    """Return how many random programs a test takes: a few in every run, thousands in the full
    run."""
    n = max(few, MANY) if FULL else max(few // 8, min(few, LEAST))
    _used.setdefault("asked for", set()).update(range(n))
    return n


def in_shard(seed: int) -> int:
    """Return the seed of a program: the first ones are the same in every run, the others are taken
    from the shard of the full run."""
    if FULL or not CORE <= seed < 2000:
        return seed
    return CORE + (seed + 130 * campaign.SHARD) % (2000 - CORE)


# --- the standard programs ------------------------------------------------------------------------

x, y, z = E(Var("x")), E(Var("y")), E(Var("z"))
FIG1 = Source(reals("x", "y"), Let("z", (x + y).t, (x * z).t), R)
SHARE = Source(reals("x"), Let("y", (x * x).t, tuple_(y, y + y)), Prod(R, R))
DEAD = Source(reals("x"), Let("u", prim("sin", x), (x * x).t), R)
HO3 = Source(reals("x"), Let("f", lam("y", R, lambda v: x * v), term(
    E(Var("f"))(E(Var("f"))(E(Var("f"))(2.0))))), R)
ABS = Source(reals("x"), Case(prim("sign2", x), "l", (-x).t, "r", x.t), R)
POW5 = Source(reals("x"), letrec(
    "go", Fun(R, R), "k",
    lambda go, k: if_(prim("lt", k, 0.5), 1.0, x * go(k - 1.0)), lambda go: go(5.0)), R)


def dbl(n: int) -> Source:
    """x1 = x0+x0; ..; xn = x_{n-1}+x_{n-1}: gradient 2^n."""
    v = [E(Var(f"x{k}")) for k in range(n + 1)]
    bound = [(f"x{k + 1}", (v[k] + v[k]).t) for k in range(n)]
    return Source(reals("x0"), lets(bound, v[n].t), R)


def sumsq(n: int, balanced: bool = False) -> Source:
    """The sum of the squares of the n leaves of one input tuple."""

    def shape(k: int) -> Type:
        if not balanced:
            return tuple_type(*[R] * k)
        return Prod(shape(k // 2), shape(k - k // 2)) if k > 1 else R

    # Components are named once: a path of projections for each would be quadratic.
    bound: list[tuple[str, Term]] = []
    ends: list[str] = []
    todo = [("x", n)]
    while todo:
        name, k = todo.pop()
        if k == 1:
            ends.append(name)
            continue
        m = k // 2 if balanced else k - 1
        left, right = f"v{len(bound)}", f"v{len(bound) + 1}"
        bound += [(left, Fst(Var(name))), (right, Snd(Var(name)))]
        todo += [(right, k - m), (left, m)]
    total: E | None = None
    for k, name in enumerate(ends):
        square = E(Var(name)) * E(Var(name))
        if total is not None:
            square = E(Var(f"s{k - 1}")) + square
        bound.append((f"s{k}", square.t))
        total = E(Var(f"s{k}"))
    assert total is not None
    return Source((("x", shape(n)),), lets(bound, total.t), R)


STANDARD: dict[str, tuple[Source, tuple[object, ...], object, object, tuple[object, ...]]] = {
    "FIG1": (FIG1, (3.0, 4.0), 1.0, 21.0, (10.0, 3.0)),
    "DBL10": (dbl(10), (1.0,), 1.0, 1024.0, (1024.0,)),
    "SHARE": (SHARE, (3.0,), (1.0, 1.0), (9.0, 18.0), (18.0,)),
    "DEAD": (DEAD, (3.0,), 1.0, 9.0, (6.0,)),
    "POW5": (POW5, (2.0,), 1.0, 32.0, (80.0,)),
    "HO3": (HO3, (3.0,), 1.0, 54.0, (54.0,)),
    "ABS-": (ABS, (-3.0,), 1.0, 3.0, (-1.0,)),
    "ABS+": (ABS, (3.0,), 1.0, 3.0, (1.0,)),
    "SUMSQ4": (sumsq(4), ((((1.0, 2.0), 3.0), 4.0),), 1.0, 30.0,
               ((((2.0, 4.0), 6.0), 8.0),)),
}
"""name -> (program, arguments, seed, value, cotangents)."""

# --- values and oracles ---------------------------------------------------------------------------


def random_value(t: Type, rng: random.Random, length: int = 3) -> Any:
    """A value of a first-order type; its reals are in (-1.5, -0.2) and (0.2, 1.5)."""
    match t:
        case Real():
            return rng.choice((-1, 1)) * rng.uniform(0.2, 1.5)
        case Int():
            return rng.randint(0, 3)
        case Unit():
            return ()
        case Prod(a, b):
            return (random_value(a, rng, length), random_value(b, rng, length))
        case Plus(a, b):
            tag = rng.randrange(2)
            return Inj(tag, random_value(b if tag else a, rng, length))
        case Arr(a):
            return [random_value(a, rng, length) for _ in range(length)]
        case _:
            raise TypeError(f"no random values of {t}")


def random_cotangent(value: object, rng: random.Random) -> Any:
    """Random reals in the shape of a value, () for integers."""
    return map_reals(lambda _: rng.uniform(-1.0, 1.0), value, discrete=True)


def inner(a: object, b: object) -> float:
    """The inner product of two values of one shape."""
    return sum(p * q for p, q in zip(reals_in(a), reals_in(b), strict=True))


def finite_difference(
    s: Source, args: tuple[object, ...], seed: object, h: float = 1e-6
) -> tuple[object, ...]:
    """The cotangents of the arguments by central differences."""
    names = [name for name, _ in s.context]

    def value(k: int, which: int, by: float) -> float:
        count = iter(range(10**9))
        moved = map_reals(lambda r: r + (by if next(count) == which else 0.0), args[k])
        env = dict(zip(names, args)) | {names[k]: moved}
        return inner(evaluate(s.body, env)[0], seed)

    out = []
    for k, arg in enumerate(args):
        count = iter(range(10**9))

        def slope(_: float, k: int = k, count: Iterator[int] = count) -> float:
            i = next(count)
            return (value(k, i, h) - value(k, i, -h)) / (2 * h)

        out.append(map_reals(slope, arg, discrete=True))
    return tuple(out)


def close(a: object, b: object, rel: float = 1e-9) -> bool:
    """Equal shapes, and reals equal up to ``rel`` of the largest of them (or of 1)."""
    a, b = (list(v) if isinstance(v, tuple) else v for v in (a, b))
    shape = [map_reals(lambda _: 0.0, v, discrete=True) for v in (a, b)]
    p, q = reals_in(a), reals_in(b)
    scale = max([1.0, *map(abs, p), *map(abs, q)])
    return shape[0] == shape[1] and all(abs(u - v) <= rel * scale for u, v in zip(p, q))


# --- random programs ------------------------------------------------------------------------------

UNARY, BINARY = ("sin", "cos", "neg", "tanh"), ("add", "sub", "mul")

SMALL, LARGE = (0.4, 0.25), (1.4, 0.25)
"""Centre and radius of intervals in which primitives are smooth."""
WITHIN: dict[str, tuple[tuple[float, float], ...]] = {
    "acosh": ((2.0, 0.5),), "pow": (LARGE, SMALL), "rint": ((0.2, 0.15),),
    "ndtri_exp": ((-2.0, 0.5),),
    **{name: (SMALL, LARGE) for name in (
        "div", "hypot", "atan2", "max", "min", "maximum", "minimum", "mod", "fmod", "floordiv")},
}
ANYWHERE = ("add", "sub", "mul", "mulz", "neg", "sin", "cos", "tanh", "erf", "atan", "fma")
NO_FUNCTIONS_OF_REALS = ("stop_gradient", "zeta", "delta", "plus_delta", "valued", "either")
"""Whose derivative is not that of their values, or is not known."""


def real_primitives() -> dict[str, int]:
    """The primitives R^n -> R that have derivatives, with n."""
    found = {}
    for name, row in TABLE.items():
        smooth = NOT_DIFFERENTIABLE not in row.partials
        if row.arity and smooth and name not in NO_FUNCTIONS_OF_REALS:
            try:
                if prim_type(name, [R] * row.arity) == R:
                    found[name] = row.arity
            except TypeError:
                continue
    return found


REAL_PRIMITIVES = real_primitives()


@dataclass
class Generator:
    """Makes terms of a wanted type over a context of what is in scope."""

    rng: random.Random
    fragment: str
    every: bool = True
    fresh: int = 0
    scope: list[tuple[str, Type]] = field(default_factory=list)

    def name(self) -> str:
        self.fresh += 1
        return f"v{self.fresh}"

    def type(self, depth: int, arrays: bool = True) -> Type:
        k = self.rng.randrange(12)
        if depth == 0 or k < 5:
            return self.rng.choice((R, R, R, R, Z, ONE))
        if k < 9 or (k >= 11 and not (arrays and self.fragment == "RGA")):
            return Prod(self.type(depth - 1, arrays), self.type(depth - 1, arrays))
        if k < 11:
            return Plus(self.type(depth - 1, arrays), self.type(depth - 1, arrays))
        return Arr(self.rng.choice((R, R, Prod(R, R))))

    def under(self, names: list[tuple[str, Type]], t: Type, size: int) -> Term:
        self.scope += names
        body = self.term(t, size)
        del self.scope[len(self.scope) - len(names):]
        return body

    def leaf(self, t: Type) -> Term:
        known = [v for v, s in self.scope if s == t]
        if known and self.rng.random() < 0.9:
            return Var(self.rng.choice(known[-4:] + known))
        match t:
            case Real():
                return Lit(round(self.rng.uniform(-1.5, 1.5), 2))
            case Int():
                return Lit(self.rng.randint(0, 3))
            case Unit():
                return Nil()
            case Prod(a, b):
                return Pair(self.leaf(a), self.leaf(b))
            case Plus(a, b):
                return Inl(self.leaf(a), b) if self.rng.random() < 0.5 else Inr(self.leaf(b), a)
            case Arr(a):
                return Build(Lit(3), self.name(), self.leaf(a))
            case Fun(a, b):
                v = self.name()
                return Lam(v, a, self.under([(v, a)], b, 0))
            case _:
                raise TypeError(str(t))

    def term(self, t: Type, size: int) -> Term:
        """A term of type t with about ``size`` constructors."""
        if size <= 1:
            return self.leaf(t)
        k = self.rng.randrange(10)
        if k < 3:
            v, s = self.name(), self.type(2)
            part = self.rng.randint(1, size - 1)
            return Let(v, self.term(s, part), self.under([(v, s)], t, size - part))
        if k == 3:
            return self.branch(t, size)
        if k == 4:
            other, part = self.type(1), self.rng.randint(1, size)
            if self.rng.random() < 0.5:
                return Fst(self.term(Prod(t, other), part))
            return Snd(self.term(Prod(other, t), part))
        if k == 5 and self.fragment == "RGH":
            a, part = self.type(1), self.rng.randint(1, size)
            return App(self.term(Fun(a, t), part), self.term(a, size - part))
        if k == 6 and self.fragment == "RGA":
            return self.indexed(t, size)
        return self.made(t, size)

    def branch(self, t: Type, size: int) -> Term:
        a, b = self.type(1), self.type(1)
        v, w = self.name(), self.name()
        third = max(1, size // 3)
        if self.rng.random() < 0.3:
            on, a, b = Prim("sign2", (self.term(R, third),)), ONE, ONE
            return Case(on, v, self.under([(v, a)], t, third), w, self.under([(w, b)], t, third))
        s = self.term(Plus(a, b), third)
        return Case(s, v, self.under([(v, a)], t, third), w, self.under([(w, b)], t, third))

    def indexed(self, t: Type, size: int) -> Term:
        # Indices are in range: arrays have three elements or more exactly when indices are below.
        if isinstance(t, Arr | Fun):
            return self.made(t, size)
        return Op("index", (self.term(Arr(t), size), Lit(self.rng.randrange(3))))

    def made(self, t: Type, size: int) -> Term:
        """Return a term made by a constructor of the type."""
        part = self.rng.randint(1, max(1, size - 1))
        match t:
            case Real():
                if self.fragment == "RGA" and self.rng.random() < 0.25:
                    return self.reduced(size)
                if self.every and self.rng.random() < 0.25:
                    return self.primitive(size)
                if self.rng.random() < 0.3:
                    return Prim(self.rng.choice(UNARY), (self.term(R, size - 1),))
                return Prim(self.rng.choice(BINARY), (
                    self.term(R, part), self.term(R, size - part)))
            case Int():
                return Prim("add", (self.term(Z, part), self.term(Z, size - part)))
            case Unit():
                return Nil()
            case Prod(a, b):
                return Pair(self.term(a, part), self.term(b, size - part))
            case Plus(a, b):
                if self.rng.random() < 0.5:
                    return Inl(self.term(a, size - 1), b)
                return Inr(self.term(b, size - 1), a)
            case Arr(a):
                return self.array(a, size)
            case Fun(a, b):
                v = self.name()
                return Lam(v, a, self.under([(v, a)], b, size - 1))
            case _:
                raise TypeError(str(t))

    def primitive(self, size: int) -> Term:
        """One of all primitives, of arguments where it is smooth."""
        name = self.rng.choice(sorted(REAL_PRIMITIVES))
        n = REAL_PRIMITIVES[name]
        args = []
        for k in range(n):
            t = self.term(R, max(1, (size - 1) // n))
            if name not in ANYWHERE:
                centre, radius = WITHIN.get(name, (SMALL,) * n)[k]
                t = prim("add", centre, prim("mul", radius, prim("tanh", t)))
            args.append(t)
        return Prim(name, tuple(args))

    def array(self, a: Type, size: int) -> Term:
        v, w, half = self.name(), self.name(), max(1, size // 2)
        match self.rng.randrange(3):
            case 0:
                return Build(Lit(3), v, self.under([(v, Z)], a, size - 1))
            case 1:
                return Map(v, self.under([(v, R)], a, half), self.term(Arr(R), half))
            case _:
                third = max(1, size // 3)
                return ZipWith(v, w, self.under([(v, R), (w, R)], a, third),
                               self.term(Arr(R), third), self.term(Arr(R), third))

    def reduced(self, size: int) -> Term:
        v, w, half = self.name(), self.name(), max(1, size // 2)
        match self.rng.randrange(3):
            case 0:
                return Op("sum", (self.term(Arr(R), size - 1),))
            case 1:  # associative: x*y, or x+y with what is in scope left out
                body = Prim(self.rng.choice(("add", "mul")), (Fst(Var(v)), Snd(Var(v))))
                return Fold(v, body, self.term(Arr(R), half))
            case _:
                third = max(1, size // 3)
                return Foldl(v, w, self.under([(v, R), (w, R)], R, third),
                             self.term(R, third), self.term(Arr(R), third))


def random_program(
    seed: int, fragment: str = "RG", size: int = 20, every: bool = True
) -> tuple[Source, tuple[Any, ...]]:
    """A well-typed program of one to three arguments, and arguments for it; ``every``: with all
    primitives that have derivatives."""
    noted(fragment, in_shard(seed))
    rng = random.Random(f"{fragment}/{in_shard(seed)}")
    g = Generator(rng, fragment, every)
    context: Context = (("x", R), *((v, g.type(2)) for v in ("y", "w")[: rng.randrange(3)]))
    g.scope = list(context)
    result = rng.choice((R, R, g.type(2)))
    body = g.term(result, rng.randint(1, size))
    return Source(context, body, result), tuple(random_value(t, rng) for _, t in context)


# --- all programs ---------------------------------------------------------------------------------


def every_term(
    t: Type, scope: tuple[tuple[str, Type], ...], size: int, higher: bool = False
) -> Iterator[Term]:
    """All terms of exactly this size over few types: R, R * R, B and (``higher``) R -> R."""
    v = f"v{len(scope)}"
    if size == 1:
        yield from (Var(x) for x, s in scope if s == t)
        if t == R:
            yield Lit(0.5)
        return
    inside: list[Type] = [R, Prod(R, R), Plus(R, R), *([Fun(R, R)] if higher else [])]
    for m in range(1, size - 1):
        for s in inside:
            for bound in every_term(s, scope, m, higher):
                for body in every_term(t, (*scope, (v, s)), size - 1 - m, higher):
                    yield Let(v, bound, body)
        if t == R:
            for a, b in product(every_term(R, scope, m, higher),
                                every_term(R, scope, size - 1 - m, higher)):
                yield Prim("mul", (a, b))
                yield Prim("add", (a, b))
        if isinstance(t, Prod):
            for a, b in product(every_term(t.left, scope, m, higher),
                                every_term(t.right, scope, size - 1 - m, higher)):
                yield Pair(a, b)
        if higher and not isinstance(t, Fun):
            for a, b in product(every_term(Fun(R, t), scope, m, higher),
                                every_term(R, scope, size - 1 - m, higher)):
                yield App(a, b)
    if t == R:
        for p in every_term(Prod(R, R), scope, size - 1, higher):
            yield Fst(p)
            yield Snd(p)
        for a in every_term(R, scope, size - 1, higher):
            yield Prim("sin", (a,))
    if isinstance(t, Plus):
        for a in every_term(R, scope, size - 1, higher):
            yield Inl(a, R)
            yield Inr(a, R)
    if isinstance(t, Fun):
        for a in every_term(t.result, (*scope, (v, t.arg)), size - 1, higher):
            yield Lam(v, t.arg, a)
    for m in range(1, size - 2):
        for n in range(1, size - 1 - m):
            for s in every_term(Plus(R, R), scope, m, higher):
                for a, b in product(
                    every_term(t, (*scope, (v, R)), n, higher),
                    every_term(t, (*scope, (v, R)), size - 1 - m - n, higher),
                ):
                    yield Case(s, v, a, v, b)


def every_program(size: int, higher: bool = False) -> Iterator[Source]:
    """Every program x:R |- t : R of up to this size."""
    of = f"all programs of up to {size} nodes" + " with functions" * higher
    number = count_from(1)
    for n in range(1, size + 1):
        for body in every_term(R, (("x", R),), n, higher):
            noted(of, next(number))
            yield Source(reals("x"), body, R)
