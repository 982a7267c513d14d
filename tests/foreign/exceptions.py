"""Checks, errors and their handling, as in library code."""

import math
import warnings

import numpy as np


class DomainError(ValueError):
    """An argument outside the domain."""


def safe_log(x):
    try:
        return math.log(x)
    except ValueError:
        return -1e3 * x


def checked_sqrt(x):
    if not isinstance(x, (int, float)):
        raise TypeError(f"expected a number, got {type(x).__name__}")
    if x < 0:
        raise DomainError(f"negative: {x!r}")
    return math.sqrt(x)


def first_valid(xs):
    for x in xs:
        try:
            return checked_sqrt(x)
        except DomainError:
            continue
    raise ValueError("none is valid")


def safe_divide(a, b, default=0.0):
    try:
        result = a / b
    except ZeroDivisionError:
        result = default
    else:
        result *= 2
    finally:
        pass
    return result


def solve_with_fallback(a, b):
    try:
        return np.linalg.solve(a, b).sum()
    except np.linalg.LinAlgError:
        return np.linalg.pinv(a).sum()


def parse_and_scale(text, scale):
    try:
        value = int(text)
    except ValueError:
        value = 0
    return value * scale


def lookup(table, key, x):
    try:
        return table[key] * x
    except KeyError:
        return x


def retry(x):
    attempts = 0
    while True:
        try:
            if x < 1.0:
                raise DomainError("too small")
            return math.log(x) + attempts
        except DomainError:
            x *= 2
            attempts += 1


def validated(weights):
    weights = np.asarray(weights, dtype=float)
    if weights.ndim != 1:
        raise ValueError(f"weights must be 1-d, got {weights.ndim}-d")
    if (weights < 0).any():
        raise ValueError("weights must not be negative")
    total = weights.sum()
    assert total > 0, "all weights are zero"
    return weights / total


def newton(f, df, x, limit=50):
    for _ in range(limit):
        step = f(x) / df(x)
        x -= step
        if abs(step) < 1e-12:
            return x
    raise RuntimeError("Newton's method did not converge")


def cube_root(a):
    return newton(lambda x: x**3 - a, lambda x: 3 * x**2, 1.0)


def index_or_zero(xs, i):
    try:
        return xs[i] ** 2
    except IndexError:
        return 0.0


def total_until_error(xs):
    total = 0.0
    try:
        for x in xs:
            total += math.sqrt(x)
    except ValueError:
        total *= 10
    return total


def nested_handlers(x):
    try:
        try:
            return math.acos(x)
        except ValueError:
            return math.log(x - 1.0)
    except ValueError:
        return x


def with_warning(x):
    if x > 100:
        warnings.warn("large value", stacklevel=2)
    return x * x


def guarded_iteration(x0, r):
    x = x0
    for k in range(50):
        x = r * x * (1 - x)
        if not math.isfinite(x):
            raise OverflowError(f"diverged at step {k}")
    return x


def cleanup(x):
    log = []
    try:
        log.append(x)
        y = x * 2
        return y + len(log)
    finally:
        log.clear()


def chained_error(x):
    try:
        return math.sqrt(x)
    except ValueError as error:
        raise DomainError("bad input") from error


def either(x):
    try:
        return math.log(x) / x
    except (ValueError, ZeroDivisionError):
        return 0.5 * x


def dispatch(kind, x):
    if kind == "linear":
        return x
    elif kind == "quadratic":
        return x * x
    else:
        raise NotImplementedError(kind)


def all_kinds(x):
    out = 0.0
    for kind in ("linear", "quadratic", "cubic"):
        try:
            out += dispatch(kind, x)
        except NotImplementedError:
            out += 0.1
    return out


CASES = [
    (safe_log, (2.0,)),
    (safe_log, (-2.0,)),
    (checked_sqrt, (2.0,)),
    (first_valid, ([-1.0, -2.0, 9.0],)),
    (safe_divide, (1.0, 4.0)),
    (solve_with_fallback, (np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([1.0, 2.0]))),
    (parse_and_scale, ("12", 1.5)),
    (lookup, ({"a": 2.0}, "b", 3.0)),
    (retry, (0.3,)),
    (validated, ([1.0, 2.0, 5.0],)),
    (cube_root, (5.0,)),
    (index_or_zero, ([1.0, 2.0], 1)),
    (total_until_error, ([1.0, 4.0, -1.0, 9.0],)),
    (nested_handlers, (1.5,)),
    (with_warning, (3.0,)),
    (guarded_iteration, (0.3, 3.2)),
    (cleanup, (1.5,)),
    (chained_error, (2.0,)),
    (either, (-0.5,)),
    (all_kinds, (1.5,)),
]
