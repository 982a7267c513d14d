"""The traversals of a language, written from the fields of its terms.

The annotation of a field says what stands there: what the term reads, what it binds, a body (a term
in which the term's bound variables are seen), a record of such fields, or a constant of any other
type; or a tuple of these. The code is written once for each class of terms, as ``dataclass`` writes
constructors: all passes go through all terms.

>>> from dataclasses import dataclass
>>> @dataclass
... class Sum:
...     count: Atom
...     index: Var
...     body: Block
...     kind: str
>>> grammar = Grammar("Atom", "Var", "Block")
>>> sum_ = grammar.traversals(Sum)
>>> term = Sum("n", "i", "f(i)", "tree")
>>> sum_.reads(term), sum_.bodies(term), sum_.constants(term)
(('n',), ((('i',), 'f(i)'),), ('tree',))
>>> sum_.mapped(term, str.upper, str.title, lambda v: v + "0")
Sum(count='N', index='i0', body='F(I)', kind='tree')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any, TypeVar, dataclass_transform

from pullback.core.frozen import dataclass, field

T = TypeVar("T")


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def term(cls: type[T]) -> type[T]:
    """Make a class of terms: a dataclass that is compared by identity. Only the type checker sees
    that nobody assigns to its fields: a constructor that makes sure takes three times as long, and
    passes write each term anew."""
    return dataclass(slots=True, eq=False)(cls)


@dataclass(frozen=True, slots=True)
class Traversals:
    """Functions of the terms of one class.

    ``reads(x)`` are the atoms that the term reads itself; ``bodies(x)`` its bodies, each with the
    variables that it sees bound (``nested``: there are such); ``constants(x)`` all else.
    ``mapped(x, read, body, bind)`` is the term with ``read`` of all that it reads, then ``bind`` of
    the variables and ``body`` of the bodies, in the order of the fields."""

    reads: Callable[[Any], tuple[Any, ...]]
    bodies: Callable[[Any], tuple[tuple[tuple[Any, ...], Any], ...]]
    constants: Callable[[Any], tuple[Any, ...]]
    mapped: Callable[..., Any]
    nested: bool


@dataclass(frozen=True, slots=True)
class Grammar:
    """What the annotations of a language mean: ``read``, ``bound`` and ``body`` are those of the
    three kinds of parts, ``records`` the classes of records."""

    read: str
    bound: str
    body: str
    records: tuple[type, ...] = ()

    def traversals(self, term: type) -> Traversals:
        """Return the traversals of a class of terms."""
        bodies = self._bodies(term)
        codes = (
            f"lambda x: {self._items(term, self.read)}", f"lambda x: ({bodies})",
            f"lambda x: {self._items(term, '')}",
            f"lambda x, read, body, bind: {self._mapped(term)}",
        )  # fmt: skip
        names = {c.__name__: c for c in (term, *self.records)}
        reads, bodies_of, constants, mapped = eval(", ".join(codes), names)
        return Traversals(reads, bodies_of, constants, mapped, bool(bodies))

    def _items(self, term: type, kind: str, x: str = "x") -> str:
        """Return the tuple of the items of the fields of one kind ("": the constants, whole)."""
        found = []
        for name, what, depth in self._fields(term):
            at = f"{x}.{name}"
            if what == kind:
                found.append((at, f"*{at}", f"*[b for a in {at} for b in a]")[depth if kind else 0])
        if len(found) == 1 and found[0].startswith("*x."):
            return found[0][1:]
        return f"({''.join(f'{item}, ' for item in found)})"

    def _bodies(self, term: type, x: str = "x") -> str:
        """Return the items of the tuple of bodies, with a comma behind each."""
        seen, text = self._items(term, self.bound, x), ""
        for name, what, _ in self._fields(term):
            if what == self.body:
                text += f"({seen}, {x}.{name}), "
            elif what in (records := self._recorded()):
                inside = self._bodies(records[what], "r").removesuffix(", ")
                text += f"*[{inside} for r in {x}.{name}], "
        return text

    def _mapped(self, term: type, x: str = "x") -> str:
        """Return the term with its parts mapped: what it reads first, then the other fields."""
        words = {self.read: "read", self.bound: "bind", self.body: "body"}
        first, last = list[str](), list[str]()
        for name, what, depth in self._fields(term):
            at, f = f"{x}.{name}", words.get(what)
            if what in (records := self._recorded()):
                at = f"tuple([{self._mapped(records[what], 'r')} for r in {at}])"
            elif f is not None:
                each = f"tuple([tuple(map({f}, a)) for a in {at}])"
                at = (f"{f}({at})", f"tuple(map({f}, {at}))", each)[depth]
            (first if what == self.read else last).append(f"{name}={at}")
        return f"{term.__name__}({', '.join(first + last)})"

    def _recorded(self) -> dict[str, type]:
        return {record.__name__: record for record in self.records}

    def _fields(self, term: type) -> Iterator[tuple[str, str, int]]:
        """Iterate over the fields: the name, the kind ("" for a constant), and how many tuples
        there are around it."""
        kinds = {self.read, self.bound, self.body, *self._recorded()}
        for f in fields(term):
            what, depth = str(f.type), 0
            while what.startswith("tuple[") and what.endswith(", ...]"):
                what, depth = what[len("tuple[") : -len(", ...]")], depth + 1
            if what not in kinds and kinds.intersection(re.findall(r"\w+", what)):
                raise TypeError(f"no traversal of {term.__name__}.{f.name}, which is a {f.type}")
            yield f.name, what if what in kinds else "", depth


__all__ = ["Grammar", "Traversals", "term"]
