"""Counted runs of the evaluator: the steps of each line, what is kept, and how steps grow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pullback.call.callee import as_function
from pullback.call.evaluate import flatten_arguments, run_evaluator
from pullback.call.stage_programs import Followed
from pullback.core.eval_counts import Counts, TooLong
from pullback.core.terms import Let, Program, Var, atoms, sub_blocks
from pullback.core.trails import Sweep, Trail
from pullback.core.traverse import all_lets
from pullback.core.types import Array, Bool, Handle, Int, Real, Type
from pullback.explanation.model import Cost, Growth, MemoryRow, Part
from pullback.explanation.sizes import resized, sizes_of
from pullback.explanation.source_lines import Places

MOST_STEPS = 200_000
"""A counted run of the function takes at most half a second, ..."""

MOST_STEPS_OF_GROWTH = 20_000
"""... and those of a picture of growth, of which there are many, much less."""

MOST_POINTS = 6
"""So many sizes are in a picture of growth."""


@dataclass(slots=True)
class Counted:
    """The counted runs of the function and of its gradient, at these arguments. ``reduced``: what
    was made smaller so that they end soon."""

    args: tuple[object, ...]
    value: Counts
    gradient: Counts | None
    reduced: dict[str, tuple[int, int]] = field(default_factory=dict)
    error: str = ""


def run(done: Followed, f: object, args: Sequence[object], counts: Counts) -> int:
    """Run what was compiled for arguments of these types, and return the steps."""
    unit = done.unit
    values = unit.special.values(as_function(f, len(args)), args)
    flat = flatten_arguments(unit.plan, values)
    return run_evaluator(done.evaluated, flat, unit.plan.cells, counts.evaluate)[1]


def counted(
    f: object, args: tuple[object, ...], names: Sequence[str], value: Followed,
    gradient: Followed | None,
) -> Counted | None:  # fmt: skip
    """Return counted runs at these arguments; if they take too long, at smaller ones. None: those
    take too long, too."""
    reduced: dict[str, tuple[int, int]] = {}
    while True:
        one = Counts(most=MOST_STEPS)
        two = None
        if gradient is not None:
            two = Counts(kept_lets(gradient.evaluated), most=4 * MOST_STEPS)
        made = Counted(args, one, two, reduced)
        try:
            run(value, f, args, one)
            if gradient is not None and two is not None:
                run(gradient, f, args, two)
            return made
        except TooLong:
            largest = max(sizes_of(args, names), key=lambda s: s.extent, default=None)
            if largest is None or largest.extent < 4:
                return None
            to = largest.extent // 4
            args = resized(args, largest.extent, to)
            name = str(largest)
            reduced[name] = (reduced.get(name, (largest.extent, 0))[0], to)
        except Exception as error:
            made.error = f"{type(error).__name__}: {error}"
            return made


# --- the steps of lines ---------------------------------------------------------------------------


PARTS = {Sweep.FORWARD: Part.FORWARD, Sweep.AGAIN: Part.AGAIN, Sweep.REVERSE: Part.REVERSE}


def part_of(let: Let) -> Part:
    """Return the part of a gradient to which a let belongs."""
    return PARTS[let.site.sweep] if isinstance(let.site, Trail) else Part.FORWARD


def costs_of(counted: Counted, places: Places, otherwise: str) -> dict[str, Cost]:
    """Return the steps of every line; ``otherwise``: the line of lets that come from none."""
    costs: dict[str, Cost] = {}
    for let, steps in counted.value.steps.items():
        costs.setdefault(places.of(let.site) or otherwise, Cost()).value += steps
    for let, steps in (counted.gradient.steps if counted.gradient else {}).items():
        cost = costs.setdefault(places.of(let.site) or otherwise, Cost())
        cost.parts[part_of(let)] += steps
    return costs


# --- what is kept ---------------------------------------------------------------------------------


def kept_lets(program: Program) -> set[Let]:
    """Return the lets of the function itself whose arrays and nodes the reverse sweep reads, and
    those of it that are computed again."""
    out: set[Let] = set()
    for function in program.functions.values():
        makers = {v: let for let in all_lets(function.body) for v in let.vars}
        for let in all_lets(function.body):
            if part_of(let) is Part.AGAIN:
                out.add(let)
            if part_of(let) is not Part.FORWARD:
                read = {a for a in atoms(let.op) if isinstance(a, Var) and _in_memory(a.type)}
                made = {makers[a] for a in read if a in makers}
                out |= {x for x in made if part_of(x) is Part.FORWARD}
    return out


def _in_memory(t: Type) -> bool:
    if isinstance(t, Array):
        return not isinstance(t.elem, Handle)
    return not isinstance(t, Real | Int | Bool | Handle)


def memory_rows(
    counts: Counts, texts: Mapping[Let, str], places: Places
) -> tuple[tuple[MemoryRow, ...], tuple[MemoryRow, ...]]:
    """Return what the reverse sweep reads of memory, and what it computes again instead; the most
    bytes first. Numbers that are computed again count as 8 bytes each."""
    kept, again = [], []
    for let in counts.measured:
        runs, size = counts.runs[let], counts.bytes[let]
        text, place = texts.get(let, ""), places.of(let.site)
        if part_of(let) is Part.AGAIN:
            numbers = sum(isinstance(v.type, Real | Int) for v in let.vars)
            if runs and (numbers or size) and not any(True for _ in sub_blocks(let.op)):
                again.append(MemoryRow(text, place, runs, size + 8 * runs * numbers))
        elif runs and size:
            kept.append(MemoryRow(text, place, runs, size))
    key = lambda row: (-row.bytes, row.text)  # noqa: E731  # it is short
    return tuple(sorted(kept, key=key)), tuple(sorted(again, key=key))


# --- growth ---------------------------------------------------------------------------------------


def growth_of(
    f: object, args: tuple[object, ...], names: Sequence[str], value: Followed,
    gradient: Followed | None,
) -> Iterator[Growth]:  # fmt: skip
    """Yield how the steps grow with each extent and int of the arguments that can be varied."""
    for size in sizes_of(args, names):
        points: list[tuple[int, int, int]] = []
        for to in _sizes(size.extent):
            other = resized(args, size.extent, to)
            try:
                one = run(value, f, other, Counts(most=MOST_STEPS_OF_GROWTH))
                two = gradient and run(gradient, f, other, Counts(most=6 * MOST_STEPS_OF_GROWTH))
            except TooLong:
                break
            except Exception:  # these arguments do not fit together
                continue
            points.append((to, one, two or 0))
        points = points[-MOST_POINTS:]
        if len(points) > 1 and len({p[1] for p in points}) > 1:
            yield Growth(str(size), size.extent, *zip(*points, strict=True))


def _sizes(extent: int) -> list[int]:
    """Return sizes from small ones to four times the extent, and to some dozens."""
    powers = [2**k for k in range(1, 63) if 2**k <= max(64, 4 * extent)]
    return sorted({*powers, extent})




__all__ = ["Counted", "costs_of", "counted", "growth_of", "memory_rows", "part_of"]
