"""Initial value problems by SciPy's own steps (``core/initial_value_calls.py``): those of implicit
methods, and of all methods with events.

Lengths of steps, and in which step an event is, are SciPy's, and have no derivative. A step of a
Runge-Kutta method is made again. One of an implicit method has SciPy's values inside of it, and
the derivative of the equations of the Radau IIA method (E. Hairer and G. Wanner, *Solving Ordinary
Differential Equations II*, section IV.5) on that step, of an order that is at least that of the
method. The time of an event has the derivative of the equation that defines it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant, root_of
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Matrix, Vector
from pullback.frontend.library.text.dormand_prince import Slope
from pullback.frontend.library.text.ode_solutions import OdeResult, OdeSolution
from pullback.frontend.library.text.runge_kutta import advanced, at_of, inside_of
from pullback.frontend.library.text.solver_answers import answered, packed

IMPLICIT: Any = ("Radau", "BDF", "LSODA")
"""The methods whose steps are equations."""
_MOST: Any = {"Radau": 3, "BDF": 6, "LSODA": 12}


def _radau(s: int) -> tuple[Vector, Matrix]:
    """Return the places and the matrix of the Radau IIA method of s stages."""
    x = np.polynomial.Polynomial([0.0, 1.0])
    places = np.sort((x ** (s - 1) * (x - 1.0) ** s).deriv(s - 1).roots().real)
    places[-1] = 1.0
    powers = np.arange(1.0, s + 1.0)
    whole = places[:, None] ** powers / powers
    return places, whole @ np.linalg.inv(places[:, None] ** (powers - 1.0))


_PLACES_3, _MATRIX_3 = _radau(3)
_PLACES_5, _MATRIX_5 = _radau(5)


def inside_implicit(f: Slope, form: Vector, begin: float, start: Vector, t: float,
                    method: str) -> Vector:  # fmt: skip
    """Return the solution in a step of an implicit method: SciPy's value, and the derivative of the
    equations of a step that ends there."""
    places = _PLACES_5 if method == "LSODA" else _PLACES_3
    matrix = _MATRIX_5 if method == "LSODA" else _MATRIX_3
    n, s, most = start.size, places.size, _MOST[method]
    first, length = constant(begin), constant(t) - constant(begin)
    c = form[2 * most :].reshape(most + 1, n)
    inside = np.zeros((s, n))
    for i in range(s):
        factors = np.cumprod((first + places[i] * length - form[:most]) / form[most : 2 * most])
        inside[i] = c[0] + factors @ c[1:]

    def equations(z: Vector) -> Vector:
        stages, h, slopes = z.reshape(s, n), t - begin, np.zeros((s, n))
        for i in range(s):
            slopes[i] = f(begin + places[i] * h, stages[i])
        return np.ravel(stages - start - h * (matrix @ slopes))

    return root_of(equations, np.ravel(inside))[(s - 1) * n :]


class ImplicitSolution:
    """The solution by an implicit method as a function of time."""

    def __init__(self, f: Slope, ts: Vector, begins: Vector, starts: Matrix, forms: Matrix,
                 way: float, method: str) -> None:  # fmt: skip
        self.ts = ts
        self._slope = f
        self._begins = begins
        self._starts = starts
        self._forms = forms
        self._way = way
        self._method = method

    def _one(self, t: float) -> Vector:
        at, last = self._way * constant(t), len(self.ts) - 2
        knots = self._way * constant(self.ts)
        k = max(min(np.searchsorted(knots, at, "right") - 1, last), 0)
        if self._method == "Radau":
            k = max(min(np.searchsorted(knots, at, "left") - 1, last), 0)
        return inside_implicit(
            self._slope, self._forms[k], self._begins[k], self._starts[k], t, self._method
        )

    def __call__(self, t: Any) -> Any:
        if np.ndim(t) == 0:
            return self._one(1.0 * np.asarray(t).item())
        return np.stack([self._one(1.0 * v) for v in np.asarray(t)], axis=1)


def _ended(t: float, begin: float, end: float) -> float:
    """Return a time of a step: the first and the last one may have a derivative."""
    return begin if t == constant(begin) else end if t == constant(end) else t


def _found(f: Slope, y: Vector, begin: float, end: float, method: str, jac: Any, events: Any,
           given: Any, rtol: Any, atol: Any, names: Any, values: Any) -> Vector:  # fmt: skip
    """Return what SciPy finds."""
    slopes = None if jac is None else "function" if callable(jac) else "matrix"
    kinds = [np.zeros(0)]
    for _, terminal, direction in events:
        kinds.append(np.array([1.0 * terminal, 1.0 * direction]))
    numbers = [np.array([begin, end]), y, np.concatenate(kinds), rtol, atol]
    for v in values:
        numbers.append(v)
    if slopes == "matrix":
        numbers.append(np.asarray(jac))

    def answer(kind: int, v: Vector) -> Vector:
        if kind == 1:
            return f(v[0], v[1:])
        if slopes == "function" and kind == 2:
            return np.ravel(np.asarray(jac(v[0], v[1:], *given))).astype(float)
        value, k = v, 10
        for event, _, _ in events:
            if kind == k:
                value = np.ravel(np.asarray(event(v[0], v[1:], *given))).astype(float)
            k += 1
        return value

    words = described("solve_ivp", method, slopes, names, len(events))
    return answered(words, constant(packed(numbers)), constant(answer))


def _inside(step: Any, u: float) -> Vector:
    """Return the solution in a step."""
    f, form, before, start, h, method = step
    if method in IMPLICIT:
        return inside_implicit(f, form, before, start, u, method)
    return at_of(form, (u - before) / h if h != 0.0 else 0.0 * u, start, method)


def _happen(events: Any, given: Any, step: Any, k: int, firsts: Vector, when: Vector,
            where: Vector, times: Vector, places: Matrix) -> None:  # fmt: skip
    """Write down the events in a step, in place."""
    for i, (event, _, _) in enumerate(events):
        left = partial(_left, event, given, step)
        for j in range(firsts[i], firsts[i + 1]):
            if where[j] == k:
                t = np.float64(when[j])
                times[j] = root_of(left, t, 1e-6 * (1.0 + abs(t)))  # NaN where an event jumps
                places[j] = _inside(step, times[j])


def _left(event: Any, given: Any, step: Any, t: float) -> float:
    return np.float64(np.ravel(np.asarray(event(t, _inside(step, t), *given)))[0])


def solved_by_scipy(f: Slope, y0: Vector, begin: float, end: float, method: str, t_eval: Any,
                    dense: bool, events: Any, given: Any, jac: Any, rtol: Any, atol: Any,
                    names: Any, values: Any) -> OdeResult:  # fmt: skip
    """Make the steps that SciPy makes."""
    found = _found(f, y0, begin, end, method, jac, events, given, rtol, atol, names, values)
    count, n = len(events), y0.size
    most = _MOST[method] if method in IMPLICIT else -1
    steps, wide = int(found[4]), 2 + 2 * n + (2 * most + (most + 1) * n if most > 0 else 0)
    firsts = np.concatenate((np.zeros(1), np.cumsum(found[5 : 5 + count]))).astype(int)
    total, behind = int(firsts[count]), 5 + count + steps * wide
    rows = found[5 + count : behind].reshape(steps, wide)
    when, where = found[behind : behind + total], found[behind + total :].astype(int)
    ts, ys, sol, times, places = _made_again(
        f, y0, begin, end, method, t_eval, dense, events, given, rows, firsts, when, where,
        found[0] == 1.0,
    )  # fmt: skip
    calls = -1 if method == "DOP853" else int(found[1])
    happened = None if count == 0 else (count, times, places, firsts)
    return OdeResult(np.array(ts), np.stack(ys, axis=1), sol, calls, int(found[0]),
                     (int(found[2]), int(found[3])), happened)  # fmt: skip


def _made_again(f: Slope, y0: Vector, begin: float, end: float, method: str, t_eval: Any,
                dense: bool, events: Any, given: Any, rows: Matrix, firsts: Vector, when: Vector,
                where: Vector, stopped: bool) -> Any:  # fmt: skip
    """Make the steps again; return times and solutions, that as a function of time, and times and
    solutions of events."""
    n, way, implicit = y0.size, 1.0 if end >= begin else -1.0, method in IMPLICIT
    times, places = np.zeros(len(when)), np.zeros((len(when), n))
    ts, ys, done, t, y = [begin], [y0], 0, begin, y0
    bounds, starts, insides, lengths, begins = [begin], [], [], [], []
    if t_eval is not None:
        ts, ys = [], []
    slope = y0 if implicit else f(begin, y0)
    for k in range(len(rows)):
        before, y_before, form = t, y, rows[k, 2 + 2 * n :]
        t = _ended(rows[k, 1], begin, end)
        h = t - before
        if implicit:
            y = inside_implicit(f, form, before, y_before, t, method)
        else:
            y, stages = advanced(f, before, y_before, slope, h, t, method)
            slope, form = stages[-1], inside_of(f, stages, before, y_before, h, y, method)
        step = f, form, before, y_before, h, method
        if len(events) > 0:
            _happen(events, given, step, k, firsts, when, where, times, places)
        last, y_last = t, y
        if stopped and k == len(rows) - 1:
            last = times[np.argmax(way * when)]
            y_last = _inside(step, last)
        if dense:
            bounds.append(last)
            starts.append(y_before)
            begins.append(before)
            insides.append(form)
            lengths.append(h)
        if t_eval is None:
            ts.append(last)
            ys.append(y_last)
        else:
            while done < len(t_eval) and way * (t_eval[done] - constant(last)) <= 0.0:
                ts.append(1.0 * t_eval[done])
                ys.append(_inside(step, 1.0 * t_eval[done]))
                done += 1
    sol: Any = None
    if dense and implicit:
        sol = ImplicitSolution(f, np.array(bounds), np.array(begins), np.array(starts),
                               np.array(insides), way, method)  # fmt: skip
    elif dense:
        sol = OdeSolution(np.array(bounds), np.array(starts), np.array(insides), way, method,
                          np.array(lengths))  # fmt: skip
    return ts, ys, sol, times, places
