"""Items that are made where each is taken: of ``map`` and of generator expressions over displays.

Python makes an item when it is asked for one. Where all are asked for one after the other at once
(``list``, ``sum``, ``a, b = ...``) that is the same as to make all; a loop runs other code between
two items, and may be left before the last one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache

from pullback.core.build import Builder, i64
from pullback.core.terms import Atom, Block, Call, Index, Op, Prim, Update, sub_blocks
from pullback.frontend.functions.captured_variables import FUNCTION, may_change, variables
from pullback.frontend.kinds.values import (
    Driven,
    GeneratorV,
    Indexed,
    Items,
    Late,
    Scalar,
    Static,
    SymbolV,
    TupleV,
    Unrolled,
    Value,
)
from pullback.frontend.python.syntax import bound_anew, jumps, target_names, updated
from pullback.frontend.run import Run
from pullback.frontend.signals import AlwaysRaises, NotCarriedError, Unreachable

Each = tuple[Value, ...] | Late


def mapped(run: Run, each: Each, f: Callable[[Value], Value], at_once: bool) -> Unrolled:
    """Return ``f`` of each item. All are made once to see what ``f`` does; that code stays only if
    they are plain, it does not raise, and they may be made ``at_once``."""
    late = Late(len(each), lambda k: f(each[k]))
    in_block = run.frame.sealed
    with run.building(Builder()) as b, run.generators.forgetting(), run.sealed():
        run.arms[b] = late  # dropped, or run at once
        try:
            made = tuple(late)
        except (Unreachable, AlwaysRaises):
            return Unrolled(late)
        except NotCarriedError:
            if in_block:
                raise
            return Unrolled(late)
    plain = not isinstance(each, Late) and all(map(_is_plain, (*each, *made)))
    if not (at_once and plain) or any(may_raise(run, let.op, set()) for let in b.lets):
        return Unrolled(late)
    run.b.extend(b.block())
    return Unrolled(made)


def _is_plain(value: Value) -> bool:
    return isinstance(value, (Scalar, Static, SymbolV))


def in_turn(run: Run, value: Value) -> Value:
    """Return an iterator of late items as one that gives one after the other, to who may stop."""
    if isinstance(value, GeneratorV) and value.body is not None and are_late(run, value):
        return replace(value, items=value.body)
    return value


def are_late(run: Run, value: Value) -> bool:
    """Whether a value is an iterator of late items."""
    if not isinstance(value, GeneratorV):
        return False
    with run.generators.forgetting():
        items = value.items() if callable(value.items) else value.items
    return isinstance(items, Unrolled) and isinstance(items.each, Late)


def begun_late(
    run: Run, made: Callable[[], Value], is_let: Callable[[Value], Value], node: ast.AST
) -> Value:
    """Return the iterator of a function whose handler calls what it is given for all items, so that
    it does so where the iterator begins; first it is run to see what that function does. (What is
    driven, as items without an end are, begins there anyway.)"""
    first: Value | None = None
    with run.building(Builder()) as b, run.generators.forgetting(), suppress(Unreachable):
        run.arms[b] = made  # dropped
        first = made()
    if isinstance(first, GeneratorV) and isinstance(first.items, Driven):
        return is_let(made())
    late = is_let(GeneratorV(node, cache(lambda: run.iterate(made(), node))))
    return replace(late, ahead=True) if isinstance(late, GeneratorV) else late


def of_loop(run: Run, value: Value, iterate: Callable[[], Items], s: ast.For) -> Items:
    """Return the items that a ``for`` statement takes: those that only a loop can tell (``if``,
    several ``for``) are not made ahead if that makes a difference."""
    if not isinstance(value, GeneratorV) or value.body is None:
        return iterate()
    with run.building(Builder()) as b:
        run.arms[b] = object()  # dropped, or run at once
        try:
            items = iterate()
        except Unreachable:
            return value.body
    if _are_ahead(value, items) and _differs(value.body, s):
        return value.body
    run.b.extend(b.block())
    return items


def _are_ahead(value: GeneratorV, items: Items) -> bool:
    """Whether a loop would have all items made before its first round."""
    if isinstance(items, Indexed):
        return value.ahead or items.keep is not None or items.nested is not None
    made = isinstance(items, Unrolled) and not isinstance(items.each, Late)
    return made and (value.ahead or isinstance(value.node, ast.GeneratorExp))


def _differs(body: Driven, s: ast.For) -> bool:
    """Whether a loop may be left, or change what its items are made of."""
    anew = {*bound_anew(s.body), *updated(s.body), *target_names(s.target)}
    read = variables({FUNCTION: body.function, **body.args})
    left = jumps(s.body) & {"break", "return"}
    return bool(left) or any(v.name in anew or may_change(v) for v in read)


def like(each: Each, count: int, at: Callable[[int], Value]) -> Unrolled:
    """Return items made of others, which are late if those are."""
    late = Late(count, at)
    return Unrolled(late if isinstance(each, Late) else tuple(late))


def zipped(run: Run, columns: Sequence[Each], node: ast.AST) -> Unrolled:
    """Return the rows of columns."""
    count = min(map(len, columns))
    late = [c for c in columns if isinstance(c, Late)]
    shortest = next(k for k, c in enumerate(columns) if len(c) == count)
    if any(c in late for c in columns[:shortest]):
        run.refuse(
            node,
            "an iterator with more items than what stands behind it in zip: one more is made",
            "put what has the fewest items first, or make a list of the iterator: list(...)",
        )
    return like((late or columns)[0], count, lambda k: TupleV(tuple(c[k] for c in columns)))


def by_number(run: Run, each: Late, node: ast.AST) -> Indexed:
    """Return late items by their numbers, each made in its round."""

    def at(index: Atom, numbers: range) -> Value:
        if len(numbers) == 1:
            return each[numbers[0]]
        middle = len(numbers) // 2
        return run.branch(
            run.b.prim("lt", index, i64(numbers[middle])),
            lambda: at(index, numbers[:middle]),
            lambda: at(index, numbers[middle:]),
            node,
        )

    return Indexed(i64(len(each)), lambda index: at(index, range(len(each))))


def may_raise(run: Run, op: Op, met: set[str]) -> bool:
    """Whether code may raise; ``met`` are the functions that have been looked at."""
    match op:
        case Prim(name):
            return name.startswith("require") or name.endswith(".ck")
        case Index(_, _, checked) if checked:
            return True
        case Update():
            return True
        case Call(name) if name in met:
            return False
        case Call(name):
            met.add(name)
            function = run.functions.get(name)
            return function is None or _block_may_raise(run, function.body, met)
        case _:
            return any(_block_may_raise(run, inner, met) for _, inner in sub_blocks(op))


def _block_may_raise(run: Run, block: Block, met: set[str]) -> bool:
    return any(may_raise(run, let.op, met) for let in block.lets)


__all__ = [
    "are_late", "begun_late", "by_number", "in_turn", "like", "mapped", "may_raise", "of_loop",
    "zipped",
]  # fmt: skip
