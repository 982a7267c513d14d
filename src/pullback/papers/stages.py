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
>>> print(story(fig1, (3.0, 4.0), ("N1", "N4b")), end="")  # doctest: +NORMALIZE_WHITESPACE
   \\(x, y). let z = x + y in x * z
   9 steps: 21
<BLANKLINE>
N1  a backpropagator is called once per path (Figs. 6, 7): dual.naive
 * \\((x, dx), (y, dy)).
 *  let (z, dz) = (x + y, \\_d. dx (1 * d) +_c dy (1 * d)) in
 *  (x * z, \\_d. dx (z * d) +_c dz (x * d))
   forward 62 steps, reverse 77; 5 calls of 4 backpropagators: 2 1 1 1
<BLANKLINE>
N4b  defunctionalised backpropagators (section 8.2): dual.contrib
 * \\((x, dx), (y, dy)) i.
 *  let (z, dz) = (x + y, (i, [(1, dx), (1, dy)])) in ((x * z, (i + 1, [(z, dx), (x, dz)])), i + 2)
   forward 138 steps, reverse 283
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pullback.papers import STAGE_NAMES, load
from pullback.papers.chad.dense import DENSE_EV
from pullback.papers.chad.higher import HIGHER
from pullback.papers.chad.monadic import CHAD, chad_of
from pullback.papers.chad.naive import c0_of
from pullback.papers.closure_conversion import convert
from pullback.papers.curry.combinators import COMBINATORS
from pullback.papers.curry.translation import combinators
from pullback.papers.delta.dense import K1, dense
from pullback.papers.delta.ground import unstructured
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
from pullback.papers.language.eval import evaluate
from pullback.papers.language.notation import noted
from pullback.papers.language.ops import Library
from pullback.papers.language.terms import ONE, Prod, R, Source, Term, Var, Z
from pullback.papers.language.traverse import deeply
from pullback.papers.language.values import map_reals
from pullback.papers.methods import METHODS, Outcome, Unsupported, run

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


def story(source: Source, args: Sequence[object], only: Sequence[str] = ()) -> str:
    """Return the program by all stages (or some): each translation, and what a run counts."""
    load()
    env = dict(zip((x for x, _ in source.context), args, strict=True))
    value, steps = evaluate(source.body, env, OPS)
    seed = map_reals(lambda _: 1.0, unstructured(value))
    out = [indented(plain(source), ()), f"   {steps} steps: {written(value)}", ""]
    before: tuple[str, ...] = tuple(plain(source).splitlines())
    for stage in STAGES:
        if only and stage.name not in only:
            continue
        method = METHODS[stage.method]
        out.append(f"{stage.name}  {about(method.description)}: {stage.method}")
        reason = method.supports(source)
        try:
            if reason:
                raise Unsupported(reason)
            text = translated(stage.name, source)
            done = run(stage.method, source, tuple(args), seed)
        except Unsupported as e:
            out += [f"   {e.reason}", ""]
            continue
        out += [indented(text, before), f"   {counted(done)}", ""]
        before = tuple(text.splitlines())
    return "\n".join(out)


def indented(text: str, before: Sequence[str]) -> str:
    """Return a text with ``*`` before the lines that the text before had not."""
    known = {line.strip() for line in before}
    return "\n".join(
        f" {' ' if not before or line.strip() in known else '*'} {line}"
        for line in text.splitlines())


def counted(done: Outcome) -> str:
    """Return the steps of both passes, and the calls of backpropagators if they are functions."""
    steps = f"forward {done.forward} steps, reverse {done.reverse}"
    m = done.machine
    calls_of = [n for role, n in zip(m.roles, m.calls, strict=True) if role != "eval"]
    if not calls_of:
        return steps
    some = " ".join(map(str, calls_of[:20])) + (" .." if len(calls_of) > 20 else "")
    return f"{steps}; {sum(calls_of)} calls of {len(calls_of)} backpropagators: {some}"


def about(description: str) -> str:
    """Return the description of a method without the stage's name."""
    return description.partition(": ")[2] or description


def written(value: object) -> str:
    """Return a value as text, reals in short."""
    match value:
        case float():
            return f"{value:.6g}"
        case (a, b):
            return f"({written(a)}, {written(b)})"
        case list():
            return f"[{', '.join(map(written, value))}]"
        case _:
            return str(value)


__all__ = ["BY_NAME", "STAGES", "Stage", "plain", "story", "translated"]
