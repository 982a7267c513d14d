"""Whether a function does more than compute its result, as far as its text tells.

A function that keeps its results runs less often than it is called. Where it changes something
else (a counter, a log), how often it runs can be seen, and so must be as in Python.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from enum import IntEnum
from types import BuiltinFunctionType, FunctionType, ModuleType

from pullback.frontend.python.libraries import is_closed_module
from pullback.frontend.python.syntax import local_names, rebinds, root_of
from pullback.frontend.python.texts import FunctionNode

Written = ast.FunctionDef | ast.Lambda


class Effect(IntEnum):
    """What is known of a function."""

    NONE, UNKNOWN, CHANGES = range(3)


_SEEN = {print, input, exec, eval, setattr, delattr, open}


class Effects:
    """The effects of the functions inside of one function (``tree``); ``names`` are the globals,
    ``own`` the first parameter if it is a method."""

    def __init__(
        self, tree: FunctionNode, names: dict[str, object], own: str | None = None
    ) -> None:
        self.names = names
        self.itself = (own, tree.name) if isinstance(tree, ast.FunctionDef) and own else None
        self.inside: dict[str, list[Written]] = {}
        for n in ast.walk(tree):
            match n:
                case ast.FunctionDef(name=name) if n is not tree:
                    self.inside.setdefault(name, []).append(n)
                case ast.Assign([ast.Name(name)], ast.Lambda() as made):
                    self.inside.setdefault(name, []).append(made)
        self.known: dict[Written, Effect] = {}

    def of(self, function: Written) -> Effect:
        """Return the effect of a call of a function."""
        if function not in self.known:
            self.known[function] = Effect.NONE  # while it is looked for: that of a recursion
            self.known[function] = self._worst(function)
        return self.known[function]

    def _worst(self, function: Written) -> Effect:
        body = [function.body] if isinstance(function, ast.Lambda) else function.body
        mine = local_names(function)
        nodes = [n for part in body for n in ast.walk(part)]
        around = set(rebinds(function)) if isinstance(function, ast.FunctionDef) else set()
        inner = {name for n in nodes if isinstance(n, ast.Nonlocal) for name in n.names}
        if around or inner - mine or any(isinstance(n, ast.Global) for n in nodes):
            return Effect.CHANGES
        return max((self._of_node(n, mine) for n in nodes), default=Effect.NONE)

    def _of_node(self, n: ast.AST, mine: Iterable[str]) -> Effect:
        match n:
            case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(
                ctx=ast.Store() | ast.Del()
            ):
                return self._of_holder(n, mine)
            case ast.Expr(ast.Call(ast.Attribute() as called)):
                root = root_of(called)
                is_module = isinstance(root, ast.Name) and self._is_module(root.id)
                return Effect.UNKNOWN if is_module else self._of_holder(called, mine)
            case ast.Call(func):
                return self._of_called(func)
            case ast.Yield() | ast.YieldFrom() | ast.With() | ast.ClassDef():
                return Effect.UNKNOWN
            case _:
                return Effect.NONE

    @staticmethod
    def _of_holder(n: ast.expr, mine: Iterable[str]) -> Effect:
        root = root_of(n)
        is_local = isinstance(root, ast.Name) and root.id in mine
        return Effect.UNKNOWN if is_local else Effect.CHANGES

    def _is_module(self, name: str) -> bool:
        found = self.names.get(name)
        return isinstance(found, ModuleType) and is_closed_module(found.__name__)

    def _of_called(self, func: ast.expr) -> Effect:
        match func:
            case ast.Name(name) if name in self.inside:
                return max(self.of(f) for f in self.inside[name])
            case ast.Name(name):
                found = self.names.get(name, getattr(builtins, name, None))
                if isinstance(found, (BuiltinFunctionType, type)) and found in _SEEN:
                    return Effect.CHANGES
                if isinstance(found, FunctionType):
                    return self._of_global(found)
                known = isinstance(found, BuiltinFunctionType) and found is not next
                built_in = isinstance(found, type) and found.__module__ == "builtins"
                return Effect.NONE if known or built_in else Effect.UNKNOWN
            case ast.Attribute(ast.Name(name), called) if self.itself == (name, called):
                return Effect.NONE  # a recursion
            case ast.Attribute(ast.Name(name)) if self._is_module(name):
                return Effect.NONE
            case _:
                return Effect.UNKNOWN

    @staticmethod
    def _of_global(found: FunctionType) -> Effect:
        return Effect.NONE if is_closed_module(str(found.__module__)) else Effect.UNKNOWN


__all__ = ["Effect", "Effects"]
