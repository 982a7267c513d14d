"""Programs whose helpers raise exceptions in loops, with what went wrong in them: solvers that give
up, searches, retries, validation of items."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np


class Diverged(Exception):
    def __init__(self, i, x):
        super().__init__(i, x)
        self.i = i
        self.x = x


class Rejected(ValueError):
    def __init__(self, v):
        self.v = v

    def twice(self):
        return 2.0 * self.v


class Short(Diverged):
    def __init__(self, x, residuals):
        super().__init__(len(residuals), x)
        self.residuals = residuals


@dataclasses.dataclass
class Found(Exception):
    at: int
    what: Any


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y


class Search:
    def __init__(self):
        self.log = []
        self.n = 0
        self.best = 0.0

    def step(self, x):
        self.n += 1
        self.best = max(self.best, x)
        self.log.append(x)
        if x > 3.0:
            raise Diverged(self.n, x * self.best)
        return x * 1.4

    def run(self, x):
        for _ in range(5):
            x = self.step(x)
        while x < 5.0:
            x = self.step(x) + 0.3
            if len(self.log) > 6:
                raise Rejected(x * self.log[0])
        return x


def newton(a):
    x = 1.0
    for i in range(50):
        x = x - (x * x - a) / (2 * x) - 0.3
        if x < 0.4:
            raise Diverged(i, x)
    return x


def grow(a, k):
    x = a
    for i in range(3):
        x = x * (1.5 - 0.2 * k)
        if x > 3.0:
            raise Diverged(i, x)
    return x


def total(xs):
    s = 0.0
    for x in xs:
        if x > 1.0:
            raise Rejected(x * s)
        s += x
    return s


def multiples(a):
    for k in range(5):
        yield a * (k + 1) * 0.3


def fail(x):
    raise Diverged(1, x * 2.0)


def argument_of_a_solver(a):
    try:
        return newton(a)
    except Diverged as e:
        return e.args[1] * 2.0 + e.i


def in_while(a):
    def settle(x, n):
        while True:
            x = x * 0.7 + 0.1
            n += 1
            if x < 0.5:
                raise Diverged(n, x)
            if n > 6:
                return x

    try:
        return settle(a, 0)
    except Diverged as e:
        return e.x * e.i


def over_array_and_generator(a):
    t = 0.0
    for source in (0, 1):
        try:
            t += total(np.array([a * 0.3, a * 0.6, a * 0.9])) if source else total(multiples(a))
        except Rejected as e:
            t += e.twice() + a
    return t


def nested_loops(a):
    def grid():
        t = 0.0
        for i in range(3):
            for j in range(4):
                v = a * (i + 1) * (j + 0.5) * 0.3
                if v > 1.5:
                    raise Diverged(10 * i + j, v + t)
                t += v
        return t

    try:
        return grid()
    except Diverged as e:
        return e.x * 2.0 + e.i


def of_several_classes(a):
    def steps(x):
        for i in range(6):
            x = x * 1.3 - 0.2
            if x < 0.1:
                raise Rejected(x)
            if x > 4.0:
                raise Diverged(i, x)
        return x

    try:
        return steps(a)
    except Rejected as e:
        return e.v * 5.0
    except Diverged as e:
        return e.x * e.i


def two_loops(a):
    def both(x):
        for i in range(4):
            x = x * 1.3
            if x > 2.0 and i < 2:
                raise Diverged(i, x)
        y, n = x, 0
        while y > 0.5:
            y = y * 0.8 - 0.01 * x
            n += 1
            if n > 5:
                raise Diverged(n, y)
        return y

    try:
        return both(a)
    except Diverged as e:
        return e.x * e.i


def arrays_and_tuples(a):
    def iterate(u):
        for i in range(5):
            u = u * u * 0.5
            if u.sum() > 2.0:
                raise Found(i, (u, u[0]))
        return u.sum()

    try:
        return iterate(np.array([a, 2.0 * a, 1.0]))
    except Found as e:
        u, first = e.what
        return (u * u).sum() * first


def objects(a):
    def walk(p):
        for i in range(6):
            p = Point(p.x * 1.4, p.y + p.x)
            if p.x > 3.0:
                raise Found(i, p)
        return p.y

    try:
        return walk(Point(a, 1.0))
    except Found as e:
        return e.what.x * e.what.y + e.at


def lists(a):
    def solve(x, known):
        for _ in range(6):
            x = 0.6 * x + 0.5
            known.append(x - a)
            if len(known) > 3 and known[-1] > -0.5:
                raise Short(x, known)
        return x

    try:
        return solve(a, [])
    except Short as e:
        return e.x + sum(e.residuals) * e.residuals[0] + e.i


def retried(a):
    def retry():
        last = None
        for attempt in range(3):
            try:
                return grow(a, attempt)
            except Diverged as e:
                last = e
        raise last

    try:
        return retry()
    except Diverged as e:
        return e.x * 0.5


def tried_in_a_loop(a):
    t = 0.0
    for k in range(4):
        try:
            t += grow(a, k)
        except Diverged as e:
            t -= e.x * 0.1
        else:
            t += 1.0
        finally:
            t *= 1.1
    return t


def finally_in_the_helper(a):
    def log(t):
        for i in range(5):
            try:
                t += a * 1.01
                if t > 2.5:
                    raise Diverged(i, t)
            finally:
                t += 0.25
        return t

    try:
        return log(0.0)
    except Diverged as e:
        return e.x * 3.0


def passed_on(a):
    def outer(x, k):
        for _ in range(2):
            try:
                x = grow(x, k)
            except Rejected:
                return x
            x += total([x * 0.1, x * 0.2, x * 0.5]) / (k + a - 2.3)
        return x

    try:
        return outer(a, 0)
    except Diverged as e:
        return e.x * e.i
    except Rejected as e:
        return e.v


def raised_again(a):
    def tries():
        for i in range(4):
            try:
                return grow(a * (1 + i), i)
            except Diverged as e:
                if i == 1:
                    raise
                if i == 2:
                    raise Found(i, e.x) from e
        return a

    try:
        return tries()
    except Diverged as e:
        return e.x * 2.0
    except Found as e:
        return e.what + e.__cause__.x


def kept(a):
    errors = []
    for k in range(4):
        try:
            grow(a * (k + 1), k)
        except Diverged as e:
            errors.append(e)
    return sum(e.x for e in errors) * 0.5 + len(errors)


def steps_of_a_search(a):
    f = lambda z: (z * z - a) ** 2

    def search(x, g):
        t = 1.0
        while f(x - t * g) > f(x) - 0.5 * t * g * g:
            t *= 0.5
            if t < 0.1:
                raise Found(1, (t, f(x)))
        return x - t * g

    x = 2.0
    for _ in range(5):
        g = 4 * x * (x * x - a)
        try:
            x = search(x, g)
        except Found as e:
            t, value = e.what
            x -= 0.01 * t * g + value * 0.001
    return x


def object_and_list_updated(a):
    s = Search()
    t = 0.0
    for k in range(3):
        try:
            t += s.run(a + k * 0.5)
        except Diverged as e:
            t += e.x * 0.1
        except Rejected as e:
            t += e.v
        t += s.best + s.n
    return t + sum(s.log)


def array_filled(a):
    def fill(u):
        for i in range(4):
            u[i] = a * (i + 1)
            if u[i] > 3.0:
                raise Rejected(u[i] * u[0])
        return u.sum()

    u = np.zeros(4)
    try:
        r = fill(u)
    except Rejected as e:
        r = e.v
    return r + u.sum()


def by_a_function_that_never_returns(a):
    def check(x):
        for _ in range(5):
            x = x * 1.3
            if x > 2.5:
                fail(x)
        return x

    try:
        return check(a)
    except Diverged as e:
        return e.x


def not_tried_before(a):
    t = 0.0
    if a > 2.5:
        raise Rejected(a)
    for k in range(3):
        if t > 80.0:
            raise Diverged(k, a)
        try:
            t += grow(a * 2, 0)
        except Diverged as e:
            i, x = e.args
            t += x * 2.0 + i
    return t


def steps(a):
    s = a
    for k in range(6):
        if s > 3.0:
            return s * k
        yield s
        s = s * 1.5
    return -s


def what_generators_return(a):
    it = steps(a)
    t = 0.0
    try:
        while True:
            t += next(it)
    except StopIteration as e:
        t += e.value * 2.0 + e.args[0]
    try:
        next(it)
    except StopIteration as e:
        t += 10.0 if e.value is None else 20.0
    return t


def pairs(a):
    yield a
    if a > 1.0:
        return np.array([a, 2.0 * a]), a
    return np.array([a]), math.sqrt(a - 0.5)


def arrays_that_generators_return(a):
    it = pairs(a)
    t = next(it)
    try:
        t += next(it, 1.0) if a > 2.0 else next(it)
    except StopIteration as e:
        u, x = e.value
        t += u.sum() * x
    except ValueError:
        t += 5.0
    return t


PROGRAMS: list[Callable[..., Any]] = [
    argument_of_a_solver, in_while, over_array_and_generator, nested_loops, of_several_classes,
    two_loops, arrays_and_tuples, objects, lists, retried, tried_in_a_loop, finally_in_the_helper,
    passed_on, raised_again, kept, steps_of_a_search, object_and_list_updated, array_filled,
    by_a_function_that_never_returns, not_tried_before, what_generators_return,
    arrays_that_generators_return,
]  # fmt: skip
