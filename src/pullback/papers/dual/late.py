"""The wrapper of the stages from section 6 on, where only scalars are kept (Smeding & Vákár).

    Wrap{\\x. t} = \\x. let ((x,rebuild),i) = Inter x start in let (y',i') = N{t} i in
                  let (y,d) = Deinter y' in (y, \\_z. rebuild (resolve i i' (d z)))

``resolve`` is the stage's own: it makes what the stage accumulates into, seeds it with d z, and
goes through the IDs from the last to the first. What it makes is new for every call.

>>> from pullback.papers.language.terms import R
>>> from pullback.papers.language.build import prim, reals
>>> from pullback.papers.dual.ground import runner
>>> from pullback.papers.dual.tape import tape
>>> square = Source(reals("x"), prim("mul", Var("x"), Var("x")), R)
>>> done = runner(tape)(square, (3.0,), 2.0)
>>> done.value, done.cotangents
(9.0, (12.0,))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pullback.core.frozen import dataclass
from pullback.papers.dual.block import Block
from pullback.papers.dual.deinterleave import Deinterleave
from pullback.papers.dual.ground import Wrapped, checked, prepared
from pullback.papers.dual.lift import Lift
from pullback.papers.dual.loops import Rules
from pullback.papers.dual.rebuild import Rebuilding
from pullback.papers.dual.types import Duals, cotangent, cotangent_decls, dual_decls, parametric
from pullback.papers.language.build import lam, lets
from pullback.papers.language.ops import Library
from pullback.papers.language.terms import (
    App,
    DataDecl,
    Fun,
    Lam,
    Op,
    Pair,
    Source,
    Term,
    Type,
    Var,
    fresh,
)


@dataclass(frozen=True, slots=True)
class Late:
    """What a stage gives: N(R) and the state of the monad with its start; the state that is
    accumulated into (``staged``) and what rebuilders take (``collected``); the clauses; Inter_R;
    the second half of Deinter_R; resolve of the states after Interleave and at the end and of the
    seeding; definitions in front; declarations and rows; what the
    pullback keeps of the last state, if it is an array."""

    real: Type
    state: Type
    start: Term
    staged: Type
    collected: Type
    rules: Callable[[Duals], Rules]
    leaf: Callable[[Block, Term], tuple[Term, Term]]
    seed: Callable[[Term], Term]
    resolve: Callable[[Term, Term, Term], Term]
    prelude: Sequence[tuple[str, Term]]
    decls: tuple[DataDecl, ...]
    library: Library
    kept: Callable[[Term], Term] | None = None


def wrap(source: Source, stage: Late) -> Wrapped:
    """Return the program by a stage."""
    program, types = prepared(source)
    s, t = program.type, source.result
    n = Duals(stage.real, stage.state, parametric(source.decls))
    arg, step = fresh("x"), Fun(stage.staged, stage.staged)
    lift = Lift(types, stage.rules(n))
    inter = Rebuilding(n, source.decls, leaf=stage.leaf, source=stage.collected)
    deinter = Deinterleave(
        n, source.decls, target=step, leaf=stage.seed,
        zero=lambda: Op("id", (), (stage.staged,)), plus=lambda p, q: Op("∘", (p, q)))
    b = Block(stage.start)
    b.state = b.name("i", stage.start)
    x, rebuild = inter.go(b, s, Var(arg))
    inputs = b.atom("i", b.state)
    b.state = inputs
    rebuild = b.name("rebuild", rebuild)
    b.lets.append((program.x, x))
    body = lift.at(program.body, inputs)
    y, d = deinter.go(b, t, b.run("y", body))
    back, end = b.name("d", d), b.state
    if stage.kept is not None:
        end = b.name("end", stage.kept(end))
    b.state = None
    pullback = Op("homomorphism", (lam("z", cotangent(t), lambda z: App(
        rebuild, stage.resolve(inputs, end, App(back, z.t)))),))
    inside = inter.around(deinter.around(b.close(Pair(y, pullback))))
    inside = lets(stage.prelude, inside)
    decls = (*source.decls, *stage.decls, *dual_decls(source.decls, n),
             *cotangent_decls(source.decls))
    return checked(Wrapped(Lam(arg, s, inside), decls, stage.library, body), source, program)
