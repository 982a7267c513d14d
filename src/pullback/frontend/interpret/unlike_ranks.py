"""Methods of what may be an array in the place of a number, a list or an array of another rank
(``kinds.several_ranks``)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pullback.frontend.interpret import attributes, calls
from pullback.frontend.kinds.several_ranks import apart, is_of_several_ranks
from pullback.frontend.kinds.values import Value
from pullback.frontend.memory import holding
from pullback.frontend.memory.ranks_in_place import refuse_update

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def method(run: Run, receiver: Value, name: str, node: ast.Call) -> Value | None:
    """Call a method of such a value; None: it is another one."""
    if not is_of_several_ranks(receiver):
        return None
    if any(k.arg is None for k in node.keywords) or any(
        isinstance(e, ast.Starred) for e in node.args
    ):
        reason = f"* or ** in a call of a method of {run.describe(receiver)}"
        run.refuse(node, reason, "write the arguments one by one")
    with run.holding(receiver):
        args = [run.evaluate(e) for e in node.args]
        kwargs = {k.arg: run.evaluate(k.value) for k in node.keywords if k.arg is not None}

    def of_one(v: Value) -> Value:
        if holding.is_update(v, name):
            refuse_update(run, receiver, node)
        if attributes.has_method(v, name):
            return calls.call_method(run, v, name, args, kwargs, node)
        return run.call(run.attribute(v, name, node.func), args, node, kwargs)

    return apart(run, receiver, of_one, node)


__all__ = ["method"]
