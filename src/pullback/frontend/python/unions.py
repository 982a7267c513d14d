"""Unions of classes as declared sums, and the tables that hold them.

A union is identified by its classes, by the ranks of the arrays in them and by the arguments of
generic classes: never by what was compiled before. The kinds of arguments mention unions, so such
unions exist before a program does; their table keeps none of them alive. A union whose nodes hold
functions belongs to one program, since the set of these functions is known of a program only.
"""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable, Hashable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol
from weakref import WeakValueDictionary

from pullback.core.frozen import dataclass, field
from pullback.core.types import Decl, Variant
from pullback.core.waiting import Lock
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.kinds import ArrayK, Kind, RecordK, leaf_types, static_kind
from pullback.frontend.python.fingerprints import fingerprint, shallow, text_of_class, text_of_kind

ArrayKinds = tuple[tuple[type, str, ArrayK], ...]
"""The kinds of the array fields inside a union, because annotations do not say the rank."""

Arguments = Mapping[type, tuple[Kind, ...]]
"""The arguments of the generic classes of a union."""

NO_ARGUMENTS: Arguments = {}
_NESTED = 3  # a generic class may use itself with other arguments so deep


@dataclass(eq=False, slots=True, weakref_slot=True)
class Union:
    """The alternatives of a value: frozen dataclasses, and perhaps None. There is one object for
    each choice of classes, ranks and arguments (compared by identity), as long as something
    mentions it."""

    name: str
    classes: tuple[type, ...]
    fields: dict[type, tuple[tuple[str, Kind], ...]] = field(default_factory=dict)
    arrays: ArrayKinds = ()
    arguments: Arguments = field(default_factory=dict)
    of_program: bool = False
    """Whether its nodes hold functions, so that it belongs to one program."""
    merged: Union | None = None
    """The union that is equal to this one since the functions in both were found to be the same."""
    primal: Union | None = None
    """If this is the union of gradients, the union of their values; see ``gradients``."""
    gradient: Union | None = None
    """The union of the gradients by its values, once there is one."""

    def class_names(self) -> list[str]:
        return ["None" if c is types.NoneType else c.__name__ for c in self.classes]

    def tag(self, cls: type) -> int:
        return self.classes.index(cls)

    def agrees(self, other: Union) -> bool:
        """Whether the classes that are in both have the same arguments."""
        mine, others = self.arguments, other.arguments
        return all(others.get(c, k) == k for c, k in mine.items())

    def variant_kind(self, cls: type) -> Kind:
        """Return the kind of an unpacked value of one alternative."""
        if cls is types.NoneType:
            return static_kind(None)
        return RecordK(cls, self.fields[cls])

    def variant_kinds(self) -> tuple[Kind, ...]:
        return tuple(map(self.variant_kind, self.classes))

    def decl(self) -> Decl:
        return Decl(
            self.name,
            tuple(
                Variant(name, tuple(leaf_types(self.variant_kind(c))))
                for name, c in zip(self.class_names(), self.classes, strict=True)
            ),
        )


