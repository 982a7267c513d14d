"""Calls of ``print``, ``logging``, ``warnings.warn``: Python is called when the program runs.

The arguments become the parts of a message, like those of an exception (``messages``), in an op
``show`` with the leaves that the run knows. Python itself formats and writes them, in a frame with
the user's file, line and globals: there loggers and warnings look for their origin.
"""

from __future__ import annotations

import ast
import logging
import pprint
import sys
import types
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, NoReturn

from pullback import combinators
from pullback.core.messages import MOST_WORDS, Applied, Constant, Message, Part
from pullback.core.terms import Prim, Site
from pullback.core.types import Array
from pullback.frontend.interpret.messages import Recorder, has_source
from pullback.frontend.kinds.values import Static, Value
from pullback.frontend.python.libraries import name_of
from pullback.frontend.python.paths import Namespace

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_LEVELS = ("debug", "info", "warning", "error", "critical", "exception", "log")
_FUNCTIONS = frozenset({
    print, warnings.warn, pprint.pprint, pprint.pp, combinators.debug_print,
    *(getattr(logging, name) for name in _LEVELS),
})  # fmt: skip
_STREAMS = ("stdout", "stderr")
_PACKAGE = PurePath(__file__).parents[2]
_STAR = "*"


def is_showing(function: Value) -> bool:
    """Whether a function only shows its arguments."""
    if not isinstance(function, Static):
        return False
    obj = function.value
    if isinstance(obj, types.MethodType):
        if obj.__name__ == "write" and str(obj.__func__.__module__).startswith("tqdm."):
            return True  # tqdm.write("..."), of the class
        logger = isinstance(obj.__self__, (logging.Logger, logging.LoggerAdapter))
        return logger and obj.__name__ in _LEVELS
    return isinstance(obj, (types.BuiltinFunctionType, types.FunctionType)) and obj in _FUNCTIONS


def stream_method(run: Run, node: ast.expr) -> Part | None:
    """Return the part for ``sys.stdout.write`` and ``flush``, looked up when it is called; None if
    the expression is anything else."""
    match node:
        case ast.Attribute(ast.Attribute(ast.Name() as name, stream), "write" | "flush" as method):
            if stream in _STREAMS and _module(run, name) is sys:
                return _looked_up(sys, (stream, method))
    return None


def _module(run: Run, node: ast.Name) -> object:
    """Return the module that a name of the globals stands for."""
    definition = run.frame.definition
    if definition is None or node.id in run.scope.locals:
        return None
    found = definition.globals.get(node.id)
    return found if isinstance(found, types.ModuleType) else None


def _looked_up(obj: object, names: tuple[str, ...]) -> Part:
    return Applied(partial(_attribute, names), (Constant(obj),))


def _attribute(names: tuple[str, ...], obj: object) -> object:
    for name in names:
        obj = getattr(obj, name)
    return obj


def show(run: Run, function: Part, name: str, node: ast.Call) -> Value:
    """Compile a call whose arguments are shown."""
    recorder = Recorder(run, node)
    names: list[str] = []
    parts: list[Part] = []
    for a in node.args:
        names.append(_STAR if isinstance(a, ast.Starred) else "")
        parts.append(_argument(recorder, a.value if isinstance(a, ast.Starred) else a, name))
    for k in node.keywords:
        if k.arg is None:
            run.refuse(k.value, f"{name} with ** is not supported", "name the arguments")
        names.append(k.arg)
        given = _stream(run, k.value) if k.arg in ("file", "stream") else None
        parts.append(given or _argument(recorder, k.value, name))
    _emit(recorder, function, names, parts, node)
    return Static(None)


def show_values(
    run: Run, function: Value, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Compile a call by a function that was handed on, say as ``report=print``."""
    assert isinstance(function, Static)
    recorder = Recorder(run, node)
    parts = []
    for value in (*args, *kwargs.values()):
        part = recorder.value(value)
        if part is None:
            _refuse(run, run.describe(value), name_of(function.value), node)
        parts.append(part)
    _emit(recorder, Constant(function.value), [*([""] * len(args)), *kwargs], parts, node)
    return Static(None)


def _argument(recorder: Recorder, node: ast.expr, name: str) -> Part:
    part = recorder.expression(node)
    if has_source(part):
        value = recorder.run.evaluate(node)  # what cannot be evaluated is refused for its reason
        _refuse(recorder.run, recorder.run.describe(value), name, node)
    return part


def _refuse(run: Run, what: str, name: str, node: ast.AST) -> NoReturn:
    run.refuse(
        node,
        f"{name}: {what} cannot be shown by compiled code",
        "show numbers, arrays, texts, and tuples, lists, dicts and records of them",
    )


def _stream(run: Run, node: ast.expr) -> Part | None:
    """Return the part for ``sys.stderr``, looked up when it is written to, and for an object that
    the function captured."""
    match node:
        case ast.Attribute(ast.Name() as name, attribute) if _module(run, name) is sys:
            return _looked_up(sys, (attribute,))
        case _:
            value = run.evaluate(node)
            return Constant(value.value) if isinstance(value, Static) else None


def _emit(
    recorder: Recorder, function: Part, names: Sequence[str], parts: Sequence[Part], node: ast.AST
) -> None:
    run = recorder.run
    leaves = tuple(recorder.leaves)
    words = sum(1 + 2 * a.type.rank if isinstance(a.type, Array) else 1 for a in leaves)
    if words > MOST_WORDS:
        run.refuse(node, "more values than one call can show", "show them in several calls")
    definition = run.frame.definition
    namespace = Namespace.of({} if definition is None else definition.globals)
    called = partial(_call, run.site(node), namespace, tuple(names))
    message = Message((Applied(called, (function, *parts)),), len(leaves), ast.unparse(node))
    run.calls.shown += 1
    run.b.let(Prim("show", leaves, (message,)), (), run.site(node))


# --- what Python does when the program runs -------------------------------------------------------


def _call(
    site: Site, namespace: Namespace, names: tuple[str, ...],
    function: Callable[..., object], *values: object,
) -> object:  # fmt: skip
    """Call the function in a frame of the user's module at this place."""
    args: list[object] = []
    kwargs: dict[str, object] = {}
    for name, value in zip(names, values, strict=True):
        if name == _STAR:
            assert isinstance(value, Iterable)
            args += list(value)
        elif name:
            kwargs[name] = value
        else:
            args.append(value)
    level = kwargs.get("stacklevel", 1)
    if isinstance(level, int) and level > 1:
        kwargs["stacklevel"] = level + _own_frames()
    given = {"function": function, "args": args, "kwargs": kwargs}
    exec(_code(site), namespace.names, given)
    return None


def _own_frames() -> int:
    """Return the number of frames of this package between the program and its caller."""
    frame: types.FrameType | None = sys._getframe(1)
    count = 0
    while frame is not None and _is_own(frame.f_code.co_filename):
        count, frame = count + 1, frame.f_back
    return count


def _is_own(file: str) -> bool:
    return file.startswith("<pullback") or PurePath(file).is_relative_to(_PACKAGE)


def _code(site: Site) -> types.CodeType:
    """Return the code of a call at a place in the user's source."""
    tree = ast.parse("function(*args, **kwargs)")
    start = max(site.line, 1), max(site.col, 0)
    end = max(start, (site.end_line, site.end_col))
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.expr)):
            (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset) = start, end
    code = compile(tree, site.file, "exec")
    return code.replace(co_name=site.function, co_qualname=site.function)


__all__ = ["is_showing", "show", "show_values", "stream_method"]
