"""The processor time that the tests of each file take, in seconds, as measured.

``python -m tests.durations`` (``make durations``) measures the files that are named, or all, and
writes ``tests/durations.txt``; a file that is not in it counts as ``UNKNOWN`` seconds.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TABLE = Path(__file__).with_suffix(".txt")
ROOT = Path(__file__).parents[1]
UNKNOWN = 2.0


@cache
def table() -> dict[str, float]:
    """Return the seconds by file."""
    lines = TABLE.read_text().splitlines() if TABLE.exists() else []
    return {file: float(time) for file, time in map(str.split, lines)}


def seconds(file: str) -> float:
    """Return the seconds of the tests of a file."""
    return table().get(file, UNKNOWN)


def used() -> float:
    """Return the processor time of this process and of those that it waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


class Clock:
    """A plugin that adds up the processor time of the tests of each file."""

    def __init__(self) -> None:
        self.found: Counter[str] = Counter()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        start = used()
        result = yield
        self.found[item.nodeid.partition("::")[0]] += used() - start
        return result


def main(files: list[str]) -> int:
    """Measure in this one process, and keep the figures of other files that still exist."""
    os.chdir(ROOT)
    clock = Clock()
    status = pytest.main(["-q", "-p", "no:cacheprovider", *files], plugins=[clock])
    known = {file: time for file, time in table().items() if (ROOT / file).exists()}
    known |= clock.found
    lines = [f"{file} {time:.1f}\n" for file, time in sorted(known.items())]
    TABLE.write_text("".join(lines))
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
