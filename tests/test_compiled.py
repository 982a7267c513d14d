"""``pb.compiled`` tells what was compiled, once for each program."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as pb


def test_what_is_compiled_is_told() -> None:
    def f(x, n):
        return np.sum(x * x) * n

    def other(x, n):
        return np.sum(x * x) * n

    assert pb.compiled(f) == ()
    slope = pb.grad(f)
    for size in (2, 3, 5):  # new sizes and numbers compile nothing
        slope(np.ones(size), float(size))
    slope(np.ones(2), 2)
    pb.vjp(f, np.ones(2), 2.0)
    pb.jvp(f, (np.ones(2), 2.0), (np.ones(2), 0.0))
    pb.jit(f)(np.ones(2), 2.0)
    made = pb.compiled(f)
    assert [m.operator for m in made] == ["grad", "grad", "vjp", "jvp", "jit"]
    assert [m.argnums for m in made] == [(0,), (0,), (0, 1), (), ()]
    assert made[0].arguments == ("an array of float64, rank 1", "a float")
    assert made[1].arguments[1] == "an int"
    assert all(m.size > 0 and m.seconds > 0.0 for m in made)
    assert "grad by 0 of (an array of float64, rank 1; a float): " in repr(made[0])
    assert pb.compiled(slope) == made
    assert pb.compiled(other) == ()


def test_it_is_about_functions() -> None:
    with pytest.raises(TypeError, match=r"about functions, not a ufunc"):
        pb.compiled(np.sin)
