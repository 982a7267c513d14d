"""Rows for values of SciPy's special functions that have no derivative by themselves: texts of the
library have that (``valued``), or nobody has."""

from __future__ import annotations

from pullback.core.prims_bessel import BESSEL
from pullback.core.prims_complex import COMPLEX
from pullback.core.prims_polynomials import POLYNOMIALS
from pullback.core.prims_special import SPECIAL_ROWS
from pullback.core.rows import NOT_DIFFERENTIABLE, Table
from pullback.core.scipy_functions import ARITIES
from pullback.core.scipy_rows import scipy_row

VALUES = Table()

for _name, _arity in ARITIES.items():
    if not any(_name in t.rows for t in (SPECIAL_ROWS, BESSEL, POLYNOMIALS, COMPLEX)):
        VALUES.add(scipy_row(_name, (NOT_DIFFERENTIABLE,) * _arity))

__all__ = ["VALUES"]
