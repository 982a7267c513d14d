"""The functions of ``random``: methods of one generator that all share."""

from __future__ import annotations

from typing import Any

from pullback.frontend.library.drawing import shared


def seed(a: Any = None) -> None:
    shared("random").seed(a)


def random() -> Any:
    return shared("random").random()


def uniform(a: Any, b: Any) -> Any:
    return shared("random").uniform(a, b)


def gauss(mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return shared("random").gauss(mu, sigma)


def normalvariate(mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return shared("random").normalvariate(mu, sigma)


def lognormvariate(mu: Any, sigma: Any) -> Any:
    return shared("random").lognormvariate(mu, sigma)


def expovariate(lambd: Any = 1.0) -> Any:
    return shared("random").expovariate(lambd)


def gammavariate(alpha: Any, beta: Any) -> Any:
    return shared("random").gammavariate(alpha, beta)


def betavariate(alpha: Any, beta: Any) -> Any:
    return shared("random").betavariate(alpha, beta)


def weibullvariate(alpha: Any, beta: Any) -> Any:
    return shared("random").weibullvariate(alpha, beta)


def paretovariate(alpha: Any) -> Any:
    return shared("random").paretovariate(alpha)


def vonmisesvariate(mu: Any, kappa: Any) -> Any:
    return shared("random").vonmisesvariate(mu, kappa)


def triangular(low: Any = 0.0, high: Any = 1.0, mode: Any = None) -> Any:
    return shared("random").triangular(low, high, mode)


def getrandbits(k: Any) -> Any:
    return shared("random").getrandbits(k)


def randrange(start: Any, stop: Any = None, step: Any = 1) -> Any:
    return shared("random").randrange(start, stop, step)


def randint(a: Any, b: Any) -> Any:
    return shared("random").randint(a, b)


def choice(seq: Any) -> Any:
    return shared("random").choice(seq)


def choices(population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> Any:
    return shared("random").choices(population, weights, cum_weights=cum_weights, k=k)


def sample(population: Any, k: Any) -> Any:
    return shared("random").sample(population, k)


def shuffle(x: Any) -> None:
    shared("random").shuffle(x)
