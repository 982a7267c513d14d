"""Library functions that are plain Python (``library/text/names.py:OTHERS``), and the methods of
``Counter``, beside the library: values, errors, derivatives by differences."""

from __future__ import annotations

import itertools
import math
import statistics
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import pullback as pb
from tests import campaign, harness
from tests.frontend import library_functions
from tests.frontend.harness import agrees

X = np.array([1.5, 2.0, -1.3, -2.5, 3.0, 0.4])
TALL = np.array([[1.0, 0.3], [0.2, -1.1], [0.7, 0.4]])
WEIGHTS = np.array([[0.3, -1.2, 0.5], [0.9, 0.4, -0.7], [1.1, 0.2, 0.6]])
NUMBERS = [1.5, 2.0, -1.0, 2.5, 3.25]
KEYS = [3, 1, 2, 3, 3, 2, 5]


def three_pieces(x):
    pieces = [x < -1.0, (x >= -1.0) & (x < 1.0), x >= 1.0]
    return np.sum(np.select(pieces, [-x, x**3, np.sqrt(np.abs(x))], default=0.0))


def others_are_default(x):
    return np.sum(np.select((x > 0.0, x > -2.0), (x * 2.0, 3), x))


def pairs_above(x):
    i, j = np.triu_indices(len(x), k=1)
    return np.sum((x[i] - x[j]) ** 2)


def halves_and_thirds(x):
    a, b = np.split(x, 2)
    c, d, e, f = np.array_split(x, 4)
    g, h, i = np.split(x, [1, 4])
    return a @ b + c @ d + np.sum(e) * np.sum(f) + g[0] * np.prod(h) - i @ i


def columns_and_rows(a):
    left, right = np.hsplit(a, [1])
    top, *rest = np.vsplit(a, 3)
    (whole,) = np.array_split(a, 1, axis=1)
    return np.sum(left * right) + np.sum(top) * np.sum(rest[0] * rest[1]) + np.sum(whole**3)


def unequal_pieces(x):
    return np.split(x, 4)[0]


def no_pieces(x):
    return np.array_split(x, 0)


def rows_of_a_vector(x):
    return np.vsplit(x, 2)[0]


def weighted_inverse(a):
    return np.sum(np.linalg.pinv(a) * WEIGHTS[: a.shape[1], : a.shape[0]])


def of_low_rank(a):
    return weighted_inverse(a @ WEIGHTS[:2])


def mean_and_deviation(xs):
    return statistics.mean(xs) * statistics.pstdev(xs) + statistics.median(xs)


def sample(xs):
    return statistics.stdev(xs) * statistics.fmean(xs) + statistics.variance(x * x for x in xs)


def around(xs):
    return statistics.pvariance(xs, xs[0]) + statistics.pstdev(xs, mu=1.0)


def one_is_too_few(xs):
    try:
        return statistics.stdev(xs[:1])
    except statistics.StatisticsError:
        return 2.0 * xs[0]


def most_common_keys(ks, w):
    c = Counter(ks)
    top = sum(k * n for k, n in c.most_common(2)) + sum(c.elements()) + c.total()
    return w * (top + len(c.most_common()) + len(c.most_common(-1)))


def most_common_letters(text, w):
    return sum(n * w for _, n in Counter(text).most_common(2))


def heaviest(ks, w):
    c = Counter()
    for k in ks:
        c[k] += w * k
    return sum(v * v for _, v in c.most_common(2))


def longest_increasing(xs, bonus):
    best = []
    for i, x in enumerate(xs):
        options = [best[j] for j in range(i) if xs[j] < x]
        best.append(x * bonus + (max(options) if options else 0.0))
    return max(best)


def sums_of_all_before(xs):
    before = {}
    for i in range(len(xs)):
        before[i] = xs[i] + sum([before[j] for j in range(i) if xs[j] < xs[i]])
    return before[len(xs) - 1]


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    *((f, (X,)) for f in (three_pieces, others_are_default, pairs_above)),
    (halves_and_thirds, (X,)),
    (columns_and_rows, (TALL,)),
    (weighted_inverse, (TALL,)),
    (of_low_rank, (TALL,)),
    *((f, (NUMBERS,)) for f in (mean_and_deviation, sample, around, one_is_too_few)),
    *((f, (KEYS, 1.5)) for f in (most_common_keys, heaviest)),
    (most_common_letters, ("abracadabra", 1.5)),
    (longest_increasing, (NUMBERS, 1.25)), (sums_of_all_before, (NUMBERS,)),
    *library_functions.PROGRAMS,
]  # fmt: skip


