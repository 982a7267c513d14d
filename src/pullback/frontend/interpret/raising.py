"""``raise`` and ``assert``: exceptions, built-in or the user's own, made of values of the run."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from pullback.core.build import boolean, i64
from pullback.core.held import raised_within, with_row
from pullback.core.messages import Applied, Constant, Message, Part, exception_text
from pullback.core.prims_discrete import AGAIN, exception_of, raised_by
from pullback.core.terms import Atom, Block, If, Lit, Prim
from pullback.errors import PullbackError
from pullback.frontend.functions import choices
from pullback.frontend.functions.clauses import DIGIT, called_number, made_number
from pullback.frontend.interpret import payloads, raised_attributes, returned_exceptions
from pullback.frontend.interpret.messages import Recorder, is_source
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.kinds import TYPE
from pullback.frontend.kinds.values import CaughtV, OptionalV, Static, TupleV, Value
from pullback.frontend.python import handled
from pullback.frontend.python.attempted import Held
from pullback.frontend.signals import NeedStatic, Unreachable
from pullback.frontend.state import Flow

if TYPE_CHECKING:
    from pullback.frontend.run import Run


_MOST_CHOICES = 3  # each doubles what raises


def assert_(run: Run, test: ast.expr, message: ast.expr | None, s: ast.stmt) -> Flow:
    """Compile ``assert test, message``."""
    cond = run.test_of(test)
    if isinstance(cond, bool):
        cond = boolean(cond)
    if isinstance(cond, Lit) and cond.value:
        return Flow.FALL
    if isinstance(cond, Lit):
        _fail(run, AssertionError, [] if message is None else [message], (), None, s)
        return Flow.DEAD
    if message is None:
        run.require(cond, "AssertionError", "", s)
    else:
        fine = cond

        def failed() -> tuple[Atom, ...]:
            _fail(run, AssertionError, [message], (), None, s)
            return ()

        block = run.block(failed)
        match block.lets:
            case (only,) if isinstance(only.op, Prim) and only.op.name == "require":
                args = (fine, *only.op.args[1:])
                run.b.let(Prim("require", args, only.op.static), (), only.site)
                run.caught.stands_for(run.b.lets[-1], only)
            case _:
                run.b.let(If(fine, run.block(lambda: ()), block), ())
    return Flow.FALL


def raise_(run: Run, s: ast.Raise) -> Flow:
    """Compile ``raise E(...)`` and ``raise E``, both also with ``from``, and ``raise``."""
    if s.exc is None:
        run.refuse(
            s, "a bare raise has nothing to raise again", "raise ValueError('...'): say which"
        )
    of = run.evaluate(s.exc.func if isinstance(s.exc, ast.Call) else s.exc)
    if isinstance(of, TupleV) and choices.is_choice(of):
        return _of_chosen_class(run, s, of)
    written = isinstance(s.exc, ast.Call) and _exception_class(of) is not None
    if written and payloads.are_kept(run):
        assert isinstance(s.exc, ast.Call)
        made: Value | None = exception(run, of, s.exc)
    else:
        made = None if written else run.evaluate(s.exc)
    if isinstance(made, Static) and payloads.are_kept(run) and _exception_class(made) is not None:
        call = ast.copy_location(ast.Call(s.exc, [], []), s.exc)
        made = exception(run, made, call)
    if isinstance(made, OptionalV):
        made = optionals.present(run, made, "exceptions must derive from BaseException", s)
    if isinstance(made, CaughtV) and not made.steps:
        recorder = Recorder(run, s)
        part = recorder.value(made)
        assert part is not None
        if s.cause is not None:
            part = Applied(_because, (part, _cause(run, recorder, s.cause)))
        if handled.NOTED.get() and not isinstance(s.exc, Held):
            number = run.b.prim("floordiv", made.atom, i64(DIGIT))
            called_number(run.b, raised_within, "context", (number,))
        message = Message((part,), len(recorder.leaves), "")
        run.require(boolean(False), AGAIN, message, s, *recorder.leaves)
        return Flow.DEAD
    cls, args, names = _made_of(run, s.exc)
    if cls is None:
        run.refuse(
            s,
            "what is raised is not an exception that is made here",
            "raise ValueError('...'): the class and what it is made of in one statement",
        )
    _fail(run, cls, args, names, s.cause, s)
    return Flow.DEAD


def _of_chosen_class(run: Run, s: ast.Raise, chosen: TupleV) -> Flow:
    """Compile ``raise KINDS[k](...)``: the statement for each class that the run may choose."""
    name = ast.copy_location(ast.Name(".class", ast.Load()), s)
    exc: ast.expr = name
    if isinstance(s.exc, ast.Call):
        exc = ast.copy_location(ast.Call(name, s.exc.args, s.exc.keywords), s.exc)
    of_one = ast.copy_location(ast.Raise(exc, s.cause), s)

    def one(cls: Value) -> Value:
        run.scope.names[name.id] = cls
        raise_(run, of_one)
        raise Unreachable

    with suppress(Unreachable):
        choices.call(run, chosen, one, s)
    run.scope.names.pop(name.id, None)
    return Flow.DEAD


def stopped(run: Run, returned: Sequence[Value], node: ast.AST) -> NoReturn:
    """Raise the StopIteration of a generator that has ended, and may have returned a value."""
    if any(Recorder(run, node).value(v) is None for v in returned):
        what = run.describe(returned[0])
        run.refuse(
            node, f"StopIteration with what the generator has returned, {what}",
            "yield it as the last item, or give next() a default",
        )  # fmt: skip
    names: dict[str, Value] = {".class": Static(StopIteration)}
    names |= {f".returned.{k}": v for k, v in enumerate(returned)}
    run.scope.names |= names
    cls, *given = (ast.Name(n, ast.Load()) for n in names)
    made = ast.Raise(ast.Call(cls, [*given], []))
    for part in ast.walk(made):
        ast.copy_location(part, node)
    raise_(run, made)
    for n in names:
        del run.scope.names[n]
    raise Unreachable


def is_exception(function: Value) -> bool:
    """Whether a call of this value makes an exception: a class, or that of a caught exception."""
    dynamic = isinstance(function, CaughtV) and function.steps == (TYPE,)
    return dynamic or _exception_class(function) is not None


def exception(run: Run, function: Value, node: ast.Call) -> CaughtV:
    """Compile ``E(...)`` as a value, which may be raised later: Python makes the exception."""
    cls, args, names = _made_of(run, node)
    row: Atom | None = None
    shown = args
    if payloads.are_kept(run):
        if cls is None:
            run.refuse(
                node, "an exception of a class that only the run knows, with what it is made of",
                "name the class",
            )  # fmt: skip
        row, given = payloads.made(run, cls, args, names, node)
        run.scope.names |= given
        shown = [ast.copy_location(ast.Name(n), a) for n, a in zip(given, args, strict=True)]
    recorder = Recorder(run, node)
    first = None if cls is not None else recorder.value(function)
    parts = tuple(_argument(recorder, a) for a in shown)
    leaves, text = tuple(recorder.leaves), _plain(parts, args)
    returned_exceptions.require_whole(run, leaves, args, node)
    for a in shown if row is not None else ():
        assert isinstance(a, ast.Name)
        del run.scope.names[a.id]
    if cls is not None:
        raised = raised_by(cls)
        name, message = exception_text(raised), Message(parts, len(leaves), text, names)
        make: Callable[..., Exception] = partial(exception_of, raised, message)
        if row is not None:
            make, leaves = partial(_with_row, make), (*leaves, row)
        number: Atom = i64(run.caught.class_of(raised))
    else:
        assert isinstance(function, CaughtV) and first is not None
        name, make = text, partial(_of_class, first, parts, names)
        number = run.b.prim("mod", function.atom, i64(DIGIT))
    made = made_number(run.b, make, name, leaves)
    whole = run.b.prim("add", run.b.prim("mul", made, i64(DIGIT)), number)
    return CaughtV(whole) if cls is None else raised_attributes.made_here(cls, whole, row)


def _with_row(make: Callable[..., Exception], leaves: Sequence[object]) -> Exception:
    *others, row = leaves
    assert isinstance(row, int)
    return with_row(make(others), row)


def _of_class(
    cls: Part, parts: tuple[Part, ...], names: tuple[str, ...], leaves: Sequence[object]
) -> Exception:
    """Return an exception of a class that the run knows."""
    found = cls.value(tuple(leaves))
    assert isinstance(found, type)
    return _made(found, names, *(part.value(tuple(leaves)) for part in parts))


def _because(exception: BaseException, cause: BaseException | None) -> BaseException:
    """Return an exception with its cause, as ``raise exception from cause`` has it."""
    exception.__cause__ = cause
    return exception


def _made_of(
    run: Run, node: ast.expr
) -> tuple[type[Exception] | None, Sequence[ast.expr], tuple[str, ...]]:
    """Return the class of an exception (None if it is none), its arguments, and the names of the
    last ones."""
    args: list[ast.expr] = []
    names: list[str] = []
    function = node
    if isinstance(node, ast.Call):
        function, args = node.func, [*node.args, *(k.value for k in node.keywords)]
        names = [k.arg for k in node.keywords if k.arg is not None]
        if len(names) < len(node.keywords) or any(isinstance(a, ast.Starred) for a in args):
            run.refuse(
                node,
                "an exception that is made of *args or **keywords",
                "raise ValueError(first, second): one by one",
            )
    cls = run.evaluate(function)
    return (_exception_class(cls), args, tuple(names))


def _exception_class(value: Value) -> type[Exception] | None:
    match value:
        case Static(type() as cls) if issubclass(cls, Exception):
            return cls
        case _:
            return None


def _fail(
    run: Run, cls: type[Exception], args: Sequence[ast.expr], names: tuple[str, ...],
    cause: ast.expr | None, s: ast.stmt,
) -> None:  # fmt: skip
    """Raise the exception, made of what the run knows."""
    if _on_both_sides(run, cls, args, names, cause, s):
        return
    recorder = Recorder(run, s)
    parts = tuple(_argument(recorder, a) for a in args)
    origin = None if cause is None else _cause(run, recorder, cause)
    name, leaves = raised_by(cls), recorder.leaves
    plain = _plain(parts, args)
    returned_exceptions.require_whole(run, leaves, args, s)
    if origin is None and not names and not leaves and not _has_constructor(cls):
        match parts:
            case ():
                return run.require(boolean(False), name, "", s)
            case (Constant(str(text)),) if text:
                return run.require(boolean(False), name, text, s)
            case _:
                pass
    message = Message(parts, len(leaves), plain, names, origin)
    run.require(boolean(False), name, message, s, *leaves)


def _on_both_sides(
    run: Run, cls: type[Exception], args: Sequence[ast.expr], names: tuple[str, ...],
    cause: ast.expr | None, s: ast.stmt,
) -> bool:  # fmt: skip
    """Raise on both sides of a choice in the arguments, if there is one: of the side that is not
    taken nothing is evaluated."""
    choices = [n for a in args for n in _choices(a)]
    if not 0 < len(choices) <= _MOST_CHOICES:
        return False
    choice = choices[0]
    try:
        cond = run.test_of(choice.test)
    except (PullbackError, NeedStatic):
        return False

    def side(taken: ast.expr) -> tuple[Atom, ...]:
        chosen = [copy.deepcopy(a, {id(choice): taken}) for a in args]
        _fail(run, cls, chosen, names, cause, s)
        return ()

    def block(taken: ast.expr) -> Block:
        return run.block(lambda: side(taken))

    if isinstance(cond, (bool, Lit)):
        side(choice.body if (cond.value if isinstance(cond, Lit) else cond) else choice.orelse)
    else:
        run.b.let(If(cond, block(choice.body), block(choice.orelse)), ())
    return True


def _choices(node: ast.AST) -> Iterator[ast.IfExp]:
    """Iterate over the conditional expressions in an expression, the outermost first."""
    if isinstance(node, ast.IfExp):
        yield node
    if not isinstance(node, (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.DictComp)):
        for part in ast.iter_child_nodes(node):
            yield from _choices(part)


def _argument(recorder: Recorder, node: ast.expr) -> Part:
    """Return the part for an argument of an exception; a text that is known is put together now."""
    part = recorder.expression(node)
    returned_exceptions.require_recorded(recorder.run, part, node)
    if is_source(part):
        return Constant(ast.unparse(node))
    return _folded(part)


def _folded(part: Part) -> Part:
    """Return the part, or its value if that is a known text."""
    if isinstance(part, Applied) and all(isinstance(_folded(p), Constant) for p in part.parts):
        try:
            known = part.value(())
        except Exception:  # Python raises it when the program runs
            return part
        return Constant(known) if isinstance(known, str) else part
    return part


def _plain(parts: Sequence[Part], args: Sequence[ast.expr]) -> str:
    """Return the message if nothing is recorded: unknown values stand as their source text."""
    if not parts:
        return ""
    first, node = parts[0], args[0]
    if isinstance(first, Constant):
        return str(first.known)
    return ast.unparse(node)


def _cause(run: Run, recorder: Recorder, node: ast.expr) -> Part:
    """Return the part for the exception behind ``from``."""
    if isinstance(node, ast.Constant) and node.value is None:
        return Constant(None)
    made = isinstance(node, ast.Call) and not payloads.are_kept(run)
    known = None if made else run.evaluate(node)
    if isinstance(known, Static) and known.value is None:
        return Constant(None)
    if isinstance(known.value if isinstance(known, OptionalV) else known, CaughtV):
        assert known is not None
        part = recorder.value(known)
        assert part is not None
        return part
    cls, args, names = _made_of(run, node)
    if cls is None:
        run.refuse(
            node,
            "the cause of an exception is made where it is raised",
            "raise ValueError('...') from None, or from KeyError('...')",
        )
    return Applied(partial(_made, cls, names), tuple(_argument(recorder, a) for a in args))


def _made(cls: type[Exception], names: tuple[str, ...], *values: object) -> Exception:
    return Message(tuple(map(Constant, values)), 0, "", names).exception(cls, ())


def _has_constructor(cls: type[Exception]) -> bool:
    """Whether the class is made by code of its own, which need not take a text alone."""
    return any(
        name in vars(c)
        for c in cls.__mro__
        if c.__module__ != "builtins"
        for name in ("__init__", "__new__")
    ) or type(cls) is not type


__all__ = ["assert_", "exception", "is_exception", "raise_", "stopped"]
