"""Write ``docs/refusals.md``: every refusal that a program is known to meet, with its mend.

``python -m tests.frontend.refusal_page`` runs the refused program of each pair
(``tests/frontend/mended_*.py``) and writes what it is told. A pair whose program compiles by now
ends this with its name, as it fails ``test_mended_programs.py``: so a row goes when its refusal
goes.
"""

from __future__ import annotations

import ast
import inspect
import re
import runpy
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pullback as pb
from tests.frontend import (
    mended_arrays,
    mended_calls,
    mended_classes,
    mended_complex,
    mended_exports,
    mended_iterators,
    mended_keys,
    mended_libraries,
    mended_names,
    mended_numpy,
    mended_objects,
    mended_places,
    mended_programs,
    mended_searches,
    mended_sparse,
    mended_wholes,
)
from tests.frontend.mended import PAIRS, Pair

PAGE = Path(__file__).parents[2] / "docs" / "refusals.md"
HEAD = """\
# Refusals, each with its mend

Every refusal that a program is known to meet: the program, what it is told, and the same program
with the advice followed, which compiles. The tests run both. The message itself also shows the
file, the line and a caret. The refusals that newcomers meet first are explained in
[Sharp edges and questions](guide/sharp-edges.md).

`python -m tests.frontend.refusal_page` writes this page from the pairs in
`tests/frontend/mended_*.py`; a refusal that is no longer there takes its row with it.

"""
TITLES = {
    mended_programs: "Statements and expressions",
    mended_calls: "Calls and arguments",
    mended_arrays: "Arrays and numbers",
    mended_numpy: "NumPy's keywords",
    mended_iterators: "Iterators and generators",
    mended_objects: "Objects, exceptions and functions",
    mended_keys: "Objects as keys, and their dicts",
    mended_classes: "Classes",
    mended_places: "Parts of data",
    mended_libraries: "Library functions",
    mended_complex: "Complex numbers",
    mended_searches: "Solvers of SciPy", mended_sparse: "Sparse matrices",
    mended_wholes: "Operators",
    mended_exports: "Functions for other languages",
    mended_names: "Names of other libraries",
}
"""The modules with pairs, which fill ``PAIRS`` when they are imported, and their titles."""
ROW = re.compile(r"^### (.*)\n\n<!-- ([\w.]+) -->\n(?:(?!###).*\n)*?Instead: (.*)$", re.M)


def name_of(pair: Pair) -> str:
    """Return the name by which the page knows a pair."""
    return f"{pair.mended.__module__.rpartition('.')[2]}.{pair.mended.__name__}"


def source(f: Callable[..., Any]) -> str:
    """Return the text of a function as ``def f``, without decorators."""
    lines = textwrap.dedent(inspect.getsource(f)).splitlines()
    node = ast.parse("\n".join(lines)).body[0]
    text = "\n".join(lines[getattr(node, "lineno", 1) - 1 :])
    name = f.__name__
    return re.sub(rf"\b{name}\b", "f", text) if isinstance(node, ast.FunctionDef) else text


def helpers(f: Callable[..., Any]) -> list[str]:
    """Return the texts of the classes and functions of the test's module that a function uses."""
    found: dict[str, str] = {}

    def visit(obj: Any) -> None:
        text = source(obj)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Name) and node.id not in found:
                used = vars(sys.modules[f.__module__]).get(node.id)
                if callable(used) and getattr(used, "__module__", "") == f.__module__:
                    found[node.id] = ""
                    visit(used)
                    found[node.id] = whole(used)

    def whole(obj: Any) -> str:
        return textwrap.dedent(inspect.getsource(obj)).rstrip()

    visit(f)
    return list(found.values())


def row(pair: Pair, reason: str, advice: str) -> str:
    """Return what the page has for a pair."""
    before = helpers(pair.refused)
    after = [text for text in helpers(pair.mended) if text not in before]
    refused = "\n\n\n".join([*before, source(pair.refused)])
    mended = "\n\n\n".join([*after, source(pair.mended)])
    mark = f"<!-- {name_of(pair)} -->"
    return (f"### {reason}\n\n{mark}\n\n```py\n{refused}\n```\n\nInstead: {advice}\n\n"
            f"```py\n{mended}\n```\n\n")  # fmt: skip


def page(told: dict[str, tuple[str, str]]) -> str:
    """Return the page; ``told`` has the reason and the advice for each pair."""
    out = HEAD
    for module, title in TITLES.items():
        rows = [row(pair, *told[name_of(pair)]) for pair in PAIRS
                if pair.mended.__module__ == module.__name__]  # fmt: skip
        out += f"## {title}\n\n" + "".join(rows)
    return out.rstrip() + "\n"


def shown(text: str) -> str:
    """Return a text of a message as Markdown shows it."""
    text = re.sub(r"\S*/tests/frontend/", "tests/frontend/", " ".join(text.split()))
    return re.sub(r"([\\`*_<>\[\]|#$])", r"\\\1", text)


def what_is_said(error: pb.PullbackError) -> tuple[str, str]:
    """Return the reason and the advice of a refusal, as the page has them."""
    return f"{error.title}: {shown(error.reason)}", shown(error.rewrite)


def written() -> dict[str, tuple[str, str]]:
    """Return what the page has for each pair."""
    return {name: (reason, advice) for reason, name, advice in ROW.findall(PAGE.read_text())}


def told(pair: Pair) -> tuple[str, str]:
    """Return what the refused program of a pair is told."""
    try:
        pair.run(pair.refused)
    except pb.PullbackError as error:
        return what_is_said(error)
    raise SystemExit(f"{pair.refused.__name__} is not refused")


def main() -> None:
    """Run all refused programs, and write the page, and the tables that are made from it."""
    PAGE.write_text(page({name_of(pair): told(pair) for pair in PAIRS}))


if __name__ == "__main__":
    main()
    runpy.run_module("tests.frontend.construct_page", run_name="__main__")
