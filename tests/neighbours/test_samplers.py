"""The samplers: nutpie calls a C function, BlackJAX by a callback."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import pullback as pb
from tests.test_c_functions import eight_schools

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of ArviZ about its own future
    import nutpie


def theta(x):
    out = np.empty(9)
    out[0] = math.exp(x[1])
    out[1:] = x[0] + math.exp(x[1]) * x[2:]
    return out


def test_nutpie_on_eight_schools() -> None:
    model = pb.interop.nutpie.model(
        eight_schools, 10, {"tau": (), "theta": (8,)}, expand=theta, start=np.zeros(10)
    )
    trace = nutpie.sample(
        model, draws=1500, tune=500, chains=4, cores=2, seed=1, progress_bar=False
    )
    tau, school = trace.posterior["tau"], trace.posterior["theta"]
    assert school.shape == (4, 1500, 8)
    # Gelman et al., Bayesian Data Analysis, with these priors (known from long runs).
    assert float(tau.mean()) == pytest.approx(3.6, abs=0.5)
    assert float(school[..., 0].mean()) == pytest.approx(6.3, abs=0.7)
    between = float(tau.mean("draw").std())
    assert between < 0.3


def test_a_normal_density_by_nutpie() -> None:
    center, scale = np.array([1.0, -2.0, 5.0]), np.array([1.0, 0.5, 3.0])

    def logp(x):
        return -0.5 * np.sum(((x - center) / scale) ** 2)

    trace = nutpie.sample(
        pb.interop.nutpie.model(logp, 3), draws=3000, chains=2, cores=2, seed=2, progress_bar=False
    )
    draws = np.asarray(trace.posterior["x"]).reshape(-1, 3)
    np.testing.assert_allclose(draws.mean(0), center, atol=0.15)
    np.testing.assert_allclose(draws.std(0), scale, rtol=0.07)


def test_a_density_with_errors_is_left() -> None:
    def logp(x):
        if x[0] < 0.0:
            raise ValueError("outside")
        return -x[0]

    model = pb.interop.nutpie.model(logp, 1, start=[1.0])
    trace = nutpie.sample(
        model, draws=1000, chains=2, cores=1, seed=3, progress_bar=False
    )
    draws = np.asarray(trace.posterior["x"])
    assert (draws >= 0.0).all()
    assert draws.mean() == pytest.approx(1.0, abs=0.2)
