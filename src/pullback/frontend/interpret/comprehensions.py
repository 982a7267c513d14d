"""List comprehensions and generator expressions as items.

Their items are asked for by number, in any order, so most become parallel loops. One that changes
variables around it (``:=``, ``out.append(x)``, a function that counts its calls) has an order: it
is a generator, as in Python, whose function rebinds these (``generator_forms``). Whether a call
changes something shows when it is run; then what it stands in is run anew.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from pullback.core.build import Builder, i64
from pullback.core.terms import Atom
from pullback.frontend.functions.generator_forms import (
    EXPRESSION,
    FIRST,
    LISTED,
    expression_function,
)
from pullback.frontend.functions.scopes import Scope
from pullback.frontend.interpret import iteration, unrolling
from pullback.frontend.kinds.values import (
    Driven,
    EnumerateV,
    FunctionV,
    GeneratorV,
    Indexed,
    Items,
    Late,
    ReversedV,
    Scalar,
    TupleV,
    Unrolled,
    Value,
    ZipV,
)
from pullback.frontend.memory import made_sets
from pullback.frontend.python.source import definition_inside
from pullback.frontend.python.syntax import Comprehension, binds_names
from pullback.frontend.signals import Anew, NotCarriedError

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_MAX_UNROLLED = 256


def list_of(run: Run, node: ast.ListComp) -> Value:
    """Return a list: of known length when what it runs over is."""
    items = put_in(run, node, node.elt)
    if isinstance(items, Unrolled):
        return TupleV(items.items, is_list=True)
    made = iteration.collect(run, items, node)
    if made.length == i64(0):  # every item raises, or calls what has no result so far
        return TupleV((), is_list=True)
    return made


def put_in(run: Run, node: ast.ListComp | ast.SetComp | ast.DictComp, elt: ast.expr) -> Items:
    """Return the items that a comprehension puts into a list, set or dict."""
    if _has_order(run, node):
        return expression(run, node.generators, elt, None, LISTED)
    return items_of(run, node.generators, elt, node)


def generator(run: Run, node: ast.GeneratorExp) -> GeneratorV:
    """Return the generator of a generator expression; its items are evaluated where it is
    consumed."""
    source = made_sets.gone_through(run, node.generators[0].iter)
    if _has_order(run, node) and isinstance(source, (ZipV, EnumerateV, ReversedV)):
        return GeneratorV(node, expression(run, node.generators, node.elt))  # used at once only
    body = expression(run, node.generators, node.elt, source)
    if iteration.is_driven(source) or _has_order(run, node):
        return GeneratorV(node, body, body)
    frame, outer = run.frame, run.scope

    @cache
    def items() -> Items:
        before, frame.scope = frame.scope, outer
        try:
            return items_over(run, source, node.generators, node.elt, node)
        finally:
            frame.scope = before

    return GeneratorV(node, items, body)


def _has_order(run: Run, node: Comprehension) -> bool:
    """Whether a comprehension changes variables around it, as far as is known."""
    return binds_names([node]) or node in run.calls.ordered


def items_of(
    run: Run, generators: Sequence[ast.comprehension], elt: ast.expr, node: ast.expr
) -> Items:
    """Return the items of ``elt for generators...`` in the scope of now; the first iterable is
    evaluated at once, as in Python, everything else when an item is asked for."""
    source = made_sets.gone_through(run, generators[0].iter)
    return items_over(run, source, generators, elt, node)


def items_over(
    run: Run,
    over: Value,
    generators: Sequence[ast.comprehension],
    elt: ast.expr,
    node: ast.expr,
) -> Items:
    """Return the same over this value."""

    first = generators[0]
    if first.is_async:
        run.refuse(node, "async code cannot be compiled")
    outer = run.scope
    items = unrolling.unrolled(run, over, first) or run.iterate(over, first.iter)
    if isinstance(items, Driven):
        name = EXPRESSION if isinstance(node, ast.GeneratorExp) else LISTED
        return expression(run, generators, elt, GeneratorV(node, items, items), name)
    rest = generators[1:]

    def inside(item: Value, then: Callable[[], Value]) -> Value:
        candidate = unrolling.may_unroll(run, over, first.target, first)
        with _with_item(run, outer, first, item, node), candidate:
            return then()

    if isinstance(items, Indexed) and (items.keep is not None or items.nested is not None):
        items = run.iterate(iteration.collect(run, items, node), first.iter)
    if isinstance(items, Unrolled):
        few = len(items.each) <= _MAX_UNROLLED
        if few and isinstance(node, ast.GeneratorExp) and not rest:
            late = _late(run, items.each, first, elt, outer, node)
            if late is not None:
                return late
        if few:
            with run.scratch() as scratch:
                known = _unrolled(run, items, first, rest, elt, outer, node)
            if known is not None:
                run.b.extend(scratch.block())
                return known
        made = run.to_list(TupleV(items.items), node)
        items = run.iterate(made, node)
    assert isinstance(items, Indexed)
    source = items

    def at(i: Atom) -> Value:
        return inside(source.at(i), lambda: run.evaluate(elt))

    def keep(i: Atom) -> Atom:
        def cond() -> Value:
            return run.evaluate(_conjunction(first.ifs))

        test = inside(source.at(i), lambda: Scalar(_test(run, cond(), node), True))
        assert isinstance(test, Scalar)
        return test.atom

    def nested(i: Atom) -> Items:
        with _with_item(run, outer, first, source.at(i), node):
            return items_of(run, rest, elt, node)

    return Indexed(source.length, at, keep if first.ifs else None, nested if rest else None)


def _test(run: Run, value: Value, node: ast.AST) -> Atom:
    return run.bool_atom(run.truth(value, node))


def _conjunction(ifs: Sequence[ast.expr]) -> ast.expr:
    if len(ifs) == 1:
        return ifs[0]
    return ast.copy_location(ast.BoolOp(ast.And(), list(ifs)), ifs[0])


@contextmanager
def _with_item(
    run: Run, outer: Scope, generator: ast.comprehension, item: Value, node: ast.AST
) -> Iterator[None]:
    """Evaluate in a fresh scope for the variables of a comprehension, inside the scope in which it
    was written, with the target bound to an item. If that changes a variable, or calls
    Python, the function begins anew, and the comprehension is known to do so."""

    frame, before = run.frame, run.scope
    frame.scope = Scope({}, outer, is_generator=isinstance(node, ast.GeneratorExp))
    in_order, shown = node in run.calls.ordered, run.calls.shown
    may_order = isinstance(node, Comprehension)
    try:
        run.assign(generator.target, item, generator.target)
        yield
    except NotCarriedError as change:
        if in_order or not may_order:
            raise
        run.calls.ordered.add(node)
        raise Anew from change
    else:
        if may_order and not in_order and run.calls.shown > shown:
            run.calls.ordered.add(node)
            raise Anew
    finally:
        frame.scope = before


def _late(
    run: Run,
    each: tuple[Value, ...] | Late,
    first: ast.comprehension,
    elt: ast.expr,
    outer: Scope,
    node: ast.expr,
) -> Unrolled | None:
    """Return the items that a generator expression makes one after the other; None if its ``if``
    must run, too."""
    kept = list(range(len(each)))
    if first.ifs:
        tests: list[object] = []
        with run.building(Builder()) as b:
            run.arms[b] = node  # dropped
            for item in each:
                with _with_item(run, outer, first, item, node):
                    tests.append(run.truth(run.evaluate(_conjunction(first.ifs)), node))
        if b.lets or not all(isinstance(t, bool) for t in tests):
            return None
        kept = [k for k in kept if tests[k]]

    def at(k: int) -> Value:
        with _with_item(run, outer, first, each[kept[k]], node):
            made = iteration.nameable(run, run.evaluate(elt), (elt, k), elt)
            if len(each) > 1:
                run.check_captured_in_loop(made, node)
            return made

    return Unrolled(Late(len(kept), at))


def _unrolled(
    run: Run,
    items: Unrolled,
    first: ast.comprehension,
    rest: Sequence[ast.comprehension],
    elt: ast.expr,
    outer: Scope,
    node: ast.expr,
) -> Unrolled | None:
    """Return all items one by one; None if how many there are depends on data."""

    values: list[Value] = []
    for item in items.items:
        with _with_item(run, outer, first, item, node):
            if first.ifs:
                test = run.truth(run.evaluate(_conjunction(first.ifs)), node)
                if not isinstance(test, bool):
                    return None
                if not test:
                    continue
            if rest:
                inner = items_of(run, rest, elt, node)
                if not isinstance(inner, Unrolled):
                    return None
                values += inner.items
            else:
                made = run.evaluate(elt)
                values.append(iteration.nameable(run, made, (elt, len(values)), elt))
                if len(items.items) > 1:
                    run.check_captured_in_loop(values[-1], node)
    return Unrolled(tuple(values))


def expression(
    run: Run, parts: Sequence[ast.comprehension], elt: ast.expr, first: Value | None = None,
    name: str = EXPRESSION,
) -> Driven:  # fmt: skip
    """Return the function of a generator expression over what its first ``for`` runs over, which is
    evaluated inside if it is not given."""
    outer = run.frame.definition
    assert outer is not None
    function = expression_function(parts[0], tuple(parts[1:]), elt, first is None, name)
    f = FunctionV(definition_inside(function, outer), run.scope)
    return Driven(run.within(f), {} if first is None else {FIRST: first})
