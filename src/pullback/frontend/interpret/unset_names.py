"""Names that some paths only have set: a check where they are read, as in Python."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pullback.frontend.kinds.values import UNSET, MaybeV, Value
from pullback.frontend.python.function_attributes import attribute_of
from pullback.frontend.python.syntax import declared_outside
from pullback.frontend.signals import Unreachable

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def set_by_another(run: Run, name: str) -> bool:
    """Whether the run looks for the kinds of an iterator's variables, of which this is one that
    another block sets."""
    settling, here = run.generators.settling, run.frame.definition
    return (
        settling is not None and here is not None and here.node is settling[0]
        and name not in settling[1] and name in declared_outside(here.node)
    )  # fmt: skip


def checked(run: Run, found: MaybeV, name: str, local: bool, node: ast.AST) -> Value:
    """Return the value of a name that was set on some paths only: checked when it runs, as in
    Python."""
    if local:
        error, kind, place = "UnboundLocalError", "local", ""
    else:
        error, kind, place = "NameError", "free", " in enclosing scope"
    message = (
        f"cannot access {kind} variable {name!r} where it is not associated with a value{place}"
    )
    if attribute := attribute_of(name):
        error, message = "AttributeError", f"'function' object has no attribute {attribute!r}"
    run.require(found.bound, error, message, node)
    if found.value is UNSET:
        raise Unreachable
    return found.value


__all__ = ["checked", "set_by_another"]
