"""Evaluating an expression forward on abstract values."""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.core.build import boolean
from pullback.core.messages import Constant
from pullback.core.terms import Atom, Lit
from pullback.core.trails import is_followed
from pullback.errors import (
    ArgumentTypeError,
    MutationError,
    PullbackError,
    UnknownNameError,
)
from pullback.frontend.functions.generator_forms import NO_VALUE
from pullback.frontend.functions.scopes import chain, outermost
from pullback.frontend.interpret import (
    attribute_updates,
    attributes,
    by_reference,
    calls,
    comprehensions,
    f_strings,
    item_lists,
    iteration,
    keywords,
    late_items,
    narrowing,
    own_keys,
    raising,
    showing,
    small_ints,
    spreading,
    unlike_ranks,
    unset_names,
)
from pullback.frontend.interpret.advancing import of_choice
from pullback.frontend.interpret.recovery import UNKNOWN
from pullback.frontend.interpret.trailing import trailing
from pullback.frontend.kinds.coerce import copied
from pullback.frontend.kinds.complex_pairs import of_complex
from pullback.frontend.kinds.values import (
    UNSET,
    CaughtV,
    CellV,
    FunctionV,
    HashV,
    ListV,
    MaybeV,
    OptionalV,
    PlaceV,
    Scalar,
    SliceV,
    Stale,
    Static,
    TupleV,
    UnionV,
    Value,
)
from pullback.frontend.library.numpy import brackets, ufunc_at
from pullback.frontend.memory import (
    dicts,
    hash_sets,
    holding,
    made_sets,
    ownership,
    places,
    references,
)
from pullback.frontend.memory import nested_updates as nested
from pullback.frontend.memory.long_tuples import as_class
from pullback.frontend.memory.owners import owners_of
from pullback.frontend.python.attempted import Held
from pullback.frontend.python.contexts import OfModule
from pullback.frontend.python.libraries import name_of
from pullback.frontend.python.syntax import (
    BINARY,
    COMPARE,
    UNARY,
    binds_names,
    declared_outside,
    parameters,
)
from pullback.frontend.signals import FollowUp, Unreachable
from pullback.frontend.store import tuple_rows
from pullback.frontend.store.shared_memory import kept, only_reads, opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run

def evaluate(run: Run, node: ast.expr) -> Value:
    """Return the abstract value of an expression; its code is emitted into the current block."""
    value = trailing(run, node, _evaluate) if is_followed() else _evaluate(run, node)
    return kept(run, tuple_rows.opened(run, value, node), node)


def _evaluate(run: Run, node: ast.expr) -> Value:
    match node:
        case ast.Constant(value):
            return _constant(run, value, node)
        case Held(name):
            return CaughtV(run.scalar(lookup(run, name, node), node).atom)
        case OfModule(name=name):
            return _global(run, node.written.globals, name, node)
        case ast.Name(name):
            return lookup(run, name, node)
        case ast.BinOp(left, op, right):
            x = evaluate(run, left)
            with run.holding(x):
                y = evaluate(run, right)
            return run.binop(BINARY[type(op)], x, y, node)
        case ast.UnaryOp(op, operand):
            return run.unary(UNARY[type(op)], evaluate(run, operand), node)
        case ast.BoolOp(op, values):
            return _bool_op(run, isinstance(op, ast.And), values, node)
        case ast.Compare():
            return _comparison(run, node)
        case ast.IfExp(test, body, orelse):
            return conditional(
                run, test, lambda: evaluate(run, body), lambda: evaluate(run, orelse), node
            )
        case ast.Call():
            return tuple_rows.of_call(run, run.generators.born(_call(run, node), node), node)
        case ast.Attribute(value, name):
            made = run.generators.in_a_place(run.attribute(evaluate(run, value), name, node))
            return references.of_method(run, made, node)
        case ast.Subscript(value, index):
            receiver = evaluate(run, value)
            with run.holding(receiver):
                at = evaluate_index(run, index)
            if isinstance(table := opened(run, receiver, node), HashV) and table.cls is defaultdict:
                is_own = own_keys.is_own(node) and table.elem.items
                return (own_keys.read if is_own else nested.read_or_made)(run, node, at)
            return run.generators.in_a_place(run.subscript(receiver, at, node))
        case ast.Tuple(elts) if not any(isinstance(e, ast.Starred) for e in elts):
            return tuple_rows.kept(run, TupleV(_items(run, elts, item)), node)
        case ast.Tuple(elts) | ast.List(elts):
            made = _list(run, elts, node)
            if isinstance(node, ast.List):
                return made
            return tuple_rows.kept(run, as_class(made, tuple), node)
        case ast.Lambda():
            return by_reference.function_value(run, node)
        case ast.Set():
            return made_sets.display(run, node)
        case ast.Dict():
            return dicts.display(run, node)
        case ast.DictComp():
            return dicts.comprehension(run, own_keys.mark(node))
        case ast.SetComp():
            return dicts.set_of(run, own_keys.mark(node))
        case ast.ListComp():
            return comprehensions.list_of(run, own_keys.mark(node))
        case ast.GeneratorExp():
            return run.generators.born(comprehensions.generator(run, own_keys.mark(node)), node)
        case ast.NamedExpr(ast.Attribute() as target, value):  # a variable of an iterator
            run.assign(target, evaluate(run, value), node)
            return evaluate(run, ast.copy_location(ast.Attribute(target.value, target.attr), node))
        case ast.NamedExpr(ast.Name(name), value):
            made = iteration.nameable(run, evaluate(run, value), node.target, node)
            ownership.check_carried(run, name, node)
            held = places.named(run, run.scope, name, made)
            ownership.rebound(run, run.scope, name)
            run.scope.names[name] = held
            return made
        case ast.JoinedStr():
            return f_strings.joined_string(run, node)
        case ast.Slice():
            return evaluate_index(run, node)
        case ast.Yield() | ast.YieldFrom():
            run.refuse(node, *NO_VALUE)
        case _:
            run.refuse(node, f"{type(node).__name__} expressions are not supported")


