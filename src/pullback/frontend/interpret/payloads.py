"""What exceptions hold, as values of the program: arithmetic with it, methods and properties.

    raise Bound(x * x)       row = the row of an object of the plain class for Bound, made here
                      ==>    raise Python's object, of which Python knows the row
    e.value * 2.0            value of the object in the row that Python knows of e

An exception that was caught is a number, by which Python knows its object. Where more is needed of
it than Python can do for compiled code, what it was made of also lies in columns (``store``): they
are carried and differentiated as those of all shared objects. Python only tells the row.
"""

from __future__ import annotations

import ast
import dataclasses
import types
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from pullback.core.build import i64
from pullback.core.check import CheckError, check
from pullback.core.held import row_of
from pullback.core.messages import Applied, Message
from pullback.core.terms import Atom, Dialect, Program
from pullback.errors import UnsupportedError
from pullback.frontend.interpret import made_texts
from pullback.frontend.interpret.attributes import entry_of
from pullback.frontend.interpret.messages import Recorder
from pullback.frontend.kinds.kinds import leaf_types
from pullback.frontend.kinds.values import (
    ArrayV,
    CaughtV,
    ListV,
    RecordV,
    RefV,
    Scalar,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.kinds.widening import generalise
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.text.raised import Raised, keep_arguments
from pullback.frontend.python.object_classes import is_written, maker_of
from pullback.frontend.python.raised_classes import plain_class
from pullback.frontend.python.source import definition_of
from pullback.frontend.store.always_set import is_super_init
from pullback.frontend.store.facts import Group, can_be_shared

if TYPE_CHECKING:
    from pullback.frontend.interface import Specialiser
    from pullback.frontend.run import Run


def are_kept(run: Run) -> bool:
    """Whether the program keeps what its exceptions are made of."""
    return run.store is not None and run.store.facts.payloads


def made(
    run: Run, cls: type[Exception], args: Sequence[ast.expr], names: Sequence[str], node: ast.AST
) -> tuple[Atom, dict[str, Value]]:
    """Make the object for an exception; return its row, and its arguments by names that this
    function has until the exception is there."""
    values: list[Value] = []
    for a in args:
        with run.holding(*values):
            values.append(run.evaluate(a))
    count, plain = len(values) - len(names), plain_class(cls)
    hooked = maker_of(plain) or any(is_written(plain, n) for n in ("__setattr__", "__delattr__"))
    if plain is Raised or hooked or not can_be_shared(plain):
        run.refuse(
            node, f"what is in a {cls.__name__}, whose class runs code of its own when it is made",
            "write a class of exceptions with __init__, methods and properties only",
        )  # fmt: skip
    kwargs = dict(zip(names, values[count:], strict=True))
    with run.holding(*values):
        new = run.call(Static(plain), values[:count], node, kwargs)
        assert isinstance(new, RefV)
        if _sets_arguments(plain) is False:
            _keep(run, new, values[:count], node)
    return new.atom, {f".argument.{k}": v for k, v in enumerate(values)}


def _keep(run: Run, new: RefV, args: Sequence[Value], node: ast.AST) -> None:
    group, early = run.rows.group(new), run.rows.facts.early
    whole = Scalar | ArrayV | ((TupleV | RecordV | ListV | RefV) if early else Scalar)
    kept = [k for k, value in enumerate(args) if isinstance(value, whole) or _is_number(value)]
    for k in kept:
        run.rows.write(new, _argument(k), args[k], node)
    if not early:
        return
    mixed = {n for n in group.fields if n.startswith("args[")} - {*map(_argument, kept)}
    types = {_argument(k): leaf_types(generalise(run.kind(args[k], node))) for k in kept}
    mixed |= {name for name, found in types.items() if found != leaf_types(group.fields[name])}
    if not mixed <= group.mixed:
        group.mixed |= mixed
        run.rows.facts.again()


@register(keep_arguments)
def _keep_arguments(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    match args:
        case [RefV() as new, TupleV(items)]:
            _keep(cast("Run", sp), new, items, node)
            return Static(None)
        case _:
            raise AssertionError(args)


def _is_number(value: Value) -> bool:
    return isinstance(value, Static) and type(value.value) in (bool, int, float)


def _argument(k: int) -> str:
    return f"args[{k}]"


def _sets_arguments(plain: type) -> bool | None:
    """Whether ``__init__`` of a class of exceptions sets ``args``, by that of ``Exception`` (else
    they are what the exception was made of); None if that is not known."""
    if plain_class(OSError) in plain.__mro__:  # keeps two of three
        return None
    for cls in plain.__mro__:
        init = vars(cls).get("__init__")
        if cls is Raised:
            break
        if init is None:
            continue
        if not isinstance(init, types.FunctionType):
            return None
        if dataclasses.is_dataclass(cls) and init.__code__.co_filename == "<string>":
            return None if hasattr(cls, "__post_init__") else False
        written = definition_of(init).node
        assert isinstance(written, ast.FunctionDef)
        nodes = list(ast.walk(written))
        names = [n.attr for n in nodes if isinstance(n, ast.Attribute)]
        calls = [s for s in written.body if is_super_init(s)]
        if names.count("__init__") != len(calls) or len(calls) > 1 or "args" in names or (
            calls and any(isinstance(n, ast.Return) for n in nodes)
        ):
            return None
        if not calls:
            return False
    return True


def attribute(run: Run, value: CaughtV, name: str, node: ast.AST) -> Value | None:
    """Return an attribute, method or property of a caught exception; None if Python has it."""
    if hasattr(Exception, name) or name.startswith("__"):
        return None
    group = _group(run)
    if group is None or not (
        name in group.fields or any(entry_of(c, name) is not None for c in group.classes)
    ):
        return None
    lacks = f"object has no attribute {name!r}"
    ref = _reference(run, value, group, lacks, node)
    if name in group.unset and all(entry_of(c, name) is None for c in group.classes):
        run.caught.contexts = True
        _require(run, run.rows.is_set(ref, name, node), value, lacks, node)
        return run.rows.item(ref, name, node)
    return run.shared_attribute(ref, name, node)


def operand(run: Run, value: Value, node: ast.AST) -> Value:
    """Return an operand of arithmetic: an argument of a caught exception as what it is."""
    match value:
        case CaughtV(atom, (*steps, "args", int(k))):
            pass
        case _:
            return value
    group = _group(run)
    if group is None or _argument(k) not in group.fields:
        return value
    if any(_sets_arguments(c) is None for c in group.classes):
        run.refuse(
            node, "'args' of exceptions whose __init__ sets it in a way of its own",
            "keep it under a name of its own: self.value = value, and read e.value",
        )  # fmt: skip
    caught = CaughtV(atom, tuple(steps))
    lacks = f"with no number as {_argument(k)}"
    ref = _reference(run, caught, group, lacks, node, "TypeError")
    if _argument(k) in group.unset:
        held = run.rows.is_set(ref, _argument(k), node)
        _require(run, held, caught, lacks, node, "TypeError")
    return run.rows.item(ref, _argument(k), node)


def argument(run: Run, value: CaughtV, node: ast.AST) -> Value:
    """Return an item of what a caught exception holds: at once as what it is where all exceptions
    have it, of one type, and the program could not be compiled by what Python tells of them."""
    match value.steps:
        case (*_, "args", int(k)):
            group = _group(run)
        case _:
            return value
    if group is None or not run.rows.facts.early or _argument(k) in group.mixed:
        return value
    known = all(_sets_arguments(c) is not None for c in group.classes)
    return operand(run, value, node) if known else value


def row_in_columns(run: Run, row: Atom) -> RefV:
    """Return the reference to the object of an exception with this row."""
    group = _group(run)
    assert group is not None
    return RefV(row, group.reference)


def _group(run: Run) -> Group | None:
    """Return the group of the objects for exceptions, if there are any; else say that they are
    wanted."""
    if are_kept(run):
        return next((g for g in run.rows.facts.groups.values() if issubclass(g.base, Raised)), None)
    run.constructed[Raised] = None
    if run.store is not None:
        run.store.facts.asks = True
    return None


def _reference(
    run: Run, value: CaughtV, group: Group, what: str, node: ast.AST, error: str = "AttributeError"
) -> RefV:  # fmt: skip
    row = made_texts.of_python(run, row_of, (value,), node, int)
    atom = run.scalar(row, node).atom
    _require(run, run.b.prim("ge", atom, i64(0)), value, what, node, error)
    return RefV(atom, group.reference)


def _require(
    run: Run, fine: Atom, value: CaughtV, what: str, node: ast.AST, error: str = "AttributeError"
) -> None:  # fmt: skip
    recorder = Recorder(run, node)
    part = recorder.value(value)
    assert part is not None
    message = Message((Applied(partial(_lacks, what), (part,)),), len(recorder.leaves), what)
    run.require(fine, error, message, node, *recorder.leaves)


def check_columns(program: Program) -> None:
    """Refuse a program in which what exceptions hold is not handed on somewhere: the columns would
    be those before it, and be used after they were updated."""
    try:
        check(program, Dialect.SOURCE)
    except CheckError:
        reason = (
            "what exceptions hold is not known on every way out of a function that is called under "
            "a try"
        )
        rewrite = "catch it in the inner try, or keep what is needed in a variable before the raise"
        raise UnsupportedError(reason, rewrite) from None


def _lacks(what: str, exception: object) -> str:
    return f"{type(exception).__name__!r} {what}"


__all__ = [
    "are_kept", "argument", "attribute", "check_columns", "made", "operand", "row_in_columns",
]  # fmt: skip
