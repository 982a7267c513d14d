"""Operators in notebooks: a small table of what they have compiled."""

import numpy as np

import pullback as pb
from tests.explanation.test_explanation import Balanced


def shift(x, by):
    return np.sum(x * by)


def test_what_an_operator_has_compiled() -> None:
    gradient = pb.grad(shift, "by")
    assert "nothing is compiled yet" in gradient._repr_html_()
    gradient(np.ones(3), 2.0)
    gradient(np.ones((3, 3)), 2.0)
    shown = gradient._repr_html_()
    reader = Balanced()
    reader.feed(shown)
    assert not reader.open
    assert shown.count("<tr>") == 3 and "<code>pb.grad(shift)</code>" in shown
    assert "an array of float64, rank 2; a float" in shown and "<td>by</td>" in shown
    assert "x: an array of float64, rank 2 where there was" in shown
    assert pb.jit(shift)._repr_html_().startswith("<code>pb.jit(shift)</code>: nothing")


def test_names_are_text() -> None:
    small = pb.jit(lambda x: x + 1.0)
    small(1.0)
    shown = small._repr_html_()
    assert "&lt;lambda&gt;" in shown and "<lambda>" not in shown
