"""``itertools.product`` of a size that only the run knows, and ``zip_longest`` of generators."""

import itertools
import math

import pytest

import pullback as pb


def times(n, y):
    for k in range(n):
        yield y * k


def repeated(x):
    s = 0.0
    for n in range(4):
        for t in itertools.product([x, 2.0, 0.5], repeat=n):
            w = 1.0
            for k, v in enumerate(t):
                w = w * v + k
            s = s * 0.9 + w
    return s


def a_negative_number(x):
    n = 0
    for k in range(3):
        n += k % 2
    try:
        for _t in itertools.product([x, 1.0], repeat=n - 5):
            pass
    except ValueError as e:
        return x * len(str(e))
    return 0.0


def axes_of_several_lengths(x):
    axes = []
    for k in range(3):
        axes.append([x * j for j in range(k + 1)])
    s = 0.0
    for t in itertools.product(*axes):
        s = s * 0.5 + sum(t)
    return s


def an_empty_axis(x):
    axes = []
    for k in range(3):
        axes.append([x * j for j in range(k)])
    return sum(sum(t) for t in itertools.product(*axes)) + x


def no_axis(x):
    axes = []
    n = 0
    for _t in itertools.product(*axes):
        n += 1
    return n * x


def a_grid_of_settings(x):
    grid = {"a": [x, 2.0], "b": [0.5, x, 3.0], "c": [1.0]}
    s = 0.0
    for values in itertools.product(*grid.values()):
        p = dict(zip(grid.keys(), values, strict=True))
        s = s * 0.7 + p["a"] * p["b"] + p["c"]
    return s


def unpacked(x):
    axes = []
    for k in range(3):
        axes.append([x + k, 1.0 * k])
    s = 0.0
    for a, b, c in itertools.product(*axes):
        s = s * 0.5 + a * b - c
    return s


def axes_that_change_meanwhile(x):
    axes = []
    for k in range(2):
        axes.append([x + k, 1.0 * k])
    s = 0.0
    for t in itertools.product(*axes):
        axes[0][0] = 100.0
        axes[1].append(5.0)
        s = s * 0.5 + t[0] * t[1]
    return s


def words(x):
    found = []
    for n in range(1, 4):
        for w in itertools.product("ab", repeat=n):
            found.append("".join(w))
    return len(found) * x + len(found[-1])


def advanced(x):
    it = itertools.product([x, 1.0], repeat=2)
    n = 0
    for _k in range(3):
        n += 1
    it = itertools.product([x, 1.0], repeat=n)
    first = next(it)
    second = next(it)
    return sum(first) + 10 * sum(second)


def ranges(x):
    axes = []
    for k in range(3):
        axes.append(range(k + 1))
    return sum(sum(t) for t in itertools.product(*axes)) * x


def two(x):
    s = 0.0
    for p, q in itertools.zip_longest(times(3, x), times(5, 2.0), fillvalue=1.0):
        s += p * q
    return s


def filled_with_none(x):
    s = 0.0
    for p, q in itertools.zip_longest(times(3, x), times(5, 2.0)):
        if p is not None:
            s += p * q
        else:
            s += q
    return s


def three(x):
    s = 0.0
    for p, q, r in itertools.zip_longest(times(3, x), [x, 1.0], times(4, 0.5), fillvalue=0.25):
        s = s * 0.5 + p * q + r
    return s


def of_map(x):
    return sum(
        p + q
        for p, q in itertools.zip_longest(
            map(lambda v: v * x, [1.0, 2.0]), iter([x, x, x]), fillvalue=0.0
        )
    )


def by_next(x):
    it = itertools.zip_longest(times(1, x), times(2, x), fillvalue=7.0)
    a = next(it)
    b = next(it)
    c = next(it, (0.5, x))
    return a[0] + b[0] * 10 + b[1] + c[0] + c[1]


def filled_with_a_text(x):

    s = 0.0
    for p, q in itertools.zip_longest(times(0, x), times(2, x), fillvalue="none"):
        s += 1.0 if p == "none" else p
        s += q
    return s


def in_a_list(x):
    rows = list(itertools.zip_longest(times(2, x), times(3, x)))
    return sum((0.0 if p is None else p) + q for p, q in rows) + len(rows)


def in_turns(x):
    log = []

    def noisy(n, tag):
        for k in range(n):
            log.append(tag + k)
            yield k * x
        log.append(tag + 100)

    s = 0.0
    for p, q in itertools.zip_longest(noisy(1, 0), noisy(3, 1000), fillvalue=0.0):
        s += p + q
    return s + sum(k * v for k, v in enumerate(log)) * 1e-3


def handed_on(x):
    def pairs(xs, ys):
        return sum((a - b) ** 2 for a, b in itertools.zip_longest(xs, ys, fillvalue=0.0))

    return pairs(times(4, x), (v for v in [1.0, x]))


def of_one(x):
    return sum(p for (p,) in itertools.zip_longest(times(3, x)))


def left_early(x):
    s = 0.0
    for p, q in itertools.zip_longest(itertools.count(1), times(2, x)):
        if p > 4:
            break
        s += p * (x if q is None else q)
    return s


PROGRAMS = [
    repeated,
    a_negative_number,
    axes_of_several_lengths,
    an_empty_axis,
    no_axis,
    a_grid_of_settings,
    unpacked,
    axes_that_change_meanwhile,
    words,
    advanced,
    ranges,
    two,
    filled_with_none,
    three,
    of_map,
    by_next,
    filled_with_a_text,
    in_a_list,
    in_turns,
    handed_on,
    of_one,
    left_early,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_value_and_derivative(f) -> None:
    x, h = 1.5, 1e-6
    value, slope = pb.value_and_grad(f)(x)
    assert math.isclose(value, f(x), rel_tol=1e-12)
    assert math.isclose(pb.jvp(f, (x,), (1.0,))[1], slope, rel_tol=1e-12)
    assert math.isclose(slope, (f(x + h) - f(x - h)) / (2.0 * h), rel_tol=1e-5, abs_tol=1e-7)
