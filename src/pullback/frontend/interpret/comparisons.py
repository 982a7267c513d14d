"""``==``, ``<``, ``is``, ``in`` and their likes, on values of any kind."""

from __future__ import annotations

import ast
import dataclasses
import enum
import operator
import types
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pullback.core.build import boolean, i64
from pullback.errors import ArgumentTypeError
from pullback.frontend.functions import choices
from pullback.frontend.functions.capturing_classes import class_of
from pullback.frontend.interpret import (
    complex_values,
    iteration,
    known_calls,
    made_texts,
    objects,
    operator_methods,
    range_items,
    scalars,
    small_ints,
    symbol_values,
)
from pullback.frontend.interpret.classes_apart import SEARCHED, require_items
from pullback.frontend.interpret.equal_references import by_one_function
from pullback.frontend.interpret.function_identity import are_one, is_function
from pullback.frontend.interpret.identities import identical, same_object, same_row
from pullback.frontend.interpret.indices import int_atom
from pullback.frontend.interpret.lexicographic import by_any_items
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.bare_marks import as_mark
from pullback.frontend.kinds.complex_pairs import is_complex
from pullback.frontend.kinds.plain_kinds import may_change
from pullback.frontend.kinds.sum_kinds import is_mark
from pullback.frontend.kinds.values import (
    ArrayV,
    CaughtV,
    EnumerateV,
    GeneratorV,
    HashV,
    ListV,
    OptionalV,
    RangeV,
    RecordV,
    RefV,
    ReversedV,
    Scalar,
    SliceV,
    Static,
    SymbolV,
    TupleV,
    UnionV,
    Value,
    ZipV,
)
from pullback.frontend.library import list_methods
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.numpy import arrays
from pullback.frontend.library.text import counting
from pullback.frontend.memory import chosen_keys, dicts, hash_methods, hash_sets, loose_dicts
from pullback.frontend.memory.dict_views import is_view, seen_by, word_of
from pullback.frontend.memory.hash_tables import is_set
from pullback.frontend.memory.keys_by_methods import own_key
from pullback.frontend.memory.long_tuples import told_apart
from pullback.frontend.memory.made_sets import known_as_table
from pullback.frontend.python import special_methods
from pullback.frontend.python.container_bases import is_tuple_class
from pullback.frontend.python.object_classes import LooseDict, are_dicts, is_object_class
from pullback.frontend.python.objects_outside import fields_of
from pullback.frontend.signals import Unreachable
from pullback.frontend.store import tuple_rows
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def _known(run: Run, op: str, left: Value, right: Value) -> tuple[Value, Value]:
    """Return the values, with classes and marks as what is known of them."""
    left, right = class_of(left), class_of(right)
    if op not in ("==", "!=") or (isinstance(left, RecordV) and isinstance(right, RecordV)):
        return left, right
    return as_mark(run, left), as_mark(run, right)


