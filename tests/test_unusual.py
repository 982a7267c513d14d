"""Unusual programs: plain Python, both native methods, the evaluator and finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from tests.harness import difference, direction, distance, gradient, inner, is_real, leaves, run

A = np.array([0.7, -1.3, 2.1])


def condition_and_its_negation(x):
    c = x > 0.5
    n = not c
    y = x
    if c:
        y = y * 2
        if n:
            y = y + 1
        if not c:
            y = y - 3
        else:
            y = y * x
    return y


def negation_of_a_negation(x, a):
    c = x > 0.5
    n = not c
    s = 0.0
    for v in a:
        if n:
            s += v if c else v * x
            if not n:
                s += 1.0
        else:
            while not n and s < 3.0:
                s += x if c else 1.0
    return s


def np_sort_in_a_loop(x, a):
    y = 0.4
    for _ in [x, 0.5]:
        if x > 0:
            y = y + x
        else:
            for _ in range(3):
                y += np.sort(a)[0]
    for _ in range(2):
        b = np.sort(a)
        y += b[1]
    return y + np.sum(a)


def nothing_added_to_lists(x):
    xs = [x, 2.0] + []
    ys = [] + [y * x for y in xs]
    zs = [y * x for y in xs if y > 0] + []
    us = xs + [] + zs
    us.append(x)
    return sum(xs) + sum(ys) + 2.0 * sum(zs) + sum(us)


def nothing_added_to_an_argument(xs):
    ys = xs + []
    ys.append(xs[0])
    return sum(ys) * sum([] + xs)


def return_in_a_loop_over_nothing(x):
    for w in []:
        return w
    else:
        return x * 3


def loops_over_nothing(x):
    t = x
    for a, _ in zip([], [1.0, 2.0]):
        t += a
        if t > 3:
            break
    for a, _ in zip([], np.ones(3)):
        t += a
    for w in []:
        for v in w:
            if v:
                return v
    for _, w in enumerate(()):
        if w > 0:
            continue
        t = w
    for w in [] + []:
        while w:
            w -= 1
            break
        else:
            continue
        break
    else:
        t = t * x
    return t + sum(w for w in [] if w > 2) + max([], default=x)


PROGRAMS = [
    (condition_and_its_negation, (0.7,)),
    (condition_and_its_negation, (0.2,)),
    (negation_of_a_negation, (0.7, A)),
    (negation_of_a_negation, (0.2, A)),
    (np_sort_in_a_loop, (0.7, A)),
    (np_sort_in_a_loop, (-0.7, A)),
    (nothing_added_to_lists, (1.2,)),
    (nothing_added_to_an_argument, ([1.5, 2.0],)),
    (return_in_a_loop_over_nothing, (1.2,)),
    (loops_over_nothing, (1.2,)),
]


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_unusual_programs(f, args):
    expected = f(*args)
    for tier in ("native", "eval"):
        assert distance(run(f, args, tier), expected) < 1e-12
    wanted = tuple(k for k, x in enumerate(args) if any(map(is_real, leaves(x))))
    rng = np.random.default_rng(1)
    tangents = tuple(direction(rng, x) for x in args)
    slope = difference(f, args, tangents)
    for method in ("chad", "dual"):
        _, found = gradient(f, args, wanted, "native", method)
        along = sum(inner(g, tangents[k]) for g, k in zip(found, wanted))
        assert abs(along - slope) < 1e-7 * (1 + abs(slope)), (method, along, slope)
