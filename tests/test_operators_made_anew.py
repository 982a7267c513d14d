"""``pb.grad(f)(x)`` written where it is needed: an operator, often a function, for each call."""

from __future__ import annotations

import gc
import math
import sys
import types
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np
import pytest

import pullback as pb

FACTOR = 1.0
X = np.array([0.5, 2.0, 3.0])


def square(x: Any) -> Any:
    return x * x


def power(x: Any, n: Any = 3.0, *, scale: Any = 1.0) -> Any:
    return x**n * scale


def python_calls(f: Callable[[], Any]) -> int:
    """How many Python functions a call runs."""
    count = 0

    def seen(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(seen)
    try:
        f()
    finally:
        sys.setprofile(None)
    return count


@dataclass
class Model:
    k: float

    def loss(self, x: Any) -> Any:
        return self.k * x * x

    def __call__(self, x: Any) -> Any:
        return self.k * x


MODEL = Model(2.0)
INLINE: list[Callable[[], Any]] = [
    lambda: pb.grad(square)(3.0),
    lambda: pb.jit(square)(X),
    lambda: pb.value_and_grad(square)(3.0),
    lambda: pb.grad(lambda x: x * 2.0)(3.0),
    lambda: pb.grad(power, argnums=(0, 1))(2.0, 3.0),
    lambda: pb.grad(MODEL.loss)(2.0),
    lambda: pb.grad(math.sin)(2.0),
    lambda: pb.jit(np.exp)(2.0),
    lambda: pb.grad(Model(3.0))(2.0),
    lambda: pb.grad(square, method="dual")(3.0),
]


@pytest.mark.parametrize("k", range(len(INLINE)))
def test_a_call_is_found_by_its_code(k: int) -> None:
    """Nothing is looked at again: neither the signature nor the types of the arguments."""
    first = INLINE[k]()
    INLINE[k]()
    assert python_calls(INLINE[k]) <= 40
    assert repr(INLINE[k]()) == repr(first)


def derivative(c: Any) -> Any:
    return pb.grad(lambda x: np.sum(x * c))(2.0)


def test_captures_are_read_anew() -> None:
    for c in (2.0, 3.0, X, -X, 4, np.float64(1.5), X[:1], np.ones((2, 2)), True, 2.5):
        assert derivative(c) == pytest.approx(float(np.sum(c)))
        assert derivative(c) == pytest.approx(float(np.sum(c)))


def chosen(f: Any, flag: Any, text: str, x: float) -> Any:
    return pb.value_and_grad(lambda x: f(x) if flag and text == "a" else -f(x))(x)


def test_what_is_known_when_it_is_compiled() -> None:
    """Functions, flags and texts that are captured."""
    for f, slope in ((math.sin, math.cos), (math.exp, math.exp), (square, lambda x: 2 * x)):
        for flag in (True, False, None):
            for text in ("a", "b"):
                sign = 1.0 if flag and text == "a" else -1.0
                for x in (0.5, 1.5):
                    expected = sign * f(x), sign * slope(x)
                    assert chosen(f, flag, text, x) == pytest.approx(expected)


def test_operators_and_their_options_are_kept_apart() -> None:
    def pair(x: Any, y: Any) -> Any:
        return x * y * y, x

    def f(x: Any, y: Any) -> Any:
        return x * y * y

    for _ in range(2):
        assert pb.grad(f)(2.0, 3.0) == 9.0
        assert pb.grad(f, argnums=1)(2.0, 3.0) == pb.grad(f, argnums=-1)(2.0, 3.0) == 12.0
        assert pb.grad(f, argnums="y")(2.0, 3.0) == 12.0
        assert pb.grad(f, argnums=(0,))(2.0, 3.0) == (9.0,)
        assert pb.grad(f, argnums=(1, 0))(2.0, 3.0) == (12.0, 9.0)
        assert pb.value_and_grad(f)(2.0, 3.0) == (18.0, 9.0)
        assert pb.grad(pair, has_aux=True)(2.0, 3.0) == (9.0, 2.0)
        assert pb.jit(pair)(2.0, 3.0) == (18.0, 2.0)
        assert pb.grad(f, method="dual")(2.0, 3.0) == 9.0
        assert pb.jit(f)(2.0, 3.0) == 18.0
        with pytest.raises(TypeError):
            pb.grad(f)(2.0)
        with pytest.raises(TypeError):
            pb.grad(f, argnums=True)
        with pytest.raises(ValueError, match="method"):
            pb.grad(f, method="none")


def test_defaults_and_keywords() -> None:
    def made(n: Any, scale: Any) -> Callable[..., Any]:
        def f(x: Any, n: Any = n, *, scale: Any = scale) -> Any:
            return x**n * scale

        return f

    for n in (2.0, 3.0, 2, np.float64(4.0)):
        for scale in (1.0, 5, X):
            total = float(np.sum(scale))
            for _ in range(2):
                f = made(n, scale)
                slope = pb.grad(lambda x, f=f: np.sum(f(x)))(2.0)
                assert slope == pytest.approx(float(n) * 2.0 ** (float(n) - 1.0) * total)
                if not isinstance(scale, np.ndarray):
                    assert pb.grad(made(n, scale))(2.0) == pytest.approx(slope)
                    assert pb.grad(made(n, scale))(2.0, 1.0) == pytest.approx(scale)
                    assert pb.grad(made(n, 2.0))(2.0, n, scale=3.0) == pytest.approx(
                        3.0 * float(n) * 2.0 ** (float(n) - 1.0)
                    )


def test_functions_of_one_code_in_two_modules() -> None:
    def f(x: Any) -> Any:
        return x * FACTOR

    for factor in (2.0, 3.0, 2.0):
        names = {"FACTOR": factor, "__builtins__": __builtins__, "__name__": "other"}
        other = types.FunctionType(f.__code__, names)
        assert pb.grad(other)(1.0) == factor


def test_recursion_and_code_that_is_replaced() -> None:
    def made(c: Any) -> Callable[..., Any]:
        def power(x: Any, n: int) -> Any:
            return c if n == 0 else x * power(x, n - 1)

        return power

    for c in (1.0, 2.0, 3.0):
        assert pb.grad(made(c))(2.0, 3) == 12.0 * c

    def f(x: Any) -> Any:
        return 2.0 * x

    def g(x: Any) -> Any:
        return 3.0 * x

    assert pb.grad(f)(1.0) == pb.grad(f)(1.0) == 2.0
    f.__code__ = g.__code__
    assert pb.grad(f)(1.0) == pb.grad(f)(1.0) == 3.0


def test_errors_and_extents_of_one() -> None:
    def f(a: Any, b: Any) -> Any:
        return np.sum(a * b)

    for _ in range(2):
        assert pb.grad(lambda a, b: f(a, b))(X, X).tolist() == X.tolist()
        assert pb.grad(lambda a, b: f(a, b))(X, X[:1]).tolist() == [0.5] * 3
        with pytest.raises(ValueError, match="could not be broadcast"):
            pb.grad(lambda a, b: f(a, b))(X, X[:2])
        with pytest.raises(ZeroDivisionError):
            pb.grad(lambda a: 1.0 / a)(0.0)
        assert pb.grad(lambda a: 1.0 / a)(1.0) == -1.0


def test_nothing_that_is_captured_lives_longer() -> None:
    def call(data: Any) -> Any:
        return derivative(data), pb.jit(lambda x, d=data: np.sum(d) * x)(2.0)

    call(np.zeros(3))  # with which it is compiled
    data = np.ones(3)
    gone = weakref.ref(data)
    assert call(data) == (3.0, 6.0)
    del data
    gc.collect()
    assert gone() is None


def test_the_object_looks_like_its_function() -> None:
    def f(x: float) -> float:
        """Twice x."""
        return 2.0 * x

    vars(f)["note"] = "kept"
    g = pb.grad(f)
    assert (g.__name__, g.__doc__, g.__wrapped__, g.note) == ("f", "Twice x.", f, "kept")
    g.note = "own"
    assert pb.grad(f).note == "kept"
