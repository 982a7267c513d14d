"""Which nodes are one: a gradient by nodes gives a node that is shared one cotangent.

An object of the user is one node if it becomes one where it is made. A record that is handed on as
its fields may become a node here and there; then derivatives by nodes are refused.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NoReturn

from pullback.frontend.values import RecordV

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def handed(run: Run, value: RecordV) -> bool:
    """Whether a record came as an argument: the caller may make a node of it too."""
    definition = run.frame.definition
    if definition is None:
        return False
    parameters = definition.node.args
    names = (p.arg for p in (*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs))
    return any(run.scope.names.get(n) is value for n in names)


def refuse_split(run: Run, node: ast.AST) -> NoReturn:
    """One object in two places of a tree would be two variables."""
    run.refuse(
        node,
        "a derivative by nodes, in a program that makes several nodes of one record: of a "
        "parameter, or on several paths",
        "put the record into a node where it is made, and hand that on",
    )


__all__ = ["handed", "refuse_split"]
