"""The site has every page once, as far as that is seen without Sphinx; ``make docs-check`` builds
it."""

import importlib.util
from pathlib import Path
from types import ModuleType

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


def test_planted_violations_are_caught() -> None:
    contents = {"index": ["a", "b", "lost"], "a": ["b"], "gone": []}
    assert sorted(misplaced({"a", "b", "c"}, contents)) == [
        "b is listed 2 times", "c is listed 0 times", "gone is no page", "lost is no page",
    ]  # fmt: skip
