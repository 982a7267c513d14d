"""Minima by SciPy's own search (``solver_answers``), under constraints and without, as plain Python
that the front end compiles.

The place is SciPy's. Its derivative is that of the conditions of Karush, Kuhn and Tucker (J.
Nocedal and S. J. Wright, *Numerical Optimization*, section 12.3): the gradient of the Lagrangian is
0, the constraints that hold the minimum are equations, and the others have no multiplier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback.frontend.library.compiled_text import unknown
from pullback.frontend.library.solutions import along, constant, root_of, slope_of, with_slope
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Vector
from pullback.frontend.library.text.search_callbacks import STOPPED, state_teller, teller
from pullback.frontend.library.text.solver_answers import answered, packed, told
from pullback.frontend.library.text_helpers import unsupported

Function = Callable[[Vector], float]
Field = Callable[[Vector], Vector]


@dataclass(frozen=True)
class Condition:
    """A constraint: a function that gives a vector, and its bounds."""

    kind: str
    fun: Any
    low: Any
    high: Any
    jac: Any
    matrix: Any

    @property
    def said(self) -> Any:
        """What SciPy is told of it."""
        sloped = self.jac is not None and not isinstance(self.jac, str)
        return self.kind, True if sloped else self.jac


def LinearConstraint(A: Any, lb: Any = -np.inf, ub: Any = np.inf,
                     keep_feasible: bool = False) -> Condition:  # fmt: skip
    rows = np.atleast_2d(np.asarray(A)).astype(float)
    zeros = np.zeros(rows.shape[0])
    return Condition("linear", lambda x: rows @ x, zeros + np.asarray(lb), zeros + np.asarray(ub),
                     None, rows)  # fmt: skip


def NonlinearConstraint(fun: Callable[..., Any], lb: Any, ub: Any, jac: Any = "2-point",
                        hess: Any = None, keep_feasible: bool = False) -> Condition:  # fmt: skip
    if hess is not None:
        unsupported("NonlinearConstraint with hess", "leave it away")

    def values(x: Vector) -> Vector:
        return np.atleast_1d(np.asarray(fun(x))).astype(float)

    slopes: Any = None if jac is None else jac
    if jac is not None and not isinstance(jac, str):

        def slopes(x: Vector) -> Any:
            return np.atleast_2d(np.asarray(jac(x))).astype(float)

    return Condition("nonlinear", values, np.asarray(lb), np.asarray(ub), slopes, None)


def _of_dict(given: Any) -> Condition:
    """Return a constraint that is a dict."""
    more = given.get("args", ())
    fun, kind = given["fun"], given["type"].lower()

    def values(x: Vector) -> Vector:
        return np.ravel(np.atleast_1d(np.asarray(fun(x, *more)))).astype(float)

    slopes: Any = None
    if "jac" in given and given["jac"] is not None:
        jac = given["jac"]

        def slopes(x: Vector) -> Any:
            return np.atleast_2d(np.asarray(jac(x, *more))).astype(float)

    if kind != "eq" and kind != "ineq":
        raise ValueError(f"Unknown constraint type '{given['type']}'.")
    return Condition(kind, values, np.array(0.0), np.array(0.0 if kind == "eq" else np.inf), slopes,
                     None)  # fmt: skip


def conditions_of(constraints: Any) -> Any:
    """Return the constraints, as a tuple."""
    if isinstance(constraints, (dict, Condition)):
        return (_condition(constraints),)
    return tuple(_condition(c) for c in constraints)


def _condition(given: Any) -> Condition:
    if isinstance(given, Condition):
        return given
    return _of_dict(given)


def _like(values: Vector, bound: Any) -> Vector:
    """Return a bound of each of these values."""
    return np.zeros_like(values) + bound


def _pulls(f: Function, conditions: Any, x: Vector, low: Any, high: Any, near: float) -> Any:
    """Return the function of the place that gives all that has bounds, its bounds, how steep it is,
    the multipliers of these, which ones hold the place, which of these say what no other one says,
    and whether they alone say where the place is."""
    n, bounded = x.size, low is not None

    def values(x: Vector) -> Vector:
        parts = [x[:0]]
        if bounded:
            parts.append(x)
        for c in conditions:
            parts.append(c.fun(x))
        return np.concatenate(parts)

    there, still = constant(x), constant(values)
    count = still(there).size
    lows, highs = [x[:0]], [x[:0]]
    if bounded:
        lows.append(low)
        highs.append(high)
    for c in conditions:
        made = constant(c.fun)(there)
        lows.append(_like(made, c.low))
        highs.append(_like(made, c.high))
    below, above = np.concatenate(lows), np.concatenate(highs)
    push = along(still)
    rows = np.array([push(there, e) for e in np.eye(n)]).T
    at, steep = still(there), np.sqrt(np.sum(rows * rows, axis=1))
    steep = np.where(steep == 0.0, 1.0, steep)
    reach = near * steep
    under, over = constant(below), constant(above)
    at_low, at_high = at - under <= reach, over - at <= reach
    signs = np.where(at_low & at_high, 2.0, np.where(at_low, 1.0, np.where(at_high, -1.0, 0.0)))
    g = constant(slope_of(f))(there)
    found = told(described("multipliers"), packed((g, signs, np.ravel(rows))))
    forces, holds = found[:count], found[count : 2 * count] > 0.0
    firm = found[2 * count : 3 * count] > 0.0
    return values, (below, above), steep, forces, holds, firm, found[3 * count] > 0.0


def _placed(f: Function, x: Vector, near: float, values: Any, bounds: Any, steep: Vector,
            forces: Vector, firm: Vector) -> Vector:  # fmt: skip
    """Return the place, as what the conditions for a minimum define. Which constraints hold it is a
    part of the equations, so that it is chosen where the conditions are met and not where the
    search ended: p = 0 inside of the bounds, or v at a bound to which the multiplier p presses it
    (the primal-dual active set strategy of M. Hintermueller, K. Ito and K. Kunisch, SIAM J. Optim.
    13, 2002: the bound of v - c p, for any c > 0). Constraints that say what others say already
    keep the multipliers at which the search ended."""
    n, there, (below, above) = x.size, constant(x), bounds
    wide = np.max(np.abs(forces)) if len(forces) > 0 else 1.0
    size = wide if wide > 1.0 else 1.0
    weight, spare, first = steep * steep, 1e-9 * steep, forces / size
    soft = np.where(firm, 0.0, 1e-11 * weight)

    def equations(z: Vector) -> Vector:
        y, pulls = z[:n], z[n:]
        slopes = slope_of(lambda y: f(y) - size * (pulls @ values(y)))
        made = values(y)
        pressed, softer = made - weight * pulls, made + soft * (pulls - first)
        held = np.where(pressed > above + spare, softer - above, pulls)
        low = (pressed < below - spare) | (below == above)
        return np.concatenate((slopes(y), np.where(low, softer - below, held)))

    return root_of(equations, np.concatenate((there, first)), near)[:n]


def pressed_within(slopes: Field, bent: Vector, low: Vector, high: Vector) -> Field:
    """Return the conditions for a minimum between bounds: a gradient of 0, or a bound to which a
    step of this curvature in each number presses it."""
    by = np.where(bent > 0.0, 1.0 / np.where(bent > 0.0, bent, 1.0), _FLAT)

    def equations(x: Vector) -> Vector:
        g = slopes(x)
        aim = x - by * g
        at_low = (aim < low) | (low == high)
        return np.where(at_low, x - low, np.where(aim > high, x - high, g))

    return equations


_FLAT = 1e6
"""How long the step is where nothing is curved."""


def held_by(f: Function, conditions: Any, x: Vector, low: Any, high: Any, near: float) -> Vector:
    """Return the place, as what the conditions for a minimum define."""
    values, bounds, steep, forces, _, firm, _ = _pulls(f, conditions, x, low, high, near)
    return _placed(f, x, near, values, bounds, steep, forces, firm)


def program(costs: Vector, conditions: Any, x: Vector, low: Vector,
            high: Vector) -> tuple[Vector, float]:  # fmt: skip
    """Return the place and the value of a linear program. The constraints that hold the place
    define it; where they do not (others beside it are as low, or more of them meet), its derivative
    is not known, and the value moves with the costs and, by the multipliers, with the bounds."""

    def f(x: Vector) -> float:
        y: float = costs @ x
        return y

    there, near = constant(x), 1e-7 * (1.0 + np.max(np.abs(x)))
    values, bounds, steep, forces, holds, firm, alone = _pulls(
        f, conditions, x, low, high, near
    )
    if alone:
        y = _placed(f, x, near, values, bounds, steep, forces, firm)
        return y, f(y)
    bound = np.where(holds, np.where(forces >= 0.0, bounds[0], bounds[1]), 0.0)
    slack = np.where(holds, bound - values(there), 0.0)
    least = f(there) + (forces @ slack - constant(forces @ slack))
    return there + unknown(0.0, np.sum(slack) + np.sum(costs)), least


class SearchResult:
    """What ``minimize`` gives by SciPy's own search."""

    def __init__(self, x: Vector, fun: Function, numbers: Vector, method: str) -> None:
        self.x = x
        self.nfev = int(numbers[1])
        self.status = int(numbers[4])
        self.success = numbers[5] == 1.0
        self._numbers = numbers
        self._objective = fun
        self._method = method

    @property
    def fun(self) -> float:
        """The value at the minimum."""
        return self._objective(self.x)

    @property
    def jac(self) -> Vector:
        """The gradient there."""
        if self._method in ("powell", "cobyla"):
            raise AttributeError("jac")
        return with_slope(self._objective)(self.x)[1]

    @property
    def nit(self) -> int:
        """The number of rounds."""
        if self._method == "cobyla":
            raise AttributeError("nit")
        return int(self._numbers[0])

    @property
    def njev(self) -> int:
        """How often the gradient was computed."""
        if self._method in ("powell", "cobyla", "cobyqa", "tnc"):
            raise AttributeError("njev")
        return int(self._numbers[2])

    @property
    def nhev(self) -> int:
        """How often the Hessian was computed."""
        if self._method in ("powell", "cobyla", "cobyqa", "tnc", "slsqp"):
            raise AttributeError("nhev")
        return int(self._numbers[3])

    @property
    def message(self) -> str:
        """How it ended."""
        if self.status == STOPPED:
            return "`callback` raised `StopIteration`."
        if self._method == "slsqp":
            return _of_slsqp(self.status)
        if self._method == "trust-constr":
            return _of_trust(self.status)
        if self._method not in ("powell", "dogleg", "trust-ncg", "trust-krylov", "trust-exact"):
            unsupported("the message of this method", "ask for status")
        if self.status == 0:
            return "Optimization terminated successfully."
        if self._method != "powell":
            return _of_region(self.status)
        if self.status == 1:
            return "Maximum number of function evaluations has been exceeded."
        if self.status == 2:
            return "Maximum number of iterations has been exceeded."
        if self.status == 3:
            return "NaN result encountered."
        return "The result is outside of the provided bounds."

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def _of_slsqp(status: int) -> str:
    if status == 0:
        return "Optimization terminated successfully"
    if status == 2:
        return "More equality constraints than independent variables"
    if status == 3:
        return "More than 3*n iterations in LSQ subproblem"
    if status == 4:
        return "Inequality constraints incompatible"
    if status == 5:
        return "Singular matrix E in LSQ subproblem"
    if status == 6:
        return "Singular matrix C in LSQ subproblem"
    if status == 7:
        return "Rank-deficient equality constraint subproblem HFTI"
    if status == 8:
        return "Positive directional derivative for linesearch"
    return "Iteration limit reached" if status == 9 else "Gradient evaluation required (g & a)"


