"""Conversions that build a value again before it goes in.

Where a class is not plain (``code.fields``), compiled code reads and makes instances of a
*stand-in*, which is a plain class with the same fields: a value is built again of stand-ins, and a
result of stand-ins is built again of the user's classes. An object with attributes of which the
program does not know is built again without them.
"""

from __future__ import annotations

from pullback.call.code.conversion import Conversion
from pullback.call.pytrees import Mapper, as_it_is
from pullback.call.shapes import Shape
from pullback.frontend.derivatives.homes import Homes
from pullback.native.builtin import Builtin


def _read(shape: Shape, leaf: object) -> object:
    return shape.native(leaf)


class Trimmed(Conversion):
    """The conversions of one layout, in which objects may have more attributes than it says."""

    @property
    def encode(self) -> Builtin:
        def encode(value: object, first: int, copy: bool, tangent: object = None) -> object:
            found = inner(value, first, copy, tangent)
            if found is not NotImplemented:
                return found
            try:
                value = Mapper(_read).value(self.layout.root, value)
            except Exception:  # the general way finds out what is wrong
                return NotImplemented
            return inner(value, first, copy, tangent)

        inner = super().encode
        return encode


class Translated(Conversion):
    """The conversions of one layout, with stand-ins between the user's objects and words."""

    by_itself = False

    def _native(
        self, value: object, homes: Homes | None = None, gaps: bool = False, adjoint: bool = False
    ) -> object:
        mapper = Mapper(_read, homes, True, gaps, of_native=gaps, adjoint=adjoint)
        return mapper.value(self.layout.root, value)

    def _own(
        self, native: object, *of: object, gaps: bool = False, adjoint: bool = False
    ) -> object:
        mapper = Mapper(as_it_is, gaps=gaps, of_native=True, adjoint=adjoint)
        return mapper.value(self.layout.root, native, *of)

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
        return lambda block, cells, given: self._own(
            inner(block[0], cells, given), block[1], gaps=True, adjoint=True
        )

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
                native = self._native(given, gaps=True, adjoint=True)
            except Exception:  # it is not in normal form
                return NotImplemented
            return inner(residual, first, handles, native, cells)

        return seed


__all__ = ["Translated", "Trimmed"]
