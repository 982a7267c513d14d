"""Conversions of kinds with classes that are not plain (``code.fields``).

Compiled code reads and makes instances of *stand-ins*, which are plain classes with the same
fields. A value is built again of stand-ins before it goes in; a result of stand-ins is
built again of the user's classes.
"""

from __future__ import annotations

from pullback.call.code.conversion import Conversion
from pullback.call.pytrees import Mapper
from pullback.call.shapes import Shape
from pullback.frontend.derivatives.homes import Homes
from pullback.native.builtin import Builtin


def _same(shape: Shape, leaf: object) -> object:
    return leaf


class Translated(Conversion):
    """The conversions of one layout, with stand-ins between the user's objects and words."""

    by_itself = False

    def _native(self, value: object, homes: Homes | None = None, gaps: bool = False) -> object:
        return Mapper(_same, homes, True, gaps).value(self.layout.root, value)

    def _own(self, native: object, gaps: bool = False) -> object:
        return Mapper(_same, gaps=gaps).value(self.layout.root, native)

    @property
    def encode(self) -> Builtin:
        def encode(value: object, first: int, copy: bool, tangent: object = None) -> object:
            homes = Homes(self.layout.root.kind) if self.layout.one_home else None
            try:
                native = self._native(value, homes)
                along = None if tangent is None else self._native(tangent, gaps=True)
            except Exception:  # the general way finds out what is wrong
                return NotImplemented
            found = inner(native, first, copy, along)
            if not isinstance(found, tuple):
                return found
            return (found[0], native), *found[1:]  # a property may have made what is pointed to

        inner = super().encode
        return encode

    @property
    def gradient(self) -> Builtin:
        inner = super().gradient
        return lambda block, cells, given: self._own(inner(block[0], cells, given), gaps=True)

    @property
    def value(self) -> Builtin:
        inner = super().value
        return lambda block, cells, given: self._own(inner(block[0], cells, given))

    @property
    def result(self) -> Builtin:
        inner = super().result
        return lambda *place: self._own(inner(*place))

    @property
    def result_tangent(self) -> Builtin:
        inner = super().result_tangent
        return lambda *place: self._own(inner(*place), gaps=True)

    @property
    def seed(self) -> Builtin:
        inner = super().seed

        def seed(
            residual: object, first: int, handles: int, given: object, cells: object
        ) -> object:
            try:
                native = self._native(given, gaps=True)
            except Exception:  # it is not in normal form
                return NotImplemented
            return inner(residual, first, handles, native, cells)

        return seed


__all__ = ["Translated"]
