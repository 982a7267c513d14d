"""The corpus of one revision of the tests through the compiler of another, in a process of its
own: ``python -m tools.replay.corpus SRC TESTS ORDER OUT [NAME ...]``."""

from __future__ import annotations

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
    for program in programs if order == "forwards" else programs[::-1]:
        tree.forget()
        found[program.name] = replayed(tree, program)
    data = {"programs": found, "conversions": sorted(tree.conversions)}
    Path(out).write_text(json.dumps(data))


def replayed(tree: Any, program: Any) -> dict[str, Any]:
    """All methods of one program. Steps are counted at the two smallest sizes."""
    from tools.replay.adapter import METHODS

    methods = METHODS if program.argnums else METHODS[:1]
    found: dict[str, Any] = {}
    for method in methods:
        sizes = program.sizes[:2]
        inputs = [program.make_args(np.random.default_rng(0), n) for n in sizes]
        try:
            data = tree.compile(program.f, inputs[0], program.argnums, method).data()
        except Exception as e:
            found[method] = {"error": f"{type(e).__name__}: {message_text(str(e))}"}
            continue
        if method in ("function", "reverse", "dual"):
            data["steps"] = []
            for n, args in zip(sizes, inputs):
                try:
                    data["steps"].append(tree.steps(program.f, args, program.argnums, method))
                except Exception as e:
                    data["steps"].append(f"{n}: {type(e).__name__}: {message_text(str(e))}")
        found[method] = data
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
