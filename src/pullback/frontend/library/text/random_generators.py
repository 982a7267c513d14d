"""``numpy.random.Generator`` as a plain class that the front end compiles like the user's own.

Its state is a vector of words, and each draw is a function of these: NumPy itself draws
(``core.draws``), and gives the numbers and the words that follow. What depends on location and
scale by a formula is computed here, as NumPy computes it, and so has its derivative."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pullback.frontend.library.drawing import drawn, errors_of
from pullback.frontend.library.solutions import constant
from pullback.frontend.library.text_helpers import unsupported

_WHOLE = 4294967296

ALONE = True
"""These functions call none of the user's: they see no attributes of classes and modules that the
program assigns (``functions.ambient``), so an object in one of these may be their argument."""


def count_of(size: Any) -> Any:
    """Return how many numbers there are in a shape."""
    if size is None:
        return 1
    return math.prod(size) if isinstance(size, (tuple, list)) else size


def asked(size: Any) -> Any:
    return -1 if size is None else count_of(size)


def _is_number(p: Any) -> Any:
    return np.ndim(p) == 0


def shape_of(size: Any, *params: Any) -> Any:
    """Return the shape of what is drawn; None: a number."""
    if size is not None:
        return tuple(size) if isinstance(size, list) else size
    if all(_is_number(p) for p in params):
        return None
    return np.broadcast_shapes(*(np.shape(p) for p in params))


def span_of(low: Any, high: Any) -> Any:
    """Return the distance of two numbers, or of the items of arrays and lists."""
    if _is_number(low) and _is_number(high):
        return float(high) - float(low)
    return np.asarray(high) - np.asarray(low)


def _spread(p: Any, shape: Any) -> Any:
    """Return a parameter as a vector: of one number, or of one for each that is drawn."""
    if _is_number(p):
        return np.array([float(p)])
    return np.ravel(np.broadcast_to(np.asarray(p), shape)).astype(np.float64)


def check_positive(p: Any, name: str) -> None:
    """Raise ``ValueError`` where a scale is negative."""
    if np.any(np.signbit(p) & ~np.isnan(p)):
        raise ValueError(f"{name} < 0")


def check_wide(dtype: Any) -> None:
    """Refuse whole numbers of other types than int64."""
    if dtype is not int and dtype is not np.int64:
        unsupported("whole numbers of another dtype than int64", "convert what is drawn")


def _check(number: Any, method: str) -> None:
    """Raise the error of this number."""
    for k, message in enumerate(errors_of(method)):
        if number == k + 1:
            raise ValueError(message)


class Drawing:
    """A generator of random numbers; the numbers of its draws are its own."""

    __slots__ = ("_state",)

    _library = ""
    _state: Any

    def _draw(self, method: str, params: Any, ints: Any, count: Any) -> Any:
        name = self._library + method
        found = drawn(name, self._state, params, ints, count)
        _check(found[0], name)  # the library raises before it draws
        self._state[:] = found[count + 1 :].astype(np.int64)
        return found[1 : count + 1]

    def _wholes(self, method: str, params: Any, ints: Any, count: Any) -> Any:
        found = self._draw(method, params, ints, 2 * count)
        return found[:count].astype(np.int64) * _WHOLE + found[count:].astype(np.int64)


class Twister(Drawing):
    """A generator that is a Mersenne Twister, of which one number is drawn here: its state has 629
    words, which would have to be sent there and back. (``RandomState`` may have other bits.)"""

    __slots__ = ()

    def _word(self) -> Any:
        """Return the next 32 bits."""
        at = self._state[_PLACE]
        if at >= _LENGTH:
            self._twist()
            at = at - _LENGTH
        y = self._state[1 + at]
        self._state[_PLACE] = at + 1
        y = y ^ (y >> 11)
        y = y ^ ((y << 7) & 0x9D2C5680)
        y = y ^ ((y << 15) & 0xEFC60000)
        return y ^ (y >> 18)

    def _twist(self) -> None:
        """Make the next words of the state."""
        for k in range(1, _LENGTH + 1):
            following = k + 1 if k < _LENGTH else 1
            far = k + _FAR if k <= _LENGTH - _FAR else k + _FAR - _LENGTH
            y = (self._state[k] & 0x80000000) | (self._state[following] & 0x7FFFFFFF)
            self._state[k] = self._state[far] ^ (y >> 1) ^ ((y & 1) * 0x9908B0DF)

    def _unit(self) -> Any:
        """Return the next number between 0 and 1."""
        a = self._word() >> 5
        b = self._word() >> 6
        return (float(a) * 67108864.0 + float(b)) / 9007199254740992.0


_LENGTH, _FAR, _PLACE, TWISTER_WORDS = 624, 397, 625, 629


class Numbers(Drawing):
    """What both generators of NumPy draw."""

    __slots__ = ()

    def _standard(self, method: str, size: Any) -> Any:
        found = self._draw(method, (), (asked(size),), count_of(size))
        return float(found[0]) if size is None else found.reshape(size)

    def _of(self, method: str, params: Any, size: Any, times: int = 1) -> Any:
        """Draw numbers that depend on parameters."""
        n = count_of(size)
        if all(_is_number(p) for p in params):
            given = tuple(float(p) for p in params)
            return self._draw(method, given, (asked(size), *(1 for _ in params)), times * n)
        each = [_spread(p, size) for p in params]
        ints = (asked(size), *(len(p) for p in each))
        return self._draw(method, np.concatenate(each), ints, times * n)

    def _drawn(self, method: str, params: Any, size: Any) -> Any:
        shape = shape_of(size, *params)
        found = self._of(method, params, shape)
        return float(found[0]) if shape is None else found.reshape(shape)

    def _counted(self, method: str, params: Any, size: Any) -> Any:
        shape = shape_of(size, *params)
        n = count_of(shape)
        found = self._of(method, params, shape, 2)
        whole = found[:n].astype(np.int64) * _WHOLE + found[n:].astype(np.int64)
        return int(whole[0]) if shape is None else whole.reshape(shape)

    def _moved(self, loc: Any, scale: Any, z: Any) -> Any:
        """Return standard numbers, moved and scaled."""
        return float(loc + scale * z) if _is_number(z) else loc + scale * z

    def standard_normal(self, size: Any = None) -> Any:
        return self._standard("standard_normal", size)

    def standard_cauchy(self, size: Any = None) -> Any:
        return self._standard("standard_cauchy", size)

    def standard_exponential(self, size: Any = None) -> Any:
        return self._standard("standard_exponential", size)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        check_positive(scale, "scale")
        return self._moved(loc, scale, self.standard_normal(shape_of(size, loc, scale)))

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        check_positive(scale, "scale")
        return self._moved(loc, scale, self._standard("laplace", shape_of(size, loc, scale)))

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        check_positive(scale, "scale")
        return self._moved(loc, scale, self._standard("gumbel", shape_of(size, loc, scale)))

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        check_positive(scale, "scale")
        return self._moved(loc, scale, self._standard("logistic", shape_of(size, loc, scale)))

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        check_positive(scale, "scale")
        return self._scaled(scale, self.standard_exponential(shape_of(size, scale)))

    def rayleigh(self, scale: Any = 1.0, size: Any = None) -> Any:
        check_positive(scale, "scale")
        return self._scaled(scale, self._standard("rayleigh", shape_of(size, scale)))

    def _scaled(self, scale: Any, z: Any) -> Any:
        return float(scale * z) if _is_number(z) else scale * z

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
        check_positive(shape, "shape")
        check_positive(scale, "scale")
        return self._scaled(scale, self.standard_gamma(shape, shape_of(size, shape, scale)))

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
        check_positive(sigma, "sigma")
        shape = shape_of(size, mean, sigma)
        n = count_of(shape)
        params = constant(mean), constant(sigma)
        found = self._of("lognormal", params, shape, 2)
        y, z = found[:n], found[n:]
        if shape is None:
            return float(y[0]) * float(moved_by(float(mean + sigma * z[0])))
        whole = y.reshape(shape)
        return whole * moved_by(mean + sigma * z.reshape(shape))

    def standard_gamma(self, shape: Any, size: Any = None) -> Any:
        return self._drawn("standard_gamma", (shape,), size)

    def beta(self, a: Any, b: Any, size: Any = None) -> Any:
        return self._drawn("beta", (a, b), size)

    def chisquare(self, df: Any, size: Any = None) -> Any:
        return self._drawn("chisquare", (df,), size)

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Any = None) -> Any:
        return self._drawn("noncentral_chisquare", (df, nonc), size)

    def f(self, dfnum: Any, dfden: Any, size: Any = None) -> Any:
        return self._drawn("f", (dfnum, dfden), size)

    def noncentral_f(self, dfnum: Any, dfden: Any, nonc: Any, size: Any = None) -> Any:
        return self._drawn("noncentral_f", (dfnum, dfden, nonc), size)

    def standard_t(self, df: Any, size: Any = None) -> Any:
        return self._drawn("standard_t", (df,), size)

    def pareto(self, a: Any, size: Any = None) -> Any:
        return self._drawn("pareto", (a,), size)

    def weibull(self, a: Any, size: Any = None) -> Any:
        return self._drawn("weibull", (a,), size)

    def power(self, a: Any, size: Any = None) -> Any:
        return self._drawn("power", (a,), size)

    def wald(self, mean: Any, scale: Any, size: Any = None) -> Any:
        return self._drawn("wald", (mean, scale), size)

    def vonmises(self, mu: Any, kappa: Any, size: Any = None) -> Any:
        return self._drawn("vonmises", (mu, kappa), size)

    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None) -> Any:
        return self._drawn("triangular", (left, mode, right), size)

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Any:
        return self._counted("poisson", (lam,), size)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        return self._counted("binomial", (n, p), size)

    def negative_binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        return self._counted("negative_binomial", (n, p), size)

    def geometric(self, p: Any, size: Any = None) -> Any:
        return self._counted("geometric", (p,), size)

    def zipf(self, a: Any, size: Any = None) -> Any:
        return self._counted("zipf", (a,), size)

    def logseries(self, p: Any, size: Any = None) -> Any:
        return self._counted("logseries", (p,), size)

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> Any:
        return self._counted("hypergeometric", (ngood, nbad, nsample), size)

    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> Any:
        p = np.asarray(pvals, dtype=np.float64)
        if p.ndim != 1 or not _is_number(n):
            unsupported("multinomial of several n or rows of pvals", "one call for each")
        count = count_of(size)
        found = self._wholes("multinomial", p, (n, count), count * len(p))
        return found if size is None else found.reshape(_with_last(size, len(p)))

    def dirichlet(self, alpha: Any, size: Any = None) -> Any:
        a = np.asarray(alpha, dtype=np.float64)
        count = count_of(size)
        found = self._draw("dirichlet", a, (count,), count * len(a))
        return found if size is None else found.reshape(_with_last(size, len(a)))

    def _normals(self, mean: Any, cov: Any, size: Any, method: int) -> Any:
        m, c = np.asarray(mean), np.asarray(cov)
        if m.ndim != 1:
            raise ValueError("mean must be 1 dimensional")
        if c.ndim != 2 or c.shape[0] != c.shape[1]:
            raise ValueError("cov must be 2 dimensional and square")
        if m.shape[0] != c.shape[0]:
            raise ValueError("mean and cov must have same length")
        count, n = count_of(size), len(m)
        found = self._draw("multivariate_normal", np.ravel(c), (count, n, method), count * n)
        return m + (found if size is None else found.reshape(_with_last(size, n)))

    def permutation(self, x: Any, axis: int = 0) -> Any:
        if isinstance(x, int):
            return self._wholes("permutation", (), (x,), max(x, 0))
        items = np.asarray(x)
        n = items.shape[axis]
        return np.take(items, self._wholes("permutation", (), (n,), n), axis=axis)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        if isinstance(x, list):
            n = len(x)
            order = self._wholes("permutation", (), (n,), n)
            x[:] = [x[int(k)] for k in order]
        else:
            n = x.shape[axis]
            x[...] = np.take(x, self._wholes("permutation", (), (n,), n), axis=axis)


def _with_last(size: Any, n: Any) -> Any:
    return (*size, n) if isinstance(size, (tuple, list)) else (size, n)


def moved_by(x: Any) -> Any:
    """Return 1, with the derivative that exp(x) has relative to itself."""
    return np.exp(np.where(np.isfinite(x), x - constant(x), 0.0))


class Generator(Numbers):
    """``numpy.random.Generator``: its state is that of its bit generator."""

    __slots__ = ()

    def __init__(self, bit_generator: Any) -> None:
        if len(bit_generator._state) == 0:
            raise NotImplementedError("two generators that draw from one bit generator")
        self._state = bit_generator._state.copy()
        bit_generator._state = np.zeros(0, np.int64)  # a second one would draw from the same

    def random(self, size: Any = None) -> Any:
        return self._standard("random", size)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        span = span_of(low, high)
        if np.any(np.signbit(span)):
            raise ValueError("high - low < 0")
        if not np.all(np.isfinite(span)):
            number = _is_number(span)
            raise OverflowError(f"{'high - low range' if number else 'Range'} exceeds valid bounds")
        return self._moved(low, span, self.random(shape_of(size, low, high)))

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64,
        endpoint: Any = False,
    ) -> Any:  # fmt: skip
        check_wide(dtype)
        if high is None:
            low, high = 0, low
        found = self._wholes("integers", (), (low, high, asked(size), endpoint), count_of(size))
        if size is None:
            return int(found[0]) if dtype is int else found[0]
        return found.reshape(size)

    def choice(
        self, a: Any, size: Any = None, replace: Any = True, p: Any = None, axis: int = 0,
        shuffle: Any = True,
    ) -> Any:  # fmt: skip
        n = a if isinstance(a, int) else len(a) if axis == 0 else np.asarray(a).shape[axis]
        if not isinstance(a, int) and n == 0 and count_of(size) > 0:
            raise ValueError("a cannot be empty unless no samples are taken")
        count = count_of(size)
        if p is None and replace is True:
            if n <= 0 and count > 0:
                raise ValueError("a must be a positive integer unless no samples are taken")
            at = self._wholes("integers", (), (0, max(n, 1), asked(size), False), count)
        else:
            weights = () if p is None else np.asarray(p, dtype=np.float64)
            at = self._wholes("choice", weights, (n, asked(size), replace, shuffle), count)
        return picked(a, at, size, axis)

    def multivariate_normal(
        self, mean: Any, cov: Any, size: Any = None, *, method: str = "svd"
    ) -> Any:
        number = 0 if method == "svd" else 1 if method == "eigh" else 2
        return self._normals(mean, cov, size, number)


def picked(a: Any, at: Any, size: Any, axis: int) -> Any:
    """Return what lies at these places of a sequence, or the places themselves."""
    if size is None:
        if isinstance(a, int):
            return int(at[0])
        return np.take(np.asarray(a), at[0], axis=axis)
    places = at.reshape(size)
    return places if isinstance(a, int) else np.take(np.asarray(a), places, axis=axis)


class PCG64:
    """The bit generators have a state and nothing else."""

    __slots__ = ("_state",)

    def __init__(self, seed: Any = None) -> None:
        self._state = seeded("PCG64", seed, 11)


class PCG64DXSM:
    __slots__ = ("_state",)

    def __init__(self, seed: Any = None) -> None:
        self._state = seeded("PCG64DXSM", seed, 11)


class SFC64:
    __slots__ = ("_state",)

    def __init__(self, seed: Any = None) -> None:
        self._state = seeded("SFC64", seed, 11)


class Philox:
    __slots__ = ("_state",)

    def __init__(self, seed: Any = None) -> None:
        self._state = seeded("Philox", seed, 24)


class MT19937:
    __slots__ = ("_state",)

    def __init__(self, seed: Any = None) -> None:
        self._state = seeded("MT19937", seed, 626)


def seeded(method: str, seed: Any, size: int) -> Any:
    """Return the state that a seed gives."""
    if seed is None:
        unsupported("a generator without a seed", "give it a seed")
    if isinstance(seed, (float, str)):
        unsupported("a seed that is no int", "give it an int")
    ints = (seed,) if _is_number(seed) else np.concatenate((np.array([-1]), np.asarray(seed)))
    found = drawn(method, np.zeros(0, np.int64), (), ints, size)
    _check(found[0], method)
    return found[1:].astype(np.int64)
