"""An explanation as one HTML page that needs nothing else: no network, no other file.

All that comes from the user's program is escaped where it is put into the page (``text``), and the
script reads nothing but the names of places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path

from pullback.explanation.chart import chart
from pullback.explanation.model import (
    CodeRow,
    Cost,
    Explanation,
    Listing,
    LoopRow,
    MemoryRow,
    Part,
    Source,
    StageCard,
)

WORDS = re.compile(
    r"^(let|do|return|main|fun|type|then|else|cond)\b"
    r"|(?<= = )(if|case|build|sum|loop|while|call|inject)\b"
    r"|(?<=^do )(sum|loop|while|call|if|case)\b"
)
"""The words of Core that structure a program."""

MOST_TEXT = 4000
"""Longer lines are cut."""


@cache
def _file(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def text(of: str) -> str:
    """Return a text of the user's, or a line of a program, as HTML.

    >>> text("a < b and '</script>'")
    'a &lt; b and &#x27;&lt;/script&gt;&#x27;'
    """
    whole = of.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate has no bytes
    odd = "\N{REPLACEMENT CHARACTER}"
    shown = "".join(c if c.isprintable() or c == "\t" else odd for c in whole)
    return escape(shown if len(shown) <= MOST_TEXT else shown[:MOST_TEXT] + " ...")


def page(e: Explanation) -> str:
    """Return the page."""
    panes = _source(e) + "".join(_listings(e.listings))
    cards = "".join(filter(None, (_plan(e.plans), _memory(e), _growth(e))))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{text(e.title)} explained</title>\n<style>\n{_file('page.css')}</style></head>\n"
        f'<body>\n{_head(e)}\n<main>\n<div class="panes">{panes}</div>\n'
        f'<div class="cards">{cards}</div>\n{_stages(e.stages)}\n</main>\n'
        f"<script>\n{_file('page.js')}</script>\n</body></html>\n"
    )


# --- the head -------------------------------------------------------------------------------------


def _head(e: Explanation) -> str:
    arguments = ", ".join(
        f"<code>{text(name)}</code>: {text(kind)}{' (differentiated)' if by else ''}"
        for name, kind, by in e.arguments)
    value = e.value_steps
    figures = [("steps of the function", f"{value:,}")]
    gradient = sum(e.part_steps(part) for part in Part)
    if gradient and value:
        figures += [
            ("steps of value and gradient", f"{gradient:,}"),
            ("cost of value and gradient", f"{gradient / value:.2f} times the function's"),
            ("kept for the reverse sweep", in_bytes(sum(r.bytes for r in e.kept))),
            ("computed again instead", in_bytes(sum(r.bytes for r in e.again))),
        ]
    shown = "".join(f"<div><b>{n}</b><span>{what}</span></div>" for what, n in figures)
    counted = f"<p>Counted with smaller arguments: {text(e.counted)}.</p>" if e.counted else ""
    notes = "".join(f"<li>{text(note)}</li>" for note in e.notes)
    notes = f'<ul class="notes quiet">{notes}</ul>' if notes else ""
    return (
        f"<header><h1><code>{text(e.title)}</code> explained</h1><p>{arguments}</p>"
        f'<div class="figures">{shown if value else ""}</div>{counted}{notes}'
        '<p class="quiet">Point at a row, and all rows that come from the same line of the source '
        "light up. Go through the rows with <kbd>&uarr;</kbd> <kbd>&darr;</kbd>, to the same "
        "line in another listing with <kbd>&larr;</kbd> <kbd>&rarr;</kbd>; click or "
        "<kbd>Enter</kbd> keeps it, <kbd>Esc</kbd> lets it go.</p></header>"
    )


def in_bytes(n: int) -> str:
    """Return a number of bytes as people read it.

    >>> in_bytes(0), in_bytes(310), in_bytes(20_000), in_bytes(3_000_000)
    ('0 bytes', '310 bytes', '20.0 kB', '3.0 MB')
    """
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n >= 10 * size or (n >= size and unit != "kB"):
            return f"{n / size:.1f} {unit}"
    return f"{n:,} bytes"


# --- the source -----------------------------------------------------------------------------------


def _source(e: Explanation) -> str:
    lines = [line for source in e.sources for line in source.lines]
    most = max((line.cost.gradient or line.cost.value for line in lines), default=0)
    timed = any(line.cost.seconds is not None for line in lines)
    heads = ["steps", *(["gradient", ""] if e.part_steps(Part.FORWARD) else [""])]
    heads += ["time", "of gradient"] if timed else []
    tables = "".join(_source_table(source, most, heads, timed) for source in e.sources)
    key = "".join(
        f'<span><i class="{part.value}"></i>{what}</span>' for part, what in (
            (Part.FORWARD, "the function"), (Part.AGAIN, "computed again for the reverse sweep"),
            (Part.REVERSE, "the reverse sweep")))
    return (
        f'<section class="panel source" aria-label="source"><h2>Your source</h2>'
        f'<div class="key">{key}</div>{tables}</section>'
    )


def _source_table(source: Source, most: int, heads: Sequence[str], timed: bool) -> str:
    head = "".join(f"<th>{h}</th>" for h in heads)
    rows = []
    for line in source.lines:
        cost = line.cost
        cells = [_number(cost.value)]
        if "gradient" in heads:
            cells.append(_number(cost.gradient))
        cells.append(_bar(cost, most))
        if timed:
            whole = sum(cost.part_seconds.values())
            cells += [_seconds(cost.seconds or 0.0), _seconds(whole)]
        inside = "".join(f'<td class="number">{c}</td>' for c in cells)
        code = f'<td class="number">{line.number}</td><td class="text">{text(line.text)}</td>'
        rows.append(f"<tr{_link(line.place)}>{inside}{code}</tr>")
    title = f"{Path(source.file).name}: {source.name}"
    return (
        f'<h3 title="{text(source.file)}">{text(title)}</h3><div class="rows"><table><thead><tr>'
        f'{head}<th></th><th class="text"></th></tr></thead><tbody>{"".join(rows)}</tbody></table>'
        "</div>"
    )


def _number(n: int) -> str:
    return f"{n:,}" if n else ""


def _seconds(s: float) -> str:
    if s <= 0:
        return ""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("&micro;s", 1e-6)):
        if s >= size:
            return f"{s / size:.3g} {unit}"
    return f"{s / 1e-9:.3g} ns"


def _bar(cost: Cost, most: int) -> str:
    parts = cost.parts if cost.gradient else {Part.FORWARD: cost.value}
    if not most or not any(parts.values()):
        return ""
    inside = "".join(
        f'<i class="{part.value}" style="width:{100 * n / most:.1f}%"></i>'
        for part, n in parts.items() if n)
    told = ", ".join(f"{part.value} {n:,}" for part, n in parts.items() if n)
    return f'<span class="bar" role="img" aria-label="{told}" title="{told}">{inside}</span>'


def _link(place: str) -> str:
    return f' data-place="{place}" tabindex="-1"' if place else ""


# --- the programs ---------------------------------------------------------------------------------


def _listings(listings: Sequence[Listing]) -> Iterable[str]:
    core, rest = listings[:1], listings[1:]
    for listing in core:
        yield (f'<section class="panel" aria-label="Core"><h2>{text(listing.title)}</h2>'
               f"{_rows(listing)}</section>")  # fmt: skip
    if not rest:
        return
    last = rest[-1].name
    choices = "".join(
        f'<label><input type="radio" name="program" value="{listing.name}"'
        f'{" checked" if listing.name == last else ""}> {text(listing.title)}</label>'
        for listing in rest)
    parts = "".join(
        f'<div data-of="program" data-part="{listing.name}">{_rows(listing)}</div>'
        for listing in rest)
    title = "The derivative" if len(rest) > 1 else "The program"
    yield (f'<section class="panel" aria-label="derivative"><h2>{title}</h2>'
           f'<fieldset data-choice="program" aria-label="stage">{choices}</fieldset>{parts}'
           "</section>")  # fmt: skip


def _rows(listing: Listing) -> str:
    counted = any(row.runs for row in listing.rows)
    keeps = any(row.kept for row in listing.rows)
    heads = f"<th>steps</th>{'<th>keeps</th>' if keeps else ''}" if counted else ""
    rows = "".join(_row(row, counted, keeps) for row in listing.rows)
    return (
        f'<div class="rows"><table><thead><tr>{heads}<th></th><th class="text"></th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(row: CodeRow, counted: bool, keeps: bool) -> str:
    part = f' class="{row.part.value}"' if row.place else ""
    runs = f' title="runs {row.runs:,} times"' if row.runs else ""
    cells = f'<td class="number"{runs}>{_number(row.steps)}</td>' if counted else ""
    kept = in_bytes(row.kept) if row.kept else ""
    cells += f'<td class="number">{kept}</td>' if counted and keeps else ""
    return (
        f'<tr{part}{_link(row.place)}>{cells}<td class="mark"></td>'
        f'<td class="text">{"  " * row.depth}{_words(row.text)}</td></tr>'
    )


def _words(line: str) -> str:
    """Return a line of Core as HTML, with its words marked."""
    out, at = [], 0
    for found in WORDS.finditer(line):
        out.append(text(line[at : found.start()]))
        out.append(f'<span class="word">{text(found[0])}</span>')
        at = found.end()
    return "".join([*out, text(line[at:])])


# --- plan, memory, growth, stages -----------------------------------------------------------------


def _plan(plans: Sequence[tuple[str, tuple[LoopRow, ...]]]) -> str:
    parts = []
    for title, rows in plans:
        inside = "".join(
            f'<tr{_link(row.place)}><td class="text" style="padding-left:{row.depth - 1}rem">'
            f"{text(row.text)}</td></tr>"
            for row in rows if row.depth)
        shown = f'<div class="rows wrapped"><table><tbody>{inside}</tbody></table></div>'
        parts.append(f"<h3>{text(title)}</h3>{shown if inside else '<p>It has no loops.</p>'}")
    return (
        '<section class="panel" aria-label="plan"><h2>How each loop runs</h2>'
        f'{"".join(parts)}</section>'
    )


def _memory(e: Explanation) -> str:
    if len(e.listings) < 3:
        return ""
    parts = []
    for title, rows, none in (
        ("Kept for the reverse sweep", e.kept, "Nothing: all that it reads is in the arguments."),
        ("Computed again", e.again, "Nothing."),
    ):
        total = in_bytes(sum(row.bytes for row in rows))
        inside = "".join(_memory_row(row) for row in rows)
        table = (f'<div class="rows" style="max-height:16rem"><table><thead><tr><th class="text">'
                 f"</th><th>times</th><th>bytes</th></tr></thead><tbody>{inside}</tbody></table>"
                 "</div>")  # fmt: skip
        parts.append(f"<h3>{title}{f': {total}' if rows else ''}</h3>")
        parts.append(table if rows else f"<p>{none}</p>")
    return (
        '<section class="panel" aria-label="memory"><h2>What reverse mode keeps</h2>'
        f'{"".join(parts)}</section>'
    )


def _memory_row(row: MemoryRow) -> str:
    return (
        f'<tr{_link(row.place)}><td class="text">{_words(row.text)}</td><td>{row.values:,}</td>'
        f"<td>{row.bytes:,}</td></tr>"
    )


def _growth(e: Explanation) -> str:
    if not e.growth:
        return ""
    key = ('<div class="key"><span><i class="forward"></i>the function</span>'
           '<span><i class="reverse"></i>value and gradient</span></div>')  # fmt: skip
    charts = "".join(
        f"<figure><h3>against the size {g.own} of <code>{text(g.name)}</code></h3>{chart(g)}"
        "</figure>" for g in e.growth)
    return (
        '<section class="panel" aria-label="growth"><h2>Steps against size</h2>'
        f"{key}{charts}</section>"
    )


def _stages(cards: Sequence[StageCard]) -> str:
    taken = [card for card in cards if not card.reason]
    if len(taken) < 2:
        return ""
    shown = "".join(_card(card) for card in taken)
    missing = "".join(
        f"<li>{text(card.name)} ({text(card.title)}): {text(card.reason)}</li>"
        for card in cards if card.reason)
    if missing:
        title = "<summary>Stages that do not take it</summary>"
        missing = f"<details>{title}<ul>{missing}</ul></details>"
    return (
        '<section class="panel" aria-label="stages"><h2>Through the stages of the four papers</h2>'
        '<p class="quiet">With small arguments. Lines that the stage before had not are marked.</p>'
        '<div class="slider"><button data-step="-1" aria-label="stage before">&lsaquo;</button>'
        f'<input id="stage" type="range" min="0" max="{len(taken) - 1}" value="0" '
        'aria-label="stage"><button data-step="1" aria-label="next stage">&rsaquo;</button>'
        f'<span id="stage-name" class="quiet"></span></div>{shown}{missing}</section>'
    )


def _card(card: StageCard) -> str:
    name = f"{card.name}  {card.title}" if card.name else "the program itself"
    lines = "\n".join(
        f'<span class="new">{text(line)}</span>' if new else f"<span>{text(line)}</span>"
        for new, line in card.lines)
    return (
        f'<div data-card="{text(name)}"><h3>{text(name)}</h3><p>{text(card.counts)}</p>'
        f'<pre tabindex="0">{lines}</pre></div>'
    )


__all__ = ["in_bytes", "page", "text"]
