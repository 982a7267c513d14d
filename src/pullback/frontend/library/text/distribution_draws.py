"""Random numbers of a distribution of ``scipy.stats``, as plain Python that the front end compiles:
SciPy's own numbers of a seed. They move with loc and scale; by a parameter of shape they have no
derivative that is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.compiled_text import unknown
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.solver_answers import packed, told
from pullback.frontend.library.text_helpers import unsupported


def drawn(
    name: str, allowed: Any, shapes: Any, loc: Any, scale: Any, size: Any, random_state: Any
) -> Any:
    """rvs"""
    if random_state is None:
        unsupported("rvs without a seed", "random_state=0")
    if not isinstance(random_state, int):
        unsupported("rvs with a generator", "pass a whole number, or draw from the generator")
    for parameter in (*shapes, loc, scale):
        if np.ndim(parameter) > 0:
            unsupported("rvs with arrays of parameters", "one call for each of them")
    if not (scale >= 0.0 and allowed(*shapes)):
        raise ValueError(
            "Domain error in arguments. The `scale` parameter must be positive for all "
            "distributions, and many distributions have restrictions on shape parameters. Please "
            f"see the `scipy.stats.{name}` documentation for details."
        )
    extents = () if size is None else size if isinstance(size, tuple) else (size,)
    change: Any = 0.0
    for s in shapes:
        change = change + s
    dims = np.array([1, *extents])
    given = packed((np.array([1.0 * s for s in shapes]), dims, random_state))
    z = told(described("rvs", name), given)
    numbers = np.array([unknown(v, change) for v in z]) * scale + loc
    return numbers[0] if extents == () else numbers.reshape(extents)