def _constant(run: Run, value: object, node: ast.expr) -> Value:
    return of_complex(value) if isinstance(value, complex) else Static(value)


_COPIED = "copy it before the update, or read it anew afterwards"
_MADE_ANEW = "make the function anew after the change"
_AGAIN = {"updated since": _COPIED, "replaced since": _COPIED, "moved since": _MADE_ANEW,
          "again since": _MADE_ANEW}  # fmt: skip
"""What is said to a name that may not be used, by the end of the reason."""


def lookup(run: Run, name: str, node: ast.AST) -> Value:
    """Return the value of a name: of this function, of those around it, global, built in."""
    for scope in chain(run.scope):
        found = scope.names.get(name)
        if isinstance(found, CellV):
            found = found.value
        if (found is UNSET or isinstance(found, MaybeV)) and unset_names.set_by_another(run, name):
            found = found.value if isinstance(found, MaybeV) else found
            if found is UNSET:
                raise Unreachable
        if found is UNSET:
            return unset_names.checked(run, MaybeV(boolean(False), found), name, scope.live, node)
        if isinstance(found, MaybeV):
            return unset_names.checked(run, found, name, scope.live, node)
        if isinstance(found, Stale):
            again = _AGAIN.get(" ".join(found.reason.split()[-2:]), "")
            error: type[PullbackError] = MutationError if again is _COPIED else UnknownNameError
            run.refuse(node, found.reason, again, FollowUp if found.reason == UNKNOWN else error)
        if isinstance(found, PlaceV):
            return places.current(run, found, node)
        if found is not None:
            places.note_root(run, scope, name, found)
            return found
        if name in scope.locals:
            here = run.frame.definition
            refused = here is not None and name in declared_outside(here.node)
            run.refuse(
                node,
                f"{name!r} may have no value here",
                "give it a value on every path before",
                error=FollowUp if refused else UnknownNameError,
            )
    cells = outermost(run.scope)
    if cells is not None:
        value = run.cell(cells, name, node)
        if value is not None:
            return value
    definition = run.frame.definition
    return _global(run, definition.globals if definition is not None else {}, name, node)


def _global(run: Run, names: dict[str, object], name: str, node: ast.AST) -> Value:
    """Return what a name means in a module."""
    if name in names:
        return run.global_value(names, name, node)
    if hasattr(builtins, name):
        return run.builtin(names, name)
    if not name.isidentifier():  # of an object without a name (``memory.references``)
        run.refuse(
            node, "a function returns a method of an object that it has made",
            "return a function that uses it: return lambda v: items.append(v)",
        )  # fmt: skip
    run.refuse(node, f"the name {name!r} is not defined", error=UnknownNameError)


def item(run: Run, node: ast.expr) -> Value:
    """What a display or a comprehension puts into a tuple or list."""
    return iteration.nameable(run, evaluate(run, node), (node,), node)


def _items(
    run: Run, elts: Sequence[ast.expr], one: Callable[[Run, ast.expr], Value] = evaluate
) -> tuple[Value, ...]:
    items: list[Value] = []
    for e in elts:
        with run.holding(*items):
            value = one(run, e.value if isinstance(e, ast.Starred) else e)
        items += spreading.spread(run, value, e) if isinstance(e, ast.Starred) else (value,)
    return tuple(items)


