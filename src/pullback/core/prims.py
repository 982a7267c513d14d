"""THE table of primitives: every row, by name.

``prims_real`` has the rows of reals and of what reals share with integers; ``prims_special``,
``prims_bessel``, ``prims_polynomials``, ``prims_complex`` and ``prims_scipy_values`` special
functions of SciPy's; ``prims_discrete`` integers, truth values, comparisons, conversions and
control; ``prims_array`` whole arrays, ``prims_linear`` linear algebra, ``prims_fourier`` Fourier
transforms, ``prims_order`` sorts, ``prims_products`` what only derivatives have, ``prims_foreign``
calls of Python.
Types, values, derivatives, costs, code and tests all come from the row (``rows.Row``); a missing
cell is an error when this module is imported."""

from __future__ import annotations

from pullback.core.prims_array import ARRAY
from pullback.core.prims_bessel import BESSEL
from pullback.core.prims_complex import COMPLEX
from pullback.core.prims_discrete import DISCRETE, EXCEPTIONS
from pullback.core.prims_foreign import FOREIGN
from pullback.core.prims_fourier import FOURIER
from pullback.core.prims_linear import LINEAR
from pullback.core.prims_order import ORDER
from pullback.core.prims_polynomials import POLYNOMIALS
from pullback.core.prims_products import PRODUCTS
from pullback.core.prims_real import REAL
from pullback.core.prims_scipy_values import VALUES
from pullback.core.prims_sparse import SPARSE
from pullback.core.prims_special import SPECIAL_ROWS
from pullback.core.rows import Row, Table


def _join(*tables: Table) -> dict[str, Row]:
    whole = Table()
    for table in tables:
        for row in table.rows.values():
            whole.add(row)
    return whole.rows


TABLE: dict[str, Row] = _join(
    REAL, SPECIAL_ROWS, BESSEL, POLYNOMIALS, COMPLEX, VALUES, PRODUCTS, DISCRETE, ARRAY, LINEAR,
    FOURIER, ORDER, FOREIGN, SPARSE,
)

VIEWS = frozenset({"slice", "pick", "transpose", "expand", "broadcast"})
"""The primitives that return a view of their array, and work on handles."""

ALIASES = VIEWS | {"reshape", "stop_gradient"}
"""The primitives whose result may share the memory of their array."""

REQUIRE = frozenset({"require", "require.early"})
"""The primitives that raise where a condition does not hold."""

SHOW = "show"
"""The primitive that calls Python with values of the run."""

__all__ = ["ALIASES", "EXCEPTIONS", "REQUIRE", "SHOW", "TABLE", "VIEWS", "Row"]
