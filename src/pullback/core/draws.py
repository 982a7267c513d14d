"""Draws of random numbers by NumPy's generators and Python's: a function from a state to numbers
and the next state.

Compiled code has the state of a generator as data, a vector of words of 32 bits. A draw sends it
over with the parameters, Python puts it into a generator of its own, draws, and sends the numbers
back with the state that follows. So the numbers are those of the library, and a draw is as pure as
any function: it may be done again.

What goes over are reals, and words: how many numbers come back, the number of the method, the
number of words of the state, the state, and what the method needs (``METHODS``). What comes back is
0 or the number of an error, the numbers that were drawn, and the words of the state, all as reals.
A whole number is two of them: high and low 32 bits.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.random.bit_generator import SeedlessSeedSequence

from pullback.core.called_python import Floats, Words

_MASK = (1 << 32) - 1
_BITS = ("PCG64", "PCG64DXSM", "SFC64", "Philox", "MT19937")
"""The bit generators of NumPy, by their numbers, which are the first word of a state."""

_PYTHON = -1
"""The first word of a state of ``random.Random``."""


# --- states ---------------------------------------------------------------------------------------


def _halves(numbers: Any) -> Words:
    """Return numbers of 64 bits as words."""
    found: Words = np.ascontiguousarray(numbers, np.uint64).view(np.uint32).astype(np.int64)
    return found


def _wholes(words: Words) -> Any:
    return words.astype(np.uint32).view(np.uint64)


def _long(number: int) -> list[int]:
    """Return a number of 128 bits as four words."""
    return [number >> 32 * k & _MASK for k in range(4)]


def _joined(words: Words) -> int:
    return sum(int(w) << 32 * k for k, w in enumerate(words))


def _bit_words(state: dict[str, Any]) -> list[int]:
    """Return the state of a bit generator as words."""
    name, inner = state["bit_generator"], state["state"]
    head = [_BITS.index(name)]
    match name:
        case "MT19937":
            return [*head, *inner["key"].tolist(), inner["pos"]]
        case "PCG64" | "PCG64DXSM":
            head += [*_long(inner["state"]), *_long(inner["inc"])]
        case "SFC64":
            head += _halves(inner["state"]).tolist()
        case _:
            numbers = np.concatenate([inner["counter"], inner["key"], state["buffer"]])
            head += [*_halves(numbers).tolist(), state["buffer_pos"]]
    return [*head, state["has_uint32"], state["uinteger"]]


def _bit_state(words: Words) -> dict[str, Any]:
    """Return the state of a bit generator that has these words."""
    name, rest = _BITS[words[0]], words[1:]
    if name == "MT19937":
        inner: dict[str, Any] = {"key": rest[:624].astype(np.uint32), "pos": int(rest[624])}
        return {"bit_generator": name, "state": inner}
    found: dict[str, Any] = {
        "bit_generator": name, "has_uint32": int(rest[-2]), "uinteger": int(rest[-1])
    }  # fmt: skip
    match name:
        case "PCG64" | "PCG64DXSM":
            found["state"] = {"state": _joined(rest[:4]), "inc": _joined(rest[4:8])}
        case "SFC64":
            found["state"] = {"state": _wholes(rest[:8])}
        case _:
            whole = _wholes(rest[:20])
            found["state"] = {"counter": whole[:4], "key": whole[4:6]}
            found |= {"buffer": whole[6:], "buffer_pos": int(rest[20])}
    return found


def _bits_of(number: float) -> list[int]:
    low, high = np.array([number]).view(np.uint32).tolist()
    return [high, low]


def _of_bits(high: int, low: int) -> float:
    return float(np.array([low, high], np.uint32).view(np.float64)[0])


def words_of(generator: Any) -> Words:
    """Return the state of a generator as words."""
    match generator:
        case random.Random():
            _, key, spare = generator.getstate()
            words = [_PYTHON, *key, spare is not None, *_bits_of(spare or 0.0)]
        case np.random.RandomState():
            state: Any = generator.get_state(legacy=False)
            spare = [state["has_gauss"], *_bits_of(state["gauss"])]
            if state["bit_generator"] == "MT19937":  # it is long
                inner = state["state"]
                parts = [_BITS.index("MT19937")], inner["key"], [inner["pos"], *spare]
                return np.concatenate(parts, dtype=np.int64)
            words = [*_bit_words(state), *spare]
        case _:
            words = _bit_words(generator.bit_generator.state)
    return np.array(words, np.int64)


def put_words(words: Words, generator: Any) -> None:
    """Give a generator the state of these words."""
    match generator:
        case random.Random():
            spare = _of_bits(*words[-2:]) if words[-3] else None
            generator.setstate((3, tuple(words[1:-3].tolist()), spare))
        case np.random.RandomState():
            state = _bit_state(words[:-3])
            state |= {"has_gauss": int(words[-3]), "gauss": _of_bits(*words[-2:])}
            generator.set_state(state)
        case _:
            generator.bit_generator.state = _bit_state(words)


_own = threading.local()


def _generator(cls: type, words: Words) -> Any:
    """Return a generator of this thread with this state."""
    known: dict[Any, Any] = _own.__dict__.setdefault("known", {})
    key = cls, int(words[0])
    if key not in known:
        known[key] = made(cls, int(words[0]))
    put_words(words, known[key])
    return known[key]


def made(cls: type, number: int) -> Any:
    """Return a new generator of a class, with the bit generator of a number."""
    return random.Random(0) if cls is random.Random else cls(getattr(np.random, _BITS[number])(0))


def with_seed(cls: type, seed: int) -> Any:
    """Return a new generator of a class as people make it."""
    return np.random.default_rng(seed) if cls is np.random.Generator else cls(seed)


def with_words(words: Words, cls: Any) -> Any:
    """Return a new generator of a class with this state: of none of its seed, so that it spawns no
    others."""
    generator = made(cls, int(words[0]))
    put_words(words, generator)
    if cls is np.random.Generator:
        bits = generator.bit_generator
        bits.__setstate__((bits.state, SeedlessSeedSequence()))
    return generator


# --- draws ----------------------------------------------------------------------------------------

Drawn = Callable[[Any, Floats, list[int]], Any]
"""A draw from a generator with reals and whole numbers: an array of reals or of ints."""


class Draw(NamedTuple):
    """A method of a class: how it draws, and the texts of the ``ValueError`` that it may raise,
    which the program may catch."""

    cls: type
    draw: Drawn
    errors: tuple[str, ...] = ()


def _size(size: int) -> int | None:
    return None if size < 0 else size


def _given(reals: Floats, lengths: list[int]) -> list[Any]:
    """Return parameters: each one number or as many as are drawn."""
    params, at = [], 0
    for n in lengths:
        params.append(float(reals[at]) if n == 1 else reals[at : at + n])
        at += n
    return params


def _distribution(name: str, counts: tuple[int, ...] = ()) -> Drawn:
    """A distribution with parameters: the whole numbers are the size (-1: none) and their lengths.
    ``counts``: which of them are whole numbers."""

    def draw(rng: Any, reals: Floats, ints: list[int]) -> Any:
        given = _given(reals, ints[1:])
        for k in counts:
            given[k] = np.asarray(given[k]).astype(np.int64)[()]
        return getattr(rng, name)(*given, size=_size(ints[0]))

    return draw


def _lognormal(rng: Any, reals: Floats, ints: list[int]) -> Any:
    """Lognormal numbers, and the normal ones that they are the exponentials of, standardised."""
    size, before = _size(ints[0]), words_of(rng)
    z = rng.standard_normal(size)
    put_words(before, rng)
    return np.concatenate([np.ravel(rng.lognormal(*_given(reals, ints[1:]), size)), np.ravel(z)])


def _seeded(make: Callable[[Any], Any]) -> Drawn:
    """The state of a generator that is made of a seed: one whole number, or several after -1."""

    def draw(_: Any, reals: Floats, ints: list[int]) -> Any:
        return words_of(make(ints[0] if len(ints) == 1 else ints[1:])).astype(np.float64)

    return draw


def _with_bits(name: str, seed: Any) -> np.random.Generator:
    return np.random.Generator(getattr(np.random, name)(seed))


def _integers(rng: Any, reals: Floats, ints: list[int]) -> Any:
    low, high, size, endpoint = ints
    return rng.integers(low, high, size=_size(size), endpoint=bool(endpoint))


def _randint(rng: Any, reals: Floats, ints: list[int]) -> Any:
    low, high, size = ints
    return rng.randint(low, high, size=_size(size), dtype=np.int64)


def _permuted(rng: Any, reals: Floats, ints: list[int]) -> Any:
    return rng.permutation(ints[0])


def _chosen(rng: Any, reals: Floats, ints: list[int]) -> Any:
    """Places: among how many, the size, whether with replacement, whether shuffled."""
    n, size, replace, shuffle = ints
    extra = {"shuffle": bool(shuffle)} if isinstance(rng, np.random.Generator) else {}
    p = reals if len(reals) else None
    return rng.choice(n, size=_size(size), replace=bool(replace), p=p, **extra)


def _multivariate_normal(rng: Any, reals: Floats, ints: list[int]) -> Any:
    """Numbers around 0: how many, of how many dimensions, by which method."""
    size, n, method = ints
    cov = reals.reshape(n, n)
    how = {"method": _METHODS[method]} if isinstance(rng, np.random.Generator) else {}
    return rng.multivariate_normal(np.zeros(n), cov, size, **how)


_METHODS = ("svd", "eigh", "cholesky")


def _multinomial(rng: Any, reals: Floats, ints: list[int]) -> Any:
    return rng.multinomial(ints[0], reals, ints[1])


def _dirichlet(rng: Any, reals: Floats, ints: list[int]) -> Any:
    return rng.dirichlet(reals, ints[0])


def _python(name: str) -> Drawn:
    """A method of ``random.Random`` that takes reals."""
    return lambda rng, reals, ints: getattr(rng, name)(*reals.tolist())


def _whole(name: str) -> Drawn:
    """One that takes and gives whole numbers."""
    return lambda rng, reals, ints: getattr(rng, name)(*ints)


def _lognormvariate(rng: random.Random, reals: Floats, ints: list[int]) -> Any:
    before = rng.getstate()
    z = rng.normalvariate(0.0, 1.0)
    rng.setstate(before)
    return [rng.lognormvariate(*reals.tolist()), z]


def _python_choices(rng: random.Random, reals: Floats, ints: list[int]) -> Any:
    """Places: among how many, by which weights (0: none, 1: weights, 2: their sums), how many."""
    n, weighted, k = ints
    name = ("", "weights", "cum_weights")[weighted]
    given: Any = {name: reals.tolist()} if weighted else {}
    return np.array(rng.choices(range(n), k=k, **given), np.int64)


def _python_sample(rng: random.Random, reals: Floats, ints: list[int]) -> Any:
    return np.array(rng.sample(range(ints[0]), ints[1]), np.int64)


def _python_shuffle(rng: random.Random, reals: Floats, ints: list[int]) -> Any:
    places = list(range(ints[0]))
    rng.shuffle(places)
    return np.array(places, np.int64)


_SIZE = "negative dimensions are not allowed"
_CONTINUOUS: dict[str, tuple[str, ...]] = {
    "random": (), "random_sample": (), "standard_normal": (), "standard_exponential": (),
    "standard_cauchy": (), "laplace": (), "gumbel": (), "logistic": (), "rayleigh": (),
    "standard_gamma": ("shape < 0",), "standard_t": ("df <= 0",), "chisquare": ("df <= 0",),
    "beta": ("a <= 0", "b <= 0"), "f": ("dfnum <= 0", "dfden <= 0"),
    "noncentral_chisquare": ("df <= 0", "nonc < 0"),
    "noncentral_f": ("dfnum <= 0", "dfden <= 0", "nonc < 0"),
    "pareto": ("a <= 0",), "weibull": ("a < 0",), "power": ("a <= 0",),
    "wald": ("mean <= 0", "scale <= 0"), "vonmises": ("kappa < 0",),
    "triangular": ("left > mode", "mode > right", "left == right"),
}  # fmt: skip
_PROBABILITY = "p <= 0, p > 1 or p contains NaNs"
_DISCRETE: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    "poisson": ((), ("lam < 0 or lam is NaN", "lam < 0 or lam contains NaNs",
                     "lam value too large")),
    "binomial": ((0,), ("n < 0", "p < 0, p > 1 or p is NaN", "p < 0, p > 1 or p contains NaNs")),
    "negative_binomial": ((), ("n <= 0", _PROBABILITY)),
    "geometric": ((), (_PROBABILITY,)),
    "zipf": ((), ("a <= 1 or a is NaN", "a <= 1 or a contains NaNs")),
    "logseries": ((), ("p < 0, p >= 1 or p is NaN", "p < 0, p >= 1 or p contains NaNs")),
    "hypergeometric": ((0, 1, 2), ("ngood + nbad < nsample", "ngood < 0", "nbad < 0",
                                   "nsample < 0")),
}  # fmt: skip
_RANGE = ("high <= 0", "low >= high", "low > high", "high < 0", _SIZE)


def _of_numpy(cls: type, prefix: str) -> dict[str, Draw]:
    """Return the draws that both of NumPy's generators have."""
    found = {
        name: Draw(cls, _distribution(name), (*errors, _SIZE))
        for name, errors in _CONTINUOUS.items() if hasattr(cls, name)
    } | {
        name: Draw(cls, _distribution(name, counts), (*errors, _SIZE))
        for name, (counts, errors) in _DISCRETE.items()
    } | {
        "lognormal": Draw(cls, _lognormal, (_SIZE,)),
        "permutation": Draw(cls, _permuted),
        "multivariate_normal": Draw(cls, _multivariate_normal, (_SIZE,)),
        "multinomial": Draw(cls, _multinomial, ("n < 0", "sum(pvals[:-1]) > 1.0", _SIZE)),
        "dirichlet": Draw(cls, _dirichlet, ("alpha < 0", "alpha <= 0", _SIZE)),
    }  # fmt: skip
    return {prefix + name: draw for name, draw in found.items()}