def _list(run: Run, elts: Sequence[ast.expr], node: ast.expr) -> Value:
    """Return the list of a display; ``[*xs, y]`` with lists of unknown length is ``xs + [y]``."""
    pieces: list[Value] = []
    for e in elts:
        with run.holding(*pieces):
            value = item(run, e.value if isinstance(e, ast.Starred) else e)
        known: tuple[Value, ...] | None = (value,)
        if isinstance(e, ast.Starred):
            items = run.iterate(value, e)
            known = iteration.known(items)
            if known is None and iteration.is_driven(value):
                pieces.append(iteration.collect(run, items, e))
                continue
        if known is None:
            pieces.append(run.to_list(value, e))
        elif pieces and isinstance(pieces[-1], TupleV):
            pieces[-1] = TupleV((*pieces[-1].items, *known), is_list=True)
        else:
            pieces.append(TupleV(known, is_list=True))
    if not pieces:
        return TupleV((), is_list=True)
    if len(pieces) == 1 and isinstance(pieces[0], ListV):  # [*xs]: a new list
        return copied(run, pieces[0])
    joined = pieces[0]
    for piece in pieces[1:]:
        joined = run.binop("+", joined, piece, node)
    return joined


def evaluate_index(run: Run, node: ast.expr) -> Value:
    """Return the value between the brackets of a subscript."""
    match node:
        case ast.Slice(lower, upper, step):
            return SliceV(*(brackets.bound(run, e) for e in (lower, upper, step)))
        case ast.Tuple(elts):
            return TupleV(_items(run, elts, evaluate_index))
        case _:
            value = brackets.spread(run, opened(run, evaluate(run, node), node), node)
            return small_ints.wide(run, value, node)


def _bool_op(
    run: Run, is_and: bool, values: Sequence[ast.expr], node: ast.expr, test: bool = False
) -> Value:
    """Compile ``and`` and ``or``; as a ``test`` only the truth of the operands matters, not their
    types."""
    first = values[0]
    if len(values) == 1:
        return _truth_value(run, test_of(run, first)) if test else evaluate(run, first)

    def rest() -> Value:
        return _bool_op(run, is_and, values[1:], node, test)

    if narrowing.refinement(run, first) is not None:
        if is_and:
            return conditional(run, first, rest, lambda: Static(False), node)
        return conditional(run, first, lambda: Static(True), rest, node)
    left = _truth_value(run, test_of(run, first)) if test else evaluate(run, first)
    cond = run.truth(left, first)
    if isinstance(left, Static):
        return rest() if bool(cond) is is_and else left
    if is_and:
        return run.branch(cond, rest, lambda: left, node)
    return run.branch(cond, lambda: left, rest, node)


def _comparison(run: Run, node: ast.Compare) -> Value:
    def chained(left: Value, k: int) -> Value:
        with run.holding(left):
            right = evaluate(run, node.comparators[k])
        result = run.compare(COMPARE[type(node.ops[k])], left, right, node)
        if k + 1 == len(node.ops):
            return result
        cond = run.truth(result, node)
        return run.branch(cond, lambda: chained(right, k + 1), lambda: result, node)

    return chained(evaluate(run, node.left), 0)


def test_of(run: Run, node: ast.expr) -> bool | Atom:
    """Return the truth of a condition."""
    match node:
        case ast.BoolOp(op, values):
            return run.truth(_bool_op(run, isinstance(op, ast.And), values, node, True), node)
        case ast.UnaryOp(ast.Not(), inner):
            found = test_of(run, inner)
            return (not found) if isinstance(found, bool) else run.b.prim("not", found)
        case _:
            pass
    return run.truth(evaluate(run, node), node)


def _truth_value(run: Run, truth: bool | Atom) -> Value:
    return Static(truth) if isinstance(truth, bool) else Scalar(truth, py=True, bits=1)


def conditional(
    run: Run,
    test: ast.expr,
    then: Callable[[], Value],
    orelse: Callable[[], Value],
    node: ast.AST,
) -> Value:
    """Compile ``then if test else orelse``; a test of a node's class makes it known in the arms."""
    def narrows(e: ast.expr) -> bool:
        return narrowing.refinement(run, e) is not None

    match test:
        case ast.UnaryOp(ast.Not(), inner) if narrows(inner):
            return conditional(run, inner, orelse, then, node)
        case ast.BoolOp(ast.And(), [first, *others]) if narrows(first) or binds_names(others):
            rest = others[0] if len(others) == 1 else ast.BoolOp(ast.And(), others)
            ast.copy_location(rest, test)
            return conditional(
                run, first, lambda: conditional(run, rest, then, orelse, node), orelse, node
            )
        case _:
            refined = narrowing.refinement(run, test)
            if refined is not None:
                return narrowing.by_class(run, refined, then, orelse, node)
            truth = test_of(run, test)
            if isinstance(truth, (bool, Lit)):
                return run.branch(truth, then, orelse, node)
            return run.branch(
                truth,
                lambda: of_choice(run, then(), node),
                lambda: of_choice(run, orelse(), node),
                node,
            )


