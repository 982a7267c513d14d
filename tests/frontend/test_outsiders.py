"""Values that are not taken say what to pass instead, wherever they are; and that is taken."""

from __future__ import annotations

import datetime
import decimal
import fractions
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse

import pullback as pb
from pullback.errors import ArgumentTypeError
from pullback.frontend.python.pytypes import type_of


@dataclass(frozen=True)
class Field:
    a: object


WORDS = np.array(["b", "a"])
DATES = np.array(["2020-01-01", "2020-03-01"], "datetime64[D]")
TABLE = np.zeros(2, [("x", float), ("n", int)])
MATRIX = scipy.sparse.eye(3).tolil()
# the value, what the advice says, and what it gives
CASES = [
    (WORDS, "np.unique(a, return_inverse=True)[1]", np.unique(WORDS, return_inverse=True)[1]),
    (np.array([b"a"]), "np.unique", np.array([0])),
    (np.zeros(3, np.uint64), "a.astype(np.float64)", np.zeros(3)),
    (np.zeros(3, np.clongdouble), "a.astype(np.complex128)", np.zeros(3, complex)),
    (np.array([1.0, 2], object), "np.array(a.tolist(), np.float64)", np.array([1.0, 2.0])),
    (DATES, "np.timedelta64(1, 'D')", (DATES - DATES[0]) / np.timedelta64(1, "D")),
    (DATES - DATES[0], "np.timedelta64(1, 's')", (DATES - DATES[0]) / np.timedelta64(1, "s")),
    (TABLE, "a.dtype.names", {name: TABLE[name] for name in TABLE.dtype.names}),
    (np.zeros(3, np.float16), "a.astype(np.float64)", np.zeros(3)),
    (np.zeros(3, np.longdouble), "a.astype(np.float64)", np.zeros(3)),
    (b"ab", "list(b)", list(b"ab")),
    (decimal.Decimal("1.5"), "float(d)", float(decimal.Decimal("1.5"))),
    (fractions.Fraction(1, 2), "float(q)", float(fractions.Fraction(1, 2))),
    (datetime.date(2020, 1, 1), "d.toordinal()", datetime.date(2020, 1, 1).toordinal()),
    (datetime.timedelta(1), "t.total_seconds()", datetime.timedelta(1).total_seconds()),
    ((i for i in range(3)), "list(g)", [0, 1, 2]),
    (iter([1.0]), "list(xs)", [1.0]),
    (MATRIX, "m.toarray()", MATRIX.toarray()),
]


def named(case):
    return f"{type(case[0]).__name__}-{getattr(case[0], 'dtype', '')}"


@pytest.mark.parametrize("case", CASES, ids=named)
def test_what_is_not_taken_says_what_is(case):
    value, rewrite, instead = case

    def captures(x):
        return x * np.sum(value)

    calls = {
        "argument": lambda: pb.grad(lambda x, y: x)(1.0, value),
        "list": lambda: pb.grad(lambda x, y: x)(1.0, [value]),
        "dict": lambda: pb.grad(lambda x, y: x)(1.0, {"a": value}),
        "field": lambda: pb.grad(lambda x, y: x)(1.0, Field(value)),
        "captured": lambda: pb.grad(captures)(1.0),
    }
    for place, call in calls.items():
        with pytest.raises(TypeError) as caught:
            call()
        assert isinstance(caught.value, pb.PullbackError), place
        assert rewrite in caught.value.rewrite, (place, str(caught.value))
        assert "drop" not in caught.value.rewrite
        assert not (place == "captured" and caught.value.site is None)
    type_of(instead)


def test_packages_that_are_not_installed():
    """Their classes are told by the module that they come from."""
    for module, rewrite in (
        ("pandas.core.series", "to_numpy"), ("torch", "detach"), ("jaxlib.xla", "np.asarray"),
    ):  # fmt: skip
        cls = type("Value", (), {"__module__": module})
        with pytest.raises(ArgumentTypeError) as caught:
            type_of(cls())
        assert rewrite in caught.value.rewrite
