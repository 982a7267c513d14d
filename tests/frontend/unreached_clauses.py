"""Clauses that nothing tried can reach, attributes and notes that exceptions get before they are
raised, and causes that are made where they are named."""

from __future__ import annotations

import math

import numpy as np


class Told(ValueError):

    def __init__(self, value):
        super().__init__(value)
        self.value = value

    def tell(self, x):
        return self.value * x


class Marked(ValueError):
    pass


def never_raised(x):
    t = 0.0
    try:
        t += math.sqrt(x)
    except Told as e:
        t += e.tell(x) + e.args[0] * e.value
    return t


def last_of_two(x):
    try:
        return 1 / (x - 1.5)
    except ZeroDivisionError:
        return 4 * x
    except Told as e:
        return e.tell(x)


def first_of_two(x):
    try:
        return 1 / (x - 1.5)
    except Told as e:
        return e.tell(x)
    except ZeroDivisionError:
        return 4 * x


def none_of_all(x):
    try:
        y = x * x
    except Told as e:
        return e.tell(x)
    except (KeyError, OSError) as e:
        return e.foo.bar(x)[3]
    else:
        y *= 2
    return y


def in_a_loop(x):
    t = x
    for k in range(4):
        try:
            if k == 2:
                raise KeyError(k)
            t += 1 / (k - 1)
        except ZeroDivisionError:
            t *= 2
            continue
        except KeyError:
            t *= 3
        except Told as e:
            t += e.tell(x)
        finally:
            t += 1
    return t


def one_in_another(x):
    try:
        try:
            return math.log(x - 1.0)
        except KeyError as e:
            return e.nothing
    except ValueError:
        return x * x
    except MemoryError as e:
        return e.strange()


def by_the_library(x):
    try:
        a = np.array([x, 1.0])
        return a @ a
    except np.linalg.LinAlgError as e:
        return e.foo()


def marked(x):

    def g(v):
        error = Marked("x")
        error.state = v * v
        raise error
    try:
        g(x)
    except Marked as e:
        return e.state * 2


def marked_in_rounds(x):
    out = []
    for k in range(4):
        try:
            error = Marked(k)
            error.k = k
            error.v = x * k
            if k > 1:
                raise error
            out.append(error.v)
        except Marked as e:
            out.append(e.v * e.k + e.args[0])
    return sum(out)


def marked_twice(x):
    error = Marked("x")
    error.state = x
    error.state = 2 * x
    try:
        raise error
    except Marked as e:
        return e.state + error.state


def marked_and_kept(x):
    errors = []
    for k in range(3):
        e = Marked(k)
        e.w = x * k
        errors.append(e)
    return sum(e.w * e.w for e in errors)


def cause_made_there(x):
    try:
        raise Marked("a") from Told(x)
    except Marked as e:
        return e.__cause__.value * 2 + e.__cause__.args[0]


def noted(x):

    def g():
        try:
            math.sqrt(-x)
        except ValueError as e:
            e.add_note("in g")
            raise
    try:
        g()
    except ValueError as e:
        print(e.__notes__)
        return x


PROGRAMS = [
    never_raised, last_of_two, first_of_two, none_of_all, in_a_loop, one_in_another,
    by_the_library, marked, marked_in_rounds, marked_twice, marked_and_kept, cause_made_there,
    noted,
]  # fmt: skip


def leaves_with_all(x):
    error = Marked("q")
    error.state = x
    if x > 1:
        error.pair = (x, 2 * x)
    error.name, error.none = "low", None
    error.add_note(f"x = {x:.2f}")
    raise error


def set_on_some_paths(x):

    def g(v):
        error = Marked("x")
        if v > 1:
            error.state = v
        raise error
    try:
        g(x)
    except Marked as e:
        return e.state * 2


class Doubled(ValueError):

    @property
    def state(self):
        return self._state

    @state.setter
    def state(self, value):
        self._state = 2 * value


def by_a_setter(x):
    error = Doubled("x")
    error.state = x
    try:
        raise error
    except Doubled as e:
        return e.state * 1.0


def a_list(x):
    error = Marked("x")
    error.items = [x]
    try:
        raise error
    except Marked as e:
        return e.items[0] * 2.0


def in_a_clause(x):
    try:
        raise Marked("x")
    except Marked as e:
        e.state = 3 * x
        return e.state * 2.0


REFUSED = [by_a_setter, a_list, in_a_clause]
