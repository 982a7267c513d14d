"""Programs that compute with what is in exceptions, as users write them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np


class NotConverged(Exception):
    def __init__(self, x, iterations):
        super().__init__("not converged")
        self.x = x
        self.iterations = iterations


class Bound(ValueError):
    def __init__(self, value):
        self.value = value


class Base(Exception):
    scale = 2.0

    def __init__(self, v):
        super().__init__(v)
        self.v = v

    @property
    def doubled(self):
        return self.v * 2.0

    def penalty(self, k):
        return self.scale * self.v * k


class Low(Base):
    scale = 3.0


class High(Base):
    pass


def newton(x, n):
    y = 1.0
    for _ in range(n):
        d = (y * y - x) / (2 * y)
        y = y - d
        if abs(d) < 1e-9:
            return y
    raise NotConverged(y, n)


def bounded(x):
    if x > 1.0:
        raise Bound(x * x)
    return x


def validate(x):
    if x > 1.0:
        return ValueError(x * 2.0)
    return None


def classify(x):
    if x < 1.0:
        raise Low(x)
    if x > 2.0:
        raise High(x * x)
    return x


class Tank:
    def __init__(self, level):
        self.level = level
        self.error = None

    def drain(self, q):
        if q > self.level:
            raise Bound(q - self.level)
        self.level -= q


class Two(Exception):
    def __init__(self, a, b=2.0, *, c=1.0):
        super().__init__(a, b)
        self.a = a
        self.b = b
        self.c = c

    def total(self):
        return self.a * self.b + self.c


class Sub(Two):
    def __init__(self, z):
        super().__init__(z, z * z, c=3.0)
        self.z = z

    def total(self):
        return super().total() * self.z


class Plain(Exception):
    pass


class Vec(Exception):
    def __init__(self, a):
        self.a = a
        self.n = len(a)


def r(x):
    if x > 2.0:
        raise Sub(x)
    if x > 1.0:
        raise Two(x, c=x * 3.0)
    if x > 0.5:
        raise Plain(x * x, 2)
    return x


def rec(x, n):
    if n == 0:
        if x > 3.0:
            raise Two(x)
        return x
    return rec(x * 1.5, n - 1) + 1.0


@dataclasses.dataclass
class D(Exception):
    v: float
    k: int = 2


class E1(Exception):
    def __init__(self, v):
        self.v = v


class Reset(Exception):
    def __init__(self, v):
        super().__init__("text")
        self.v = v


def solver_that_fails(x):
    try:
        return newton(x, 3)
    except NotConverged as e:
        return e.x * 2.0 + e.iterations


def attribute(x):
    try:
        return bounded(x)
    except Bound as e:
        return e.value * 2.0


def argument(x):
    try:
        if x > 1.0:
            raise ValueError(x * 3.0)
        return x
    except ValueError as e:
        return e.args[0] + x


def collected(x):
    errors = []
    total = 0.0
    for i in range(5):
        try:
            total += bounded(x * i)
        except Bound as e:
            errors.append(e)
    for e in errors:
        total += e.value * 0.5
    return total + len(errors)


def returned_by_validation(x):
    err = validate(x)
    if err is not None:
        return err.args[0] * x
    return x


def last_error_of_retries(x):
    last = None
    for i in range(4):
        try:
            return bounded(x * (4 - i))
        except Bound as e:
            last = e
    return last.value + 1.0


def array_in_exception(x):
    a = np.array([x, x * x, 3.0])
    try:
        if x > 0.5:
            raise Bound(a)
        return x
    except Bound as e:
        return e.value.sum() * x + e.value[1]


def property_and_method(x):
    try:
        return classify(x)
    except Base as e:
        return e.doubled + e.penalty(x)


def cause(x):
    try:
        try:
            return bounded(x)
        except Bound as e:
            raise ValueError(e.value * 2) from e
    except ValueError as f:
        return f.args[0] + f.__cause__.value


def raised_again(x):
    try:
        try:
            return bounded(x)
        except Bound:
            raise
    except Bound as f:
        return f.value


def raised_in_comprehension(x):
    try:
        ys = [bounded(x * i) for i in range(5)]
        return sum(ys)
    except Bound as e:
        return e.value * 2.0


def in_attribute(x):
    t = Tank(x)
    for _ in range(4):
        try:
            t.drain(0.6)
        except Bound as e:
            t.error = e
            break
    if t.error is not None:
        return t.error.value * 10.0 + t.level
    return t.level


def by_class(x):
    try:
        classify(x)
        r = 0.0
    except Exception as e:
        if isinstance(e, Low):
            r = e.v
        elif type(e) is High:
            r = e.v * 2.0
        else:
            r = -1.0
    return r * x


def methods_of_kept(x):
    errs = []
    for i in range(8):
        try:
            classify(x * i * 0.4)
        except Base as e:
            errs.append(e)
    return sum(e.penalty(0.5) for e in errs)


def raised_later(x):
    err = None
    i = 0
    while err is None:
        try:
            bounded(x * i)
        except Bound as e:
            err = e
        i += 1
    try:
        raise err
    except ValueError as z:
        return z.value + i


def context(x):
    try:
        try:
            raise Bound(x)
        except Bound:
            raise Low(x * 2)  # noqa: B904  # its context is what is asked for
    except Low as e:
        return e.__context__.value + e.v


def calls_super(x):
    try:
        return r(x)
    except Two as e:
        return e.total()
    except Plain as e:
        return e.args[0] * 3 + e.args[1]


def attribute_that_is_missing(x):
    try:
        return r(x)
    except Exception as e:
        try:
            return e.a * 2.0
        except AttributeError as m:
            return -1.0 + len(str(m))


def arrays_kept(x):
    out = []
    for i in range(3):
        try:
            raise Vec(np.array([x * i, x]))
        except Vec as e:
            out.append(e.a)
    return out[0].sum() + out[2][0]


def argument_in_numpy(x):
    try:
        return r(x)
    except Exception as e:
        (a,) = (e.args[0],)
        return np.sin(a) + a**2


def arguments_are_evaluated_once(x):
    n = 0

    def count():
        nonlocal n
        n += 1
        return x * n

    try:
        raise Plain(count() + 0.0, count())
    except Plain as e:
        return e.args[0] * 10 + e.args[1] + n


def from_recursion(x):
    try:
        return rec(x, 4)
    except Two as e:
        return e.total()


def dataclass_exception(x):
    try:
        if x > 1:
            raise D(x * x)
        raise D(x, k=3)
    except D as e:
        return e.v * e.k + e.args[0] * 1.0


def the_same_object(x):
    e = E1(x)
    f = e
    t = 0.0
    for _ in range(3):
        try:
            raise e
        except E1 as g:
            if g is f:
                t += g.v
            if g is e:
                t += g.v
    return t


def another_one_meanwhile(x):
    try:
        try:
            raise E1(x)
        except E1:
            try:
                raise E1(x * 5)
            except E1:
                pass
            raise
    except E1 as g:
        return g.v * 1.0


def checks_in_list(x):
    def check(v):
        if v > 1.0:
            return E1(v * 2)
        if v > 0.5:
            return E1(v * v)
        return None

    errs = [c for c in (check(x), check(x * 2), check(x * 3)) if c is not None]
    return sum(c.v for c in errs) + len(errs)


def list_in_exception(x):
    try:
        raise E1([x, x * 2])
    except E1 as e:
        return sum(e.v) * e.v[1]


def dict_in_exception(x):
    try:
        raise E1({"a": x, "b": x * 2})
    except E1 as e:
        return e.v["a"] * e.v["b"]


PROGRAMS: list[Callable[..., Any]] = [
    solver_that_fails,
    attribute,
    argument,
    collected,
    returned_by_validation,
    last_error_of_retries,
    array_in_exception,
    property_and_method,
    cause,
    raised_again,
    raised_in_comprehension,
    in_attribute,
    by_class,
    methods_of_kept,
    raised_later,
    context,
    calls_super,
    attribute_that_is_missing,
    arrays_kept,
    argument_in_numpy,
    arguments_are_evaluated_once,
    from_recursion,
    dataclass_exception,
    the_same_object,
    another_one_meanwhile,
    checks_in_list,
    list_in_exception,
    dict_in_exception,
]
