"""``try`` with one statement that may raise, whose clause ends in a jump."""

from __future__ import annotations

import math


def out_of_the_function(x):
    try:
        v = math.log(x - 2)
    except ValueError:
        return -x * x
    return v * x


def with_an_else(x):
    try:
        v = math.log(x)
    except ValueError:
        return -x
    else:
        v *= 2
    return v * x


def out_of_a_loop(x):
    for k in range(4):
        try:
            v = math.sqrt(2.5 - k * x)
        except ValueError as e:
            x += len(str(e))
            break
        x += v
    return x


def to_the_next_round(x):
    t = 0.0
    for k in range(4):
        try:
            a = k * 1.0
            v = 1 / (k - 1)
            b = a + v
        except ZeroDivisionError:
            t += a
            continue
        else:
            t += 10
        t += b * x
    else:
        t += 1000
    return t


def another_one(x):
    def f(k):
        try:
            v = 1 / (k - 1)
        except ZeroDivisionError as e:
            raise KeyError(k) from e
        return v * x

    t = 0.0
    for k in range(3):
        try:
            t += f(k)
        except KeyError as e:
            t += e.args[0] * 100
    return t


def not_of_its_class(x):
    try:
        try:
            v = math.log(-x)
        except KeyError:
            return 1.0
        return v
    except ValueError:
        return 2 * x


def what_was_updated(x):
    xs = []

    def put(v):
        xs.append(v)
        return math.sqrt(1.6 - v)

    t = 0.0
    for k in range(4):
        try:
            v = put(k * x)
        except ValueError:
            t += len(xs)
            break
        t += v
    return t + sum(xs)


def another_try_in_it(x):
    t = 0.0
    for k in range(4):
        try:
            v = 1 / (k - 1)
        except ZeroDivisionError:
            try:
                v = math.sqrt(-x)
            except ValueError:
                t += 5
                continue
            t += 1
            break
        t += v * x
    return t


def under_a_finally(x):
    t = 0.0
    for k in range(3):
        try:
            v = 1 / (k - 1)
        except ZeroDivisionError:
            break
        finally:
            t += 10
        t += v * x
    return t


def a_method(x):
    class Counted:
        def __init__(self):
            self.n = 0

        def step(self, v):
            self.n += 1
            if v > 2:
                raise ValueError(v)
            return v * self.n

    a = Counted()
    t = 0.0
    for k in range(4):
        try:
            v = a.step(k * x)
        except ValueError as e:
            t += e.args[0] * a.n
            break
        t += v
    return t


def a_raise_in_a_branch(x):
    t = 0.0
    for k in range(3):
        if k > 0:
            try:
                v = math.log(x)
            except ValueError:
                raise KeyError(1) from None
            t += v
        t += x
    return t + x


def in_branches_of_loops(x):
    t = 0.0
    for k in range(4):
        if k > 0:
            try:
                v = math.sqrt(2.6 - k * x)
            except ValueError:
                continue
            t += v
        else:
            t += 100
        if x > 1:
            try:
                v = math.log(x - k)
            except ValueError:
                break
            t += v
        t += x
    return t + x


def in_iterators(x):
    def items():
        for k in range(4):
            if k > 0:
                try:
                    v = math.sqrt(2.6 - k * x)
                except ValueError:
                    return
                yield v
            yield x

    it = items()
    t = next(it, 0.0) * next(it, 0.0)
    return t + sum(it) + sum(a * b for a, b in zip(items(), items(), strict=False))


PROGRAMS = [
    out_of_the_function, with_an_else, out_of_a_loop, to_the_next_round, another_one,
    not_of_its_class, what_was_updated, another_try_in_it, under_a_finally, a_method,
    a_raise_in_a_branch, in_branches_of_loops, in_iterators,
]  # fmt: skip
