"""In which union an object is: inside one argument of a derivative, in one only.

One class may be in several unions, and a node is of one of them. So an object that stands where
``A | B`` is declared and also where ``A | B | C`` is would be two nodes, and two variables; but
what is shared inside one argument is one.
"""

from __future__ import annotations

from pullback.core.types import Array, Real, Type
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.kinds import Kind, leaf_types, unions_in
from pullback.frontend.python.unions import Union


class TwoHomesError(ArgumentTypeError):
    """An object that is in two unions of one argument. ``first``: where it was met before.

    Broken: ``pb.grad(f)(Pair(n, n))`` where the fields are declared ``A | B`` and ``A | B | C``.
    Mended: ``Pair(n, replace(n))``, two objects."""

    def __init__(self, reason: str, rewrite: str = "", first: str = "") -> None:
        super().__init__(reason, rewrite)
        self.first = first


class Homes:
    """The unions of the objects in one value of a kind, of classes that are in several of them."""

    def __init__(self, kind: Kind) -> None:
        self.split = split_classes(kind)
        self.found: dict[int, tuple[Union, str]] = {}

    def enter(self, union: Union, value: object, where: str = "") -> None:
        """Note an object in a place; an error if it was in another union before."""
        if type(value) not in self.split:
            return
        home, first = self.found.setdefault(id(value), (union, where))
        if home is not union:
            raise TwoHomesError(
                f"one {type(value).__name__} where {_declared(home)} is declared and where "
                f"{_declared(union)} is: it would be two variables of a derivative",
                "make two objects of it, or declare the same classes in both places",
                first,
            )


def _declared(union: Union) -> str:
    return " | ".join(union.class_names())


def split_classes(kind: Kind) -> frozenset[type]:
    """Return the classes that are in several of the unions which values of this kind reach, and
    that lead to real numbers."""
    unions = _reached([kind])
    seen: set[type] = set()
    split: set[type] = set()
    for union in unions:
        split |= seen.intersection(union.classes)
        seen.update(union.classes)
    return frozenset(
        cls
        for cls in split
        if any(leads_to_reals(u.variant_kind(cls)) for u in unions if cls in u.classes)
    )


def _reached(todo: list[Kind]) -> list[Union]:
    found: dict[Union, None] = {}
    while todo:
        for union in unions_in(todo.pop()):
            if union not in found:
                found[union] = None
                todo += union.variant_kinds()
    return list(found)


def leads_to_reals(kind: Kind) -> bool:
    """Whether there are real numbers in it, or in what it reaches."""
    kinds = [kind, *(k for u in _reached([kind]) for k in u.variant_kinds())]
    return any(_real(t) for k in kinds for t in leaf_types(k))


def _real(t: Type) -> bool:
    while isinstance(t, Array):
        t = t.elem
    return isinstance(t, Real)


__all__ = ["Homes", "TwoHomesError", "leads_to_reals", "split_classes"]
