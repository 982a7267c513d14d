"""Run programs in a process, and again in a second one, from what the first has kept.

    python -m tests.second_process OUT LIST...        LIST is module:function, of cases

A *case* is a name and a call; a list gives cases. What a call does is written down exactly
(``outcome``): the bits of its result, what it prints, the exception with its class, arguments,
cause and context and the lines of the traceback; and how much was compiled for it. ``both`` runs
two processes and returns what each has written down.

The processes share LLVM's objects with the suite; the programs that they keep are marked, so that
the first process finds none.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import importlib
import io
import json
import os
import secrets
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests import kept_objects

ROOT = Path(__file__).parents[1]
MARK = "PULLBACK_TESTS_MARK"
MOST_SECONDS = 600.0

Case = tuple[str, Callable[[], object]]


# --- what a call does -----------------------------------------------------------------------------


class Exactly:
    """A value as JSON, exactly; what was met before is only named, so that sharing shows."""

    def __init__(self) -> None:
        self.met: dict[int, int] = {}
        self.alive: list[object] = []

    def of(self, value: object) -> object:
        match value:
            case None | bool() | str():
                return value
            case float():
                return [type(value).__name__, value.hex()]
            case enum.Enum() | type():
                return [type(value).__name__, str(value)]
            case int() | complex() | bytes():
                return [type(value).__name__, repr(value)]
            case np.generic():
                return ["scalar", value.dtype.str, value.tobytes().hex()]
        if id(value) in self.met:
            return ["again", self.met[id(value)]]
        self.met[id(value)] = len(self.met)
        self.alive.append(value)
        return [type(value).__qualname__, *self.inside(value)]

    def inside(self, value: object) -> Iterator[object]:
        match value:
            case np.ndarray() if value.dtype.hasobject:
                yield [value.shape, *map(self.of, value.ravel().tolist())]
            case np.ndarray():
                order = value.flags.c_contiguous, value.flags.writeable
                yield [value.dtype.str, value.shape, order, value.tobytes().hex()]
            case dict():
                yield from ([self.of(k), self.of(v)] for k, v in value.items())
            case set() | frozenset():
                yield from sorted(repr(Exactly().of(v)) for v in value)
            case BaseException():
                yield from self.exception(value)
            case _ if dataclasses.is_dataclass(value) or hasattr(value, "__dict__"):
                names = [f.name for f in dataclasses.fields(value)] if (
                    dataclasses.is_dataclass(value)) else sorted(vars(value))  # fmt: skip
                yield from ([name, self.of(getattr(value, name, "absent"))] for name in names)
            case _ if hasattr(value, "__iter__"):
                yield from map(self.of, value)
            case _:
                yield repr(type(value))

    def exception(self, error: BaseException) -> Iterator[object]:
        cls, frames = type(error), traceback.extract_tb(error.__traceback__)
        src = str(ROOT / "src" / "pullback")
        yield f"{cls.__module__}.{cls.__qualname__}", _found(cls)
        yield [self.of(a) for a in error.args]
        yield str(error)
        yield [[k, self.of(v)] for k, v in vars(error).items() if not k.startswith("_pullback")]
        yield [(f.filename, f.lineno, f.name) for f in frames if not f.filename.startswith(src)]
        yield error.__suppress_context__
        yield self.of(error.__cause__)
        yield self.of(error.__context__)


def _found(cls: type) -> bool:
    """Whether the class is the one that its module has."""
    found: Any = sys.modules.get(cls.__module__)
    for part in cls.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is cls


def outcome(call: Callable[[], object]) -> list[object]:
    """Return what a call gives or raises, and what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            done = ["value", Exactly().of(call())]
        except Exception as error:
            done = ["raised", Exactly().of(error)]
    return [*done, printed.getvalue()]


# --- a process ------------------------------------------------------------------------------------


class Counts:
    """How many programs this process has compiled, loaded and kept, and how many texts it has
    written, linked and compiled."""

    def __init__(self) -> None:
        from pullback.call import digests, journal, kept_programs
        from pullback.native import compile as compiling
        from pullback.native import module, object_cache

        self.found = dict.fromkeys(COUNTED, 0)
        self.count(module, "_write", "written")
        self.count(module, "_loaded", "linked")
        self.count(compiling, "emit_object", "emitted")
        self.count(object_cache, "keep", "kept", lambda key, image: image[:4] != ELF)
        self.count(journal, "note", "compiled", lambda *given, loaded=False: not loaded)
        self.count(kept_programs, "note", "loaded")
        self.why: list[str] = []
        self.count(digests.Unkept, "__init__", "unkept", self.noted)

    def noted(self, error: Exception, why: str) -> bool:
        """Note why something is not kept or not loaded."""
        self.why.append(why)
        return True

    def count(
        self, module: Any, name: str, what: str, counts: Callable[..., bool] = lambda *a, **k: True
    ) -> None:
        inner = getattr(module, name)

        def counted(*args: Any, **names: Any) -> Any:
            self.found[what] += counts(*args, **names)
            return inner(*args, **names)

        setattr(module, name, counted)

    def since(self, before: dict[str, int]) -> dict[str, int]:
        return {name: n - before[name] for name, n in self.found.items()}


COUNTED = "compiled", "loaded", "kept", "written", "linked", "emitted", "unkept"
ELF = b"\x7fELF"


def _marked() -> None:
    """Let no other process find the programs that this one keeps, unless it has the same mark."""
    from pullback.call import kept_programs

    inner, mark = kept_programs._own_files, os.environ[MARK]
    vars(kept_programs)["_own_files"] = lambda: inner() + mark


def run(out: Path, lists: Iterable[str]) -> None:
    """Write down what the cases of these lists do in this process, line by line."""
    _marked()
    counts = Counts()
    with out.open("w") as file:
        for each in lists:
            module, _, given = each.partition(":")
            name, *args = given.split(",")
            for title, call in getattr(importlib.import_module(module), name)(*args):
                before, counts.why[:] = dict(counts.found), []
                row = outcome(call), counts.since(before), list(counts.why)
                file.write(json.dumps([title, *row]) + "\n")
                file.flush()


# --- two processes --------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Run:
    """What a case did in one process, how much was compiled for it, and why something was not
    kept."""

    done: list[Any]
    counts: dict[str, int]
    why: list[str]


def both(
    folder: Path, *lists: str, path: str = "", seconds: float = MOST_SECONDS, **environment: str
) -> dict[str, tuple[Run, Run]]:
    """Return what the cases of these lists do in a first and in a second process. ``path``: where
    their modules are."""
    env = {**os.environ, MARK: secrets.token_hex(8), "PULLBACK_CACHE_PROGRAMS": "1", **environment}
    env["PULLBACK_CACHE"] = str(kept_objects.folder(ROOT / "src"))
    env["PYTHONPATH"] = os.pathsep.join([path, str(ROOT / "src"), str(ROOT)])
    found: list[dict[str, Run]] = []
    for k in (1, 2):
        out = folder / f"process_{k}.json"
        command = [sys.executable, "-m", "tests.second_process", str(out), *lists]
        subprocess.run(command, cwd=ROOT, env=env, check=True, timeout=seconds)
        rows = map(json.loads, out.read_text().splitlines())
        found.append({title: Run(*row) for title, *row in rows})
    first, second = found
    assert list(first) == list(second)
    return {title: (first[title], second[title]) for title in first}


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2:])
