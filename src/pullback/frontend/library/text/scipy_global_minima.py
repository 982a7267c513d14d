"""The least minima between bounds, and solutions of linear programs, of ``scipy.optimize``, as
plain Python that the front end compiles: SciPy's own search (``solver_answers``), with random
numbers of a seed, and the derivative of the minimum (``constrained_minima``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.constrained_minima import (
    Condition,
    Function,
    held_by,
    program,
)
from pullback.frontend.library.text.domains import Matrix, Vector
from pullback.frontend.library.text.solver_answers import answered, packed, told
from pullback.frontend.library.text.trust_reflective import are_given, between
from pullback.frontend.library.text_helpers import unsupported


class GlobalMinimum:
    """What a search for the least minimum gives."""

    def __init__(self, x: Vector, fun: Function, numbers: Vector) -> None:
        self.x = x
        self.nit = int(numbers[0])
        self.nfev = int(numbers[1])
        self.success = bool(numbers[5] == 1.0)
        self._objective = fun

    @property
    def fun(self) -> float:
        """The value at the minimum."""
        return self._objective(self.x)

    @property
    def message(self) -> str:
        """How it ended."""
        return unsupported("the message of this search", "ask for success")

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def _limits(bounds: Any) -> tuple[Vector, Vector]:
    if are_given(bounds):
        return np.asarray(bounds.lb) * 1.0, np.asarray(bounds.ub) * 1.0
    return np.array([1.0 * b[0] for b in bounds]), np.array([1.0 * b[1] for b in bounds])


def _of_vector(func: Callable[..., Any], args: Any) -> Function:
    given = args if isinstance(args, tuple) else (args,)

    def f(x: Vector) -> float:
        return np.float64(np.ravel(np.asarray(func(x, *given)))[0])

    return f


def _least(f: Function, words: Any, values: Any, low: Vector, high: Vector,
           near: float) -> GlobalMinimum:  # fmt: skip
    """Return what SciPy finds."""
    n = low.size

    def answer(kind: int, x: Vector) -> Vector:
        return np.array([f(x)])

    found = answered(words, constant(packed((low, high, *values))), constant(answer))
    x = found[:n]
    return GlobalMinimum(
        held_by(f, (), x, low, high, near * (np.max(np.abs(x)) + np.max(high - low))), f, found[n:]
    )


def _seed(rng: Any, seed: Any) -> Any:
    """Return the seed; without one SciPy finds another place each time."""
    if rng is None and seed is None:
        unsupported("a random search without a seed", "rng=0")
    made = seed if rng is None else rng
    if not isinstance(made, int):
        unsupported("a random search with a seed that is not an int", "rng=0")
    return made


def differential_evolution(func: Callable[..., Any], bounds: Any, args: Any = (),
                           strategy: str = "best1bin", maxiter: int = 1000, popsize: int = 15,
                           tol: float = 0.01, mutation: Any = (0.5, 1), recombination: float = 0.7,
                           rng: Any = None, callback: Any = None, disp: bool = False,
                           polish: bool = True, init: str = "latinhypercube", atol: float = 0.0,
                           updating: str = "immediate", *, seed: Any = None) -> Any:  # fmt: skip
    if callback is not None or disp:
        unsupported("differential_evolution with callback or disp", "leave them away")
    low, high = _limits(bounds)
    words = described(
        "differential_evolution", strategy, init, updating, polish, seed is not None,
        ("maxiter", "popsize", "tol", "recombination", "atol", "rng"),
    )  # fmt: skip
    changed = np.atleast_1d(np.asarray(mutation))
    values = (changed, maxiter, popsize, tol, recombination, atol, _seed(rng, seed))
    return _least(_of_vector(func, args), words, values, low, high, 1e-4 if polish else 1e-2)


def dual_annealing(func: Callable[..., Any], bounds: Any, args: Any = (), maxiter: int = 1000,
                   minimizer_kwargs: Any = None, initial_temp: float = 5230.0,
                   restart_temp_ratio: float = 2e-05, visit: float = 2.62, accept: float = -5.0,
                   maxfun: float = 1e7, rng: Any = None, no_local_search: bool = False,
                   callback: Any = None, *, seed: Any = None) -> Any:  # fmt: skip
    if callback is not None or minimizer_kwargs is not None:
        unsupported("dual_annealing with callback or minimizer_kwargs", "leave them away")
    low, high = _limits(bounds)
    words = described(
        "dual_annealing", no_local_search, seed is not None,
        ("maxiter", "initial_temp", "restart_temp_ratio", "visit", "accept", "maxfun", "rng"),
    )  # fmt: skip
    values = (maxiter, initial_temp, restart_temp_ratio, visit, accept, maxfun, _seed(rng, seed))
    return _least(
        _of_vector(func, args), words, values, low, high, 1e-2 if no_local_search else 1e-4
    )


def shgo(func: Callable[..., Any], bounds: Any, args: Any = (), constraints: Any = None,
         n: int = 100, iters: int = 1, callback: Any = None, minimizer_kwargs: Any = None,
         options: Any = None, sampling_method: str = "simplicial") -> Any:  # fmt: skip
    if constraints is not None or callback is not None or minimizer_kwargs is not None:
        unsupported("shgo with constraints, callback or minimizer_kwargs", "leave them away")
    if options is not None:
        unsupported("shgo with options", "leave them away")
    low, high = _limits(bounds)
    words = described("shgo", sampling_method, ("n", "iters"))
    return _least(_of_vector(func, args), words, (n, iters), low, high, 1e-4)


def direct(func: Callable[..., Any], bounds: Any, *, args: Any = (), eps: float = 1e-4,
           maxfun: Any = None, maxiter: int = 1000, locally_biased: bool = True,
           f_min: float = -np.inf, f_min_rtol: float = 1e-4, vol_tol: float = 1e-16,
           len_tol: float = 1e-6, callback: Any = None) -> Any:  # fmt: skip
    if callback is not None:
        unsupported("direct with callback", "leave it away")
    low, high = _limits(bounds)
    most = 1000 * low.size if maxfun is None else maxfun
    words = described("direct", locally_biased, (
        "eps", "maxfun", "maxiter", "f_min", "f_min_rtol", "vol_tol", "len_tol",
    ))  # fmt: skip
    values = (eps, most, maxiter, f_min, f_min_rtol, vol_tol, len_tol)
    return _least(_of_vector(func, args), words, values, low, high, 1e-2)


def basinhopping(func: Callable[..., Any], x0: Any, niter: int = 100, T: float = 1.0,
                 stepsize: float = 0.5, minimizer_kwargs: Any = None, take_step: Any = None,
                 accept_test: Any = None, callback: Any = None, interval: int = 50,
                 disp: bool = False, niter_success: Any = None, rng: Any = None, *,
                 seed: Any = None) -> Any:  # fmt: skip
    if minimizer_kwargs is not None or take_step is not None or accept_test is not None:
        unsupported("basinhopping with functions or keywords of its own", "leave them away")
    if callback is not None or disp or niter_success is not None:
        unsupported("basinhopping with callback, disp or niter_success", "leave them away")
    start = np.atleast_1d(np.asarray(x0)).astype(float)
    words = described(
        "basinhopping", seed is not None, ("niter", "T", "stepsize", "interval", "rng")
    )
    f, n = _of_vector(func, ()), start.size

    def answer(kind: int, x: Vector) -> Vector:
        return np.array([f(x)])

    given = packed((start, niter, T, stepsize, interval, _seed(rng, seed)))
    found = answered(words, constant(given), constant(answer))
    x = found[:n]
    near = 1e-4 * (1.0 + np.max(np.abs(x)))
    return GlobalMinimum(held_by(f, (), x, None, None, near), f, found[n:])


# --- linear and quadratic programs ----------------------------------------------------------------


class ProgramResult:
    """What ``linprog`` gives."""

    def __init__(
        self, x: Vector, fun: float, slack: Vector, con: Vector, numbers: Vector
    ) -> None:
        self.nit = int(numbers[0])
        self.status = int(numbers[4])
        self.success = bool(numbers[5] == 1.0)
        self._x = x
        self._fun = float(fun)
        self._slack = slack
        self._con = con

    def _solved(self) -> None:
        if self.status != 0:
            raise NotImplementedError("linprog has found no solution, and there is no derivative")

    @property
    def x(self) -> Vector:
        """The solution."""
        self._solved()
        return self._x

    @property
    def fun(self) -> float:
        """The least value."""
        self._solved()
        return self._fun

    @property
    def slack(self) -> Vector:
        """By how much the inequalities hold."""
        self._solved()
        return self._slack

    @property
    def con(self) -> Vector:
        """What is left of the equations."""
        self._solved()
        return self._con

    @property
    def message(self) -> str:
        """How it ended."""
        return unsupported("the message of linprog", "ask for status")

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def _rows(a: Any, b: Any, n: int) -> tuple[Matrix, Vector]:
    if a is None or b is None:
        return np.zeros((0, n)), np.zeros(0)
    return np.atleast_2d(np.asarray(a)).astype(float), np.ravel(np.asarray(b)).astype(float)


def _of_programs(bounds: Any, n: int) -> tuple[Vector, Vector]:
    """Return the bounds of each number, as ``linprog`` takes them."""
    if bounds is None:
        return np.zeros(n), np.full(n, np.inf)
    if are_given(bounds):
        return np.zeros(n) + bounds.lb, np.zeros(n) + bounds.ub
    if isinstance(bounds, tuple) and len(bounds) == 2 and np.ndim(bounds[0]) == 0:
        low = -np.inf if bounds[0] is None else bounds[0]
        high = np.inf if bounds[1] is None else bounds[1]
        return np.zeros(n) + low, np.zeros(n) + high
    low = np.array([-np.inf if b[0] is None else 1.0 * b[0] for b in bounds])
    high = np.array([np.inf if b[1] is None else 1.0 * b[1] for b in bounds])
    if low.size != n and low.size != 1:
        raise ValueError(
            "Invalid input for linprog: unable to interpret bounds with this dimension tuple: "
            f"({low.size}, 2)."
        )
    return np.zeros(n) + low, np.zeros(n) + high


def linprog(c: Any, A_ub: Any = None, b_ub: Any = None, A_eq: Any = None, b_eq: Any = None,
            bounds: Any = (0, None), method: str = "highs", callback: Any = None,
            options: Any = None, x0: Any = None, integrality: Any = None) -> Any:  # fmt: skip
    if callback is not None or options is not None or x0 is not None or integrality is not None:
        unsupported("linprog with callback, options, x0 or integrality", "leave them away")
    if method not in ("highs", "highs-ds", "highs-ipm"):
        unsupported("linprog by this method", "take highs, the default")
    costs = np.ravel(np.asarray(c)).astype(float)
    n = costs.size
    a, b = _rows(A_ub, b_ub, n)
    e, d = _rows(A_eq, b_eq, n)
    low, high = _of_programs(bounds, n)
    given = packed((costs, a, b, e, d, low, high))
    found = told(described("linprog", method), constant(given))
    x, numbers = found[:n], found[n:]
    below = Condition("linear", lambda x: a @ x, np.full(b.size, -np.inf), b, None, a)
    equal = Condition("linear", lambda x: e @ x, d, d, None, e)
    y, least = program(costs, (below, equal), x, low, high)
    return ProgramResult(y, least, b - a @ y, d - e @ y, numbers)


def nnls(A: Matrix, b: Vector, *, maxiter: Any = None) -> Any:
    a, right = np.asarray(A).astype(float), np.asarray(b).astype(float)
    if a.ndim != 2 or right.ndim != 1:
        raise ValueError("Expected a 2D array, and a 1D array")
    most = -1 if maxiter is None else maxiter
    x = told(described("nnls"), constant(packed((right, a, most))))
    y = _held_square(a, right, x, np.zeros(x.size), np.full(x.size, np.inf), 0.0)
    return y, float(np.linalg.norm(a @ y - right))


def _held_square(a: Matrix, b: Vector, x: Vector, low: Vector, high: Vector,
                 tol: float) -> Vector:  # fmt: skip
    """Return the place of the least square between bounds, to which a search came until its steps
    took less than ``tol`` of the square away: it grows by squares of the distance."""

    def half_square(x: Vector) -> float:
        r = a @ x - b
        y: float = 0.5 * (r @ r)
        return y

    near = (1e-6 + 3.0 * np.sqrt(tol)) * (1.0 + np.max(np.abs(x)))
    return held_by(half_square, (), x, low, high, near)


class LinearResult:
    """What ``lsq_linear`` gives."""

    def __init__(self, x: Vector, fun: Vector, numbers: Vector) -> None:
        self.x = x
        self.fun = fun
        self.cost = 0.5 * (fun @ fun)
        self.nit = int(numbers[0])
        self.status = int(numbers[4])
        self.success = bool(numbers[5] == 1.0)
        self.active_mask = numbers[6:].astype(int)

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def lsq_linear(A: Matrix, b: Vector, bounds: Any = None, method: str = "trf", tol: float = 1e-10,
               lsq_solver: Any = None, lsmr_tol: Any = None, max_iter: Any = None,
               verbose: int = 0) -> LinearResult:  # fmt: skip
    if lsq_solver is not None or lsmr_tol is not None or verbose:
        unsupported("lsq_linear with lsq_solver, lsmr_tol or verbose", "leave them away")
    a, right = np.atleast_2d(np.asarray(A)).astype(float), np.ravel(np.asarray(b)).astype(float)
    n = a.shape[1]
    low, high = between(bounds, n)
    most = -1 if max_iter is None else max_iter
    given = packed((right, a, low, high, tol, most))
    found = told(described("lsq_linear", method), constant(given))
    x = _held_square(a, right, found[:n], low, high, constant(tol))
    return LinearResult(x, a @ x - right, found[n:])
