"""What each pass earns: ``python -m tools.passes OUT [--every N] [--without N]`` writes a table.

For every N-th program of the corpus, as a function and as a gradient, it notes which stages of the
pipeline change the program, and how long each stage takes. At most N of the programs that a stage
changes (``--without``) are then compiled without the stage, and the table says how many more steps
of the evaluator and lines of LLVM text they have. ``--only`` names the stages that are left out.
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
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

Asked = tuple[str, str]
"""A program and a method."""


@dataclass
class Earned:
    """The figures of one stage. ``changes``: the programs that it changes, by method; ``factors``:
    for some of them, steps and lines without the stage, divided by those with it; ``needed``: the
    programs that cannot be compiled without it."""

    changes: dict[str, list[str]] = field(default_factory=lambda: {m: [] for m in METHODS})
    factors: dict[Asked, tuple[float, float]] = field(default_factory=dict)
    needed: list[Asked] = field(default_factory=list)
    seconds: float = 0.0

    def some(self, most: int) -> list[Asked]:
        """Return at most so many of the programs that the stage changes, evenly spread."""
        both = [(name, m) for m in METHODS for name in self.changes[m]]
        return [both[k * len(both) // most] for k in range(most)] if len(both) > most else both


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
        names = ("pullback.pipeline", "pullback.call.driver")
        self.modules: tuple[Any, ...] = tuple(map(importlib.import_module, names))
        self.stages: tuple[Any, ...] = self.modules[0].PIPELINE
        self.shared: int = self.modules[0].SHARED
        self.earned: dict[str, Earned] = defaultdict(Earned)

    def use(self, stages: tuple[Any, ...]) -> None:
        """Compile with these stages from now on."""
        names = [s.name for s in stages]
        for module in self.modules:
            module.PIPELINE = stages
            module.SHARED = names.index("invariant loads")
        self.modules[0].AD = names.index("ad")

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
            self.earned[name].changes[method].append(program.name)

    def without(self, program: Any, method: str, names: list[str]) -> None:
        """Note the figures of a program without each of the stages that change it."""
        self.use(self.stages)
        asked, whole = (program.name, method), self.figures(program, method)
        for name in names:
            self.use(tuple(s for s in self.stages if s.name != name))
            try:
                left = self.figures(program, method)
            except Exception:
                self.tree.looking = True
                self.earned[name].needed.append(asked)
            else:
                self.earned[name].factors[asked] = left[0] / whole[0], left[1] / whole[1]


def changing(stages: list[tuple[str, str]]) -> Iterator[str]:
    """Iterate over the names of the stages whose program differs from the one before."""
    for (_, before), (name, after) in pairwise(stages):
        if name != "in" and before != after:
            yield name


def percent(factors: Sequence[float]) -> str:
    """Return the geometric mean of the factors, as percents more."""
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
        function, reverse = (len(one.changes[m]) or '' for m in METHODS)
        steps, lines = (percent([f[j] for f in one.factors.values()]) for j in (0, 1))
        yield (
            f"| {stage.name} | `{module}.py:{stage.run.__name__}` | {does} | {function} | "
            f"{'' if k < found.shared else reverse} | {steps} | {lines} | "
            f"{len(one.needed) or ''} | {1000 * one.seconds:.0f} |"
        )


PAGE = """# What each pass earns

Generated by `make passes` (`tools/passes.py`). The stages of
`pipeline.py:PIPELINE`, in their order; why each stands where it does is said there.

*Function* and *gradient*: how many of {seen} programs the stage changes, {every} of the corpus, as
a function and as its gradient (stages before the operator are counted once). *ms*: what the stage
takes for all of them together. *Steps* (of the evaluator, at the two smallest sizes) and *lines*
(of LLVM text): by how much these are more without the stage, in the geometric mean over the \
programs
that it changes, or {without} of them. *Needed*: of those so many cannot be compiled without it.

What one stage leaves, another one does in part, so the figures do not add up. What a stage is worth
to compiled code (lanes, memory, the time of LLVM) is not in them: those that make residuals fewer
take steps for it.

Stages that change none of these programs: {silent}.

| stage | pass | gives | function | gradient | steps | lines | needed | ms |
|---|---|---|---|---|---|---|---|---|
{rows}
"""


def page(found: Pipelines, every: int, without: int, seen: int) -> str:
    """Return the text of the whole page."""
    silent = [
        s.name for s in found.stages if s.run and not any(found.earned[s.name].changes.values())
    ]
    return PAGE.format(
        seen=seen, every="all" if every == 1 else f"one in {every}", without=without,
        silent=", ".join(silent) or "none", rows="\n".join(rows(found)),
    )  # fmt: skip


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.passes", description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--without", type=int, default=16)
    parser.add_argument("--only", nargs="*")
    asked = parser.parse_args()
    sys.setrecursionlimit(20_000)
    install(ROOT / "src", ROOT / "src")
    corpus = importlib.import_module("tests.programs").corpus()
    found = Pipelines()
    seen = corpus[:: asked.every]
    for program in seen:
        for method in METHODS if program.argnums else METHODS[:1]:
            found.changes(program, method)
    named = asked.only or [s.name for s in found.stages if s.run is not None]
    wanted: dict[Asked, list[str]] = defaultdict(list)
    for name in named:
        for one in found.earned[name].some(asked.without):
            wanted[one].append(name)
    programs = {program.name: program for program in seen}
    for (program, method), names in wanted.items():
        found.without(programs[program], method, names)
    Path(asked.out).write_text(page(found, asked.every, asked.without, len(seen)))


if __name__ == "__main__":
    main()
