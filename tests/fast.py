"""``make test-fast``: run the tests of touched files, within two minutes of two quiet cores.

A file is touched if the working tree differs there from the branch ``main``, or on ``main`` from
the last commit. Its layer and the tests of that are in ``LAYERS``, how long these take in
``tests/durations.txt``. First come the house and the touched tests themselves, then each layer's in
turns: those that seem to be about a touched file (``likely``), then as ``LAYERS`` has them, then
the shortest; of the corpus a sixteenth. The end names the tests that did not fit; ``make test``
runs everything.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, zip_longest
from pathlib import Path

from tests.durations import seconds

ROOT = Path(__file__).parents[1]
BUDGET = float(os.environ.get("PULLBACK_FAST", "150"))
"""Seconds of processor time for the tests, beside what it takes to start and to collect them."""

SIXTEENTH = 16
HOUSE = ("tests/house",)
CORPUS = ("tests/test_agreement.py", "tests/test_cost.py")
WORK = ("tests/opt/test_work.py", "tests/test_python_work.py", "tests/test_scaling.py")
DRIVER = ("tests/test_*.py",)
LINEAR = tuple(f"tests/frontend/test_{name}.py" for name in ("numpy_linalg", "surface", "lapack"))
OPERATORS = tuple(f"tests/test_{name}.py" for name in (
    "api", "derived", "vmap", "jet", "implicit", "rules", "checkpoint", "nested_derivatives",
))  # fmt: skip

LAYERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("src/pullback/core", ("tests/core", "tests/lower", "tests/ad/test_scalars.py", *CORPUS)),
    ("src/pullback/frontend/library/text/spectral.py", LINEAR),
    ("src/pullback/frontend/library/text/linear_algebra.py", LINEAR),
    ("src/pullback/frontend/library", ("tests/frontend/test_surface.py", *CORPUS,
                                       "tests/frontend")),
    ("src/pullback/frontend", (*CORPUS, "tests/frontend")),
    ("src/pullback/convert", ("tests/convert", "tests/opt/test_pipeline.py", *CORPUS, *WORK)),
    ("src/pullback/opt", ("tests/opt", *CORPUS, *WORK)),
    ("src/pullback/ad", ("tests/ad", *CORPUS)),
    ("src/pullback/lower", ("tests/lower", "tests/native", *CORPUS)),
    ("src/pullback/native", ("tests/native", "tests/test_boundary.py", "tests/test_calls.py",
                             "tests/test_routes.py", "tests/test_products.py", *CORPUS)),
    ("src/pullback/call", (*CORPUS, "tests/test_boundary.py", "tests/test_calls.py",
                           "tests/native/test_objects.py", *DRIVER)),
    ("src/pullback/api", (*OPERATORS, *DRIVER)),
    ("src/pullback/structures.py", (*OPERATORS, *DRIVER)),
    ("src/pullback/batches.py", (*OPERATORS, *DRIVER)),
    ("src/pullback/papers", ("tests/papers",)),
    ("src/pullback/demo", ("tests/test_demo.py",)),
    ("src/pullback", (*DRIVER, *CORPUS)),
    ("benchmarks", ("tests/test_benchmarks.py",)),
    ("tools", ("tests/test_replay.py",)),
    ("examples", ("tests/test_examples.py", "tests/test_agreement.py")),
    ("tests/programs", CORPUS),
    ("docs", ("tests/house/test_docs.py", "tests/papers/test_matrix.py")),
)  # fmt: skip
"""Files and folders, and the tests of their layer, the first ones first: the first row that fits
counts."""


def git(*words: str) -> list[str]:
    """Return the lines that git answers; none if it cannot."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False,
                          timeout=86_400)
    return done.stdout.splitlines() if done.returncode == 0 else []


