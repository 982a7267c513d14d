"""How the suite is run: what is asked of one program together, and of a campaign its shard.

All tests of one program of the corpus follow each other in one process, where each finds what the
others have compiled in the driver's own cache. Of the tests that ``campaign.SHARDED`` lists a run
takes the shard, unless a test is asked for by its name. Nothing here changes what a test does.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest

from tests import campaign
from tests.durations import seconds

PROGRAM = re.compile(r"\[(?:functions-|inlined-)?([\w/.]+?)(?:-\d+)?\]$")
"""The program in the name of a test of the corpus."""

OF_THE_CORPUS = {
    "tests/test_agreement.py", "tests/test_cost.py", "tests/test_scaling.py",
    "tests/test_python_work.py", "tests/opt/test_work.py", "tests/papers/test_bridge.py",
}  # fmt: skip
"""The files whose tests are of one program each, by the same requests."""


@cache
def programs() -> frozenset[str]:
    """The names of the corpus."""
    from tests.programs import corpus

    return frozenset(program.name for program in corpus())


def unit(nodeid: str) -> str:
    """What runs together in one process: the tests of a program, else those of a file."""
    file = nodeid.partition("::")[0]
    if file in OF_THE_CORPUS:
        named = PROGRAM.search(nodeid)
        if named and named[1] in programs():
            return f"program {named[1]}"
    return file


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The shard of each campaign; then long files first, and programs, which are short, last."""
    if not any("::" in arg for arg in config.args):
        left = [item for item in items if not campaign.in_shard(item.nodeid)]
        if left:
            config.hook.pytest_deselected(items=left)
            items[:] = [item for item in items if campaign.in_shard(item.nodeid)]
    order = ordered({unit(item.nodeid): None for item in items})
    items.sort(key=lambda item: order[unit(item.nodeid)])


def ordered(units: Iterable[str]) -> dict[str, int]:
    """The place of each unit."""
    known = sorted(units, key=lambda u: (u.startswith("program "), -seconds(u)))
    return {u: k for k, u in enumerate(known)}


def pytest_report_header() -> list[str]:
    """How to repeat what this run chose."""
    full = ", ".join(sorted(campaign.ASKED)) or "none"
    return [f"campaigns: shard PULLBACK_SHARD={campaign.SHARD}; in full: {full}"]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Processes get whole units, in the order of the items."""
    if config.getvalue("dist") != "load":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class ByUnit(LoadScopeScheduling):  # type: ignore[misc, no-any-unimported]
        def _split_scope(self, nodeid: str) -> str:
            return unit(nodeid)

    config.option.loadscopereorder = False
    return ByUnit(config, log)
