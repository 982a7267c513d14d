"""Arguments by keyword: ``f(**kw)`` of a dict, also of one of which only the run knows the keys.

    f(a, **kw)      f(a, kw["b"] if "b" in kw else DEFAULT_OF_B)       and nothing else is in kw

A parameter without a default must be in the dict. So the call is compiled once for each function
that is called; only where these are no functions of the program it is compiled with and without
each key.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pullback.core.frozen import dataclass
from pullback.core.terms import Atom
from pullback.errors import ArgumentTypeError
from pullback.frontend.functions import choices, eta
from pullback.frontend.functions.capturing_classes import is_constructor
from pullback.frontend.interpret import calls
from pullback.frontend.kinds.values import (
    ClosureV,
    FunctionV,
    HashV,
    MaybeV,
    RecordV,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import rests
from pullback.frontend.memory import dicts, hash_methods, references
from pullback.frontend.memory.loose_dicts import is_loose
from pullback.frontend.python.annotations import is_record_class
from pullback.frontend.python.container_bases import is_tuple_class
from pullback.frontend.python.object_classes import is_object_class
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_MOST = 4
"""A call of what is no function of the program is compiled with and without so many keys."""


@dataclass(frozen=True, slots=True, eq=False)
class Table(Value):
    """What ``**kw`` gives of a dict whose keys only the run knows; ``node``: where it stands."""

    table: HashV
    node: ast.expr


def spread(run: Run, function: Value, kwargs: dict[str, Value], given: Value, e: ast.expr) -> None:
    """Put what ``**given`` gives among the arguments by keyword."""
    value = opened(run, given, e)
    if isinstance(value, HashV) and _has_texts(value) and "**" not in kwargs:
        kwargs["**"] = Table(value, e)
        return
    loose = is_loose(value) and all(isinstance(n, str) for n in value.fields)
    if not loose and not dicts.has_names(value):
        run.refuse(e, "** in a call needs a dict of names", "name the arguments")
    assert isinstance(value, RecordV)
    for name in value.fields.keys() & kwargs.keys():
        if isinstance(value.fields[name], MaybeV) or isinstance(kwargs[name], MaybeV):
            run.refuse(e, f"{name!r} may be given twice", "name the arguments")
        message = f"{_called(function)} got multiple values for keyword argument {name!r}"
        run.never("TypeError", message, e, ArgumentTypeError)
    kwargs |= value.fields


def _has_texts(table: HashV) -> bool:
    """Whether the keys of a dict are strings, of which there may be any."""
    if not table.elem.items:
        return False
    key = table.elem.items[0]
    return getattr(key, "cls", None) is str


def _called(function: Value) -> str:
    if not isinstance(function, FunctionV):
        return "a function"
    definition = function.definition
    return f"{definition.globals.get('__name__')}.{definition.qualname}()"


def call(
    run: Run, function: Value, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Compile a call some of whose arguments by keyword may not be there."""
    if not any(isinstance(v, (MaybeV, Table)) for v in kwargs.values()):
        return run.call(function, args, node, kwargs)

    def one(f: Value) -> Value:
        return call(run, f, args, kwargs, node)

    match function:
        case FunctionV() if (held := eta.inside(function)) is not None:
            return one(held)
        case FunctionV(definition) if (
            definition.node.args.kwarg is None and not is_constructor(function)
        ):
            return _of_function(run, function, args, kwargs, node)
        case ClosureV():
            return calls.case_closure(run, function, one, node)
        case TupleV() if choices.is_choice(function):
            return choices.call(run, function, one, node)
        case Static(type() as cls) if (found := _parameters(cls)) is not None:
            return _of_class(run, cls, found[len(args) :], args, kwargs, node)
    maybe = {n: v for n, v in kwargs.items() if isinstance(v, (MaybeV, Table))}
    name, value = next(iter(maybe.items()))
    if isinstance(value, Table) or len(maybe) > _MOST or (
        len(maybe) > 1 and isinstance(function, FunctionV)
    ):
        seen = isinstance(function, FunctionV) and not is_constructor(function)
        where = "where their order may be seen" if seen else "in a call of a class or of a library"
        run.refuse(
            node, f"** of a dict whose keys only the run knows, {where}",
            "name the arguments, or call a function of yours that takes these and no others",
        )  # fmt: skip
    there = {n: value.value if n == name else v for n, v in kwargs.items()}
    without = {n: v for n, v in kwargs.items() if n != name}
    return run.branch(
        value.bound, lambda: call(run, function, args, there, node),
        lambda: call(run, function, args, without, node), node,
    )  # fmt: skip


