"""Mark what is written for a part of the user's source as coming from there: ``core/trails.py``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeVar

from pullback.core.trails import mark
from pullback.frontend.run import Run

Node = TypeVar("Node", bound=ast.AST)
Made = TypeVar("Made")

_OWN = "/pullback/frontend/"


def trailing(run: Run, node: Node, interpret: Callable[[Run, Node], Made]) -> Made:
    """Interpret a node, and mark what is written for it. Functions of the library that are texts
    are not marked: they come from where they are called."""
    b, start, site = run.b, len(run.b.lets), run.site(node)
    try:
        return interpret(run, node)
    finally:
        if _OWN not in site.file.replace("\\", "/"):
            mark(b.lets[start:], site)


__all__ = ["trailing"]
