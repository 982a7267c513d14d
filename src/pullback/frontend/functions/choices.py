"""Functions that are chosen at run time, and change variables around them; classes likewise.

    f = inc if c else dec           f = (CHOICE, 0 if c else 1, inc, dec)
    f(x)                            inc(x) if f's number is 0 else dec(x)

A choice among functions that change nothing is a sum: of each function what it captured
(``ClosureV``). One that changes variables of the frame must be known by these, wherever it goes, so
such a choice keeps all the functions, and says which one it is by a number. A class, too, must be
known where it is called or asked for its attributes, so classes are chosen by number as well.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeGuard

from pullback.core.build import i64
from pullback.core.terms import Atom
from pullback.frontend.functions.captured_variables import FUNCTION, changing
from pullback.frontend.functions.scopes import function_scope
from pullback.frontend.kinds.chosen import CHOICE
from pullback.frontend.kinds.flatten import captures_of, kind_of, parts_of
from pullback.frontend.kinds.function_kinds import is_class, is_function
from pullback.frontend.kinds.kinds import StaticK
from pullback.frontend.kinds.values import (
    CellV,
    ClosureV,
    FunctionV,
    LambdaSetV,
    Static,
    TupleV,
    Value,
    index_scalar,
)

if TYPE_CHECKING:
    from pullback.frontend.python.source import Definition
    from pullback.frontend.run import Run


def is_choice(value: Value) -> TypeGuard[TupleV]:
    """Whether a value is a choice among functions."""
    return (
        isinstance(value, TupleV)
        and len(value.items) > 1
        and isinstance(value.items[0], Static)
        and value.items[0].value is CHOICE
    )


def choice(tag: Value, functions: Sequence[Value]) -> TupleV:
    """The function with this number among these."""
    return TupleV((Static(CHOICE), tag, *functions))


def is_of_classes(value: Value) -> TypeGuard[TupleV]:
    """Whether a value is a class by the run, or perhaps a function or None instead."""
    return is_choice(value) and any(isinstance(f, Static) for f in members(value))


def members(value: Value) -> tuple[Value, ...]:
    """The functions that a value can be."""
    return value.items[2:] if is_choice(value) else (value,)


def definitions(value: Value) -> list[Definition | None]:
    """The definitions of the functions that a value can be; None of what is no function."""
    if isinstance(value, (ClosureV, LambdaSetV)):
        return [k.root.definition for k in value.kinds]
    return [f.definition if isinstance(f, FunctionV) else None for f in members(value)]


def all_of(run: Run, values: Sequence[Value]) -> list[Value] | None:
    """The functions among which values choose, if these must be known: some are classes, or change
    variables of the function being run. (What a recursion gives has no choices in it: its rounds
    join kinds.)"""
    spec = run.frame.spec
    if spec is not None and spec.waits:
        return None
    found: list[Value] = []
    for value in values:
        for f in members(value):
            if not (isinstance(f, Static) or (isinstance(f, FunctionV) and _outlives(run, f))):
                return None
            if not any(_same(f, g) for g in found):
                found.append(f)
    if any(map(_is_class, found)):
        return found if all(map(_is_callable, found)) else None
    if not all(isinstance(f, FunctionV) for f in found):
        return None
    mine = function_scope(run.scope)
    changed = (
        v.home[0] is mine
        for f in found if isinstance(f, FunctionV) for v in changing({FUNCTION: f})
    )  # fmt: skip
    return found if any(changed) else None


def _is_class(value: Value) -> bool:
    """Whether a value is a class that is no conversion: to one of these a call is known as that of
    a function."""
    return isinstance(value, Static) and is_class(kind_of(value))


def _is_callable(value: Value) -> bool:
    """Whether a value may be among classes by the run: a class, a function, or None for none."""
    if isinstance(value, FunctionV) or _is_class(value):
        return True
    return isinstance(value, Static) and (_is_none(value) or is_function(kind_of(value)))


def _outlives(run: Run, f: FunctionV, inside: tuple[FunctionV, ...] = ()) -> bool:
    """Whether a function is made of nothing that only one arm of a branch has. ``inside``: the
    functions that have captured it: one of them may be itself."""
    if any(f is v for v in run.scope.names.values()) or any(_same(f, g) for g in inside):
        return True
    captured = (s.names.get(n) for s, n in captures_of(f) if not s.live)
    around = (*inside, f)
    return all(
        isinstance(v, (CellV, Static)) or (isinstance(v, FunctionV) and _outlives(run, v, around))
        for v in (*parts_of(f), *captured)
    )


def _same(f: Value, g: Value) -> bool:
    if f is g:
        return True
    if isinstance(f, Static) and isinstance(g, Static):
        return f.value is g.value
    alike = isinstance(f, FunctionV) and isinstance(g, FunctionV)
    if not alike:
        return False
    assert isinstance(f, FunctionV) and isinstance(g, FunctionV)
    given = (*f.defaults, *f.kw_defaults, *f.bound, *g.defaults, *g.kw_defaults, *g.bound)
    return f.definition is g.definition and f.scope is g.scope and not given


def tag_of(run: Run, value: Value, functions: Sequence[Value], node: ast.AST) -> Value:
    """The number of a function, or of what a choice is, among these."""
    numbers = [
        next(k for k, g in enumerate(functions) if _same(f, g)) for f in members(value)
    ]
    if not is_choice(value):
        return index_scalar(i64(numbers[0]))
    tag = value.items[1]
    if numbers == list(range(len(numbers))):
        return tag
    made: Value = index_scalar(i64(numbers[-1]))
    for k, number in enumerate(numbers[:-1]):
        test = run.truth(run.compare("==", tag, Static(k), node), node)
        made = run.select(test, index_scalar(i64(number)), made, node)
    return made


def among(run: Run, value: Value, known: Sequence[StaticK], node: ast.AST) -> Value | None:
    """A class, or a choice of classes, as one among these; None if it may be none of them."""
    functions = [Static(k.value) for k in known]
    if not all(any(_same(f, g) for g in functions) for f in members(value)):
        return None
    return choice(tag_of(run, value, functions, node), functions)


def call(run: Run, value: TupleV, one: Callable[[Value], Value], node: ast.AST) -> Value:
    """``one`` of the function that a choice is."""
    tag, *functions = value.items[1:]

    def at(k: int) -> Value:
        if k + 1 == len(functions):
            return one(functions[k])
        test = run.truth(run.compare("==", tag, Static(k), node), node)
        return run.branch(test, lambda: one(functions[k]), partial(at, k + 1), node)

    return at(0)


def of_each_class(
    run: Run, args: Sequence[Value], one: Callable[[list[Value]], Value], node: ast.AST
) -> Value:
    """``one`` of arguments, of each class in the place of a choice."""
    place = next((k for k, v in enumerate(args) if is_of_classes(v)), len(args))
    before, after = args[:place], args[place + 1 :]
    value = args[place] if place < len(args) else None
    if value is None or not is_choice(value):
        return one(list(args))
    return call(run, value, lambda v: one([*before, v, *after]), node)


def truth(run: Run, value: TupleV, node: ast.AST) -> bool | Atom:
    """Whether a choice is no None."""
    found = call(run, value, lambda f: Static(not _is_none(f)), node)
    return run.truth(found, node)


def _is_none(value: Value) -> bool:
    return isinstance(value, Static) and value.value is None


def item(run: Run, items: Sequence[Value], index: Atom, node: ast.AST) -> Value | None:
    """An item of known functions, of which there is one with this number; None if these are no
    functions that change variables."""
    functions = all_of(run, items)
    if functions is None or any(is_choice(v) for v in items):
        return None
    numbers = [tag_of(run, f, functions, node) for f in items]
    listed = run.to_list(TupleV(tuple(numbers)), node)
    return choice(run.element(listed, index, node, True), functions)


__all__ = [
    "all_of", "among", "call", "choice", "definitions", "is_choice", "is_of_classes", "item",
    "members", "of_each_class", "tag_of", "truth",
]  # fmt: skip
