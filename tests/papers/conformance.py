"""The conformance checklist: what the papers claim, row by row, and the test of every row.

A test of a row carries its id: ``pytest -k '[CHAD-12]'`` runs it. The rows are in ``rows/*.txt``,
one line each::

    id | kind | figure or section | claim | expected | seen | places in the code | state

``expected`` is what the row asks of a test, with its numbers; ``seen`` is what the test finds, "="
where that is all of it. The state is empty where a test carries the id; else it says why none does
(``open: reason``), that the row is a statement of the papers and not a test (``note: ..``), or that
the row is wrong, with the counterexample (``wrong: ..``; its test then shows what is so).
``docs/PAPERS.md`` is written from the rows and the tests by ``python -m tests.papers.conformance``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "PAPERS.md"
MATRIX = ROOT / "tests" / "papers" / "rows" / "matrix.txt"
"""The features that each method takes, as found by ``tests/papers/matrix.py``: feature | method |
what."""
PAPERS = {
    "DN": "Efficient Dual-Numbers Reverse AD (Smeding & Vákár)",
    "KR": "Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD"
          " (Krawiec et al.)",
    "CHAD": "Efficient CHAD (Smeding & Vákár)",
    "DC": "The Differentiable Curry (Vytiniotis et al.)",
    "X": "Across the papers",
}
KINDS = ("CORE", "PERF", "BEYOND", "DOC")
REQUIRED = ("CORE", "PERF")


def claim(row: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a test function as the test of this row; it takes the id as its parameter ``row``."""
    return pytest.mark.parametrize("row", [row])


class Row(NamedTuple):
    """One line of the checklist; ``state`` is (word, text), or ("", "") if there is a test."""

    id: str
    kind: str
    source: str
    claim: str
    expected: str
    seen: str
    places: tuple[str, ...]
    state: tuple[str, str]


def read_rows(folder: Path = ROOT / "tests" / "papers" / "rows") -> list[Row]:
    """Return the checklist, in the order of the papers."""
    rows = []
    for paper in PAPERS:
        for line in (folder / f"{paper}.txt").read_text().splitlines():
            cells = [cell.strip() for cell in line.split("|")]
            assert len(cells) == 8 and cells[1] in KINDS, line
            word, _, text = cells[7].partition(":")
            state = (word.strip(), text.strip())
            rows.append(Row(*cells[:6], tuple(cells[6].split()), state))
    return rows


def claims(root: Path = ROOT) -> dict[str, list[str]]:
    """Return id -> the tests that carry it, as ``file:function``."""
    found: dict[str, list[str]] = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        text = path.read_text()
        if "claim(" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.FunctionDef):
                continue
            for d in node.decorator_list:
                if isinstance(d, ast.Call) and ast.unparse(d.func).split(".")[-1] == "claim":
                    place = f"{path.relative_to(root).as_posix()}:{node.name}"
                    found.setdefault(ast.literal_eval(d.args[0]), []).append(place)
    return found


def complaints(rows: list[Row], tests: dict[str, list[str]]) -> list[str]:
    """Return what is wrong with the checklist, such as a row that has neither a test nor a
    reason."""
    found = []
    ids = [row.id for row in rows]
    found += [f"{i} is listed twice" for i in sorted({i for i in ids if ids.count(i) > 1})]
    found += [f"{i}: a test carries an id that is no row" for i in sorted(set(tests) - set(ids))]
    for row in rows:
        word, text = row.state
        here = tests.get(row.id, [])
        if word not in ("", "open", "note", "wrong"):
            found.append(f"{row.id}: no such state: {word}")
        if not row.expected or not row.seen:
            found.append(f"{row.id}: does not say what is expected and what is seen")
        if word and row.seen == "=":
            found.append(f"{row.id}: {word}, and seen as expected")
        if word and not text:
            found.append(f"{row.id}: {word} without a reason")
        if not here and word in ("", "wrong"):
            found.append(f"{row.id}: no test carries the id")
        if here and word in ("open", "note"):
            found.append(f"{row.id}: listed as {word}, and {here[0]} carries the id")
        if word == "note" and row.kind in REQUIRED:
            found.append(f"{row.id}: a {row.kind} row needs a test")
        if len(here) > 1:
            found.append(f"{row.id}: carried by {len(here)} tests; one must show it")
        if word != "open" and word != "note" and not row.places:
            found.append(f"{row.id}: no place in the code")
    return found


