"""Write ``docs/constructs.md``, the language as two tables: ``python -m
tests.frontend.construct_page``.

What is in has a program that the tests run (``language_rows.py``); what is out is what the pairs of
refused and mended programs are told (``refusal_page.py``).
"""

from __future__ import annotations

from pathlib import Path

from tests.frontend import refusal_page
from tests.frontend.language_rows import ROWS

PAGE = Path(__file__).parents[2] / "docs" / "constructs.md"
HEAD = """\
# The language in two tables

What may stand in a function that is compiled, and what to write in place of what may not. Each row
is met by a program of the tests. [The language, today](LANGUAGE.md) says all of it in words,
[Library functions](library.md) has the functions, and
[Refusals, each with its mend](refusals.md) the programs of the second table.

`python -m tests.frontend.construct_page` writes this page.

## In

| area | construct |
|---|---|
"""


def page() -> str:
    """Return the page."""
    out = HEAD + "".join(f"| {row.area} | {row.construct} |\n" for row in ROWS)
    out += "\n## Out, and what to write instead\n\n| it says | write |\n|---|---|\n"
    rows = dict.fromkeys(
        (reason, advice) for reason, advice in refusal_page.written().values() if advice
    )
    return out + "".join(f"| {reason} | {advice} |\n" for reason, advice in rows)


if __name__ == "__main__":
    PAGE.write_text(page())
