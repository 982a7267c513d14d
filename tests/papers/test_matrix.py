"""The table of what each method takes is what a run gives: an eighth of it in each shard."""

import pytest

from pullback.call.by_method import method_names
from tests import campaign
from tests.papers import matrix
from tests.papers.conformance import MATRIX


@pytest.mark.parametrize("feature", [name for name, *_ in matrix.FEATURES])
def test_the_matrix_is_what_runs_give(feature: str) -> None:
    methods = [m for m in method_names() if campaign.chosen("papers", f"{feature}, {m}", 8)]
    cells = {(feature, m): matrix.cell(feature, m) for m in methods}
    written = [x for x in MATRIX.read_text().splitlines() if x.startswith(f"{feature} | ")]
    assert sorted(x.split(" | ")[1] for x in written) == sorted(method_names())
    written = [x for x in written if x.split(" | ")[1] in methods]
    # python -m tests.papers.matrix writes it; methods are in the order in which they are imported
    assert sorted(matrix.text(cells).splitlines()) == sorted(written)


def test_the_stages_of_dual_numbers_take_what_section_9_has() -> None:
    cells = {tuple(line.split(" | ")[:2]): line.split(" | ")[2]
             for line in MATRIX.read_text().splitlines()}
    for feature in ("recursion", "unions of classes", "recursive types", "polymorphic functions",
                    "mutually recursive types", "functions as values", "lists read"):
        for method in method_names():
            if method.startswith("dual."):
                assert cells[feature, method].startswith("yes"), (feature, method)
