"""Calls of SciPy's solvers for texts of the library, which answer what the solvers ask
(``reverse_communication``).

What a text says of a call goes over as whole numbers, the letters of a JSON text: the name of the
function here, and what it is told. Its numbers are vectors, each behind its length.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from pullback.core import reverse_communication as steps
from pullback.core.called_python import Floats, Words
from pullback.core.later import Later
from pullback.core.reverse_communication import Ask

_clusters = Later("pullback.core.cluster_calls")
_curves = Later("pullback.core.curve_calls")
_graphs = Later("pullback.core.graph_calls")
_images = Later("pullback.core.image_calls")
_initial_value = Later("pullback.core.initial_value_calls")
_linalg = Later("scipy.linalg")
_linear = Later("pullback.core.linear_calls")
_signals = Later("pullback.core.signal_calls")
_optimize = Later("scipy.optimize")
_spatial = Later("scipy.spatial")
_stats = Later("scipy.stats")

VALUE, SLOPE, BEND, PRODUCT, CALLBACK, CONSTRAINT = 1, 2, 3, 4, 5, 10
"""What is asked: the function, its gradient or Jacobian, its Hessian, a product with that, whether
a callback ends the search, and the constraints, each with its Jacobian behind it."""


class Given:
    """The numbers of a call, vector by vector."""

    def __init__(self, reals: Floats) -> None:
        self._reals, self._at = reals, 0

    def vector(self) -> Floats:
        """Return the next vector."""
        first = self._at + 1
        self._at = first + int(self._reals[self._at])
        return self._reals[first : self._at]

    @property
    def is_left(self) -> bool:
        """Whether there are more."""
        return self._at < len(self._reals)

    def number(self) -> float:
        """Return the next vector, which has one item."""
        return float(self.vector()[0])

    def options(self, names: list[str], *more: str) -> dict[str, Any]:
        """Return options of these names, which are whole numbers, if they count something."""
        values = {name: self.number() for name in (*names, *more)}
        return {k: int(v) if k in _COUNTS else v for k, v in values.items()}


_COUNTS = {
    "maxiter", "maxfev", "maxfun", "maxfeval", "maxCGit", "M", "max_rank", "inner_maxiter", "Ns",
    "popsize", "seed", "rng", "maxls", "n", "iters", "niter", "workers", "verbose", "disp",
    "presolve", "k", "max_iter", "restart", "col_deriv", "min_step_count", "max_order", "ncv",
}  # fmt: skip


def _matrix(values: Floats, rows: int) -> Any:
    return values.reshape(rows, -1)


# --- minima ---------------------------------------------------------------------------------------


def _constraint(ask: Ask, k: int, told: list[Any], given: Given) -> Any:
    """Return a constraint as ``minimize`` takes it."""
    kind, sloped = told
    number = CONSTRAINT + 2 * k

    def value(x: Any) -> Any:
        return ask(number, x)

    def slope(x: Any) -> Any:
        return ask(number + 1, x).reshape(-1, len(x))

    if kind in ("eq", "ineq"):
        made = {"type": kind, "fun": value}
        return made | {"jac": slope} if sloped is True else made
    low, high = given.vector(), given.vector()
    if kind == "linear":
        return _optimize.LinearConstraint(_matrix(given.vector(), len(low)), low, high)
    return _optimize.NonlinearConstraint(value, low, high, slope if sloped is True else sloped)


def _minimize(ask: Ask, told: list[Any], given: Given) -> Any:
    """Return the place, and how it was found."""
    method, sloped, bent, bounded, close, constraints, watched, names = told
    x0 = given.vector()
    n = len(x0)
    more: dict[str, Any] = {}
    if bounded:
        more["bounds"] = _optimize.Bounds(given.vector(), given.vector())
    if close:
        more["tol"] = given.number()
    options = given.options(names)
    if sloped is True:
        more["jac"] = lambda x: ask(SLOPE, x)
    elif sloped is not None:
        more["jac"] = sloped
    if bent == "hess":
        more["hess"] = lambda x: _matrix(ask(BEND, x), n)
    elif bent == "hessp":
        more["hessp"] = lambda x, p: ask(PRODUCT, np.concatenate((x, p)))
    elif bent is not None:
        more["hess"] = bent
    if constraints:
        made = [_constraint(ask, k, c, given) for k, c in enumerate(constraints)]
        more["constraints"] = made
    if watched:
        more["callback"] = _callback(ask, method)
    found = _optimize.minimize(
        lambda x: ask(VALUE, x)[0], x0, method=method, options=options, **more
    )
    return _found(found, n)


def _callback(ask: Ask, method: str) -> Callable[..., Any]:
    """Return the callback of a method."""

    def of_place(xk: Floats) -> None:
        if ask(CALLBACK, np.append(xk, np.nan))[0] != 0.0:
            raise StopIteration

    def of_state(xk: Floats, state: Any) -> bool:
        numbers = [float(state.get(k, np.nan)) for k in STATE]
        return bool(ask(CALLBACK, np.concatenate((xk, numbers)))[0] != 0.0)

    def of_round(intermediate_result: Any) -> None:
        if ask(CALLBACK, np.append(intermediate_result.x, intermediate_result.fun))[0] != 0.0:
            raise StopIteration

    if method == "trust-constr":
        return of_state
    return of_place if method in ("tnc", "cobyla") else of_round


STATE = (
    "fun", "nit", "nfev", "njev", "nhev", "cg_niter", "cg_stop_cond", "optimality",
    "constr_violation", "tr_radius", "constr_penalty", "barrier_parameter", "barrier_tolerance",
)  # fmt: skip
"""The numbers of a state of trust-constr."""


def _found(found: Any, n: int) -> Any:
    """Return the place, and numbers of a result, NaN if it has none."""
    told = [float(found.get(k, np.nan)) for k in _TOLD]
    return np.concatenate((np.asarray(found.x, float).reshape(n), told))


_TOLD = "nit", "nfev", "njev", "nhev", "status", "success"

def _global(name: str, ask: Ask, told: list[Any], given: Given) -> Any:
    """Return the least minimum between bounds."""
    *said, legacy, names = told if name not in ("shgo", "direct") else (*told[:-1], False, told[-1])
    bounds = _optimize.Bounds(given.vector(), given.vector())
    more: dict[str, Any] = dict(zip(_SAID[name], said, strict=True))
    if name == "differential_evolution":
        mutation = given.vector()
        more["mutation"] = float(mutation[0]) if len(mutation) == 1 else tuple(mutation)
    more |= given.options(names)
    if legacy:
        more["seed"] = more.pop("rng")
    found = getattr(_optimize, name)(lambda x: ask(VALUE, x)[0], bounds, **more)
    return _found(found, len(bounds.lb))


_SAID: dict[str, tuple[str, ...]] = {
    "differential_evolution": ("strategy", "init", "updating", "polish"),
    "dual_annealing": ("no_local_search",), "shgo": ("sampling_method",),
    "direct": ("locally_biased",),
}  # fmt: skip


def _basinhopping(ask: Ask, told: list[Any], given: Given) -> Any:
    legacy, names = told
    x0 = given.vector()
    more = given.options(names)
    if legacy:
        more["seed"] = more.pop("rng")
    return _found(_optimize.basinhopping(lambda x: ask(VALUE, x)[0], x0, **more), len(x0))


def _linprog(ask: Ask, told: list[Any], given: Given) -> Any:
    c, a, b, e, d, low, high = (given.vector() for _ in range(7))
    n = len(c)
    found = _optimize.linprog(
        c, a.reshape(-1, n) if len(b) else None, b if len(b) else None,
        e.reshape(-1, n) if len(d) else None, d if len(d) else None,
        np.stack((low, high), axis=1), told[0],
    )  # fmt: skip
    if found.x is None:
        found.x = np.full(n, np.nan)
    return _found(found, n)


def _milp(ask: Ask, told: list[Any], given: Given) -> Any:
    """Return the place, NaN if there is none, and how it was found."""
    c, kinds, rows, least, most, low, high = (given.vector() for _ in range(7))
    n = len(c)
    limits = _optimize.LinearConstraint(rows.reshape(-1, n), least, most) if len(least) else None
    found = _optimize.milp(
        c, integrality=kinds, bounds=_optimize.Bounds(low, high), constraints=limits
    )
    names = "status", "mip_node_count", "mip_dual_bound", "mip_gap"
    numbers = [np.nan if found.get(k) is None else float(found[k]) for k in names]
    return np.concatenate((np.full(n, np.nan) if found.x is None else found.x, numbers))


def _nnls(ask: Ask, told: list[Any], given: Given) -> Any:
    b, a, most = given.vector(), given.vector(), int(given.number())
    return _optimize.nnls(a.reshape(len(b), -1), b, maxiter=None if most < 0 else most)[0]


def _lsq_linear(ask: Ask, told: list[Any], given: Given) -> Any:
    b, a, low, high = (given.vector() for _ in range(4))
    tol, most = given.number(), int(given.number())
    found = _optimize.lsq_linear(a.reshape(len(b), -1), b, (low, high), told[0], tol,
                                 max_iter=None if most < 0 else most)  # fmt: skip
    return np.concatenate((_found(found, len(low)), found.active_mask))


# --- equations ------------------------------------------------------------------------------------


def _root(ask: Ask, told: list[Any], given: Given) -> Any:
    method, sloped, close, names = told
    x0 = given.vector()
    n = len(x0)
    tol = given.number() if close else None
    options = given.options(names)
    jac = (lambda x: ask(SLOPE, x).reshape(-1, n)) if sloped else None
    found = _optimize.root(
        lambda x: ask(VALUE, x), x0, method=method, jac=jac, tol=tol, options=options
    )
    return _found(found, n)


def _toms748(ask: Ask, told: list[Any], given: Given) -> Any:
    a, b = given.number(), given.number()
    names = ("k", "xtol", "rtol", "maxiter")
    found, how = _optimize.toms748(
        lambda x: float(ask(VALUE, x)[0]), a, b, full_output=True, disp=False,
        **given.options(list(names)),
    )  # fmt: skip
    return found, how.function_calls, how.iterations, how.converged


def _elsewhere(module: Any, name: str, ask: Ask, told: list[Any], given: Given) -> Any:
    """Call a solver of another file, which is imported only now."""
    return getattr(module, name)(ask, told, given)


def _rvs(ask: Ask, told: list[Any], given: Given) -> Any:
    """Return random numbers of a distribution of location 0 and scale 1."""
    shapes, dims, seed = given.vector(), given.vector().astype(int), int(given.number())
    distribution = getattr(_stats, told[0])
    return distribution.rvs(*shapes, size=tuple(dims[1:]), random_state=seed)


# --- points in space ------------------------------------------------------------------------------


def _pivots(ask: Ask, told: list[Any], given: Given) -> Any:
    """Return the order of columns in which QR takes them."""
    rows, a = int(given.number()), given.vector()
    return _linalg.qr(a.reshape(rows, -1), mode="r", pivoting=True)[1]


def _nearest(ask: Ask, told: list[Any], given: Given) -> Any:
    """Return the numbers of the nearest points of each place."""
    n = int(given.number())
    points, places, count = given.vector(), given.vector(), int(given.number())
    tree = _spatial.cKDTree(points.reshape(-1, n))
    return tree.query(places.reshape(-1, n), k=np.arange(1, count + 1))[1]


def _simplices(ask: Ask, told: list[Any], given: Given) -> Any:
    """Return the corners of the simplex that holds a place, -1 if there is none."""
    n = int(given.number())
    mesh = _spatial.Delaunay(given.vector().reshape(-1, n))
    found = mesh.find_simplex(given.vector().reshape(-1, n))
    return np.where(found[:, None] >= 0, mesh.simplices[found], -1)


def _hull(ask: Ask, told: list[Any], given: Given) -> Any:
    """Return the number of facets, their corners, and the corners of all."""
    n = int(given.number())
    hull = _spatial.ConvexHull(given.vector().reshape(-1, n))
    return np.concatenate(([len(hull.simplices)], np.ravel(hull.simplices), hull.vertices))


def _isotonic(ask: Ask, told: list[Any], given: Given) -> Any:
    """Return where the pieces of a monotone fit begin."""
    y, w = given.vector(), given.vector()
    return _optimize.isotonic_regression(y, weights=w, increasing=told[0]).blocks


def _exponent(ask: Ask, told: list[Any], given: Given) -> Any:
    """Return the best exponent of a transformation."""
    more = {} if told[1] is None else {"method": told[1]}
    return np.atleast_1d(getattr(_stats, told[0])(given.vector(), **more))


def _test(ask: Ask, told: list[Any], given: Given) -> Any:
    """Return the statistic and the probability of a test of samples."""
    samples = []
    while given.is_left:
        samples.append(given.vector())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = getattr(_stats, told[0])(*samples, **dict(told[1]))
    return found.statistic, found.pvalue


def _distance(ask: Ask, told: list[Any], given: Given) -> Any:
    """Return how likely the distance of shares from a distribution function is by chance."""
    d, n = given.number(), int(given.number())
    if told[0] == "asymp":
        return np.atleast_1d(np.clip(_stats.kstwobign.sf(d * np.sqrt(n)), 0.0, 1.0))
    name = told[0] if told[0] != "approx" else "ksone"
    chance = getattr(_stats, name).sf(d, n) * (2.0 if told[0] == "approx" else 1.0)
    return np.atleast_1d(np.clip(chance, 0.0, 1.0))


def _are(ask: Ask, told: list[Any], given: Given) -> Any:
    """Return the solution of an algebraic Riccati equation."""
    n, m = map(int, given.vector())
    a, b, q, r = (given.vector() for _ in range(4))
    solve = getattr(_linalg, told[0])
    return solve(a.reshape(n, n), b.reshape(n, m), q.reshape(n, n), r.reshape(m, m))


# --- which constraints hold -----------------------------------------------------------------------


def _multipliers(ask: Ask, told: list[Any], given: Given) -> Any:
    """Return the multipliers of constraints, 1 for those that hold a minimum, 1 for those of these
    that say what no other one says, and 1 if those that hold it alone say where it is: for a
    gradient, the signs that the multipliers may have, 2 for any and 0 of constraints that are far
    away, and the rows of the Jacobian of the constraints."""
    slope, signs = given.vector(), given.vector()
    rows = given.vector().reshape(len(signs), len(slope))
    near = np.flatnonzero(signs != 0.0)
    found = np.zeros(len(signs))
    if len(near) == 0:
        return np.concatenate((found, found, found, [0.0]))
    low = np.where(signs[near] == 1.0, 0.0, -np.inf)
    high = np.where(signs[near] == -1.0, 0.0, np.inf)
    sizes = np.linalg.norm(rows[near], axis=1)
    sizes[sizes == 0.0] = 1.0
    fit = _optimize.lsq_linear((rows[near] / sizes[:, None]).T, slope, (low, high), "bvls")
    found[near] = np.where(np.abs(fit.x) > 1e-9 * np.max(np.abs(slope)), fit.x / sizes, 0.0)
    holds = (found != 0.0) | (signs == 2.0)
    rank = np.linalg.matrix_rank(rows[holds])
    firm, order = np.zeros(len(signs)), _linalg.qr(rows[holds].T, mode="r", pivoting=True)[1]
    firm[np.flatnonzero(holds)[order[:rank]]] = 1.0
    return np.concatenate((found, holds, firm, [np.sum(holds) == len(slope) == rank]))


SOLVERS: dict[str, Callable[[Ask, list[Any], Given], Any]] = {
    "minimize": _minimize, "multipliers": _multipliers, "basinhopping": _basinhopping,
    "linprog": _linprog, "nnls": _nnls, "lsq_linear": _lsq_linear, "root": _root,
    "hull": _hull, "isotonic": _isotonic, "are": _are, "nearest": _nearest, "pivots": _pivots,
    "simplices": _simplices, "milp": _milp, "exponent": _exponent, "toms748": _toms748, "rvs": _rvs,
    "test": _test, "distance": _distance,
    "solve_ivp": partial(_elsewhere, _initial_value, "solve_ivp"),
    **{name: partial(_elsewhere, _graphs, name)
       for name in ("paths", "components", "tree", "visited")},
    **{name: partial(_elsewhere, _linear, name)
       for name in ("iterative", "extreme", "schur", "qz", "ordqz")},
    **{f"complex {name}": partial(_elsewhere, _linear, f"complex_{name}")
       for name in ("schur", "qz")},
    **{name: partial(_elsewhere, _clusters, name) for name in ("codes", "linkage", "of_tree")},
    **{name: partial(_elsewhere, _curves, name)
       for name in ("smoothing", "curve", "natural", "solve_bvp", "weighted")},
    **{name: partial(_elsewhere, _images, name) for name in ("binary", "distances", "labels")},
    **{name: partial(_elsewhere, _signals, name) for name in ("find_peaks", "bases")},
    **{name: partial(_global, name) for name in _SAID},
}  # fmt: skip
"""The solvers, by the names under which texts call them."""


def begun(reals: Floats, words: Words) -> Any:
    """Start a solver; return the number of its first node, what is asked, and how many numbers
    belong to that."""
    name, *told = json.loads(bytes(words.astype(np.uint8)))
    key = words.tobytes() + reals.tobytes()
    return steps.begun(key, lambda ask: SOLVERS[name](ask, told, Given(reals)))


def resumed(reals: Floats, words: Words) -> Any:
    """Return the node that follows a node, whose number is the first of the reals, and an
    answer."""
    return steps.resumed(int(reals[0]), reals[1:].copy())


def numbers(reals: Floats, words: Words) -> Any:
    """Return the numbers of a node."""
    return steps.numbers(int(reals[0]))


__all__ = ["CONSTRAINT", "SOLVERS", "begun", "numbers", "resumed"]
