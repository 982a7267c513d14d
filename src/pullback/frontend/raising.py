"""``raise`` and ``assert``: exceptions, built-in or the user's own, with messages in which numbers
are shown."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pullback.core.build import boolean
from pullback.core.prims_discrete import NUMBER, exception_name, message_of
from pullback.core.terms import Atom, If, Lit, Prim
from pullback.errors import PullbackError
from pullback.frontend.expressions import evaluate, joined_string, test_of
from pullback.frontend.forks import Flow
from pullback.frontend.values import Scalar, Static, Value

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def assert_(run: Run, test: ast.expr, message: ast.expr | None, s: ast.stmt) -> None:
    """``assert test, message``"""
    cond = test_of(run, test)
    if isinstance(cond, bool):
        cond = boolean(cond)
    if isinstance(cond, Lit) and cond.value:
        return
    if message is None:
        run.require(cond, "AssertionError", "", s)
    else:
        fine = cond

        def failed() -> tuple[Atom, ...]:
            _fail(run, "AssertionError", message, s)
            return ()

        block = run.block(failed)
        match block.lets:
            case (only,) if isinstance(only.op, Prim) and only.op.name == "require":
                args = (fine, *only.op.args[1:])
                run.b.let(Prim("require", args, only.op.static), (), only.site)
            case _:
                run.b.let(If(fine, run.block(lambda: ()), block), ())


def _fail(run: Run, exception: str, message: ast.expr | None, s: ast.stmt) -> None:
    """Raise; up to two numbers in an f-string are shown as they are when it runs."""
    text = "" if message is None else _message(run, message)
    parts: tuple[str, list[Atom]] | None = None
    if isinstance(message, ast.JoinedStr):
        parts = _with_numbers(run, message)
    elif message is not None:
        parts = _number(run, message)
    if parts is None:
        run.require(boolean(False), exception, text, s)
        return
    template, values = parts
    static = (exception, template, text)
    run.b.let(Prim("require", (boolean(False), *values), static), (), run.site(s))


def _number(run: Run, message: ast.expr) -> tuple[str, list[Atom]] | None:
    """``ValueError(x)`` is made of the number x itself; None: of something else."""
    try:
        value = evaluate(run, message)
    except PullbackError:
        return None
    return (NUMBER, [value.atom]) if isinstance(value, Scalar) and value.py else None


def _with_numbers(run: Run, node: ast.JoinedStr) -> tuple[str, list[Atom]] | None:
    """The template of a message and the numbers in it; None: there are none, or too many."""
    template, values = "", list[Atom]()
    for part in node.values:
        match part:
            case ast.Constant(str(text)):
                template += _escaped(text)
            case ast.FormattedValue(inner, conversion, spec):
                try:
                    value = evaluate(run, inner)
                    form = None if spec is None else evaluate(run, spec)
                except PullbackError:
                    return None
                known = "" if form is None else form.value if isinstance(form, Static) else None
                if not isinstance(known, str):
                    return None
                if isinstance(value, Static) and conversion == -1 and known == "":
                    template += _escaped(str(value.value))
                elif isinstance(value, Scalar) and conversion in (-1, 115) and value.py:
                    template += f"{{{len(values)}:{known}}}" if known else f"{{{len(values)}}}"
                    values.append(value.atom)
                else:
                    return None
            case _:
                return None
    return (template, values) if 0 < len(values) <= 2 else None


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _message(run: Run, node: ast.expr) -> str:
    """The message of an error: run-time values in it stand as their source text."""
    try:
        value = None if isinstance(node, ast.Call) else _quietly(run, node)
    except PullbackError:  # "..." % x, and the like
        value = None
    match value:
        case Static(str() | int() | float() | None as known) if type(known) in _PLAIN:
            return message_of(known)
        case Static(known):
            return str(known)
        case _:
            return ast.unparse(node)


_PLAIN = (str, int, float, bool, type(None))


def _quietly(run: Run, node: ast.expr) -> Value:
    found: list[Value] = []

    def inside() -> tuple[Atom, ...]:
        known = joined_string(run, node, True) if isinstance(node, ast.JoinedStr) else None
        found.append(known or evaluate(run, node))
        return ()

    run.block(inside)
    return found[0]


def _is_exception(value: Value) -> bool:
    match value:
        case Static(type() as cls):
            return issubclass(cls, Exception)
        case _:
            return False


def raise_(run: Run, s: ast.Raise) -> Flow:
    """``raise E(message)``: an exception class, with a message known when compiling."""
    match s.exc:
        case ast.Call(func, args, []) if len(args) <= 1:
            cls, message = evaluate(run, func), args[0] if args else None
        case ast.Call(func) if _is_exception(evaluate(run, func)):
            run.refuse(
                s,
                "an exception is made of one argument at most here",
                "raise ValueError(f'... {x}'): one text",
            )
        case ast.expr():
            cls, message = evaluate(run, s.exc), None
        case _:
            run.refuse(s, "a bare raise has nothing to raise again")
    match cls:
        case Static(type() as exception) if _is_exception(cls):
            name = exception_name(exception)
            if name is None:
                run.refuse(
                    s,
                    f"{exception.__name__} has a constructor of its own; exceptions are made of"
                    " their message alone",
                    f"a subclass of Exception without __init__, as class {exception.__name__}"
                    "(ValueError): pass",
                )
            _fail(run, name, message, s)
            return Flow.DEAD
        case _:
            run.refuse(
                s,
                "only 'raise ExceptionClass(message)' is supported",
                "raise ValueError('...')",
            )