def touched() -> list[str]:
    """Return the files that differ, in the working tree too."""
    head, changed = git("rev-parse", "HEAD"), git("status", "--porcelain")
    bases = (git("merge-base", name, "HEAD") for name in ("main", "origin/main", "master"))
    base = next((b for b in bases if b and b != head), head if changed else ["HEAD~1"])
    new = git("ls-files", "--others", "--exclude-standard")
    return sorted({*git("diff", "--name-only", *base), *new})


def files(test: str) -> list[str]:
    """Return the test files of a file, of a folder or of a pattern."""
    path = ROOT / test
    found = sorted(path.rglob("test_*.py")) if path.is_dir() else sorted(ROOT.glob(test))
    return [file.relative_to(ROOT).as_posix() for file in found]


def layer(file: str) -> tuple[str, ...]:
    """Return the tests of the layer to which a file belongs."""
    return next((tests for home, tests in LAYERS if f"{file}/".startswith(f"{home}/")), ())


def cost(test: str) -> float:
    """Return the seconds that a file of tests takes here."""
    return seconds(test) / (SIXTEENTH if test in (*CORPUS, *WORK) else 1)


def words(path: str) -> frozenset[str]:
    """Return the words in the path of a file, but for those that say nothing."""
    found = re.findall(r"[a-z]+", path.removesuffix(".py"))
    return frozenset(found) - {"src", "pullback", "tests", "test", "papers"}


@cache
def public(file: str) -> tuple[str, ...]:
    """Return the names of the public functions and classes of a module."""
    path = ROOT / file
    text = path.read_text() if path.suffix == ".py" and path.exists() else ""
    return tuple(re.findall(r"^(?:def|class) ([A-Za-z]\w*)", text, re.MULTILINE))


def likely(test: str, changed: Sequence[str]) -> int:
    """Return how much speaks for it that a test is about one of the files that were changed: words
    of the paths, an import, and half of the public names."""
    text = (ROOT / test).read_text()
    used = frozenset(re.findall(r"\w+", text))
    scores = [0]
    for file in changed:
        module = file.removeprefix("src/").removesuffix(".py").replace("/", ".")
        names = public(file)
        scores.append(
            len(words(Path(test).stem) & words(file))
            + (re.search(rf"\b{re.escape(module)}\b", text) is not None)
            + (0 < len(names) <= 2 * len(used.intersection(names)))
        )
    return max(scores)


def candidates(changed: Sequence[str]) -> Iterator[str]:
    """Iterate over test files in the order in which they are wanted, some more than once."""
    yield from chain.from_iterable(map(files, HOUSE))
    yield from (file for file in changed if Path(file).name.startswith("test_"))
    rows = []
    for tests in dict.fromkeys(map(layer, changed)):
        place = {test: k for k, some in reversed([*enumerate(tests)]) for test in files(some)}
        rows.append(sorted(place, key=lambda t: (-likely(t, changed), place[t], cost(t))))
    yield from (test for turn in zip_longest(*rows) for test in turn if test is not None)


def choose(changed: Sequence[str], budget: float = BUDGET) -> tuple[list[str], list[str]]:
    """Return the tests to run, and those that do not fit."""
    run: list[str] = []
    left: list[str] = []
    spent = 0.0
    for test in dict.fromkeys(candidates(changed)):
        if not (ROOT / test).exists():
            continue
        if spent + cost(test) <= budget:
            spent += cost(test)
            run.append(test)
        else:
            left.append(test)
    return run, left


def main() -> int:
    changed = touched()
    run, left = choose(changed)
    print(f"{len(changed)} files were touched; {len(run)} files of tests,"
          f" {sum(map(cost, run)):.0f} s of processor time")
    asked = {**os.environ, "PULLBACK_PROGRAMS": str(SIXTEENTH)}
    words = [sys.executable, "-m", "pytest", "-n2", "-q", *run]
    status = subprocess.run(words, cwd=ROOT, env=asked, check=False, timeout=86_400).returncode
    if left:
        print("not run, for lack of time:", *left)
    return status


if __name__ == "__main__":
    sys.exit(main())
