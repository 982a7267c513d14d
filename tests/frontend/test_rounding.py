"""``round(x, n)`` of Python floats: to the decimal number that is nearest to x itself."""

from __future__ import annotations

import math
import random
import struct
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.frontend.library.text.floats import round_float, round_tens


def some_float(rng: random.Random, n: int) -> float:
    match rng.randrange(4):
        case 0:
            return rng.uniform(-1, 1) * 10.0 ** rng.randint(-25, 25)
        case 1:  # halves of the last digit, as far as floats have them
            return (rng.randint(-(10**6), 10**6) + 0.5) * 10.0**-n
        case 2:
            return rng.randint(-(2**60), 2**60) * 0.125
        case _:
            (x,) = struct.unpack("d", struct.pack("Q", rng.getrandbits(64)))
            return float(x)


def test_digits_as_in_python() -> None:
    rng = random.Random(3)
    for _ in range(20_000):
        n = rng.randint(-22, 22)
        x = some_float(rng, n)
        found = round_float(x, 10.0**n) if n >= 0 else round_tens(x, 10.0**-n)
        assert repr(found) == repr(round(x, n)), (x, n)


def test_compiled() -> None:
    def rounded(x: float) -> Any:
        return round(x, 0), round(x, 2), round(x, 17), round(x, -1), round(x, -3)

    rng = random.Random(4)
    special = [0.0, -0.0, 2.675, -0.001, 2.5, 25.0, 2.0**53, math.inf, -math.inf]
    for x in [*special, *(some_float(rng, 2) for _ in range(200))]:
        if math.isfinite(x) or not math.isnan(x):
            assert repr(pb.vjp(rounded, x)[0]) == repr(rounded(x)), x


def test_gradients() -> None:
    """Rounding is piecewise constant."""
    assert pb.value_and_grad(lambda x: round(x, 1) * x)(0.72) == (0.7 * 0.72, 0.7)
    xs = np.linspace(-3.0, 3.0, 21) + 0.013
    gradient = pb.grad(lambda xs: sum(round(float(x), 1) * x for x in xs))(xs)
    assert gradient.tolist() == [round(float(x), 1) for x in xs]


def test_more_digits_are_refused() -> None:
    with pytest.raises(pb.PullbackError, match="for n from -22 to 22"):
        pb.grad(lambda x: round(x, 23))(0.5)
