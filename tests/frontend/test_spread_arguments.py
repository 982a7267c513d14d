"""``f(t, *params)`` where only the run knows how many items there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import pullback as pb
from tests import campaign


def line(t, a, b):
    return a * t + b


@dataclass(frozen=True)
class Pair:
    a: float
    b: float


class Named(NamedTuple):
    a: float
    b: float


class Model:
    def __init__(self, k):
        self.k = k

    def value(self, t, a, b):
        return a * t + b * self.k


def fit(p):
    return sum((line(t, *p) - 2.0 * t) ** 2 for t in [1.0, 2.0, 3.5])


def method(p):
    return Model(3.0).value(2.0, *p)


def made(p):
    q = Pair(*p)
    r = Named(*p)
    return q.a * q.b + r.a * r.b


def of_a_lambda(p):
    return (lambda a, b: a * b * b)(*p)


def first(p):
    return line(*p, 3.0)


def with_a_name(p):
    b = p[0]
    return line(1.0, *p[1:], b=b)


def of_a_generator(p):
    return line(1.0, *(x * x for x in p))


def of_a_map(p):
    return line(1.0, *map(lambda x: 2.0 * x, p))


def of_an_array(p):
    return line(1.0, *np.exp(p))


def caught(p):
    try:
        return line(1.0, *p)
    except TypeError:
        return 3.0 * p[0]


def nested(p):
    def inner(a, b):
        return line(a, *[b, a])

    return inner(*p) * inner(*p)


def higher(p):
    def apply(f, xs):
        return f(0.5, *xs)

    return apply(line, p) + apply(lambda t, u, v: t * u - v, p)


PROGRAMS = (fit, method, made, of_a_lambda, first, with_a_name, of_a_generator, of_a_map,
            of_an_array, caught, nested, higher)  # fmt: skip


def outcome(run):
    try:
        return run()
    except Exception as e:
        return f"{type(e).__name__}: {e}".splitlines()[0]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", [list, np.array])
@pytest.mark.parametrize("p", [(1.5, -0.5), (0.25,), (1.0, 2.0, 3.0), (0.5,) * 6, ()])
def test_agreement(f, kind, p):
    """Values, derivatives by all ways, and Python's error where the number is wrong."""
    given = kind(p) if p else np.zeros(0)  # an empty list has a known length
    wanted, found = outcome(lambda: f(given)), outcome(lambda: pb.jit(f)(given))
    if isinstance(wanted, str):
        assert isinstance(found, str) and wanted in found
        return
    assert found == pytest.approx(wanted, rel=1e-14)
    slopes = []
    for k in range(len(p)):
        step = np.eye(len(p))[k] * 1e-6
        more, less = kind(list(np.array(p) + step)), kind(list(np.array(p) - step))
        slopes.append((f(more) - f(less)) / 2e-6)
    ways = campaign.rotated("values", f"{f.__name__}, {kind}", ("chad", "dual", "tangent"))
    for way in {*ways} - {"tangent"}:
        assert list(pb.grad(f, method=way)(given)) == pytest.approx(slopes, rel=1e-6, abs=1e-8)
    if "tangent" not in ways:
        return
    along = kind([1.0] * len(p))
    assert pb.jvp(f, (given,), (along,))[1] == pytest.approx(sum(slopes), rel=1e-6, abs=1e-8)


def test_what_is_refused():
    def in_order(p):
        return line(*p, b=p[1] * p[5])  # Python's IndexError comes first

    for f in (lambda p: max(*p, key=abs), lambda p: line(*p[:1], *p), in_order):
        with pytest.raises(pb.PullbackError, match="the number of items must be known"):
            pb.jit(f)([1.0, 2.0])


def test_an_optional_parameter_by_name():
    def f(p):
        return optional(*p, b=1.5)

    def optional(a, b=2.0):
        return a * b

    for p in ([3.0], np.array([3.0])):
        assert pb.jit(f)(p) == 4.5 and pb.grad(f)(p)[0] == 1.5
    for p in ([3.0, 4.0], [1.0, 2.0, 3.0]):
        with pytest.raises(TypeError, match="got multiple values for argument 'b'"):
            pb.jit(f)(p)


def test_the_check_is_made_once_for_a_loop():
    def f(p, ts):
        return sum(line(t, *p) for t in ts)

    text = str(pb.show(f, [1.0, 2.0], np.ones(5), stage="core"))
    assert text.count("raise") + text.count("require") + text.count("check") <= 1
    ts = np.linspace(0.0, 1.0, 500)
    assert pb.grad(f)([1.0, 2.0], ts) == pytest.approx([ts.sum(), 500.0])
