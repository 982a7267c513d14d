"""Functions that are left in every way: by jumps of ``finally``, out of loops over generators, by
exceptions that calls raise after they have updated something."""

from __future__ import annotations

# ruff: noqa: B012, F841  # that a finally swallows is what is tried
import math
from collections import deque


class Guard:
    def __init__(self):
        self.h = 0.0

    def __enter__(self):
        self.h = 1.1 * self.h + 1.0
        return self

    def __exit__(self, kind, error, trace):
        self.h = 1.1 * self.h + (2.0 if kind is None else 3.0)
        return False


def items(x, n):
    for k in range(n):
        if k == 3:
            raise KeyError(k)
        yield math.sqrt(x + k)


def returns(x):
    try:
        y = 1 / (x - 1.5)
    finally:
        return x * 2


def returns_if(x):
    def f(v):
        try:
            return math.sqrt(v)
        finally:
            if v < 0:
                return 0.5 * v

    return f(x) + f(-x)


def breaks(x):
    t = 0.0
    for i in range(5):
        try:
            t += x / (i - 2)
        finally:
            if i == 2:
                break
    return t


def continues(x):
    t = 0.0
    for v in [x, -1.0, 2.0, -2.0]:
        try:
            t += math.sqrt(v)
        except TypeError:
            t += 100
        finally:
            if v < 0:
                continue
            t += 0.5
        t += v
    return t


def drops_a_return(x):
    def f():
        for i in range(4):
            try:
                if i == 1:
                    return 5.0 * x
            finally:
                if x > 1.3:
                    break
        return x

    return f()


def raises(x):
    try:
        try:
            raise KeyError("a")
        finally:
            if x > 1.3:
                raise ValueError("b")
    except ValueError as e:
        return x * (2.0 if isinstance(e.__context__, KeyError) else 3.0)


def nested(x):
    def f():
        try:
            try:
                raise ValueError
            finally:
                try:
                    return x
                finally:
                    x_ = 2.0
        finally:
            if x > 1.3:
                return x * 7

    return f()


def returned_from_a_loop(x):
    def find():
        try:
            for v in items(x, 5):
                if v > 1.7:
                    return v
        except (KeyError, ValueError):
            return -1.0
        return 0.0

    return find() * x


def returned_or_ended(x):
    try:
        for v in items(x, 3):
            if v * x > 2.6:
                return v * x
        else:
            return 7 * x
    except ValueError:
        return -x


def broken_or_ended(x):
    t = 0.0
    try:
        for v in items(x, 4):
            if v > 1.6:
                break
        else:
            t = 5.0
        return t + 2.0 * x
    except LookupError:
        return x
    except ValueError:
        return 3.0 * x


def updated_by_a_call(x):
    guard = Guard()

    def run():
        for v in items(x, 3):
            if v > 1.2:
                with guard:
                    guard.h += v
                raise KeyError(v)
        return 2.0

    try:
        r = run()
    except (KeyError, ValueError):
        r = 1000.0
    return r + x * guard.h


def updated_and_raised(x):
    guard = Guard()

    def run():
        for v in items(x, 2):
            guard.__enter__()
            raise ValueError(v)
        return 2.0

    try:
        r = run()
    except ValueError:
        r = 1000.0
    return r + x * guard.h


def extended(x):
    xs, q, s = [1.0], deque([1.0]), {1}
    try:
        xs.extend(math.sqrt(v) for v in [x, 4.0, -1.0, 9.0])
    except ValueError:
        xs.append(0.25)
    try:
        q.extend(map(math.sqrt, [x, -1.0]))
    except ValueError:
        q.append(0.5)
    try:
        s.update(int(math.sqrt(v)) for v in [4.0, -1.0, 16.0])
    except ValueError:
        xs += q
    return sum(xs) + sum(q) * x + len(xs) + sum(s)


def updated(x):
    d = {}
    try:
        d.update((k, math.log(v)) for k, v in [("a", 3.0 + x), ("b", 2.0), ("c", -1.0)])
    except ValueError:
        d["z"] = x
    return sum(d.values()) * x + len(d)


def extended_in_a_method(x):
    class C:
        def __init__(self):
            self.h = []

        def put(self, vs):
            self.h.extend(1 / (v - 1.2) for v in vs)

    c = C()
    try:
        c.put([2.0, x, 0.0])
    except ZeroDivisionError:
        c.h.append(5.0)
    return sum(c.h) + len(c.h)


PROGRAMS = [
    returns,
    returns_if,
    breaks,
    continues,
    drops_a_return,
    raises,
    nested,
    returned_from_a_loop,
    returned_or_ended,
    broken_or_ended,
    updated_by_a_call,
    updated_and_raised,
    extended,
    updated,
    extended_in_a_method,
]
