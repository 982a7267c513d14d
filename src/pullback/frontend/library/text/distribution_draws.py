"""Random numbers of a distribution of ``scipy.stats``, as plain Python that the front end compiles:
SciPy's own numbers of a seed or of a generator. They move with loc and scale; by a parameter of
shape they have no derivative that is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.compiled_text import unknown
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Array
from pullback.frontend.library.text.solver_answers import packed, told
from pullback.frontend.library.text_helpers import unsupported


def _wrong(name: str) -> None:
    raise ValueError(
        "Domain error in arguments. The `scale` parameter must be positive for all "
        "distributions, and many distributions have restrictions on shape parameters. Please "
        f"see the `scipy.stats.{name}` documentation for details."
    )


def _are_allowed(allowed: Any, shapes: Any) -> bool:
    """Whether all parameters of shape are such as the distribution takes."""
    if len(shapes) == 0:
        return True
    rows = np.broadcast_arrays(*[np.atleast_1d(np.asarray(s)) for s in shapes])
    flat = tuple(np.ravel(r) for r in rows)
    return all(allowed(*[f[i] for f in flat]) for i in range(len(flat[0])))


def _extents(name: str, parameters: Any, size: Any) -> Any:
    """Return the shape of what is drawn, None: a number."""
    whole: Any = 0.0
    for p in parameters:
        whole = whole + 0.0 * np.asarray(p)
    if size is None:
        return None if np.ndim(whole) == 0 else whole.shape
    extents = tuple(size) if isinstance(size, (tuple, list)) else (size,)
    if np.ndim(whole) > 0 and (whole + np.zeros(extents)).shape != extents:
        raise ValueError("size does not match the broadcast shape of the parameters.")
    return extents


def drawn(
    name: str, allowed: Any, ppf: Any, shapes: Any, loc: Any, scale: Any, size: Any,
    random_state: Any,
) -> Any:  # fmt: skip
    """rvs"""
    if random_state is None:
        unsupported("rvs without a seed", "random_state=0")
    if not (np.all(np.asarray(scale) >= 0.0) and _are_allowed(allowed, shapes)):
        _wrong(name)
    shifts = np.asarray(loc) if isinstance(loc, (list, tuple)) else loc
    sizes = np.asarray(scale) if isinstance(scale, (list, tuple)) else scale
    extents = _extents(name, (*shapes, loc, scale), size)
    if not isinstance(random_state, int):
        return _standard(name, ppf, shapes, extents, random_state) * sizes + shifts
    ranks = 0
    for s in shapes:
        ranks += np.ndim(s)
    if ranks > 0:
        generator = np.random.RandomState(random_state)
        return _standard(name, ppf, shapes, extents, generator) * sizes + shifts
    return _of_seed(name, shapes, extents, random_state) * sizes + shifts


def _of_seed(name: str, shapes: Any, extents: Any, seed: Any) -> Any:
    """Return the numbers of a seed, for loc 0 and scale 1."""
    change: Any = 0.0
    for s in shapes:
        change = change + s
    dims = np.array([1]) if extents is None else np.array([1, *extents])
    given = packed((np.array([1.0 * s for s in shapes]), dims, seed))
    numbers = np.array([unknown(v, change) for v in told(described("rvs", name), given)])
    return numbers[0] if extents is None else numbers.reshape(extents)


def _standard(name: str, ppf: Any, shapes: Any, size: Any, generator: Any) -> Any:
    """Return what SciPy takes of a generator, for loc 0 and scale 1."""
    if name == "norm":
        return generator.standard_normal(size)
    if name == "expon":
        return generator.standard_exponential(size)
    if name == "uniform":
        return generator.uniform(0.0, 1.0, size)
    if name in ("gamma", "erlang"):
        return generator.standard_gamma(shapes[0], size)
    if name == "beta":
        return generator.beta(shapes[0], shapes[1], size)
    if name == "chi2":
        return generator.chisquare(shapes[0], size)
    if name == "t":
        return generator.standard_t(shapes[0], size)
    if name == "f":
        return generator.f(shapes[0], shapes[1], size)
    if name == "laplace":
        return generator.laplace(0.0, 1.0, size)
    if name == "logistic":
        return generator.logistic(0.0, 1.0, size)
    if name == "halfnorm":
        return np.abs(generator.standard_normal(size))
    if name == "lognorm":
        return np.exp(shapes[0] * generator.standard_normal(size))
    if name == "rayleigh":
        return np.sqrt(generator.chisquare(2.0, size))
    if name == "maxwell":
        return np.sqrt(generator.chisquare(3.0, size))
    if name == "chi":
        return np.sqrt(generator.chisquare(shapes[0], size))
    if name == "triang":
        return generator.triangular(0.0, shapes[0], 1.0, size)
    if name == "invgauss":
        return generator.wald(shapes[0], 1.0, size)
    if name == "vonmises":
        return generator.vonmises(0.0, shapes[0], size)
    if name not in _BY_QUANTILES or ppf is None:
        unsupported("rvs of this distribution with a generator, or with arrays as parameters of "
                    "shape", "a whole number as random_state, and numbers")  # fmt: skip
    return ppf(generator.uniform(0.0, 1.0, size), *shapes)


_BY_QUANTILES = (
    "cauchy", "gumbel_r", "gumbel_l", "pareto", "weibull_min", "weibull_max", "halfcauchy",
    "genextreme", "powerlaw", "invgamma", "loguniform", "arcsine", "lomax", "fisk", "burr12",
    "halflogistic", "hypsecant", "exponweib", "kumaraswamy", "genpareto",
)  # fmt: skip


def counted(
    name: str, allowed: Any, shapes: Any, loc: Any, size: Any, random_state: Any
) -> Any:
    """rvs of whole numbers"""
    if random_state is None:
        unsupported("rvs without a seed", "random_state=0")
    if not _are_allowed(allowed, shapes):
        _wrong(name)
    extents = _extents(name, (*shapes, loc), size)
    generator = random_state
    if isinstance(random_state, int):
        generator = np.random.RandomState(random_state)
    made: Array = _whole(name, shapes, extents, generator) + loc
    return int(made) if extents is None else made.astype(np.int64)


def _whole(name: str, shapes: Any, size: Any, generator: Any) -> Any:
    if name == "poisson":
        return generator.poisson(shapes[0], size)
    if name == "binom":
        return generator.binomial(shapes[0], shapes[1], size)
    if name == "bernoulli":
        return generator.binomial(1, shapes[0], size)
    if name == "geom":
        return generator.geometric(shapes[0], size)
    if name == "nbinom":
        return generator.negative_binomial(shapes[0], shapes[1], size)
    if name == "zipf":
        return generator.zipf(shapes[0], size)
    if name == "betabinom":
        return generator.binomial(shapes[0], generator.beta(shapes[1], shapes[2], size), size)
    if name == "hypergeom":
        return generator.hypergeometric(shapes[1], shapes[0] - shapes[1], shapes[2], size)
    if name != "randint" or np.ndim(shapes[0]) > 0 or np.ndim(shapes[1]) > 0:
        unsupported("rvs of this distribution", "draw from a generator of NumPy")
    if isinstance(generator, np.random.Generator):
        return generator.integers(shapes[0], shapes[1], size)
    return generator.randint(shapes[0], shapes[1], size)


__all__ = ["counted", "drawn"]
