"""Tests of the class of a value: ``isinstance``, ``is None``, and what is known where they hold.

A value of a union is taken apart: in each arm its class is known. A test narrows a *place*: a name,
or a field of a record with a name (``node.left is not None``).
"""

from __future__ import annotations

import ast
import collections.abc
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pullback.core.build import boolean, i64
from pullback.core.frozen import dataclass
from pullback.core.messages import Limit
from pullback.core.terms import Atom, Block, Case, CaseArm, If, Op, Var
from pullback.core.types import Bool, Real
from pullback.errors import ArgumentTypeError
from pullback.frontend.functions.capturing_classes import class_of as class_of_constructor
from pullback.frontend.interpret import made_texts, small_ints
from pullback.frontend.interpret.attributes import entry_of, is_computed
from pullback.frontend.interpret.class_functions import has_entry
from pullback.frontend.interpret.complex_values import class_of_pair
from pullback.frontend.interpret.forks import fork_names, fork_value
from pullback.frontend.interpret.public_classes import within
from pullback.frontend.interpret.shared_objects import for_each_class
from pullback.frontend.interpret.union_variants import unpack, variant_params
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.bare_marks import as_mark
from pullback.frontend.kinds.dtypes import DTYPES
from pullback.frontend.kinds.optionals import class_of
from pullback.frontend.kinds.tagged_tuples import one_of, tagged_place
from pullback.frontend.kinds.values import (
    ArrayV,
    CaughtV,
    HashV,
    ListV,
    OptionalV,
    RangeV,
    RecordV,
    RefV,
    Scalar,
    SliceV,
    SmallV,
    Specialiser,
    Static,
    SymbolV,
    TupleV,
    UnionV,
    Value,
    register,
)
from pullback.frontend.memory.long_tuples import told_apart
from pullback.frontend.python.container_bases import CONTAINERS, order_of
from pullback.frontend.run import Run
from pullback.frontend.signals import Unreachable
from pullback.frontend.state import Flow
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run
    from pullback.frontend.store.protocol import Store

T = TypeVar("T")
MakeOp = Callable[[Sequence[Block]], Op]


def arms_of(
    run: Run, value: UnionV | OptionalV, arm: Callable[[Value], T], node: ast.AST
) -> tuple[list[Callable[[], T]], MakeOp]:
    """Return one arm for each class that the value can have (the result of ``arm`` for it), and the
    operation."""
    if isinstance(value, OptionalV):
        there, inside, other = value.there, value.value, value.other
        both: list[Callable[[], T]] = [lambda: arm(inside), lambda: arm(other)]
        return both, lambda blocks: If(there, blocks[0], blocks[1])
    union = value.union
    params = [variant_params(run, value, tag) for tag in range(len(union.classes))]

    def of_class(cls: type, fields: tuple[Var, ...]) -> T:
        if cls in value.absent:
            name = "None" if cls is types.NoneType else cls.__name__
            message = f"{name} where {run.describe(value)} is declared"
            run.require(boolean(False), Limit("TypeError"), message, node)
            raise Unreachable
        return arm(unpack(run, value, cls, fields))

    def arm_of(cls: type, fields: tuple[Var, ...]) -> Callable[[], T]:
        return lambda: of_class(cls, fields)

    arms = [arm_of(c, p) for c, p in zip(union.classes, params, strict=True)]
    return arms, lambda blocks: Case(value.atom, tuple(map(CaseArm, params, blocks)))


def case_flow(
    run: Run,
    value: UnionV | OptionalV,
    arm: Callable[[Value], Flow],
    live: frozenset[str],
    node: ast.AST,
) -> Flow:
    """Run statements for each class that the value can have."""
    arms, make = arms_of(run, value, arm, node)
    return fork_names(run, arms, make, live, node)


def case_value(
    run: Run, value: UnionV | OptionalV | RefV, arm: Callable[[Value], Value], node: ast.AST
) -> Value:
    """Return the value of an expression that is compiled for each class that the value can have."""
    if isinstance(value, RefV):
        return for_each_class(run, value, lambda v, _: arm(v), node)
    arms, make = arms_of(run, value, arm, node)
    return fork_value(run, arms, make, node)


# --- places ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Refinement:
    """A test that tells something of what stands at a place.

    ``path``: a name, then fields of records; ``told``: what the test says of one of the values that
    it may be; ``one_of``: this value, with what is known of it beside the others."""

    path: tuple[str, ...]
    value: UnionV | OptionalV
    told: Callable[[Value], Value]
    positive: bool
    one_of: Callable[[Value], Value] = lambda v: v


