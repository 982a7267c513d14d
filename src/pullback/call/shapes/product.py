"""Values with a static number of parts: the code that tuples, records and dicts share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence

from pullback.call.given import What
from pullback.call.shape import Shape
from pullback.call.trees import Form, Writer, tuple_form
from pullback.core.types import Type
from pullback.frontend.kinds.kinds import Kind
from pullback.frontend.python.exact import require_exact
from pullback.native import Tree


class Product(Shape):
    """A value of these items. Its leaves are theirs, one after another."""

    def __init__(self, kind: Kind, items: tuple[Shape, ...]) -> None:
        super().__init__(kind)
        self.items = items

    def parts(self) -> tuple[Shape, ...]:
        return self.items

    def leaf_types(self) -> Iterator[Type]:
        for item in self.items:
            yield from item.types

    def root_numbers(self, given: object, what: What) -> Iterator[object]:
        for item, part in zip(self.items, self.given(given, len(self.items), what), strict=True):
            yield from item.root_numbers(part, what)

    # --- entry points ---

    @abstractmethod
    def fits(self, w: Writer, at: str) -> str:
        """The condition that an object is of this class, with as many items."""

    @abstractmethod
    def reach(self, w: Writer, at: str) -> list[str]:
        """The expressions of the items."""

    @abstractmethod
    def finish(self) -> Callable[[Iterable[object]], object] | None:
        """What makes the value of the tuple of its items; None: it is the tuple."""

    def argument(self, w: Writer, at: str) -> tuple[Tree, str] | None:
        w.check(self.fits(w, at))
        pairs = zip(self.items, self.reach(w, at), strict=True)
        return w.together([item.argument(w, x) for item, x in pairs])

    def tangent_argument(
        self, w: Writer, at: str, sizes: Iterator[str]
    ) -> tuple[Tree, str] | None:
        w.check(self.fits(w, at))
        pairs = zip(self.items, self.reach(w, at), strict=True)
        return w.together([item.tangent_argument(w, x, sizes) for item, x in pairs])

    def result_form(self) -> Form | None:
        return tuple_form([item.result_form() for item in self.items], self.finish())

    def gradient_form(self) -> Form | None:
        return tuple_form([item.gradient_form() for item in self.items], self.finish())

    def tangent_form(self) -> Form | None:
        return tuple_form([item.tangent_form() for item in self.items], self.finish())

    def sizes(self, at: str, w: Writer | None) -> Iterator[str]:
        in_tree = [f"{at}[{j}]" for j in range(len(self.items))]
        for item, x in zip(self.items, in_tree if w is None else self.reach(w, at), strict=True):
            yield from item.sizes(x, w)

    def blank(self, sizes: Iterator[tuple[int, ...] | int]) -> Iterator[object]:
        for item in self.items:
            yield from item.blank(sizes)


def items_of(shape: Shape, value: object, count: int = -1) -> Sequence[object]:
    """The items of a list or tuple, which has ``count`` of them."""
    require_exact(value)
    if not isinstance(value, (list, tuple)) or count not in (-1, len(value)):
        raise shape.mismatch(value)
    return value
