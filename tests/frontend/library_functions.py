"""Programs of functions of NumPy, SciPy and the standard library that are compiled as texts."""

import dataclasses
import itertools
import operator
import statistics

import numpy as np
import scipy.integrate
import scipy.linalg
import scipy.special
import scipy.stats as st
from scipy.stats import norm

RNG = np.random.default_rng(0)
X, A, TALL = RNG.normal(size=6), RNG.normal(size=(4, 4)), RNG.normal(size=(5, 3))
Y = RNG.normal(size=5)
KEYS = np.array([3, 1, 3, 2, 1, 1])
NUMBERS = [1.0, 2.0, 3.5]


def lookup(x):
    return x[np.digitize(0.3, np.sort(x)) - 1] ** 2 + np.sum(x[np.isin(KEYS, [1, 4])] ** 3)


def totals(x):
    counts = np.bincount(KEYS, minlength=6)
    return np.sum(np.bincount(KEYS, weights=x) ** 2) + counts @ x


def groups(x):
    names, counts = np.unique(KEYS, return_counts=True)
    inverse, first = np.unique(KEYS, return_inverse=True)[1], np.unique(KEYS, return_index=True)[1]
    return sum(np.sum(x[k == KEYS]) ** 2 for k in names) + counts @ x[first] + x[inverse] @ x


def bins(x):
    counts, edges = np.histogram(x, bins=4)
    dense = np.histogram(x, bins=5, range=(-1.0, 1.0), density=True)[0]
    return np.sum(edges**2) + counts @ x[:4] + dense @ x[1:]


def weighted_bins(x):
    places = np.array([0.1, 0.2, 0.5, 0.9, 1.0, 2.0])
    return np.sum(np.histogram(places, bins=[0.0, 0.5, 1.0], weights=x)[0] ** 2)


def ratios(x):
    falling = np.geomspace(-1, -x[0] ** 2, 3)
    return np.sum(np.geomspace(x[0] ** 2, x[1] ** 2 + 1.0, 7) ** 2) + np.sum(falling)


def taken_away(a):
    return np.sum(np.delete(a[0], 2) ** 2) + np.sum(np.delete(a, [0, -1], axis=1) ** 3)


def put_in(a):
    longer = np.insert(a[0], 2, a[1, 1])
    return np.sum(longer**3 * np.arange(5)) + np.sum(np.insert(a, 1, a[0] * 2.0, axis=0)[2:] ** 2)


def blocks(a):
    both = np.block([[a, np.eye(4)], [np.zeros((4, 4)), a.T]])
    return np.linalg.det(both) + np.sum(np.block([a[0], 2.0]) ** 2)


def contracted(a):
    far = np.tensordot(a.reshape(2, 2, 4), a, axes=([2], [1]))
    return np.tensordot(a, a) + np.sum(far**2) + np.sum(np.tensordot(a, a, axes=1) * a)


def crossed(a):
    return np.sum(np.tensordot(a, a, axes=(0, 0))) + np.sum(np.tensordot(a[0], a[1], axes=0) * a)


def diagonals(a):
    m, k = a.copy(), a * 2.0
    np.fill_diagonal(m, a[0])
    np.fill_diagonal(k, 1.5)
    np.copyto(k[0], a[1])
    return np.sum(m**3) + np.sum(k * m)


def changed_by_methods(a):
    m, rows, n = a.copy(), [a[0] * 2.0, a[1] + 0.0], np.zeros(4, int)
    m[1:3].fill(a[0, 0])
    m.T[0].sort()
    rows[0].sort()
    rows[1].put([0, -1], a[2, :2])
    n.fill(2.7)
    return np.sum(m * a) + np.sum(rows[0] * rows[1] * n)


def of_indices(x):
    return np.sum(np.fromfunction(lambda i, j: i * x[0] + j * x[1] ** 2, (3, 4)) ** 2)


def branches(x):
    two = np.piecewise(x, [x < 0, x >= 0.5], [lambda v: v**2, lambda v: np.sqrt(v), 7.0])
    one = np.piecewise(x[0], [x[0] < 0.1, x[0] >= 0.1], [lambda v: v**2, 3.0])
    return np.sum(two * x) + np.sum(np.piecewise(x, [x < 0.0], [np.exp, np.sin])) + one * x[1]


def one_or_many(x):
    w = np.array([x[0]])
    small = np.full_like(w, False, dtype=bool)
    np.less(w, 0.5, where=~np.isnan(w), out=small)
    w.fill(x[1])
    t = w * np.where(small, w, 2.0)
    if len(t) == 1:
        t = t[0]
    return t * scipy.constants.value("electron mass") * 1e30 + (w.shape == 1) + ([t] != 0.5)


