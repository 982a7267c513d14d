"""What a function becomes, stage by stage: compiled anew, so that every program can be looked at.

``followed`` also knows from which line of the source each let comes (``core/trails.py``)."""

from __future__ import annotations

from collections.abc import Sequence

from pullback.call.callee import as_function
from pullback.call.compiled import Native
from pullback.call.driver import Unit, specialise_anew
from pullback.call.request import Request
from pullback.call.specialised import broadcasting, compiling
from pullback.core.frozen import dataclass
from pullback.core.pretty import show as show_program
from pullback.core.recursion import deeply
from pullback.core.terms import Program
from pullback.core.trails import complete, following
from pullback.frontend.python.pytypes import type_of, types_of
from pullback.lower.lower import lower
from pullback.lower.notes import PlanRow
from pullback.pipeline import Trace


@dataclass(frozen=True, slots=True)
class Followed:
    """An operator applied to a function and compiled anew, with trails.

    values     the arguments and the hidden arguments, as they are now
    programs   the program after each stage, by its name; "core" is what the front end made
    evaluated  the last program, as the evaluator runs it
    plan       how each loop of the last program runs natively"""

    unit: Unit
    values: tuple[object, ...]
    programs: dict[str, Program]
    evaluated: Program
    plan: tuple[PlanRow, ...]


def traced(f: object, args: Sequence[object], request: Request) -> tuple[Unit, Trace]:
    """Return what an operator applied to f becomes, with the program of every stage. The caller
    holds the lock of the compiler."""
    trace: Trace = []
    function = as_function(f, len(args))
    kinds = types_of(args)
    equal = (type_of(function), kinds) not in broadcasting
    special = specialise_anew(function, args, kinds, equal, request, trace)
    unit = special.unit(request.of_value() if special.special.always_raises else request)
    unit.program(True, trace)
    return unit, trace


def stages(f: object, args: Sequence[object], request: Request) -> dict[str, str]:
    """Return the text of every stage, by name."""
    texts: dict[str, str] = {}
    with compiling:
        unit, trace = traced(f, args, request)
        around = unit.special.hidden, unit.special.guards
        Native(unit.plan, unit.program(True), *around, stages=texts, thorough=unit.tight)
    return {**{name: show_program(program) for name, program in trace}, **texts}


def followed(f: object, args: Sequence[object], request: Request) -> Followed:
    """Return every program on the way, with trails, and the plan of the loops."""
    rows: list[PlanRow] = []
    with compiling, following():
        unit, trace = traced(f, args, request)
        evaluated = unit.program(False)
        complete(evaluated)
        program = unit.program(True)
        deeply(lambda: lower(program, unit.plan.request.in_order, rows=rows))
    values = unit.special.values(as_function(f, len(args)), args)
    return Followed(unit, values, dict(trace), evaluated, tuple(rows))


__all__ = ["Followed", "followed", "stages", "traced"]
