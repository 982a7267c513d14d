"""Ranges and slices, as results: start, stop and step."""

from __future__ import annotations

from typing import Any

from pullback.call.code.reading import Making, Reading, Sources
from pullback.call.shape import Leaves, Made, shape_of
from pullback.call.shapes.unsupported import Unsupported
from pullback.frontend.kinds.kinds import RangeK
from pullback.native.builder import increment
from pullback.native.pyabi import TUPLE_ITEMS


class Range(Unsupported, of=RangeK):
    """A range or a slice; in a tangent ``None``. It is no argument."""

    def __init__(self, kind: RangeK, declared: object) -> None:
        super().__init__(kind, declared)
        self.bounds = tuple(map(shape_of, kind.items))
        self.made_of = _range if kind.cls is range else _slice

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        bounds = tuple(bound.value(leaves, made, False) for bound in self.bounds)
        return None if gradient else self.made_of(bounds)

    def decode(self, m: Making, sources: Sources) -> str:
        c = m.code
        if m.reading is not Reading.VALUE:
            for _ in self.types:
                next(sources)
            return increment(c, "@pb_none")
        bounds = m.checked(c.call("ptr", "PyTuple_New", f"i64 {len(self.bounds)}"))
        for k, bound in enumerate(self.bounds):
            c.store("ptr", bound.decode(m, sources), bounds, TUPLE_ITEMS + 8 * k)
        build = m.names.symbol(self.made_of, self.made_of.__name__)
        made = c.call("ptr", "PyObject_CallOneArg", f"ptr @{build}", f"ptr {bounds}")
        c.call("void", "Py_DecRef", f"ptr {bounds}")
        return m.checked(made)


def _range(bounds: tuple[Any, ...]) -> range:
    return range(*bounds)


def _slice(bounds: tuple[Any, ...]) -> slice:
    return slice(*bounds)
