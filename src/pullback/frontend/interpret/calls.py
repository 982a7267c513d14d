"""Calls: of user functions, of library functions, of classes, of functions chosen at run time."""

from __future__ import annotations

import ast
import enum
import functools
import itertools
import types
import typing
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.core.build import boolean
from pullback.core.terms import Case, CaseArm, Var
from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.frontend.functions import choices, eta, iterator_lifetimes
from pullback.frontend.functions.capturing_classes import is_constructor
from pullback.frontend.interpret import (
    by_reference,
    classes_apart,
    converted_objects,
    known_calls,
    late_items,
    made_texts,
    making,
    objects,
    optional_arguments,
    raised_attributes,
    showing,
    symbol_values,
)
from pullback.frontend.interpret.attributes import has_method, receiver_name
from pullback.frontend.interpret.class_functions import function_in
from pullback.frontend.interpret.forks import fork_value
from pullback.frontend.interpret.given_parameters import bind
from pullback.frontend.interpret.iteration import given_to_view, is_driven, is_iterator, once
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.flatten import rebuild
from pullback.frontend.kinds.kinds import leaf_types
from pullback.frontend.kinds.values import (
    ADVANCED,
    CALLS,
    METHODS,
    ORDERED,
    REGISTRY,
    SEQUENTIAL,
    WRITTEN,
    ArrayV,
    CaughtV,
    ClosureV,
    Driven,
    FunctionV,
    GeneratorV,
    LambdaSetV,
    OperatorV,
    RecordV,
    RefV,
    Static,
    SymbolV,
    TupleV,
    UnionV,
    Unrolled,
    Value,
)
from pullback.frontend.library import text_results
from pullback.frontend.library.numpy import outputs
from pullback.frontend.library.operator_functions import get, is_getter
from pullback.frontend.library.wider_calls import method_of_ufunc, text_for
from pullback.frontend.memory import (
    dict_views,
    hash_methods,
    made_sets,
)
from pullback.frontend.memory.container_objects import contents, is_container
from pullback.frontend.python import records, special_methods
from pullback.frontend.python.container_bases import as_text
from pullback.frontend.python.contexts import generator_of
from pullback.frontend.python.libraries import name_of
from pullback.frontend.python.object_classes import is_object_class
from pullback.frontend.python.python_values import text_of, with_defaults
from pullback.frontend.python.rewrites import refuse_library
from pullback.frontend.python.source import definition_of
from pullback.frontend.python.syntax import is_generator
from pullback.frontend.signals import Unreachable
from pullback.frontend.store.shared_memory import (
    given_memory,
    in_full,
    in_full_each,
    opened,
    takes_arrays,
)

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def call(
    run: Run, function: Value, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Compile ``function(*args, **kwargs)``."""
    match function:
        case FunctionV():
            held = eta.inside(function)
            if held is not None:
                return call(run, held, args, kwargs, node)
            if function.definition.globals.get("__name__") == _HEAPS:
                args = [contents(run, v, node) for v in args]
            if is_constructor(function):
                return making.make_here(run, function, args, kwargs, node)
            made = by_reference.call(run, function, args, kwargs, node)
            if made is not None:
                return made
            bound = bind(run, function, args, kwargs, node)
            if is_generator(function.definition.node):
                run.calls.check_syntax(function.definition)
                driven = Driven(run.within(function), bound)
                return GeneratorV(node, driven, driven)
            return run.calls.call(function, bound, node)
        case TupleV() if choices.is_choice(function):
            return choices.call(run, function, lambda f: call(run, f, args, kwargs, node), node)
        case ClosureV():
            return case_closure(run, function, lambda f: call(run, f, args, kwargs, node), node)
        case LambdaSetV(_, lambdas):
            apply = lambdas.applier(len(args), tuple(kwargs))
            if run.frame.definition is apply:
                return case_closure(
                    run, function, lambda f: _call_member(run, f, args, kwargs, node), node
                )
            return call(run, FunctionV(apply, None), (function, *args), kwargs, node)
        case OperatorV(name):
            if name not in REGISTRY.operators:
                run.refuse(node, f"{name} cannot be used inside compiled code yet")
            args = [in_full(run, v, node) for v in args]
            return REGISTRY.operators[name](run, function, args, kwargs, node)
        case _ if optionals.may_be_nothing(function):
            said = optionals.object_said("is not callable")
            lacks = optionals.lacks("__call__")
            known = optionals.present(run, function, said, node, lacks=lacks)
            return call(run, known, args, kwargs, node)
        case Static() if showing.is_showing(function):
            return showing.show_values(run, function, args, kwargs, node)
        case Static(obj):
            if any(map(choices.is_of_classes, args)) and _looks_at_classes(obj):
                one = functools.partial(call, run, function, kwargs=kwargs, node=node)
                return choices.of_each_class(run, args, one, node)
            return _call_object(run, obj, args, kwargs, node)
        case RefV() if classes_apart.differ(function, run, "__call__"):
            return run.case_value(function, lambda f: call(run, f, args, kwargs, node), node)
        case RefV() if classes_apart.has_special(function, "__call__"):
            return run.call(run.attribute(function, "__call__", node), args, node, kwargs)
        case RecordV(cls) if any("__call__" in vars(c) for c in cls.__mro__):
            return run.call(run.attribute(function, "__call__", node), args, node, kwargs)
        case CaughtV(atom, (*steps, "add_note")):
            return raised_attributes.add_note(run, CaughtV(atom, tuple(steps)), args, node)
        case UnionV() | SymbolV():
            method = run.attribute(function, "__call__", node)
            return call(run, method, args, kwargs, node)
        case _:
            text = "'{}' object is not callable"
            optionals.raise_of_plain(run, function, text, node)
            classes_apart.require(run, function, ("__call__",), text, node)
            run.refuse(
                node, f"{run.describe(function)} cannot be called", error=ArgumentTypeError
            )


def _looks_at_classes(obj: object) -> bool:
    """Whether a function asks something of a class that it is given, and keeps or calls none."""
    return getattr(obj, "__module__", "") == "builtins" and obj not in (map, filter)


def _call_member(
    run: Run, f: FunctionV, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Call one function of a lambda set. Functions of other places may be in it, too: those that do
    not take so many arguments."""
    spec = f.definition.node.args
    most = len(spec.posonlyargs) + len(spec.args) - len(f.bound)
    fits = len(args) <= most or spec.vararg is not None
    if fits and len(args) + len(kwargs) + len(f.defaults) + len(f.kw_defaults) >= most:
        return call(run, f, args, kwargs, node)
    message = f"{f.definition.name}() does not take {len(args)} arguments"
    run.require(boolean(False), "TypeError", message, node)
    raise Unreachable


_UNORDERED = frozenset({sorted, min, max, any, all, sum})
"""The functions to which the order of the items of a set does not matter."""


def _call_handler(
    run: Run, obj: Hashable, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Call a library function by its handler, or by its text over items that come in order."""
    args, kwargs = given_memory(run, obj, args, kwargs, node)
    if optional_arguments.are_apart(obj, args):
        called = functools.partial(_call_object, run, obj, kwargs=kwargs, node=node)
        return optional_arguments.apart(run, obj, args, called, node)
    args = optional_arguments.present(run, obj, args, node)
    if obj in _UNORDERED and not kwargs and (len(args) == 1 or obj is sum):
        args = [made_sets.known_as_table(run, v, node) for v in args]
        args = [hash_methods.unordered(run, v, node) for v in args]
    if obj in _EAGER or getattr(obj, "__module__", "") == "math":
        args = [once(v, run.iterate(v, node), node) if _is_chosen(v) else v for v in args]
    if obj in ADVANCED or obj in (map, zip):
        args = special_methods.gone_through(run, obj, args, node)
    if obj in ADVANCED and obj is not itertools.starmap:
        args = [late_items.in_turn(run, v) for v in args]
    wider = text_for(obj, args, kwargs)
    if wider is not None:
        return text_results.finished(obj, call(run, with_defaults(wider), args, kwargs, node))
    given = (*args, *kwargs.values())
    if obj in SEQUENTIAL and any(map(is_driven, given)):
        return _call_text(run, SEQUENTIAL[obj], args, kwargs, node)
    if obj in ORDERED and any(map(_is_function, given)):
        if node in run.calls.ordered:
            args = [_as_generator(run, v, node) for v in args]
            return _call_text(run, ORDERED[obj], args, kwargs, node)
        run.calls.may_order.add(node)
        with run.sealed():
            if obj in _AHEAD:
                return late_items.begun_late(
                    run,
                    lambda: CALLS[obj](run, args, kwargs, node),
                    lambda made: _advanceable(run, obj, made, args, kwargs, node),
                    node,
                )
            made = CALLS[obj](run, args, kwargs, node)
    else:
        made = CALLS[obj](run, args, kwargs, node)
    for v in args if obj in _EAGER and obj not in (any, all) else ():
        iterator_lifetimes.ran_out(run, v, node)
    return _advanceable(run, obj, made, args, kwargs, node)


def _call_object(
    run: Run, obj: object, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    if known_calls.is_pure(obj, args):
        return known_calls.call(run, obj, args, kwargs, node)
    if isinstance(obj, Hashable) and (obj in WRITTEN or obj in CALLS):
        made = converted_objects.called(run, obj, args, kwargs, node)
        if made is not None:
            return made
        if outputs.has_output(obj, args, kwargs):
            return outputs.called(run, obj, args, kwargs, node)
    if (of_ufunc := method_of_ufunc(obj)) is not None:
        return outputs.method(run, *of_ufunc, args, kwargs, node)
    if isinstance(obj, Hashable) and obj in WRITTEN:
        if takes_arrays(obj):
            args, kwargs = given_memory(run, obj, args, kwargs, node)
        return text_results.finished(obj, call(run, text_of(obj), args, kwargs, node))
    if isinstance(obj, Hashable) and obj in CALLS:
        return _call_handler(run, obj, args, kwargs, node)
    if is_getter(obj):
        return get(run, obj, args, kwargs, node)
    if isinstance(obj, functools._lru_cache_wrapper):
        run.refuse(
            node,
            f"{obj.__name__} keeps its results in a cache, which compiled code does not have: "
            "a recursion that relies on it would take exponentially long",
            "fill a table in a loop (table = np.zeros(n); table[i] = ... table[i - 1] ...), or "
            "leave the decorator away if the function does not call itself more than once",
        )
    if args and is_container(args[0]) and (text := as_text(obj)) is not None:
        method_of = function_in(run, args[0].cls, text, text.__name__, node)
        return call(run, method_of, args, kwargs, node)
    if isinstance(obj, types.BuiltinMethodType) and isinstance(obj.__self__, str):
        return _text(run, obj, args, kwargs, node)
    if isinstance(obj, types.MethodDescriptorType) and obj.__objclass__ in _NEVER_UPDATED and args:
        args = [contents(run, args[0], node), *args[1:]]
        own = run.is_instance(args[0], (obj.__objclass__,), node)
        is_own = isinstance(own, Static) and own.value is True
        if is_own and has_method(args[0], obj.__name__):
            return call_method(run, args[0], obj.__name__, args[1:], kwargs, node)
    if isinstance(obj, enum.Enum):
        method = run.attribute(Static(obj), "__call__", node)
        return call(run, method, args, kwargs, node)
    if isinstance(obj, enum.EnumType) and len(args) == 1 and not kwargs:
        return symbol_values.member_of(run, obj, args[0], node)
    cls = records.plain(obj)
    plain = typing.get_origin(obj) or obj
    if isinstance(plain, type):
        making.check_named(run, plain, node)
    if isinstance(plain, type) and is_object_class(plain):
        return making.make(run, plain, args, kwargs, node)
    if isinstance(cls, type) and records.is_record_class(cls):
        return objects.construct(run, cls, args, kwargs, node, None if cls is obj else obj)
    if generator_of(obj) is not None:
        run.refuse(
            node,
            f"{name_of(obj)}, a generator under contextmanager, is called where its statements "
            "cannot stand around those of a 'with'",
            "call it behind with by a name of the module, with arguments one by one and constant "
            "defaults; or write a class with __enter__ and __exit__",
        )
    making.refuse_class(run, obj, node)
    refuse_library(run, obj, node)


_HEAPS = "pullback.frontend.library.text.heaps"
"""The texts of ``heapq``, which asks no methods of a heap that a class has overridden."""

_NEVER_UPDATED = frozenset({str, int, float, complex, tuple, frozenset})
"""The classes whose methods may be called as functions, of what may have no name: ``str.lower``."""

_EAGER = frozenset({
    list, tuple, set, frozenset, dict, sorted, len, sum, max, min, any, all, functools.reduce
})  # fmt: skip
"""Functions that go through an iterator, and take a tuple for what it is."""


_AHEAD = frozenset({itertools.takewhile, itertools.dropwhile, itertools.accumulate})
"""Functions of which the handlers call what they are given before an item is asked for."""


def _is_chosen(value: Value) -> bool:
    """Whether a value is an iterator that is chosen at run time."""
    return choices.is_choice(value) and is_iterator(value)


def _is_function(value: Value) -> bool:
    """Whether a value is a function that a library function may call."""
    if choices.is_choice(value) or showing.is_showing(value):
        return True
    return isinstance(value, FunctionV) and not is_driven(value)


def _advanceable(
    run: Run, obj: Hashable, made: Value, args: Sequence[Value], kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:  # fmt: skip
    """The result of a library function; if it is an iterator, with the text that gives its items
    one after the other (``advancing``)."""
    if isinstance(made, TupleV) and isinstance(obj, type) and obj.__module__ == "itertools":
        known = Unrolled(made.items)
        made = GeneratorV(node, known) if obj in ADVANCED else once(made, known, node)
    if isinstance(made, GeneratorV) and made.body is None and obj in ADVANCED:
        given = [replace(v) if isinstance(v, GeneratorV) else v for v in args]  # begun by now
        written = _call_text(run, ADVANCED[obj], given, kwargs, node)
        assert isinstance(written, GeneratorV)
        return replace(made, body=written.body)
    return made


def _as_generator(run: Run, value: Value, node: ast.AST) -> Value:
    """Return an argument in a form that a function can be given: an iterator becomes a generator
    over its source."""
    if isinstance(value, GeneratorV) and value.body is None:
        run.kind(value, node)  # refuses it
    parts = given_to_view(value)
    if parts is None:
        return value
    given = [_as_generator(run, v, node) for v in parts]
    return _call_text(run, ORDERED[type(value)], given, {}, node)


def _call_text(
    run: Run, text: object, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Call a library function by its text in Python."""
    assert isinstance(text, types.FunctionType)
    defaults = tuple(map(Static, text.__defaults__ or ()))
    return call(run, FunctionV(definition_of(text), None, defaults), args, kwargs, node)


def _text(
    run: Run,
    method: types.BuiltinMethodType,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:
    """Return a method of a known string. With known arguments, its result is known too."""
    compiled = METHODS.get(("string", method.__name__))
    if compiled is not None and not made_texts.are_known(run, (*args, *kwargs.values())):
        return compiled(run, Static(method.__self__), args, kwargs, node)
    what = f"the argument of str.{method.__name__}"
    given = [run.static(v, node, what) for v in args]
    named = {k: run.static(v, node, what) for k, v in kwargs.items()}
    try:
        result = method(*given, **named)
    except (TypeError, ValueError, IndexError, KeyError) as e:
        run.never(type(e).__name__, str(e), node, ArgumentValueError)
    if isinstance(result, (list, tuple)):
        return TupleV(tuple(map(Static, result)), isinstance(result, list))
    return Static(result)


def call_method(
    run: Run,
    receiver: Value,
    name: str,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:
    """Return a registered method of an array, number, list, ..."""
    of, receiver = receiver, made_sets.known_as_table(run, opened(run, receiver, node), node)
    if isinstance(receiver, ArrayV):
        args, kwargs = in_full_each(run, args, kwargs, node)
    made = METHODS[receiver_name(receiver), name](run, receiver, args, kwargs, node)
    return dict_views.view_of(of, name) if dict_views.is_view(made) else made


def case_closure(
    run: Run, value: ClosureV | LambdaSetV, fn: Callable[[FunctionV], Value], node: ast.AST
) -> Value:
    """Return the result of ``fn`` for the function that ``value`` is at run time."""
    kinds = value.kinds  # a set may grow meanwhile
    params = [tuple(Var("c", u) for u in leaf_types(k)) for k in kinds]
    def arm(tag: int) -> Value:
        f = rebuild(kinds[tag], iter(params[tag]), lambda: (value.owners, False))
        assert isinstance(f, FunctionV)
        return fn(f)

    def nothing() -> Value:
        run.require(boolean(False), "TypeError", "there is no such function", node)
        raise Unreachable

    if not params:  # no function has been put there (yet)
        return nothing()
    arms: list[Callable[[], Value]] = [functools.partial(arm, tag) for tag in range(len(params))]
    if isinstance(value, LambdaSetV) and value.set.blank:
        arms.append(nothing)
        params.append(())
    return fork_value(
        run,
        arms,
        lambda blocks: Case(value.atom, tuple(map(CaseArm, params, blocks))),
        node,
    )
