"""Unusual programs: plain Python, both native methods, the evaluator and finite differences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tests.harness import difference, direction, distance, gradient, inner, is_real, leaves, run

A = np.array([0.7, -1.3, 2.1])


@dataclass(frozen=True)
class Dot:
    v: float


@dataclass(frozen=True)
class Line:
    w: float
    end: Dot | Line | None


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


def after_loops_that_go_round(x):
    for i in range(3):
        y = x * i
    for k in range(10):
        if k == 7:
            break
        if k % 2:
            continue
        y += x * k
    for _ in range(5):
        r = x * x - 2.0
        x = x - r / (2.0 * x)
        if abs(r) < 1e-3:
            break
    return y + i * k + x * r


def two_assignments_in_a_condition(x):
    z = 0.0
    if (y := x * 2) > 1 and (w := y + 1) < 3.2:
        z = y * w
    u = a * b if (a := x * 2) > 1 and (b := a + x) < 3.7 else a + 1
    return z + u * y


def assignment_in_what_is_returned(x):
    return (z := x * 2) * z if x > 0 else x


def pop_in_what_is_returned(x):
    xs = [x, 2.0]

    def take(ys):
        return ys.pop() if len(ys) > 1 else 3.0 * x

    t = 0.0
    for _ in range(3):
        t += take(xs)
    return xs.pop() * t if x > 0 else x


def update_in_what_is_returned(x):
    u = np.zeros(2)

    def bump(v, y):
        v[0] += y
        return v[0]

    return bump(u, x) if x > 0 else bump(u, -x) * 2


def pop_if_there(o, x):
    xs = [x, 2.0, 3.0]
    y = xs.pop() * o if o is not None else 0.5
    z = 1.0 if o is None or xs.pop() > 2 else xs.pop()
    return y * z + sum(xs) * 10


def update_in_arms_by_class(s, x):
    xs = [x, 2.0, 3.0]
    u = np.zeros(2)

    def bump(v, y):
        v[0] += y
        return y

    z = 1.0
    y = xs.pop() * (z := s.v) if isinstance(s, Dot) else bump(u, x) * s.w
    return y * z + sum(xs) * 10 + u[0]


def pop_in_a_test_by_class(s, x):
    xs = [x, 2.0, 3.0]
    ok = isinstance(s, Line) and xs.pop() > 1 and s.end is not None
    if isinstance(s, Line) and s.end is not None and xs.pop() > 0.0:
        x = x * len(xs)
    return x * sum(xs) * (2 if ok else 3)


def pop_in_nested_arms(s, x):
    xs = [x, 2.0, 3.0]
    t = 0.0
    for _ in range(2):
        t += (xs.pop() if isinstance(s.end, Dot) else -1.0) if isinstance(s, Line) else xs.pop(0)
    return t * sum(xs)


DOT, LINE, LONG = Dot(1.5), Line(0.4, None), Line(0.4, Dot(1.0))


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
    (after_loops_that_go_round, (1.2,)),
    *((two_assignments_in_a_condition, (x,)) for x in (0.2, 0.9, 1.2)),
    *((assignment_in_what_is_returned, (x,)) for x in (1.2, -1.2)),
    *((pop_in_what_is_returned, (x,)) for x in (1.2, -1.2)),
    (update_in_what_is_returned, (-1.2,)),
    *((pop_if_there, (o, 1.2)) for o in (1.5, None)),
    *((update_in_arms_by_class, (s, 1.2)) for s in (DOT, LINE)),
    *((pop_in_a_test_by_class, (s, 1.2)) for s in (DOT, LINE, LONG)),
    *((pop_in_nested_arms, (s, 1.2)) for s in (DOT, LINE, LONG)),
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
