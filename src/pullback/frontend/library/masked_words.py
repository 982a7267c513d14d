"""What ``text/masked_arrays`` asks of values."""

from __future__ import annotations

import ast
from typing import Any

from pullback.frontend.kinds.values import Specialiser, Static, Value, register
from pullback.frontend.library.arguments import Args, Kwargs


def is_masked_number(x: Any) -> bool:
    """Return whether x is ``np.ma.masked``, which stands for a number that is not there."""
    return type(x).__name__ == "MaskedConstant"


@register(is_masked_number)
def _is_masked_number(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (x,) = args
    return Static(isinstance(x, Static) and is_masked_number(x.value))


__all__ = ["is_masked_number"]