def status(row: Row) -> str:
    """Return the last cell of a row of the table."""
    word, text = row.state
    match word:
        case "":
            return "passes" if row.seen == "=" else f"passes; seen: {row.seen}"
        case "wrong":
            return f"the row is **wrong**: {text}"
        case "note":
            return text
        case _:
            return f"**open**{' (BEYOND)' if row.kind == 'BEYOND' else ''}: {text}"


def link(place: str, base: str = "") -> str:
    """Return ``file:function`` as a link to the file, from ``docs``."""
    return f"[`{place}`](../{base}{place.partition(':')[0]})"


HEAD = """\
# The papers, row by row

Every figure, theorem, lemma and table of the four papers as a test. The test of a row carries its
id: `pytest -k '[CHAD-12]'` runs it. Kinds: CORE and PERF (growth, counts of steps, times) must
pass; BEYOND is future work in the papers or goes further than they do; DOC is a statement, to be
read. A row that is wrong says so, with the counterexample; its test shows what is so. "Expected" is
what the row asks of its test, with the numbers; where a test sees something else, the status says
what. RG, RGH, RGA: random programs (first-order, with functions, with arrays); FD: finite
differences; bp: backpropagator. Random programs are some in every run, and as many as the row asks
in the full campaign (docs/TESTING.md).

This page is written by `python -m tests.papers.conformance` from the rows in `tests/papers/rows`
and the tests; a test fails where it is not up to date, a row has neither a test nor a reason, a
link is dead or a function is not where the page says.
"""


FIGURES = """\
## Figure by figure

Where each figure is, by the rows below that are about it; a clause quotes its equation.

| figure | code |
|---|---|"""


def figures(rows: list[Row]) -> str:
    """Return the table of the figures, with the places of the rows that name them."""
    found: dict[tuple[str, int], dict[str, None]] = {}
    for row in rows:
        for text in re.findall(r"Figs? ([\d, ]+)", row.source):
            for n in re.findall(r"\d+", text):
                found.setdefault((row.id.rpartition("-")[0], int(n)), {}).update(
                    dict.fromkeys(row.places))
    order = list(PAPERS)
    return "\n".join([FIGURES, *(
        f"| {paper} {n} | {', '.join(link(p, 'src/pullback/') for p in places)} |"
        for (paper, n), places in sorted(
            found.items(), key=lambda f: (order.index(f[0][0]), f[0][1])) if places), ""])


def page(rows: list[Row], tests: dict[str, list[str]]) -> str:
    """Return the text of docs/PAPERS.md."""
    required = [row for row in rows if row.kind in REQUIRED]
    still = [row.id for row in required if row.state[0] == "open"]
    out = [HEAD]
    out.append(f"{len(rows)} rows. CORE and PERF: {len(required)}, of which {len(still)} open"
               + (f": {', '.join(still)}." if still else ".") + "\n")
    out.append(figures(rows))
    for paper, title in PAPERS.items():
        out.append(f"## {paper}: {title}\n")
        out.append("| id | kind | figure | claim | expected | code | test | status |")
        out.append("|---|---|---|---|---|---|---|---|")
        for row in rows:
            if row.id.rpartition("-")[0] != paper:
                continue
            code = ", ".join(link(p, "src/pullback/") for p in row.places)
            test = ", ".join(link(t) for t in tests.get(row.id, ()))
            cells = [row.id, row.kind, row.source, row.claim, row.expected, code, test, status(row)]
            out.append("| " + " | ".join(cells) + " |")
        out.append("")
    out.append(SEEN)
    out.append(slack())
    out.append(matrix())
    return "\n".join(out)


