"""``d[k]`` of a defaultdict for its own keys: nothing is put in."""

import math
from collections import defaultdict

import pytest

import pullback as pb


def totals(x):
    d = defaultdict(float)
    for k in range(7):
        d[k % 3] += k * x
    return d


def of_words(x):
    d = defaultdict(float)
    for word in ["a", "b", "a", "c", "b", "a"]:
        d[word] += x * len(d)
    return d


def summed(x):
    d = totals(x)
    return sum(d[k] ** 2 for k in d) + len([k for k in sorted(d.keys()) if d[k] > 1.0])


def largest(x):
    d = of_words(x)
    best = max(d, key=lambda k: d[k])
    order = sorted(d, key=lambda k: (-d[k], k))
    return d[best] + sum(j * d[k] for j, k in enumerate(order)) + min(map(lambda k: d[k], d))


def of_lists(x):
    d = defaultdict(list)
    for k in range(7):
        d[k % 3].append(k * x)
    return sum(sum(d[k]) * len(d[k]) for k in d) + sum({k: d[k][0] for k in d}.values())


def two_loops(x):
    d = defaultdict(lambda: x)
    for k in range(4):
        d[k % 2] += k
    return sum(d[k] * d[j] for k in d for j in d if d[j] > d[k]) + sum(d[k] for k in sorted(d))


def others_are_put_in(x):
    d, e = totals(x), defaultdict(float)
    e[1] = x
    following = sum(d[k + 1] for k in list(d))
    return sum(d[k] * e[k] for k in d) + following + len(d) + 10.0 * len(e)


@pytest.mark.parametrize("f", [summed, largest, of_lists, two_loops, others_are_put_in])
def test_value_and_derivative(f) -> None:
    x, h = 1.5, 1e-6
    value, slope = pb.value_and_grad(f)(x)
    assert math.isclose(value, f(x), rel_tol=1e-12)
    assert math.isclose(slope, (f(x + h) - f(x - h)) / (2.0 * h), rel_tol=1e-5, abs_tol=1e-7)


def test_a_key_that_goes_meanwhile() -> None:
    """It would be put in anew: that is no look-up of what is there."""

    def f(x):
        d = totals(x)

        def taken(k):
            return d.pop(k, 0.0)

        return sum([taken(k) + d[k] for k in list(d)])

    with pytest.raises(RuntimeError, match="not there any more"):
        pb.jit(f)(1.5)
