"""Names for the domains of parameters of library texts.

They are used as annotations: the compiler ignores them, and the surface test
(``tests/frontend/test_surface.py``) makes arguments from them. A parameter of another kind is
annotated as in any Python: ``int``, ``bool``, ``float | None``, ``Literal["full", "same"]``.
"""

from __future__ import annotations

from typing import Any

Array = Any
"""A vector or a matrix."""
Vector = Any
Matrix = Any
Growing = Any
"""A vector whose items grow."""
Axis = int
"""An axis, which is known at compile time."""
Size = int
"""A whole number that is not negative: an extent."""
Gaps = Any
"""A vector or a matrix in which some items are NaN."""
Constraints = Any
"""A tuple, or a list that is only read, with items of any kinds."""
Events = Any
"""Functions, each with its attributes ``terminal`` and ``direction``, in a tuple."""
Weights = Any
"""Positive numbers in the shape of the first argument."""

__all__ = [
    "Array", "Axis", "Constraints", "Events", "Gaps", "Growing", "Matrix", "Size", "Vector",
    "Weights",
]  # fmt: skip
