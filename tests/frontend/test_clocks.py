"""Programs that look at a clock, as programs that measure themselves do: Python is asked while the
program runs; and arrays that are compared with None, or get it."""

import time
from time import perf_counter

import numpy as np
import pytest

import pullback as pb
from tests.frontend.harness import agrees


def elapsed(xs):
    begun = time.time()
    total = sum(v * v for v in xs)
    return total if time.time() - begun >= 0.0 and begun > 1e9 else 0.0


def in_a_loop(xs):
    total, last = 0.0, perf_counter()
    while True:
        for v in xs:
            total += v
        now = perf_counter()
        if now < last or total > 10.0:
            return total * (time.process_time() > 0.0)
        last = now


class Steps:
    def __init__(self, clock=None):
        self.clock = clock if clock is not None else time.monotonic
        self.last = self.clock()

    def __call__(self, v):
        now = self.clock()
        passed = now - self.last if now - self.last else 1e-16
        self.last = now
        return v * v if passed > 0.0 else v


def in_an_attribute(xs):
    step = Steps()
    return step(xs[0]) + sum(step(v) for v in xs)


def under_try(xs):
    begun = time.monotonic()
    try:
        if time.monotonic() >= begun:
            raise ValueError(xs[0])
    except ValueError as e:
        return e.args[0] * xs[1]
    return 0.0


def array_and_none(xs):
    a, found = np.array(xs), None
    for v in xs:
        if v > 1.0:
            found = v
            break
    if found:
        return a[a == found][0] * (a != None).sum()  # noqa: E711  # what is tested
    return (a == found).sum() + xs[0]


def none_among_floats(xs):
    a, m = np.zeros(3), np.ones((2, 2))
    for k, v in enumerate(xs):
        kept = None
        if k != 1:
            kept = v * v
        a[k] = kept
    m[0] = None
    m[1, 1] = a[0] if a[0] > 0.1 else None
    return np.nansum(a) * np.nansum(m)


@pytest.mark.parametrize(
    "f", [elapsed, in_a_loop, in_an_attribute, under_try, array_and_none, none_among_floats],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("xs", [[0.7, 1.3, 0.9], [0.7, 0.3, 0.9]], ids=["one", "none"])
def test_as_in_python(f, xs):
    agrees(f, xs)
    wanted = pb.grad(f)(xs)
    assert pb.grad(f, method="dual")(xs) == pytest.approx(wanted)
    for k in range(3):
        up, down = list(xs), list(xs)
        up[k] += 1e-6
        down[k] -= 1e-6
        assert wanted[k] == pytest.approx((f(up) - f(down)) / 2e-6, abs=1e-6)
        direction = [float(i == k) for i in range(3)]
        assert pb.jvp(f, (xs,), (direction,))[1] == pytest.approx(wanted[k])


def test_each_call_asks_once_and_in_order():
    def times(n):
        return np.array([perf_counter() for _ in range(n)])

    before = perf_counter()
    found = pb.jit(times)(50)
    assert before <= found[0]
    assert np.all(np.diff(found) > 0.0)
    assert found[-1] <= perf_counter()


def test_under_vmap():
    def f(x):
        return x * x * (time.time() > 0.0)

    assert pb.vmap(f)(np.array([1.0, 3.0])).tolist() == [1.0, 9.0]
