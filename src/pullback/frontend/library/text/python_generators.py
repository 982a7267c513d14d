"""``random.Random`` as a plain class. Python itself draws; what depends on location and scale is
computed here, as there."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.text.random_generators import Twister, moved_by, seeded
from pullback.frontend.library.text_helpers import unsupported

ALONE = True


class Random(Twister):
    """``random.Random``."""

    __slots__ = ()

    _library = "python."

    def __init__(self, x: Any = None) -> None:
        self._state = _state(x)

    def seed(self, a: Any = None) -> None:
        self._state[:] = _state(a)

    def _number(self, method: str, *params: Any) -> Any:
        return float(self._draw(method, params, (), 1)[0])

    def random(self) -> Any:
        return self._unit()

    def uniform(self, a: Any, b: Any) -> Any:
        return a + (b - a) * self.random()

    def gauss(self, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
        return mu + self._number("gauss", 0.0, 1.0) * sigma

    def normalvariate(self, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
        return mu + self._number("normalvariate", 0.0, 1.0) * sigma

    def lognormvariate(self, mu: Any, sigma: Any) -> Any:
        found = self._draw("lognormvariate", (constant(mu), constant(sigma)), (), 2)
        return float(found[0]) * float(moved_by(float(mu + found[1] * sigma)))

    def expovariate(self, lambd: Any = 1.0) -> Any:
        return self._number("expovariate", 1.0) / lambd

    def gammavariate(self, alpha: Any, beta: Any) -> Any:
        if alpha <= 0.0 or beta <= 0.0:
            raise ValueError("gammavariate: alpha and beta must be > 0.0")
        return self._number("gammavariate", alpha, 1.0) * beta

    def betavariate(self, alpha: Any, beta: Any) -> Any:
        return self._number("betavariate", alpha, beta)

    def weibullvariate(self, alpha: Any, beta: Any) -> Any:
        return alpha * self._number("weibullvariate", 1.0, beta)

    def paretovariate(self, alpha: Any) -> Any:
        return self._number("paretovariate", alpha)

    def vonmisesvariate(self, mu: Any, kappa: Any) -> Any:
        return self._number("vonmisesvariate", mu, kappa)

    def triangular(self, low: Any = 0.0, high: Any = 1.0, mode: Any = None) -> Any:
        if mode is None:
            return self._number("triangular", low, high)
        return self._number("triangular", low, high, mode)

    def _int(self, method: str, ints: Any) -> Any:
        return int(self._wholes(method, (), ints, 1)[0])

    def getrandbits(self, k: Any) -> Any:
        if k > 63:
            _refuse_bits()
        return self._int("getrandbits", (k,))

    def randrange(self, start: Any, stop: Any = None, step: Any = 1) -> Any:
        if stop is None:
            if start <= 0:
                raise ValueError("empty range for randrange()")
            return self._int("randrange", (start,))
        if len(range(start, stop, step)) == 0:
            _refuse_range(start, stop, step)
        return self._int("randrange", (start, stop, step))

    def randint(self, a: Any, b: Any) -> Any:
        return self.randrange(a, b + 1)

    def choice(self, seq: Any) -> Any:
        if len(seq) == 0:
            raise IndexError("Cannot choose from an empty sequence")
        return seq[self._int("randrange", (len(seq),))]

    def choices(
        self, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1
    ) -> Any:
        n = len(population)
        if weights is not None:
            at = self._wholes("choices", np.asarray(weights, dtype=np.float64), (n, 1, k), k)
        elif cum_weights is not None:
            at = self._wholes("choices", np.asarray(cum_weights, dtype=np.float64), (n, 2, k), k)
        else:
            at = self._wholes("choices", (), (n, 0, k), k)
        return [population[int(i)] for i in at]

    def sample(self, population: Any, k: Any) -> Any:
        at = self._wholes("sample", (), (len(population), k), max(k, 0))
        return [population[int(i)] for i in at]

    def shuffle(self, x: Any) -> None:
        n = len(x)
        order = self._wholes("shuffle", (), (n,), n)
        x[:] = [x[int(i)] for i in order]


def _refuse_bits() -> None:
    raise OverflowError("more than 63 random bits do not fit in an int64")


def _refuse_range(start: int, stop: int, step: int) -> None:
    if step == 1:
        raise ValueError(f"empty range for randrange() ({start}, {stop}, {stop - start})")
    raise ValueError("empty range for randrange()")


def _state(seed: Any) -> Any:
    if seed is None:
        unsupported("a generator without a seed", "give it a seed")
    return seeded("python.seed", seed, 629)
