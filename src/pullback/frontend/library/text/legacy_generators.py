"""``numpy.random.RandomState`` as a plain class."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.random_generators import (
    TWISTER_WORDS,
    Numbers,
    Twister,
    asked,
    check_wide,
    count_of,
    picked,
    seeded,
    shape_of,
    span_of,
)
from pullback.frontend.library.text_helpers import unsupported

ALONE = True


class RandomState(Numbers, Twister):
    """``numpy.random.RandomState``."""

    __slots__ = ()

    _library = "legacy."

    def __init__(self, seed: Any = None) -> None:
        self._state = _state(seed)

    def seed(self, seed: Any = None) -> None:
        self._state[:] = _state(seed)

    def random_sample(self, size: Any = None) -> Any:
        if size is None and len(self._state) == TWISTER_WORDS:
            return self._unit()
        return self._standard("random_sample", size)

    def random(self, size: Any = None) -> Any:
        return self.random_sample(size)

    def rand(self, *args: Any) -> Any:
        return self.random_sample(size=args if args else None)

    def randn(self, *args: Any) -> Any:
        return self.standard_normal(size=args if args else None)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        span = span_of(low, high)
        if not np.all(np.isfinite(span)):
            raise OverflowError("Range exceeds valid bounds")
        return self._moved(low, span, self.random_sample(shape_of(size, low, high)))

    def randint(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = int
    ) -> Any:
        check_wide(dtype)
        if high is None:
            low, high = 0, low
        found = self._wholes("randint", (), (low, high, asked(size)), count_of(size))
        if size is None:
            return int(found[0]) if dtype is int else found[0]
        return found.reshape(size)

    def choice(self, a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Any:
        if not isinstance(a, int) and np.ndim(np.asarray(a)) != 1:
            raise ValueError("a must be 1-dimensional")
        n = a if isinstance(a, int) else len(a)
        if not isinstance(a, int) and n == 0 and count_of(size) > 0:
            raise ValueError("'a' cannot be empty unless no samples are taken")
        count = count_of(size)
        if p is None and replace is True:
            if n <= 0 and count > 0:
                raise ValueError("a must be greater than 0 unless no samples are taken")
            at = self._wholes("randint", (), (0, max(n, 1), asked(size)), count)
        else:
            weights = () if p is None else np.asarray(p, dtype=np.float64)
            at = self._wholes("choice", weights, (n, asked(size), replace, False), count)
        return picked(a, at, size, 0)

    def multivariate_normal(self, mean: Any, cov: Any, size: Any = None) -> Any:
        return self._normals(mean, cov, size, 0)


def _state(seed: Any) -> Any:
    if seed is None:
        unsupported("a generator without a seed", "give it a seed")
    return seeded("legacy.seed", seed, 629)
