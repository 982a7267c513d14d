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
from pullback.errors import UnsupportedError
from pullback.frontend.interpret.messages import Recorder, has_source
from pullback.frontend.kinds.values import OptionalV, Static, Value
from pullback.frontend.library.text.text_streams import print_to
from pullback.frontend.python.libraries import name_of
from pullback.frontend.python.memo import by_node
from pullback.frontend.python.paths import Attribute, Namespace
from pullback.frontend.python.python_values import text_of
from pullback.frontend.python.streams import STREAMS, Stream
from pullback.frontend.python.syntax_pieces import known, name_

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_LEVELS = ("debug", "info", "warning", "error", "critical", "exception", "log")
_FUNCTIONS = frozenset({
    print, warnings.warn, pprint.pprint, pprint.pp, combinators.debug_print,
    *(getattr(logging, name) for name in _LEVELS),
})  # fmt: skip
_PACKAGE = PurePath(__file__).parents[2]
_STAR = "*"


def is_showing(function: Value) -> bool:
    """Whether a function only shows its arguments."""
    if not isinstance(function, Static):
        return False
    obj = function.value
    if isinstance(obj, types.MethodType):
        if isinstance(obj.__self__, Stream):
            return True
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
            if stream in STREAMS and _module(run, name) is sys:
                held = standing(run, stream, node)
                if isinstance(held, Static):
                    return _looked_up(held.value, (method,))
                return _looked_up(sys, (stream, method)) if held is None else None
    return None


def standing(run: Run, stream: str, node: ast.AST) -> Value | None:
    """Return what the program has made ``sys.stdout`` or ``sys.stderr``; None if that is the one
    outside."""
    name = _variable(run, stream, node)
    held = None if name is None else run.lookup(name, node)
    return None if isinstance(held, Static) and held.value is STREAMS[stream] else held


def _variable(run: Run, stream: str, node: ast.AST) -> str | None:
    """Return the name of the variable that is ``sys.stdout`` or ``sys.stderr``, in a program that
    assigns it."""
    variables = {} if run.taken is None else run.taken.variables
    variable = variables.get(Attribute(sys, stream).path)
    return None if variable is None else run.variable_here(variable, node)


def is_put_back(run: Run, own: Value, end: Value, node: ast.AST) -> bool:
    """Whether a stream of ``sys`` is in the end what it was, which the run is asked where nobody
    else knows."""
    other = end.other if isinstance(end, OptionalV) else end
    if not (isinstance(own, Static) and isinstance(other, Static) and other.value is own.value):
        return False
    if isinstance(end, OptionalV):
        reason = "an object of the function is left as sys.stdout or sys.stderr"
        run.require(run.b.prim("not", end.there), UnsupportedError, reason, node)
    return True


def instead(run: Run, function: Value, node: ast.Call) -> ast.expr | None:
    """Return what stands for a call of ``print`` that writes to an object of the program; the call
    itself, if only its values tell; None for a call that is shown."""
    if not (isinstance(function, Static) and function.value is print):
        return None
    file = next((k.value for k in node.keywords if k.arg == "file"), None)
    if file is not None and not isinstance(file, (ast.Name, ast.Attribute, ast.Constant)):
        return node
    held = None if file is None else run.evaluate(file)
    if isinstance(held, Static) and held.value is not None:
        return None
    if held is None or isinstance(held, Static):
        held = standing(run, "stdout", node)
        if held is None or isinstance(held, Static):
            return None
        return _chosen(node, _variable(run, "stdout", node))
    return _chosen(node, None)


@by_node
def _chosen(node: ast.Call, variable: str | None) -> ast.expr:
    """Return a call of ``print`` as a choice by what its ``file`` is: None, a stream outside, or an
    object of the program. ``variable``: that of ``sys.stdout``, which it writes to."""
    others = [k for k in node.keywords if k.arg != "file"]
    given = next((k.value for k in node.keywords if k.arg == "file"), node)
    file = given if variable is None else name_(variable, node)

    def test(value: object) -> ast.expr:
        return ast.Compare(file, [ast.Is()], [known(value, node)])

    def shown(value: object) -> ast.expr:
        to = [ast.keyword("file", known(value, node))]
        return ast.Call(known(print, node), node.args, [*others, *to])

    made: ast.expr = ast.Call(known(print_to, node), [file, *node.args], others)
    for value in (*STREAMS.values(), *(() if variable else (None,))):
        made = ast.IfExp(test(value), shown(value), made)
    for n in ast.walk(made):
        if isinstance(n, ast.expr) and not hasattr(n, "lineno"):
            ast.copy_location(n, node)
    return made


def _module(run: Run, node: ast.Name) -> object:
    """Return the module that a name of the globals stands for."""
    definition = run.frame.definition
    if definition is None or node.id in run.scope.locals:
        return None
    found = definition.globals.get(node.id)
    return found if isinstance(found, types.ModuleType) else None


def of_stream(run: Run, value: object, name: str, node: ast.AST) -> Value | None:
    """Return a method of ``sys.stdout`` or ``sys.stderr`` that has a name; None of other marks."""
    if not isinstance(value, Stream):
        return None
    if name not in ("write", "flush"):
        run.refuse(node, f"sys.{value.name}.{name}", "ask outside, and pass what you need")
    return Static(getattr(value, name))


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
    if isinstance(function, Constant) and function.known is print and "file" not in names:
        names.append("file")
        parts.append(_standing_part(run, "stdout", node))
    _emit(recorder, function, names, parts, node)
    return Static(None)


def show_values(
    run: Run, function: Value, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Compile a call by a function that was handed on, say as ``report=print``."""
    assert isinstance(function, Static)
    if function.value is print:
        file = kwargs.get("file", Static(None))
        if isinstance(file, Static) and file.value is None:
            file = standing(run, "stdout", node) or file
            kwargs = {**kwargs, "file": file}
        if isinstance(file, OptionalV):
            run.refuse(node, "print to what may be an object of the program or a stream outside",
                       "call print by its name, and give the file a name")
        if not isinstance(file, Static):
            others = {n: v for n, v in kwargs.items() if n != "file"}
            return run.call(text_of(print_to), (file, *args), node, others)
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
            return _standing_part(run, attribute, node)
        case _:
            value = run.evaluate(node)
            if isinstance(value, Static) and value.value is None:
                return _standing_part(run, "stdout", node)
            return Constant(value.value) if isinstance(value, Static) else None


def _standing_part(run: Run, attribute: str, node: ast.AST) -> Part:
    """Return the part for a stream of ``sys``: for one outside, that of the moment."""
    held = standing(run, attribute, node) if attribute in STREAMS else None
    if isinstance(held, Static):
        return Constant(held.value)
    return _looked_up(sys, (attribute,))


def _emit(
    recorder: Recorder, function: Part, names: Sequence[str], parts: Sequence[Part], node: ast.AST
) -> None:
    run = recorder.run
    known = function.known if isinstance(function, Constant) else print
    written = known is print or isinstance(getattr(known, "__self__", None), Stream)
    if not written and any(standing(run, n, node) is not None for n in STREAMS):
        run.refuse(node, "other output than that of print, where sys.stdout or sys.stderr is an "
                   "object of the program", "print it, or write it to that object")
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


__all__ = [
    "instead", "is_put_back", "is_showing", "of_stream", "show", "show_values", "stream_method",
]  # fmt: skip
