"""What runs the stages of dual-numbers reverse AD (Smeding & Vákár, 3.3 and section 9).

    Wrap : (s -> t) -> s -> t * (t' -o s')

``prepared`` makes a program one lambda with distinct names; a stage wraps it; ``checked`` holds the
result to the type above; ``runner`` runs it.

>>> from pullback.papers.language.terms import Let, R, Var
>>> from pullback.papers.language.build import prim, reals
>>> from pullback.papers.language.pretty import show
>>> x, y, z = Var("x"), Var("y"), Var("z")
>>> FIG1 = Source(reals("x", "y"), Let("z", prim("add", x, y), prim("mul", x, z)), R)
>>> print(show(prepared(FIG1)[0], 100))
\\x:R * R. let x1 = fst x in let y = snd x in let z = x1 + y in x1 * z
>>> from pullback.papers.dual.naive import naive
>>> print(runner(naive)(FIG1, (3.0, 4.0), 1.0).cotangents)
(10.0, 3.0)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pullback.core.frozen import dataclass
from pullback.papers.dual.types import cotangent
from pullback.papers.language.arrays import OPS
from pullback.papers.language.build import as_lambda
from pullback.papers.language.check import (
    FIRST_ORDER_ARRAYS,
    SOURCE,
    Dialect,
    NestedTypeError,
    Types,
    check,
    types_of,
)
from pullback.papers.language.eval import apply, evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Library, fits
from pullback.papers.language.terms import (
    App,
    DataDecl,
    Foldl,
    Fun,
    Lam,
    Lit,
    Op,
    Prim,
    Prod,
    Source,
    Term,
    Var,
    fresh,
)
from pullback.papers.language.traverse import deeply, map_parts, rename_apart
from pullback.papers.language.values import items, pair, tuple_value
from pullback.papers.methods import Curried, Linearised

DUAL_SOURCE: Dialect = replace(
    SOURCE, name="dual numbers source", ops=FIRST_ORDER_ARRAYS.ops - {"scatter_add"} | {"error"})
"""Figure 4 with section 9 (recursion, sums, data types, polymorphism), and arrays."""


def unsugared(t: Term) -> Term:
    """sum a = foldl (acc x. acc + x) 0 a."""
    if isinstance(t, Op) and t.name == "sum":
        acc, x = fresh("s"), fresh("x")
        return Foldl(acc, x, Prim("add", (Var(acc), Var(x))), Lit(0.0), unsugared(t.args[0]))
    return map_parts(unsugared, t)


def prepared(source: Source, library: Library = OPS) -> tuple[Lam, Types]:
    """Return the program as one lambda with distinct names, and the types of its subterms."""

    cotangent(source.result)
    lam = rename_apart(deeply(lambda: unsugared(as_lambda(source))))
    assert isinstance(lam, Lam)
    cotangent(lam.type)
    return lam, types_of(lam, (), source.decls, library)


@dataclass(frozen=True, slots=True, eq=False)
class Wrapped:
    """A program and its pullback as one term, x -> (value, cotangent -> cotangents), with the
    declarations and the library that it needs, and the transformed body alone."""

    term: Term
    decls: tuple[DataDecl, ...]
    library: Library
    body: Term


def checked(w: Wrapped, source: Source, lam: Lam) -> Wrapped:
    """Return ``w``, whose type must be as the paper says: s -> t * (t' -o s')."""
    found = check(w.term, (), w.decls, w.library)
    s, t = lam.type, source.result
    wanted = Fun(s, Prod(t, Fun(cotangent(t), cotangent(s), "-o")))
    if not fits(found, wanted):
        raise NestedTypeError(f"the wrapper has type {found}, not {wanted}")
    return w


Wrap = Callable[[Source], Wrapped]


def runner(wrap: Wrap) -> Curried:
    """Return the driver's function for a stage: it goes forward to the value and the pullback,
    which can be called any number of times."""

    def linearise(source: Source, args: tuple[object, ...]) -> Linearised:
        w, m = deeply(lambda: wrap(source)), Machine()
        both, forward = evaluate(
            App(w.term, Var("input")), {"input": tuple_value(*args)}, w.library, m)
        value, pullback = pair(both)

        def back(seed: object) -> tuple[tuple[object, ...], int]:
            ct, reverse = apply(pullback, seed, machine=m)
            return tuple(items(ct, len(args))), reverse

        return Linearised(value, forward, back, m, w.term)

    return Curried(linearise)
