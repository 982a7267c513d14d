"""``math.fsum`` is rounded once, as Python's; its derivative is that of the sum."""

import math
import random

import numpy as np
import pytest

import pullback as pb


def of_list(xs):
    return math.fsum(xs)


def of_array(a):
    return math.fsum(a) + math.fsum(v * v for v in a)


def of_three(x):
    return math.fsum((x, 1e16, 1, -1e16)) * x


def test_values() -> None:
    compiled = pb.jit(of_list)
    rng = random.Random(1)
    parts = (1e16, 1.0, -1e16, 0.0, 2.0**-53, -(2.0**-53), 1.0 + 2.0**-52, 5e-324)
    for count in range(40):
        drawn = [rng.gauss(0, 1) * 10.0 ** rng.randrange(-20, 20) for _ in range(count)]
        xs = [rng.choice((x, *parts)) for x in drawn]
        assert compiled(xs) == math.fsum(xs)
    for usual in ([math.inf, 1.0], [math.nan, 1.0], [-math.inf, 2.0]):
        assert repr(compiled(usual)) == repr(math.fsum(usual))
    for odd in ([math.inf, -math.inf], [1e308, 1e308, -1e308], [math.inf, math.nan, -math.inf]):
        with pytest.raises((ValueError, OverflowError)) as expected:
            math.fsum(odd)
        with pytest.raises(expected.type, match=str(expected.value).replace("+", r"\+")):
            compiled(odd)


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_derivatives(method: str) -> None:
    assert pb.value_and_grad(of_three, method=method)(0.5) == (0.75, 2.0)
    a = np.array([1e16, 3.0, -1e16, 0.25])
    value, gradient = pb.value_and_grad(of_array, method=method)(a)
    assert value == of_array(a)
    np.testing.assert_array_equal(gradient, 1.0 + 2.0 * a)
    assert pb.jvp(of_list, ([1e16, 1.0, -1e16],), ([1.0, 2.0, 3.0],)) == (1.0, 6.0)
    assert pb.grad(pb.grad(lambda x: math.fsum([x**3, 1.0])))(2.0) == 12.0
