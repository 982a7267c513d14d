"""Updates in place of what may be an array in the place of a number, a list or an array of another
rank (``kinds.several_ranks``): ``total += v``."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from pullback.errors import MutationError
from pullback.frontend.interpret.complex_values import parts
from pullback.frontend.kinds.complex_pairs import is_complex_array
from pullback.frontend.kinds.several_ranks import apart
from pullback.frontend.kinds.values import ArrayV, OptionalV, RecordV, Value
from pullback.frontend.memory import holding, in_place, ownership, updates
from pullback.frontend.memory.owners import owners_of

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def augmented(
    run: Run, name: str, op: str, old: OptionalV, value: Value, s: ast.AugAssign
) -> None:
    """Compile ``total += v`` of such a value: an array changes where it lies, so no other name for
    it may be used any more."""
    arrays = holding.updated_parts(old)
    if not all(v.fresh and owners_of(v) for v in arrays):  # somebody else may see it
        refuse_update(run, old, s)
    made = _changed(run, op, old, value, s)
    for v in arrays:
        ownership.updated(run, name, v, s)
    run.scope.names[name] = made


def change(run: Run, op: str, whole: Value, s: ast.AugAssign) -> updates.Become:
    """Return the update ``a.total += v`` of such a value at a place in ``whole``."""
    with run.holding(whole):
        value = ownership.apart(run, run.evaluate(s.value), whole)
    return updates.Become(lambda old: _changed(run, op, old, value, s))


def _changed(run: Run, op: str, old: Value, value: Value, s: ast.AugAssign) -> Value:

    def of_one(v: Value) -> Value:
        if isinstance(v, ArrayV):
            return in_place.fitted(run, v, run.binop(op, v, value, s), s)
        if is_complex_array(v):
            return _fitted_pair(run, v, run.binop(op, v, value, s), s)
        if holding.is_updated_in_place(v):
            refuse_update(run, old, s)
        return run.binop(op, v, value, s)

    return apart(run, old, of_one, s) if isinstance(old, OptionalV) else of_one(old)


def _fitted_pair(run: Run, old: RecordV, new: Value, s: ast.AugAssign) -> Value:
    """Return the new contents of a complex array, of its shape."""
    made = dict(zip(("real", "imag"), parts(run, new, s).items, strict=True))
    fitted: dict[str, Value] = {
        n: in_place.fitted(run, v, made[n], s)
        for n, v in old.fields.items() if isinstance(v, ArrayV)
    }  # fmt: skip
    return replace(old, fields=fitted)


def refuse_update(run: Run, value: Value, node: ast.AST) -> NoReturn:
    reason = f"{run.describe(value)} cannot be updated in place"
    run.refuse(node, reason, "make a new one: a = a + v", MutationError)


__all__ = ["augmented", "change", "refuse_update"]
