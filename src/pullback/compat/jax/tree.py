"""``jax.tree``: the functions of ``jax.tree_util`` by their short names."""

from pullback.compat.jax.tree_util import (
    tree_all as all,
)
from pullback.compat.jax.tree_util import (
    tree_flatten as flatten,
)
from pullback.compat.jax.tree_util import (
    tree_leaves as leaves,
)
from pullback.compat.jax.tree_util import (
    tree_map as map,
)
from pullback.compat.jax.tree_util import (
    tree_reduce as reduce,
)
from pullback.compat.jax.tree_util import (
    tree_structure as structure,
)
from pullback.compat.jax.tree_util import (
    tree_unflatten as unflatten,
)

__all__ = ["all", "flatten", "leaves", "map", "reduce", "structure", "unflatten"]