def all_places(a):
    one = sum(a[i] * k for k, i in enumerate(np.ndindex(4, 4)))
    two = sum(a[i, j] * i * j for i, j in np.ndindex(a.shape))
    return one + two + sum(v**2 * i - j for (i, j), v in np.ndenumerate(a))


def flat_place(x):
    return x[np.ravel_multi_index((1, 2), (2, 3))] ** 2


def item_by_item(x):
    bent = np.vectorize(lambda v: v**2 if v > 0 else 0, otypes=[float])
    power = np.vectorize(lambda v, w: v**w if v > 0 else -v * w, otypes=[float])
    return np.sum(bent(x)) + np.sum(power(x, 2.0)) + np.sum(power(x[:, None], x[:3]) ** 2)


def least_squares(a, y):
    x, left, rank, s = np.linalg.lstsq(a, y, rcond=None)
    return np.sum(x**2) + left[0] + rank * s[0]


def several_right_sides(a, y):
    x, left, _, _ = np.linalg.lstsq(a, a[:, :2] * y[:, None] + 1.0, rcond=None)
    return np.sum(x**2) + np.sum(left)


def of_matrices(a):
    product = np.linalg.multi_dot([a, a.T, a])
    return np.linalg.cond(a) + np.linalg.matrix_rank(a) * a[0, 0] + np.sum(product)


def array_standard(a):
    norms = np.linalg.vector_norm(a) + np.sum(np.linalg.vector_norm(a, axis=0))
    return norms * np.linalg.matrix_norm(a) + np.linalg.trace(a) + np.sum(
        np.linalg.diagonal(a, offset=1) ** 2) + np.sum(
        np.linalg.vecdot(a, np.linalg.matrix_transpose(a)))  # fmt: skip


def exponential(a):
    return np.sum(scipy.linalg.expm(a) * np.arange(16.0).reshape(4, 4)) + np.sum(
        scipy.linalg.expm(3.0 * a))  # fmt: skip


def symmetric(a):
    return scipy.linalg.eigvalsh(a @ a.T)[0] + scipy.linalg.eigh(a + a.T)[0][1] + scipy.linalg.norm(
        a[0], 1) * scipy.linalg.norm(a)  # fmt: skip


def averages(a):
    rows, columns = np.average(a, axis=1, weights=a[0] ** 2), np.average(a, 0, a[:, 1] ** 2)
    return np.sum(rows * columns) + np.sum(np.average(a, 1, a[1] ** 2, keepdims=True) ** 3)


def structured(x):
    whole = scipy.linalg.block_diag(x[:2], np.outer(x[:2], x[2:4]), x[0])
    t = scipy.linalg.toeplitz(x + 3.0 * (np.arange(6) == 0), x)
    right = scipy.linalg.solve_toeplitz((t[:, 0], x), x)
    turned = scipy.linalg.circulant(x)[2] ** 2
    return np.sum(whole**2 * np.arange(20.0).reshape(4, 5)) + np.sum(right) + turned @ np.arange(6)


def integrals(x):
    rule = scipy.integrate.simpson
    equal = rule(x**2, dx=0.1) + rule(x[:5] ** 2, dx=0.1) + rule(x[:2])
    return equal + rule(x**2, x=np.cumsum(x**2)) + rule(x[:5], np.cumsum(x[:5] ** 2))


def running_integrals(x):
    sums = scipy.integrate.cumulative_trapezoid(x**2, initial=0)
    return np.sum(sums**2) + scipy.integrate.trapezoid(x, dx=0.2) + sums[-1]


def special_functions(x):
    chosen = scipy.special.comb(7, 3) * x + scipy.special.comb(7.5, x)
    product = scipy.special.factorial(5) * x + scipy.special.factorial(x)
    powers = scipy.special.boxcox(x, 0.3) + scipy.special.boxcox(x, 0.0)
    return chosen + product + powers + scipy.special.kl_div(x, 2.0) * scipy.special.comb(
        7, 3, exact=True)  # fmt: skip


def normal(x):
    logs = norm.logpdf(x, 0.3, 2.0) + norm.logcdf(x) + st.norm.logsf(x)
    return norm.pdf(x) + norm.cdf(x, loc=0.3, scale=2.0) + logs + norm.sf(x) + norm.ppf(
        x / 3.0) + norm.isf(x / 4.0, scale=x)  # fmt: skip


