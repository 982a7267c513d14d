"""The functions of a module that a function calls, and that read what it changes."""

from __future__ import annotations

from collections.abc import Sequence
from types import CodeType, FunctionType


def helpers_of(function: FunctionType, names: Sequence[str]) -> dict[str, FunctionType]:
    """Return the functions of the same module, by name, that a function calls and that mention one
    of these global variables, or call one that does."""
    if any(n in function.__code__.co_freevars for n in names):
        return {}
    names, known, todo = list(names), dict[str, FunctionType](), [function]
    mentioned: dict[str, frozenset[str]] = {}
    while todo:
        f = todo.pop()
        for name in _mentioned(f.__code__):
            other = f.__globals__.get(name)
            if name in known or not isinstance(other, FunctionType):
                continue
            if other.__globals__ is function.__globals__ and other.__name__ == name:
                known[name], mentioned[name] = other, _mentioned(other.__code__)
                todo.append(other)
    reaching = set(names)
    while more := {n for n, own in mentioned.items() if n not in reaching and own & reaching}:
        reaching |= more
    return {n: f for n, f in known.items() if n in reaching}


def _mentioned(code: CodeType) -> frozenset[str]:
    inside = (_mentioned(c) for c in code.co_consts if isinstance(c, CodeType))
    return frozenset(code.co_names).union(*inside)


__all__ = ["helpers_of"]
