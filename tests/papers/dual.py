"""The stages of dual-numbers reverse AD, and how the tests run them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

from pullback.papers.dual.cayley import cayley
from pullback.papers.dual.collector import collector
from pullback.papers.dual.contrib import contrib
from pullback.papers.dual.ground import Wrapped, runner
from pullback.papers.dual.mutable import mutable
from pullback.papers.dual.naive import naive
from pullback.papers.dual.scalars import scalars
from pullback.papers.dual.staged import staged
from pullback.papers.dual.tape import tape
from pullback.papers.language.eval import evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Library
from pullback.papers.language.terms import App, Source, Var
from pullback.papers.language.traverse import deeply
from pullback.papers.language.values import pair, tuple_value
from pullback.papers.methods import Outcome
from tests.papers.generate import finite_difference, random_cotangent, random_program

STAGES: dict[str, Callable[[Source], Wrapped]] = {
    "N1": naive, "N2": staged, "N3": cayley, "N3m": scalars, "N4": mutable, "N4a": collector,
    "N4b": contrib, "N5": tape,
}  # fmt: skip
STAGED = {k: v for k, v in STAGES.items() if k not in ("N1", "N4b", "N5")}
"""The stages whose backpropagators are functions, called by SResolve."""
LINEAR = {k: STAGES[k] for k in ("N4", "N4a", "N4b", "N5")}


def outcome(stage: Callable[[Source], Wrapped], s: Source, args: Any, seed: Any) -> Outcome:
    """Return value and cotangents by a stage."""
    return runner(stage)(s, args, seed)


def primal_and_pullback(
    w: Wrapped, args: tuple[object, ...], m: Machine, library: Library | None = None
) -> tuple[object, Any]:
    """Return the value, and the pullback as a function value."""
    both, _ = evaluate(
        App(w.term, Var("input")), {"input": tuple_value(*args)}, library or w.library, m)
    return pair(both)


def case(i: int, fragment: str, size: int = 25) -> tuple[Source, tuple[Any, ...], Any]:
    """Return a random program, arguments and a cotangent of its result."""
    s, args = random_program(i, fragment, size)
    value, _ = evaluate(s.body, dict(zip([x for x, _ in s.context], args)))
    return s, args, random_cotangent(value, random.Random(i))


def source_cost(s: Source, args: tuple[object, ...]) -> int:
    """Return what the program itself costs."""
    return evaluate(s.body, dict(zip([x for x, _ in s.context], args)))[1]


def slope(cost: Callable[[int], float], a: int, b: int) -> float:
    """Return log(f(b)/f(a)) / log(b/a)."""
    return math.log(cost(b) / cost(a)) / math.log(b / a)


__all__ = ["LINEAR", "STAGED", "STAGES", "case", "deeply", "finite_difference", "outcome",
           "primal_and_pullback", "slope", "source_cost"]
