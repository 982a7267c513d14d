"""Arrays of small NumPy integers (uint8, int16, ...): data that is read where it lies."""

from __future__ import annotations

import numpy as np

from pullback.call.shape import Leaves, Made, NodeOf, Shape, shape_of
from pullback.call.shapes.array import Array
from pullback.call.trees import Form, Writer
from pullback.frontend.kinds.kinds import ArrayK, SmallK
from pullback.native import ArrayOf, Tree


class SmallArray(Array):
    """An ndarray of a small integer dtype. Its leaf is the same memory, of signed items."""

    def __init__(self, kind: SmallK, declared: object) -> None:
        assert isinstance(kind.held, ArrayK)
        super().__init__(kind.held, declared)
        self.kind = kind
        self.dtype = np.dtype(kind.dtype)
        self.signed = np.dtype(f"int{8 * self.dtype.itemsize}")
        self.descr = f"pb_descr_{kind.dtype}"

    def array(self, value: object) -> np.ndarray:
        found = super().array(value)
        if found.dtype.newbyteorder("=") != self.dtype:
            raise self.mismatch(value)
        return found

    def flatten(self, value: object, node: NodeOf, out: list[object]) -> None:
        out.append(np.require(self.array(value), self.dtype, "A").view(self.signed))

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        leaf = next(leaves)
        assert isinstance(leaf, np.ndarray)
        return None if gradient else leaf.view(self.dtype)

    def argument(self, w: Writer, at: str) -> tuple[Tree, str] | None:
        return ArrayOf(self.ty, self.rank, self.descr), at

    def result_form(self) -> Form | None:
        return None


def _shape(kind: SmallK, declared: object) -> Shape:
    return SmallArray(kind, declared) if isinstance(kind.held, ArrayK) else shape_of(kind.held)


Shape.classes[SmallK, None] = _shape
