"""Refactoring changes nothing: programs that are rewritten as people move code about.

Each program of the corpus and of ``tests/foreign`` is rewritten by each transformation of
``refactoring.py`` that applies to it. Plain Python gives the same value; Pullback gives the value
and, by both methods, the gradient that it gives for the original, and takes about as many steps.
What is not so yet is in ``KNOWN`` and ``SLOWER``, by cause; ``refactoring.txt`` counts it.
"""

from __future__ import annotations

import ast
import copy
import functools
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import campaign, harness, refactoring
from tests.definitions import parsed
from tests.foreign.__main__ import FILES, alike, cases
from tests.programs import Program, corpus

METHODS = ("chad", "dual")
KNOWN = (
    (r".*what is in a caught exception", "functions and objects in it; types that differ"),
    (r".*a dict with the keys .* (before the loop|on one path)", "keys that are set in a loop"),
    (r"'…' may have no value here", "a field that is set in a part of the paths"),
    (r"this call may raise StopIteration, which leaves a generator", "recursion by ``next``"),
    (r".*objects that lead to each other in a circle", "functions in the dict that they read"),
    (r"a function (where a function is needed|that is built up step by step)", "what f(f) gives"),
    (r"a generator given a name: an iterator can be used", "itertools without a loop"),
    (r"'…' holds a function that captured '…', which has been assigned again", "a loop's closure"),
    (r".*(may share memory|may be in other places|sees the same memory|shares memory)",
     "an array or a list by several names that is updated"),
)  # fmt: skip
"""Causes of refusals, as patterns, and where they come from."""
WRONG: tuple[str, ...] = ()
"""Programs that fail with an error that is not Pullback's."""
SLOWER = {
    "by_next": "each item is asked for with a test of its own",
    "attributes": "functions in attributes", "dictionary": "a dict whose keys only the run knows",
    "by_list": "recursion", "looped": "recursion",
    "by_exception": "Python makes each exception, and the columns of what it holds grow",
}  # fmt: skip
"""Transformations of which some programs take more steps than they should, and why."""
TABLE = Path(__file__).with_name("refactoring.txt")


@dataclass(frozen=True)
class Found:
    """What a program does: in Python, compiled, and what it costs; or what was raised."""

    python: Any = None
    compiled: tuple[Any, ...] = ()
    steps: int = 0
    seconds: float = 0.0
    error: str = ""
    refused: bool = False


@dataclass(frozen=True)
class Outcome:
    """What a transformation of a program has shown; beside it what the original takes."""

    word: str
    why: str
    steps: tuple[int, int] = (0, 0)
    seconds: tuple[float, float] = (0.0, 0.0)


@functools.cache
def programs() -> dict[str, Program]:
    """All programs by name; of foreign ones the gradient where the result is a number."""
    found = {program.name: program for program in corpus()}
    for title, f, args in (case for name in FILES for case in cases(name)):
        real = [i for i, a in enumerate(args) if any(map(harness.is_real, _leaves(a)))]
        result = f(*copy.deepcopy(args))
        nums = tuple(real) if isinstance(result, float) else ()
        again = functools.partial(_again, args)
        found[title] = Program(title, f, again, nums)
    return found