def refinement(run: Run, test: ast.expr) -> Refinement | None:
    """Return the refinement that a test is: ``isinstance(x, C)``, ``x is None``, ``x is not None``,
    ``x is MISSING``, ``x == "+"``, or just ``x`` for a node, where x is a name or a field that may
    be of several classes, or something that stands for none."""

    def of_classes(classes: tuple[type, ...]) -> Callable[[Value], Value]:
        return lambda v: is_instance(run, v, classes, test)

    match test:
        case ast.Call(ast.Name("isinstance"), [ast.expr() as place, classes], []):
            path, value = place_of(run, place)
            if isinstance(value, (UnionV, OptionalV)):
                return Refinement(path, value, of_classes(classes_of(run, classes)), True)
        case ast.Compare(ast.expr() as place, [ast.Is() | ast.IsNot() as op], [
            ast.Constant(None)
        ]):
            path, value = place_of(run, place)
            if isinstance(value, (UnionV, OptionalV)):
                none = of_classes((types.NoneType,))
                return Refinement(path, value, none, isinstance(op, ast.Is))
        case ast.Compare(ast.Subscript() as item, [op], [ast.expr() as to]) if (
            type(op) in _TELLS and all(isinstance(n, _CONSTANT) for n in ast.walk(to))
        ):
            tagged = tagged_place(run, item)
            if tagged is not None:
                name, whole = tagged
                return Refinement(
                    (name,), whole, lambda _: run.evaluate(test), True,
                    lambda v: one_of(run, v, whole, test),
                )  # fmt: skip
        case ast.Compare(ast.expr() as place, [op], [ast.expr() as to]) if type(op) in _SAME:
            path, value = place_of(run, place)
            if isinstance(value, OptionalV) and not _is_optional(value):
                by, positive = _SAME[type(op)]
                known = _known(run, to)
                if known is not None and (by == "is" or made_texts.is_text(known)):
                    held = known
                    return Refinement(
                        path, value, lambda v: run.compare(by, v, held, test), positive
                    )
        case ast.Name() | ast.Attribute():
            path, value = place_of(run, test)
            if isinstance(value, UnionV) and not any(map(_has_truth, value.possible)):
                return Refinement(path, value, of_classes((types.NoneType,)), False)
        case _:
            pass
    return None


_SAME: dict[type[ast.cmpop], tuple[str, bool]] = {
    ast.Is: ("is", True), ast.IsNot: ("is", False), ast.Eq: ("==", True), ast.NotEq: ("==", False),
}  # fmt: skip


_TELLS = ast.Eq, ast.NotEq, ast.In, ast.NotIn
_CONSTANT = ast.Constant, ast.Tuple, ast.List, ast.Set, ast.expr_context


def _is_optional(value: OptionalV) -> bool:
    """Whether a value can only be None beside what it is."""
    return optionals.is_none(value.other) and not isinstance(value.value, OptionalV)


def _known(run: Run, node: ast.expr) -> Static | None:
    """Return what an expression is that only looks up what is known when the program is
    compiled."""
    match node:
        case ast.Constant(str() as text):
            return Static(text)
        case ast.Name(name):
            found = run.scope.names.get(name)
            found = run.lookup(name, node) if found is None else found
        case ast.Attribute(inner, name):
            holder = place_of(run, inner)[1] or _known(run, inner)
            match holder:
                case RecordV(cls) if name not in holder.fields and has_entry(order_of(cls), name):
                    plain = not is_computed(entry_of(cls, name))
                case Static(type() | types.ModuleType()):
                    plain = True
                case _:
                    plain = False
            if not plain:
                return None
            found = run.evaluate(node)
        case _:
            return None
    found = as_mark(run, found)
    return found if isinstance(found, Static) else None


def _has_truth(cls: type) -> bool:
    return cls is not types.NoneType and (hasattr(cls, "__bool__") or hasattr(cls, "__len__"))


def place_of(run: Run, node: ast.expr) -> tuple[tuple[str, ...], Value | None]:
    """Return a name and the fields that an expression consists of, and what stands there."""
    match node:
        case ast.Name(name):
            return (name,), run.scope.names.get(name)
        case ast.Attribute(inner, field):
            path, value = place_of(run, inner)
            if isinstance(value, RecordV):
                return (*path, field), value.fields.get(field)
            return path, None
        case _:
            return (), None


