"""Syntax that is refused wherever it stands."""

from __future__ import annotations

import ast

from pullback.frontend.python.memo import by_node
from pullback.frontend.python.texts import FunctionNode

REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Try: (
        "these exceptions cannot be caught in compiled code",
        "test what would raise beforehand: if y != 0.0: ... else: ...",
    ),
    ast.TryStar: ("groups of exceptions cannot be caught", "catch them one by one: except E: ..."),
    ast.With: (
        "'with' has effects that compiled code cannot have",
        "do it outside; np.errstate can be left away: compiled code gives no warnings",
    ),
    ast.AsyncFor: ("async code cannot be compiled", "call an ordinary function"),
    ast.AsyncWith: ("async code cannot be compiled", "call an ordinary function"),
    ast.AsyncFunctionDef: ("async code cannot be compiled", "write an ordinary function"),
    ast.Await: ("async code cannot be compiled", "call an ordinary function"),
    ast.Global: ("global state cannot be changed", "pass the value in and return the new one"),
}


@by_node
def refused_syntax(node: FunctionNode) -> list[tuple[ast.AST, str, str]]:
    """Return the places in a function whose syntax is refused, with reason and rewrite."""
    found: list[tuple[ast.AST, str, str]] = []
    waiting: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else [*node.body]
    while waiting:
        n = waiting.pop(0)
        if type(n) in REFUSED:
            found.append((n, *getattr(n, "why", REFUSED[type(n)])))
        if not isinstance(n, ast.ClassDef):  # its methods are looked at when they are called
            waiting += ast.iter_child_nodes(n)
    return found
