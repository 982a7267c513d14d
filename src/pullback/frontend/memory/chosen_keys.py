"""Items of dicts by a key that only the run knows: ``table[op](x)``, ``counts[kind] += 1``; and
``kind in KINDS``, where a dict or set is known.

The keys are known, so each is compared with the one that is asked for, or a binary search finds it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from pullback.core.build import boolean, i64
from pullback.core.messages import Message
from pullback.core.terms import Atom
from pullback.core.types import I64
from pullback.errors import StaticKeyError
from pullback.frontend.interpret import scalars
from pullback.frontend.interpret.messages import Recorder
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.values import (
    ListV,
    RecordV,
    Scalar,
    Static,
    SymbolV,
    TupleV,
    Value,
)
from pullback.frontend.python.symbols import members, number_of, symbol_class
from pullback.frontend.signals import Unreachable

if TYPE_CHECKING:
    from pullback.frontend.run import Run

K = TypeVar("K", bound=Hashable)


def is_chosen(key: Value) -> bool:
    """Whether only the run knows a key."""
    return isinstance(optionals.innermost(key), (Scalar, SymbolV))


def _tests(
    run: Run, keys: Iterable[K], key: Value, node: ast.AST
) -> list[tuple[K, bool | Atom]]:
    """Return, for each key that it can be, whether it is that key."""
    tests: list[tuple[K, bool | Atom]] = []
    for k in keys:
        if isinstance(key, Scalar) and symbol_class(k) is not None and not isinstance(k, int):
            continue  # a number is no string
        if _is_tuple(key) != isinstance(k, tuple):
            continue
        if k is None and isinstance(key, (Scalar, SymbolV)):
            continue
        if isinstance(key, Scalar) and key.type == I64 and type(k) is int and not _fits(k):
            continue
        test = run.truth(run.compare("==", key, known_item(k), node), node)
        if test is not False:
            tests.append((k, test))
    return tests


def _is_tuple(key: Value) -> bool:
    return isinstance(key, TupleV) or (isinstance(key, ListV) and key.cls is tuple)


_MOST_SEPARATE = 32
"""Numbers of more keys than these are put into an array, and the key is the way to an index."""
_MOST_IN_TURN = 8
"""So many keys are compared one after the other; among more of them the search is binary."""


def known_item(item: object) -> Value:
    """Return a key that is known as a value: a tuple as one of known items."""
    return TupleV(tuple(map(known_item, item))) if type(item) is tuple else Static(item)


def item(
    run: Run, d: RecordV, key: Value, missing: Callable[[], Value], node: ast.AST
) -> Value:
    """Compile ``d[key]``, or ``missing()``."""
    number, numbers = _numbers(d.fields, key)
    if number is not None and len(numbers) > _MOST_SEPARATE and _are_alike(run, d, node):
        return _of_many(run, d, number, numbers, missing, node)

    def among(names: Sequence[str]) -> Value:
        if number is None or len(names) <= _MOST_IN_TURN:
            tests = _tests(run, names, key, node)
            return in_turn(sorted(tests, key=lambda t: not _is_empty(d.fields[t[0]])))
        low, high = names[: len(names) // 2], names[len(names) // 2 :]
        test = run.b.prim("lt", number, i64(numbers[high[0]]))
        return run.branch(test, lambda: among(low), lambda: among(high), node)

    def in_turn(tests: Sequence[tuple[str, bool | Atom]]) -> Value:
        if not tests:
            return missing()
        (name, test), *others = tests
        return run.branch(test, lambda: d.fields[name], lambda: in_turn(others), node)

    return among(sorted(d.fields, key=lambda n: numbers.get(n, 0)))


def _is_empty(value: Value) -> bool:
    """Whether a value is a list without items: what they would be, the others tell."""
    return isinstance(value, TupleV) and not value.items


def _are_alike(run: Run, d: RecordV, node: ast.AST) -> bool:
    """Whether all values of a dict are numbers of one kind."""
    values = list(d.fields.values())
    return all(map(scalars.is_number, values)) and len({run.kind(v, node) for v in values}) == 1


def _of_many(
    run: Run, d: RecordV, number: Atom, numbers: dict[str, int], missing: Callable[[], Value],
    node: ast.AST,
) -> Value:  # fmt: skip
    """Compile the same by a list of the values: the binary search gives the index, or -1."""
    names = sorted(d.fields, key=lambda n: numbers[n])
    values = run.to_list(TupleV(tuple(d.fields[n] for n in names), is_list=True), node)

    def search(low: int, high: int) -> Value:
        if high - low == 1:
            there = run.b.prim("eq", number, i64(numbers[names[low]]))
            return Scalar(run.b.prim("select", there, i64(low), i64(-1)), True)
        middle = (low + high) // 2
        test = run.b.prim("lt", number, i64(numbers[names[middle]]))
        return run.branch(test, lambda: search(low, middle), lambda: search(middle, high), node)

    found = search(0, len(names))
    assert isinstance(found, Scalar)
    at = found.atom
    test = run.b.prim("lt", at, i64(0))
    return run.branch(test, missing, lambda: run.element(values, at, node, False), node)


def _numbers(keys: Collection[K], key: Value) -> tuple[Atom | None, dict[K, int]]:
    """Return the number of a key and those of all keys, if they are of one class and have an
    order: ints, or strings."""
    match key:
        case Scalar(atom) if atom.type == I64 and all(type(k) is int and _fits(k) for k in keys):
            return atom, {k: k for k in keys if isinstance(k, int)}
        case SymbolV(atom, cls) if cls is str and all(type(k) is str for k in keys):
            return atom, {k: number_of(k) for k in keys if isinstance(k, str)}
        case _:
            return None, {}


def _fits(key: object) -> bool:
    """Whether an int of the run may be this key."""
    return isinstance(key, int) and -(2**63) <= key < 2**63


def missing_key(run: Run, d: RecordV, key: Value, node: ast.AST) -> Value:
    """Raise KeyError, with the key if that can be shown."""
    plain = "a key that the dict does not have"
    recorder = Recorder(run, node)
    shown = recorder.value(key)
    if shown is not None and recorder.leaves and d.fields:
        message = Message((shown,), len(recorder.leaves), plain)
        run.require(boolean(False), "KeyError", message, node, *recorder.leaves)
        raise Unreachable
    text = plain if shown is None or recorder.leaves else Message((shown,), 0, plain)
    run.never("KeyError", text, node, StaticKeyError)


def contains(run: Run, keys: Collection[Hashable], key: Value, node: ast.AST) -> Value:
    """Compile ``key in keys``."""
    number, numbers = _numbers(keys, key)
    if number is not None and len(numbers) > _MOST_IN_TURN:
        return _is_among(run, number, sorted(numbers.values()), node)
    result: bool | Atom = False
    for _, test in _tests(run, keys, key, node):
        if isinstance(test, bool) or isinstance(result, bool):
            result = test if result is False else True
        else:
            result = run.b.prim("or", result, test)
    return Static(result) if isinstance(result, bool) else Scalar(result, True, 1)


def stored(
    run: Run, d: RecordV, key: Value, new: Value, was_read: bool, node: ast.AST
) -> dict[str, Value] | None:
    """Return the items after ``d[key] = new``, if they can be known one by one; ``was_read``: the
    key is known to be in the dict."""
    tests = _tests(run, d.fields, key, node)
    every = isinstance(key, SymbolV) and key.cls is not str and len(tests) == len(members(key.cls))
    old = [d.fields[k] for k, _ in tests]
    if not (every or was_read) or not all(map(scalars.is_number, (new, *old))):
        return None
    changed = {k: run.select(test, new, d.fields[k], node) for k, test in tests}
    return {**d.fields, **changed}


def _is_among(run: Run, number: Atom, numbers: Sequence[int], node: ast.AST) -> Value:
    """Whether a number is one of those in order: a binary search."""
    if len(numbers) == 1:
        return Scalar(run.b.prim("eq", number, i64(numbers[0])), True, 1)
    low, high = numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]
    return run.branch(
        run.b.prim("lt", number, i64(high[0])),
        lambda: _is_among(run, number, low, node),
        lambda: _is_among(run, number, high, node),
        node,
    )
