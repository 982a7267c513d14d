"""``a, b = v`` and ``first, *rest = v``: the value for each of the names."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from pullback.core.build import boolean, i64
from pullback.core.messages import Applied, Constant, Leaf, Message
from pullback.core.terms import Atom, Lit
from pullback.errors import ArgumentValueError, TypesDoNotMeetError
from pullback.frontend.interpret import list_patterns, made_texts
from pullback.frontend.interpret.classes_apart import GONE_THROUGH, require_items
from pullback.frontend.interpret.iteration import indexed, is_driven
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.sum_kinds import are_tagged
from pullback.frontend.kinds.values import CaughtV, ListV, RecordV, Static, TupleV, Unrolled, Value
from pullback.frontend.library import told
from pullback.frontend.python import special_methods
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def unpacked(
    run: Run, elts: Sequence[ast.expr], value: Value, node: ast.AST
) -> Sequence[Value]:
    """Return what each of the targets gets, after the checks that there are as many items."""
    starred = [k for k, e in enumerate(elts) if isinstance(e, ast.Starred)]
    said = "cannot unpack non-iterable {} object"

    def of_one(part: Value) -> Value:
        require_items(run, part, GONE_THROUGH, said, node)
        return TupleV(tuple(unpacked(run, elts, part, node)), is_list=are_tagged())

    together = optionals.apart(run, value, of_one, node)
    if together is not None:
        if isinstance(together, TupleV):
            return together.items
        reason = f"what {run.describe(value)} is unpacked to has several types"
        run.refuse(node, reason, "ask first which of them it is", error=TypesDoNotMeetError)
    if optionals.may_be_nothing(value):
        value = optionals.present(run, value, said.format, node)
    require_items(run, value, GONE_THROUGH, said, node)
    value = special_methods.iterated(run, opened(run, value, node), node)
    if isinstance(value, RecordV) and (count := getattr(value.cls, "_items_by_place", 0)):
        by_place = (run.subscript(value, Static(k), node) for k in range(count))
        value = TupleV(tuple(by_place))  # of the library, whose items have several kinds
    if isinstance(value, CaughtV) and value.steps[-1:] == ("args",) and not starred:
        length = made_texts.of_python(run, len, (value,), node, int)
        _check_count(run, run.scalar(length, node).atom, len(elts), node)
        return tuple(CaughtV(value.atom, (*value.steps, k)) for k in range(len(elts)))
    if is_driven(value):
        if not starred:  # no more is asked for than tells that there are too many
            value = run.call(Static(itertools.islice), (value, Static(len(elts) + 1)), node)
        value = run.to_list(value, node)
    items = run.iterate(value, node)
    if not isinstance(items, Unrolled) and indexed(items) is None:
        value = run.to_list(value, node)
        items = run.iterate(value, node)
    if isinstance(items, Unrolled):
        return _known(run, elts, starred, items.items, node)
    if starred:
        return _of_list(run, elts, starred[0], run.to_list(value, node), node)
    n = run.scalar(run.length(value, node), node).atom
    _check_count(run, n, len(elts), node)
    found = indexed(items)
    assert found is not None  # those of a list
    return tuple(found.at(Lit(k, n.type)) for k in range(len(elts)))


def _known(
    run: Run, elts: Sequence[ast.expr], starred: list[int], values: tuple[Value, ...],
    node: ast.AST,
) -> tuple[Value, ...]:  # fmt: skip
    count = len(values)
    if starred:
        k = starred[0]
        after = len(elts) - k - 1
        if count < len(elts) - 1:
            _raise(run, _too_few(len(elts) - 1, count), count, len(elts) - 1, node)
        middle = TupleV(values[k : count - after], is_list=True)
        values = (*values[:k], middle, *values[count - after :])
    if len(values) != len(elts):
        _raise(run, _not_unpacked(len(elts), count), count, len(elts), node)
    return values


def _raise(run: Run, text: str, found: int, expected: int, node: ast.AST) -> None:
    said = f"{found} values to unpack into {expected} names"
    run.never("ValueError", Message((Constant(text),), 0, said), node, ArgumentValueError)


def _check_count(run: Run, n: Atom, expected: int, node: ast.AST) -> None:
    """Raise an error unless there are as many values as names."""
    right = run.b.prim("eq", n, Lit(expected, n.type)) if not isinstance(n, Lit) else (
        boolean(n.value == expected)
    )
    part = Applied(partial(_not_unpacked, expected), (Leaf(0),))
    message = Message((part,), 1, f"values to unpack (expected {expected})")
    run.require(right, "ValueError", message, node, n)


def _not_unpacked(expected: int, found: int) -> str:
    if found > expected:
        return f"too many values to unpack (expected {expected})"
    return f"not enough values to unpack (expected {expected}, got {found})"


def _too_few(expected: int, found: int) -> str:
    return f"not enough values to unpack (expected at least {expected}, got {found})"


def _of_list(
    run: Run, elts: Sequence[ast.expr], star: int, items: ListV, node: ast.AST
) -> list[Value]:
    """Return what ``first, *rest`` gets of a list whose length is known at run time only."""
    after = len(elts) - star - 1
    plain = f"not enough values to unpack (expected at least {len(elts) - 1})"
    enough = run.b.prim("ge", items.length, i64(len(elts) - 1))
    text = partial(_too_few, len(elts) - 1)
    told.require(run, enough, "ValueError", text, plain, node, items.length)
    target = elts[star]
    assert isinstance(target, ast.Starred)
    name = target.value.id if isinstance(target.value, ast.Name) else ""
    back = [run.b.prim("sub", items.length, i64(after - k)) for k in range(after)]
    values = [run.element(items, i64(k), node, checked=False) for k in range(star)]
    values.append(list_patterns.rest(run, items, star, after, name))
    values += [run.element(items, i, node, checked=False) for i in back]
    return values


__all__ = ["unpacked"]
