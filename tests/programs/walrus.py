"""``:=`` inside comprehensions: a name of the function around, set item after item."""

import math

import numpy as np

from tests.programs import Program


def kept_results(xs):
    """The commonest one: computed once, tested and kept."""
    ys = [y for x in xs if (y := math.sin(x)) > 0.0]
    return sum(y * y for y in ys) + sum(z for x in xs if (z := x * x) > 0.5)


def running_total(xs):
    total = 0.1
    sums = [total := 0.5 * total + x for x in xs]
    return sum(s * s for s in sums) + total


def witness(xs):
    """any stops at the item that decides."""
    if any((bad := x) < -0.5 for x in xs):
        return bad * bad
    if all((last := x * y) < 2.0 for x in xs for y in xs if x < y):
        return bad + last
    return last * 3.0


def shadowed(xs):
    """The variable of the comprehension is its own, also where a function sees the other one."""
    x = 2.0

    def f(v):
        return v * x

    ys = [[w + x for x in xs if (w := f(x)) > x] for x in xs if (u := f(x)) < 1.0]
    return sum(sum(row) for row in ys) * x + u


def carried_on(a, n):
    """Set in one round of a loop, read in the next; on one path of a conditional expression."""
    best, out = 0.0, 0.0
    for k in range(n):
        out += max([best := 0.9 * best + v * k for v in a]) if k % 2 else best
    return out + np.sum(np.array([best * (p := 0.5 * v) for v in a])) * p


def _leaves(depth, x):
    if depth == 0:
        return [x]
    return [y * y for s in (0.4, 0.7) for v in _leaves(depth - 1, x * s) if (y := math.cos(v)) > s]


def recursive(x, depth):
    """Computed once at every level of a recursion."""
    return sum(_leaves(depth, x))


def numbers(rng, n):
    return ([float(v) for v in rng.normal(size=n)],)


PROGRAMS = [
    Program("walrus_kept_results", kept_results, numbers),
    Program("walrus_running_total", running_total, numbers),
    Program("walrus_witness", witness, numbers),
    Program("walrus_shadowed", shadowed, numbers),
    Program("walrus_carried_on", carried_on, lambda r, n: (r.normal(size=n), 4)),
    Program("walrus_recursive", recursive, lambda r, n: (float(r.normal()), n), sizes=(1, 5)),
]