def _of_function(
    run: Run, f: FunctionV, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Compile the call of a function: what is not in the dict has its default."""
    spec = f.definition.node.args
    positional = [p.arg for p in (*spec.posonlyargs, *spec.args)]
    defaults = dict(zip(positional[len(positional) - len(f.defaults) :], f.defaults, strict=True))
    defaults |= dict(f.kw_defaults)
    taken = {*positional[: len(f.bound) + len(args)], *(p.arg for p in spec.posonlyargs)}
    names = [n for n in (*positional, *(p.arg for p in spec.kwonlyargs)) if n not in taken]
    by_place = [n for n in positional if n in taken]
    said = f.definition.qualname, _called(f)
    made, asked = _apart(run, kwargs, names, by_place, said, node)
    for n, (there, value) in asked.items():
        default = defaults.get(n)
        if default is not None and references.is_object(default):
            run.refuse(node, f"the default of {n!r}, which may be given", "name the arguments")
        if n not in names:
            made[n] = value()  # bind says what is wrong
        elif isinstance(there, bool):
            made |= {n: value()} if there else {}
        elif default is not None:
            made[n] = run.branch(there, value, _given(default), node)
        else:
            kind = "keyword-only" if n not in positional else "positional"
            message = f"{f.definition.qualname}() missing 1 required {kind} argument: {n!r}"
            run.require(there, "TypeError", message, node)
            made[n] = value()
    return run.call(f, args, node, made)


_Asked = dict[str, tuple[Atom | bool, Callable[[], Value]]]
"""Arguments by keyword that may not be there: whether they are, and what they are then."""


def _apart(
    run: Run, kwargs: dict[str, Value], names: Sequence[str], by_place: Sequence[str],
    said: tuple[str, str], node: ast.AST,
) -> tuple[dict[str, Value], _Asked]:  # fmt: skip
    """Return the arguments by keyword that are there, and those of parameters with these ``names``
    that may be. ``by_place``: the parameters that have their arguments; ``said``: how the function
    is called in messages."""
    made = {n: v for n, v in kwargs.items() if not isinstance(v, (MaybeV, Table))}
    asked: _Asked = {
        n: (v.bound, _given(v.value)) for n, v in kwargs.items() if isinstance(v, MaybeV)
    }
    found = kwargs.get("**")
    if isinstance(found, Table):
        wanted = TupleV(tuple(Static(n) for n in names if n not in kwargs))
        by_name = TupleV(tuple(Static(n) for n in kwargs if n != "**"))
        there = TupleV(tuple(map(Static, by_place)))
        given = found.table, wanted, by_name, there, *map(Static, said)
        run_program(run, rests.check_keywords, given, found.node)
        for n in (n for n in names if n not in kwargs):
            held = hash_methods.contains(run, found.table, Static(n), found.node)
            asked[n] = run.truth(held, node), _item(run, found, n)
    return made, asked


def _parameters(cls: type) -> list[inspect.Parameter] | None:
    """Return the parameters of a class of the user, each of which may be given by keyword; None if
    that is not so."""
    if not (is_record_class(cls) or is_object_class(cls)) or type(cls) is not type:
        return None
    found = [*inspect.signature(cls).parameters.values()]
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return found if all(p.kind in named for p in found) else None


def _of_class(
    run: Run, cls: type, parameters: Sequence[inspect.Parameter], args: Sequence[Value],
    kwargs: dict[str, Value], node: ast.AST,
) -> Value:  # fmt: skip
    """Compile the call of a class with and without each argument that is optional."""
    maker = f"{cls.__qualname__}.{'__new__' if is_tuple_class(cls) else '__init__'}"
    before = [*inspect.signature(cls).parameters][: len(args)]
    said = maker, f"{cls.__module__}.{maker}()"
    made, asked = _apart(run, kwargs, [p.name for p in parameters], before, said, node)
    required = [p for p in parameters if p.default is p.empty and p.name in asked]
    missing = [p for p in required if p.name not in made]
    if len(asked) - len(required) > _MOST or len(missing) != len(required):
        run.refuse(
            node, f"** of a dict whose keys only the run knows, in a call of {cls.__name__}, which "
            f"has more than {_MOST} defaults",
            "name the arguments",
        )  # fmt: skip
    for p in required:
        there, value = asked.pop(p.name)
        if not isinstance(there, bool) or not there:
            kind = "keyword-only" if p.kind is p.KEYWORD_ONLY else "positional"
            message = f"{maker}() missing 1 required {kind} argument: {p.name!r}"
            run.require(run.bool_atom(there), "TypeError", message, node)
        made[p.name] = value()
    return _with_each(run, Static(cls), args, made, [*asked.items()], node)


def _with_each(
    run: Run, function: Value, args: Sequence[Value], made: dict[str, Value],
    asked: Sequence[tuple[str, tuple[Atom | bool, Callable[[], Value]]]], node: ast.AST,
) -> Value:  # fmt: skip
    if not asked:
        return run.call(function, args, node, made)
    (name, (there, value)), *others = asked
    return run.branch(
        there,
        lambda: _with_each(run, function, args, {**made, name: value()}, others, node),
        lambda: _with_each(run, function, args, made, others, node), node,
    )  # fmt: skip


def check_there(run: Run, kwargs: dict[str, Value], node: ast.AST) -> None:
    """Refuse arguments by keyword that may not be there, in a call of a method of the library."""
    if any(isinstance(v, (MaybeV, Table)) for v in kwargs.values()):
        run.refuse(node, "** of a dict whose keys only the run knows", "name the arguments")


def _given(value: Value) -> Callable[[], Value]:
    return lambda: value


def _item(run: Run, found: Table, name: str) -> Callable[[], Value]:
    return lambda: hash_methods.get_item(run, found.table, Static(name), found.node)


__all__ = ["call", "check_there", "spread"]
