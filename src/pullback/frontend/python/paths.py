"""Name the place at which every call of compiled code finds a Python value.

A path starts at the function, at an argument, at a global variable or at a class, and goes on
through closure cells, defaults, fields and items:

    (("arg", 0), ("cell", 1))      the second variable that the first argument, a function, captured
    (("global", namespace, "g"),)  the global variable g of that module
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from pullback.core.frozen import dataclass
from pullback.errors import StaticValueError, UnknownNameError
from pullback.frontend.functions.scopes import Path
from pullback.frontend.kinds.plain_kinds import StaticK, static_kind
from pullback.frontend.python.container_bases import held_in
from pullback.frontend.python.managed_functions import form_of, is_managed


class Namespace:
    """The globals of a module, compared by identity."""

    __slots__ = ("__weakref__", "names")
    _made: ClassVar[WeakValueDictionary[int, Namespace]] = WeakValueDictionary()
    """One namespace for each module, as long as a path goes through it."""

    def __init__(self, names: dict[str, object]) -> None:
        self.names = names

    def __repr__(self) -> str:
        return f"Namespace of {self.names.get('__name__')}"  # the same in each process

    @classmethod
    def of(cls, names: dict[str, object]) -> Namespace:
        found = cls._made.get(id(names))
        if found is None or found.names is not names:
            found = cls._made[id(names)] = cls(names)
        return found


Holder = type | ModuleType | FunctionType


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of a class, module or function: a place that a program may assign."""

    holder: Holder
    name: str

    @classmethod
    def of_global(cls, names: object, name: str) -> Attribute | None:
        """Return a global variable as an attribute of its module, None if no module has it."""
        module = sys.modules.get(str(names.get("__name__"))) if isinstance(names, dict) else None
        known = module is not None and vars(module) is names and name in vars(module)
        return cls(module, name) if module is not None and known else None

    @property
    def path(self) -> Path:
        """The path by which it is read, in the class or module itself."""
        if not isinstance(self.holder, ModuleType):
            return (("class", self.holder), ("own", self.name))
        return (("global", Namespace.of(vars(self.holder)), self.name),)

    @property
    def value(self) -> object:
        """What it holds now, MISSING if it is not there."""
        return vars(self.holder).get(self.name, MISSING)


class Missing:
    """The value of a path that leads nowhere (any more)."""


MISSING = Missing()

Step = tuple[Any, ...]
Arguments = tuple[object, ...]


def read(path: Path, function: object, args: tuple[object, ...]) -> object:
    """Return the value at a path now; MISSING if there is none."""
    value: Any = MISSING
    for step in path:
        value = _STEPS[step[0]](value, step, function, args)
        if value is MISSING:
            return MISSING
    return value


def _cell(value: Any, step: Step, function: object, args: Arguments) -> object:
    try:
        return (getattr(value, "__closure__", None) or ())[step[1]].cell_contents
    except (ValueError, IndexError):
        return MISSING


def _item(items: Any, k: int, least: int = 0) -> object:
    return items[k] if least <= k < len(items) else MISSING


def _default(value: Any, step: Step, function: object, args: Arguments) -> object:
    defaults = getattr(value, "__defaults__", None) or ()
    return _item(defaults, step[1], -len(defaults))


def _factory(value: Any, step: Step, function: object, args: Arguments) -> object:
    fields = getattr(value, "__dataclass_fields__", {})
    return getattr(fields.get(step[1]), "default_factory", MISSING)


_STEPS: dict[object, Callable[[Any, Step, object, Arguments], object]] = {
    "function": lambda value, step, function, args: function,
    "arg": lambda value, step, function, args: args[step[1]],
    "global": lambda value, step, function, args: step[1].names.get(step[2], MISSING),
    "class": lambda value, step, function, args: step[1],
    "cell": _cell,
    "default": _default,
    "kwdefault": lambda value, step, function, args: (
        getattr(value, "__kwdefaults__", None) or {}
    ).get(step[1], MISSING),
    "attr": lambda value, step, function, args: getattr(value, step[1], MISSING),
    "held": lambda value, step, function, args: held_in(value, step[1]),
    "own": lambda value, step, function, args: getattr(value, "__dict__", {}).get(step[1], MISSING),
    "item": lambda value, step, function, args: _item(value, step[1]),
    "key": lambda value, step, function, args: value.get(step[1], MISSING),
    "operator": lambda value, step, function, args: _item(
        getattr(value, "__pullback_operator__", ()), step[1]
    ),
    "field_default": lambda value, step, function, args: _field_default(value, step[1]),
    "default_factory": _factory,
    "managed": lambda value, step, function, args: (
        form_of(value) if is_managed(value) else MISSING
    ),
    "metadata": lambda value, step, function, args: dict(getattr(value, "metadata", {})),
}
"""How each step of a path goes on from the value before it. (A table, since paths are read in
every call, and ``match`` with a pattern such as ``str(name)`` takes longer and makes a string that
CPython 3.11 keeps in its cache of methods.)"""


def _field_default(cls: object, name: str) -> object:
    if dataclasses.is_dataclass(cls):
        fields = getattr(cls, "__dataclass_fields__", {})  # an InitVar is none of fields(cls)
        if name in fields:
            return fields[name].default
    defaults: dict[str, object] = getattr(cls, "_field_defaults", {})
    return defaults.get(name, MISSING)


def describe_path(path: Path) -> str:
    """Return the words for the place in a message."""
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


def static_value(
    path: Path, what: str, function: FunctionType, args: tuple[object, ...] | None
) -> StaticK:
    """Return the number at a place that must be known when the function is compiled; ``what`` says
    why."""
    value = MISSING if args is None and path[0][0] == "arg" else read(path, function, args or ())
    if not isinstance(value, (int, float)):
        raise StaticValueError(
            f"{describe_path(path)} must be known when the function is compiled: {what}",
            "pass a Python number",
        )
    return static_kind(value)


__all__ = [
    "MISSING", "Attribute", "Holder", "Namespace", "UnknownNameError", "describe_path", "read",
    "static_value",
]  # fmt: skip
