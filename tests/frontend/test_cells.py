"""Every sort of value in every operation: as in Python, or refused (``cells.py``)."""

from __future__ import annotations

import contextlib
import copy
import io
import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import campaign
from tests.foreign.__main__ import numbers, verdict
from tests.frontend import cells

CELLS = list(itertools.product(cells.VALUES, [*cells.OPERATIONS, *cells.STATEMENTS]))
ONE, OTHER = ([0.5, 2.0], 2), ([0.61, 2.07], 2)
"""Arguments for values, where many conditions are at their edge; and for derivatives."""


def outcome(run: Callable[[Any], Any], value: str, last: str) -> Any:
    """Return what a program gives, prints and leaves behind, or the class of what it raises."""
    f = cells.program(value, last)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            result = run(f)
    except pb.PullbackError:
        raise
    except Exception as error:
        return type(error).__name__
    left = [f.__globals__[name] for name in cells.outside()]
    return cells.plain(result), cells.plain(printed.getvalue()), [cells.plain(x) for x in left]


def difference(value: str, last: str) -> str | None:
    """Return what is different from Python; None if nothing is, or the program is refused."""
    wanted = outcome(lambda f: f(*copy.deepcopy(ONE)), value, last)
    try:
        found = outcome(lambda f: pb.jit(f)(*copy.deepcopy(ONE)), value, last)
    except pb.PullbackError as error:
        return str(error) if isinstance(error, pb.InternalError) else None
    if found != wanted and not is_iterator(found, wanted):
        return f"{found} where Python has {wanted}"
    if isinstance(wanted, str) or not has_derivative(value, last):
        return None
    with contextlib.redirect_stdout(io.StringIO()):
        word, why = verdict(cells.program(value, last), OTHER, alone=False)
    return None if word != "wrong" and "internal error" not in why else f"derivative: {why}"


def is_iterator(found: Any, wanted: Any) -> bool:
    """Whether Python's result is an iterator: ours is a generator with its items
    (docs/LANGUAGE.md)."""
    if isinstance(found, str) or isinstance(wanted, str):
        return False
    return found[0] == "generator" and wanted[0] in ITERATORS and found[1:] == wanted[1:]


ITERATORS = {"zip", "enumerate", "map", "list_iterator", "list_reverseiterator", "reversed"}


def has_derivative(value: str, last: str) -> bool:
    """Whether there are numbers in the result, and no functions and the like, and the program may
    run twice: what it changes around it does not come back in its result."""
    f = cells.program(value, last)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            found, again = (numbers(f(*copy.deepcopy(OTHER))) for _ in range(2))
    except Exception:
        return False
    same = found.shape == again.shape and np.array_equal(found, again, equal_nan=True)
    return bool(found.size and np.all(np.isfinite(found))) and same


KNOWN = (
    (r'\{"x":a\}.items\(\)', ".*"),  # the views of a dict with known keys are tuples
    (r"math.nan", r".*( in |==).*"),  # whether they are one object
    (r"a|n|\(a<1\)|True|10\*\*6\*n|np\.float64\(a\)|Level\.HIGH|maybe\(.*|math\.(inf|nan)|SINGLE",
     r"np\.array\(v\)"),  # an array of no axes is its number
    # NumPy's bools join as Python's do
    (r"np.array\(xs\)>1", r"\[\*v, 1.0\]|\(0, \*v\)|max\(v, default=3\)"),
    # None is no argument of NumPy's functions, which make an array of objects of it
    (r"maybe\(.*", r"np\.(sum|prod|max|min|any|all|cumsum|argmax)\(v\)"),
    (r"np.float64\(a\)|SINGLE", r"\[v\] < \[w\]"),  # a bool is NumPy's
    ("math", r"copy\..*"),  # Python raises TypeError
    # two tuples of unlike lengths in a table: their length, and so their derivative, is not known
    (r"Named\(a,b\)", r"d = \{n: v\}\nd\[n\] \+= w\n.*"),
)  # fmt: skip
"""Values and operations, as patterns, of which it is documented or known what is different."""


def is_known(value: str, last: str) -> bool:
    return any(re.fullmatch(v, value) and re.fullmatch(o, last, re.DOTALL) for v, o in KNOWN)


@pytest.mark.parametrize("part", range(4))
def test_as_in_python_or_refused(part: int) -> None:
    """One in 300 of the cells in a run; all in the campaign."""
    chosen = [cell for cell in CELLS
              if campaign.chosen("cells", " ".join(cell), 300) and not is_known(*cell)]
    found = {cell: difference(*cell) for cell in chosen[part::4]}
    wrong = {cell: why for cell, why in found.items() if why is not None}
    assert not wrong, "\n".join(f"{v}: {last}: {why}" for (v, last), why in wrong.items())


def test_a_wrong_cell_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pb, "jit", lambda f: lambda *args: 7.0)
    assert difference("a", "v + n") is not None
    assert difference("a", "7.0") is None