def _of_trust(status: int) -> str:
    if status == 0:
        return "The maximum number of function evaluations is exceeded."
    if status == 1:
        return "`gtol` termination condition is satisfied."
    if status == 2:
        return "`xtol` termination condition is satisfied."
    if status == 3:
        return "`callback` raised `StopIteration`."
    return "Constraint violation exceeds 'gtol'"


def _of_region(status: int) -> str:
    if status == 1:
        return "Maximum number of iterations has been exceeded."
    if status == 2:
        return "A bad approximation caused failure to predict improvement."
    return "A linalg error occurred, such as a non-psd Hessian."


_OPTIONS: Any = {
    "slsqp": ("maxiter", "ftol", "eps"),
    "trust-constr": ("xtol", "gtol", "barrier_tol", "maxiter", "initial_constr_penalty",
                     "initial_tr_radius", "initial_barrier_parameter",
                     "initial_barrier_tolerance"),
    "cobyla": ("rhobeg", "tol", "maxiter", "catol", "f_target"),
    "cobyqa": ("maxfev", "maxiter", "f_target", "feasibility_tol", "initial_tr_radius",
               "final_tr_radius"),
    "powell": ("xtol", "ftol", "maxiter", "maxfev"),
    "tnc": ("eps", "maxCGit", "eta", "stepmx", "accuracy", "minfev", "ftol", "xtol", "gtol",
            "rescale", "maxfun"),
    "dogleg": ("initial_trust_radius", "max_trust_radius", "eta", "gtol", "maxiter"),
    "trust-ncg": ("initial_trust_radius", "max_trust_radius", "eta", "gtol", "maxiter"),
    "trust-krylov": ("gtol", "maxiter"),
    "trust-exact": ("initial_trust_radius", "max_trust_radius", "eta", "gtol", "maxiter"),
}  # fmt: skip

