"""The site has every page once, as far as that is seen without Sphinx; ``make docs-check`` builds
it."""

import ast
import importlib.util
import re
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from tools import site_search

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def module(path: Path) -> ModuleType:
    """Return the module in a file that is in no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


CONTENTS = module(DOCS / "_ext" / "contents.py")


def misplaced(pages: set[str], contents: dict[str, list[str]]) -> list[str]:
    """Pages that are in no list of contents or in two, and entries without a page."""
    entries = [page for inside in contents.values() for page in inside]
    found = [f"{p} is listed {n} times" for p in sorted(pages) if (n := entries.count(p)) != 1]
    found += [f"{p} is no page" for p in {*entries, *contents} - pages - {"index"}]
    return found


def pages() -> set[str]:
    """The pages of the site, by their names there."""
    files = (p for p in DOCS.rglob("*.md") if "_build" not in p.parts)
    return {p.relative_to(DOCS).with_suffix("").as_posix() for p in files} - {"index"}


def test_every_page_is_in_the_contents_once() -> None:
    assert misplaced(pages() | CONTENTS.MADE, CONTENTS.CONTENTS) == []


def unmet(page: str) -> list[str]:
    """The messages in the first column of a page's tables that no program of the page meets."""
    messages = re.findall(r"^\| `([^|`]+)` \| [^|]+ \|[^|]*\|$", page, re.M)
    programs = "".join(re.findall(r"^```python\n(.*?)^```", page, re.M | re.S))
    return [message for message in messages if f'says("{message}", ' not in programs]


def test_every_message_of_the_guide_is_met_by_a_program() -> None:
    """``test_docs.py`` runs the programs."""
    page = (DOCS / "guide" / "errors.md").read_text()
    assert unmet(page) == [] and page.count('says("') >= 10


def unlisted(page: str, files: Iterable[Path]) -> list[str]:
    """The examples that a page does not list with what they say of themselves."""
    rows = set(re.findall(r"^\| \[[^]]+\]\(([^)]+)\) \| (.*) \|$", page, re.M))
    said = {(p, ast.get_docstring(ast.parse(p.read_text())) or "") for p in files}
    wanted = {(f"../../{p.relative_to(ROOT)}", doc.split("\n")[0]) for p, doc in said}
    return sorted(f"{path}: {line}" for path, line in rows ^ wanted)


def test_the_questions_of_newcomers_are_about_pages() -> None:
    """``make docs-check`` asks the site's search; here it is seen that the pages are there."""
    asked = site_search.questions(site_search.QUESTIONS.read_text())
    assert len(asked) >= 20 and len({q.query for q in asked}) == len(asked)
    assert {page for q in asked for page in q.pages} <= pages() | {"index"}
    starts = site_search.weights(site_search.SCORER.read_text())
    assert [s for s in starts if not any(page.startswith(s) for page in pages())] == []


def test_every_example_is_listed_with_its_first_line() -> None:
    files = [*(ROOT / "examples").glob("*.py"), *(ROOT / "examples" / "recipes").glob("*.py")]
    assert unlisted((DOCS / "guide" / "examples.md").read_text(), files) == []


def test_planted_violations_are_caught() -> None:
    contents = {"index": ["a", "b", "lost"], "a": ["b"], "gone": []}
    assert sorted(misplaced({"a", "b", "c"}, contents)) == [
        "b is listed 2 times", "c is listed 0 times", "gone is no page", "lost is no page",
    ]  # fmt: skip
    assert unmet('| `a` | b | c |\n| `b` | c | |\n```python\nsays("a", f)\n```\n') == ["b"]
    path = ROOT / "examples" / "kepler.py"
    row = "| [kepler.py](../../examples/kepler.py) | Another text. |\n"
    assert len(unlisted(row, [path])) == 2
