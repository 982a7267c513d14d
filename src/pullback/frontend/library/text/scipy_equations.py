"""Systems of equations of ``scipy.optimize``, ``fsolve`` and ``root``, as plain Python that the
front end compiles: M. J. D. Powell, "A hybrid method for nonlinear equations" (1970), with the
rules for steps, scales and ends of J. J. More, B. S. Garbow and K. E. Hillstrom, *User Guide for
MINPACK-1* (1980), which SciPy follows, so that the same root is found.

The root is the value that the iteration gives. Its derivative is that of the equations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant, root_of
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Matrix, Vector
from pullback.frontend.library.text.solver_answers import answered, packed
from pullback.frontend.library.text_helpers import unsupported

_EPS = float(np.finfo(float).eps)

Solved = tuple[Vector, int, int, int]
"""The solution, how it ended, how often the function and its Jacobian were called."""


class RootResult:
    """What ``root`` gives."""

    def __init__(
        self, x: Vector, fun: Callable[[Vector], Vector], status: int, nfev: int, message: str
    ) -> None:
        self.x = x
        self.nfev = nfev
        self.status = status
        self.success = status == 1
        self.message = message
        self.method = "hybr"
        self._equations = fun

    @property
    def fun(self) -> Vector:
        """What is left of the equations."""
        return self._equations(self.x)

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def _length(x: Vector) -> float:
    n: float = np.sqrt(np.sum(x * x))
    return n


def _moved(x: Vector, j: int, h: float) -> Vector:
    y = x.copy()
    y[j] += h
    return y


def _slopes(f: Callable[[Vector], Vector], x: Vector, fx: Vector, eps: float) -> Matrix:
    """The Jacobian by differences."""
    rows = []
    for j in range(x.size):
        h = math.sqrt(eps) * abs(x[j])
        if h == 0.0:
            h = math.sqrt(eps)
        rows.append((f(_moved(x, j, h)) - fx) / h)
    return np.stack(rows, axis=1)


def _newton_step(jacobian: Matrix, f: Vector) -> Vector:
    """Return the solution of the linear equations; a triangle with a zero gets a small number."""
    q, r = np.linalg.qr(jacobian)
    b, n = q.T @ f, f.size
    x = np.zeros(n)
    for j in range(n - 1, -1, -1):
        below = r[j, j]
        if below == 0.0:
            below = _EPS * np.max(np.abs(r[: j + 1, j]))
            if below == 0.0:
                below = _EPS
        x[j] = (b[j] - r[j, j + 1 :] @ x[j + 1 :]) / below
    return x


def _dogleg(jacobian: Matrix, f: Vector, scales: Vector, radius: float) -> Vector:
    """Return the step: Newton's, or that to the least along the gradient, or one between them."""
    step = _newton_step(jacobian, f)
    whole = _length(scales * step)
    if whole <= radius:
        return -step
    way = (jacobian.T @ f) / scales
    steep = _length(way)
    part, down, least = radius / whole, np.zeros(f.size), 0.0
    if steep != 0.0:
        down = way / steep / scales
        bent = _length(jacobian @ down)
        least = steep / bent / bent
        part = 0.0
        if least < radius:
            size = _length(f)
            a, b = least / radius, radius / whole
            t = (size / steep) * (size / whole) * a
            t = t - b * a**2 + math.sqrt((t - b) ** 2 + (1.0 - b**2) * (1.0 - a**2))
            part = b * (1.0 - a**2) / t
    return -((1.0 - part) * min(least, radius) * down + part * step)


def _hybrid(f: Callable[[Vector], Vector], slopes: Callable[[Vector, Vector], Matrix], x: Vector,
            xtol: float, most: int, each: int, factor: float, diag: Any) -> Solved:  # fmt: skip
    """Powell's hybrid method."""
    fx, n = f(x), x.size
    size, calls, jacobians, info, first = _length(fx), 1, 0, 0, True
    scales = np.ones(n) if diag is None else diag
    radius = reach = 0.0
    good = bad = slow = slower = 0
    jacobian, renew, fresh = np.zeros((n, n)), True, True
    while info == 0:
        if renew:
            jacobian, fresh, renew = slopes(x, fx), True, False
            calls += each
            jacobians += 1
            lengths = np.sqrt(np.sum(jacobian * jacobian, axis=0))
            if first:
                scales = np.where(lengths == 0.0, 1.0, lengths) if diag is None else diag
                reach = _length(scales * x)
                radius = factor * reach if reach != 0.0 else factor
            scales = np.maximum(scales, lengths) if diag is None else diag
        step = _dogleg(jacobian, fx, scales, radius)
        after, wide = x + step, _length(scales * step)
        if first:
            radius = min(radius, wide)
        f_after = f(after)
        calls += 1
        size_after, hoped = _length(f_after), fx + jacobian @ step
        gained = 1.0 - (size_after / size) ** 2 if size_after < size else -1.0
        promised = _length(hoped)
        promised = 1.0 - (promised / size) ** 2 if promised < size else 0.0
        ratio = gained / promised if promised > 0.0 else 0.0
        good, bad = (0, bad + 1) if ratio < 0.1 else (good + 1, 0)
        radius = _radius(radius, wide, ratio, good)
        jacobian = jacobian + np.outer((f_after - hoped) / wide, scales**2 * step / wide)
        if ratio >= 1e-4:
            x, fx, size, first = after, f_after, size_after, False
            reach = _length(scales * x)
        slow = 0 if gained >= 1e-3 else slow + 1
        if fresh:
            slower = 0 if gained >= 0.1 else slower + 1
        info = _ended(radius, reach, size, wide, xtol, calls >= most, slower, slow)
        renew, fresh = bad == 2, False
    return x, info, calls, jacobians


