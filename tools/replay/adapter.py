"""All names inside Pullback that the replay uses.

If one of them has moved, ``moved`` finds it; if one has changed its meaning, this file knows both
meanings. LLVM text is recorded and never compiled.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tools.replay.canonical import Canonical, digest, llvm_text
from tools.replay.moved import locate, replace_everywhere

METHODS = ("function", "reverse", "dual", "forward", "halves")


@dataclass
class Compiled:
    """The record of one program by one method: digests, counts, and seconds of Python (those of the
    recorder included)."""

    stages: list[tuple[str, str]] = field(default_factory=list)
    loop: list[str] = field(default_factory=list)
    llvm: list[str] = field(default_factory=list)
    lines: int = 0
    nodes: Counter[str] = field(default_factory=Counter)
    instructions: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def data(self) -> dict[str, Any]:
        """Return the same as data for JSON."""
        return {
            "stages": [*self.stages], "loop": self.loop, "llvm": self.llvm, "lines": self.lines,
            "nodes": dict(sorted(self.nodes.items())),
            "instructions": dict(sorted(self.instructions.items())),
            "seconds": round(self.seconds, 3),
        }  # fmt: skip


class NotLinked:
    """An object in place of machine code, which is not made."""

    timing = SimpleNamespace(size=0)
    tracker = None

    def address(self, name: str) -> int:
        return 0


class Tree:
    """The compiler of one source tree, with recorders in place of some of its functions."""

    def __init__(self, src: Path) -> None:
        def name(module: str, what: str) -> Any:
            return locate(src, f"pullback.{module}", what)

        self.request, self.what = name("plans", "Request"), name("plans", "What")
        self.using: Callable[..., Any] = name("driver", "using")
        self.error: type[Exception] = name("errors", "PullbackError")
        self.config = name("pipeline", "config")
        self.run_stages = name("pipeline", "run_stages")
        self.compile_entries = name("native.module", "compile_entries")
        self.program: Any = None
        self.canonical: Any = None
        self.digest = ""
        self.found = Compiled()
        self.conversions: set[str] = set()
        self.config.check = "never"
        replace_everywhere(name("core.pretty", "show"), self._show)
        replace_everywhere(self.run_stages, self._run_stages)
        replace_everywhere(self.compile_entries, self._compile_entries)
        replace_everywhere(name("native.compile", "link_text"), self._link_text)
        replace_everywhere(name("native.builtin", "make_builtin"), lambda *_: None)
        with suppress(LookupError):  # older revisions have no binder
            replace_everywhere(name("native.builtin", "binder"), lambda *_: lambda *_: None)

    # These replace functions of Pullback.

    def _show(self, program: Any) -> str:
        """Return the digest of a program, in place of its text."""
        if program is not self.program:
            self.program, self.canonical = program, Canonical(program)
            self.digest = digest(self.canonical.text())
        return self.digest

    def _run_stages(self, program: Any, stages: Any, given: Any, trace: Any = None) -> Any:
        found: list[tuple[str, Any]] = [("in", program)]
        program = self.run_stages(program, stages, given, found)
        for stage, made in found:  # older revisions give texts
            self.found.stages.append((stage, made if isinstance(made, str) else self._show(made)))
        return program

    def _compile_entries(self, module: Any, *args: Any, **options: Any) -> Any:
        compiled = self.compile_entries(module, *args, **options)
        loop = Canonical(module)
        self.found.loop.append(digest(loop.text()))
        self.found.instructions += loop.counts
        self.found.llvm.append(digest(llvm_text(compiled.text)))
        self.conversions.discard(self.found.llvm[-1])
        self.found.lines += compiled.text.count("\n")
        return compiled

    def _link_text(self, text: str, *_: Any, **options: Any) -> NotLinked:
        # A text that belongs to no program is a conversion of data, made once for all programs.
        self.conversions.add(digest(llvm_text(text)))
        return NotLinked()

    # The recorder calls these.

    def asked(self, method: str, argnums: tuple[int, ...]) -> Any:
        """Return the request of a method."""
        what = self.what
        match method:
            case "function":
                return self.request(what.VALUE)
            case "forward":
                return self.request(what.TANGENT)
            case "halves":
                return self.request(what.PULLBACK, argnums)
            case "dual":
                return self.request(what.VALUE_AND_GRADIENT, argnums, method="dual")
            case _:
                return self.request(what.VALUE_AND_GRADIENT, argnums)

    def compile(
        self, f: Callable[..., Any], args: Sequence[object], argnums: tuple[int, ...], method: str
    ) -> Compiled:
        """Compile a function by a method, and return the record. Stages that several methods share
        are in the record of the first of these."""

        def use(_: object, unit: Any) -> None:
            unit.compiled_halves() if method == "halves" else unit.compiled()

        self.found = Compiled()
        start = time.process_time()
        self.using(f, args, self.asked(method, argnums), use)
        self.found.seconds = time.process_time() - start
        self.found.nodes = self.canonical.counts
        return self.found

    def steps(
        self, f: Callable[..., Any], args: Sequence[object], argnums: tuple[int, ...], method: str
    ) -> int:
        """Return the number of steps that the evaluator takes."""
        def use(function: Any, unit: Any) -> int:
            steps: int = unit.evaluate(unit.special.values(function, args))[1]
            return steps

        found: int = self.using(f, args, self.asked(method, argnums), use)
        return found

    def forget(self) -> None:
        """Forget all that was compiled."""
        self.found = Compiled()
        self.config.cache_size = 1
        self.using(_nothing, (0.0,), self.asked("function", ()), lambda *_: None)


def _nothing(x: float) -> float:
    return x
