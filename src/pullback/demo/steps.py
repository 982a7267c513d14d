"""The demonstration, step by step: measure, fit, report, draw."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from pullback.demo import inputs
from pullback.demo.fit import Fit, Measured, fit, measure
from pullback.demo.inputs import Array
from pullback.demo.mixture import neg_log_likelihood, neg_log_posterior

GRADIENT_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Job:
    """One fit: the loss, where it starts, and its other arguments."""

    name: str
    loss: Callable[..., float]
    theta: Array
    args: tuple[Any, ...]
    iterations: int
    what: str  # what the negative of the loss is


def faithful_job(x: Array) -> tuple[Job, Array, Array]:
    """Old Faithful in standard units; also returns the centre and the scale of the units."""
    centre, scale = x.mean(axis=0), x.std(axis=0)
    means = np.array([[-0.4, 1.1], [0.5, -1.2]])  # across the data, so that there is a way to go
    theta = np.concatenate([np.zeros(2), means.ravel(), np.full(4, 0.3), np.zeros(2)])
    args = ((x - centre) / scale, 2)
    job = Job("Old Faithful", neg_log_likelihood, theta, args, 200, "log-likelihood")
    return job, centre, scale


def adbench_job(given: inputs.GmmInput) -> Job:
    """ADBench's 1k_gmm_d10_K25 from the parameters in the file, with the Wishart prior."""
    theta = np.concatenate([a.ravel() for a in (given.alphas, given.means, given.qs, given.ls)])
    args = (given.x, len(given.alphas), given.gamma, given.m)
    return Job("ADBench 1k_gmm_d10_K25", neg_log_posterior, theta, args, 400, "log-posterior")


def describe(measured: Measured) -> None:
    ratio = measured.time_gradient / measured.time_f
    print(
        f"    compile    f {measured.compile_f * 1e3:9.1f} ms   "
        f"gradient {measured.compile_gradient * 1e3:9.1f} ms\n"
        f"    time       f {measured.time_f * 1e3:9.4f} ms   "
        f"gradient {measured.time_gradient * 1e3:9.4f} ms   ratio {ratio:.2f}\n"
        f"    gradient against finite differences, 3 random directions: "
        f"relative error {measured.gradient_error:.1e}",
        flush=True,
    )


def solve(job: Job, shift: float = 0.0) -> tuple[Fit, bool]:
    """Measure and fit one job; ``shift`` turns its loss into the data's own units."""
    points = job.args[0].shape
    print(
        f"\n{job.name}: {points[0]} points in {points[1]} dimensions, {job.args[1]} clusters, "
        f"{job.theta.size} parameters",
        flush=True,
    )
    measured = measure(job.loss, job.theta, job.args)
    describe(measured)
    right = measured.gradient_error < GRADIENT_TOLERANCE
    if not right:
        print("    THE GRADIENT DISAGREES WITH FINITE DIFFERENCES")
    done = fit(job.loss, job.theta, job.args, job.iterations, job.what)
    print(
        f"    {job.what} {-done.losses[0] + shift:.4f} -> {-done.losses[-1] + shift:.4f} "
        f"after {len(done.losses) - 1} iterations, {done.evaluations} gradients, "
        f"{done.seconds:.2f} s",
        flush=True,
    )
    return done, right


def run(folder: Path) -> int:
    """The whole demonstration; the exit status is 1 where a gradient check failed."""
    print("Pullback: Gaussian mixtures by maximum likelihood, native gradients, L-BFGS-B")
    eruptions = inputs.faithful()
    job, centre, scale = faithful_job(eruptions)
    shift = -len(eruptions) * float(np.log(scale).sum())
    first, first_right = solve(job, shift)
    print("    (the last line in minutes, the data's own units; the iterations in standard units)")
    given = inputs.adbench()
    second, second_right = solve(adbench_job(given))

    if find_spec("matplotlib") is None:
        print("\nNo picture: matplotlib is not installed (pip install 'pullback[demo]')")
    else:
        from pullback.demo.picture import Drawn, draw

        path = draw(
            folder,
            Drawn(eruptions, first, centre, scale, clusters=2, shift=shift),
            Drawn(given.x, second, np.zeros(10), np.ones(10), clusters=25, shift=0.0),
        )
        print(f"\nPicture: {path}")
    return 0 if first_right and second_right else 1
