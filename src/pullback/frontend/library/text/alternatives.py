"""``np.select`` as plain Python that the front end compiles."""

from __future__ import annotations

import numpy as np

from pullback.frontend.library.text.domains import Array
from pullback.frontend.library.text_helpers import times


def select(condlist: list[Array], choicelist: list[Array], default: Array = 0) -> Array:
    """Return the items of the first choice whose condition holds there."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    chosen, conditions, choices = default, tuple(condlist), tuple(choicelist)
    for _ in times(len(conditions)):
        chosen = np.where(conditions[-1], choices[-1], chosen)
        conditions, choices = conditions[:-1], choices[:-1]
    return chosen
