"""Maximum likelihood by ``scipy.optimize.minimize`` with Pullback's native gradient."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult, minimize

import pullback as pb
from pullback.demo.inputs import Array


@dataclass(frozen=True)
class Measured:
    """What one call costs, in seconds, and how far the gradient is from finite differences."""

    value: float
    compile_f: float
    compile_gradient: float
    time_f: float
    time_gradient: float
    gradient_error: float


@dataclass(frozen=True)
class Fit:
    """One optimisation: the parameters after every iteration and the loss there."""

    path: list[Array]
    losses: list[float]
    evaluations: int
    seconds: float
    message: str


def seconds_of(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def best_of(call: Callable[[], object]) -> float:
    """Return the time of the fastest of the calls in half a second (five at least)."""
    best, spent, count = float("inf"), 0.0, 0
    while spent < 0.5 or count < 5:
        took = seconds_of(call)
        best, spent, count = min(best, took), spent + took, count + 1
    return best


def directional_error(
    f: Callable[..., Any], gradient: Array, theta: Array, args: tuple[Any, ...]
) -> float:
    """Largest relative distance of gradient . v from a fourth-order difference, over 3 random v."""
    rng = np.random.default_rng(7)
    worst = 0.0
    for _ in range(3):
        v = rng.normal(size=theta.size)
        v /= np.linalg.norm(v)
        h = 1e-3
        near = (f(theta + h * v, *args) - f(theta - h * v, *args)) / (2 * h)
        far = (f(theta + 2 * h * v, *args) - f(theta - 2 * h * v, *args)) / (4 * h)
        expected = (4 * near - far) / 3
        error = abs(float(gradient @ v) - expected) / max(1.0, abs(expected))
        worst = max(worst, error)
    return worst


def measure(loss: Callable[..., Any], theta: Array, args: tuple[Any, ...]) -> Measured:
    """Compile the loss and its gradient, time both, check the gradient."""
    f, both = pb.jit(loss), pb.value_and_grad(loss)
    first_f = seconds_of(lambda: f(theta, *args))
    first_both = seconds_of(lambda: both(theta, *args))
    time_f = best_of(lambda: f(theta, *args))
    time_both = best_of(lambda: both(theta, *args))
    value, gradient = both(theta, *args)
    return Measured(
        value=float(value),
        compile_f=max(0.0, first_f - time_f),
        compile_gradient=max(0.0, first_both - time_both),
        time_f=time_f,
        time_gradient=time_both,
        gradient_error=directional_error(f, gradient, theta, args),
    )


def fit(
    loss: Callable[..., Any], theta: Array, args: tuple[Any, ...], iterations: int, what: str
) -> Fit:
    """Minimise the loss with L-BFGS-B, showing -loss (``what`` it is) as it rises."""
    gradient: Callable[..., Any] = pb.value_and_grad(loss)
    path, losses = [theta], [float(pb.jit(loss)(theta, *args))]
    start = last = time.perf_counter()

    def progress(intermediate_result: OptimizeResult) -> None:
        nonlocal last
        path.append(np.array(intermediate_result.x))
        losses.append(float(intermediate_result.fun))
        done, now = len(losses) - 1, time.perf_counter()
        if done <= 3 or done % 25 == 0 or now - last > 1.0:
            last = now
            print(f"    iteration {done:4d}   {what} {-losses[-1]:14.4f}", flush=True)

    result = minimize(
        gradient,
        theta,
        args=args,
        jac=True,
        method="L-BFGS-B",
        callback=progress,
        options={"maxiter": iterations, "maxfun": 2 * iterations, "ftol": 1e-10, "gtol": 1e-5},
    )
    return Fit(path, losses, int(result.nfev), time.perf_counter() - start, str(result.message))
