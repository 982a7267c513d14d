"""Trees of tuples are Python's: values, derivatives; they cost what they cost there; or they are
refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests.campaign import part
from tests.foreign.__main__ import is_right
from tests.frontend import record_trees, tuple_trees
from tests.harness import steps

RIGHT = [*tuple_trees.RIGHT, *record_trees.RIGHT]
XS = [0.15, 0.9, 0.3, 0.7, 0.52, 0.25]


@pytest.mark.parametrize("f", part("values", RIGHT, 5), ids=lambda f: f.__name__)
def test_as_in_python(f: Callable[..., Any]) -> None:
    is_right(f, (XS,))


@pytest.mark.parametrize("f", part("values", RIGHT, 3), ids=lambda f: f.__name__)
def test_every_method(f: Callable[..., Any]) -> None:
    wanted = np.array(pb.grad(f)(XS))
    assert np.allclose(pb.grad(f, method="dual")(XS), wanted, rtol=1e-12, atol=1e-15)
    for k in range(2):
        tangent = [float(j == k) for j in range(len(XS))]
        assert pb.jvp(f, (XS,), (tangent,))[1] == pytest.approx(wanted[k], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("f", tuple_trees.REFUSED, ids=lambda f: f.__name__)
def test_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(pb.PullbackError) as found:
        pb.jit(f)(XS)
    assert found.value.rewrite


@pytest.mark.parametrize("f", record_trees.REFUSED, ids=lambda f: f.__name__)
def test_refused_by_the_reason_that_is_true(f: Callable[..., Any]) -> None:
    why = "identity|as deep as the run goes"
    with pytest.raises((pb.PullbackError, NotImplementedError), match=why):
        pb.jit(f)(XS)


LINEAR = [
    tuple_trees.tree, tuple_trees.linked, tuple_trees.level_by_level, record_trees.horner,
    record_trees.linked, record_trees.by_a_list,
]  # fmt: skip


@pytest.mark.parametrize("f", LINEAR, ids=lambda f: f.__name__)
def test_steps_are_linear(f: Callable[..., Any]) -> None:
    """A tuple that is put into another one is a row, not a copy of all that is in it."""
    for method in (None, "chad"):
        small, large = (steps(f, (list(np.linspace(0.1, 1.0, n)),), method) for n in (64, 512))
        assert large < 10 * small
