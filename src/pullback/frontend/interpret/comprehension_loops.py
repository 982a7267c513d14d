"""Comprehensions with ``:=``, as the loops that they are.

``[y for x in xs if (y := f(x)) > 0]`` binds ``y`` in the function around it, item after item: it is
run as ``for x in xs: if (y := f(x)) > 0: out.append(y)``. The loop variables get names that no
program can have, for they are the comprehension's own. A generator is run so where it is consumed,
``any`` and ``all`` stop at the item that decides; others must take all items.
"""

from __future__ import annotations

import ast
import copy
import math
from typing import TYPE_CHECKING, TypeVar

from pullback.frontend.functions.scopes import function_scope
from pullback.frontend.kinds.values import Static, TupleV, Value
from pullback.frontend.python.memo import by_node
from pullback.frontend.python.syntax import (
    binds_names,
    free_names,
    liveness_of,
    local_names,
    reads,
    target_names,
)
from pullback.frontend.python.texts import FunctionNode
from pullback.frontend.signals import Unreachable
from pullback.frontend.state import Flow

if TYPE_CHECKING:
    from pullback.frontend.run import Run

N = TypeVar("N", bound=ast.AST)

_TAKE_ALL = (sum, min, max, list, tuple, sorted, math.fsum, math.prod)
_OUT = "[items]"


def list_of(run: Run, node: ast.ListComp | ast.GeneratorExp) -> Value:
    """The list of all items."""
    return _run(run, node, "list", TupleV((), is_list=True))


def argument(run: Run, node: ast.expr, function: Value) -> Value | None:
    """A generator that is the argument of a function; None of other expressions."""
    if not isinstance(node, ast.GeneratorExp) or not binds_names([node]):
        return None
    wanted = function.value if isinstance(function, Static) else None
    if wanted is any or wanted is all:
        found = _run(run, node, wanted.__name__, Static(wanted is all))
        return TupleV((found,), is_list=True)
    return list_of(run, node) if wanted in _TAKE_ALL else None


def _run(run: Run, node: ast.ListComp | ast.GeneratorExp, form: str, start: Value) -> Value:
    function = run.frame.definition
    if function is None or run.scope is not function_scope(run.scope):
        run.refuse(node, ":= inside a dict comprehension", "write a loop")
    _check(run, node)
    loop, out = _loop(node, form)
    names = run.scope.names
    names[out] = start
    _note_liveness(function.node, node, loop, out)
    if run.execute([loop]) is Flow.DEAD:
        raise Unreachable
    made = run.scope.names.pop(out)
    for name in _targets(loop):
        run.scope.names.pop(name, None)
    return made


def _check(run: Run, node: ast.ListComp | ast.GeneratorExp) -> None:
    """Refuse what the loop would not do as the comprehension does."""
    own = {n for g in node.generators for n in target_names(g.target)}
    for n in ast.walk(node):
        if isinstance(n, ast.Lambda) and own & set(free_names(n)):
            name = min(own & set(free_names(n)))
            run.refuse(n, f"a function captures {name!r} of a comprehension with :=",
                       "write a loop")  # fmt: skip
    bound: set[str] = set()
    for g in node.generators:
        early = (own - bound) & reads([g.iter]) if g is not node.generators[0] else set()
        if early:
            run.refuse(g.iter, f"{min(early)!r} is read before the comprehension sets it")
        bound |= set(target_names(g.target))


@by_node
def _loop(node: ast.ListComp | ast.GeneratorExp, form: str) -> tuple[ast.For, str]:
    """The comprehension as a loop, and the name of what it makes: a list, or whether any or all of
    the items are true."""
    mark = f"{node.lineno}:{node.col_offset}"
    out = f"{_OUT}:{mark}"
    own = {n for g in node.generators for n in target_names(g.target)}
    renamed = _Renamed({n: f"{n}:{mark}" for n in own})
    elt = renamed.of(node.elt)
    if form == "list":
        append = ast.Attribute(ast.Name(out, ast.Load()), "append", ast.Load())
        body: list[ast.stmt] = [_at(ast.Expr(_at(ast.Call(append, [elt], []), elt)), elt)]
    else:
        test = elt if form == "any" else _at(ast.UnaryOp(ast.Not(), elt), elt)
        found = ast.Assign([ast.Name(out, ast.Store())], ast.Constant(form == "any"))
        body = [_at(ast.If(test, [_at(found, elt), _at(ast.Break(), elt)], []), elt)]
    for k, g in reversed(list(enumerate(node.generators))):
        for test in reversed(g.ifs):
            body = [_at(ast.If(renamed.of(test), body, []), test)]
        iterable = g.iter if k == 0 else renamed.of(g.iter)
        loop = _at(ast.For(renamed.of(g.target), iterable, body, []), g.target)
        body = [loop]
        if form != "list" and k > 0:
            decided: ast.expr = ast.Name(out, ast.Load())
            if form == "all":
                decided = ast.UnaryOp(ast.Not(), decided)
            body.append(_at(ast.If(_at(decided, elt), [_at(ast.Break(), elt)], []), elt))
    assert isinstance(loop, ast.For)
    return loop, out


def _at(node: N, place: ast.AST) -> N:
    """The node with the place of another one in the source, also inside where it has none."""
    return ast.fix_missing_locations(ast.copy_location(node, place))


class _Renamed(ast.NodeTransformer):
    """A copy of an expression in which some names are others."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def of(self, node: ast.expr) -> ast.expr:
        made = self.visit(copy.deepcopy(node))
        assert isinstance(made, ast.expr)
        return made

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node  # it does not read them


def _targets(loop: ast.For) -> list[str]:
    inside = [n for n in ast.walk(loop) if isinstance(n, ast.For)]
    return [name for n in inside for name in target_names(n.target)]


def _note_liveness(
    function: FunctionNode, node: ast.expr, loop: ast.For, out: str
) -> None:
    """Which names may be read after the statements of the loop: what is read outside of the
    comprehension, and what the comprehension itself reads when it is run again."""
    live = liveness_of(function)
    if loop in live.after:
        return
    wanted = _read_outside(function, node) & local_names(function)
    start = live.block([loop], frozenset({out}) | wanted | live.ends)
    live.block([loop], frozenset({out}) | wanted | live.ends | start)


def _read_outside(function: FunctionNode, node: ast.expr) -> frozenset[str]:
    """The names that are read somewhere in a function, but not in this expression."""
    found: set[str] = set()
    todo: list[ast.AST] = [function]
    while todo:
        n = todo.pop()
        if n is node:
            continue
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Store):
            found.add(n.id)
        elif isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name):
            found.add(n.target.id)
        todo += ast.iter_child_nodes(n)
    return frozenset(found)
