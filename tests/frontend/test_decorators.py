"""``**`` parameters, decorators inside functions, mapping patterns, stars in subscripts and objects
that are unpacked, beside plain Python."""

from __future__ import annotations

import functools
import math
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import harness


def timed(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs) * 1.5

    return wrapper


@timed
def power_of(x, power=2, *, off=0.0):
    return x**power + off


def decorated(x):
    return power_of(x, power=3) + power_of(x) + power_of(x=x, off=x)


def decorated_inside(x):
    def scaled(f):
        def inner(*a, **k):
            k["power"] = 3
            return f(*a, **k) * x

        return inner

    return scaled(power_of)(x)


def weighted(x, **options):
    return sum(v * len(k) for k, v in options.items()) * x


def gone_through(x):
    return weighted(x, a=x, bc=2.0) + weighted(x)


def handed_on_changed(x, **options):
    return weighted(x, **{k: 2.0 * v for k, v in options.items()}) + len(options)


def changed_on_the_way(x):
    return handed_on_changed(x, a=x, bc=x * x)


def changes_its_own(x, **options):
    options.setdefault("tol", 0.5)
    y = options.pop("z", 1.0)
    return x * options["tol"] * y


def leaves_the_caller_s(x):
    given = {"tol": x, "z": 2.0}
    return changes_its_own(x, **given) + given["z"] + changes_its_own(x) + len(given)


class Base:
    def __init__(self, a, **more):
        self.a, self.b = a, more.get("b", 2.0)


class Derived(Base):
    def __init__(self, c, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.c = c


def constructor(x):
    d = Derived(x, 2.0, b=x)
    return d.a * d.b * d.c + Derived(x, x).b


def multiples(n, **options):
    for i in range(n):
        yield i * options["step"]


def generator(x):
    return sum(v * v for v in multiples(4, step=x))


def descends(n, x, **options):
    return options["w"] * x if n == 0 else descends(n - 1, x * options["w"], **options)


def recursion(x):
    return descends(3, x, w=x)


def by_position(x, /, **options):
    return x * options["x"]


def same_name_twice(x):
    return by_position(x, x=x * x)


def flagged(x, **options):
    if options.get("square", False):
        return x * x
    return -x if "negative" in options else x


def flags(x):
    return flagged(x, square=True) + 3.0 * flagged(x, negative=None) + flagged(x) * x


def partially(x):
    both = functools.partial(weighted, x, a=2.0)
    return both(b=x) + (lambda **k: k["p"] * k["q"])(p=x, q=x)


def stored_in_an_array_of_its_own(x):
    def set_first(**k):
        k["a"] = k["a"] + x
        return k["a"][1]

    a = np.zeros(3)
    return set_first(a=a) + set_first(a=a) + a.sum()


def from_outside(x, *rest, scale=2.0, **options):
    return x * scale + sum(rest) + len(options)


def repeated(n):
    def decorator(f):
        @functools.wraps(f)
        def inner(y):
            for _ in range(n):
                y = f(y)
            return y

        return inner

    return decorator


def decorated_where_defined(x):
    count = 0

    def counted(f):
        def inner(*args, **kwargs):
            nonlocal count
            count += 1
            return f(*args, **kwargs)

        return inner

    @counted
    @repeated(3)
    def step(y):
        return y * x

    @pb.grad
    def slope(y):
        return y**3

    return step(2.0) + step(x) * count + slope(x)


def area_of(shape):
    match shape:
        case {"kind": "circle", "r": r} if r > 1.0:
            return r * r
        case {"kind": "circle"}:
            return 0.5 * shape["r"]
        case {"kind": "box", "size": [w, h], **others}:
            return w * h * (1.0 + len(others))
        case {"inside": {"r": r}}:
            return 3.0 * r
        case _:
            return 0.25


def mappings(x):
    shapes = (
        {"kind": "circle", "r": x}, {"kind": "circle", "r": 0.1 * x}, {}, [x],
        {"kind": "box", "size": [x, 2.0], "name": "b", "n": 3}, {"inside": {"r": x}},
    )  # fmt: skip
    total = 0.0
    for s in shapes:
        total += area_of(s)
    return total


def stars_in_subscripts(x):
    a = np.array([[x, 2.0], [3.0, x * x]])
    i, j = (0, 1), [1]
    a[(*i,)] += x
    a[1, *j] *= 2.0
    return a[*i] * a[(*j, 0)] + np.sum(a)


class Pair:
    def __init__(self, v):
        self.v = v

    def __iter__(self):
        yield self.v
        yield 2.0 * self.v


def unpacked(x):
    a, b = Pair(x)
    q = deque([a, b, x])
    first, *rest = q
    c, d, e = q
    return first * sum(rest) + c * d * e


def called(x):
    known = callable(math.sin) and callable(lambda: x) and callable(pb.grad(unpacked))
    return x * x if known and not callable(x) and not callable(Pair(x)) else x


def appended(x):
    def put(**k):
        k["out"].append(x)

    out = [1.0]
    put(out=out)
    return sum(out)


PROGRAMS = [decorated_where_defined, mappings, stars_in_subscripts, unpacked, called, decorated,
            decorated_inside, gone_through, changed_on_the_way, leaves_the_caller_s,
            constructor, generator, recursion, same_name_twice, flags, partially,
            stored_in_an_array_of_its_own, from_outside, appended]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_value_and_derivatives(f: Callable[..., Any]) -> None:
    slope = harness.difference(f, (1.3,), (1.0,))
    for method in ("chad", "dual"):
        value, (gradient,) = harness.gradient(f, (1.3,), (0,), "native", method)
        assert math.isclose(value, f(1.3), rel_tol=1e-12)
        assert math.isclose(gradient, slope, rel_tol=1e-6)


def twice_given(x):
    return weighted(x, x=2.0)


def not_there(x):
    return by_position(x, y=x)


def rest_of_the_run(x):
    match {int(x): x}:
        case {1: v, **rest}:
            return v + len(rest)
    return 0.0


@pytest.mark.parametrize(
    ("f", "text"),
    [(rest_of_the_run, "rest of a dict"),
     (twice_given, "multiple values"), (not_there, "key error")],
)
def test_refused(f: Callable[..., Any], text: str) -> None:
    with pytest.raises(pb.PullbackError, match=text):
        pb.jit(f)(1.3)
