"""One program through all stages of the papers, as the figures print it: ``pb.stages``.

Every stage shows its translation of the program in the papers' notation (``language.notation``,
after the administrative steps of ``language.administrative``), with ``*`` before the lines that the
stage before it had not; and what a run of it counts: the steps of both passes, and how often each
backpropagator was called.

>>> from pullback.papers.language.build import prim, reals
>>> from pullback.papers.language.terms import Let, Var
>>> fig1 = Source(reals("x", "y"), Let("z", prim("add", Var("x"), Var("y")), prim(
...     "mul", Var("x"), Var("z"))), R)
>>> print(translated("N2", fig1))
\\((x, dx), (y, dy)) i.
 let (z, dz) = (x + y, (i, \\_d. SCall dx (1 * d) +_S SCall dy (1 * d))) in
 ((x * z, (i + 1, \\_d. SCall dx (z * d) +_S SCall dz (x * d))), i + 2)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pullback.core.frozen import dataclass
from pullback.papers import STAGE_NAMES
from pullback.papers.chad.dense import DENSE_EV
from pullback.papers.chad.higher import HIGHER
from pullback.papers.chad.monadic import CHAD, chad_of
from pullback.papers.chad.naive import c0_of
from pullback.papers.closure_conversion import convert
from pullback.papers.curry.combinators import COMBINATORS
from pullback.papers.curry.translation import combinators
from pullback.papers.delta.dense import K1, dense
from pullback.papers.delta.monadic import k_term
from pullback.papers.delta.rows import LIBRARY as DELTA_ROWS
from pullback.papers.delta.symbolic import K2, symbolic
from pullback.papers.dual import calls, cayley, contrib, tape
from pullback.papers.dual.forward import f as forward_mode
from pullback.papers.dual.lift import Lift
from pullback.papers.dual.loops import Rules
from pullback.papers.dual.naive import n1
from pullback.papers.dual.rows import DUAL_OPS
from pullback.papers.dual.staged import rules as staged_rules
from pullback.papers.dual.types import Duals
from pullback.papers.language.administrative import marked, simplified
from pullback.papers.language.arrays import OPS
from pullback.papers.language.check import Types, check_source
from pullback.papers.language.notation import noted
from pullback.papers.language.ops import Library
from pullback.papers.language.terms import ONE, Prod, R, Source, Term, Var, Z
from pullback.papers.language.traverse import deeply

BARE = Prod(R, R)
"""The type of dual numbers where only the text of a translation is looked at."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage: its name in the page of the papers, the method that runs it, its translation of a
    program, and how that is printed."""

    name: str
    method: str
    term: Callable[[Source, Types], Term]
    library: Library
    state: str = ""
    counter: str = ""
    closed: bool = False


def lifted(rules: Callable[[Duals], Rules], state: str = "i") -> Callable[[Source, Types], Term]:
    """Return N{t} at a state, by the clauses of a stage."""
    return lambda s, types: Lift(types, rules(Duals(BARE, Z))).at(s.body, Var(state))


def composed_calls(n: Duals) -> Rules:
    """The clauses of N3 and of all stages up to N4a: what differs is SCall."""
    return cayley.rules(n, Var("SCall"), ONE)


def prepared(s: Source) -> Source:
    """Return a program with its lets marked as the user's."""
    return replace(s, body=marked(s.body))


STAGES = (
    Stage("F", "forward", lambda s, ty: forward_mode(s.body, ty, Duals(BARE)), OPS),
    Stage("N1", "dual.naive", lambda s, ty: n1(s.body, ty, Duals(BARE), Var("0")), DUAL_OPS),
    Stage("N2", "dual.staged", lifted(lambda n: staged_rules(n, Var("0"))), calls.LIBRARY,
          counter="i"),
    Stage("N3", "dual.cayley", lifted(composed_calls), cayley.LIBRARY, counter="i"),
    Stage("N3m", "dual.scalars", lifted(composed_calls), cayley.LIBRARY, counter="i"),
    Stage("N4", "dual.mutable", lifted(composed_calls), cayley.LIBRARY, counter="i"),
    Stage("N4a", "dual.collector", lifted(composed_calls), cayley.LIBRARY, counter="i"),
    Stage("N4b", "dual.contrib", lifted(contrib.rules), contrib.LIBRARY, counter="i"),
    Stage("N5", "dual.tape", lifted(tape.rules, "tape"), tape.LIBRARY, state="tape"),
    Stage("K1", "delta.dense", lambda s, ty: K1(ty, dense(ONE)).term(s.body), DELTA_ROWS),
    Stage("K2", "delta.symbolic", lambda s, ty: K2(ty, symbolic()).term(s.body), DELTA_ROWS),
    Stage("K", "delta.monadic", lambda s, ty: k_term(s.body, s.context, Var("s")), DELTA_ROWS,
          state="s"),
    Stage("C0", "chad.naive", lambda s, ty: c0_of(s), DENSE_EV),
    Stage("C1", "chad.sparse", lambda s, ty: c0_of(s), DENSE_EV),
    Stage("C", "chad.monadic", lambda s, ty: chad_of(s), CHAD),
    Stage("CH0", "chad.higher", lambda s, ty: c0_of(s), HIGHER),
    Stage("CC", "chad.closures", lambda s, ty: chad_of(convert(s)), CHAD),
    Stage("S", "curry.simple", lambda s, ty: combinators(s), COMBINATORS, closed=True),
    Stage("E", "curry.dependent", lambda s, ty: combinators(s), COMBINATORS, closed=True),
)
"""In the order of the papers. N3 to N4a have one text, and so have C0 and C1, and S and E: what
differs is what their operations are."""
BY_NAME = {stage.name: stage for stage in STAGES}
assert tuple(BY_NAME) == STAGE_NAMES


def translated(name: str, source: Source) -> str:
    """Return the translation of a program by a stage, as text."""
    stage, s = BY_NAME[name], prepared(source)
    t = deeply(lambda: stage.term(s, check_source(s)))
    context = () if stage.closed else tuple(x for x, _ in source.context)
    return noted(simplified(t), stage.library, context, stage.state, stage.counter)


def plain(source: Source) -> str:
    """Return the program itself, as text."""
    return noted(source.body, OPS, tuple(x for x, _ in source.context))


__all__ = ["BY_NAME", "STAGES", "Stage", "plain", "translated"]
