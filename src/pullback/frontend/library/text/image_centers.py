"""The centre of an image, as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array
from pullback.frontend.library.text_helpers import axes, unsupported


def center_of_mass(input: Array, labels: Any = None, index: Any = None) -> Any:
    if index is not None and np.ndim(index) > 0:
        unsupported("center_of_mass for several indices", "call it for each of them")
    weights = np.asarray(input)
    if labels is not None:
        chosen = np.asarray(labels) > 0 if index is None else np.asarray(labels) == index
        weights = weights * np.where(np.broadcast_to(chosen, weights.shape), 1.0, 0.0)
    total, grid = np.sum(weights), np.indices(weights.shape)
    return tuple(np.sum(weights * grid[k]) / total for k in axes(weights))