WAYS = (("native", "chad"), ("eval", "dual"))
TAKEN = campaign.part("agreement", CASES, 3)


@pytest.mark.parametrize(("f", "args"), TAKEN, ids=[f.__name__ for f, _ in TAKEN])
def test_value_and_derivatives(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    real = [not isinstance(a, str) and a is not KEYS for a in args]
    argnums = tuple(k for k, r in enumerate(real) if r)
    rng = np.random.default_rng(1)
    tangents = tuple(harness.direction(rng, a) if r else a for a, r in zip(args, real))

    def along(*chosen: Any) -> Any:
        given = list(args)
        for k, a in zip(argnums, chosen):
            given[k] = a
        return f(*given)

    chosen = tuple(args[k] for k in argnums)
    slope = harness.difference(along, chosen, tuple(tangents[k] for k in argnums))
    for tier, method in campaign.rotated("agreement", f.__name__, WAYS):
        value, gradient = harness.gradient(f, args, argnums, tier, method)
        assert math.isclose(value, f(*args), rel_tol=1e-12)
        found = harness.inner(gradient, tuple(tangents[k] for k in argnums))
        assert math.isclose(found, slope, rel_tol=1e-6, abs_tol=1e-8)


def generalised(a):
    b = a @ a.T + np.eye(len(a))
    values, vectors = scipy.linalg.eigh(np.tril(a + a.T), np.tril(b))
    upper = scipy.linalg.eigvalsh(np.triu(a + a.T), np.triu(b), lower=False)
    return values[0] * upper[1] + np.sum(vectors[:, 0] ** 2 * np.arange(len(a)))


def test_eigenvalues_of_two_matrices() -> None:
    a = TALL[:2, :2]
    value, (gradient,) = harness.gradient(generalised, (a,), (0,), "eval")
    assert math.isclose(value, generalised(a), rel_tol=1e-12)
    d = np.array([[1.0, -0.5], [0.25, 2.0]])
    slope = harness.difference(generalised, (a,), (d,))
    assert math.isclose(np.sum(gradient * d), slope, rel_tol=1e-6)


def test_a_pseudo_inverse_is_differentiated_twice() -> None:
    d = WEIGHTS[:, :2]
    (twice,) = pb.hvp(of_low_rank, (TALL,), (d,))
    slope = pb.grad(of_low_rank)
    step = 1e-6
    differences = (slope(TALL + step * d) - slope(TALL - step * d)) / (2.0 * step)
    np.testing.assert_allclose(twice, differences, rtol=1e-5, atol=1e-7)


def unequal_lists(x):
    return np.select([x > 0.0, x > 1.0], [1.0])


def nothing_there(xs):
    return [][len(xs) - 1] if xs[0] > 5.0 else sum([[1.0][k] for k in range(len(xs))])


def empty_before(xs):
    found: list[float] = []
    return sum([found[k] for k in range(len(xs) - 4)])


@pytest.mark.parametrize(
    ("f", "given"),
    [(statistics.mean, []), (statistics.fmean, []), (statistics.stdev, [1.0]),
     (statistics.variance, [1.0]), (statistics.pstdev, []), (unequal_lists, X),
     (statistics.mean, [math.inf, 1.0]), (empty_before, NUMBERS), (nothing_there, NUMBERS),
     (unequal_pieces, X), (no_pieces, X), (rows_of_a_vector, X),
     *((f, X) for f in library_functions.ERRORS)],
)  # fmt: skip
def test_errors_are_the_library_s(f: Callable[..., Any], given: object) -> None:
    agrees(lambda xs: f(xs), given)


@pytest.mark.parametrize(
    ("f", "given", "text"),
    [(statistics.mean, [1, 2], "other numbers than Python's floats"),
     (lambda x: np.vectorize(lambda v: v if v > 0 else 0)(x), X, "without otypes"),
     (lambda x: list(itertools.zip_longest((v for v in x), x, x, x)), NUMBERS, "zip_longest"),
     (lambda k: {k: 1.0}.most_common(), 3, "no attribute 'most_common'")],
)  # fmt: skip
def test_refused(f: Callable[..., Any], given: object, text: str) -> None:
    with pytest.raises(pb.PullbackError, match=text):
        pb.jit(lambda x: f(x))(given)
