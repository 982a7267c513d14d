"""``jax.tree_util``: structures and their leaves.

Dataclasses are structures without being registered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial as Partial  # JAX's name
from functools import reduce
from typing import Any

from pullback.compat.leaf_trees import filled, leaves_in_order, mapped
from pullback.compat.library_names import absent

Function = Callable[..., Any]


@dataclass(frozen=True)
class PyTreeDef:
    """A structure without its leaves."""

    tree: Any

    @property
    def num_leaves(self) -> int:
        """How many leaves it has."""
        return len(leaves_in_order(self.tree))

    def unflatten(self, leaves: Sequence[Any]) -> Any:
        """Return the structure with these leaves."""
        return tree_unflatten(self, leaves)


def tree_map(f: Function, tree: Any, *rest: Any, is_leaf: Any = None) -> Any:
    """Return the structure of what ``f`` returns for the leaves of structures of one form."""
    return mapped(f, tree, *rest, is_leaf=is_leaf)


def tree_leaves(tree: Any, is_leaf: Any = None) -> list[Any]:
    """Return the leaves."""
    return list(leaves_in_order(tree, is_leaf))


def tree_structure(tree: Any, is_leaf: Any = None) -> PyTreeDef:
    """Return the structure without its leaves."""
    return PyTreeDef(mapped(lambda leaf: 0, tree, is_leaf=is_leaf))


def tree_flatten(tree: Any, is_leaf: Any = None) -> tuple[list[Any], PyTreeDef]:
    """Return the leaves, and the structure without them."""
    return tree_leaves(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_unflatten(treedef: PyTreeDef, leaves: Sequence[Any]) -> Any:
    """Return the structure with these leaves."""
    values = tuple(leaves)
    if len(values) != treedef.num_leaves:
        raise ValueError("Wrong number of leaves for PyTreeDef")
    return filled(treedef.tree, values)[0]


def tree_reduce(
    function: Function, tree: Any, initializer: Any = None, is_leaf: Any = None
) -> Any:
    """Return the leaves combined by ``function``, from the left."""
    leaves = leaves_in_order(tree, is_leaf)
    if initializer is None:
        return reduce(function, leaves)
    return reduce(function, leaves, initializer)


def tree_all(tree: Any, *, is_leaf: Any = None) -> bool:
    """Whether all leaves are true."""
    return all([bool(leaf) for leaf in leaves_in_order(tree, is_leaf)])


def register_dataclass(nodetype: type, *args: Any, **options: Any) -> type:
    """Return the class: dataclasses are structures without being registered."""
    return nodetype


__getattr__ = absent(__name__, {
    name: "a dataclass, a NamedTuple or a dict, whose fields are its parts"
    for name in ("register_pytree_node", "register_pytree_node_class", "register_static")
})  # fmt: skip

__all__ = [
    "Partial", "PyTreeDef", "register_dataclass", "tree_all", "tree_flatten", "tree_leaves",
    "tree_map", "tree_reduce", "tree_structure", "tree_unflatten",
]  # fmt: skip