def _radius(radius: float, wide: float, ratio: float, good: int) -> float:
    """Return how far the next step may go."""
    if ratio < 0.1:
        return radius * 0.5
    if abs(ratio - 1.0) <= 0.1:
        return wide / 0.5
    return max(radius, wide / 0.5) if ratio >= 0.5 or good > 1 else radius


def _ended(radius: float, reach: float, size: float, wide: float, xtol: float, spent: bool,
           slower: int, slow: int) -> int:  # fmt: skip
    """Return how it ended, 0 if it goes on."""
    info = 0
    if radius <= xtol * reach or size == 0.0:
        return 1
    if spent:
        info = 2
    if 0.1 * max(0.1 * radius, wide) <= _EPS * reach:
        info = 3
    if slower == 5:
        info = 4
    if slow == 10:
        info = 5
    return info


def _system(func: Callable[..., Any], args: Any, name: str) -> Callable[[Vector], Vector]:
    """Return the equations, a function of a vector that gives a vector of the same length."""
    given = args if isinstance(args, tuple) else (args,)

    def f(x: Vector) -> Vector:
        y = np.atleast_1d(np.asarray(func(x, *given))).astype(float)
        if y.ndim != 1 or y.size != x.size:
            raise TypeError(
                f"{name}: there is a mismatch between the input and output shape of the 'func' "
                f"argument. Shape should be ({x.size},)."
            )
        return y

    return f


def _solved(f: Callable[[Vector], Vector], x0: Any, args: Any, fprime: Any, transposed: bool,
            xtol: float, maxfev: int, epsfcn: Any, factor: float,
            diag: Any) -> Solved:  # fmt: skip
    """Return the root and how it was found."""
    start = np.ravel(np.atleast_1d(np.asarray(x0))).astype(float)
    scales = None if diag is None else constant(np.asarray(diag).astype(float))
    known, x = constant(f), constant(start)
    if fprime is None:
        eps = _EPS if epsfcn is None else float(constant(epsfcn))
        x, info, calls, jacobians = _hybrid(
            known, lambda x, fx: _slopes(known, x, fx, eps), x, xtol,
            maxfev if maxfev > 0 else 200 * (start.size + 1), start.size, factor, scales,
        )  # fmt: skip
    else:
        given = args if isinstance(args, tuple) else (args,)
        exact = constant(lambda x: np.asarray(fprime(x, *given)).astype(float))

        def slopes(x: Vector, fx: Vector) -> Matrix:
            made = exact(x)
            return made.T if transposed else made

        x, info, calls, jacobians = _hybrid(
            known, slopes, x, xtol, maxfev if maxfev > 0 else 100 * (start.size + 1), 0, factor,
            scales,
        )  # fmt: skip
    near = 1e-4 * (_length(x) + _length(x - constant(start))) + 10.0 * constant(xtol)
    return root_of(f, x, near), info, calls + 2, jacobians


def _said(info: int, xtol: float, most: int) -> str:
    if info == 1:
        return "The solution converged."
    if info == 2:
        return f"The number of calls to function has reached maxfev = {most}."
    if info == 3:
        return (
            f"xtol={xtol:f} is too small, no further improvement in the approximate\n solution is "
            "possible."
        )
    rounds = "five Jacobian evaluations" if info == 4 else "ten iterations"
    return (
        "The iteration is not making good progress, as measured by the \n improvement from the "
        f"last {rounds}."
    )


def fsolve(func: Callable[..., Any], x0: Any, args: Any = (), fprime: Any = None,
           full_output: bool = False, col_deriv: bool = False, xtol: float = 1.49012e-8,
           maxfev: int = 0, band: Any = None, epsfcn: Any = None, factor: float = 100.0,
           diag: Any = None) -> Any:  # fmt: skip
    if band is not None:
        unsupported("fsolve with band", "leave it away")
    f = _system(func, args, "fsolve")
    x, info, calls, jacobians = _solved(
        f, x0, args, fprime, col_deriv, xtol, maxfev, epsfcn, factor, diag
    )
    if not full_output:
        return x
    told = {"nfev": calls, "fvec": f(x)}
    if fprime is not None:
        told["njev"] = jacobians
    return x, told, info, _said(info, xtol, maxfev if maxfev > 0 else 200 * (x.size + 1))


