"""What Python does with Counters and OrderedDicts that it does not do with other dicts."""

from __future__ import annotations

import ast
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from pullback.errors import ArgumentTypeError, UnknownAttributeError
from pullback.frontend.functions import noted
from pullback.frontend.kinds.values import HashV, Specialiser, Static, Value, method
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import counting
from pullback.frontend.memory.hash_methods import UPDATES, Args, Change, Kwargs
from pullback.frontend.python.python_values import with_defaults

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def both(a: Value, b: Value) -> bool:
    """Whether two values are Counters."""
    return all(isinstance(v, HashV) and v.cls is Counter for v in (a, b))


def combined(run: Run, op: str, a: Value, b: Value, node: ast.AST) -> Value:
    """Compile ``a + b`` and the like of two Counters."""
    return run_program(run, counting.OPERATORS[op], (a, b), node)


def equal(run: Run, a: HashV, b: HashV, node: ast.AST) -> Value | None:
    """Compile ``a == b`` of two Counters or two OrderedDicts; None of other dicts."""
    if both(a, b):
        return run_program(run, counting.equal, (a, b), node)
    if a.cls is b.cls is OrderedDict:
        return run_program(run, counting.same_order, (a, b), node)
    return None


@method("table", "most_common", "elements", "total")
def _method(sp: Specialiser, d: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    assert isinstance(d, HashV) and isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Attribute)
    name, run = node.func.attr, cast("Run", sp)
    if d.cls is not Counter:
        reason = f"{d.cls.__name__!r} object has no attribute {name!r}"
        run.refuse(node, reason, error=UnknownAttributeError)
    return run.call(with_defaults(getattr(counting, name)), (d, *args), node, kwargs)


def _in_place(
    op: str, run: Run, d: HashV, args: Args, kwargs: Kwargs, node: ast.AST
) -> tuple[HashV, Value]:
    if not both(d, args[0]):
        reason = f"{op}= of {run.describe(d)} and {run.describe(args[0])}"
        run.refuse(node, reason, "let both be of the class Counter", error=ArgumentTypeError)
    with noted.midway(run.frame):
        made = combined(run, op, d, args[0], node)
    assert isinstance(made, HashV)
    return replace(made, owners=d.owners, fresh=d.fresh), Static(None)


IN_PLACE = {op: f"Counter {op}=" for op in counting.OPERATORS}
"""The names of the updates that ``c += d`` and the like of Counters are."""

COUNTER_UPDATES: dict[str, Callable[[Run, HashV, Args, Kwargs, ast.AST], Change]] = {
    **UPDATES, **{name: partial(_in_place, op) for op, name in IN_PLACE.items()},
}  # fmt: skip

__all__ = ["COUNTER_UPDATES", "IN_PLACE", "both", "combined", "equal"]
