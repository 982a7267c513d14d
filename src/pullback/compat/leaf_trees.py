"""Structures as these libraries go through them: dicts by their keys in order, and anything that is
no dict, list, tuple, dataclass or None as a leaf."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

Tree = Any


def in_order(tree: Tree) -> Tree:
    """Return the structure with the keys of its dicts in order."""
    return mapped(lambda leaf: leaf, tree)


def mapped(f: Callable[..., Any], tree: Tree, *rest: Tree, is_leaf: Any = None) -> Tree:
    """Return the structure with ``f`` of its leaves; ``rest``: others, whose parts in the same
    places are further arguments of ``f``. Raises ``ValueError`` if they differ in their parts."""
    if is_leaf is not None and is_leaf(tree):
        return f(tree, *rest)
    if tree is None:
        if any([other is not None for other in rest]):
            raise ValueError("Expected None, got a value in another structure")
        return None
    if isinstance(tree, dict):
        names = tuple(sorted(tree))
        if any([tuple(sorted(other)) != names for other in rest]):
            raise ValueError("Dict key mismatch between the structures")
        return {
            name: mapped(f, tree[name], *[other[name] for other in rest], is_leaf=is_leaf)
            for name in names
        }
    if isinstance(tree, list):
        return [
            mapped(f, *each, is_leaf=is_leaf) for each in zip(tree, *rest, strict=True)
        ]
    if isinstance(tree, tuple):
        parts = tuple(
            [mapped(f, *each, is_leaf=is_leaf) for each in zip(tree, *rest, strict=True)]
        )
        return type(tree)(*parts) if hasattr(tree, "_fields") else parts
    if is_dataclass(tree) and not isinstance(tree, type):
        return replace(tree, **{
            name: mapped(
                f, getattr(tree, name), *[getattr(o, name) for o in rest], is_leaf=is_leaf
            )
            for name in [field.name for field in fields(tree)]
        })  # fmt: skip
    return f(tree, *rest)


def leaves_in_order(tree: Tree, is_leaf: Any = None) -> tuple[Any, ...]:
    """Return the leaves of a structure."""
    if is_leaf is not None and is_leaf(tree):
        return (tree,)
    if tree is None:
        return ()
    if isinstance(tree, dict):
        parts = tuple([tree[name] for name in sorted(tree)])
    elif isinstance(tree, list | tuple):
        parts = tuple(tree)
    elif is_dataclass(tree) and not isinstance(tree, type):
        parts = tuple([getattr(tree, field.name) for field in fields(tree)])
    else:
        return (tree,)
    return tuple([leaf for part in parts for leaf in leaves_in_order(part, is_leaf)])


def filled(tree: Tree, values: tuple[Any, ...]) -> tuple[Tree, tuple[Any, ...]]:
    """Return the structure with the first of these values as its leaves, and the others."""
    if tree is None:
        return None, values
    if isinstance(tree, dict):
        names = tuple(sorted(tree))
        parts, left = _filled_parts(tuple([tree[name] for name in names]), values)
        return {name: part for name, part in zip(names, parts, strict=True)}, left
    if isinstance(tree, list):
        parts, left = _filled_parts(tuple(tree), values)
        return list(parts), left
    if isinstance(tree, tuple):
        parts, left = _filled_parts(tuple(tree), values)
        return (type(tree)(*parts) if hasattr(tree, "_fields") else parts), left
    if is_dataclass(tree) and not isinstance(tree, type):
        names = tuple([field.name for field in fields(tree)])
        parts, left = _filled_parts(tuple([getattr(tree, name) for name in names]), values)
        return replace(tree, **dict(zip(names, parts, strict=True))), left
    return values[0], values[1:]


def _filled_parts(
    parts: tuple[Tree, ...], values: tuple[Any, ...]
) -> tuple[tuple[Tree, ...], tuple[Any, ...]]:
    if len(parts) == 0:
        return (), values
    first, left = filled(parts[0], values)
    others, left = _filled_parts(parts[1:], left)
    return (first, *others), left


__all__ = ["filled", "in_order", "leaves_in_order", "mapped"]
