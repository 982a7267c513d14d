"""The comparison with other tools is true of Pullback: each "yes" names tests that are there."""

import ast
import re
from pathlib import Path

from tests.house.test_docs import ROOT

PAGE = ROOT / "docs" / "COMPARISON.md"
TEST = re.compile(r"\[`(test_\w+)`\]\((\.\./tests/[\w/]+\.py)\)")
MARK = re.compile(r"\[([A-Z]\d)\]")
WORD = re.compile(r"(?:\[(yes|partly|no)\]\(([^)]+)\)|no|not yet)$")


def rows(page: str) -> list[list[str]]:
    """The cells of the rows of a page's tables, without heads."""
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line[1:-1].split(" | ")] for line in lines]
    return [row for row in cells if row[0]]


def compared(page: str) -> list[list[str]]:
    """The rows that compare: they have a cell for each tool."""
    return [row for row in rows(page) if len(row) > 3]


def functions_of(path: Path) -> set[str]:
    """The names of a file's test functions."""
    body = ast.parse(path.read_text()).body if path.is_file() else []
    return {node.name for node in body if isinstance(node, ast.FunctionDef)}


def untrue(page: str, folder: Path) -> list[str]:
    """Cells about Pullback that show no test, or a test that is not there."""
    found = []
    shown = {row[0]: TEST.findall(row[2]) for row in rows(page) if len(row) == 3}
    for name, ours, *_ in compared(page):
        word, tests = WORD.match(ours), shown.get(name, [])
        if not word:
            found.append(f"{name}: neither yes with a link nor no")
        elif word[1] and word[2] not in [file for _, file in tests]:
            found.append(f"{name}: no test in {word[2]}")
        found += [f"{name}: no {t}" for t, file in tests if t not in functions_of(folder / file)]
    return found


def without_source(page: str) -> list[str]:
    """Cells about other tools that say something and name no source of the list."""
    sources = set(re.findall(r"^- ([A-Z]\d): \[[^]]+\]\(https://", page, re.M))
    found = []
    for name, _, *others in compared(page):
        for cell in others:
            marks = set(MARK.findall(cell))
            if marks - sources or (not marks and cell not in ("not found", "runs", "itself")):
                found.append(f"{name}: {cell}")
    return found


def test_each_yes_has_a_test() -> None:
    page = PAGE.read_text()
    assert untrue(page, PAGE.parent) == [] and len(compared(page)) >= 40
    assert {len(row) for row in rows(page)} == {3, 11}


def test_what_is_said_of_others_has_a_source() -> None:
    assert without_source(PAGE.read_text()) == []


def test_planted_untruths_are_caught() -> None:
    file = "../tests/house/test_comparison.py"
    page = (
        f"| | Pullback | A | B |\n|---|---|---|---|\n| a | [yes]({file}) | yes [A1] | runs |\n"
        f"| b | yes | no [A2] | runs |\n| c | no | no | runs |\n"
        f"| d | [yes]({file}) | runs | runs |\n| e | [partly]({file}) | not found | itself |\n"
        "- A1: [Page](https://example.org)\n"
        f"| a | yes | [`test_each_yes_has_a_test`]({file}) |\n"
        f"| e | partly | [`test_every_yes_has_a_test`]({file}) |\n"
    )
    assert untrue(page, PAGE.parent) == [
        "b: neither yes with a link nor no", f"d: no test in {file}",
        "e: no test_every_yes_has_a_test",
    ]  # fmt: skip
    assert without_source(page) == ["b: no [A2]", "c: no"]