def _again(args: tuple[Any, ...], rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return copy.deepcopy(args)


def _leaves(x: Any) -> Iterator[Any]:
    return harness.leaves(list(vars(x).values()) if hasattr(x, "__dict__") else x)


def run(f: Callable[..., Any], program: Program) -> Found:
    """Run a program in Python and compiled, at its second size."""
    n = program.sizes[min(1, len(program.sizes) - 1)]

    def args() -> tuple[Any, ...]:
        return program.make_args(np.random.default_rng(n), n)

    try:
        python = f(*args())
        start = time.process_time()
        if program.argnums:
            of = [harness.gradient(f, args(), program.argnums, "eval", m) for m in METHODS[:1]]
        else:
            of = [harness.run(f, args(), "eval")]
        seconds = time.process_time() - start
        of += [harness.gradient(f, args(), program.argnums, "eval", m)
               for m in METHODS[1:] if program.argnums]  # fmt: skip
        return Found(python, tuple(of), harness.steps(f, args()), seconds)
    except Exception as error:
        internal = isinstance(error, pb.InternalError)
        refused = isinstance(error, pb.PullbackError) and not internal
        return Found(error=f"{type(error).__name__}: {error}", refused=refused)


def compared(program: Program, first: Found, other: Found) -> Outcome:
    """What it shows that a rewritten program does the one, and the original the other."""
    if first.error:
        return Outcome("refused" if first.refused else "wrong", first.error)
    if not same(program, first.python, other.python):
        return Outcome("wrong", f"plain Python gives {first.python}, not {other.python}")
    if not all(same(program, a, b) for a, b in zip(first.compiled, other.compiled, strict=True)):
        return Outcome("wrong", f"{first.compiled} where the original has {other.compiled}")
    slow = first.steps > max(1.5 * other.steps, other.steps + 50)
    costs = (first.steps, other.steps), (first.seconds, other.seconds)
    why = f"{first.steps} steps where the original takes {other.steps}" if slow else ""
    return Outcome("slower" if slow else "right", why, *costs)


def same(program: Program, a: Any, b: Any) -> bool:
    tolerance = 2e-5 if program.single else 1e-11
    try:
        return harness.distance(a, b) <= tolerance
    except TypeError:  # there are objects of plain classes
        return alike(a, b)


def outcomes(program: Program, hows: list[refactoring.Transformation], folder: Path,
             ) -> Iterator[tuple[str, Outcome]]:  # fmt: skip
    """Each transformation that applies, and what it has shown; nothing of a program that is
    refused as it is, or of which the source is not that of a function."""
    f = refactoring.rewritten(program.f, refactoring.as_it_is, folder)
    if f is None or not hows:
        return
    original = None
    for how in hows:
        g = refactoring.rewritten(program.f, how, folder)
        if g is None:
            continue
        original = original or run(f, program)
        if original.error:
            return
        yield how.__name__, compared(program, run(g, program), original)


def cause(why: str) -> str:
    """The first line of a refusal, without names, numbers and what depends on the program."""
    line = re.sub(r"^\w+: ([a-z ]+: )?", "", why.strip().splitlines()[0])
    line = re.sub(r"'[^']*'", "'…'", line)
    return re.sub(r"\d+", "0", line)[:120]


def written(found: dict[str, Outcome]) -> None:
    """Write the table."""
    head = f"{'transformation':14} {'right':>6} {'slower':>6} {'refused':>7} {'wrong':>6} "
    lines = [head + f"{'steps':>6} {'compilation':>11}   most frequent refusal"]
    for how in [*[t.__name__ for t in refactoring.TRANSFORMATIONS], ""]:
        some = [o for name, o in found.items() if name.split()[0] == how or not how]
        if not some:
            continue
        words = Counter(o.word for o in some)
        ratios = [means([o.steps for o in some]), means([o.seconds for o in some])]
        whys = Counter(cause(o.why) for o in some if o.word == "refused").most_common(1)
        lines.append(
            f"{how or 'all':14} {words['right']:6} {words['slower']:6} {words['refused']:7} "
            f"{words['wrong']:6} {ratios[0]:6.3f} {ratios[1]:11.2f}   "
            + " ".join(f"{n} {why}" for why, n in whys)
        )
    TABLE.write_text("\n".join([*map(str.rstrip, lines), ""]))


def means(pairs: list[Any]) -> float:
    """The geometric mean of the ratios."""
    logs = [math.log(a / b) for a, b in pairs if a and b]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def allowed(name: str, o: Outcome) -> bool:
    """Whether an outcome is right, or known not to be."""
    if o.word == "refused":
        return any(re.match(pattern, cause(o.why)) for pattern, _ in KNOWN)
    if o.word == "wrong":
        return name in WRONG
    return o.word == "right" or name.split()[0] in SLOWER


FOUND: dict[str, Outcome] = {}
PARTS = 12


@pytest.mark.parametrize("part", range(PARTS))
def test_refactoring_changes_nothing(part: int, tmp_path: Path) -> None:
    """One in 3000 of the rewritten programs in a run; all in the campaign."""
    found: dict[str, Outcome] = {}
    for title, program in list(programs().items())[part::PARTS]:
        hows = [t for t in refactoring.TRANSFORMATIONS
                if campaign.chosen("refactorings", f"{t.__name__} {title}", 3000)]  # fmt: skip
        found |= {f"{how} {title}": o for how, o in outcomes(program, hows, tmp_path)}
    FOUND.update(found)
    wrong = [f"{name}: {o.word} {o.why}" for name, o in found.items() if not allowed(name, o)]
    if campaign.full("refactorings") and part == PARTS - 1:
        written(FOUND)
    assert not wrong, "\n\n".join(wrong)


def smoothed(xs: list[float], rate: float) -> float:
    """A program to which every transformation applies."""
    kept = [xs[0]]
    total = 0.0
    for x in xs:
        total = total * rate + x
        if total > 100.0:
            return total
        kept.append(total * x)
    return sum(kept) + total


def test_every_transformation(tmp_path: Path) -> None:
    program = Program("smoothed", smoothed, lambda rng, n: ([*rng.normal(size=n)], 0.7), (0, 1))
    found = dict(outcomes(program, list(refactoring.TRANSFORMATIONS), tmp_path))
    assert len(found) == len(refactoring.TRANSFORMATIONS)
    assert {name: o for name, o in found.items() if not allowed(name, o)} == {}


def test_a_wrong_transformation_is_seen(tmp_path: Path) -> None:
    def wrong(fd: ast.FunctionDef, main: bool) -> list[ast.stmt]:
        return parsed(ast.unparse(fd).replace("total * x", "total * xs[0]"))

    def other(fd: ast.FunctionDef, main: bool) -> list[ast.stmt]:
        return parsed(ast.unparse(fd).replace("0.0", "0.0 * open('x').fileno()"))

    program = Program("smoothed", smoothed, lambda rng, n: ([*rng.normal(size=n)], 0.7), (0, 1))
    assert [o.word for _, o in outcomes(program, [wrong, other], tmp_path)] == ["wrong", "wrong"]