_GENERATOR, _STATE, _RANDOM = np.random.Generator, np.random.RandomState, random.Random

METHODS: dict[str, Draw] = {
    **{
        name: Draw(_GENERATOR, _seeded(partial(_with_bits, name)), (
            "expected non-negative integer",
        ))
        for name in _BITS
    },
    **_of_numpy(_GENERATOR, ""),
    "integers": Draw(_GENERATOR, _integers, _RANGE),
    "choice": Draw(_GENERATOR, _chosen, (
        "a must be a positive integer unless no samples are taken",
        "Cannot take a larger sample than population when replace is False",
        "a and p must have same size", "Probabilities contain NaN",
        "Probabilities are not non-negative",
        "Probabilities do not sum to 1. See Notes section of docstring for more information.",
        "Fewer non-zero entries in p than size", _SIZE,
    )),
    "legacy.seed": Draw(_STATE, _seeded(np.random.RandomState), (
        "Seed must be between 0 and 2**32 - 1", "Seed must be non-empty",
    )),
    **_of_numpy(_STATE, "legacy."),
    "legacy.randint": Draw(_STATE, _randint, _RANGE),
    "legacy.choice": Draw(_STATE, _chosen, (
        "a must be greater than 0 unless no samples are taken",
        "Cannot take a larger sample than population when 'replace=False'",
        "'a' and 'p' must have same size", "probabilities contain NaN",
        "probabilities are not non-negative", "probabilities do not sum to 1",
        "Fewer non-zero entries in p than size", _SIZE,
    )),
    "python.seed": Draw(_RANDOM, _seeded(random.Random)),
    **{f"python.{name}": Draw(_RANDOM, _python(name)) for name in (
        "random", "gauss", "normalvariate", "expovariate", "gammavariate", "weibullvariate",
        "paretovariate", "vonmisesvariate", "triangular",
    )},
    "python.betavariate": Draw(_RANDOM, _python("betavariate"), (
        "gammavariate: alpha and beta must be > 0.0",
    )),
    **{f"python.{name}": Draw(_RANDOM, _whole(name)) for name in ("getrandbits", "randrange")},
    "python.lognormvariate": Draw(_RANDOM, _lognormvariate),
    "python.choices": Draw(_RANDOM, _python_choices, (
        "The number of weights does not match the population",
        "Total of weights must be greater than zero", "Total of weights must be finite",
    )),
    "python.sample": Draw(_RANDOM, _python_sample, (
        "Sample larger than population or is negative",
    )),
    "python.shuffle": Draw(_RANDOM, _python_shuffle),
}  # fmt: skip
"""What can be drawn, in an order that is the same in every process."""

NUMBERS = {name: k for k, name in enumerate(METHODS)}
_DRAWS = tuple(METHODS.values())


def drawn(reals: Floats, words: Words) -> Floats:
    """Draw: return 0 or the number of an error, what was drawn (``words[0]`` numbers), and the
    state that follows."""
    count, number, size = words[:3].tolist()
    cls, draw, errors = _DRAWS[number]
    state, ints = words[3 : 3 + size], words[3 + size :].tolist()
    rng = _generator(cls, state) if size else None
    out = np.zeros(1 + count + size)
    try:
        found = np.ravel(draw(rng, reals, ints))
    except ValueError as error:
        if str(error) not in errors:
            raise
        out[0] = 1 + errors.index(str(error))
    else:
        if found.dtype.kind in "iu":
            whole = found.astype(np.int64, copy=False)
            found = np.concatenate([whole >> 32, whole & _MASK])
        out[1 : 1 + count] = found
    if rng is not None:
        out[1 + count :] = words_of(rng)
    return out


__all__ = [
    "METHODS", "NUMBERS", "drawn", "made", "put_words", "with_seed", "with_words", "words_of",
]  # fmt: skip
