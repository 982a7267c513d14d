"""Views of arrays that may have several owners, as data: ``parts = [a[:2], a[2:]]``.

Such a view is a record of the reference to its array and of the numbers that say which part of it
it is. Who looks into it takes the array of its column, and the part of that: so a view that lies in
a list, a dict or an object is up to date, and an update of it is one of the array.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from pullback.frontend.kinds.values import (
    ArrayV,
    RecordV,
    RefV,
    Scalar,
    Static,
    ViewStep,
    index_scalar,
)
from pullback.frontend.library.numpy import views

if TYPE_CHECKING:
    from pullback.frontend.memory.places import Step
    from pullback.frontend.run import Run


@dataclasses.dataclass(frozen=True)
class View:
    """The base of the classes of views, one for each form: the primitives that make the view."""

    whole: Any


def is_view(value: object) -> bool:
    """Whether a value is a view of an array that may have several owners."""
    return isinstance(value, RecordV) and issubclass(value.cls, View)


Form = tuple[tuple[str, int, tuple[int, ...]], ...]


@cache
def _class_of(form: Form) -> type[View]:
    names = [(f"n{k}", int) for k in range(sum(count for _, count, _ in form))]
    made = dataclasses.make_dataclass("ndarray", names, bases=(View,), frozen=True)
    made.__module__ = __name__
    _FORMS[made] = form
    return made


_FORMS: dict[type, Form] = {}


def of(run: Run, ref: RefV, steps: Sequence[Step], node: ast.AST) -> RecordV | None:
    """Return the view at these steps in an array; None if they are others than those of views."""
    known: list[ViewStep] = []
    for step in steps:
        if isinstance(step, (Scalar, Static)):  # a row, which a loop goes through
            step = ViewStep("pick", (run.scalar(step, node).atom,), (0,))
        if not isinstance(step, ViewStep):
            return None
        known.append(step)
    cls = _class_of(tuple((s.name, len(s.args), s.static) for s in known))
    numbers = [index_scalar(a) for s in known for a in s.args]
    return RecordV(cls, {"whole": ref, **{f"n{k}": v for k, v in enumerate(numbers)}})


def part(run: Run, view: RecordV, array: ArrayV, node: ast.AST) -> ArrayV:
    """Return the part of an array that is a view."""
    rest = iter([v for n, v in view.fields.items() if n != "whole"])
    for name, count, static in _FORMS[view.cls]:
        args = tuple(run.scalar(next(rest), node).atom for _ in range(count))
        array = views.view(run, array, ViewStep(name, args, static), node, known=True)
    return array


__all__ = ["View", "is_view", "of", "part"]
