"""Minima between bounds with a limited memory, as plain Python that the front end compiles: R. H.
Byrd, P. Lu, J. Nocedal and C. Zhu, "A limited memory algorithm for bound constrained optimization"
(1995), with the subspace step of J. L. Morales and J. Nocedal (2011), and the ends that SciPy
follows.
"""

from __future__ import annotations

import numpy as np

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.text.domains import Matrix, Vector
from pullback.frontend.library.text.line_searches import Sloped, first_search
from pullback.frontend.library.text.search_callbacks import STOPPED, Told

_EPS = float(np.finfo(float).eps)

Model = tuple[float, Matrix, Matrix]
"""The Hessian as theta - W M W^T."""


def _model(steps: Matrix, changes: Matrix, theta: float) -> Model:
    """Return the Hessian that steps and changes of the gradient tell."""
    inner = steps @ changes.T
    low, diagonal = np.tril(inner, -1), np.diag(np.diag(inner))
    upper = np.concatenate((-diagonal, low.T), axis=1)
    lower = np.concatenate((low, theta * (steps @ steps.T)), axis=1)
    middle = np.linalg.inv(np.concatenate((upper, lower)))
    return theta, np.concatenate((changes, theta * steps)).T, middle


def _left(x: Vector, g: Vector, low: Vector, high: Vector) -> float:
    """The projected gradient."""
    back = np.where(g < 0.0, np.maximum(x - high, g), np.minimum(x - low, g))
    size: float = np.max(np.abs(back))
    return size


def _cauchy(x: Vector, g: Vector, low: Vector, high: Vector,
            model: Model) -> tuple[Vector, Vector, Vector]:  # fmt: skip
    """Return where the model is least first along the projected gradient, which numbers are held
    there, and W^T times the way."""
    theta, w, m = model
    reach = np.where(g < 0.0, (x - high) / np.where(g == 0.0, 1.0, g),
                     np.where(g > 0.0, (x - low) / np.where(g == 0.0, 1.0, g), np.inf))  # fmt: skip
    held = reach <= 0.0
    d = np.where(held, 0.0, -g)
    p, c, place = d @ w, np.zeros(w.shape[1]), x.copy()
    first = -(d @ d)
    second = -theta * first - p @ m @ p
    whole, last = second, 0.0
    if first == 0.0:
        return place, held, c
    order = np.argsort(np.where(held, np.inf, reach))
    for k in range(x.size):
        b = order[k]
        if held[b] or not np.isfinite(reach[b]) or -first / second < reach[b] - last:
            break
        step = reach[b] - last
        bound = high[b] if d[b] > 0.0 else low[b]
        place[b], held[b] = bound, True
        c, gone, row = c + step * p, bound - x[b], w[b]
        first += step * second + d[b] ** 2 - theta * d[b] * gone + d[b] * (row @ m @ c)
        second += -theta * d[b] ** 2 + 2.0 * d[b] * (row @ m @ p) - d[b] ** 2 * (row @ m @ row)
        second = max(_EPS * whole, second)
        p, last = p - d[b] * row, reach[b]
        d[b] = 0.0
    step = max(-first / second, 0.0)
    if np.all(held):
        return place, held, c
    return np.where(held, place, x + (last + step) * d), held, c + step * p


def _subspace(x: Vector, g: Vector, low: Vector, high: Vector, model: Model, place: Vector,
              held: Vector, c: Vector) -> Vector:  # fmt: skip
    """Return where the model is least in the numbers that are not held."""
    theta, w, m = model
    rest = np.where(held, 0.0, -(g + theta * (place - x) - w @ (m @ c)))
    free = np.where(held[:, None], 0.0, w)
    v = m @ (rest @ free)
    v = np.linalg.solve(np.eye(v.size) - m @ (free.T @ free) / theta, v)
    d = rest / theta + free @ v / theta**2
    d = np.where(held, 0.0, d)
    aim = np.minimum(np.maximum(place + d, low), high)
    if np.all(aim == place + d) or (aim - x) @ g <= 0.0:
        return aim
    below = np.where(d < 0.0, low - place, np.where(d > 0.0, high - place, 1.0))
    reach = np.where(d == 0.0, np.inf, below / np.where(d == 0.0, 1.0, d))
    t = min(1.0, np.min(reach))
    return np.minimum(np.maximum(place + t * d, low), high)


def _longest(x: Vector, d: Vector, low: Vector, high: Vector) -> float:
    """Return how far a step may go."""
    reach = np.where(d < 0.0, low - x, np.where(d > 0.0, high - x, np.inf))
    t: float = np.min(np.where(d == 0.0, np.inf, reach / np.where(d == 0.0, 1.0, np.abs(d))
                               * np.where(d < 0.0, -1.0, 1.0)))  # fmt: skip
    return min(t, 1e10)


def by_limited_memory(pair: Sloped, x: Vector, low: Vector, high: Vector, kept: int, ftol: float,
                      gtol: float, most: int, most_calls: float, each: int,
                      rounds: int, tell: Told) -> tuple[Vector, int, int, int, int]:  # fmt: skip
    """Return the place, the number of rounds and of calls, how it ended, and why; ``each``: how
    often the function is called for each pair of value and gradient."""
    free = bool(np.all((low == -np.inf) & (high == np.inf)))
    value, g = pair(x)
    steps, changes = np.zeros((0, x.size)), np.zeros((0, x.size))
    calls, k, theta = 1, 0, 1.0
    if _left(x, g, low, high) <= gtol:
        return x, k, calls, 0, 401
    while True:
        model = constant(_model(steps, changes, theta))
        place, held, c = x, np.zeros(x.size) > 0.0, np.zeros(2 * len(steps))
        if not free or len(steps) == 0:
            place, held, c = constant(_cauchy(x, g, low, high, model))
        if len(steps) > 0 and not np.all(held):
            place = constant(_subspace(x, g, low, high, model, place, held, c))
        d = place - x
        along = g @ d
        limit = 1e10 if free else 1.0 if k == 0 else _longest(x, d, low, high)
        boxed = np.all(np.isfinite(low) & np.isfinite(high))
        t = min(1.0 / np.sqrt(d @ d), limit) if k == 0 and not boxed else 1.0
        before, found, t_found, new, gradient, more = x, False, t, value, g, 0
        if along < 0.0:
            _, t_found, new, gradient, more = first_search(
                lambda y: pair(np.minimum(np.maximum(y, low), high)), x, d, value, along, t, 1e-3,
                0.9, 0.1, 0.0, limit, rounds,
            )  # fmt: skip
            found = more < rounds
        calls += more
        if not found:
            if len(steps) == 0:
                return x, k, calls, 2, 0
            steps, changes, theta = steps[:0], changes[:0], 1.0
            continue
        x = place if t_found == 1.0 else np.minimum(np.maximum(before + t_found * d, low), high)
        k += 1
        old, change = value, gradient - g
        value, g = new, gradient
        if tell(x, value):
            return x, k, calls, STOPPED, 0
        if k >= most:
            return x, k, calls, 1, 504
        if calls * each > most_calls:
            return x, k, calls, 1, 502
        if _left(x, g, low, high) <= gtol:
            return x, k, calls, 0, 401
        if old - value <= ftol * max(abs(old), abs(value), 1.0):
            return x, k, calls, 0, 402
        bend = (g @ d - along) * t_found
        if bend > _EPS * -along * t_found:
            skipped = 1 if len(steps) == kept else 0
            steps = np.concatenate((steps[skipped:], (t_found * d)[None]))
            changes = np.concatenate((changes[skipped:], change[None]))
            theta = change @ change / bend
