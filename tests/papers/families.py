"""Families of programs for the rows on complexity: what each theorem must hold on, for every size.

``FAMILIES[name](n)`` is a program of size n with arguments for it and a cotangent. ``ratios`` has
what the theorems bound: the steps of each phase over the steps of the program and the size of its
input and result. ``rows/slack.txt`` has the bounds, and how much of them is used on each family
(``python -m tests.papers.families`` writes it).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from pullback.papers import load
from pullback.papers.language.build import E, lam, lets, prim, reals
from pullback.papers.language.check import check
from pullback.papers.language.eval import evaluate
from pullback.papers.language.terms import App, Lam, Let, Lit, Pair, R, Source, Term, Var
from pullback.papers.language.terms import Case as Branch
from pullback.papers.language.values import reals_in, tuple_value
from pullback.papers.methods import METHODS, run
from tests.papers.chad_tools import chain, tree
from tests.papers.generate import dbl, random_value, sumsq

TABLE = Path(__file__).parent / "rows" / "slack.txt"


class Case(NamedTuple):
    """A program, arguments, and a cotangent of its result."""

    source: Source
    args: tuple[Any, ...]
    seed: Any


def case(source: Source, seed: Any = 1.0) -> Case:
    """With reals near 1, so that products and powers stay moderate."""
    rng = random.Random(1)
    return Case(source, tuple(random_value(t, rng) for _, t in source.context), seed)


def captures(n: int) -> Source:
    """let f = \\u. x0 * (x1 * .. u) in f 1 + f 2: a closure of n variables, called twice."""
    xs, u, f = [Var(f"x{k}") for k in range(n)], Var("u"), E(Var("f"))
    t: Term = u
    for v in xs:
        t = prim("mul", v, t)
    return Source(reals(*(v.name for v in xs)), Let("f", Lam("u", R, t), (f(1.0) + f(0.5)).t), R)


def nested(n: int) -> Source:
    """t_1 = x_1, t_k = (\\x_{k-1}. t_{k-1}) x_k: functions inside functions."""
    t: Term = Var("x1")
    for k in range(2, n + 1):
        t = App(Lam(f"x{k - 1}", R, t), Var(f"x{k}"))
    return Source(reals(f"x{n}"), t, R)


def deep(n: int) -> Source:
    """let y1 = sin x in let y2 = y1 * x in ..: every variable stays in scope, few are used."""
    bound: list[tuple[str, Term]] = [("y0", prim("sin", Var("x")))]
    for k in range(1, n):
        bound.append((f"y{k}", prim("sin", prim("mul", Var(f"y{k - 1}"), Var("x")))))
    return Source(reals("x"), lets(bound, Var(f"y{n - 1}")), R)


def wide(n: int) -> Source:
    """sin x0 in a context of n variables: what is not used must not cost."""
    return Source(reals(*(f"x{k}" for k in range(n))), prim("sin", Var("x0")), R)


def outputs(n: int) -> Case:
    """A result of n reals, as a left-nested tuple."""
    t: Term = Var("x")
    for k in range(1, n):
        t = Pair(t, prim("mul", Var("x"), Lit(1.0 + k)))
    source = case(Source(reals("x"), t, R))
    value, _ = evaluate(t, {"x": source.args[0]})
    return Case(Source(reals("x"), t, check(t, {"x": R})), source.args,
                tuple_value(*[0.5] * len(reals_in(value))))


def closures(n: int) -> Source:
    """let f1 = \\u. u * x in let f2 = \\u. f1 u + x in ..: a chain of closures, then a call."""
    u, x = E(Var("u")), E(Var("x"))
    bound: list[tuple[str, Term]] = [("f0", lam("u", R, lambda v: v * x))]
    for k in range(1, n):
        bound.append((f"f{k}", Lam("u", R, (E(Var(f"f{k - 1}"))(u) + x).t)))
    return Source(reals("x"), lets(bound, App(Var(f"f{n - 1}"), Lit(2.0))), R)


FAMILIES: dict[str, Callable[[int], Case]] = {
    "doubling chain": lambda n: case(dbl(n)),
    "many arguments": lambda n: case(chain(n)),
    "tree of sums": lambda n: case(tree(n.bit_length() - 1)),
    "left-nested tuple": lambda n: case(sumsq(n)),
    "balanced tuple": lambda n: case(sumsq(n, balanced=True)),
    "deep environment": lambda n: case(deep(n)),
    "wide environment": lambda n: case(wide(n)),
    "many results": outputs,
    "many captures": lambda n: case(captures(n)),
    "nested functions": lambda n: case(nested(n)),
    "chain of closures": lambda n: case(closures(n)),
}
"""name -> the program of size n."""

BOUNDS: dict[str, tuple[int, int]] = {
    "dual.mutable": (40, 80), "dual.collector": (40, 50), "dual.contrib": (40, 48),
    "dual.tape": (40, 45), "delta.monadic": (40, 90), "chad.monadic": (15, 15),
    "chad.mutable": (15, 15), "chad.closures": (70, 70),
}
"""What is linear: the bounds of the steps of its two phases over steps and sizes."""


def few_used(n: int) -> Case:
    """let f = \\u. case sign u of {x0 * (x1 * ..); u} in f 1 + ..: a closure of n variables is
    called n times, and none of them is used."""
    xs, u, f = [Var(f"x{k}") for k in range(n)], Var("u"), E(Var("f"))
    t: Term = u
    for v in xs:
        t = prim("mul", v, t)
    body, total = Branch(prim("sign2", u), "l", t, "r", u), f(1.0)
    for _ in range(n - 1):
        total = f(1.0) + total
    return case(Source(reals(*(v.name for v in xs)), Let("f", Lam("u", R, body), total.t), R))



def steps(c: Case) -> int:
    """What the program itself costs."""
    return evaluate(c.source.body, dict(zip([x for x, _ in c.source.context], c.args)))[1]


def size(c: Case) -> int:
    """The reals of the input and the result."""
    return sum(len(reals_in(v)) for v in (*c.args, c.seed))


def ratios(method: str, c: Case) -> tuple[float, float]:
    """Steps of the forward and of the reverse phase, over steps and size of the program."""
    out, plain = run(method, c.source, c.args, c.seed), steps(c) + size(c)
    return out.forward / plain, out.reverse / plain


def worst(method: str, sizes: tuple[int, ...]) -> tuple[float, float]:
    """The largest of both ratios over all families that the method takes."""
    found = [ratios(method, FAMILIES[f](n)) for f in FAMILIES if takes(method, f) for n in sizes]
    return max(a for a, _ in found), max(b for _, b in found)


def takes(method: str, family: str) -> bool:
    """Whether the method has the constructs of the family."""
    load()
    return not METHODS[method].supports(FAMILIES[family](4).source)


def table(sizes: tuple[int, int] = (16, 128)) -> str:
    """family | method | forward at both sizes of its bound | reverse at both sizes of its bound."""
    out = []
    for family, make in FAMILIES.items():
        for method, (forward, reverse) in BOUNDS.items():
            if takes(method, family):
                small, large = (ratios(method, make(n)) for n in sizes)
                out.append(" | ".join((family, method, *(
                    f"{a:.2f} {b:.2f} of {bound}" for a, b, bound in zip(
                        small, large, (forward, reverse))))))
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    TABLE.write_text(table())