SEEN = """\
## To be seen

`pb.stages(f, *args)` shows a function of one's own through the stages N1 to N5, K1 to K, C0 to C, S
and E: as a term in the notation of its paper, with the lines marked that the stage before it had
not, the steps of both passes, and how often each backpropagator was called.
`python -m pullback papers` walks through the figures, live.

![Steps of all stages against size, on four families](pictures/papers-steps.png)

The lines that end are those of exponential stages: N1 and K2 on what is shared, CH0 and S on
closures inside each other. K1, C0 and N2 are quadratic where there are many inputs. As vectors:
[papers-steps.svg](pictures/papers-steps.svg), [papers-slack.svg](pictures/papers-slack.svg);
`make papers-pictures` counts and draws them again.

![Both sides of TH1 and TH2 on random programs](pictures/papers-slack.png)
"""

SLACK = """\
## The theorems on families of programs

Steps of each phase, over the steps of the program and the reals of its input and result; at size 16
and at size 128, and the bound that the rows on complexity assert (`tests/papers/families.py`;
`python -m tests.papers.families` writes the table).
"""


def slack() -> str:
    """The table of slacks: family, method, and both phases."""
    out = [SLACK, "| family | method | forward: 16, 128, bound | reverse: 16, 128, bound |",
           "|---|---|---|---|"]
    for line in (MATRIX.parent / "slack.txt").read_text().splitlines():
        family, method, *phases = line.split(" | ")
        cells = [phase.replace(" of ", " ").replace(" ", ", ") for phase in phases]
        out.append(f"| {family} | `{method}` | {cells[0]} | {cells[1]} |")
    return "\n".join(out) + "\n"


TAKES = """\
## What each method takes of Python

Found by running every method on a function of every kind and comparing with native code
(`python -m tests.papers.matrix`; a test runs it again). n²: the steps grow so (nearly) where those
of the function grow as n; > n: more than linearly. Where a stage of the paper is inefficient, that
is what is to be seen; in the others an appended list or an updated array is copied, as the papers'
languages have no update in place. `dual.naive`, `delta.symbolic`, `chad.higher`, `chad.bagged`,
`curry.simple` and `delta.towers` are exponential on programs that share, and their growth is not
shown. A method without functions is
given the program with its calls inlined and its function values as sums. `–`: refused, with the
reason below.
"""


def matrix() -> str:
    """Return the matrix of methods and features; methods that take the same are one column."""
    cells: dict[str, dict[str, str]] = {}
    for line in MATRIX.read_text().splitlines():
        feature, method, what = line.split(" | ", 2)
        cells.setdefault(method, {})[feature] = what
    columns: dict[tuple[tuple[str, str], ...], list[str]] = {}
    reasons: dict[str, list[str]] = {}
    for method, found in cells.items():
        key = []
        for feature, what in found.items():
            word, _, text = what.partition(": ")
            key.append((feature, "–" if word == "no" else what.removeprefix("yes").strip() or "✓"))
            if word == "no":
                text = text.removeprefix(f"method {method!r}: ").removeprefix(f"{method}: ")
                reasons.setdefault(text[0].upper() + text[1:], []).append(f"`{method}`")
        columns.setdefault(tuple(key), []).append(method)
    out = [TAKES]
    for k, methods in enumerate(columns.values()):
        out.append(f"- **{chr(ord('A') + k)}**: " + ", ".join(f"`{m}`" for m in methods))
    out.append("\n| | " + " | ".join(chr(ord("A") + k) for k in range(len(columns))) + " |")
    out.append("|---" * (len(columns) + 1) + "|")
    for row in zip(*columns, strict=True):
        out.append(f"| {row[0][0]} | " + " | ".join(what for _, what in row) + " |")
    out.append("")
    for reason, methods in reasons.items():
        names = dict.fromkeys(methods)
        every = "all methods" if len(names) == len(cells) else ", ".join(names)
        out.append(f"- {reason} ({every}).")
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(read_rows(), claims()))
