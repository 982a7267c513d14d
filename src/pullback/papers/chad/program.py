"""A whole program by C (Efficient CHAD, sections 2 and 4.2; eq. 1 is what ``check_chad`` checks).

    x:s, .. |- t : r      gives      let a = C{t} in (fst a, \\d. run (snd a d) <0,..,0>)

>>> from pullback.papers.language.terms import Let, R, Var
>>> from pullback.papers.language.build import E, reals
>>> x, y, z = (E(Var(v)) for v in "xyz")
>>> fig1 = Source(reals("x", "y"), Let("z", (x + y).t, (x * z).t), R)
>>> check_chad(fig1)
>>> done = run_monadic(fig1, (3.0, 4.0), 1.0)
>>> done.value, done.cotangents
(21.0, (10.0, 3.0))
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.papers.chad.actions import zeros
from pullback.papers.chad.bags import TREE
from pullback.papers.chad.monadic import CHAD, chad_of
from pullback.papers.chad.types import t1, t1_context, t2, t2_context
from pullback.papers.chad.values import environment, to_cotangent
from pullback.papers.language.build import lam, let
from pullback.papers.language.check import FIRST_ORDER_ARRAYS, check, check_source
from pullback.papers.language.eval import apply, evaluate
from pullback.papers.language.linear import env_type, run
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Library
from pullback.papers.language.terms import (
    EVM,
    ONE,
    App,
    Con,
    DataDecl,
    Fst,
    Fun,
    Match,
    Pair,
    Prod,
    Snd,
    Source,
    Term,
)
from pullback.papers.language.traverse import deeply, rename_apart
from pullback.papers.language.values import pair
from pullback.papers.methods import Curried, Linearised, Method, Outcome, register

CHAD_SOURCE = FIRST_ORDER_ARRAYS.extended(
    "first-order source with arrays and declared types", (Con, Match))
"""What C takes by itself; functions and recursion after closure conversion."""


def pullback(source: Source, body: Term) -> Term:
    """let a = C{t} in (fst a, \\d. run (snd a d) <0,..,0>)."""
    gamma = t2_context(source.context)
    return let("a", body, lambda a: Pair(Fst(a.t), lam("d", t2(source.result), lambda d: run(
        App(Snd(a.t), d.t), zeros(gamma), gamma))))


def linearise_monadic(
    source: Source,
    args: tuple[object, ...],
    library: Library = CHAD,
    prepare: Callable[[Source], Source] = lambda s: s,
    after: Callable[[Term], Term] = lambda t: t,
    machine: Machine | None = None,
) -> Linearised:
    """Return a program after its forward pass by C, between a translation of the source and one of
    C's term, and on a library."""
    source = Source(source.context, rename_apart(source.body), source.result, source.decls)
    source = prepare(source)
    types = check_source(source, library)
    t = deeply(lambda: after(chad_of(source, types)))
    m = machine or Machine()
    env = {x: v for (x, _), v in zip(source.context, args, strict=True)}
    both, forward = evaluate(pullback(source, t), env, library, m)
    value, pullback_ = pair(both)

    def back(seed: object) -> tuple[tuple[object, ...], int]:
        out, reverse = apply(pullback_, to_cotangent(source.result, seed, types), machine=m)
        return environment(pair(out)[1], source.context, env), reverse

    return Linearised(value, forward, back, m, t)


def run_monadic(
    source: Source,
    args: tuple[object, ...],
    seed: object,
    library: Library = CHAD,
    prepare: Callable[[Source], Source] = lambda s: s,
    after: Callable[[Term], Term] = lambda t: t,
    machine: Machine | None = None,
) -> Outcome:
    """Return the value and the cotangents by C."""
    return linearise_monadic(source, args, library, prepare, after, machine).at(seed)


def t1_decl(d: DataDecl) -> DataDecl:
    """Return a declaration with the primal types of its fields."""
    return DataDecl(d.name, d.params, tuple(
        (c, tuple(map(t1, fields))) for c, fields in d.constructors))


def check_chad(source: Source) -> None:
    """C{t} has the type that it should have (eq. 1); NestedTypeError if not."""
    gamma, t = t2_context(source.context), chad_of(source)
    decls = (TREE, *map(t1_decl, source.decls))
    found = check(t, t1_context(source.context), decls, CHAD)
    wanted = Prod(t1(source.result), Fun(t2(source.result), EVM(gamma, ONE)))
    assert found == wanted, found
    whole = check(pullback(source, t), t1_context(source.context), decls, CHAD)
    assert whole == Prod(t1(source.result), Fun(t2(source.result), Prod(ONE, env_type(gamma))))


register(Method(
    "chad.monadic", "C: actions on one environment of cotangents (Figs. 6, 8)",
    CHAD_SOURCE, Curried(linearise_monadic)))
