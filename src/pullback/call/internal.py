"""Mistakes of this package, as one error: what the compiler stumbled over, in which stage, and at
which line of the user's program it stood then.

Nothing is noted while the compiler works. When it has failed, the frames of its traceback still
have what it worked on: a syntax node of the user's in the front end, lets of Core behind it.
"""

from __future__ import annotations

import ast
import contextlib
import platform
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from types import CodeType, FrameType, FunctionType, TracebackType

from pullback.call.entries import TRACE, chained, frames, is_own, wants_all
from pullback.core.held import is_of_program as raised_by_program
from pullback.core.terms import Block, Function, Let, Program, Site
from pullback.core.traverse import all_lets
from pullback.errors import InternalError
from pullback.frontend.python.libraries import is_users
from pullback.frontend.python.source import Definition, definition_of, site_of
from pullback.pipeline import Stage, run_stages

MOST_TEXT = 200
"""So many characters of the text of an exception are shown."""
MOST_ENTRIES = 3
"""So many entries of the traceback of the cause are kept."""
MOST_FRAMES = 400
"""In so many frames, from the innermost one, the place is looked for."""


# --- whose exception it is ------------------------------------------------------------------------


def is_of_program(error: Exception, f: object = None) -> bool:
    """Whether an exception is the user's: raised by the compiled program, of a class of theirs, or
    raised by code of theirs that ran meanwhile: ``f`` itself, a method of an object that was looked
    at, a handler of signals."""
    if raised_by_program(error) or _is_users_class(type(error)):
        return True
    codes = {code for g in (f, *_handlers()) for code in _codes(g)}
    met = Counter[CodeType]()
    for entry in frames(error.__traceback__):
        code = entry.tb_frame.f_code
        met[code] += 1
        if code in codes or (met[code] <= _MOST_OF_ONE and _is_method(entry.tb_frame)):
            return True
    return False


_MOST_OF_ONE = 16
"""So many frames of one code are asked whether they run a method: a recursion may have 100,000."""


def _is_users_class(cls: type) -> bool:
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    return cls.__module__ == "__main__" or (isinstance(file, str) and is_users(file))


def _handlers() -> Iterator[object]:
    return (signal.getsignal(number) for number in signal.valid_signals())


def _is_method(frame: FrameType) -> bool:
    """Whether a frame runs a method, property or descriptor of the user's: its code belongs to the
    class of its first argument. (A module may have a function ``__getattr__``.)"""
    code = frame.f_code
    if not is_users(code.co_filename):
        return False
    if code.co_name in ("__getattr__", "__dir__") and code.co_qualname == code.co_name:
        return True
    names = code.co_varnames[: code.co_argcount] or code.co_varnames[:1]
    first = frame.f_locals.get(names[0]) if names else None
    if not code.co_argcount and isinstance(first, tuple) and first:
        first = first[0]
    classes = [*type(first).__mro__, *(first.__mro__ if isinstance(first, type) else ())]
    return any(
        code in _codes(member)
        for cls in classes
        if not cls.__module__.startswith("pullback.")
        for member in vars(cls).values()
    )


def _codes(member: object) -> Iterator[CodeType]:
    """The codes of a function, and of what is made of functions: methods, properties, partial
    applications, decorated functions."""
    todo, seen = [member], set[int]()
    while todo:
        x = todo.pop()
        if x is None or id(x) in seen:
            continue
        seen.add(id(x))
        if isinstance(x, FunctionType):
            yield x.__code__
        found = vars(x) if isinstance(x, FunctionType) else {}
        todo += [found.get("__wrapped__")]
        names = ("fget", "fset", "fdel", "__func__", "func", "_f")
        todo += [] if isinstance(x, FunctionType) else [_member(x, name) for name in names]


def _member(x: object, name: str) -> object:
    """An attribute of an object, found without running code of the user's."""
    if type(x).__module__.partition(".")[0] not in ("builtins", "functools", "pullback"):
        return None
    return getattr(x, name, None)


# --- the error ------------------------------------------------------------------------------------


def internal_error(error: Exception, f: object = None) -> InternalError:
    """The error that says that this package has failed, with a short cause."""
    entries = list(frames(error.__traceback__))
    own = [e for e in entries if is_own(e.tb_frame.f_code.co_filename)]
    site: Site | None = None
    with contextlib.suppress(Exception):  # what is shown of a failure must not fail itself
        site = place_of([e.tb_frame for e in own[::-1]], f)
    function = "" if site is None else f" {site.function!r}"
    made = InternalError(
        f"Pullback failed while it compiled{function} ({_where(own)}, {_short(error)}). "
        "This is a mistake of Pullback, not of your program",
        f"this text, the function with all that it calls, and the types of its arguments "
        f"({_versions()}). {TRACE}=1 in the environment shows the whole traceback",
        site,
    )
    if not wants_all():
        error.args = (_text(error.args),)
        error.__suppress_context__, error.__cause__ = True, None
        error.__traceback__ = chained(entries[-MOST_ENTRIES:])
    made.__cause__ = error
    return made


