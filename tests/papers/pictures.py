"""The pictures of docs/PAPERS.md: ``make papers-pictures`` counts the steps, and draws.

    docs/pictures/papers-steps     steps of both passes against size, for all stages, on the four
                                   families that separate them
    docs/pictures/papers-slack     both sides of the theorems TH1 and TH2 of Efficient CHAD on
                                   random programs: every point must be below the line
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

from pullback.papers import load
from pullback.papers.chad.values import to_cotangent
from pullback.papers.language.eval import evaluate
from pullback.papers.language.machine import OutOfSteps
from pullback.papers.language.terms import Source
from pullback.papers.methods import METHODS, run
from pullback.papers.stages import STAGES
from tests.papers.chad_tools import apart, programs, sparse_cotangent, theorem, tree
from tests.papers.families import case, nested
from tests.papers.generate import dbl, sumsq

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # the backend is chosen before

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
MOST = 150_000
"""A stage that takes more steps than this ends there: its line leaves the picture."""
FAMILIES: dict[str, tuple[str, Callable[[int], Source], tuple[int, ...]]] = {
    "doubling": ("doubling chain: x1 = x0 + x0, .., xn (DN 3.4)", dbl, (1, 2, 4, 8, 16, 32, 64)),
    "squares": ("sum of n squares, balanced (DN 4.1)", lambda n: sumsq(n, True),
                (2, 4, 8, 16, 32, 64, 128)),
    "tree": ("complete tree of + over n variables (CHAD App. A)",
             lambda n: tree(n.bit_length() - 1), (2, 4, 8, 16, 32, 64, 128)),
    "closures": ("n closures inside each other (CHAD 9)", nested, (2, 3, 4, 6, 8, 12, 16, 32)),
}  # fmt: skip
PAPERS = {"dual": "Dual numbers (DN)", "delta": "Krawiec et al. (KR)",
          "chad": "Efficient CHAD", "curry": "The Differentiable Curry (DC)"}  # fmt: skip
GREY = "0.6"


def points(method: str, make: Callable[[int], Source], sizes: tuple[int, ...]) -> list[Any]:
    """Return (size, steps) for a stage, up to the first size that takes too many."""
    out = []
    for n in sizes:
        program = case(make(n))
        if METHODS[method].supports(program.source):
            return []
        try:
            done = run(method, *program)
        except (OutOfSteps, MemoryError):
            break
        out.append((n, done.cost))
        # the next size of an exponential stage may never end
        grown = len(out) > 1 and out[-1][1] > 3 * out[-2][1] * out[-1][0] / out[-2][0]
        if done.cost > MOST or (grown and done.cost > MOST / 50):
            break
    return out


def steps(path: Path) -> None:
    """Draw the steps of all stages against size: a row for each family, a column for each paper,
    in grey the program itself."""
    figure, axes = plt.subplots(
        len(FAMILIES), len(PAPERS), figsize=(15, 16), layout="constrained", sharey="row",
        sharex="row")
    for axis, name in zip(axes[0], PAPERS.values(), strict=True):
        axis.set_title(name)
    for row, (title, make, sizes) in zip(axes, FAMILIES.values(), strict=True):
        plain = [(n, evaluate((p := case(make(n))).source.body, dict(zip(
            [x for x, _ in p.source.context], p.args, strict=True)))[1]) for n in sizes]
        for axis, paper in zip(row, PAPERS, strict=True):
            axis.plot(*zip(*plain, strict=True), color=GREY, linewidth=3, alpha=0.5,
                      label="program")
            stages = [s for s in STAGES if s.method.split(".")[0] == paper]
            for k, stage in enumerate(stages):
                found = points(stage.method, make, sizes)
                if found:
                    axis.plot(*zip(*found, strict=True), "-", marker="ox+^sv<>d"[k],
                              color=f"C{k}", markersize=5, linewidth=1.2, label=stage.name)
            axis.set(xscale="log", yscale="log")
            axis.set_ylim(5, 1e6)
            axis.set_xticks(sizes, labels=map(str, sizes), minor=False)
            axis.set_xticks([], minor=True)
            axis.grid(which="major", alpha=0.25)
            axis.legend(loc="upper left", fontsize=8, ncols=2)
            axis.set_xlabel("n")
        row[0].set_ylabel(f"{title}\nsteps", fontsize=10)
    figure.suptitle("Steps of the forward and the reverse pass together, counted by the evaluator."
                    " A line that ends is a stage that needs too many.")
    save(figure, path)


def slack(path: Path, count: int = 400) -> None:
    """Draw both sides of TH1 and TH2 on random programs."""
    figure, axes = plt.subplots(1, 2, figsize=(12, 5.5), layout="constrained")
    one, two = [], []
    for k, (plain, args, seed) in enumerate(programs("RG", count, every=False)):
        source, rng = apart(plain), random.Random(k)
        den = tuple(sparse_cotangent(t, v, rng)
                    for (_, t), v in zip(source.context, args, strict=True))
        found = theorem(source, args, to_cotangent(source.result, seed), den)
        one.append((34 * found.cost, found.th1))
        two.append((found.bound, found.th2))
    texts = (("TH1: cost of value, call and run, with potentials", "34 · cost", one),
             ("TH2: cost of the whole run", "5 + 34 · cost + size + 4 · #Γ", two))
    for axis, (title, bound, found) in zip(axes, texts, strict=True):
        xs, ys = zip(*found, strict=True)
        axis.scatter(xs, ys, s=9, alpha=0.5, color="tab:green")
        ends = [min(xs), max(xs)]
        axis.plot(ends, ends, color="black", label="the bound")
        worst = max(y / x for x, y in found)
        axis.plot(ends, [worst * x for x in ends], "--", color="gray",
                  label=f"what is used at most: {worst:.2f} of it")
        axis.set(xscale="log", yscale="log", title=title, xlabel=bound, ylabel="steps taken")
        axis.legend()
        axis.grid(alpha=0.2)
    figure.suptitle(f"Efficient CHAD, App. D, on {count} random programs")
    save(figure, path)


def save(figure: Any, path: Path) -> None:
    """Write a picture as PNG and as SVG, the same for the same numbers."""
    path.parent.mkdir(exist_ok=True)
    with plt.rc_context({"svg.hashsalt": "papers"}):
        figure.savefig(path.with_suffix(".png"), dpi=90, metadata={"Software": None})
        figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    load()
    steps(FOLDER / "papers-steps")
    slack(FOLDER / "papers-slack")