def _call(run: Run, node: ast.Call) -> Value:
    own_keys.mark(node)
    receiver: Value | None = None
    if stream := showing.stream_method(run, node.func):
        return showing.show(run, stream, ast.unparse(node.func), node)
    if done := attribute_updates.updated(run, node):
        return done
    match node.func:
        case ast.Attribute(value, name):
            receiver = evaluate(run, value)
            done = attribute_updates.of_super(run, receiver, name, node)
            if done := done or unlike_ranks.method(run, receiver, name, node):
                return done
            if isinstance(receiver, OptionalV):
                receiver = attributes.present(run, receiver, name, node)
            contents = hash_sets.of_method(run, opened(run, receiver, node), name, node)
            if holding.is_update(contents, name):
                return _list_update(run, value, contents, name, node)
            if not attributes.has_method(contents, name):
                function = run.attribute(receiver, name, node.func)
                receiver = None
        case _:
            function = evaluate(run, node.func)
    if receiver is None and isinstance(function, Static) and showing.is_showing(function):
        other = showing.instead(run, function, node)
        if other is None:
            return showing.show(run, Constant(function.value), name_of(function.value), node)
        if other is not node:
            return evaluate(run, other)
    if receiver is None and raising.is_exception(function):
        return raising.exception(run, function, node)
    if receiver is None and (by := ufunc_at.operator_of(function)):
        return ufunc_at.update(run, by, node.args, node)
    if receiver is None and (set_ := attribute_updates.call(run, function, node)):
        return set_
    held = () if receiver is None else (receiver,)
    kwargs: dict[str, Value] = {}
    with run.holding(*held):
        if receiver is None:
            function, args, kwargs = _function_and_arguments(run, function, node)
            function = _received(run, iteration.called(run, function, node), node)
        else:
            args = _items(run, node.args)
    is_made = receiver is None and function is spreading.ITSELF
    for k in () if is_made else node.keywords:
        with run.holding(*held, *args, *kwargs.values()):
            given = item_lists.evaluated(run, function if receiver is None else None, k)
        if k.arg is not None:
            kwargs[k.arg] = given
        else:
            keywords.spread(run, receiver or function, kwargs, given, k.value)
    if receiver is not None:
        keywords.check_there(run, kwargs, node)
        made = calls.call_method(run, receiver, name, args, kwargs, node)
        return run.generators.in_a_place(made)
    return keywords.call(run, function, args, kwargs, node)


def _received(run: Run, function: Value, node: ast.AST) -> Value:
    """A method with its object as it is after the arguments, which may have updated it."""
    if isinstance(function, FunctionV) and function.bound:
        receiver, *others = function.bound
        now = places.renewed(run, receiver, node)
        if now is not receiver and owners_of(now) == owners_of(receiver):
            return replace(function, bound=(now, *others))
    return function


def _function_and_arguments(
    run: Run, function: Value, node: ast.Call
) -> tuple[Value, Sequence[Value], dict[str, Value]]:
    """Return the function that is called, and its positional arguments (``spreading``)."""
    if only_reads(function):
        run.reads.add(node)
    values: list[Value] = []
    for a in node.args:
        with run.holding(*values):
            given = evaluate(run, a.value if isinstance(a, ast.Starred) else a)
        if isinstance(a, ast.Starred) and late_items.are_late(run, given):
            given = TupleV(spreading.spread(run, given, a))
        values.append(given)
    if [*map(type, node.args)] == [ast.Starred]:
        values = [iteration.listed(run, values[0], node)]
    return spreading.called(run, function, values, node)


def _list_update(run: Run, receiver: ast.expr, value: Value, name: str, node: ast.Call) -> Value:
    base, steps = nested.target_of(run, receiver, value)
    args = _items(run, node.args)
    kwargs: dict[str, Value] = {}
    for k in node.keywords:
        if k.arg is None:
            run.refuse(node, f"** in .{name}(...) is not supported", error=ArgumentTypeError)
        kwargs[k.arg] = evaluate(run, k.value)
    return by_reference.update(run, base, steps, name, args, kwargs, node)


__all__ = ["Scalar", "UnionV", "evaluate", "lookup", "parameters"]
