"""Links from a page to files of the repository that are no pages of the site.

On GitHub a link such as ``../src/pullback/api/gradients.py`` shows the file. On the site it leads
to a page with the file's coloured text, which is written for each file that some page links; a
folder gets a page with the list of its files. A link to a text of the repository that is also a
page of the site (``CHANGELOG.md``) leads to that page. A link to a file that is not there is a
warning, which ends the build under ``-W``.
"""

from __future__ import annotations

import html
import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

LOG = logging.getLogger(__name__)
ROOT = Path(__file__).parents[2]
PAGES = {
    "README.md": "index",
    "CHANGELOG.md": "changelog",
    "CONTRIBUTING.md": "contributing",
    "SECURITY.md": "security",
}
"""Texts beside ``docs`` that are pages of the site, too."""


class RepositoryLinks(SphinxTransform):
    """Make a cross reference of each link to something outside of ``docs``."""

    default_priority = 5  # before the files to download are collected

    def apply(self, **_: Any) -> None:
        for node in list(self.document.findall(addnodes.download_reference)):
            self.retarget(node, node["reftarget"])
        for node in list(self.document.findall(addnodes.pending_xref)):
            target = str(node.get("reftarget", ""))
            if node.get("refdomain") == "doc" and Path(target).is_absolute():
                self.retarget(node, f"{target}.md")  # MyST has taken the suffix of a text
            elif node.get("reftype") == "myst":
                self.retarget(node, target)

    def retarget(self, node: nodes.Element, target: str) -> None:
        """Replace a link to a file or folder outside of ``docs``."""
        path, _, _ = target.partition("#")
        here = posixpath.join(ROOT, "docs", posixpath.dirname(self.env.docname))
        place = posixpath.relpath(posixpath.join(here, path), ROOT)
        if place.startswith("docs/") and not (ROOT / place).exists() and (ROOT / path).exists():
            place = path  # in a text that is included from the root
        inside = place.startswith("docs/") and (ROOT / place).is_file()
        if inside or place.startswith("..") or not (ROOT / place).exists():
            return
        link = addnodes.pending_xref(
            "", *node.children, refdomain="", reftype="repository", reftarget=place,
            refdoc=self.env.docname, refexplicit=True, refwarn=True,
        )  # fmt: skip
        node.replace_self(link)


def page_of(place: str) -> str:
    """Return the name of the page that shows a file or folder of the repository."""
    return PAGES.get(place) or f"files/{place}"


def resolve(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.TextElement
) -> nodes.reference | None:
    """Return the reference to the page of a file."""
    if node["reftype"] != "repository":
        return None
    place = node["reftarget"]
    wanted = vars(env).setdefault("repository_files", set())
    if place not in PAGES:
        wanted.add(place)
    uri = app.builder.get_relative_uri(node["refdoc"], page_of(place))
    return nodes.reference("", "", content, internal=True, refuri=uri)


def shown(path: Path) -> str:
    """Return the text of a file as HTML, each line with an anchor ``L1``, ``L2``, ..."""
    text = path.read_text(encoding="utf-8")
    try:
        lexer = get_lexer_for_filename(path.name)
    except ClassNotFound:
        return f"<pre>{html.escape(text)}</pre>"
    form = HtmlFormatter(cssclass="highlight", lineanchors="L", anchorlinenos=True)
    return str(highlight(text, lexer, form))


def listed(path: Path, place: str) -> str:
    """Return the list of the files in a folder, each with a link to its page."""
    names = sorted(p.name for p in path.iterdir() if p.is_file() and p.suffix in (".py", ".md"))
    rows = "".join(
        f'<li><a href="{posixpath.basename(place)}/{n}.html">{n}</a></li>' for n in names
    )
    return f"<ul>{rows}</ul>"


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Write a page for each file and folder that a page links."""
    wanted = set(vars(app.env).get("repository_files", ()))
    for place in sorted(wanted):
        if (ROOT / place).is_dir():
            wanted |= {f"{place}/{p.name}" for p in (ROOT / place).iterdir()
                       if p.is_file() and p.suffix in (".py", ".md")}  # fmt: skip
    for place in sorted(wanted):
        path = ROOT / place
        body = listed(path, place) if path.is_dir() else shown(path)
        context = {"title": place, "body": f"<h1>{html.escape(place)}</h1>{body}"}
        yield page_of(place), context, "page.html"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_transform(RepositoryLinks)
    app.connect("missing-reference", resolve)
    app.connect("html-collect-pages", pages)
    return {"version": "1", "parallel_read_safe": False}