class FoundRoot:
    """What ``root`` gives by SciPy's own search."""

    def __init__(self, x: Vector, fun: Callable[[Vector], Vector], numbers: Vector,
                 method: str) -> None:  # fmt: skip
        self.x = x
        self.success = numbers[5] == 1.0
        self.method = method
        self._numbers = numbers
        self._equations = fun

    @property
    def fun(self) -> Vector:
        """What is left of the equations."""
        return self._equations(self.x)

    @property
    def nit(self) -> int:
        """The number of rounds."""
        if self.method == "lm":
            raise AttributeError("nit")
        return int(self._numbers[0])

    @property
    def nfev(self) -> int:
        """How often the function was called."""
        if self.method != "lm" and self.method != "df-sane":
            raise AttributeError("nfev")
        return int(self._numbers[1])

    @property
    def status(self) -> int:
        """How it ended."""
        if self.method == "df-sane":
            raise AttributeError("status")
        return int(self._numbers[4])

    @property
    def message(self) -> str:
        """How it ended."""
        return unsupported("the message of this search", "ask for success")

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


_OPTIONS: Any = {
    "lm": ("col_deriv", "xtol", "ftol", "gtol", "maxiter", "eps", "factor"),
    "df-sane": ("ftol", "fatol", "maxfev", "M"),
}
_BY_JACOBIANS = ("broyden1", "broyden2", "anderson", "linearmixing", "diagbroyden",
                 "excitingmixing", "krylov")  # fmt: skip
for _name in _BY_JACOBIANS:
    _OPTIONS[_name] = ("nit", "maxiter", "ftol", "fatol", "xtol", "xatol")


def _by_scipy(fun: Callable[..., Any], x0: Any, args: Any, method: str, jac: Any, tol: Any,
              options: Any) -> FoundRoot:  # fmt: skip
    """Return the root that SciPy's own search finds."""
    if method not in _OPTIONS:
        raise ValueError("Unknown solver " + method)
    if method != "lm" and np.ndim(x0) != 1:
        unsupported("root by this method from a place that is no vector", "start from a vector")
    given = args if isinstance(args, tuple) else (args,)
    pair = isinstance(jac, bool) and jac
    start = np.ravel(np.atleast_1d(np.asarray(x0))).astype(float)
    f = _system(lambda x: fun(x, *given)[0], (), "root") if pair else _system(fun, args, "root")
    sloped, values = method == "lm" and (pair or callable(jac)), [start]
    if tol is not None:
        values.append(tol)
    for name in {} if options is None else options:
        if name not in _OPTIONS[method]:
            unsupported("root with this option", "leave it away")
        values.append(options[name])

    def answer(kind: int, x: Vector) -> Vector:
        if sloped and kind == 2:
            return np.ravel(np.asarray(fun(x, *given)[1] if pair else jac(x, *given))).astype(float)
        return f(x)

    names = () if options is None else tuple(options)
    words = described("root", method, sloped, tol is not None, names)
    found = answered(words, constant(packed(values)), constant(answer))
    x, n = found[: start.size], start.size
    near = 1e-3 * (_length(x) + _length(x - constant(start))) + 10.0 * constant(
        1e-6 if tol is None else tol
    )
    return FoundRoot(root_of(f, x, near), f, found[n:], method)


def root(fun: Callable[..., Any], x0: Any, args: Any = (), method: str = "hybr", jac: Any = None,
         tol: Any = None, callback: Any = None, options: Any = None) -> Any:  # fmt: skip
    if callback is not None:
        unsupported("root with callback", "leave it away")
    if method.lower() != "hybr":
        return _by_scipy(fun, x0, args, method.lower(), jac, tol, options)
    if options is not None:
        unsupported("root with options", "call fsolve, which has them as arguments")
    xtol = 1.49012e-8 if tol is None else tol
    if isinstance(jac, bool):
        given = args if isinstance(args, tuple) else (args,)
        f = _system(lambda x: fun(x, *given)[0], (), "root") if jac else _system(fun, args, "root")
        x, info, calls, _ = _solved(
            f, x0, (), (lambda x: fun(x, *given)[1]) if jac else None, False, xtol, 0, None, 100.0,
            None,
        )  # fmt: skip
    else:
        f = _system(fun, args, "root")
        x, info, calls, _ = _solved(f, x0, args, jac, False, xtol, 0, None, 100.0, None)
    return RootResult(x, f, info, calls, _said(info, xtol, 200 * (x.size + 1)))
