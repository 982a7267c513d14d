"""What each pass earns: ``python -m tools.passes OUT [--every N] [--without N]`` writes a table.

Of every N-th program of the corpus, as a function and as a gradient, it notes which stages of the
pipeline change the program, and how long each stage takes. Every N-th program (``--without``) is
then compiled without such a stage, and the table says how many more steps of the evaluator and
lines of LLVM text it has.
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from tools.replay.adapter import Tree
from tools.replay.moved import install

ROOT = Path(__file__).resolve().parents[1]
METHODS = ("function", "reverse")

Figures = tuple[int, int]
"""The number of steps and of lines."""


@dataclass
class Earned:
    """The figures of one stage. ``factors``: for each program that it changes, the steps and lines
    without the stage, divided by those with it; ``needed``: the number of programs that cannot be
    compiled without it."""

    changes: Counter[str] = field(default_factory=Counter)
    factors: list[tuple[float, float]] = field(default_factory=list)
    needed: int = 0
    seconds: float = 0.0


class Compiler(Tree):
    """The compiler of the replay; ``looking``: it compares the program before and after each
    stage."""

    looking = True

    def _run_stages(self, program: Any, stages: Any, given: Any, trace: Any = None) -> Any:
        run = super()._run_stages if self.looking else self.run_stages
        return run(program, stages, given, trace)


class Pipelines:
    """The compiler, with a list of stages that can be changed."""

    def __init__(self) -> None:
        self.tree = Compiler(ROOT / "src")
        self.driver: Any = importlib.import_module("pullback.call.driver")
        self.stages: tuple[Any, ...] = self.driver.PIPELINE
        self.shared: int = self.driver.SHARED
        self.earned: dict[str, Earned] = defaultdict(Earned)

    def use(self, stages: tuple[Any, ...]) -> None:
        """Compile with these stages from now on."""
        names = [s.name for s in stages]
        self.driver.PIPELINE = stages
        self.driver.SHARED, self.driver.AD = names.index("invariant loads"), names.index("ad")

    def timed(self) -> tuple[Any, ...]:
        """Return the stages in a form that notes how long they take."""

        def timing(name: str, run: Callable[[Any], Any]) -> Callable[[Any], Any]:
            def timed(program: Any) -> Any:
                start = time.process_time()
                try:
                    return run(program)
                finally:
                    self.earned[name].seconds += time.process_time() - start

            return timed

        return tuple(
            s if s.run is None else replace(s, run=timing(s.name, s.run)) for s in self.stages
        )

    def compile(self, program: Any, method: str) -> Any:
        """Return the program, compiled by a method from the beginning."""
        self.tree.forget()
        args = program.make_args(np.random.default_rng(0), program.sizes[0])
        return self.tree.compile(program.f, args, program.argnums, method)

    def figures(self, program: Any, method: str) -> Figures:
        """Return the steps and lines of a program that is compiled with the present stages."""
        self.tree.looking = False
        lines = self.compile(program, method).lines
        sizes = (program.make_args(np.random.default_rng(0), n) for n in program.sizes[:2])
        steps = (self.tree.steps(program.f, a, program.argnums, method) for a in sizes)
        total = sum(steps)
        self.tree.looking = True
        return total, lines

    def changes(self, program: Any, method: str) -> None:
        """Note the stages that change a program."""
        self.use(self.timed())
        for name in changing(self.compile(program, method).stages):
            self.earned[name].changes[method] += 1

    def without(self, program: Any, method: str) -> None:
        """Note the figures of a program without each of the stages that change it."""
        self.use(self.stages)
        names = [*changing(self.compile(program, method).stages)]
        whole = self.figures(program, method)
        for stage in self.stages:
            if stage.run is None or stage.name not in names:
                continue
            self.use(tuple(s for s in self.stages if s is not stage))
            try:
                left = self.figures(program, method)
            except Exception:
                self.tree.looking = True
                self.earned[stage.name].needed += 1
            else:
                pair = left[0] / whole[0], left[1] / whole[1]
                self.earned[stage.name].factors.append(pair)


def changing(stages: list[tuple[str, str]]) -> Iterator[str]:
    """Iterate over the names of the stages whose program differs from the one before."""
    for (_, before), (name, after) in pairwise(stages):
        if name != "in" and before != after:
            yield name


def percent(factors: list[float]) -> str:
    """Return the geometric mean of the factors as percents more."""
    if not factors:
        return ""
    mean = math.exp(sum(map(math.log, factors)) / len(factors))
    return f"{100 * (mean - 1):+.1f} %"


def rows(found: Pipelines) -> Iterator[str]:
    """Iterate over the rows of the table, one for each stage."""
    for k, stage in enumerate(found.stages):
        if stage.run is None:
            continue
        one = found.earned[stage.name]
        module = stage.run.__module__.removeprefix("pullback.").replace(".", "/")
        does = " ".join((stage.run.__doc__ or "").split("\n\n")[0].split())
        function, reverse = (one.changes[m] for m in METHODS)
        steps, lines = (percent([f[j] for f in one.factors]) for j in (0, 1))
        yield (
            f"| {stage.name} | `{module}.py:{stage.run.__name__}` | {does} | {function} | "
            f"{'' if k < found.shared else reverse} | {steps} | {lines} | "
            f"{one.needed or ''} | {1000 * one.seconds:.0f} |"
        )


PAGE = """# What each pass earns

Generated by `make passes` (`tools/passes.py`). The stages of
`pipeline.py:PIPELINE`, in their order; why each stands where it does is said there.

*Function* and *gradient*: how many of {seen} programs the stage changes, {every} of the corpus, as
a function and as its gradient (stages before the operator are counted once). *ms*: what the stage
takes for all of them together. *Steps* (of the evaluator, at the two smallest sizes) and *lines*
(of LLVM text): by how much these are more without the stage, in the geometric mean over the \
programs
that it changes of {left}, {without} of the corpus. *Needed*: so many programs cannot be compiled
without it. A place is empty where the stage changes none of these programs.

What one stage leaves, another one does in part, so the figures do not add up. What a stage is worth
to compiled code (lanes, memory, the time of LLVM) is not in them: those that make residuals fewer
take steps for it.

Stages that change none of these programs: {silent}.

| stage | pass | gives | function | gradient | steps | lines | needed | ms |
|---|---|---|---|---|---|---|---|---|
{rows}
"""


def page(found: Pipelines, every: int, without: int, counts: tuple[int, int]) -> str:
    """Return the text of the whole page."""
    silent = [s.name for s in found.stages if s.run and not found.earned[s.name].changes]

    def part(n: int) -> str:
        return "all" if n == 1 else f"one in {n}"

    return PAGE.format(
        seen=counts[0], every=part(every), left=counts[1], without=part(without),
        silent=", ".join(silent) or "none", rows="\n".join(rows(found)),
    )  # fmt: skip


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.passes", description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--without", type=int, default=4)
    asked = parser.parse_args()
    sys.setrecursionlimit(20_000)
    install(ROOT / "src", ROOT / "src")
    corpus = importlib.import_module("tests.programs").corpus()
    found = Pipelines()
    seen, left = corpus[:: asked.every], corpus[:: asked.without]
    for programs, look in ((seen, found.changes), (left, found.without)):
        for program in programs:
            for method in METHODS if program.argnums else METHODS[:1]:
                look(program, method)
    counts = len(seen), len(left)
    Path(asked.out).write_text(page(found, asked.every, asked.without, counts))


if __name__ == "__main__":
    main()