SEARCHES: Any = ("slsqp", "trust-constr", "cobyla", "cobyqa", "powell", "tnc", "dogleg",
                 "trust-ncg", "trust-krylov", "trust-exact")  # fmt: skip
UNBOUNDED: Any = ("dogleg", "trust-ncg", "trust-krylov", "trust-exact")
CONSTRAINED: Any = ("slsqp", "trust-constr", "cobyla", "cobyqa")


def _watched(answer: Any, callback: Any, tell: Any, n: int, how: str) -> Any:
    """Return the function that answers a search, and tells a callback of its rounds."""
    if callback is None:
        return answer

    def reply(kind: int, x: Vector) -> Vector:
        if kind == 5:
            ends = tell(x[:n], x[n:]) if how == "trust-constr" else tell(x[:n], x[n])
            return np.array([1.0 if ends else 0.0])
        return answer(kind, x)

    return reply


def searched_by_scipy(f: Function, fun: Any, given: Any, start: Vector, how: str, jac: Any,
                      hess: Any, hessp: Any, low: Any, high: Any, constraints: Any, tol: Any,
                      callback: Any, options: Any) -> SearchResult:  # fmt: skip
    """Return the minimum that SciPy finds by a method."""
    conditions, n = conditions_of(constraints), start.size
    names = () if options is None else tuple(options)
    known, values = constant(start), [start]
    if low is not None:
        values += [low, high]
    if tol is not None:
        values.append(tol)
    for name in {} if options is None else options:
        if name not in _OPTIONS[how]:
            unsupported("minimize with this option", "leave it away")
        values.append(options[name])
    for c in conditions:
        if c.kind != "eq" and c.kind != "ineq":
            made = constant(c.fun)(known)
            values += [_like(made, constant(c.low)), _like(made, constant(c.high))]
        if c.kind == "linear":
            values.append(c.matrix)
    pair, sloped, bent = isinstance(jac, bool) and jac, jac, None
    if isinstance(jac, bool):
        sloped = True if jac else None
    elif jac is not None and not isinstance(jac, str):
        sloped = True
    if hess is not None:
        bent = hess if isinstance(hess, str) else "hess"
    elif hessp is not None:
        bent = "hessp"
    words = described("minimize", how, sloped, bent, low is not None, tol is not None,
                      tuple(c.said for c in conditions), callback is not None, names)  # fmt: skip
    moved = f, tuple(c.fun for c in conditions)
    tell: Any = teller(callback, moved, start, how)
    if how == "trust-constr":
        tell = state_teller(callback, moved, start)

    def answer(kind: int, x: Vector) -> Vector:
        if kind == 1:
            return np.atleast_1d(f(x)).astype(float)
        if sloped is True and kind == 2:
            return np.asarray(fun(x, *given)[1] if pair else jac(x, *given)).astype(float)
        if bent == "hess" and kind == 3:
            return np.ravel(np.asarray(hess(x, *given))).astype(float)
        if bent == "hessp" and kind == 4:
            return np.asarray(hessp(x[:n], x[n:], *given)).astype(float)
        value, k = x, 10
        for c in conditions:
            if kind == k:
                value = c.fun(x)
            if c.jac is not None and not isinstance(c.jac, str) and kind == k + 1:
                value = np.ravel(c.jac(x))
            k += 2
        return value

    found = answered(
        words, constant(packed(values)), _watched(constant(answer), callback, tell, n, how)
    )
    x = found[:n]
    far = np.max(np.abs(x)) + np.max(np.abs(x - known))
    rough = how in ("powell", "cobyla", "cobyqa", "tnc", "trust-constr")
    near = (1e-3 if rough else 1e-4) * far + 10.0 * constant(1e-5 if tol is None else tol)
    return SearchResult(held_by(f, conditions, x, low, high, near), f, found[n:], how)
