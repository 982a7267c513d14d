"""Extents that meet are taken to be equal; where an argument certainly has another one, the program
that asks is the first and only one that LLVM sees."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.native import compile as compiling

RNG = np.random.default_rng(5)
M, ROW, ONE = RNG.normal(size=(3, 4)), RNG.normal(size=(1, 4)), np.array([0.5])


def adam(p, m, v, g, rate):
    m = 0.9 * m + 0.1 * g
    v = 0.99 * v + 0.01 * g * g
    return np.sum((p - rate * m / (np.sqrt(v) + 1e-8)) ** 2)


def in_a_loop(a, b, c):
    s = 0.0
    for k in range(len(a)):
        s = s + np.sum(a[k] * b) + np.sum(np.tanh(a) * c) * k
    return s


def weighted(a, b):
    return a * b


def in_a_function_and_a_branch(a, b, c):
    if len(c) == 1:
        return np.sum(weighted(np.sin(a), b)) * c[0]
    return np.sum(weighted(a, a)) + c[0]


def of_lists(params, x):
    for w, b in params:
        x = np.tanh(x * w + b)
    return np.sum(x)


def equal_extents(a, b):
    return np.sum(a * b)


def extents_of_the_run(a, b):
    return np.sum(a[: int(b[0, 0] > -9.0)] * a)


CASES: list[tuple[Callable[..., Any], tuple[Any, ...], int]] = [
    (adam, (M, ROW, ROW * ROW + 1.0, M, ONE), 1),
    (in_a_loop, (M, ROW[0], ROW), 1),
    (in_a_function_and_a_branch, (M, ROW, ONE), 1),
    (of_lists, ([(ROW, ONE), (M, ROW)], M), 1),
    (equal_extents, (M, M + 1.0), 1),
    (extents_of_the_run, (M, M), 2),  # a slice that the run finds
]


def seen(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The texts that LLVM compiles from now on."""
    texts: list[object] = []
    real = compiling.link_text

    def link(*args: Any, **options: Any) -> Any:
        texts.append(args[0])
        return real(*args, **options)

    monkeypatch.setattr("pullback.native.module.link_text", link)
    return texts


@pytest.mark.parametrize(("f", "args", "programs"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_one_program_is_compiled(
    f: Callable[..., Any], args: tuple[Any, ...], programs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fresh(*given: Any) -> Any:  # no other test has compiled it
        return f(*given)

    texts = seen(monkeypatch)
    value, gradient = pb.value_and_grad(fresh)(*args)
    assert len(texts) == programs
    assert np.isclose(value, f(*args), rtol=1e-12)
    assert np.isclose(pb.jit(f)(*args), value, rtol=1e-12)
    if isinstance(gradient, np.ndarray):
        tangent = pb.jvp(f, args, (args[0], *(0.0 * a for a in args[1:])))[1]
        assert np.isclose(tangent, np.sum(gradient * args[0]), rtol=1e-9)
        assert np.allclose(gradient, pb.grad(f, method="dual")(*args), rtol=1e-9)


def test_extents_that_fit_in_no_way_raise_as_in_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(a, b):
        return np.sum(a * b)

    texts = seen(monkeypatch)
    with pytest.raises(ValueError, match=r"could not be broadcast together with shapes \(3,4\)"):
        pb.grad(f)(M, RNG.normal(size=(2, 4)))
    assert len(texts) == 1
    assert np.allclose(pb.grad(f)(M, M), M)
    assert np.allclose(pb.grad(f)(M, ROW), np.ones((3, 1)) * ROW)
