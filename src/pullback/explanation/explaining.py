"""Make the explanation of a function: compile it with trails, count runs of it, tell its stages."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pullback.call.by_method import told
from pullback.call.callee import as_function
from pullback.call.driver import by_method
from pullback.call.request import Request, What
from pullback.call.stage_programs import Followed, followed
from pullback.core.pretty_rows import rows_of
from pullback.core.terms import Let, Program
from pullback.core.trails import Trail
from pullback.errors import PullbackError
from pullback.explanation.counted_runs import (
    Counted,
    costs_of,
    counted,
    growth_of,
    memory_rows,
    part_of,
)
from pullback.explanation.model import (
    CodeRow,
    Cost,
    Explanation,
    Growth,
    Listing,
    LoopRow,
    Part,
    StageCard,
)
from pullback.explanation.sizes import resized, sizes_of
from pullback.explanation.source_lines import Places, sources_of
from pullback.explanation.timed_runs import Line, can_time, timed
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.python.source import Using, definition_of
from pullback.lower.notes import PlanRow
from pullback.papers.stage_cards import cards

SECONDS = 0.1
"""For so long the function runs natively, and so does its gradient."""

SHORT = 400
"""The stages of the papers run a function of at most so many steps, ..."""

MOST_STEPS = 50_000
"""... and each of them takes at most so many. ..."""

MOST_ROWS = 120
"""... The program has at most so many rows of Core."""


def explanation(
    f: Callable[..., Any], args: tuple[object, ...], request: Request, title: str
) -> Explanation:
    """Return what is said of a function at these arguments; ``request`` is its gradient."""
    notes: list[str] = []
    places = Places()
    with Using() as used:
        value = followed(f, args, request.of_value())
        gradient = _gradient(f, args, request, notes)
    function = as_function(f, len(args))
    names = _names(f, len(args))
    otherwise = places.begin(definition_of(function), used.found)
    runs = counted(f, args, names, value, gradient)
    if runs is None:
        notes.append("Nothing was counted: a run of it takes too long in the evaluator.")
    elif runs.error:
        notes.append(f"The counted run has raised {runs.error}")
    _name_places(places, value, gradient)
    costs = {} if runs is None else costs_of(runs, places, otherwise)
    if runs is not None and not runs.error:
        _add_times(f, args, request, gradient is not None, places, costs)
    listings, texts = _listings(places, value, gradient, runs)
    counts = runs.gradient if runs else None
    kept, again = memory_rows(counts, texts, places) if counts else ((), ())
    small = runs.args if runs else args
    return Explanation(
        title, _arguments(value, names, request),
        sources_of(used.found, places, costs), listings, _plans(places, value, gradient),
        kept, again, _growth(f, small, names, value, gradient, notes),
        _stages(f, small, names, value, request, runs, notes), _reduced(runs), tuple(notes),
    )  # fmt: skip


def _add_times(
    f: object, args: Sequence[object], request: Request, both: bool, places: Places,
    costs: dict[str, Cost],
) -> None:  # fmt: skip
    """Add the seconds of native runs to the costs of lines, where they can be measured."""
    if not can_time():
        return
    for (file, line, _), spent in _shares(f, args, request.of_value()):
        cost = costs.setdefault(places.names.get((file, line), ""), Cost())
        cost.seconds = (cost.seconds or 0.0) + spent
    for (file, line, part), spent in _shares(f, args, request) if both else ():
        cost = costs.setdefault(places.names.get((file, line), ""), Cost())
        cost.part_seconds[Part(part)] = cost.part_seconds.get(Part(part), 0.0) + spent


def _shares(f: object, args: Sequence[object], request: Request) -> list[tuple[Line, float]]:
    found = timed(f, args, request, SECONDS).shares()
    return [(line, spent) for line, spent in found.items() if line is not None]


def _gradient(
    f: object, args: Sequence[object], request: Request, notes: list[str]
) -> Followed | None:
    if not request.argnums:
        notes.append("There is no derivative: no argument holds real numbers.")
        return None
    try:
        return followed(f, args, request)
    except PullbackError as refusal:
        notes.append(f"There is no gradient: {refusal.reason}")
        return None


def _names(f: Callable[..., Any], count: int) -> list[str]:
    try:
        names = list(inspect.signature(f).parameters)
    except (TypeError, ValueError):
        names = []
    return [*names, *(f"argument {k}" for k in range(len(names), count))][:count]


def _arguments(
    value: Followed, names: Sequence[str], request: Request
) -> tuple[tuple[str, str, bool], ...]:
    plan = value.unit.plan
    kinds = plan.kinds[: plan.arguments]
    return tuple(
        (name, describe(kind), k in request.argnums)
        for k, (name, kind) in enumerate(zip(names, kinds, strict=False)))


def _name_places(places: Places, *programs: Followed | None) -> None:
    """Name all lines from which anything comes, in the order of the front end's program."""
    for done in programs:
        for program in done.programs.values() if done else ():
            for row in rows_of(program) if done and program is done.programs["core"] else ():
                places.of(row.let.site if row.let else None)


