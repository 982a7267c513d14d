"""Where a Python value is found at every call of the compiled code.

A path starts at the function, at an argument, at a global variable or at a class, and goes on
through closure cells, defaults, fields and items:

    (("arg", 0), ("cell", 1))      what the first argument, a function, captured second
    (("global", namespace, "g"),)  the global variable g of that module
"""

from __future__ import annotations

import dataclasses
from types import CellType
from typing import ClassVar, cast
from weakref import WeakValueDictionary

from pullback.errors import UnknownNameError
from pullback.frontend.functions.scopes import Path


class Namespace:
    """The globals of a module, compared by identity."""

    __slots__ = ("__weakref__", "names")
    _made: ClassVar[WeakValueDictionary[int, Namespace]] = WeakValueDictionary()
    """One for each module, as long as a path goes through it."""

    def __init__(self, names: dict[str, object]) -> None:
        self.names = names

    @classmethod
    def of(cls, names: dict[str, object]) -> Namespace:
        found = cls._made.get(id(names))
        if found is None or found.names is not names:
            found = cls._made[id(names)] = cls(names)
        return found


class Missing:
    """What is read where there is nothing (any more)."""


MISSING = Missing()


def read(path: Path, function: object, args: tuple[object, ...]) -> object:
    """The value at a path now; MISSING if there is none."""
    value: object = MISSING
    for step in path:
        value = _step(value, step, function, args)
        if value is MISSING:
            return MISSING
    return value


def _step(
    value: object, step: tuple[object, ...], function: object, args: tuple[object, ...]
) -> object:
    match step:
        case ("function",):
            return function
        case ("arg", int(k)):
            return args[k]
        case ("global", Namespace() as space, str(name)):
            return space.names.get(name, MISSING)
        case ("class", type() as cls):
            return cls
        case ("cell", int(k)):
            try:
                cells = cast("tuple[CellType, ...] | None", getattr(value, "__closure__", None))
                return (cells or ())[k].cell_contents
            except (ValueError, IndexError):
                return MISSING
        case ("default", int(k)):
            defaults: tuple[object, ...] = getattr(value, "__defaults__", None) or ()
            return defaults[k] if -len(defaults) <= k < len(defaults) else MISSING
        case ("kwdefault", str(name)):
            keywords: dict[str, object] = getattr(value, "__kwdefaults__", None) or {}
            return keywords.get(name, MISSING)
        case ("attr", str(name)):
            return getattr(value, name, MISSING)
        case ("item", int(k)):
            items = cast("tuple[object, ...]", value)
            return items[k] if k < len(items) else MISSING
        case ("key", key):
            return cast("dict[object, object]", value).get(key, MISSING)
        case ("operator", int(k)):
            parts: tuple[object, ...] = getattr(value, "__pullback_operator__", ())
            return parts[k] if k < len(parts) else MISSING
        case ("field_default", str(name)):
            return _field_default(value, name)
        case ("default_factory", str(name)):
            fields: dict[str, object] = getattr(value, "__dataclass_fields__", {})
            return getattr(fields.get(name), "default_factory", MISSING)
        case _:
            raise AssertionError(f"no such step of a path: {step}")


def _field_default(cls: object, name: str) -> object:
    if dataclasses.is_dataclass(cls):
        for f in dataclasses.fields(cls):
            if f.name == name:
                return f.default
    defaults: dict[str, object] = getattr(cls, "_field_defaults", {})
    return defaults.get(name, MISSING)


def describe_path(path: Path) -> str:
    """What to call the place in a message."""
    parts = []
    for step in path:
        match step:
            case ("global", _, str(name)):
                parts.append(f"global {name!r}")
            case ("arg", int(k)):
                parts.append(f"argument {k + 1}")
            case ("cell", int(k)):
                parts.append(f"captured variable {k + 1}")
            case (str(kind), *rest):
                parts.append(" ".join([kind, *map(str, rest)]))
            case _:
                parts.append(str(step))
    return ", ".join(parts)


__all__ = ["MISSING", "Namespace", "UnknownNameError", "describe_path", "read"]
