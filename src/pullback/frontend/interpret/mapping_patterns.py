"""Mapping patterns (``case {"type": "key", "code": c}``) on dicts of which only the run knows which
keys they have."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pullback.core.terms import Atom
from pullback.frontend.interpret.public_classes import public
from pullback.frontend.kinds.values import (
    HashV,
    MaybeV,
    OptionalV,
    RecordV,
    RefV,
    UnionV,
    Value,
)
from pullback.frontend.memory import dicts, hash_tables, loose_dicts
from pullback.frontend.memory.hash_tables import is_set

if TYPE_CHECKING:
    from pullback.frontend.run import Run

Part = tuple[ast.pattern, Value]


def may_lack_keys(subject: Value) -> bool:
    """Whether only the run knows which keys a dict has."""
    return loose_dicts.is_loose(subject) or (isinstance(subject, HashV) and not is_set(subject))


def known(run: Run, p: ast.MatchMapping, subject: Value) -> list[Part] | None:
    """Return the patterns inside, each with the value that it looks at, for anything else; None if
    the pattern does not fit."""
    cls = subject.cls if isinstance(subject, (RecordV, RefV)) else dict
    other = cls is not dict and issubclass(public(cls) or cls, Mapping)
    if other or isinstance(subject, (UnionV, OptionalV)):
        run.refuse(p, f"a mapping pattern for {run.describe(subject)}", "if key in d: ...")
    if not isinstance(subject, RecordV) or cls is not dict:
        return None
    names = [dicts.key_of(run, run.evaluate(k), k) for k in p.keys]
    if not all(name in subject.fields for name in names):
        return None
    held: list[Part] = [(q, subject.fields[n]) for q, n in zip(p.patterns, names, strict=True)]
    if p.rest is not None:
        left = {n: v for n, v in subject.fields.items() if n not in names}
        held.append((ast.copy_location(ast.MatchAs(None, p.rest), p), dicts.made(left)))
    return held


def parts(
    run: Run, p: ast.MatchMapping, subject: Value
) -> tuple[bool | Atom, Callable[[], list[Part]]]:
    """Return whether the dict has all keys of a pattern, and what gives then the patterns inside,
    each with the value that it looks at."""
    if p.rest is not None:
        reason = f"**{p.rest} of {run.describe(subject)}"
        run.refuse(p, reason, "read what is needed by its key")
    keys = [run.evaluate(k) for k in p.keys]
    tests: list[bool | Atom] = []
    values: list[Callable[[], Value]] = []
    for key, node in zip(keys, p.keys, strict=True):
        test, value = _item(run, subject, key, node)
        tests.append(test)
        values.append(value)
    fits: bool | Atom = True
    for test in tests:
        if test is False or fits is False:
            fits = False
        elif test is not True:
            fits = test if fits is True else run.b.prim("and", fits, test)
    return fits, lambda: [(q, v()) for q, v in zip(p.patterns, values, strict=True)]


def _item(
    run: Run, subject: Value, key: Value, node: ast.expr
) -> tuple[bool | Atom, Callable[[], Value]]:
    """Whether the dict has a key, and what gives its value then."""
    if isinstance(subject, HashV):
        entry = hash_tables.lookup(run, subject, key, node)
        found = hash_tables.is_found(run, entry)
        return found, lambda: hash_tables.value_at(run, subject, entry, node)
    assert isinstance(subject, RecordV)

    def value() -> Value:
        part = loose_dicts.get_item(run, subject, key, node)
        return part.value if isinstance(part, MaybeV) else part

    return loose_dicts.there(run, subject, key, node), value


__all__ = ["may_lack_keys", "parts"]
