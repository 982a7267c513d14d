"""``has_aux`` of ``pb.vjp`` inside of compiled and differentiated code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb

X = np.array([0.3, -0.7, 1.1])


def pair(x: Any, k: float = 2.0) -> Any:
    return np.sum(np.sin(x) * k), {"n": len(x), "y": x * x}


def uses(x: Any) -> Any:
    out, pullback, aux = pb.vjp(pair, x, has_aux=True)
    twice = pullback(aux["y"][0])[0] + pullback(1.0)[0]
    return out + np.sum(twice * x) + np.sum(aux["y"]) * aux["n"]


def test_inside_as_outside() -> None:
    assert pb.jit(uses)(X) == pytest.approx(uses(X), rel=1e-14)
    pb.check_grads(uses, (X,), order=2, atol=1e-4, rtol=1e-4)


def in_a_loop(x: Any) -> Any:
    total = 0.0
    for k in range(3):
        inner = lambda y, k=k: (y * y * x[k], y)
        out, pullback, aux = pb.vjp(inner, x[0], has_aux=True)
        total += pullback(out)[0] * aux
    return total


def test_in_loops_with_captures() -> None:
    assert pb.jit(in_a_loop)(X) == pytest.approx(in_a_loop(X), rel=1e-13)
    pb.check_grads(in_a_loop, (X,))


def test_misuse() -> None:
    alone = lambda x: pb.vjp(np.sum, x, has_aux=True)[0]
    with pytest.raises(TypeError, match=r"with has_aux the function must return \(value, aux\)"):
        pb.jit(alone)(X)
    other = lambda x: pb.vjp(np.sum, x, wrong=True)[0]
    with pytest.raises(TypeError, match=r"takes a function, its arguments, and has_aux"):
        pb.jit(other)(X)
