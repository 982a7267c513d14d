"""The axes along which structures of arrays are mapped, for ``pb.vmap``.

``axes`` is a tree as in JAX: a number for all arrays below, ``None`` for a part that is not mapped,
or a tuple, list, dict or record of such trees. Inside compiled code the front end translates these
functions (``frontend/library/batches.py``); elsewhere they run as plain Python::

    axes_of((0, None))                    the one object for this tree
    size_of((x, y), axes)                 len(x)
    taken((x, y), axes, i)                (x[i], y)
    placed((r, s), axes)                  (r, s[0]), which has to be the same in all rows
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.structures import is_leaf, made_of, parts_of

Tree = Any


class Axes:
    """A tree of axes. There is one object for each, so compiled code knows it by its identity."""

    __slots__ = ("tree",)

    def __init__(self, tree: Tree) -> None:
        self.tree = tree


_known: dict[object, Axes] = {}


def _key(tree: Tree) -> object:
    """Return a key that is equal for equal trees of axes only."""
    parts = parts_of(tree)
    if parts is not None:
        names = tuple(tree) if isinstance(tree, dict) else ()
        return type(tree), names, tuple(map(_key, parts))
    if tree is not None and (isinstance(tree, bool) or not isinstance(tree, int | np.integer)):
        raise ArgumentTypeError(f"an axis is a number or None, not {tree!r}", AXES)
    return tree


AXES = "write in_axes=0, or one axis for each argument: in_axes=(0, None)"
WHOLE = "give in_axes=None to what is not mapped"


def axes_of(tree: Tree) -> Axes:
    """Return the one object for a tree of axes. Raises ``TypeError`` for anything else."""
    if isinstance(tree, Axes):
        return tree
    return _known.setdefault(_key(tree), Axes(tree))


def below(axes: Tree, parts: int, names: tuple[object, ...]) -> list[Tree]:
    """Return the axes of the parts of a structure; ``names``: the keys of a dict."""
    inside = parts_of(axes)
    if inside is None:
        return [axes] * parts
    if len(inside) != parts or (isinstance(axes, dict) and tuple(axes) != names):
        raise ArgumentValueError(f"the axes {axes!r} for a structure of {parts} parts", AXES)
    return list(inside)


def _mapped(tree: Tree, axes: Tree) -> Iterator[tuple[Any, int]]:
    """Iterate over the arrays that are mapped, with their axes."""
    if axes is None:
        return
    parts = parts_of(tree)
    if parts is None:
        if is_leaf(tree, False):
            yield tree, axes
        return
    for part, inside in zip(parts, below(axes, len(parts), _names(tree)), strict=True):
        yield from _mapped(part, inside)


def _names(tree: Tree) -> tuple[object, ...]:
    return tuple(tree) if isinstance(tree, dict) else ()


def size_of(args: tuple[Tree, ...], axes: Axes) -> int:
    """Return how many elements are mapped. Raises ``ValueError`` if the arrays disagree."""
    sizes = {np.shape(x)[axis] for x, axis in _mapped(args, axes.tree)}
    if len(sizes) != 1:
        raise ArgumentValueError(DIFFERENT if sizes else NOTHING, AXES)
    return int(sizes.pop())


DIFFERENT = "pb.vmap: the mapped axes have different sizes"
NOTHING = "no argument is mapped"


def size_from(known: int, tree: Tree, axes: Axes) -> int:
    """Return how many elements are mapped in a part of the arguments, if that is as many as are
    known from others (-1: nothing is known). Inside compiled code only, as the next two."""
    for x, axis in _mapped(tree, axes.tree):
        known = agreed(known, np.shape(x)[axis])
    return known


def agreed(known: int, size: int) -> int:
    """Return the size, if it is the one that is known."""
    if known >= 0 and size != known:
        raise ValueError(DIFFERENT)
    return size


def size_of_items(known: int, items: list[Tree], axes: Axes) -> int:
    """Return how many elements are mapped in a list whose length only the run knows."""
    for x in items:
        known = size_from(known, x, axes)
    return known


def taken_of_items(items: list[Tree], axes: Axes, i: int) -> list[Tree]:
    """Return the part of one element in such a list."""
    return [taken((x,), axes, i)[0] for x in items]


def taken(args: tuple[Tree, ...], axes: Axes, i: int) -> tuple[Tree, ...]:
    """Return the arguments of one element."""
    found: tuple[Tree, ...] = _each(args, axes.tree, lambda x, axis: np.take(x, i, axis)[()])
    return found


def _each(tree: Tree, axes: Tree, f: Any, otherwise: Any = None) -> Tree:
    """Apply ``f`` to the arrays that have an axis, and the axis; ``otherwise`` to those that have
    none."""
    parts = parts_of(tree)
    if axes is None and otherwise is None:
        return tree
    if parts is None:
        if not is_leaf(tree, False):
            return tree
        return otherwise(tree) if axes is None else f(tree, axes)
    inside = below(axes, len(parts), _names(tree))
    return made_of(tree, [_each(p, a, f, otherwise) for p, a in zip(parts, inside, strict=True)])


def placed(results: Tree, axes: Axes) -> Tree:
    """Return the results of all elements, whose first axis is that of the elements, with this axis
    in its place. Raises ``ValueError`` if a result should have no such axis, and the elements
    differ."""
    return _each(results, axes.tree, lambda x, axis: np.moveaxis(x, 0, axis), same)


def same(x: Any) -> Any:
    """Return the item that is the same in all rows."""
    if len(x) == 0:
        raise ValueError("pb.vmap: out_axes=None without any element")
    if not np.all((x == x[0]) | (np.isnan(x) & np.isnan(x[0]))):
        raise ValueError("pb.vmap: a result with out_axes=None differs from element to element")
    return x[0]


__all__ = [
    "AXES", "DIFFERENT", "NOTHING", "WHOLE", "Axes", "agreed", "axes_of", "below", "placed", "same",
    "size_from", "size_of", "size_of_items", "taken", "taken_of_items",
]  # fmt: skip
