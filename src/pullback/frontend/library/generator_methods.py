"""``next(g)``, and the methods of generators."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pullback.core.build import boolean
from pullback.errors import ArgumentTypeError
from pullback.frontend.functions import iterator_lifetimes
from pullback.frontend.functions.choices import definitions
from pullback.frontend.functions.exits import is_of_library
from pullback.frontend.functions.generator_blocks import RETURNED, RETURNS
from pullback.frontend.functions.stepped_form import CLOSE, DROP, GIVE, GO, returns
from pullback.frontend.interpret import sending
from pullback.frontend.interpret.advancing import advanced
from pullback.frontend.interpret.classes_apart import has_special
from pullback.frontend.interpret.iteration import as_run, is_iterator, placeholder, stepped
from pullback.frontend.interpret.payloads import are_kept
from pullback.frontend.interpret.raising import exception, is_exception, stopped
from pullback.frontend.kinds.values import (
    CaughtV,
    EnumerateV,
    GeneratorV,
    RecordV,
    RefV,
    ReversedV,
    Scalar,
    Specialiser,
    Static,
    Value,
    ZipV,
    method,
    register,
)
from pullback.frontend.library.arguments import MISSING, Args, Kwargs, bind
from pullback.frontend.python import special_methods
from pullback.frontend.run import Run
from pullback.frontend.signals import Unreachable


@method("generator", "close")
def close(sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    run = as_run(sp)
    if args or kwargs:
        sp.refuse(node, "close() takes no arguments", error=ArgumentTypeError)
    iterator_lifetimes.left(run, _advanced(run, receiver, node), CLOSE, node)
    return Static(None)


@method("generator", "send")
def send(sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    run = as_run(sp)
    (given,) = bind(sp, "send", args, kwargs, node, value=MISSING)
    iterator = _advanced(run, receiver, node)
    return _item(run, iterator, sending.sent(run, iterator, given, node), node)


@method("generator", "throw")
def throw(sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    run = as_run(sp)
    assert isinstance(node, ast.Call)
    (given,) = bind(sp, "throw", args, kwargs, node, value=MISSING)
    if is_exception(given):
        given = exception(run, given, ast.copy_location(ast.Call(node.args[0], [], []), node))
    if not isinstance(given, CaughtV) or given.steps:
        run.refuse(node, "what is thrown is no exception", error=ArgumentTypeError)
    iterator = _advanced(run, receiver, node)
    return _item(run, iterator, sending.throw(run, iterator, given, node), node)


def _item(run: Run, iterator: Value, some: Value, node: ast.AST) -> Value:
    """Return the item that an iterator has gone on to, if it has one (``some``)."""
    found = run.truth(some, node)
    return run.branch(
        found, lambda: run.call(iterator, (Static(GIVE),), node),
        lambda: _nothing(run, iterator, None, node), node,
    )  # fmt: skip


def _nothing(run: Run, iterator: Value, default: Value | None, node: ast.AST) -> Value:
    """Return what ``next`` gives of an iterator that has no further item, or raise
    StopIteration."""
    iterator_lifetimes.ran_out(run, iterator, node)

    def returned() -> Value:
        return stopped(run, (run.call(iterator, (Static(RETURNED),), node),), node)

    def bare() -> Value:
        if are_kept(run):
            return stopped(run, (), node)
        run.require(boolean(False), "StopIteration", "", node)
        raise Unreachable

    if default is not None:
        return default
    if is_iterator(iterator) and any(map(returns, sending.steps_of(iterator))):
        told = run.truth(run.call(iterator, (Static(RETURNS),), node), node)
        return run.branch(told, returned, bare, node)
    return bare()


@register(next)
def next_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return next(iterator), or next(iterator, default) where it has no further item: of a
    generator that is made right there its first item."""
    default = args[1] if len(args) == 2 else None
    (values,) = bind(sp, "next", args[:1], kwargs, node, iterator=MISSING)

    def nothing() -> Value:
        return _nothing(as_run(sp), values, default, node)

    ends = False
    if default is None and isinstance(values, GeneratorV) and (
        values.body is not None and returns(values.body.function.definition.node)
    ):
        as_run(sp).generators.advance(values)
        values = advanced(as_run(sp), values, node, known=not values.body.named)
        ends = iterator_lifetimes.is_ending(values)
    if is_iterator(values):
        some = sp.truth(sp.call(values, (Static(GO),), node), node)
        first = sp.branch(some, lambda: sp.call(values, (Static(GIVE),), node), nothing, node)
        if ends:  # nobody else has it
            iterator_lifetimes.left(as_run(sp), values, DROP, node)
        return first
    if isinstance(values, (RecordV, RefV)) and has_special(values, "__next__"):
        if default is None:
            return sp.call(sp.attribute(values, "__next__", node), (), node)
        return special_methods.next_or(as_run(sp), values, default, node)
    if not isinstance(values, (GeneratorV, ZipV, EnumerateV, ReversedV)):
        reason = f"{sp.describe(values)} is no iterator"
        sp.refuse(node, reason, "write next(iter(xs)), or xs[0]", error=ArgumentTypeError)
    if isinstance(values, GeneratorV):
        as_run(sp).generators.advance(values)
    items = sp.iterate(values, node)
    found = stepped(items)
    if found is not None:
        return found[0] if found else nothing()

    def step(state: Sequence[Value], item: Value) -> Sequence[Value]:
        return [Scalar(boolean(True), py=True, bits=1), item]

    none = Scalar(boolean(False), py=True, bits=1)
    init = [none, placeholder(sp, items, node)]
    has, first = sp.fold(items, init, step, node, lambda s: sp.truth(s[0], node))
    return sp.branch(as_run(sp).bool_atom(sp.truth(has, node)), lambda: first, nothing, node)


def _advanced(run: Run, receiver: Value, node: ast.AST) -> Value:
    """Return a generator as an iterator that is advanced from outside."""
    if isinstance(receiver, GeneratorV):
        run.generators.advance(receiver)
        receiver = advanced(run, receiver, node, known=True)
    for definition in definitions(receiver):
        if definition is not None and is_of_library(definition):
            run.refuse(
                node,
                "an iterator that is no generator has no close()",
                "leave it out",
                error=ArgumentTypeError,
            )
    return receiver


__all__ = ["close", "next_", "send", "throw"]
