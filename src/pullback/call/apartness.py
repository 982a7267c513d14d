"""What a function may update, and whether that is apart from all else that the function has."""

from __future__ import annotations

from collections import ChainMap, deque
from collections.abc import Sequence
from itertools import chain
from types import CellType, FunctionType
from typing import Any

import numpy as np

from pullback.call.write_back import CODE, are_numbers, parts_of
from pullback.frontend.python.object_classes import is_object_class, slots_of
from pullback.frontend.python.paths import Namespace
from pullback.frontend.seen_outside import IMMUTABLE

NO_OBJECTS = (*IMMUTABLE, *CODE, Namespace)

_CONTAINERS = list, dict, set, deque, ChainMap, np.ndarray


def mutable(args: Sequence[Any]) -> tuple[int, ...]:
    """Return the positions of the arguments that a function may update, or what is in them."""
    return tuple(i for i, x in enumerate(args) if not isinstance(x, (*IMMUTABLE, *CODE)))


def around(f: object) -> tuple[str, ...]:
    """Return the variables around a function, or global, that it mentions and that hold lists,
    dicts, sets or arrays."""
    if not isinstance(f, FunctionType):
        return ()
    cells = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=False))
    held = {n: f.__globals__[n] for n in f.__code__.co_names if n in f.__globals__}
    held |= {n: c.cell_contents for n, c in cells.items() if c != CellType()}
    return tuple(n for n, x in held.items() if isinstance(x, _CONTAINERS))


def _met(x: Any, seen: dict[int, int], arrays: list[np.ndarray[Any, Any]]) -> None:
    """Count how often each object is met, and collect arrays."""
    todo = [x]
    while todo:
        x = todo.pop()
        if isinstance(x, (*IMMUTABLE, *CODE)):
            continue
        seen[id(x)] = seen.get(id(x), 0) + 1
        if seen[id(x)] == 1:
            if isinstance(x, np.ndarray):
                arrays.append(x)
            if type(x) is list and (known := _of_numbers(x)) and seen.keys().isdisjoint(known):
                seen.update(known)
            else:
                todo += parts_of(x)


def _of_numbers(items: list[Any]) -> dict[int, int] | None:
    """Return the objects in a list, each met once, if they are different objects of one class that
    have numbers and texts only."""
    classes: set[Any] = set(map(type, items))
    if len(classes) != 1 or not is_object_class(cls := classes.pop()) or slots_of(cls):
        return None
    met = dict.fromkeys(map(id, items), 1)
    held: Any = map(vars, items)
    values = chain.from_iterable(map(dict.values, held))
    return met if len(met) == len(items) and are_numbers(values) else None


def are_apart(objects: Sequence[Any], others: Sequence[Any], through: Sequence[Any]) -> bool:
    """Whether nothing in the objects that are updated is read-only, or is or shares memory with
    something else that the function has, or in which (``through``) it has something."""
    seen: dict[int, int] = {}
    mine: list[np.ndarray[Any, Any]] = []
    for x in objects:
        _met(x, seen, mine)
    if any(n > 1 for n in seen.values()) or not all(a.flags.writeable for a in mine):
        return False
    there: dict[int, int] = dict.fromkeys(map(id, through), 1)
    theirs: list[np.ndarray[Any, Any]] = []
    for x in others:
        _met(x, there, theirs)
    if seen.keys() & there.keys():
        return False
    pairs = ((a, b) for k, a in enumerate(mine) for b in (*mine[k + 1 :], *theirs))
    return not any(np.may_share_memory(a, b) for a, b in pairs)


__all__ = ["NO_OBJECTS", "are_apart", "around", "mutable"]
