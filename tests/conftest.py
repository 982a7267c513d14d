"""The order of the suite: tests that ask for one program of the corpus follow each other in one
process, where each test finds in the driver's own cache what the others have compiled.

A test that hangs ends its process after a minute (``LIMIT``): it is named as the test that failed,
with all stacks printed, and the others go on. Nothing here changes what a test does. The header
names the shard of the campaigns (``tests/campaign.py``); ``PULLBACK_PROGRAMS=16`` takes a sixteenth
of the corpus (``tests/fast.py``). Machine code that LLVM has made of some text is kept for the
other processes and for the next runs (``tests/kept_objects.py``).
"""

from __future__ import annotations

import faulthandler
import gc
import os
import re
import sys
import time
import zlib
from functools import cache
from typing import Any

import pytest

from tests import campaign, kept_objects
from tests.durations import seconds

kept_objects.use()
kept_objects.keep_bytecode()
gc.disable()  # until all tests are collected: what is imported stays

PART = int(os.environ.get("PULLBACK_PROGRAMS", "1"))
PROGRAM = re.compile(r"\[(?:functions-|inlined-)?([\w/.]+?)(?:-\d+)?\]$")
"""The program in the name of a test of the corpus."""

OF_THE_CORPUS = {
    "tests/test_agreement.py", "tests/test_cost.py", "tests/test_scaling.py",
    "tests/test_python_work.py", "tests/opt/test_work.py", "tests/papers/test_bridge.py",
}  # fmt: skip
"""The files whose tests ask for one program each, by the same requests."""


LIMIT = 60.0
"""The seconds after which a test hangs, unless it is named in ``PATIENCE``: most tests take less
than one, and the longest others ten."""

PATIENCE = {
    "tests/house/test_types.py": 600.0, "tests/test_modes.py": 600.0,
    "tests/test_operator_costs.py": 300.0, "tests/test_second_process.py": 300.0,
    "tests/neighbours/test_dask.py": 300.0, "tests/neighbours/test_page.py": 300.0,
    "tests/neighbours/test_mpi.py": 300.0,
    "tests/test_large_programs.py": 300.0, "tests/test_compile_growth.py": 300.0,
}  # fmt: skip
"""The seconds of tests that take longer where the machine is busy: mypy, third derivatives of large
programs, whole processes, programs that are meant to be large."""


def pytest_configure(config: pytest.Config) -> None:
    """Keep the way to the terminal, which tests have captured when one of them hangs. Note for all
    processes whether the whole suite runs: nothing was named."""
    config.stash[TERMINAL] = os.dup(2)
    if not hasattr(config, "workerinput"):
        named = config.args_source is pytest.Config.ArgsSource.ARGS or config.option.keyword
        os.environ[WHOLE] = "" if named or campaign.ASKED else "1"


TERMINAL = pytest.StashKey[int]()
WHOLE = "PULLBACK_WHOLE_SUITE"


class Watch:
    """Ends the process when a test has taken too long. To wind it up takes some milliseconds, for
    the thread that watches: so it is done when a fifth of the limit is over, not for each test."""

    def __init__(self) -> None:
        self.until = 0.0
        self.limit = 0.0

    def wind(self, limit: float, terminal: int) -> None:
        now = time.monotonic()
        if limit != self.limit or now > self.until:
            faulthandler.dump_traceback_later(1.2 * limit, exit=True, file=terminal)
            self.limit, self.until = limit, now + 0.2 * limit


WATCH = Watch()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    """Watch the test. Campaigns in full have tests of many minutes."""
    leave_out_what_is_there(unit(item.nodeid))
    if not item.nodeid.startswith("tests/house/"):
        kept_objects.choose_level(item.nodeid, unit(item.nodeid))
    if not campaign.ASKED:
        file = item.nodeid.partition("::")[0]
        WATCH.wind(PATIENCE.get(file, LIMIT), item.config.stash[TERMINAL])


@cache
def leave_out_what_is_there(unit: str) -> None:
    """Keep what the units before this one have left out of the garbage collector's sight: a test
    that asks it to collect would wait for some seconds."""
    gc.collect(1)
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """What comes behind the tests is watched by nobody."""
    faulthandler.cancel_dump_traceback_later()


@cache
def programs() -> frozenset[str]:
    """Return the names of the corpus."""
    from tests.programs import corpus

    return frozenset(program.name for program in corpus())


@cache
def unit(nodeid: str) -> str:
    """Return the unit that runs in one process: the tests of a program, else those of a file."""
    file = nodeid.partition("::")[0]
    if file in OF_THE_CORPUS:
        named = PROGRAM.search(nodeid)
        if named and named[1] in programs():
            return f"program {named[1]}"
    return file


def left_out(name: str) -> bool:
    """Whether a unit is a program outside of the part that was asked for."""
    part = zlib.crc32(name.encode()) % PART
    return name.startswith("program ") and part != campaign.SHARD % PART


def in_turn(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the cases whose turn it is, of tests with many (``campaign.in_turn``); of the corpus
    all tests of the same programs, which share what is compiled. What the house says holds for
    every file."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept: list[pytest.Item] = []
    for test, cases in tests.items():
        names = [unit(item.nodeid) for item in cases]
        names = [n if n.startswith("program ") else c.nodeid for n, c in zip(names, cases)]
        kept += cases if test.startswith("tests/house/") else campaign.in_turn(cases, names)
    return kept


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put long files first and programs, which are short, last, so that all processes end
    together."""
    units = {unit(item.nodeid): None for item in items}
    order = sorted(units, key=lambda u: (u.startswith("program "), -seconds(u)))
    place = {name: k for k, name in enumerate(order)}
    kept = [item for item in items if not left_out(unit(item.nodeid))]
    if os.environ[WHOLE]:
        kept = in_turn(kept)
    if len(kept) < len(items):
        here = {*kept}
        config.hook.pytest_deselected(items=[item for item in items if item not in here])
        items[:] = kept
    items.sort(key=lambda item: place[unit(item.nodeid)])


def pytest_collection_finish(session: pytest.Session) -> None:
    """From here on the garbage collector looks at what the tests themselves make, and no bytecode
    of theirs is written: tests have modules of their own in files that do not stay."""
    sys.dont_write_bytecode = True
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)  # evaluators make much that lives long, and few cycles
    gc.enable()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Print how to repeat the choices of this run, also with ``-q``, which leaves pytest's own
    header out."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        full = ", ".join(sorted(campaign.ASKED)) or "none"
        reporter.write_line(f"campaigns: PULLBACK_SHARD={campaign.SHARD}, in full: {full}")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give whole units to the processes, in the order of the items."""
    if config.getvalue("dist") != "load":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class ByUnit(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return unit(nodeid)

        def remove_node(self, node: Any) -> str | None:
            """Give what is left of a process that died to others: without the test in which it
            died, which xdist would run again, in process after process, and without units in which
            nothing is left, for which xdist would wait for ever."""
            units = self.assigned_work[node]
            left = [(tests, test) for tests in units.values() for test in tests if not tests[test]]
            if left:
                left[0][0][left[0][1]] = True
            for name in [name for name, tests in units.items() if all(tests.values())]:
                del units[name]
            super().remove_node(node)
            return left[0][1] if left else None

        def _reschedule(self, node: Any) -> None:
            """Give a process units until it has two tests, or tell it that there are no more: a
            process waits for either before it runs a test, for the fixtures of the next."""
            super()._reschedule(node)
            if not node.shutting_down and self._pending_of(self.assigned_work[node]) < 2:
                self._reschedule(node)

    config.option.loadscopereorder = False
    return ByUnit(config, log)
