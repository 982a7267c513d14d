"""An unusual value is brought into the form that compiled code reads, and goes in once more; or the
error is raised that says what is wrong with it.

Unusual are arrays that are not aligned, strings that were not met before, numbers of another class
than the declared one: what is taken apart into leaves and built again of them has the usual form.
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.call.located import located
from pullback.call.marshal import Flattener, result_value
from pullback.call.request import Plan
from pullback.call.shapes import Shape
from pullback.call.shapes.constant import Constant
from pullback.call.tangents import normal
from pullback.errors import ArgumentTypeError
from pullback.frontend.python.pytypes import type_of


def normalised(
    plan: Plan, values: Sequence[object], tangents: Sequence[object] = ()
) -> tuple[list[object], list[object]]:
    """The arguments (and hidden arguments) and their tangents in the usual form."""
    given = (*tangents, *(None,) * (len(values) - len(tangents)))
    out: list[object] = []
    with located(plan.shapes, values):
        for i, (shape, value, tangent) in enumerate(zip(plan.shapes, values, given, strict=False)):
            varies = plan.one_home or i in plan.differentiated or tangent is not None
            out.append(usual(shape, value, varies))
    pairs = zip(plan.shapes, values, tangents, strict=False)
    return out, [normal(s, v, t, "tangent") for s, v, t in pairs]


def usual(shape: Shape, value: object, varies: bool) -> object:
    """A value in the usual form. ``varies``: it is differentiated by. Functions and the like in it
    stay: another one of the same kind has captured other values, which are read from it."""
    if isinstance(shape, Constant):
        return value
    if _holds_constants(shape):
        inside = shape.inside(value)
        return shape.made([usual(part.shape, part.value, varies) for part in inside], value)
    flattener = Flattener()
    leaves = flattener.leaves(shape, value, varies)
    flattener.require_words(leaves)
    return result_value(shape, leaves)


def as_compiled(
    shape: Shape, value: object, known: dict[object, object] | None = None
) -> object:
    """A value with the functions for which the program was compiled, in the places of others of the
    same kinds: conversions know them by their addresses, of each kind the first (``known``)."""
    known = {} if known is None else known
    if isinstance(shape, Constant):
        first = known.setdefault(shape.key, shape.object)
        return first if type_of(value) == shape.kind else value
    if not _holds_constants(shape):
        return value
    try:
        inside = shape.inside(value)
    except ArgumentTypeError:
        return value
    return shape.made([as_compiled(part.shape, part.value, known) for part in inside], value)


def _holds_constants(shape: Shape) -> bool:
    return any(isinstance(p, Constant) or _holds_constants(p) for p in shape.parts())


def not_taken(args: Sequence[object]) -> Exception:
    """The error for values that an entry point does not take."""
    shown = ", ".join(type(x).__name__ for x in args)
    return ArgumentTypeError(
        f"one of the arguments ({shown}), or of the values that the function captures, is of a "
        "class of its own",
        "make a plain one: np.asarray(a), float(x); of a masked array a.filled(0.0) and a.mask",
    )


__all__ = ["as_compiled", "normalised", "not_taken", "usual"]
