"""Compile the corpus of one revision of the tests with the compiler of another, in a process of its
own: ``python -m tools.replay.corpus SRC TESTS ORDER OUT [NAME ...]``."""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tools.replay.canonical import message_text
from tools.replay.moved import install


def main(src: str, tests: str, order: str, out: str, *names: str) -> None:
    """Record the programs, in the order of the corpus or backwards."""
    sys.setrecursionlimit(20_000)
    gc.set_threshold(200_000, 20, 100)
    sys.path.insert(0, tests)
    install(Path(src), Path(tests) / "src")
    from tests.programs import corpus
    from tools.replay.adapter import Tree

    tree = Tree(Path(src))
    programs = [p for p in corpus() if not names or p.name in names]
    unknown = {*names} - {p.name for p in programs}
    if unknown:
        raise SystemExit(f"no programs of the corpus: {', '.join(sorted(unknown))}")
    found = {}
    all_of_it = order == "forwards"
    for program in programs if all_of_it else programs[::-1]:
        tree.forget()
        found[program.name] = replayed(tree, program, all_of_it)
    data = {"programs": found, "conversions": sorted(tree.conversions)}
    Path(out).write_text(json.dumps(data))


def replayed(tree: Any, program: Any, all_of_it: bool = True) -> dict[str, Any]:
    """Return the record of all methods of one program. Steps are counted at the two smallest sizes
    (a run may show that extents differ, and so decide what is compiled); halves of pullbacks are
    left out in the backward order."""
    from tools.replay.adapter import METHODS

    methods: tuple[str, ...] = METHODS if program.argnums else METHODS[:1]
    methods = methods if all_of_it else tuple(m for m in methods if m != "halves")
    found: dict[str, Any] = {}
    for method in methods:
        args = program.make_args(np.random.default_rng(0), program.sizes[0])
        try:
            data = tree.compile(program.f, args, program.argnums, method).data()
        except Exception as e:
            found[method] = {"error": f"{type(e).__name__}: {message_text(str(e))}"}
            continue
        if method in ("function", "reverse", "dual"):
            data["steps"] = [
                counted(tree, program, method, n, runs=2 if all_of_it else 1)
                for n in program.sizes[:2]
            ]
        found[method] = data
    return found


def counted(tree: Any, program: Any, method: str, n: int, runs: int) -> Any:
    """Return the steps at a size: a number, a text for an error, or two numbers if they vary from
    run to run (in a program that finds nodes by their addresses)."""
    inputs = [program.make_args(np.random.default_rng(0), n) for _ in range(runs)]
    try:
        steps = [tree.steps(program.f, args, program.argnums, method) for args in inputs]
    except Exception as e:
        return f"{n}: {type(e).__name__}: {message_text(str(e))}"
    return steps[0] if min(steps) == max(steps) else sorted(steps)


if __name__ == "__main__":
    main(*sys.argv[1:])
