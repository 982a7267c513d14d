"""The API reference has every public name once, and what is said of each is complete."""

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import pullback as pb

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "api"
ENTRY = re.compile(r"^\.\. auto\w+:: pullback\.(\w+)$", re.M)
SECTION = re.compile(r"^(\w+):$", re.M)
PUBLIC = {name: getattr(pb, name) for name in pb.__all__}
NO_SOURCE = {
    "jit", "pack", "unpack", "ravel", "compiled", "show", "explain", "profile", "config",
    "clear_cache", "debug_print",
}  # fmt: skip
"""What no paper and no other library is the source of."""
EMPTY_WORDS = re.compile(r"\b(TODO|TBD|FIXME|XXX|lorem)\b|\.\.\.$", re.M)


def sections(doc: str) -> dict[str, str]:
    """The text of each section of a docstring; what comes before them is under ''."""
    parts = SECTION.split(doc)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def described(section: str) -> list[str]:
    """The names that a section has entries for."""
    return re.findall(r"^    (\w[\w.]*): \S", section, re.M)


def gaps(name: str, obj: Any) -> list[str]:
    """What a docstring does not say."""
    found, said = [], sections(inspect.getdoc(obj) or "")
    function = inspect.isroutine(obj) or name.startswith("custom_")
    if function:
        wanted = list(inspect.signature(obj).parameters)
        if described(said.get("Args", "")) != wanted:
            found.append(f"{name}: Args are not {', '.join(wanted)}")
        wants = {"Returns", "Raises", "Example"} | (set() if name in NO_SOURCE else {"Source"})
        found += [f"{name}: no {s}" for s in sorted(wants - said.keys())]
        returns = said.get("Returns", "").strip().split("\n")[0]
        if ":" in returns:  # napoleon would take what stands before it for a type
            found.append(f"{name}: a colon in the first line of Returns")
    if ">>> import pullback as pb\n" not in said.get("Example", ""):
        found.append(f"{name}: the example does not stand by itself")
    if EMPTY_WORDS.search(said[""]) or len(said[""].split()) < 4:
        found.append(f"{name}: says nothing")
    return found


def test_every_public_name_is_on_one_page() -> None:
    entries = [n for page in PAGES.glob("*.md") for n in ENTRY.findall(page.read_text())]
    assert sorted(entries) == sorted(pb.__all__)


def test_the_contents_of_the_reference_name_the_pages() -> None:
    """The table of ``docs/api/index.md`` has each page with its names, in their order."""
    rows = re.findall(r"^\| \[[^]]+\]\((\w+\.md)\) \| (.*) \|$",
                      (PAGES / "index.md").read_text(), re.M)  # fmt: skip
    table = {page: re.findall(r"`(\w+)`", names) for page, names in rows}
    files = {p.name: ENTRY.findall(p.read_text()) for p in PAGES.glob("*.md")}
    assert table == {name: names for name, names in files.items() if names}


@pytest.mark.parametrize("name", PUBLIC)
def test_what_is_said_is_complete(name: str) -> None:
    assert gaps(name, PUBLIC[name]) == []


@pytest.mark.parametrize("method", [
    pb.custom_vjp.defvjp, pb.custom_jvp.defjvp, pb.custom_jvp.defjvps,
], ids=lambda f: f.__name__)  # fmt: skip
def test_methods_say_their_arguments(method: Any) -> None:
    said = sections(inspect.getdoc(method) or "")
    assert described(said["Args"]) == [p for p in inspect.signature(method).parameters][1:]


def test_planted_violations_are_caught() -> None:
    def f(x: float, k: int) -> float:
        """Return something.

        Args:
            x: the number

        Returns:
            float: the number

        Example:
            >>> f(1.0, 2)
        """
        return x * k

    assert gaps("f", f) == [
        "f: Args are not x, k", "f: no Raises", "f: no Source",
        "f: a colon in the first line of Returns", "f: the example does not stand by itself",
        "f: says nothing",
    ]  # fmt: skip