def normal_arrays(x):
    return np.sum(st.norm.cdf(x) * st.norm.pdf(x, 0.1, np.abs(x)))


def exponential_distribution(x):
    return st.expon.pdf(x, scale=2.0) + st.expon.logpdf(x) + st.expon.cdf(x, 0.5)


def means(xs):
    return statistics.geometric_mean(xs) + statistics.harmonic_mean(xs)


def chosen_items(xs):
    return sum(itertools.compress(xs, [1, 0, 1])) ** 2


def of_operator(xs):
    k = operator.indexOf([5, 6, 7], 6)
    return sum(operator.concat(xs, xs)) * operator.countOf([1, 2, 1], 1) + xs[k]


@dataclasses.dataclass
class Oscillator:
    mass: float
    springs: list[float]
    name: str = "o"


@dataclasses.dataclass
class System:
    first: Oscillator
    pair: tuple[Oscillator, float]


def by_name(x):
    s = System(Oscillator(x, [x, 2.0]), (Oscillator(3.0, [x * x]), x))
    d, t = dataclasses.asdict(s), dataclasses.astuple(s)
    s.first.springs[0] = 100.0
    spring = d["first"]["springs"][0] + d["pair"][0]["springs"][0] ** 2
    return d["first"]["mass"] * spring + t[1][1] * t[0][0]


def cut(x):
    return np.sum(x[slice(1, 5, 2)] ** 2) + x[slice(2)] @ x[slice(None, 2)]


def padded_pairs(xs):
    zeros = sum(a * b for a, b in itertools.zip_longest(xs, [2.0], fillvalue=0.5))
    return zeros + sum((a or 0.0) * (1.0 if b is None else b) for a, b in itertools.zip_longest(
        xs, [3.0]))  # fmt: skip


def fits(x):
    line, bent = np.polyfit(np.arange(6.0), x, 1), np.polyfit(x[:3], x[3:] ** 2, 2)
    return line @ line + np.sum(np.polyfit(np.arange(6.0), x, 2, w=np.arange(1.0, 7.0))) + bent[1]


def chosen_by_number(x):
    i, j = np.unravel_index(7, (3, 4))
    places = np.unravel_index(np.array([1, 5]), (3, 2))
    chosen = np.choose(np.array([0, 1, 0]), [x[:3], x[3:]])
    return chosen @ x[:3] + x[i] * j + np.sum(x[places[0]] ** 2)


def medians(x):
    return np.nanmedian(np.where(x > 0.6, np.nan, x)) ** 2 + np.nanmedian(x[:2])


def of_limits(x):
    least, most = np.finfo(float).eps, np.iinfo(np.int64).max
    for k in range(3):
        most = min(most, k + 5)
    return x * most + (x / least) * np.finfo(np.float64).eps


PROGRAMS = [
    *((f, (X,)) for f in (
        lookup, totals, groups, bins, weighted_bins, ratios, of_indices, branches,
        one_or_many, flat_place,
        item_by_item, structured, integrals, running_integrals, normal_arrays,
        cut, fits, chosen_by_number, medians,
    )),
    *((f, (A,)) for f in (
        taken_away, put_in, blocks, contracted, crossed, diagonals, changed_by_methods,
        all_places, of_matrices, array_standard, averages, exponential, symmetric,
    )),
    *((f, (TALL, Y)) for f in (least_squares, several_right_sides)),
    *((f, (1.7,)) for f in (
        special_functions, normal, exponential_distribution, by_name, of_limits,
    )),
    *((f, (NUMBERS,)) for f in (means, chosen_items, of_operator, padded_pairs)),
]  # fmt: skip


def gone(x):
    return np.delete(x, 9)


def too_far(x):
    return np.insert(x, -9, 1.0)


def in_no_order(x):
    return np.digitize(x, np.array([1.0, 3.0, 2.0]))


def negative_keys(x):
    return np.bincount(np.array([1, -1]), weights=x[:2])


def falling_bins(x):
    return np.histogram(x, bins=[1.0, 0.0])[0]


def no_bins(x):
    return np.histogram(x, bins=0)[0]


def outside(x):
    return x[np.ravel_multi_index((1, 3), (2, 3))]


def not_there(x):
    return x[operator.indexOf([1, 2], 3)]


def weights_of_another_length(x):
    return np.average(np.outer(x, x), axis=0, weights=x[1:])


ERRORS = [
    weights_of_another_length, gone, too_far, in_no_order, negative_keys, falling_bins, no_bins,
    outside, not_there,
]  # fmt: skip