def narrow(run: Run, path: tuple[str, ...], old: Value, value: Value) -> Value | None:
    """Put a value in the place, and give what the name held; None: the place is gone."""
    before = run.scope.names.get(path[0])
    if before is not None:
        changed = _replaced(before, path[1:], old, value)
        if changed is not None:
            run.scope.names[path[0]] = changed
            return before
    return None


def while_narrowed(
    run: Run, path: tuple[str, ...], old: Value, value: Value, body: Callable[[], Flow], s: ast.stmt
) -> Flow:
    """Compile what is run for one of the values that may stand at a place, with this one there."""
    before = narrow(run, path, old, value) if path else None
    narrowed = run.scope.names.get(path[0]) if path else None
    flow = body()
    if before is not None and not _assigns(s, path) and run.scope.names.get(path[0]) is narrowed:
        run.scope.names[path[0]] = before
    return flow


def _replaced(root: Value, fields: tuple[str, ...], old: Value, value: Value) -> Value | None:
    if not fields:
        return value if root is old else None
    if not isinstance(root, RecordV) or fields[0] not in root.fields:
        return None
    inner = _replaced(root.fields[fields[0]], fields[1:], old, value)
    if inner is None:
        return None
    return replace(root, fields={**root.fields, fields[0]: inner})


def by_class(
    run: Run,
    r: Refinement,
    then: Callable[[], Value],
    orelse: Callable[[], Value],
    node: ast.AST,
) -> Value:
    """Compile a conditional expression on a refinement; the place is narrowed inside the arms."""

    def arm(value: Value) -> Value:
        value = r.one_of(value)
        before = narrow(run, r.path, r.value, value)
        narrowed = run.scope.names.get(r.path[0])
        made = choose(run, value, r, then, orelse, node)
        if before is not None and run.scope.names.get(r.path[0]) is narrowed:
            run.scope.names[r.path[0]] = before
        return made

    return case_value(run, r.value, arm, node)


def choose(
    run: Run,
    value: Value,
    r: Refinement,
    then: Callable[[], Value],
    orelse: Callable[[], Value],
    node: ast.AST,
) -> Value:
    """Return one of the two, for one class that the value can have."""
    found = run.truth(r.told(value), node)
    if isinstance(value, OptionalV) and not isinstance(found, bool):
        return by_class(run, replace(r, value=value), then, orelse, node)
    yes, no = (then, orelse) if r.positive else (orelse, then)
    return run.branch(found, yes, no, node)


def branch_by_class(
    run: Run,
    r: Refinement,
    body: Callable[[], Flow],
    orelse: Callable[[], Flow],
    live: frozenset[str],
    node: ast.stmt,
) -> Flow:
    """Compile an ``if`` on a refinement."""

    def arm(value: Value) -> Flow:
        value = r.one_of(value)
        return while_narrowed(run, r.path, r.value, value, lambda: chosen(value), node)

    def chosen(value: Value) -> Flow:
        found = run.truth(r.told(value), node)
        yes, no = (body, orelse) if r.positive else (orelse, body)
        if isinstance(found, bool):
            return yes() if found else no()
        if isinstance(value, OptionalV):
            inner = replace(r, value=value)
            return branch_by_class(run, inner, body, orelse, live, node)
        return fork_names(run, (yes, no), lambda b: If(found, b[0], b[1]), live, node)

    return case_flow(run, r.value, arm, live, node)


def _assigns(s: ast.stmt, path: tuple[str, ...]) -> bool:
    """Whether a statement assigns the place (``if x is None: x = 0.0``): behind it, what is known
    of the place in the other arm stays known."""
    name, to = path[0], ".".join(path)
    return any(
        isinstance(n, (ast.Name, ast.Attribute)) and isinstance(n.ctx, ast.Store)
        and (n.id == name if isinstance(n, ast.Name) else ast.unparse(n) == to)
        for n in ast.walk(s)
    )  # fmt: skip


# --- isinstance -----------------------------------------------------------------------------------


def classes_of(run: Run, node: ast.expr) -> tuple[type, ...]:
    """Return the classes in the second argument of isinstance."""

    match node:
        case ast.BinOp(left, ast.BitOr(), right):
            return (*classes_of(run, left), *classes_of(run, right))
        case ast.Constant(None):
            return (types.NoneType,)
        case _:
            return _classes_in(run, run.evaluate(node), node)


