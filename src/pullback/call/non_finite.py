"""Where the first NaN or infinity of a call arises: ``pb.config.debug_nans``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pullback.call.evaluate import flatten_arguments, run_evaluator
from pullback.call.request import Request
from pullback.call.stage_programs import followed
from pullback.core.eval_finite import NonFinite, evaluate_finite, is_finite
from pullback.core.pretty import show_let
from pullback.core.terms import AccRead, AccTake, Let, Prim
from pullback.core.trails import Sweep, Trail
from pullback.errors import NonFiniteError

_WHERE = {
    Sweep.FORWARD: "in the value of this line",
    Sweep.AGAIN: "in the value of this line, which the reverse sweep computes again",
    Sweep.REVERSE: "in a cotangent, in the reverse sweep of this line",
}


def has_non_finite(value: object) -> bool:
    """Return whether a result holds a NaN or an infinity."""
    todo = [value]
    while todo:
        x = todo.pop()
        if not is_finite(x):
            return True
        if isinstance(x, (tuple, list)):
            todo += x
        elif isinstance(x, dict):
            todo += x.values()
        elif not isinstance(x, (str, bytes, np.ndarray, int, float)) and x is not None:
            todo += getattr(x, "__dict__", {}).values()
            todo += [getattr(x, n, None) for n in getattr(type(x), "__slots__", ())]
    return False


def non_finite_error(f: object, args: Sequence[object], request: Request) -> NonFiniteError:
    """Return the error that says where the first NaN or infinity arises in a call that gave one."""
    done = followed(f, args, request)
    flat = flatten_arguments(done.unit.plan, done.values)
    try:
        run_evaluator(done.evaluated, flat, done.unit.plan.cells, evaluate_finite)
    except NonFinite as found:
        let = found.let
        sweep = let.site.sweep if isinstance(let.site, Trail) else Sweep.FORWARD
        return NonFiniteError(
            f"{_shown(found.result)} arises {_WHERE[sweep]}: {_operation(let)} of "
            f"{', '.join(map(_shown, found.operands))}",
            "look at these operands; pb.config.debug_nans = False lets it pass", let.site)
    return NonFiniteError(
        "a NaN or infinity is in the result, and arises nowhere in the function: it is in an "
        "argument, or the function has written it itself",
        "look at the arguments; pb.config.debug_nans = False lets it pass")


def _operation(let: Let) -> str:
    match let.op:
        case Prim(name):
            return name.removesuffix(".ck")
        case AccRead() | AccTake():
            return "a sum of cotangents"
        case _:
            return show_let(let).splitlines()[0]


def _shown(value: object) -> str:
    """Return an operand in short."""
    if isinstance(value, np.ndarray):
        bad = np.argwhere(~np.isfinite(value)).tolist() if value.dtype.kind == "f" else []
        first = f" with {value[tuple(bad[0])]} at {bad[0]}" if bad else ""
        return f"an array of shape {value.shape}{first}"
    return f"{value:.17g}" if isinstance(value, (float, np.floating)) else str(value)


__all__ = ["has_non_finite", "non_finite_error"]
