"""Views of arrays, and updates through them: ``v = m[1:, k]``, then ``v += d``.

In NumPy a view is the memory of its array, seen in another way; here it is a value of its own. So
the step from the array to the view is noted (``Specialiser.view``): a name for the view is a name
for a part of the array, and an update of the view is one of the array, at a ``Region``. For every
such view the position along an axis of the array is a sum over the axes of the view:

    m[2:, k].T[i]       of axis 0 of m: 2 + i        of axis 1: k
    x.reshape(3, 4)     of the axis of x: 4 * i + j

A vector in another shape is a view, always. An array of more axes in another shape is one if its
elements lie row by row (``in_rows``), as they do where it is made of a shape, of a list, or by
``.copy()``; otherwise that is not known here, and nothing is noted. Its positions are those in a
line of all elements, divided by the extents (``Lines.flat``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from pullback.core.terms import Atom, Lit, Prim
from pullback.core.types import Array
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import ArrayV, Line, Lines, Specialiser, Value, ViewStep

_ALONE = ast.Pass()
WHOLE = ViewStep("whole")
"""The step from an array to all of it, ``x[:]``, which is a view too."""


def view(
    sp: Specialiser, array: ArrayV, step: ViewStep, node: ast.AST = _ALONE, known: bool = False
) -> ArrayV:
    """Return a view of an array. ``known``: that it is one, and no copy, is known."""
    if step.name == WHOLE.name:
        return sp.view(array.atom, array, step)
    own = extents_after(ext.extents(sp, array), step)
    op = Prim(step.name, (array.atom, *step.args), step.static)
    site = None if node is _ALONE else sp.site(node)
    (atom,) = sp.b.let(op, (Array(array.elem, len(own)),), site)
    is_view = known or step.name != "reshape" or array.rank == 1 or lies_in_rows(array)
    return ext.note(sp, sp.view(atom, array, step if is_view else None), own)


def of_attribute(sp: Specialiser, array: ArrayV, name: str) -> ViewStep:
    """Return the step to ``a.T`` or ``a.flat``."""
    if name == "T":
        return ViewStep("transpose", (), tuple(reversed(range(array.rank))))
    return ViewStep("reshape", (ext.product(sp, ext.extents(sp, array)),))


def lies_in_rows(array: ArrayV) -> bool:
    """Whether an array is no view, and its elements lie row by row."""
    return array.fresh and bool(array.owners) and all(o.in_rows for o in array.owners)


def in_rows(made: Value) -> Value:
    """Note that the elements of a new array lie row by row, and return it."""
    if isinstance(made, ArrayV) and made.fresh:
        for owner in made.owners:
            owner.in_rows = True
    return made


def extents_after(extents: Sequence[Atom], step: ViewStep) -> list[Atom]:
    """Return the extents of a view, from those of the array."""
    own = list(extents)
    match step.name, step.static:
        case "pick", (axis,):
            del own[axis]
        case "slice", (axis,):
            own[axis] = step.args[1]
        case "expand", (axis,):
            own.insert(axis, ext.ONE)
        case "transpose", order:
            own = [own[k] for k in order]
        case "reshape", _:
            own = list(step.args)
    return own


def shortened(sp: Specialiser, steps: Iterable[Value | str]) -> list[Value | str]:
    """Return steps that lead to the same part: a slice of a slice is one slice, slices stand in the
    order of their axes, and before a transpose. So a function that calls itself with such parts of
    what it got is given steps of one form."""
    made: list[Value | str] = []
    for step in steps:
        _put(sp, made, step)
    return made


def _put(sp: Specialiser, made: list[Value | str], step: Value | str) -> None:
    last = made[-1] if made else None
    if not isinstance(step, ViewStep) or not isinstance(last, ViewStep):
        if not isinstance(step, ViewStep) or step.name != WHOLE.name:
            made.append(step)
        return
    match last.name, step.name:
        case "transpose", "transpose":
            made.pop()
            order = tuple(last.static[k] for k in step.static)
            if order != tuple(sorted(order)):
                made.append(ViewStep("transpose", (), order))
        case "transpose", "slice":
            made.pop()
            _put(sp, made, ViewStep("slice", step.args, (last.static[step.static[0]],)))
            _put(sp, made, last)
        case "slice", "slice" if last.static == step.static:
            made[-1] = _sliced_again(sp, last, step)
        case "slice", "slice" if last.static > step.static:
            made.pop()
            _put(sp, made, step)
            _put(sp, made, last)
        case _, "whole":
            pass
        case _:
            made.append(step)


def _sliced_again(sp: Specialiser, outer: ViewStep, inner: ViewStep) -> ViewStep:
    start, _, by = outer.args
    first, count, step = inner.args
    at = _number(sp, ext.add, start, ext.mul(sp, first, by))
    return ViewStep("slice", (at, count, _number(sp, ext.mul, by, step)), inner.static)


def _number(sp: Specialiser, op: Callable[..., Atom], a: Atom, b: Atom) -> Atom:
    """Return the result for two numbers; a third literal would be one more with every call."""
    made = op(sp, a, b)
    return sp.b.prim(op.__name__, a, b) if isinstance(made, Lit) and made not in (a, b) else made


Place = Callable[[], Atom]


def all_lines(rank: int) -> Lines:
    """Return those of an array itself."""
    n = range(rank)
    return Lines(tuple((ext.ZERO, tuple(ext.ONE if j == k else ext.ZERO for j in n)) for k in n))


def lines_after(sp: Specialiser, lines: Lines, step: ViewStep, own: Sequence[Atom]) -> Lines:
    """Return those of a view of the view, which has the extents ``own``."""
    if lines.flat is not None:
        return replace(lines, flat=lines_after(sp, lines.flat, step, own))
    if step.name == "reshape" and len(own) > 1:
        line = lines_after(sp, all_lines(1), step, own[:1])
        return replace(lines, flat=line, extents=tuple(own))
    return Lines(tuple(_line_after(sp, start, list(steps), step) for start, steps in lines.axes))


def _line_after(sp: Specialiser, start: Atom, steps: list[Atom], step: ViewStep) -> Line:
    match step.name, step.static:
        case "pick", (axis,):
            start = ext.add(sp, start, ext.mul(sp, steps.pop(axis), step.args[0]))
        case "slice", (axis,):
            start = ext.add(sp, start, ext.mul(sp, steps[axis], step.args[0]))
            steps[axis] = ext.mul(sp, steps[axis], step.args[2])
        case "expand", (axis,):
            steps.insert(axis, ext.ZERO)
        case "transpose", order:
            steps = [steps[k] for k in order]
        case "reshape", _:
            (one,), extents = steps, step.args
            sizes = (ext.product(sp, extents[k + 1 :]) for k in range(len(extents)))
            steps = [ext.mul(sp, one, size) for size in sizes]
    return start, tuple(steps)


def position(sp: Specialiser, lines: Lines, axis: int, inner: Sequence[Place]) -> Atom:
    """Return the position along an axis of an array, from those along the axes of a view."""
    if lines.flat is not None:
        at = position(sp, lines.flat, 0, inner)
        extents = lines.extents
        inner = [partial(_divided, sp, at, extents, k) for k in range(len(extents))]
    made, steps = lines.axes[axis]
    for step, place in zip(steps, inner, strict=True):
        if step != ext.ZERO:
            made = ext.add(sp, made, ext.mul(sp, place(), step))
    return made


def _divided(sp: Specialiser, at: Atom, extents: Sequence[Atom], axis: int) -> Atom:
    """Return the position along an axis of the element that has this number, row by row."""
    row = ext.floordiv(sp, at, ext.product(sp, extents[axis + 1 :]))
    return ext.mod(sp, row, extents[axis]) if axis else row
