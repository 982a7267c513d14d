"""Parts of structures given to functions that update them: ``scale(t[i], s)``.

Such a function is specialised on the place: it is given the structure and the indices, and its
parameter holds the place in it (``PlaceV``). So what it updates is the structure, as everywhere.
(Given the part alone, it would have to put it back, and the part be copied: for an update of one
item that costs too much.)
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pullback.frontend.kinds.values import PlaceV, Static, Value
from pullback.frontend.memory import places
from pullback.frontend.memory.places import Move, Moved, Step

if TYPE_CHECKING:
    from pullback.frontend.functions.scopes import Scope
    from pullback.frontend.run import Run


@dataclass(frozen=True)
class Form:
    """What a parameter is given that holds a place: the parameter with the structure, and the
    steps, of which those that only the run knows are in parameters too (by name)."""

    root: str
    steps: tuple[tuple[bool, object], ...]


_FORMS: dict[Form, Form] = {}
"""One object for each: forms are kinds."""


def of_places(run: Run, args: dict[str, Value], wanted: Collection[str]) -> dict[str, Value]:
    """Return the arguments, as places if they are wanted as such or are parts of the same
    structures."""
    found = {n: place for n, v in args.items() if (place := _place(run, v)) is not None}
    roots = {found[n].root for n in wanted if n in found}
    holders = {n: v for n, v in args.items() if n not in found}
    made, more = dict(args), dict[str, Value]()
    for n, place in found.items():
        if place.root not in roots:
            continue
        same = (h for h, v in {**holders, **more}.items() if v is place.of)
        holder = next(same, f"{n}@root")
        if holder not in args:
            more[holder] = place.of
        steps: list[tuple[bool, object]] = []
        for k, step in enumerate(places.as_steps(place)):
            if isinstance(step, str):
                steps.append((False, step))
            elif isinstance(step, Static):
                steps.append((True, step.value))
            else:
                more[f"{n}@{k}"] = step
                steps.append((False, f"@{n}@{k}"))
        form = Form(holder, tuple(steps))
        made[n] = Static(_FORMS.setdefault(form, form))
    return {**made, **more}


def _place(run: Run, value: Value) -> PlaceV | None:
    place = run.frame.places.get(value)
    if place is None or not place.steps or place.scope.names.get(place.root) is not place.of:
        return None
    return place


def is_place(run: Run, value: Value) -> bool:
    """Whether an argument is a part of a structure."""
    return _place(run, value) is not None


def enter(run: Run, scope: Scope, args: Iterable[str], node: ast.AST) -> None:
    """Bind the parameters that got places to these."""
    for n in args:
        given = scope.names[n]
        if isinstance(given, Static) and isinstance(given.value, Form):
            form = given.value
            steps = tuple(_step(scope, constant, step) for constant, step in form.steps)
            root = scope.names[form.root]
            place = PlaceV(scope, form.root, steps, given, given)
            places.note_root(run, scope, form.root, root)
            scope.names[n] = places.named(run, scope, places.current(run, place, node))


def _step(scope: Scope, constant: bool, step: object) -> Step:
    if constant:
        return Static(step)
    assert isinstance(step, str)
    return scope.names[step[1:]] if step.startswith("@") else step


def moved_in(args: dict[str, Value], name: str) -> Moved:
    """Return the moves that a function may have made in a structure that it was given as the
    argument ``name``."""
    if "@" not in name:
        return places.EVERYTHING
    found: list[Move] = []
    for value in args.values():
        if isinstance(value, Static) and isinstance(value.value, Form):
            form = value.value
            if form.root == name:
                steps = tuple(
                    Static(s) if c else args[str(s)[1:]] if str(s).startswith("@") else str(s)
                    for c, s in form.steps
                )
                found.append(Move(steps, len(steps) + 1))
    return tuple(found)


__all__ = ["Form", "enter", "is_place", "moved_in", "of_places"]