def _listings(
    places: Places, value: Followed, gradient: Followed | None, runs: Counted | None
) -> tuple[tuple[Listing, ...], dict[Let, str]]:
    """Return the programs that are shown, and the text of each let of the last one."""
    last, counts = value.evaluated, runs.value if runs else None
    found = [("core", "Core, as the front end made it", value.programs["core"])]
    if gradient is not None:
        last, counts = gradient.evaluated, runs.gradient if runs else None
        found.append(("ad", "just differentiated", gradient.programs["ad"]))
    found.append(("final", "after all passes", last))
    texts = {r.let: r.text for r in rows_of(last) if r.let is not None and r.head}

    def row_of(program: Program) -> tuple[CodeRow, ...]:
        out = []
        for row in rows_of(program):
            let, site = row.let, row.let.site if row.let else None
            made = CodeRow(row.depth, row.text, places.of(site))
            if let is not None:
                made = replace(made, part=part_of(let))
            if let is not None and row.head and counts is not None and program is last:
                made = replace(made, steps=counts.steps[let], runs=counts.runs[let],
                               kept=0 if part_of(let).value == "again" else counts.bytes[let])
            out.append(made)
        return tuple(out)

    return tuple(Listing(name, title, row_of(p)) for name, title, p in found), texts


def _plans(
    places: Places, value: Followed, gradient: Followed | None
) -> tuple[tuple[str, tuple[LoopRow, ...]], ...]:
    def rows(plan: Sequence[PlanRow]) -> tuple[LoopRow, ...]:
        return tuple(
            LoopRow(r.depth, r.text, places.of(r.site if isinstance(r.site, Trail) else None))
            for r in plan)

    found = [("the function", rows(value.plan))]
    if gradient is not None:
        found.append(("its gradient", rows(gradient.plan)))
    return tuple(found)


def _growth(
    f: object, args: tuple[object, ...], names: Sequence[str], value: Followed,
    gradient: Followed | None, notes: list[str],
) -> tuple[Growth, ...]:  # fmt: skip
    found = tuple(growth_of(f, args, names, value, gradient))
    if not found:
        notes.append("No picture of growth: no extent or int of the arguments can be varied.")
    return found


def _stages(
    f: Callable[..., Any], args: tuple[object, ...], names: Sequence[str], value: Followed,
    request: Request, runs: Counted | None, notes: list[str],
) -> tuple[StageCard, ...]:  # fmt: skip
    """Return the function by the stages of the papers, at small arguments."""
    if not request.argnums or runs is None or runs.error:
        return ()
    if len(rows_of(value.programs["core"])) > MOST_ROWS:
        notes.append("No stages of the papers: the program is too long.")
        return ()
    if sum(runs.value.steps.values()) > SHORT:
        for size in sizes_of(args, names):
            args = resized(args, size.extent, min(size.extent, 3))
    request = replace(request, what=What.PULLBACK, plain=True)
    tell = partial(told, tell=partial(cards, most=MOST_STEPS))
    try:
        found = by_method(f, args, request, "delta.monadic", tell)
    except PullbackError as refusal:
        notes.append(f"No stages of the papers: {refusal.reason}")
        return ()
    except Exception:  # arguments that were cut may not fit together, data may not be brought there
        notes.append("No stages of the papers: the function or its data is not in their languages.")
        return ()
    return tuple(StageCard(c.name, c.title, c.lines, c.counts, c.reason) for c in found)


def _reduced(runs: Counted | None) -> str:
    """Return what was made smaller for the counted run."""
    if runs is None or not runs.reduced:
        return ""
    return "; ".join(f"{name}: {to} where you gave {was}"
                     for name, (was, to) in runs.reduced.items())  # fmt: skip


__all__ = ["explanation"]
