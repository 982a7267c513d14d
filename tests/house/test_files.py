"""Sizes and portability: short files, short lines, short functions, no absolute machine paths."""

import ast
import os
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE_LINES, LINE_CHARACTERS, FUNCTION_LINES = 500, 100, 60
PAPERS_LINES = 210  # a figure's file is read beside the figure
MATCH_SHARE = 0.7  # a function that is "one match" may be longer
MACHINE_PATH = re.compile(r"(?<![.\w/])/(work|farm|root|home|Users|tmp|opt)/")
RESULTS = (".egg-info", "_cache")
TEXT = {".py", ".md", ".toml", ".txt", ".cfg", ".csv", ""}


def is_one_match(function: ast.FunctionDef | ast.AsyncFunctionDef, length: int) -> bool:
    inside = [s.end_lineno - s.lineno + 1 for s in function.body if isinstance(s, ast.Match)]
    return sum(inside) >= MATCH_SHARE * length


def long_functions(source: str) -> list[str]:
    """Functions whose body, without the docstring, is too long and not one match."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) and node.body[1:] else node.body
            length = body[-1].end_lineno - body[0].lineno + 1
            if length > FUNCTION_LINES and not is_one_match(node, length):
                found.append(f"{node.name} is {length} lines long")
    return found


def complaints(path: Path, sized: bool) -> list[str]:
    """Return what is wrong with one file; ``sized`` ones must keep file and function sizes too."""
    text = path.read_text()
    found = [f"names a machine path: {m.group(0)}" for m in MACHINE_PATH.finditer(text)]
    if path.suffix == ".py":
        lines = text.splitlines()
        wide = [i for i, line in enumerate(lines, 1) if len(line) > LINE_CHARACTERS]
        found += [f"line {i} is wider than {LINE_CHARACTERS}" for i in wide]
        if sized:
            found += long_functions(text)
            if len(lines) > FILE_LINES:
                found.append(f"is {len(lines)} lines long")
    return [f"{path.name}: {what}" for what in found]


def kept_files(root: Path) -> list[Path]:
    """The files of the repository, without what is built or installed there."""
    skipped = {
        ".git", ".venv", "__pycache__", "build", "dist", "demo-output", "gallery-output", "_build",
    }  # fmt: skip
    found = []
    for folder, inside, files in os.walk(root):
        inside[:] = [n for n in inside if n not in skipped and not n.endswith(RESULTS)]
        found += [Path(folder, n) for n in files if n not in skipped and not n.endswith(RESULTS)]
    return sorted(p for p in found if p.suffix in TEXT | {".yml"} and p.is_file())


def test_files_keep_the_house_sizes() -> None:
    found = [
        f"{path.parent.relative_to(ROOT)}: {what}"
        for path in kept_files(ROOT)
        for what in complaints(path, sized=(ROOT / "src") in path.parents)
    ]
    assert found == []


def test_the_papers_are_read_beside_their_figures() -> None:
    """Short, and each with an example that runs."""
    found = []
    folder = ROOT / "src" / "pullback" / "papers"
    for path in sorted(set(folder.rglob("*.py")) - set((folder / "language").iterdir())):
        text = path.read_text()
        lines = text.count("\n")
        if lines > PAPERS_LINES:
            found.append(f"{path.name} is {lines} lines long")
        if ">>>" not in text and path.name != "__init__.py":
            found.append(f"{path.name} has no example")
    assert found == []


COMPILER = ("ad", "call", "convert", "core", "frontend", "lower", "native", "opt")
"""The folders of what runs whenever a program is compiled."""


def slow_forms(source: str) -> list[str]:
    """Return the forms that cost the compiler time and have a quick one beside them."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ImportFrom("dataclasses", names) if any(n.name == "dataclass" for n in names):
                found.append("dataclasses.dataclass: take core.frozen's")
            case ast.Call(ast.Name("isinstance" | "issubclass"), [_, ast.BinOp(op=ast.BitOr())]):
                found.append(f"line {node.lineno} makes a union: give isinstance a tuple")
            case _:
                pass
    return found


def test_the_compiler_has_quick_classes_and_tests() -> None:
    folders = [ROOT / "src" / "pullback" / name for name in COMPILER]
    paths = [p for folder in folders for p in folder.rglob("*.py") if p.parent.name != "text"]
    found = [f"{p.name}: {what}" for p in paths for what in slow_forms(p.read_text())]
    assert [f for f in found if not f.startswith("frozen.py")] == []
    planted = "from dataclasses import dataclass\nisinstance(x, int | str)"
    assert len(slow_forms(planted)) == 2


def test_planted_violations_are_caught(tmp_path: Path) -> None:
    body = "\n".join(f"    x{i} = {i}" for i in range(FUNCTION_LINES + 1))
    cases = "\n".join(f"        case {i}:\n            return {i}" for i in range(FUNCTION_LINES))
    path = tmp_path / "bad.py"
    path.write_text(
        f"def long():\n{body}\n\ndef table(n):\n    match n:\n{cases}\n"
        + f"wide = '{'-' * 100}'\n"
        + "here = '/"
        + "home/somebody/file'\n"
        + "\n" * FILE_LINES
    )
    assert complaints(path, sized=True) == [
        "bad.py: names a machine path: /" + "home/",
        "bad.py: line 186 is wider than 100",
        "bad.py: long is 61 lines long",
        "bad.py: is 687 lines long",
    ]
    assert kept_files(tmp_path) == [path]