def _where(own: Sequence[TracebackType]) -> str:
    """The stage, and the line of this package."""
    frame = own[-1].tb_frame if own else None
    if frame is None:
        return "at its door"
    stage = stage_of([e.tb_frame for e in own[::-1]])
    return f'stage "{stage}", {_file(frame)}:{own[-1].tb_lineno}'


def stage_of(inner: Sequence[FrameType]) -> str:
    """The stage in which these frames, the innermost first, worked."""
    for frame in inner:
        stage = frame.f_locals.get("stage") if frame.f_code is run_stages.__code__ else None
        if isinstance(stage, Stage):
            return stage.name
    own = (_file(frame) for frame in inner if is_own(frame.f_code.co_filename))
    room = next(own, "").partition("/")[0]
    return "front end" if room == "frontend" else room


def _file(frame: FrameType) -> str:
    """The file of a frame of this package, within it."""
    return frame.f_code.co_filename.replace("\\", "/").rpartition("/pullback/")[2]


def _short(error: Exception) -> str:
    text = _text(error.args)
    return type(error).__name__ + (f": {text}" if text else "")


def _text(args: Sequence[object]) -> str:
    """What an exception says, in a line. Assertions of this package carry whole terms of Core: only
    their classes are named."""
    plain = (str, int, float, bool, type(None))
    said = " ".join(str(a) if isinstance(a, plain) else f"<{type(a).__name__}>" for a in args)
    line = " ".join(said.split())
    return line if len(line) <= MOST_TEXT else line[:MOST_TEXT] + "..."


def _versions() -> str:
    libraries = [f"{name} {version(name)}" for name in ("numpy", "scipy", "llvmlite")]
    own = getattr(sys.modules.get("pullback"), "__version__", "")
    return ", ".join([f"Pullback {own}", f"Python {platform.python_version()}", *libraries,
                      f"{platform.system()} {platform.machine()}"])  # fmt: skip


# --- the place ------------------------------------------------------------------------------------


def place_of(inner: Sequence[FrameType], f: object = None) -> Site | None:
    """The place of the user's program at which these frames, the innermost first, worked."""
    own = [frame for frame in inner if is_own(frame.f_code.co_filename)][:MOST_FRAMES]
    values = [tuple(frame.f_locals.values()) for frame in own]
    return _of_syntax(values) or _of_core(values) or _of_function(values, f)


Locals = Sequence[tuple[object, ...]]


def _of_syntax(values: Locals) -> Site | None:
    """The innermost syntax node, in the innermost definition that has it."""
    nodes = (v for some in values for v in some
             if isinstance(v, (ast.stmt, ast.expr)) and hasattr(v, "lineno"))  # fmt: skip
    node = next(nodes, None)
    if node is None:
        return None
    known = [v if isinstance(v, Definition) else getattr(v, "definition", None)
             for some in values for v in some if type(v).__module__.startswith("pullback.")]
    definitions = [d for d in known if isinstance(d, Definition)]
    has = [d for d in definitions if any(n is node for n in ast.walk(d.node))]
    near = [d for d in definitions if d.node.lineno <= node.lineno <= (d.node.end_lineno or 0)]
    around = next(iter([*has, *near, *definitions]), None)
    return None if around is None else site_of(around, node)


def _of_core(values: Locals) -> Site | None:
    """The innermost place of a let, or the first one in a block or function."""
    for some in values:
        for v in some:
            for let in _lets(v):
                if let.site is not None:
                    return let.site
    return None


def _lets(value: object) -> Iterator[Let]:
    match value:
        case Let():
            yield value
            yield from all_lets(Block((value,), ()))
        case Block():
            yield from all_lets(value)
        case Function():
            yield from all_lets(value.body)
        case Program():
            for function in value.functions.values():
                yield from all_lets(function.body)


def _of_function(values: Locals, f: object) -> Site | None:
    """The place of the function that is compiled."""
    given = [v for some in values for v in some if isinstance(v, FunctionType)]
    for function in ([f] if isinstance(f, FunctionType) else []) + given:
        if is_users(function.__code__.co_filename):
            definition = definition_of(function)
            return site_of(definition, definition.node)
    return None


__all__ = ["internal_error", "is_of_program", "place_of", "stage_of"]
