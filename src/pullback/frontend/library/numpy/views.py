"""Views of arrays, and updates through them: ``v = m[1:, k]``, then ``v += d``.

In NumPy a view is the memory of its array, seen in another way; here it is a value of its own. So
the step from the array to the view is noted (``Specialiser.view``): a name for the view is a name
for a part of the array, and an update of the view is one of the array, at a ``Region``. For every
such view the position along an axis of the array is a sum over the axes of the view:

    m[2:, k].T[i]       of axis 0 of m: 2 + i        of axis 1: k
    x.reshape(3, 4)     of the axis of x: 4 * i + j

A vector in another shape is a view, always. Whether an array of more axes is one in another shape
depends on how it lies in memory, which is not known here: nothing is noted.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pullback.core.terms import Atom, Prim
from pullback.core.types import Array
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import ArrayV, Specialiser, ViewStep
from pullback.frontend.library.numpy.scatter import Axis

_ALONE = ast.Pass()
WHOLE = ViewStep("whole")
"""The step from an array to all of it, ``x[:]``, which is a view too."""


def view(sp: Specialiser, array: ArrayV, step: ViewStep, node: ast.AST = _ALONE) -> ArrayV:
    """Return a view of an array."""
    if step.name == WHOLE.name:
        return sp.view(array.atom, array, step)
    own = extents_after(ext.extents(sp, array), step)
    op = Prim(step.name, (array.atom, *step.args), step.static)
    site = None if node is _ALONE else sp.site(node)
    (atom,) = sp.b.let(op, (Array(array.elem, len(own)),), site)
    is_view = step.name != "reshape" or array.rank == 1
    return ext.note(sp, sp.view(atom, array, step if is_view else None), own)


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


Line = tuple[Atom, tuple[Atom, ...]]
"""For an axis of an array: the position of the first element of a view, and how far apart its
elements are along each of its axes."""


def all_lines(array: ArrayV) -> list[Line]:
    """Return those of the array itself."""
    n = range(array.rank)
    return [(ext.ZERO, tuple(ext.ONE if j == k else ext.ZERO for j in n)) for k in n]


def lines_after(sp: Specialiser, lines: Sequence[Line], step: ViewStep) -> list[Line]:
    """Return those of a view of the view."""
    return [_line_after(sp, start, list(steps), step) for start, steps in lines]


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


def position(sp: Specialiser, line: Line, inner: Sequence[Axis]) -> Axis:
    """Return the position along an axis of an array, from those along the axes of a view."""
    start, steps = line

    def at(indices: tuple[Atom, ...]) -> Atom:
        made = start
        for step, axis in zip(steps, inner, strict=True):
            if step != ext.ZERO:
                made = ext.add(sp, made, ext.mul(sp, axis(indices), step))
        return made

    return at
