"""The full campaign of the papers' theorems, with a table of its seeds and counts.

    python -m tests.papers.full [-jN] [file..]        or make campaign-papers-table

Every file of ``tests/papers`` is a shard: two run at a time (``-j1``: one), each in a process of
its own, with ``MANY`` random programs for every theorem and all programs up to the campaign's
sizes. What each test took (the fragments, how many programs, from which seed to which, processor
seconds, the commit) and how it ended is written down as soon as it has ended, to
``build/papers_campaign``: a campaign that was interrupted goes on where it was. Tests that failed
are run again. At the end, ``rows/campaign.txt`` is made of it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.papers import generate

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
TABLE = FOLDER / "rows" / "campaign.txt"
WORK = ROOT / "build" / "papers_campaign"
"""One file for each file of tests, a line for each test that has ended."""

# --- in the process of a shard, as a plugin of pytest ---------------------------------------------


def name_of(item: pytest.Item) -> str:
    """Return the test's name in the table."""
    return item.nodeid.partition("::")[2]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what has passed already."""
    done = passed(Path(os.environ["PAPERS_TABLE"]))
    left = [item for item in items if name_of(item) in done]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if name_of(item) not in done]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Write down how a test ended, and what it took."""
    generate.taken()
    start, ended = sum(os.times()[:4]), "failed"
    try:
        yield
        ended = "passed"
    finally:
        seconds = sum(os.times()[:4]) - start
        programs = [f"{fragment}: {len(seeds)} programs, seeds {min(seeds)} to {max(seeds)}"
                    for fragment, seeds in sorted(generate.taken().items())]
        line = [name_of(item), ended, f"{seconds:.1f} s", os.environ["PAPERS_COMMIT"], *programs]
        with Path(os.environ["PAPERS_TABLE"]).open("a") as file:
            file.write(" | ".join(line) + "\n")


def passed(log: Path) -> set[str]:
    """Return the tests that have passed, by the lines that a shard has written."""
    lines = log.read_text().splitlines() if log.exists() else []
    return {line.split(" | ")[0] for line in lines if " | passed | " in line}


# --- the campaign ---------------------------------------------------------------------------------


def commit() -> str:
    """Return the commit of the sources; "unknown" without git."""
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True,
                          text=True, check=False, timeout=86_400)
    return done.stdout.strip() or "unknown"


def shard(path: Path) -> bool:
    """Run the tests of a file in full; return whether all have passed."""
    log = WORK / f"{path.stem}.txt"
    asked = {**os.environ, "PULLBACK_CAMPAIGN": "papers", "PAPERS_TABLE": str(log),
             "PAPERS_COMMIT": os.environ.get("PAPERS_COMMIT") or commit()}
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
             "-p", "tests.papers.full", str(path)]
    done = subprocess.run(words, cwd=ROOT, env=asked, capture_output=True, text=True, check=False,
                          timeout=86_400)
    log.with_suffix(".out").write_text(done.stdout + done.stderr)
    print(f"{path.name}: {(done.stdout.splitlines() or [''])[-1]}", flush=True)
    return done.returncode in (0, pytest.ExitCode.NO_TESTS_COLLECTED)


def table() -> str:
    """Return the table: of every test the last run."""
    out = []
    for log in sorted(WORK.glob("test_*.txt")):
        last = {line.split(" | ")[0]: line for line in log.read_text().splitlines()}
        seconds = sum(float(line.split(" | ")[2].split()[0]) for line in last.values())
        ends = [line.split(" | ")[1] for line in last.values()]
        out += [f"{log.stem}.py | {ends.count('passed')} passed, {ends.count('failed')} failed | "
                f"{seconds:.0f} s", *(f"  {line}" for line in sorted(last.values()))]
    ran = {line.split(" | ")[0] for line in out}
    out += [f"{path.name} | not run" for path in sorted(FOLDER.glob("test_*.py"))
            if path.name not in ran]
    return "\n".join(out) + "\n"


def main(words: list[str]) -> int:
    """Run the shards, and write the table."""
    at_a_time = next((int(w[2:]) for w in words if w.startswith("-j")), 2)
    names = [w for w in words if not w.startswith("-j")]
    WORK.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(at_a_time) as pool:
        ended = list(pool.map(shard, [FOLDER / n for n in names] or sorted(FOLDER.glob("test_*"))))
    TABLE.write_text(table())
    return 0 if all(ended) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
