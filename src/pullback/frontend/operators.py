"""Python's operators on values of any kind."""

from __future__ import annotations

import ast
import types
from typing import TYPE_CHECKING

from pullback.core.build import i64
from pullback.core.terms import Atom, Lit
from pullback.errors import ArgumentTypeError
from pullback.frontend import arrays, dicts, list_calls, optionals, scalars, symbol_values
from pullback.frontend import extents as ext
from pullback.frontend.iteration import int_atom
from pullback.frontend.kinds import static_scalar
from pullback.frontend.values import (
    ArrayV,
    ListV,
    OptionalV,
    RangeV,
    RecordV,
    Scalar,
    Static,
    SymbolV,
    TupleV,
    UnionV,
    Value,
)

if TYPE_CHECKING:
    from pullback.frontend.run import Run

METHODS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod",
    "**": "pow", "@": "matmul", "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
COMPARE_METHODS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def binop(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """``left op right``"""
    if scalars.is_number(left) and scalars.is_number(right):
        return scalars.binop(run, op, left, right, node)
    if isinstance(left, OptionalV) or isinstance(right, OptionalV):
        x, y = optionals.operands(run, op, left, right, node)
        return binop(run, op, x, y, node)
    if isinstance(left, SymbolV) or isinstance(right, SymbolV):
        x, y = (symbol_values.operand(run, v, op, node) for v in (left, right))
        return binop(run, op, x, y, node)
    if op == "|" and dicts.is_dict(left) and dicts.is_dict(right):
        assert isinstance(left, RecordV) and isinstance(right, RecordV)
        return dicts.union(run, left, right)
    if isinstance(left, RecordV) or isinstance(right, RecordV):
        found = _user_operator(run, op, left, right, node)
        if found is not None:
            return found
    if isinstance(left, ArrayV) or isinstance(right, ArrayV):
        return arrays.binop(run, op, left, right, node)
    if isinstance(left, Static) and isinstance(left.value, type | types.UnionType) and op == "|":
        if isinstance(right, Static) and isinstance(right.value, type | types.UnionType | None):
            return Static(left.value | right.value)
    folded = scalars.fold(op, left, right)
    if folded is not None:
        return folded
    if op == "+" and isinstance(left, TupleV | ListV) and isinstance(right, TupleV | ListV):
        return _concatenate(run, left, right, node)
    if op == "*":
        if isinstance(left, TupleV | ListV) and scalars.is_number(right):
            return _repeat(run, left, right, node)
        if isinstance(right, TupleV | ListV) and scalars.is_number(left):
            return _repeat(run, right, left, node)
    run.refuse(
        node,
        f"{op} is not defined for {run.describe(left)} and {run.describe(right)}",
        error=ArgumentTypeError,
    )


def _user_operator(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value | None:
    """The operator methods of dataclasses."""
    name = METHODS[op]
    for receiver, other, method in ((left, right, f"__{name}__"), (right, left, f"__r{name}__")):
        if isinstance(receiver, RecordV) and method in vars(receiver.cls):
            return run.call(run.attribute(receiver, method, node), (other,), node)
    return None


def _concatenate(run: Run, a: TupleV | ListV, b: TupleV | ListV, node: ast.AST) -> Value:
    if isinstance(a, TupleV) and isinstance(b, TupleV):
        if a.is_list != b.is_list:
            run.refuse(node, "a list and a tuple cannot be joined with +", error=ArgumentTypeError)
        return TupleV(a.items + b.items, a.is_list)
    x, y = run.to_list(a, node), run.to_list(b, node)
    nothing = [isinstance(v, TupleV) and not v.items for v in (a, b)]  # a literal []
    if any(nothing):
        only = y if nothing[0] else x
        return run.sequence_of(only.length, lambda i: run.element(only, i, node, False), node)
    total = ext.add(run, x.length, y.length)

    def item(i: Atom) -> Value:
        return run.branch(
            run.b.prim("lt", i, x.length),
            lambda: run.element(x, i, node, False),
            lambda: run.element(y, run.b.prim("sub", i, x.length), node, False),
            node,
        )

    return run.sequence_of(total, item, node)


def _repeat(run: Run, items: TupleV | ListV, times: Value, node: ast.AST) -> Value:
    if isinstance(times, Static) and isinstance(items, TupleV) and isinstance(times.value, int):
        if len(items.items) * times.value <= 64:
            return TupleV(items.items * times.value, items.is_list)
    count = int_atom(run, times, node, "the number of repetitions")
    if not ext.never_negative(run, count):
        count = run.b.prim("max", count, i64(0))
    if isinstance(items, TupleV) and len(items.items) == 1:
        (only,) = items.items
        return run.sequence_of(count, lambda _: only, node)
    base = run.to_list(items, node)
    total = run.b.prim("mul", count, base.length)
    return run.sequence_of(
        total, lambda i: run.element(base, run.b.prim("mod", i, base.length), node, False), node
    )


def unary(run: Run, op: str, operand: Value, node: ast.AST) -> Value:
    """``- + ~ not``"""
    if op == "not":
        t = run.truth(operand, node)
        return Static(not t) if isinstance(t, bool) else Scalar(run.b.prim("not", t), True, 1)
    if isinstance(operand, OptionalV):
        message = f"bad operand type for unary {op}: 'NoneType'"
        return unary(run, op, optionals.present(run, operand, message, node), node)
    if isinstance(operand, SymbolV):
        return unary(run, op, symbol_values.operand(run, operand, op, node), node)
    if isinstance(operand, ArrayV):
        return arrays.unary(run, op, operand, node)
    if isinstance(operand, RecordV):
        method = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}[op]
        if method in vars(operand.cls):
            return run.call(run.attribute(operand, method, node), (), node)
    if not scalars.is_number(operand):
        run.refuse(
            node, f"{op} is not defined for {run.describe(operand)}", error=ArgumentTypeError
        )
    return scalars.unary(run, op, operand, node)


def compare(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """One comparison: == != < <= > >= is is-not in not-in"""
    match op:
        case "is" | "is not":
            return _identical(run, left, right, op == "is", node)
        case "in":
            return contains(run, left, right, node)
        case "not in":
            return unary(run, "not", contains(run, left, right, node), node)
    if scalars.is_number(left) and scalars.is_number(right):
        return scalars.compare(run, op, left, right, node)
    if isinstance(left, OptionalV) or isinstance(right, OptionalV):
        if op == "!=":
            return unary(run, "not", compare(run, "==", left, right, node), node)
        return optionals.compared(
            run, op, left, right, node, lambda x, y: compare(run, op, x, y, node)
        )
    if isinstance(left, SymbolV) or isinstance(right, SymbolV):
        return symbol_values.compare(run, op, left, right, node)
    if isinstance(left, RecordV) and f"__{COMPARE_METHODS[op]}__" in _own_methods(left.cls):
        method = run.attribute(left, f"__{COMPARE_METHODS[op]}__", node)
        return run.call(method, (right,), node)
    if isinstance(left, ArrayV) or isinstance(right, ArrayV):
        return arrays.compare(run, op, left, right, node)
    if isinstance(left, Static) and isinstance(right, Static):
        return _compare_static(run, op, left.value, right.value, node)
    if op in ("==", "!="):
        equal = _equal(run, left, right, node)
        return equal if op == "==" else unary(run, "not", equal, node)
    run.refuse(
        node,
        f"{op} is not defined for {run.describe(left)} and {run.describe(right)}",
        error=ArgumentTypeError,
    )


def _own_methods(cls: type) -> dict[str, object]:
    """The methods that a user wrote (not those that @dataclass made)."""
    return {n: m for n, m in vars(cls).items() if "<" not in _file_of(m)}


def _file_of(method: object) -> str:
    code = getattr(method, "__code__", None)
    return code.co_filename if code is not None else "<builtin>"


def _compare_static(run: Run, op: str, a: object, b: object, node: ast.AST) -> Static:
    try:
        return Static(bool(scalars.FOLD[op](a, b)))
    except (TypeError, ValueError) as e:
        run.refuse(node, str(e), error=ArgumentTypeError)


def _equal(run: Run, a: Value, b: Value, node: ast.AST) -> Value:
    """``==`` of tuples and records, item by item; values of different sorts are not equal."""
    match a, b:
        case TupleV(xs, p), TupleV(ys, q):
            return _all_equal(run, xs, ys, node) if p == q and len(xs) == len(ys) else Static(False)
        case (ListV(), TupleV(is_list=True)) | (TupleV(is_list=True), ListV()) | (ListV(), ListV()):
            return list_calls.equal(run, a, b, node)
        case RecordV(c, xs), RecordV(d, ys):
            if c is not d or xs.keys() != ys.keys():
                return Static(False)
            return _all_equal(run, tuple(xs.values()), tuple(ys[n] for n in xs), node)
        case (Static(None), (Scalar() | TupleV() | RecordV())) | (
            (Scalar() | TupleV() | RecordV()),
            Static(None),
        ):
            return Static(False)
        case (UnionV(), Static(None)) | (Static(None), UnionV()):
            return _identical(run, a, b, True, node)
        case _:
            run.refuse(
                node,
                f"== of {run.describe(a)} and {run.describe(b)} is not supported",
                error=ArgumentTypeError,
            )


def _all_equal(
    run: Run, xs: tuple[Value, ...], ys: tuple[Value, ...], node: ast.AST
) -> Value:
    result: Value = Static(True)
    for x, y in zip(xs, ys):
        result = _both(run, result, x, y, node)
    return result


def _both(run: Run, so_far: Value, x: Value, y: Value, node: ast.AST) -> Value:
    cond = run.truth(so_far, node)
    return run.branch(cond, lambda: compare(run, "==", x, y, node), lambda: Static(False), node)


def _identical(run: Run, a: Value, b: Value, positive: bool, node: ast.AST) -> Value:
    """``is``: meant for None, and for the identity of classes and constants."""
    from pullback.frontend.narrowing import is_instance

    for value, other in ((a, b), (b, a)):
        if isinstance(other, Static) and other.value is None:
            if isinstance(value, UnionV | OptionalV):
                found = is_instance(run, value, (type(None),), node)
                return found if positive else unary(run, "not", found, node)
            none = isinstance(value, Static) and value.value is None
            return Static(none is positive)
    if symbol_values.is_member(a) and symbol_values.is_member(b):
        return compare(run, "==" if positive else "!=", a, b, node)
    if isinstance(a, Static) and isinstance(b, Static):
        numbers = static_scalar(a.value) is not None and not isinstance(a.value, bool)
        if not numbers:
            return Static((a.value is b.value) is positive)
    run.refuse(
        node,
        "'is' compares the identity of objects, which compiled code does not have",
        "use == (or 'is None')",
    )


def contains(run: Run, item: Value, items: Value, node: ast.AST) -> Value:
    """``item in items``"""
    if isinstance(item, Static) and isinstance(items, Static):
        if isinstance(item.value, str) and isinstance(items.value, str):
            return Static(item.value in items.value)
    if isinstance(items, RecordV) and items.cls is dict:
        return Static(dicts.key_of(run, item, node) in items.fields)
    if isinstance(items, RangeV):
        return _in_range(run, item, items, node)
    if isinstance(items, TupleV):
        result: Value = Static(False)
        for candidate in items.items:
            result = _either(run, result, item, candidate, node)
        return result
    found = run.fold(
        run.iterate(items, node),
        [Static(False)],
        lambda state, x: [_either(run, state[0], item, x, node)],
        node,
    )
    return found[0]


def _either(run: Run, so_far: Value, x: Value, y: Value, node: ast.AST) -> Value:
    cond = run.truth(so_far, node)
    return run.branch(cond, lambda: Static(True), lambda: compare(run, "==", x, y, node), node)


def _in_range(run: Run, item: Value, items: RangeV, node: ast.AST) -> Value:
    from pullback.frontend.iteration import range_parts

    start, count, step = range_parts(run, items, node)
    x = int_atom(run, item, node, "a member of a range")
    b = run.b
    offset = b.prim("sub", x, start)
    size = i64(step)
    at = b.prim("floordiv", offset, size)
    inside = b.prim("and", b.prim("ge", at, i64(0)), b.prim("lt", at, count))
    if step != 1:
        whole = b.prim("eq", b.prim("mod", offset, size), i64(0))
        inside = b.prim("and", inside, whole)
    return Scalar(inside, True, 1)


__all__ = ["Lit", "binop", "compare", "contains", "unary"]
