"""Tools for the tests of Efficient CHAD: theorems as functions, random cotangents, slopes."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

from pullback.papers.chad.actions import zeros
from pullback.papers.chad.monadic import CHAD, chad_of
from pullback.papers.chad.types import t2, t2_context
from pullback.papers.chad.values import size
from pullback.papers.language.build import E
from pullback.papers.language.eval import apply, evaluate
from pullback.papers.language.linear import Action, perform, run
from pullback.papers.language.machine import Machine
from pullback.papers.language.terms import (
    Context,
    Plus,
    Prim,
    Prod,
    R,
    Real,
    Source,
    Term,
    Type,
    Var,
)
from pullback.papers.language.traverse import deeply, rename_apart
from pullback.papers.language.values import Inj, Zero, items, pair
from tests.papers.generate import count, random_cotangent, random_program

COUNT = count(250)
x, y, z = E(Var("x")), E(Var("y")), E(Var("z"))


def of_pair(name: str, a: Term, b: Term) -> Term:
    """Return prim o (a, b), with the Agda code's unary primitives on tuples."""
    from pullback.papers.language.terms import Pair

    return Prim(name, (Pair(a, b),))


def apart(s: Source) -> Source:
    """Return the program with distinct names."""
    return Source(s.context, rename_apart(s.body), s.result, s.decls)


def programs(
    fragment: str, count: int = COUNT, every: bool = True
) -> Iterator[tuple[Source, tuple[Any, ...], Any]]:
    """Random programs with arguments, and a cotangent for the value."""
    for seed in range(count):
        source, args = random_program(seed, fragment, every=every)
        env = dict(zip([v for v, _ in source.context], args, strict=True))
        value = evaluate(source.body, env)[0]
        yield source, args, random_cotangent(value, random.Random(seed))


def sparse_cotangent(t: Type, value: object, rng: random.Random, zero: float = 0.25) -> object:
    """Return a cotangent of the sparse representation in the shape of a value, with zeros in it."""
    match t:
        case Real():
            return rng.uniform(-1.0, 1.0)
        case Prod(a, b):
            if rng.random() < zero:
                return Zero(t2(t))
            first, second = pair(value)
            return sparse_cotangent(a, first, rng, zero), sparse_cotangent(b, second, rng, zero)
        case Plus(a, b):
            if rng.random() < zero:
                return Zero(t2(t))
            assert isinstance(value, Inj)
            part = b if value.tag else a
            return Inj(value.tag, sparse_cotangent(part, value.value, rng, zero))
        case _:
            return ()


class Theorem(NamedTuple):
    """Both sides of TH1 and TH2, and the environment after the run."""

    cost: int
    th1: int
    th2: int
    bound: int
    value: object
    cells: tuple[object, ...]


def theorem(source: Source, args: Sequence[object], ctg: object, den: Sequence[object]) -> Theorem:
    """Return both sides of the theorems (Efficient CHAD, App. D): the costs of C{t} on arguments, a
    cotangent and cells."""
    gamma: Context = t2_context(source.context)
    names = [v for v, _ in source.context]
    env = dict(zip(names, args, strict=True))
    cost = evaluate(source.body, env)[1]
    t = chad_of(source)
    m = Machine()
    both, crun = evaluate(t, env, CHAD, m)
    value, back = pair(both)
    action, ccall = apply(back, ctg, machine=m)
    cells = dict(zip(names, den, strict=True))
    before = sum(size(d) for d in den)
    m.cost = 0
    deeply(lambda: perform(m, cast(Action, action), cells))
    crunm = 1 + len(names) + m.cost
    out = tuple(cells[v] for v in names)
    th1 = (crun + (ccall - 1) + crunm - size(ctg) - before
           + sum(size(d) for d in out) - len(names))
    from pullback.papers.language.terms import App, Snd

    whole = run(App(Snd(t), Var("ctg")), zeros(gamma), gamma)
    th2 = evaluate(whole, env | {"ctg": ctg}, CHAD)[1]
    return Theorem(cost, th1, th2, 5 + 34 * cost + size(ctg) + 4 * len(names), value, out)


def slope(points: Sequence[tuple[int, int]]) -> float:
    """Return the growth exponent between the last two points."""
    (n, a), (m, b) = points[-2], points[-1]
    return math.log(b / a) / math.log(m / n)


def reals_context(n: int) -> Context:
    """x0..x_{n-1} : R."""
    return tuple((f"x{k}", R) for k in range(n))


def chain(n: int) -> Source:
    """x0 + (x1 + (x2 + ..)) over n variables."""
    t = E(Var(f"x{n - 1}"))
    for k in reversed(range(n - 1)):
        t = E(Prim("add", (Var(f"x{k}"), t.t)))
    return Source(reals_context(n), t.t, R)


def tree(r: int) -> Source:
    """The complete tree of + over 2^r variables (App. A)."""
    level: list[Term] = [Var(f"x{k}") for k in range(2**r)]
    while len(level) > 1:
        level = [Prim("add", (a, b)) for a, b in zip(level[::2], level[1::2], strict=True)]
    return Source(reals_context(2**r), level[0], R)


def components(env: object, n: int) -> list[object]:
    """Return the cells of an environment tuple."""
    return items(env, n + 1)[1:]
