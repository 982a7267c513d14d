"""The contents of the site: which pages stand under which.

The pages are the Markdown files that GitHub shows, where a list of contents in Sphinx's notation
would be in the way. So it is here, and is put at the end of each page when Sphinx reads it. A test
sees to it that each page under ``docs`` is here once (``tests/house/test_site.py``).
"""

from __future__ import annotations

from typing import Any

CONTENTS: dict[str, list[str]] = {
    "index": [
        "guide/README",
        "api/index",
        "reference",
        "gallery/index",
        "how-it-works",
        "project",
    ],
    "guide/README": [
        "guide/tutorial",
        "guide/coming-from",
        "guide/recipes",
        "guide/examples",
        "guide/debugging",
        "guide/seeing",
        "guide/sharp-edges",
        "guide/errors",
        "guide/compiling",
        "guide/numbers",
        "guide/performance",
        "guide/reliability",
        "guide/neighbours",
    ],
    "api/index": [
        "api/gradients",
        "api/jacobians",
        "api/products",
        "api/loops",
        "api/rules",
        "api/structures",
        "api/inspection",
        "api/compilation",
        "api/languages",
        "api/errors",
    ],
    "reference": ["constructs", "LANGUAGE", "library", "refusals"],
    "how-it-works": [
        "PATH",
        "DESIGN",
        "GLOSSARY",
        "PAPERS",
        "PASSES",
        "BENCHMARKS",
        "TESTING",
        "REPLAY",
        "adding/README",
    ],
    "adding/README": [
        "adding/primitive",
        "adding/library-function",
        "adding/container",
        "adding/pass",
        "adding/operator",
        "adding/paper",
        "adding/language-feature",
    ],
    "project": ["COMPARISON", "changelog", "contributing", "security", "HISTORY"],
}
"""A page, and the pages under it in their order."""

MADE = {"gallery/index"}
"""Pages that no file has: sphinx-gallery writes them."""

SHALLOW = {"refusals"}
"""Pages of so many sections that the list beside the page names only the chapters."""


def append(app: Any, name: str, source: list[str]) -> None:
    """Put the list of contents at the end of a page."""
    if name in SHALLOW:
        source[0] = f"---\ntocdepth: 2\n---\n{source[0]}"
    if CONTENTS.get(name):
        names = "\n".join(f"/{page}" for page in CONTENTS[name])
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n:maxdepth: 2\n\n{names}\n```\n"


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("source-read", append)
    return {"version": "1", "parallel_read_safe": True}
