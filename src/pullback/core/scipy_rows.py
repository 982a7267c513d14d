"""How a function of SciPy's (``core/scipy_functions.py``) becomes a row of the table."""

from __future__ import annotations

from collections.abc import Callable

from pullback.core.formulas import Formula, partial
from pullback.core.later import SPECIAL
from pullback.core.rows import Mark, Partial, Row, real1, real2, real3, same
from pullback.core.scipy_functions import KERNELS
from pullback.core.types import Real

Cell = Callable[..., Formula] | float | Mark
Interval = tuple[float, float]

RULES = (real1, real2, real3, same(4, Real), same(5, Real), same(6, Real))


def scipy_row(name: str, cells: tuple[Partial, ...], *domain: Interval) -> Row:
    """Return the row of a function; a function of one result is the ufunc of its name."""
    kernel = KERNELS[name]
    value = kernel if "." in name or kernel.wide else getattr(SPECIAL, name)
    return Row(name, len(cells), RULES[len(cells) - 1], value, cells,
               {"real": f"call:{name}"}, domain, product="mulz",
               kinks="partial infinite or NaN at the poles")  # fmt: skip


def formulas_of(*cells: Cell) -> tuple[Partial, ...]:
    """Return the cells of a row of which some are formulas of the result and the arguments."""
    return tuple(c if isinstance(c, (float, Mark)) else partial(c) for c in cells)


__all__ = ["Cell", "Interval", "formulas_of", "scipy_row"]
