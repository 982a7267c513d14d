"""Compile-time values: this very object, and no leaf."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pullback.call.code.reading import Making, Reading, Sources
from pullback.call.code.writing import Slots, Where, Writing
from pullback.call.shape import Leaves, Made, NodeOf, Part, Shape
from pullback.call.trees import Form, Writer
from pullback.core.types import Type
from pullback.frontend.kinds.kinds import StaticK
from pullback.frontend.python.pytypes import type_of
from pullback.native import Nothing, Tree
from pullback.native.builder import increment


class Constant(Shape, of=StaticK):
    """This very object; in a gradient ``None``."""

    leaf = True

    def __init__(self, kind: StaticK, declared: object) -> None:
        super().__init__(kind)
        self.key, self.object = kind.key, kind.value

    def leaf_types(self) -> Iterator[Type]:
        return iter(())

    # --- values ---

    def inside(self, value: object) -> Sequence[Part]:
        return ()

    def made(self, parts: Sequence[object], like: object = None) -> object:
        return self.object

    def flatten(self, value: object, node: NodeOf, out: list[object]) -> None:
        return

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        return None if gradient else self.object

    # --- entry points ---

    @property
    def direct(self) -> bool:
        return self.object is None

    def argument(self, w: Writer, at: str) -> tuple[Tree, str] | None:
        if self.object is None:
            return Nothing(), at
        known, same = w.name("static", self.object), w.name("same", self._is_same)
        w.check(f"{at} is {known} or {same}({at})")
        return None

    def _is_same(self, value: object) -> bool:
        return type_of(value) == self.kind

    def result_form(self) -> Form | None:
        return Form(Nothing(), None if self.object is None else lambda _: self.object)

    def gradient_form(self) -> Form | None:
        return Form(Nothing())

    def tangent_argument(
        self, w: Writer, at: str, sizes: Iterator[str]
    ) -> tuple[Tree, str] | None:
        return None

    # --- compiled conversions ---

    def encode(self, w: Writing, obj: str, slots: Slots, where: Where) -> None:
        known = w.names.symbol(self.object, self.key)
        w.code.need(w.code.same(obj, "@" + known), "fail")

    def decode(self, m: Making, sources: Sources) -> str:
        plain = m.reading is Reading.VALUE
        obj = m.names.symbol(self.object, self.key) if plain else "pb_none"
        return increment(m.code, f"@{obj}")

    def seed(self, m: Making, given: str, sources: Sources) -> None:
        return
