"""Record the refusals that the tests expect, with their texts, in a process of its own:
``python -m tools.replay.refusals SRC TESTS PART OUT [FILE ...]``.

All tests that mention ``raises`` are run; an error of Pullback that ``pytest.raises`` catches, or
that ends a test, is recorded. A test is known by its file name and its own name, so that files may
move. PART is ``0/2`` for every second test.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tools.replay.canonical import message_text
from tools.replay.moved import install

PLACES = ("frontend", "ad", "opt", "test_*.py")
"""Where refusals are expected, in the folder of the tests."""

EXPECTS = re.compile(r"\braises\(")
MANY_TIMES = re.compile(r"leak|left_behind|leaves_nothing|interrupt|in_other_process")
"""Tests that repeat one call many times."""


class Recorder:
    """A plugin of pytest; the tests themselves may pass or fail."""

    def __init__(self, error: type[BaseException], part: str) -> None:
        self.error, self.current = error, ""
        self.index, self.of = map(int, part.split("/"))
        self.refused: dict[str, list[str]] = {}
        self.missing: dict[str, str] = {}
        self.usual = pytest.raises
        setattr(pytest, "raises", self.raises)  # noqa: B010  # mypy refuses the assignment

    def raises(self, *args: Any, **options: Any) -> Any:
        """Stand for ``pytest.raises``."""
        context = self.usual(*args, **options)
        return Watched(self, context) if hasattr(context, "__enter__") else context

    def add(self, error: BaseException | None) -> None:
        """Record an error."""
        if isinstance(error, self.error):
            text, texts = message_text(str(error)), self.refused[self.current]
            if text not in texts:
                texts.append(text)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep the tests of this part that may expect a refusal."""
        chosen = [i for i in items if expects(i)]
        items[:] = chosen[self.index :: self.of]

    def pytest_collectreport(self, report: Any) -> None:
        """Remember a file that cannot be imported."""
        if report.failed:
            self.missing[Path(report.nodeid).name] = str(report.longrepr)[-400:]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: Any) -> Generator[None]:
        """Run one test."""
        self.current = f"{Path(item.fspath).name}::{item.name}"
        self.refused[self.current] = []
        try:
            return (yield)
        except Exception as error:
            self.add(error)
            raise


class Watched:
    """A context of ``pytest.raises`` that also records the error that it catches."""

    def __init__(self, recorder: Recorder, context: Any) -> None:
        self.recorder, self.context = recorder, context

    def __enter__(self) -> Any:
        return self.context.__enter__()

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> Any:
        self.recorder.add(error)
        return self.context.__exit__(kind, error, trace)


def expects(item: Any) -> bool:
    """Whether a test mentions ``raises``, and does not repeat one call many times."""
    function = getattr(item, "function", None)
    if function is None or MANY_TIMES.search(item.name):
        return False
    return bool(EXPECTS.search(inspect.getsource(function)))


def main(src: str, tests: str, part: str, out: str, *files: str) -> None:
    """Record the refusals."""
    sys.path.insert(0, tests)
    install(Path(src), Path(tests) / "src")
    import pullback as pb

    recorder = Recorder(pb.PullbackError, part)
    folder = Path(tests) / "tests"
    named = [next(folder.rglob(Path(f).name)) for f in files]
    found = named or [p for place in PLACES for p in sorted(folder.glob(place))]
    chosen = [str(p) for p in found]
    pytest.main(
        ["-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-o", "pythonpath=",
         "-o", "addopts=--import-mode=importlib", "--continue-on-collection-errors",
         f"--rootdir={tests}", *chosen],
        plugins=[recorder],
    )  # fmt: skip
    data = {"refusals": recorder.refused, "missing": recorder.missing}
    Path(out).write_text(json.dumps(data))


if __name__ == "__main__":
    main(*sys.argv[1:])
