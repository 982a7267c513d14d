"""Items of dicts by a key that only the run knows: ``table[op](x)``, ``counts[kind] += 1``.

The keys of the dict are known, so each is compared with the one that is asked for.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from pullback.core.build import boolean
from pullback.core.messages import Message
from pullback.core.terms import Atom
from pullback.errors import StaticKeyError
from pullback.frontend.interpret import scalars
from pullback.frontend.interpret.messages import Recorder
from pullback.frontend.kinds.values import RecordV, Scalar, Static, SymbolV, Value
from pullback.frontend.python.symbols import members, symbol_class
from pullback.frontend.signals import Unreachable

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def is_chosen(key: Value) -> bool:
    """Whether only the run knows a key."""
    return isinstance(key, Scalar | SymbolV)


def _tests(run: Run, d: RecordV, key: Value, node: ast.AST) -> list[tuple[str, bool | Atom]]:
    """Return, for each key that it can be, whether it is that key."""
    tests: list[tuple[str, bool | Atom]] = []
    for k in d.fields:
        if isinstance(key, Scalar) and symbol_class(k) is not None and not isinstance(k, int):
            continue  # a number is no string
        test = run.truth(run.compare("==", key, Static(k), node), node)
        if test is not False:
            tests.append((k, test))
    return tests


def item(
    run: Run, d: RecordV, key: Value, missing: Callable[[], Value], node: ast.AST
) -> Value:
    """Compile ``d[key]``, or ``missing()``."""
    tests = _tests(run, d, key, node)

    def found(at: int) -> Value:
        if at == len(tests):
            return missing()
        name, test = tests[at]
        return run.branch(test, lambda: d.fields[name], lambda: found(at + 1), node)

    return found(0)


def missing_key(run: Run, d: RecordV, key: Value, node: ast.AST) -> Value:
    """Raise KeyError, with the key if that can be shown."""
    plain = "a key that the dict does not have"
    recorder = Recorder(run)
    shown = recorder.value(key)
    if shown is not None and recorder.leaves and d.fields:
        message = Message((shown,), len(recorder.leaves), plain)
        run.require(boolean(False), "KeyError", message, node, *recorder.leaves)
        raise Unreachable
    run.never("KeyError", plain, node, StaticKeyError)


def contains(run: Run, d: RecordV, key: Value, node: ast.AST) -> Value:
    """Compile ``key in d``."""
    result: bool | Atom = False
    for _, test in _tests(run, d, key, node):
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
    tests = _tests(run, d, key, node)
    every = isinstance(key, SymbolV) and key.cls is not str and len(tests) == len(members(key.cls))
    old = [d.fields[k] for k, _ in tests]
    if not (every or was_read) or not all(map(scalars.is_number, (new, *old))):
        return None
    changed = {k: run.select(test, new, d.fields[k], node) for k, test in tests}
    return {**d.fields, **changed}