@by_one_function
def compare(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Compile one comparison: == != < <= > >= is is-not in not-in."""
    left, right = _known(run, op, left, right)
    if op not in ("is", "is not"):
        left, right = small_ints.wide(run, left, node), small_ints.wide(run, right, node)
    match op:
        case "is" | "is not":
            return identical(run, left, right, op == "is", node)
        case "in" if choices.is_choice(left):
            return choices.call(run, left, lambda v: contains(run, v, right, node), node)
        case "in":
            return contains(run, left, right, node)
        case "not in":
            return run.unary("not", compare(run, "in", left, right, node), node)
    if scalars.is_number(left) and scalars.is_number(right):
        return scalars.compare(run, op, left, right, node)
    equality = op in ("==", "!=")
    if isinstance(left, OptionalV) or isinstance(right, OptionalV) or (
        not equality and optionals.meet_nothing(left, right)
    ):
        if op == "!=":
            return run.unary("not", compare(run, "==", left, right, node), node)
        return optionals.compared(run, op, left, right, node, partial(compare, run, op, node=node))
    found = tuple_rows.compared(run, op, left, right, node)
    if found := found or _of_functions(run, op, left, right, node):
        return found
    if is_complex(left) or is_complex(right):
        return complex_values.compare(run, op, left, right, node)
    if isinstance(left, CaughtV) or isinstance(right, CaughtV):
        return made_texts.of_python(run, scalars.FOLD[op], (left, right), node, bool)
    if not equality:
        _require_order(run, op, left, right, node)
    if isinstance(left, SymbolV) or isinstance(right, SymbolV):
        return symbol_values.compare(run, op, left, right, node)
    if isinstance(left, Static) and isinstance(right, Static):
        if _asks_run(left.value) or _asks_run(right.value):
            return made_texts.of_python(run, scalars.FOLD[op], (left, right), node, bool)
        return _compare_static(run, op, left.value, right.value, node)
    left, right = (opened(run, _opened(run, v, node), node) for v in (left, right))
    if (found := operator_methods.comparison(run, op, left, right, node)) is not None:
        return found
    if is_view(left) or is_view(right):
        return _of_views(run, op, left, right, node)
    if isinstance(left, ArrayV) or isinstance(right, ArrayV):
        return arrays.compare(run, op, left, right, node)
    if op in ("==", "!="):
        equal = _equal(run, left, right, node)
        return equal if op == "==" else run.unary("not", equal, node)
    if isinstance(left, HashV) and isinstance(right, HashV):
        return hash_sets.ordered(run, op, left, right, node)
    both = _ordered(run, left, right, node)
    if both is not None:
        return _by_items(run, op, *both, node)
    found = by_any_items(run, op, objects.as_tuple(left), objects.as_tuple(right), node)
    if found is not None:
        return found
    operator_methods.require(run, op, left, right, node)
    run.refuse(
        node,
        f"{op} is not defined for {run.describe(left)} and {run.describe(right)}",
        error=ArgumentTypeError,
    )


def _of_functions(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value | None:
    """Return a comparison of functions; None where an object is asked, or there are none."""
    if op in ("==", "!=") and (is_function(left) or is_function(right)) and not (
        isinstance(left, _ASKED) or isinstance(right, _ASKED)
    ):
        one = are_one(run, left, right, True, node)
        return one if op == "==" else run.unary("not", one, node)
    if choices.is_choice(left) or choices.is_choice(right):
        run.refuse(node, "functions and iterators cannot be compared", error=ArgumentTypeError)
    return None


_ASKED = RecordV, RefV, ArrayV, CaughtV
"""What is asked itself whether it is equal to a function."""


def _require_order(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> None:
    if _have_no_order(left, right):
        said, rewrite = optionals.unordered(op, left, right), "compare with == and !="
        run.never("TypeError", said, node, ArgumentTypeError, rewrite=rewrite)


def _have_no_order(left: Value, right: Value) -> bool:
    """Whether a text, or a member of an enumeration without an order, meets something else, or a
    tuple or list a number of Python's."""
    if optionals.is_sequence_beside_number(left, right):
        return True
    texts = [made_texts.is_text(v) for v in (left, right)]
    words = [t or symbol_values.is_plain(v) for t, v in zip(texts, (left, right), strict=True)]
    if all(words):
        return not all(texts)
    other = right if words[0] else left
    return any(words) and (scalars.is_number(other) or optionals.is_nothing(other))


def _ordered(
    run: Run, a: Value, b: Value, node: ast.AST
) -> tuple[tuple[Value, ...], tuple[Value, ...]] | None:
    """Return the items of two tuples, or of two records with an order, that < compares one by
    one."""
    if (
        isinstance(a, (RecordV, RefV)) and isinstance(b, (RecordV, RefV)) and a.cls is b.cls
        and _has_order(_class_of(run, a))
    ):
        return _compared(run, a, node), _compared(run, b, node)
    x, y = objects.as_tuple(a), objects.as_tuple(b)
    if isinstance(x, TupleV) and isinstance(y, TupleV) and x.is_list == y.is_list:
        return x.items, y.items
    return None


def _has_order(cls: type) -> bool:
    """Whether ``@dataclass(order=True)`` gave the class its order."""
    return "__lt__" in vars(cls) and dataclasses.is_dataclass(cls)


def _class_of(run: Run, value: RecordV | RefV) -> type:
    """Return the class of an object; that of all objects, if it may be of several."""
    classes = [value.cls] if isinstance(value, RecordV) else run.rows.classes(value)
    return classes[0] if len(classes) == 1 else object


def _compared(run: Run, record: RecordV | RefV, node: ast.AST) -> tuple[Value, ...]:
    """Return the fields that comparisons look at."""
    if isinstance(record, RefV):
        shown = dataclasses.fields(_class_of(run, record))
        return tuple(run.attribute(record, f.name, node) for f in shown if f.compare)
    fields = fields_of(run, record, node)
    if not dataclasses.is_dataclass(record.cls):
        return tuple(fields.values())
    return tuple(fields[f.name] for f in dataclasses.fields(record.cls) if f.compare)


def _by_items(
    run: Run, op: str, xs: tuple[Value, ...], ys: tuple[Value, ...], node: ast.AST
) -> Value:
    """Return the order of the first items that differ, or of the lengths."""
    if not xs or not ys:
        return _compare_static(run, op, len(xs), len(ys), node)
    same = run.truth(compare(run, "==", xs[0], ys[0], node), node)

    def rest() -> Value:
        try:
            return _by_items(run, op, xs[1:], ys[1:], node)
        except ArgumentTypeError as e:
            if same is True:
                raise
            # What follows a number that is hardly ever equal need not have an order.
            run.require(boolean(False), "TypeError", e.reason, node)
            raise Unreachable from None

    return run.branch(same, rest, lambda: compare(run, op, xs[0], ys[0], node), node)


def _asks_run(known: object) -> bool:
    return may_change(known) and type(known).__eq__ is not object.__eq__


def _compare_static(run: Run, op: str, a: object, b: object, node: ast.AST) -> Static:
    try:
        return Static(bool(scalars.FOLD[op](a, b)))
    except TypeError as e:
        run.never("TypeError", str(e), node, ArgumentTypeError)
    except ValueError as e:
        run.refuse(node, str(e), error=ArgumentTypeError)


_UNLIKE_OTHERS = (
    int | float | complex | str | bytes | enum.Enum | type | types.FunctionType | types.ModuleType
    | types.BuiltinFunctionType | types.EllipsisType | np.generic | np.dtype | None
)  # fmt: skip
"""Objects that are known, and are equal to no object that only the run knows, but numbers and texts
to their like."""


def _of_views(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Compare views of dicts, of whose keys the order does not matter."""
    words = tuple(word_of(v) if is_view(v) else "" for v in (left, right))
    a, b = (opened(run, seen_by(v), node) for v in (left, right))
    if words == ("items", "items") and op in ("==", "!="):
        return compare(run, op, a, b, node)
    if words == ("keys", "keys") and isinstance(a, RecordV) and isinstance(b, RecordV):
        return Static(scalars.FOLD[op](a.fields.keys(), b.fields.keys()))
    if words in (("keys", "keys"), ("keys", ""), ("", "keys")):
        sets = [known_as_table(run, v, node) for v in (left, right)]
        if all(is_view(v) or (isinstance(v, HashV) and is_set(v)) for v in sets):
            x, y = (hash_sets.as_set(run, v, node) for v in sets)
            return compare(run, op, x, y, node)
    run.refuse(node, "a comparison of a view of a dict", "compare lists: list(d.values()) == ...")


def _opened(run: Run, value: Value, node: ast.AST) -> Value:
    """Return a set that is known as one that the run knows. Other known objects (a deque, a
    fraction) may have an ``__eq__`` that says that they are equal to those of the run."""
    match value:
        case Static(set() | frozenset()):
            return known_as_table(run, value, node)
        case Static(known) if not isinstance(known, _UNLIKE_OTHERS) and not is_mark(known):
            reason = f"a comparison of {run.describe(value)} with what only the run knows"
            run.refuse(node, reason, "pass it as an argument, or compare what is in it")
    return value


def _equal(run: Run, a: Value, b: Value, node: ast.AST) -> Value:
    """Compile ``==`` of tuples and records, item by item; values of different sorts are not
    equal."""
    if isinstance(a, RefV) or isinstance(b, RefV):
        return _equal_objects(run, a, b, node)
    if isinstance(a, RecordV) and isinstance(b, RecordV) and not (
        is_tuple_class(a.cls) and is_tuple_class(b.cls)
    ):
        return _equal_records(run, a, b, node)
    if isinstance(a, HashV) or isinstance(b, HashV):
        return dicts.equal(run, a, b, node)
    a, b = objects.as_tuple(a), objects.as_tuple(b)
    match a, b:
        case TupleV(xs, p), TupleV(ys, q):
            return _all_equal(run, xs, ys, node) if p == q and len(xs) == len(ys) else Static(False)
        case (ListV() | TupleV()), (ListV() | TupleV()):
            told_apart(run, a, (list,), node)
            told_apart(run, b, (list,), node)
            return list_methods.equal(run, a, b, node) if a.cls is b.cls else Static(False)
        case (RangeV(), RangeV()) | (SliceV(), SliceV()):
            return run_program(run, counting.equal_ranges, (a, b), node)
        case (RecordV(), TupleV()) | (TupleV(), RecordV()):
            return Static(False)
        case ((TupleV() | ListV() | RangeV()), v) | (v, (TupleV() | ListV() | RangeV())) if (
            symbol_values.is_pythons_number(v)  # NumPy's goes through the items
        ):
            return Static(False)
        case (Static(known), (Scalar() | TupleV() | ListV() | RecordV())) | (
            (Scalar() | TupleV() | ListV() | RecordV()),
            Static(known),
        ) if known is None or isinstance(known, str) or is_mark(known) or symbol_values.plain(a, b):
            return Static(False)
        case (UnionV(), Static(None)) | (Static(None), UnionV()):
            return identical(run, a, b, True, node)
        case _:
            run.refuse(
                node,
                f"== of {run.describe(a)} and {run.describe(b)} is not supported",
                error=ArgumentTypeError,
            )


def _equal_objects(run: Run, a: Value, b: Value, node: ast.AST) -> Value:
    """Compile ``==`` of shared objects, whose class has no ``__eq__`` that its user wrote."""
    if not isinstance(a, RefV) or not isinstance(b, RefV) or a.cls is not b.cls:
        return Static(False)
    of_a, of_b = {*run.rows.classes(a)}, {*run.rows.classes(b)}
    if not of_a & of_b:
        return Static(False)
    makers = [next(c for c in cls.__mro__ if "__eq__" in vars(c)) for cls in of_a | of_b]
    if all(maker is object for maker in makers):
        return same_row(run, a, b, node)
    if len(makers) > 1:
        run.refuse(node, "== of dataclasses of one of several classes", "compare their fields")
    names = [f.name for f in dataclasses.fields(makers[0]) if f.compare]
    xs, ys = (tuple(run.attribute(v, n, node) for n in names) for v in (a, b))
    return _all_equal(run, xs, ys, node)


def _equal_records(run: Run, a: RecordV, b: RecordV, node: ast.AST) -> Value:
    """Compile ``==`` of records. Dataclasses are equal if they are of one class and their fields
    are equal, dicts if their items are."""
    if a is b:
        return Static(True)
    if LooseDict in (a.cls, b.cls) and are_dicts(a.cls, b.cls):
        loose_dicts.refuse(run, node)
    if a.cls is not b.cls:
        return Static(False)
    if a.cls is dict:
        if a.fields.keys() != b.fields.keys():
            return Static(False)
        ys = tuple(b.fields[n] for n in a.fields)
        return _all_equal(run, tuple(a.fields.values()), ys, node)
    if is_object_class(a.cls) and not dataclasses.is_dataclass(a.cls):
        same = same_object(a, b)
        if same is not None:
            return Static(same)
    if "__eq__" not in vars(a.cls):
        run.refuse(
            node,
            f"{a.cls.__name__} has no __eq__: == compares the identity of objects, which compiled "
            "code does not have",
            "compare the fields, or write __eq__ (leave eq=False away)",
        )
    return _all_equal(run, _compared(run, a, node), _compared(run, b, node), node)


def _all_equal(
    run: Run, xs: tuple[Value, ...], ys: tuple[Value, ...], node: ast.AST
) -> Value:
    result: Value = Static(True)
    for x, y in zip(xs, ys, strict=False):
        both = partial(_equal_items, run, x, y, node)
        result = run.branch(run.truth(result, node), both, partial(Static, False), node)
    return result


def _equal_items(run: Run, x: Value, y: Value, node: ast.AST) -> Value:
    """Compile ``x == y`` of items. Python first asks whether they are one object."""
    same = run.truth(list_methods.items_equal(run, x, y, node), node)
    return Static(same) if isinstance(same, bool) else Scalar(same, True, 1)


def _no_text(name: str) -> str:
    """Return what Python says of an item of another class that is looked for in a text."""
    return f"'in <string>' requires string as left operand, not {name}"


def contains(run: Run, item: Value, items: Value, node: ast.AST) -> Value:
    """Compile ``item in items``."""
    if choices.is_choice(items):
        items = run.to_list(items, node)
    items = opened(run, items, node)
    match item, items:
        case Static(x), Static(y) if known_calls.is_known_in(x, y):
            return Static(operator.contains(y, x))  # type: ignore[arg-type]  # it is one
        case _, Static(bytes()):
            run.refuse(node, "whether bytes have something in them")
    if optionals.may_be_nothing(items):
        apart = optionals.apart(run, items, lambda v: contains(run, item, v, node), node)
        if apart is not None:
            return apart
        items = optionals.present(
            run, items, lambda name: f"argument of type {name!r} is not iterable", node
        )
    require_items(run, items, SEARCHED, "argument of type '{}' is not iterable", node)
    by_method = special_methods.contains(run, item, items, node)
    if by_method is not None:
        return by_method
    if made_texts.is_text(items) and not made_texts.is_text(item):
        if optionals.may_be_nothing(item):
            item = optionals.present(run, item, _no_text, node)
        if not made_texts.is_text(item):
            run.refuse(node, _no_text(optionals.class_name(item)), error=ArgumentTypeError)
    if made_texts.is_text(items):
        parts = made_texts.few_parts(items)
        if isinstance(item, Static) or parts is None:
            return made_texts.of_python(run, operator.contains, (items, item), node, bool)
        items = parts
    if isinstance(items, RecordV) and items.cls is LooseDict:
        return loose_dicts.contains(run, items, item, node)
    if isinstance(items, RecordV) and items.cls is dict:
        if dicts.known_key(item) is None and dicts.is_run_time(item):
            return chosen_keys.contains(run, items.fields, item, node)
        return Static(dicts.key_of(run, item, node) in items.fields)
    if isinstance(items, Static) and isinstance(items.value, (set, frozenset)):
        if isinstance(item, Static):
            return Static(run.static(item, node, "what is looked for") in items.value)
        if not chosen_keys.is_chosen(item):
            own_key(run, item, node)
        return chosen_keys.contains(run, sorted(items.value, key=repr), item, node)
    if isinstance(items, HashV):
        return hash_methods.contains(run, items, item, node)
    if is_view(items) and word_of(items) == "keys":
        return contains(run, item, seen_by(items), node)
    if isinstance(items, RangeV):
        return _in_range(run, item, items, node)
    if isinstance(items, TupleV):
        result: Value = Static(False)
        for candidate in items.items:
            result = _either(run, result, candidate, item, node)
        return result
    found = run.fold(
        run.iterate(items, node),
        [Static(False)],
        lambda state, x: [_either(run, state[0], x, item, node)],
        node,
        (lambda state: run.truth(state[0], node)) if _is_asked(items) else None,
    )
    return found[0]


def _is_asked(items: Value) -> bool:
    """Whether items are made one after the other, up to the one that is looked for."""
    lazy = GeneratorV | ZipV | EnumerateV | ReversedV
    return isinstance(items, lazy) or iteration.is_driven(items)


def _either(run: Run, so_far: Value, x: Value, y: Value, node: ast.AST) -> Value:
    cond = run.truth(so_far, node)
    return run.branch(cond, lambda: Static(True), lambda: _equal_items(run, x, y, node), node)


def _in_range(run: Run, item: Value, items: RangeV, node: ast.AST) -> Value:
    start, count, step = range_items.parts(run, items, node)
    x = int_atom(run, item, node, "a member of a range")
    b = run.b
    offset = b.prim("sub", x, start)
    at = b.prim("floordiv", offset, step)
    inside = b.prim("and", b.prim("ge", at, i64(0)), b.prim("lt", at, count))
    if step != i64(1):
        whole = b.prim("eq", b.prim("mod", offset, step), i64(0))
        inside = b.prim("and", inside, whole)
    return Scalar(inside, True, 1)


__all__ = ["compare", "contains"]
