"""Python's operators on values of any kind."""

from __future__ import annotations

import ast
import enum
import types
from typing import TYPE_CHECKING

from pullback.core.build import i64
from pullback.core.terms import Atom
from pullback.core.types import Real
from pullback.errors import ArgumentTypeError
from pullback.frontend.functions import choices
from pullback.frontend.interpret import (
    classes_apart,
    complex_values,
    known_calls,
    made_texts,
    operator_methods,
    payloads,
    scalars,
    small_ints,
    symbol_values,
)
from pullback.frontend.interpret.indices import int_atom
from pullback.frontend.interpret.objects import as_tuple
from pullback.frontend.interpret.operator_methods import METHODS
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.complex_pairs import is_complex
from pullback.frontend.kinds.values import (
    ArrayV,
    HashV,
    ListV,
    RecordV,
    RefV,
    Scalar,
    SmallV,
    Static,
    SymbolV,
    TupleV,
    UnionV,
    Value,
)
from pullback.frontend.library.numpy import arrays, products
from pullback.frontend.memory import dicts, hash_sets, made_sets
from pullback.frontend.memory.dict_views import is_view
from pullback.frontend.memory.long_tuples import as_class, told_apart
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run

def binop(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Compile ``left op right``."""
    if scalars.is_number(left) and scalars.is_number(right):
        return scalars.binop(run, op, left, right, node)
    if isinstance(left, SmallV) or isinstance(right, SmallV):
        return small_ints.binop(run, op, left, right, node)
    if choices.is_choice(left):
        return choices.call(run, left, lambda f: binop(run, op, f, right, node), node)
    if choices.is_choice(right):
        return choices.call(run, right, lambda f: binop(run, op, left, f, node), node)
    if optionals.meet_nothing(left, right):
        return _of_optional(run, op, left, right, node)
    x, y = payloads.operand(run, left, node), payloads.operand(run, right, node)
    if x is not left or y is not right:
        return binop(run, op, x, y, node)
    _require_operator(run, op, left, right, node)
    made = complex_values.binop(run, op, left, right, node)
    if made := made or made_texts.operation(run, op, left, right, node):
        return made
    if isinstance(left, SymbolV) or isinstance(right, SymbolV):
        for v, prefix in ((left, ""), (right, "r")):
            if symbol_values.overrides(v, f"__{prefix}{METHODS[op]}__"):
                run.refuse(node, f"{op} by a method of an enumeration", "write a function")
        x, y = (symbol_values.operand(run, v, op, node) for v in (left, right))
        return binop(run, op, x, y, node)
    left = made_sets.known_as_table(run, opened(run, left, node), node)
    right = made_sets.known_as_table(run, opened(run, right, node), node)
    if is_view(left) or is_view(right):
        return hash_sets.of_views(run, op, left, right, node)
    if isinstance(left, (RecordV, HashV)) and isinstance(right, (RecordV, HashV)):
        made = dicts.combined(run, op, left, right, node)
        if made is not None:
            return made
    if isinstance(left, _OBJECTS) or isinstance(right, _OBJECTS):
        found = operator_methods.operation(run, op, left, right, node)
        if found is not None:
            return found
    if isinstance(left, ArrayV) or isinstance(right, ArrayV):
        if op == "@":
            return products.matmul(run, left, right, node)
        return arrays.binop(run, op, left, right, node)
    if op == "|" and (union := _union(left, right)) is not None:
        return union
    folded = scalars.fold(op, left, right) or known_calls.binop(run, op, left, right, node)
    if folded is not None:
        return folded
    left, right = as_tuple(left), as_tuple(right)
    if op == "+" and isinstance(left, (TupleV, ListV)) and isinstance(right, (TupleV, ListV)):
        return _concatenate(run, left, right, node)
    if op == "*":
        if isinstance(left, (TupleV, ListV)) and scalars.is_number(right):
            return _repeat(run, left, right, node)
        if isinstance(right, (TupleV, ListV)) and scalars.is_number(left):
            return _repeat(run, right, left, node)
    operator_methods.require(run, op, left, right, node)
    run.refuse(
        node,
        f"{op} is not defined for {run.describe(left)} and {run.describe(right)}",
        error=ArgumentTypeError,
    )


_OBJECTS = RecordV, RefV, UnionV


def _union(left: Value, right: Value) -> Static | None:
    """Return the union of two classes that are known: ``int | None``."""
    if isinstance(left, Static) and isinstance(right, Static):
        a, b = left.value, right.value
        if isinstance(a, (type, types.UnionType)) and isinstance(
            b, (type, types.UnionType, types.NoneType)
        ):
            return Static(a | b)
    return None


def _concatenate(run: Run, a: TupleV | ListV, b: TupleV | ListV, node: ast.AST) -> Value:
    told_apart(run, a, (list,), node)
    told_apart(run, b, (list,), node)
    if a.cls is not b.cls:
        run.refuse(node, "a list and a tuple cannot be joined with +", error=ArgumentTypeError)
    if isinstance(a, TupleV) and isinstance(b, TupleV):
        return TupleV(a.items + b.items, a.is_list)
    return as_class(_joined(run, a, b, node), a.cls)


def _joined(run: Run, a: TupleV | ListV, b: TupleV | ListV, node: ast.AST) -> ListV:
    x, y = run.to_list(a, node), run.to_list(b, node)
    nothing = [isinstance(v, TupleV) and not v.items for v in (a, b)]  # a literal []
    if any(nothing):
        only = y if nothing[0] else x
        return run.sequence(only.length, lambda i: run.element(only, i, node, False), node)
    total = ext.add(run, x.length, y.length)

    def item(i: Atom) -> Value:
        return run.branch(
            run.b.prim("lt", i, x.length),
            lambda: run.element(x, i, node, False),
            lambda: run.element(y, run.b.prim("sub", i, x.length), node, False),
            node,
        )

    return run.sequence(total, item, node)


def _repeat(run: Run, items: TupleV | ListV, times: Value, node: ast.AST) -> Value:
    if (
        isinstance(times, Static)
        and isinstance(items, TupleV)
        and isinstance(times.value, int)
        and len(items.items) * times.value <= 64
    ):
        return TupleV(items.items * times.value, items.is_list)
    return as_class(_repeated(run, items, times, node), items.cls)


def _repeated(run: Run, items: TupleV | ListV, times: Value, node: ast.AST) -> ListV:
    count = int_atom(run, times, node, "the number of repetitions")
    if not ext.never_negative(run, count):
        count = run.b.prim("max", count, i64(0))
    if isinstance(items, TupleV) and len(items.items) == 1:
        (only,) = items.items
        return run.sequence(count, lambda _: only, node)
    base = run.to_list(items, node)
    total = run.b.prim("mul", count, base.length)
    return run.sequence(
        total, lambda i: run.element(base, run.b.prim("mod", i, base.length), node, False), node
    )


def _of_optional(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Return ``left op right`` where one of them may be None, a mark or a text."""
    made = optionals.apart(
        run, left, lambda v: binop(run, op, v, v if left is right else right, node), node
    )
    made = made or optionals.apart(run, right, lambda v: binop(run, op, left, v, node), node)
    if made is not None:
        return made
    x, y = optionals.operands(run, op, left, right, node)
    return binop(run, op, x, y, node)


def _require_operator(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> None:
    left, right = opened(run, left, node), opened(run, right, node)
    if _is_undefined(op, left, right):
        members = any(map(symbol_values.is_plain, (left, right)))
        rewrite = "compare it with constants: if kind == ..." if members else ""
        optionals.unlike(run, op, left, right, node, rewrite)


def _is_undefined(op: str, x: Value, y: Value) -> bool:
    """Whether one of two operands is a text, a member of an enumeration, a tuple, list, dict or
    set, for which Python has no such operator with the other."""
    if any(scalars.is_number(a) and optionals.is_table(b) for a, b in ((x, y), (y, x))):
        return True
    if optionals.is_sequence_beside_number(x, y):
        return op != "*" or not (_is_count(x) or _is_count(y))
    texts = [made_texts.is_text(v) for v in (x, y)]
    words = [text or symbol_values.is_plain(v) for text, v in zip(texts, (x, y), strict=True)]
    if not any(words) or (op == "%" and texts[0]):
        return False
    if all(words):
        return op != "+" or not all(texts)
    word, other = (x, y) if words[0] else (y, x)
    if not scalars.is_number(other) and not optionals.is_nothing(other):
        return False
    return op != "*" or not made_texts.is_text(word) or not _is_count(other)


def _is_count(value: Value) -> bool:
    """Whether a text may be repeated as often."""
    if isinstance(value, Static):
        return isinstance(value.value, int)
    return isinstance(value, Scalar) and (
        not isinstance(value.type, Real) or value.is_int is not None
    )


def unary(run: Run, op: str, operand: Value, node: ast.AST) -> Value:
    """Compile ``- + ~ not``."""
    if op == "~" and isinstance(operand, Static) and isinstance(operand.value, enum.Flag):
        return Static(~operand.value)
    if op == "not":
        t = run.truth(operand, node)
        return Static(not t) if isinstance(t, bool) else Scalar(run.b.prim("not", t), True, 1)
    if optionals.may_be_nothing(operand):
        apart = optionals.apart(run, operand, lambda v: unary(run, op, v, node), node)
        if apart is not None:
            return apart
        there = optionals.present(
            run, operand, lambda name: f"bad operand type for unary {op}: {name!r}", node
        )
        return unary(run, op, there, node)
    has_none = made_texts.is_text(operand) or symbol_values.is_plain(operand)
    if has_none or isinstance(operand, (TupleV, ListV)):
        message = f"bad operand type for unary {op}: {optionals.class_name(operand)!r}"
        run.never("TypeError", message, node, ArgumentTypeError)
    operand = opened(run, payloads.operand(run, operand, node), node)
    if isinstance(operand, RecordV) and is_complex(operand):
        return complex_values.unary(run, op, operand, node)
    if isinstance(operand, SmallV):
        small_ints.unary(run, op, operand, node)
    if isinstance(operand, SymbolV):
        return unary(run, op, symbol_values.operand(run, operand, op, node), node)
    if isinstance(operand, ArrayV):
        return arrays.unary(run, op, operand, node)
    if classes_apart.differ(operand, run, _UNARY[op]):
        return run.case_value(operand, lambda v: unary(run, op, v, node), node)
    if isinstance(operand, (RecordV, RefV)) and classes_apart.has_special(operand, _UNARY[op]):
        return run.call(run.attribute(operand, _UNARY[op], node), (), node)
    known = known_calls.unary(run, op, operand, node)
    if known is not None:
        return known
    if not scalars.is_number(operand):
        said = f"bad operand type for unary {op}: '{{}}'"
        classes_apart.require(run, operand, (_UNARY[op],), said, node)
        run.refuse(
            node, f"{op} is not defined for {run.describe(operand)}", error=ArgumentTypeError
        )
    return scalars.unary(run, op, operand, node)


_UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}

__all__ = ["binop", "unary"]
