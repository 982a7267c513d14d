"""What ``pb.stages`` tells of a program: a card for each stage of the papers (``stages``), with the
translation, which of its lines are new, and what a run of it counts.

>>> from pullback.papers.language.build import prim, reals
>>> from pullback.papers.language.terms import Let, R, Source, Var
>>> fig1 = Source(reals("x", "y"), Let("z", prim("add", Var("x"), Var("y")), prim(
...     "mul", Var("x"), Var("z"))), R)
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

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pullback.core.frozen import dataclass
from pullback.papers import load
from pullback.papers.chad.monadic import CHAD
from pullback.papers.delta.ground import unstructured
from pullback.papers.language.arrays import OPS
from pullback.papers.language.eval import evaluate
from pullback.papers.language.machine import Machine, OutOfSteps
from pullback.papers.language.terms import Source
from pullback.papers.language.values import map_reals
from pullback.papers.methods import METHODS, Outcome, Unsupported, run
from pullback.papers.stages import STAGES, plain, translated

LONG, LONG_IN_A_MONAD = 40, 14
"""So many lines may a program have whose translations are simplified soon: all of them, and that
of CHAD."""


@dataclass(frozen=True, slots=True)
class Card:
    """A program by one stage: what the stage is, its text with whether each line is new, and what a
    run counts; or the reason why the stage does not take it. The first card is the program."""

    name: str
    title: str
    lines: tuple[tuple[bool, str], ...]
    counts: str
    reason: str = ""


def cards(
    source: Source, args: Sequence[object], only: Sequence[str] = (), most: float = math.inf
) -> list[Card]:
    """Return the program by all stages (or some): each translation, and what a run counts. With a
    limit of steps, stages that take more are left, and so is what would take seconds to print."""
    load()
    env = dict(zip((x for x, _ in source.context), args, strict=True))
    value, steps = evaluate(source.body, env, OPS)
    seed = map_reals(lambda _: 1.0, unstructured(value))
    before: tuple[str, ...] = tuple(plain(source).splitlines())
    out = [Card("", "", compared(plain(source), ()), f"{steps} steps: {written(value)}")]
    for stage in STAGES:
        if only and stage.name not in only:
            continue
        method = METHODS[stage.method]
        title = f"{about(method.description)}: {stage.method}"
        reason = method.supports(source)
        lines = LONG_IN_A_MONAD if stage.library is CHAD else LONG
        if not reason and most < math.inf and len(out[0].lines) > lines:
            reason = "its text would be too long"
        try:
            if reason:
                raise Unsupported(reason)
            text = translated(stage.name, source)
            with limited(most):
                done = run(stage.method, source, tuple(args), seed)
        except OutOfSteps as e:
            out.append(Card(stage.name, title, compared(text, before), "", str(e)))
            continue
        except Unsupported as e:
            out.append(Card(stage.name, title, (), "", e.reason))
            continue
        out.append(Card(stage.name, title, compared(text, before), counted(done)))
        before = tuple(text.splitlines())
    return out


@contextmanager
def limited(most: float) -> Iterator[None]:
    """Let all evaluations take so many steps and no more."""
    before, Machine.most = Machine.most, most
    try:
        yield
    finally:
        Machine.most = before


def story(source: Source, args: Sequence[object], only: Sequence[str] = ()) -> str:
    """Return the cards as text, with ``*`` before new lines."""
    out: list[str] = []
    for card in cards(source, args, only):
        out += [f"{card.name}  {card.title}"] if card.name else []
        out += [f" {'*' if new else ' '} {line}" for new, line in card.lines]
        out += [f"   {card.reason or card.counts}", ""]
    return "\n".join(out)


def compared(text: str, before: Sequence[str]) -> tuple[tuple[bool, str], ...]:
    """Return the lines of a text, each with whether the text before had it not."""
    known = {line.strip() for line in before}
    return tuple(
        (bool(before) and line.strip() not in known, line) for line in text.splitlines())


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


__all__ = ["Card", "cards", "compared", "story"]
