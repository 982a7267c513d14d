"""C in parallel (Efficient CHAD, section 8 and App. E).

An action only adds, and addition commutes: what does not need another's result may run beside it.

    bind m (\\_. k)                  =>  also m k
    bind m (\\r. bind n (\\s. b))     =>  bind (par m n) (\\q. let r = fst q in let s = snd q in b)
                                        where r is not in n: the two calls of unTree
    sequence ms                         all at once

The cells are those of ``chad.cells``; frames and threads are in ``chad.workers``.

>>> from pullback.papers.language.terms import R
>>> from pullback.papers.language.build import E, reals
>>> from pullback.papers.language.pretty import show
>>> x, y = E(Var("x")), E(Var("y"))
>>> from pullback.papers.chad.monadic import chad_of
>>> source = Source(reals("x", "y"), (x * y).t, R)
>>> print(show(parallel(chad_of(source)), library=parallel_library(Workers())))
let z = (x, \\d:L(R). one_x d) in
let x1 = fst z in
let x' = snd z in
let z1 = (y, \\d:L(R). one_y d) in
let x2 = fst z1 in
let x'1 = snd z1 in (x1 * x2, \\d:L(R). let q = x'1 (d * x1) in (x' (d * x2)) || q)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

from pullback.papers.chad.monadic import CHAD
from pullback.papers.chad.mutable import slot, width
from pullback.papers.chad.program import CHAD_SOURCE, linearise_monadic
from pullback.papers.chad.workers import Frame, Shared, Workers, make
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Library, Row, implementation
from pullback.papers.language.terms import (
    EVM,
    Fst,
    Lam,
    Let,
    Op,
    Prod,
    Snd,
    Source,
    Static,
    Term,
    Type,
    Var,
    fresh,
)
from pullback.papers.language.traverse import deeply, free_vars, map_parts
from pullback.papers.language.values import array, items, tuple_value
from pullback.papers.methods import Curried, Linearised, Method, Outcome, register


def parallel(t: Term) -> Term:
    """Return the term with ``also`` and ``par`` where one action does not need another's result."""
    t = map_parts(parallel, t)
    match t:
        # bind m (\_. k) => also m k
        case Op("bind", (m, Lam(x, _, k))) if x not in free_vars(k):
            return Op("also", (m, k))
        # bind m (\r. bind n (\s. b)) => bind (par m n) (\q. let r = fst q in let s = snd q in b)
        case Op("bind", (m, Lam(r, a, Op("bind", (n, Lam(s, b, body)))))) if r not in free_vars(n):
            q = fresh("q")
            opened = Let(r, Fst(Var(q)), Let(s, Snd(Var(q)), body))
            return Op("bind", (Op("par", (m, n)), Lam(q, Prod(a, b), opened)))
        case _:
            return t


# --- the operations -------------------------------------------------------------------------------

Action = Callable[[Frame], object]


def _act(x: object) -> Action:
    return cast(Action, x)


def _also_type(types: Sequence[Type], static: Sequence[Static]) -> Type:
    m, k = types
    if not (isinstance(m, EVM) and isinstance(k, EVM) and m.context == k.context):
        raise TypeError(f"takes actions on one environment, not {types}")
    return k


def _par_type(types: Sequence[Type], static: Sequence[Static]) -> Type:
    k = _also_type(types, static)
    assert isinstance(k, EVM) and isinstance(types[0], EVM)
    return EVM(k.context, Prod(types[0].result, k.result))


def _pure(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    def action(f: Frame) -> object:
        m.cost += 1
        return args[0]

    return action


def _bind(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    def action(f: Frame) -> object:
        m.cost += 1
        return _act(m.call(args[1], _act(args[0])(f)))(f)

    return action


def _one(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    k = slot(static)

    def action(f: Frame) -> object:
        m.cost += 1
        f.find(k).add(m, args[0])
        return ()

    return action


def _scope(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    def action(f: Frame) -> object:
        m.cost += 1
        f.cells.append(make(m, args[0]))
        result = _act(args[1])(f)
        return f.cells.pop().read(m), result

    return action


def _run(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    n = width(static)
    m.cost += 1 + n
    frame = Frame(None)
    frame.cells = [make(m, d) for d in items(args[1], n + 1)[1:]]
    result = _act(args[0])(frame)
    return result, tuple_value((), *(cell.read(m) for cell in frame.cells))


def parallel_library(workers: Workers) -> Library:
    """Return C's library with ``also`` and ``par``, on frames, cells and these workers."""

    def beside(m: Machine, f: Frame, actions: Sequence[object], fork: bool) -> list[object]:
        if not fork:
            return [_act(each)(f) for each in actions]
        frames = [f.branch() for _ in actions]
        return workers.each(m, [partial(_act(a), g) for a, g in zip(actions, frames, strict=True)])

    def sequence(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
        def action(f: Frame) -> object:
            m.cost += 1
            actions = array(args[0])
            return beside(m, f, actions, len(actions) >= workers.threshold)

        return action

    def par(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
        def action(f: Frame) -> object:
            m.cost += 1
            first, second = beside(m, f, args, f.depth < workers.depth)
            return first, second

        return action

    def also(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
        def action(f: Frame) -> object:
            m.cost += 1
            return beside(m, f, args, f.depth < workers.depth)[1]

        return action

    return CHAD.replaced(*implementation(
        CHAD, pure=_pure, bind=_bind, one=_one, scope=_scope, sequence=sequence, run=_run,
    )).extended(
        Row("also", _also_type, also, show="{0} || {1}"),
        Row("par", _par_type, par, show="{0} || {1}"))


def linearise_parallel(
    source: Source, args: tuple[object, ...], workers: Workers | None = None
) -> Linearised:
    """Return a program after its forward pass by C, for a reverse pass on threads."""
    library = parallel_library(workers or Workers())
    done = deeply(lambda: linearise_monadic(
        source, args, library, after=parallel, machine=Shared()))
    # The instruments are those of a thread: each phase is begun and ended in one.
    return replace(done, back=lambda seed: deeply(lambda: done.back(seed)))


def run_parallel(
    source: Source, args: tuple[object, ...], seed: object, workers: Workers | None = None
) -> Outcome:
    """Return the value and the cotangents by C, with the reverse pass on threads."""
    return deeply(lambda: linearise_parallel(source, args, workers).at(seed))


register(Method(
    "chad.parallel", "C, with the reverse pass on threads (section 8, App. E)", CHAD_SOURCE,
    Curried(linearise_parallel)))
