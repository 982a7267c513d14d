"""``object()`` in compiled code: a mark that stands for "nothing yet" while its function runs.

The compiler makes one such object where Python makes one in each call. Nobody can tell, as long as
the function makes it once and keeps it to itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pullback.errors import IdentityError
from pullback.frontend.kinds.flatten import Flat
from pullback.frontend.kinds.kinds import Kind, StaticK, parts
from pullback.frontend.kinds.values import Specialiser, Static, Value, register
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.python.syntax import is_generator
from pullback.frontend.run import Run

_REWRITE = "make it at the top of the module: MISSING = object()"


@register(object)
def object_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    assert isinstance(sp, Run)
    definition = sp.frame.definition
    around = None if definition is None else definition.node
    once = isinstance(around, ast.FunctionDef) and not is_generator(around)
    body = around.body if isinstance(around, ast.FunctionDef) and once else []
    if args or kwargs or not any(v is node for v in _made_once(body)):
        sp.refuse(node, "an object() that may be made more than once", _REWRITE, IdentityError)
    made = object()
    sp.calls.marks.append(made)
    return Static(made)


def _made_once(stmts: Sequence[ast.stmt]) -> Iterator[ast.expr]:
    """Iterate over what is assigned in statements that no loop runs again."""
    for s in stmts:
        match s:
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                yield value
            case ast.If(_, body, orelse):
                yield from _made_once((*body, *orelse))


def check_kept(run: Run, handed: Flat | None, node: ast.AST) -> None:
    """Refuse a result, or the update of what others see, in which there is such an object."""
    marks = run.calls.marks
    if marks and handed is not None and _holds(handed.kind, marks):
        run.refuse(node, "an object() that leaves the function that makes it", _REWRITE,
                   IdentityError)  # fmt: skip


def _holds(kind: Kind, marks: Sequence[object]) -> bool:
    if isinstance(kind, StaticK):
        return any(kind.value is m for m in marks)
    return any(_holds(k, marks) for k in parts(kind))


__all__ = ["check_kept"]
