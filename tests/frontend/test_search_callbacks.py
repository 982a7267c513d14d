"""Callbacks of ``scipy.optimize``, and its search along a line: rounds, places, values and ends are
SciPy's; what is found has its derivative, and what a callback keeps of the way has none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.optimize as so

import pullback as pb
from tests import campaign

X = np.array([0.5, 1.2])


def valley(y, a):
    return np.sum((y - a) ** 2) + np.sum(y**4) + y[0] * y[1]


def slope(y, a):
    return 2 * (y - a) + 4 * y**3 + y[::-1]


def bend(y, a):
    return np.diag(2 + 12 * y**2) + np.array([[0.0, 1.0], [1.0, 0.0]])


def of_places(method: str, most: int) -> Any:
    def f(a):
        met, n = [], 0

        def keep(xk):
            nonlocal n
            n += 1
            met.append(xk)
            if n >= most:
                raise StopIteration

        given = {"jac": slope, "hess": bend} if method in ("dogleg", "Newton-CG") else {}
        made = so.minimize(valley, np.zeros(2), (a,), method, callback=keep, **given)
        return made.x, made.success, n, len(met), sum(met)

    return f


def of_rounds(method: str, most: int) -> Any:
    def f(a):
        met, values = [], []

        def keep(intermediate_result):
            met.append(intermediate_result.x)
            values.append(intermediate_result.fun)
            if len(met) >= most:
                raise StopIteration

        made = so.minimize(valley, np.zeros(2), (a,), method, callback=keep)
        return made.x, made.status, made.message, len(met), sum(met), sum(values)

    return f


def of_values(a):
    values = []

    def keep(intermediate_result):
        values.append(intermediate_result["fun"])
        if intermediate_result.fun < 1.2:
            raise StopIteration

    made = so.minimize(valley, np.zeros(2), (a,), "L-BFGS-B", callback=keep)
    return made.x, made.status, len(values), sum(values)


def of_states(a):
    told = []

    def keep(xk, state):
        told.append(xk[0] + state.fun + state["nfev"] + state.tr_radius + state.optimality)
        return state.nit > 4

    made = so.minimize(valley, np.zeros(2), (a,), "trust-constr", callback=keep)
    return made.x, made.status, len(told), sum(told)


def of_older(a):
    met = []
    x = so.fmin_bfgs(valley, np.zeros(2), args=(a,), disp=0, callback=met.append)
    return x, len(met), sum(met)


def along_lines(a):
    first = so.line_search(valley, slope, np.zeros(2), 8 * a, args=(a,))
    second = so.line_search(valley, slope, np.zeros(2), 0.001 * a, slope(np.zeros(2), a), args=(a,))
    back = so.line_search(valley, slope, np.zeros(2), -a, args=(a,), maxiter=3)
    last = so.line_search(valley, slope, np.zeros(2), 6 * a, None, 2.0, 2.5, (a,), c2=0.1, amax=3.0,
                          extra_condition=lambda t, x, v, d: v < 1.2)  # fmt: skip
    return first, second, back, last


ALL = [
    *(of_places(m, 100) for m in ("BFGS", "Nelder-Mead", "Newton-CG", "Powell", "COBYLA")),
    *(of_places(m, 2) for m in ("BFGS", "CG", "L-BFGS-B", "Nelder-Mead", "SLSQP", "COBYQA")),
    *(of_rounds(m, 2) for m in ("CG", "trust-constr", "Powell")), of_values, of_states,
    *(of_rounds(m, 200) for m in ("BFGS", "SLSQP")), of_places("dogleg", 2), of_older, along_lines,
]  # fmt: skip


def flat(found: Any) -> list[Any]:
    return [x for part in found for x in flat(part)] if isinstance(found, tuple) else [found]


@pytest.mark.parametrize("k", campaign.part("surface", list(range(len(ALL))), 6))
def test_rounds_are_those_of_scipy(k: int) -> None:
    for mine, theirs in zip(flat(pb.jit(ALL[k])(X)), flat(ALL[k](X)), strict=True):
        if theirs is None or isinstance(theirs, str):
            assert mine == theirs
        else:
            np.testing.assert_allclose(mine, theirs, 1e-7)


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_what_is_found_has_its_derivative(method: str) -> None:
    def least(a):
        met = []
        made = so.minimize(valley, a, (a,), "SLSQP", slope, callback=met.append, tol=1e-14)
        return made.x[0] + len(met)

    def step(a):
        return so.line_search(valley, slope, np.zeros(2), 8 * a, args=(a,))[0] * a[0]

    for f in (least, step):
        h, found = 1e-5, pb.grad(f, method=method)(X)
        wanted = [(f(X + d) - f(X - d)) / (2 * h) for d in h * np.eye(2)]
        np.testing.assert_allclose(found, wanted, 1e-4, 1e-5)


def test_a_place_that_scipy_overwrites_is_refused() -> None:
    with pytest.raises(pb.PullbackError, match="into which SciPy writes"):
        pb.jit(of_rounds("L-BFGS-B", 2))(X)


def test_what_a_callback_keeps_has_none() -> None:
    for method in ("BFGS", "SLSQP"):
        f = of_places(method, 100)
        assert not np.any(np.isfinite(pb.grad(lambda a, f=f: np.sum(f(a)[4]))(X)))
