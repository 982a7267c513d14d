"""Arrays whose ids need not be stored: consecutive ids in C order, or a view of such an array.

The ids of an input are consecutive, and so are those of an array that a loop builds. An id of such
an array is integer arithmetic on indices, which backward code can repeat, so nothing is kept for
it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.ad.cells import flatten, indices
from pullback.core.build import Builder, i64
from pullback.core.frozen import dataclass
from pullback.core.terms import Atom, Build, Static
from pullback.core.types import I64, Array


@dataclass(frozen=True)
class Numbered:
    """The ids of an array: that of an element is ``first`` plus the sum of its indices, each times
    its stride."""

    first: Atom
    strides: tuple[Atom, ...]
    whole: bool = False  # consecutive in C order

    @staticmethod
    def dense(b: Builder, first: Atom, extents: Sequence[Atom]) -> Numbered:
        """Return the numbering of an array with consecutive ids in C order."""
        strides: list[Atom] = [i64(1)]
        for n in reversed(extents[1:]):
            strides.append(n if len(strides) == 1 else b.prim("mul", strides[-1], n))
        return Numbered(first, tuple(reversed(strides)), whole=True)

    def id(self, b: Builder, idx: Sequence[Atom]) -> Atom:
        """Return the id of the element at these indices, none of which is negative."""
        out = self.first
        for i, stride in zip(idx, self.strides, strict=True):
            out = _moved(b, out, i, stride)
        return out

    def view(
        self, b: Builder, name: str, args: Sequence[Atom], static: Static
    ) -> Numbered | None:
        """Return the numbering of the view that a primitive returns; None if its ids have no
        strides."""
        axes = [a for a in static if isinstance(a, int)]
        match name:
            case "copy":
                return self
            case "transpose":
                return Numbered(self.first, tuple(self.strides[a] for a in axes))
            case "expand":
                strides = (*self.strides[: axes[0]], i64(0), *self.strides[axes[0] :])
                return Numbered(self.first, strides)
            case "reshape" if self.whole:
                return Numbered.dense(b, self.first, args)
            case "pick":
                rest = (*self.strides[: axes[0]], *self.strides[axes[0] + 1 :])
                first = _moved(b, self.first, args[0], self.strides[axes[0]])
                return Numbered(first, rest, whole=self.whole and axes[0] == 0)
            case "slice":
                start, _, by = args
                axis = axes[0]
                stride = b.prim("mul", self.strides[axis], by)
                strides = (*self.strides[:axis], stride, *self.strides[axis + 1 :])
                return Numbered(_moved(b, self.first, start, self.strides[axis]), strides)
            case _:
                return None


def consecutive(b: Builder, first: Atom, extents: Sequence[Atom]) -> Atom:
    """Emit an array of consecutive ids in C order."""
    idx, body = indices(len(extents)), Builder()
    place = body.prim("add", first, flatten(body, idx, tuple(extents)))
    return b.let(Build(tuple(extents), idx, body.block((place,))), (Array(I64, len(extents)),))[0]


def _moved(b: Builder, first: Atom, i: Atom, stride: Atom) -> Atom:
    return b.prim("add", first, i if stride == i64(1) else b.prim("mul", i, stride))


__all__ = ["Numbered", "consecutive"]