def _classes_in(run: Run, value: Value, node: ast.AST) -> tuple[type, ...]:
    value = class_of_constructor(value)
    match value:
        case Static(type() as cls):
            return (cls,)
        case TupleV(items):
            return tuple(c for v in items for c in _classes_in(run, v, node))
        case Static(types.UnionType() as union):
            return tuple(c for c in union.__args__ if isinstance(c, type))
        case _:
            run.refuse(node, "isinstance needs a class", error=ArgumentTypeError)


def is_instance(run: Run, value: Value, classes: tuple[type, ...], node: ast.AST) -> Value:
    """Return ``isinstance(value, classes)`` as a value."""
    value = opened(run, value, node)
    classes = (*classes, *(c for c in CONTAINERS if run.text_class(c) in classes))
    classes = (*classes, *run.texts_within(classes))
    match value:
        case UnionV():
            tests = [within(run, c, classes, node) for c in value.possible]
            if all(tests) or not any(tests):
                return Static(any(tests))
            return case_value(
                run, value, lambda v: Static(within(run, class_of(v) or object, classes, node)),
                node,
            )  # fmt: skip
        case SmallV():
            return small_ints.is_instance(run, value, classes, node)
        case OptionalV():
            return case_value(run, value, lambda v: is_instance(run, v, classes, node), node)
        case RefV():
            return _reference_instance(run, run.rows, value, classes, node)
        case RecordV(cls):
            return Static(within(run, class_of_pair(value) or cls, classes, node))
        case CaughtV():
            return made_texts.of_python(run, isinstance, (value, Static(classes)), node, bool)
        case Scalar(is_int=is_int) if (
            is_int is not None and issubclass(int, classes) != issubclass(float, classes)
        ):
            asked = is_int if issubclass(int, classes) else run.b.prim("not", is_int)
            return Scalar(asked, True, 1)
        case _:
            told_apart(run, value, classes, node)
            found = builtin_instance(value, classes)
            if isinstance(value, ArrayV) and not found and np.memmap in classes:
                run.refuse(node, "whether an array is memory-mapped", "ask outside; pass a bool")
            return Static(found)


def _reference_instance(
    run: Run, store: Store, ref: RefV, classes: tuple[type, ...], node: ast.AST
) -> Value:
    possible, whole = store.classes(ref), store.group(ref).classes
    tests = [within(run, c, classes, node) for c in possible]
    if all(tests) or not any(tests):
        return Static(any(tests))
    tag = store.tag(ref, node).atom
    found: Atom = boolean(False)
    for cls, one in zip(possible, tests, strict=True):
        if one:
            found = run.b.prim("or", found, run.b.prim("eq", tag, i64(whole.index(cls))))
    return Scalar(found, True, 1)


@register(isinstance)
def _isinstance(
    sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    if len(args) != 2 or kwargs:
        sp.refuse(node, "isinstance takes two arguments", error=ArgumentTypeError)
    assert isinstance(sp, Run)
    if isinstance(node, ast.Call) and isinstance(node.args[1], ast.BinOp):
        return is_instance(sp, args[0], classes_of(sp, node.args[1]), node)
    return is_instance(sp, args[0], _classes_in(sp, args[1], node), node)


@register(issubclass)
def _issubclass(
    sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    if len(args) != 2 or kwargs:
        sp.refuse(node, "issubclass takes two arguments", error=ArgumentTypeError)
    assert isinstance(sp, Run)
    classes = Static(_classes_in(sp, args[1], node))
    return made_texts.of_python(sp, issubclass, (args[0], classes), node, bool)


def builtin_instance(value: Value, classes: tuple[type, ...]) -> bool:
    """Compile ``isinstance`` for values that are not records."""
    match value:
        case Static(v):
            return isinstance(v, classes)
        case Scalar(_, True):
            example: object = 0.5 if isinstance(value.type, Real) else 1
            return isinstance(isinstance(value.type, Bool) or example, classes)
        case Scalar(rank0=False):
            return issubclass(DTYPES[value.type].type, classes)
        case ArrayV() | Scalar():
            return issubclass(np.ndarray, classes)
        case ListV(cls=collections.abc.Sequence):
            return issubclass(list, classes)  # or of a tuple: see told_apart
        case TupleV() | ListV() | HashV():
            return issubclass(value.cls, classes)
        case SymbolV(_, cls):
            return issubclass(cls, classes)
        case RangeV() | SliceV():
            return issubclass(range if isinstance(value, RangeV) else slice, classes)
        case _:
            return object in classes
