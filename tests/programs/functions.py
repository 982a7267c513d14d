"""Functions as values: nested, passed on, returned, chosen at run time."""

import math

import numpy as np

import pullback as pb
from tests.programs import Program

SCALE = 1.5
TABLE = np.array([0.5, -1.0, 2.0])


def nested_functions(x, y):
    def inner(u):
        def innermost(v):
            return u * v + x

        return innermost(u) * innermost(y)

    return inner(x) + inner(y)


def twice(f, x):
    return f(f(x))


def lambda_passed_on(x, a):
    return twice(lambda u: a * math.sin(u) + x, x)


def compose(f, g):
    return lambda u: f(g(u))


def function_returned(x):
    return compose(math.exp, lambda u: -u * u)(x) + compose(math.sin, math.cos)(x)


def closure_over_array(x, w):
    def dot(v):
        return sum(w[i] * v[i] for i in range(len(v)))

    return dot(x) * dot(w)


def globals_captured(x):
    return SCALE * x * TABLE[1] + TABLE[-1]


def functions_in_tuple(x):
    pair = (lambda u: u * x, lambda u: u + x)
    return pair[0](2.0) * pair[1](3.0)


def chosen_closure(x, y, flag):
    """One of two lambdas with different captures, known only when it runs."""
    if flag:
        f = lambda u: u * x
    else:
        f = lambda u: math.sin(u) + x * y + y
    return f(x) + f(2.0)


def closure_chosen_by_value(xs, y):
    total = 0.0
    for x in xs:
        f = (lambda u: u * y) if x > 0.0 else (lambda u: u * u + x)
        total += f(x)
    return total


def keyword_and_default(x, y):
    def affine(u, slope=2.0, offset=0.0):
        return slope * u + offset

    return affine(x) * affine(y, offset=x) + affine(x, 3.0)


def captured_in_branch(x):
    """A function chosen at run time sees the variables of its own branch."""
    if x > 1.0:
        k = x * x
        f = lambda v: v * k
    else:
        k = 3.0 * x
        f = lambda v: v + k
    return f(x) + k


def pullback_kept(x):
    """A pullback belongs to the values at the time when it was made."""
    a = np.zeros(3) + x
    k = x
    _, pullback = pb.vjp(lambda y: np.sum(y * y * k * a), x)
    k = 2.0 * k
    a[0] = k
    return pullback(k)[0] + a[0]


def callee_many_times(x):
    """Specialised once, called from four places."""
    return square(square(x)) + square(x + 1.0) * square(2.0)


def square(u):
    return u * u


def numbers(rng, n):
    return tuple(rng.uniform(0.3, 1.5, 2).tolist())


PROGRAMS = [
    Program("nested_functions", nested_functions, numbers, (0, 1)),
    Program("lambda_passed_on", lambda_passed_on, numbers, (0, 1)),
    Program("function_returned", function_returned, lambda rng, n: (rng.normal(),)),
    Program(
        "closure_over_array",
        closure_over_array,
        lambda rng, n: (rng.normal(size=n), rng.normal(size=n)),
        (0, 1),
    ),
    Program("globals_captured", globals_captured, lambda rng, n: (rng.normal(),)),
    Program("functions_in_tuple", functions_in_tuple, lambda rng, n: (rng.normal(),)),
    Program("chosen_closure_left", chosen_closure, lambda r, n: (*numbers(r, n), True), (0, 1)),
    Program("chosen_closure_right", chosen_closure, lambda r, n: (*numbers(r, n), False), (0, 1)),
    Program(
        "closure_chosen_by_value",
        closure_chosen_by_value,
        lambda rng, n: (rng.normal(size=n), rng.normal()),
        (0, 1),
    ),
    Program("captured_in_branch", captured_in_branch, lambda r, n: (r.uniform(0.3, 1.7),)),
    Program("pullback_kept", pullback_kept, lambda r, n: (r.uniform(0.3, 1.7),)),
    Program("keyword_and_default", keyword_and_default, numbers, (0, 1)),
    Program("callee_many_times", callee_many_times, lambda rng, n: (rng.normal(),)),
]
