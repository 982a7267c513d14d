"""Ask the search of the built site the questions of newcomers: ``python -m tools.site_search
docs/_build/check``.

It ranks pages as the site does in the browser (Sphinx's ``searchtools.js``: terms in texts and
titles, headings, names of the API, with the weights of ``docs/_static/scorer.js``), and wants one
of the pages that answer among the first five, with the answer's words on it: a click on the result,
and one on the heading. It needs Sphinx, for its index and its stemmer.
"""

from __future__ import annotations

import html
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
QUESTIONS = ROOT / "tests" / "site_questions.txt"
SCORER = ROOT / "docs" / "_static" / "scorer.js"
FIRST = 5


@dataclass(frozen=True)
class Question:
    """What is typed, the pages that answer it, and words of which one stands on such a page."""

    query: str
    pages: tuple[str, ...]
    words: tuple[str, ...]


def questions(text: str) -> list[Question]:
    """Return the questions of a file."""
    rows = [line.split(" | ") for line in text.splitlines() if line and line[0] != "#"]
    return [Question(query, tuple(pages.split(", ")), tuple(words.split(", ")))
            for query, pages, words in rows]  # fmt: skip


def weights(text: str) -> dict[str, int]:
    """Return how much more, or less, a page counts, by the beginning of its name."""
    table = re.search(r"SITE_WEIGHTS = (\{.*?\})", text, re.S)
    assert table is not None
    return dict(json.loads(table.group(1)))


class Search:
    """The index of a built site."""

    def __init__(self, site: Path) -> None:
        from sphinx.search.en import SearchEnglish

        text = (site / "searchindex.js").read_text()
        self.index: dict[str, Any] = json.loads(text.removeprefix("Search.setIndex(")[:-1])
        self.language = SearchEnglish({})
        self.weights = weights(SCORER.read_text())

    def best(self, query: str) -> list[str]:
        """Return the pages that the site shows for a query, the first ones first."""
        found: dict[str, float] = {}
        for page, score, kind in [*self.by_terms(query), *self.by_titles(query),
                                  *self.by_names(query)]:  # fmt: skip
            more = next((w for start, w in self.weights.items() if page.startswith(start)), 0)
            found[page] = max(found.get(page, -99.0), score + more + 10 * (kind == "title"))
        return sorted(found, key=lambda page: (-found[page], page))

    def by_terms(self, query: str) -> list[tuple[str, float, str]]:
        """Return the pages that have all words of the query, in the text or in a title."""
        words = [w for w in re.findall(r"\w+", query.lower()) if w not in self.language.stopwords]
        scores: list[dict[int, float]] = [self.of_word(self.language.stem(w)) for w in words]
        if not scores:
            return []
        common = set(scores[0]).intersection(*scores[1:])
        return [(self.index["docnames"][k], max(s[k] for s in scores), "text") for k in common]

    def of_word(self, word: str) -> dict[int, float]:
        """Return the score of each page for a stemmed word."""
        found: dict[int, float] = {}
        for name, whole, part in (("terms", 5, 2), ("titleterms", 15, 7)):
            table = self.index[name]
            hits = [(table[word], whole)] if word in table else []
            if not hits and len(word) > 2:
                hits = [(files, part) for term, files in table.items() if word in term]
            for files, score in hits:
                for k in files if isinstance(files, list) else [files]:
                    found[k] = max(found.get(k, 0), score)
        return found

    def by_titles(self, query: str) -> list[tuple[str, float, str]]:
        """Return the pages with a heading of which the query is half or more."""
        low = query.lower().strip()
        found: list[tuple[str, float, str]] = []
        for title, places in self.index["alltitles"].items():
            if low in title.lower() and 2 * len(low) >= len(title):
                score = round(15 * len(low) / len(title))
                found += [(self.index["docnames"][k], score, "title") for k, _ in places]
        return found

    def by_names(self, query: str) -> list[tuple[str, float, str]]:
        """Return the pages of the API's names that the query names."""
        found: list[tuple[str, float, str]] = []
        for entries in self.index["objects"].values():
            for k, _, _, _, name in entries:
                if name.lower() in query.lower().split():
                    found.append((self.index["docnames"][k], 16.0, "object"))
        return found


def unanswered(search: Search, site: Path, asked: list[Question]) -> list[str]:
    """Return what is wrong with the answers."""
    found = []
    for question in asked:
        shown = search.best(question.query)[:FIRST]
        pages = [page for page in question.pages if page in shown]
        texts = [html.unescape(re.sub(r"<[^>]+>", "", (site / f"{page}.html").read_text()))
                 for page in pages]  # fmt: skip
        if not pages:
            found.append(f"{question.query}: {question.pages} are not among {shown}")
        elif not any(word in text for text in texts for word in question.words):
            found.append(f"{question.query}: {pages} have none of {question.words}")
    return found


def main(site: Path) -> int:
    """Ask all questions; 1 if one is not answered."""
    asked = questions(QUESTIONS.read_text())
    found = unanswered(Search(site), site, asked)
    print("\n".join(found) or f"{len(asked)} questions are answered by search")
    return 1 if found or len(asked) < 20 else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