class Unions:
    """A table of unions. ``of_program``: it holds the unions of one program, whose nodes hold
    functions."""

    def __init__(self, of_program: bool = True) -> None:
        self.of_program = of_program
        self.made: MutableMapping[Hashable, Union] = {} if of_program else WeakValueDictionary()
        self.unfinished: dict[Hashable, Union] = {}  # unions whose fields are being resolved
        self.numbers = itertools.count()
        self.lock = Lock()

    def key(self, classes: tuple[type, ...], arrays: ArrayKinds, given: Arguments) -> Hashable:
        kinds = tuple(given.get(c, ()) for c in classes)
        if self.of_program:
            return classes, arrays, kinds
        return classes, arrays, tuple(tuple(map(shallow, ks)) for ks in kinds)

    def find(
        self, classes: tuple[type, ...], arrays: ArrayKinds, given: Arguments,
        fields_of: Callable[[type], tuple[tuple[str, Kind], ...]],
    ) -> Union:
        """Return the union of this key, the same object as long as something holds it. Other
        threads find it as soon as it, and the unions in its fields, are finished."""
        key = self.key(classes, arrays, given)
        found = self.made.get(key)
        if found is not None:
            return found
        with self.lock:
            found = self.made.get(key) or self.unfinished.get(key)
            return self._make(key, classes, arrays, given, fields_of) if found is None else found

    def _make(
        self, key: Hashable, classes: tuple[type, ...], arrays: ArrayKinds, given: Arguments,
        fields_of: Callable[[type], tuple[tuple[str, Kind], ...]],
    ) -> Union:
        union = Union("", classes, {}, arrays, given, self.of_program)
        same = [u for u in self.unfinished.values() if u.classes == classes]
        if sum(len(u.fields) < len([*_records(u)]) for u in same) >= _NESTED:
            raise ArgumentTypeError(
                f"{union.class_names()[0]} holds itself with ever other type arguments",
                "give a class inside of itself the parameters that it has",
            )
        union.name = f"{'_'.join(union.class_names())}.{self._mark(classes, arrays, given)}"
        outermost = not self.unfinished
        self.unfinished[key] = union
        try:
            for cls in _records(union):
                union.fields[cls] = fields_of(cls)
            if outermost:
                self.made.update(self.unfinished)
        finally:
            if outermost:
                self.unfinished.clear()
        return union

    def _mark(self, classes: tuple[type, ...], arrays: ArrayKinds, given: Arguments) -> str:
        """Return a text that distinguishes unions of classes with the same names."""
        if self.of_program:
            return f"f{next(self.numbers)}"
        texts = [text_of_class(c) for c in classes]
        texts += [f"{text_of_class(c)}.{name} {kind}" for c, name, kind in arrays]
        texts += [text_of_kind(k) for c in classes for k in given.get(c, ())]
        return fingerprint(texts)


def _records(union: Union) -> Iterator[type]:
    return (c for c in union.classes if c is not types.NoneType)


class FunctionFields(Protocol):
    """The functions that flow into fields (and type arguments), which are known of a program only.
    ``unions``: the unions that have such fields; ``declared``: all unions that the program uses so
    far."""

    unions: Unions
    declared: dict[str, Union]

    def field(self, place: Hashable) -> Kind:
        """Return the kind of the functions in a place."""
        ...


_DATA = Unions(of_program=False)
_PROGRAM: ContextVar[FunctionFields | None] = ContextVar("program", default=None)


@contextmanager
def functions_of(program: FunctionFields | None) -> Iterator[None]:
    """Let fields that are declared ``Callable`` hold the functions of ``program`` while it is being
    made. (None: values from outside are looked at.)"""
    token = _PROGRAM.set(program)
    try:
        yield
    finally:
        _PROGRAM.reset(token)


def function_field(place: Hashable, what: str) -> Kind:
    """Return the kind of the functions in a field."""
    program = _PROGRAM.get()
    if program is None:
        raise ArgumentTypeError(
            f"{what} is a function: data with functions inside of nodes cannot come from outside",
            "pass the numbers that it captures, and make the data in the function itself",
        )
    return program.field(place)


def union_of(
    classes: tuple[type, ...], arrays: ArrayKinds, given: Arguments, functions: bool,
    fields_of: Callable[[type], tuple[tuple[str, Kind], ...]],
) -> Union:
    """Return the union of these classes. ``functions``: its nodes hold some."""
    program = _PROGRAM.get()
    table = _DATA if not functions else Unions() if program is None else program.unions
    return table.find(classes, arrays, given, fields_of)


def declared_unions() -> list[Union]:
    """Return the unions that the program being made uses so far; none outside of a program."""
    program = _PROGRAM.get()
    return [] if program is None else list(program.declared.values())


__all__ = [
    "NO_ARGUMENTS", "Arguments", "ArrayKinds", "FunctionFields", "Union", "Unions",
    "declared_unions", "function_field", "functions_of", "union_of",
]  # fmt: skip
