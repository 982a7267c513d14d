"""Whether two functions are one: ``h in handlers``, ``handlers.remove(h)``, ``f is g``.

Python compares functions by their identity, and methods of objects by the identity of these. Here
a function is a definition with what it captured, so two of different definitions are two functions;
two of one definition are one if that is executed once: in a module, or in the function that is
compiled, outside of its loops. Else it is not known.
"""

from __future__ import annotations

import ast
import types
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from pullback.errors import ArgumentTypeError, IdentityError
from pullback.frontend.functions import choices, eta
from pullback.frontend.functions.stepped_form import is_step
from pullback.frontend.kinds.values import (
    ClosureV,
    FunctionV,
    LambdaSetV,
    ListV,
    OptionalV,
    Scalar,
    Static,
    SymbolV,
    TupleV,
    Value,
)
from pullback.frontend.memory import references
from pullback.frontend.python.python_values import is_library
from pullback.frontend.python.source import Definition, definition_of

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_LOOPS = ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp
_OTHERS = Scalar, Static, SymbolV, TupleV, ListV
"""What is no function, and leaves it to no method whether it is equal to one."""
_NOT_ONCE = *_LOOPS, ast.FunctionDef, ast.Lambda, ast.ClassDef
"""What has statements that do not run once in the function that they stand in."""


def is_function(value: Value) -> bool:
    """Whether a value is a function that was written in Python, or one of several by the run, or
    one of several classes."""
    if isinstance(value, FunctionV):
        return not is_step(value.definition.node)
    return isinstance(value, (ClosureV, LambdaSetV)) or (
        choices.is_choice(value) and all(map(_is_called, choices.members(value)))
    )


def _is_called(value: Value) -> bool:
    return is_function(value) or (isinstance(value, Static) and isinstance(value.value, type))


def are_one(run: Run, a: Value, b: Value, equality: bool, node: ast.AST) -> Value:
    """Whether two values, of which one is a function, are equal, or (not ``equality``) one
    object."""
    for k, value in enumerate((a, b)):
        of = partial(_with_one, run, (a, b), k, equality, node)
        if choices.is_choice(value):
            return choices.call(run, value, of, node)
        if isinstance(value, (ClosureV, LambdaSetV)):
            return run.case_closure(value, of, node)
        if isinstance(value, OptionalV):
            return run.case_value(value, of, node)
    x, y = (_held(v) for v in (a, b))
    match x, y:
        case FunctionV(), FunctionV():
            return _same(run, x, y, equality, node)
        case Static(f), Static(g):
            return Static(bool(f == g) if equality else f is g)
        case _ if isinstance(x, _OTHERS) or isinstance(y, _OTHERS):
            return Static(False)
        case _:
            run.refuse(
                node, f"{'==' if equality else 'is'} of {run.describe(a)} and {run.describe(b)}",
                error=ArgumentTypeError,
            )  # fmt: skip


def _with_one(
    run: Run, both: tuple[Value, Value], k: int, equality: bool, node: ast.AST, function: Value
) -> Value:
    a, b = (function, both[1]) if k == 0 else (both[0], function)
    return are_one(run, a, b, equality, node)


def _held(value: Value) -> Value:
    """Return what a function only wraps: one of a library."""
    held = eta.inside(value) if isinstance(value, FunctionV) else None
    return value if held is None else held


def _same(run: Run, f: FunctionV, g: FunctionV, equality: bool, node: ast.AST) -> Value:
    if f is g:
        return Static(True)
    if references.reference_of(f) is not None or references.reference_of(g) is not None:
        _refuse(run, "whether two methods of objects that change are one", node)
    if f.definition is not g.definition or len(f.bound) != len(g.bound):
        return Static(False)
    if f.bound and not equality:
        _refuse(run, "whether two methods are one object: each look makes a new one", node)
    if not f.bound and not _is_made_once(run, f.definition):
        reason = f"whether two functions {f.definition.name!r} are one: there may be several"
        _refuse(run, reason, node)
    found: Value = Static(True)
    for x, y in zip(f.bound, g.bound, strict=True):
        test = run.truth(found, node)
        found = run.branch(
            test, partial(run.compare, "is", x, y, node), lambda: Static(False), node
        )
    return found


def _refuse(run: Run, reason: str, node: ast.AST) -> NoReturn:
    run.refuse(
        node, reason, "keep a name or number beside each function, and compare these",
        error=IdentityError,
    )  # fmt: skip


def _is_made_once(run: Run, definition: Definition) -> bool:
    """Whether there is one function of a definition."""
    if is_library(definition.globals):  # one text may stand for several functions
        return False
    if "<" not in definition.qualname:
        found: object = definition.globals
        for name in definition.qualname.split("."):
            found = found.get(name) if isinstance(found, dict) else getattr(found, name, None)
        return isinstance(found, types.FunctionType) and definition_of(found) is definition
    entry = run.frames[0].definition
    if entry is None or _calls_itself(entry):
        return False
    todo: list[ast.AST] = [entry.node]
    while todo:
        for inner in ast.iter_child_nodes(todo.pop()):
            if inner is definition.node:
                return True
            if not isinstance(inner, _NOT_ONCE):
                todo.append(inner)
    return False


def _calls_itself(entry: Definition) -> bool:
    """Whether a function may run again while it runs: whether what it calls by name, or a method of
    a class of its module, names it."""
    if entry.code is None:
        return True
    classes = (c for c in entry.globals.values() if isinstance(c, type))
    methods = (f for c in classes for f in vars(c).values() if isinstance(f, types.FunctionType))
    todo: list[tuple[types.CodeType, dict[str, object]]] = [(entry.code, entry.globals)]
    todo += [(f.__code__, f.__globals__) for f in methods if f.__globals__ is entry.globals]
    met = set[types.CodeType]()
    while todo:
        code, names = todo.pop()
        if code in met:
            continue
        met.add(code)
        if entry.name in (*code.co_names, *code.co_freevars):
            return True
        todo += [(c, names) for c in code.co_consts if isinstance(c, types.CodeType)]
        called = (names.get(n) for n in code.co_names)
        functions = (f for f in called if isinstance(f, types.FunctionType))
        todo += [(f.__code__, f.__globals__) for f in functions]
    return False


__all__ = ["are_one", "is_function"]
