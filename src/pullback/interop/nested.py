"""Nested tuples, lists and dicts of what a neighbour has in place of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


def leaves(tree: Any) -> Iterator[Any]:
    """Return what is inside of tuples, lists and dicts, from left to right."""
    if isinstance(tree, dict):
        for item in tree.values():
            yield from leaves(item)
    elif isinstance(tree, tuple | list):
        for item in tree:
            yield from leaves(item)
    else:
        yield tree


def rebuilt(tree: Any, given: Sequence[Any]) -> Any:
    """Return a tree of the same form with other leaves."""
    return _rebuilt(tree, iter(given))


def _rebuilt(tree: Any, given: Iterator[Any]) -> Any:
    if isinstance(tree, dict):
        return type(tree)((key, _rebuilt(item, given)) for key, item in tree.items())
    if isinstance(tree, tuple | list):
        items = [_rebuilt(item, given) for item in tree]
        return type(tree)(*items) if hasattr(tree, "_fields") else type(tree)(items)
    return next(given)


def like(tree: Any, gradient: Any) -> Iterator[Any]:
    """Return the leaves of a gradient in the places of those of the tree; None: there is none."""
    if isinstance(tree, dict):
        for key, item in tree.items():
            yield from like(item, None if gradient is None else gradient[key])
    elif isinstance(tree, tuple | list):
        for k, item in enumerate(tree):
            yield from like(item, None if gradient is None else gradient[k])
    else:
        yield gradient


__all__ = ["leaves", "like", "rebuilt"]
