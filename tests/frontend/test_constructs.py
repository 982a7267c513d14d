"""The table of what is in the language is true."""

import copy

import numpy as np
import pytest

import pullback as pb
from tests import campaign, harness
from tests.frontend import construct_page
from tests.frontend.language_rows import ROWS, Row


@pytest.mark.parametrize(
    "row", campaign.part("values", ROWS, 3), ids=lambda row: row.program.__name__
)
def test_what_is_in_is_in(row: Row) -> None:
    """Value and gradient are those of plain Python and of differences."""
    args = copy.deepcopy(row.args)
    wanted = row.program(*copy.deepcopy(args))
    if not any(map(harness.is_real, harness.leaves(args))):
        assert pb.jit(row.program)(*args) == wanted
        return
    out, pullback = pb.vjp(row.program, *copy.deepcopy(args))
    assert harness.distance(out, wanted) < 1e-12
    along = harness.direction(np.random.default_rng(1), args)
    slope = harness.difference(lambda *new: row.program(*copy.deepcopy(new)), args, along)
    assert harness.inner(pullback(1.0), along) == pytest.approx(slope, rel=1e-6, abs=1e-8)


def test_the_page_is_what_the_tests_have() -> None:
    wanted = construct_page.page()
    assert construct_page.PAGE.read_text() == wanted, "python -m tests.frontend.construct_page"
