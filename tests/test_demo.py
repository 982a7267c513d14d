"""The demonstration: its data, its loss against an independent one, and the whole run."""

from pathlib import Path

import numpy as np
import pytest
from scipy.special import logsumexp, multigammaln

import pullback as pb
from pullback.demo import inputs, mixture
from pullback.demo.steps import faithful_job, run


def reference(data: inputs.GmmInput) -> float:
    """ADBench's objective by linear algebra, with SciPy's special functions."""
    n, d = data.x.shape
    clusters = len(data.alphas)
    weights = np.empty((n, clusters))
    for k in range(clusters):
        q = np.diag(np.exp(data.qs[k]))
        q.T[np.triu_indices(d, 1)] = data.ls[k]  # below the diagonal, column by column
        scaled = (data.x - data.means[k]) @ q.T
        weights[:, k] = data.alphas[k] + data.qs[k].sum() - 0.5 * (scaled**2).sum(axis=1)
    degrees = d + data.m + 1
    constant = degrees * d * np.log(data.gamma / np.sqrt(2.0)) - multigammaln(0.5 * degrees, d)
    spread = np.exp(2.0 * data.qs).sum() + (data.ls**2).sum()
    prior = clusters * constant - 0.5 * data.gamma**2 * spread + data.m * data.qs.sum()
    shift = -0.5 * n * d * np.log(2 * np.pi) - n * logsumexp(data.alphas)
    return float(shift + logsumexp(weights, axis=1).sum() + prior)


def test_the_data_are_all_there() -> None:
    data = inputs.adbench()
    assert inputs.faithful().shape == (272, 2)
    assert (data.means.shape, data.ls.shape, data.x.shape) == ((25, 10), (25, 45), (1000, 10))
    assert (data.gamma, data.m) == (1.0, 0)


def test_a_broken_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "short.txt"
    path.write_text("2 1 1\n0.5\n")
    with pytest.raises(ValueError, match="expected 10 numbers, found 1"):
        inputs.adbench(path)


def test_the_objective_is_adbenchs() -> None:
    data = inputs.adbench()
    args = (data.alphas, data.means, data.qs, data.ls, data.x, data.gamma, data.m)
    expected = reference(data)
    assert mixture.objective(*args) == pytest.approx(expected, rel=1e-12)
    assert pb.jit(mixture.objective)(*args) == pytest.approx(expected, rel=1e-12)


def test_the_gradient_of_the_small_fit_is_right() -> None:
    job, _, _ = faithful_job(inputs.faithful())
    value, gradient = pb.value_and_grad(job.loss)(job.theta, *job.args)
    assert value == pytest.approx(job.loss(job.theta, *job.args), rel=1e-12)
    for i, h in enumerate(1e-5 * np.eye(job.theta.size)):
        up, down = job.loss(job.theta + h, *job.args), job.loss(job.theta - h, *job.args)
        assert gradient[i] == pytest.approx((up - down) / 2e-5, rel=1e-6, abs=1e-6)


def test_the_whole_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path) == 0
    shown = capsys.readouterr().out
    assert "-> -1130.264" in shown  # the known maximum for two clusters with full covariances
    assert (tmp_path / "mixtures.png").stat().st_size > 50_000
