"""Programs that draw random numbers: of a generator that is given, made, shared by all, captured,
kept in data; each by a few names and in several orders."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

import numpy as np

import pullback as pb


def by_comprehension(x, rng):
    return sum([x * rng.normal() for _ in range(5)]) + rng.random()


def by_generator(x, rng):
    def numbers():
        for _ in range(4):
            yield x * rng.normal()

    return sum(numbers()) + sum(v * rng.random() for v in numbers())


def chosen_path(x, rng):
    if rng.random() < 0.5:
        return x * rng.normal()
    return x * x * rng.exponential()


def until(x, rng):
    s = 0.0
    while s < 3.0:
        if rng.random() < 0.3:
            s += x * abs(rng.normal())
        elif rng.random() < 0.1:
            break
        else:
            s += 0.5 * x
    return s


def metropolis(x, rng):
    def logp(y):
        return -0.5 * (y - x) ** 2

    y = total = 0.0
    for _ in range(50):
        proposal = y + rng.normal()
        if math.log(rng.random()) < logp(proposal) - logp(y):
            y = proposal
        total += y * x
    return total / 50


def estimate(x, rng):
    z = rng.standard_normal(200)
    price = 100.0 * np.exp(0.05 - 0.5 * x**2 + x * z)
    return np.mean(np.maximum(price - 100.0, 0.0))


def dropout(w, rng):
    h = np.tanh(w * np.arange(8.0))
    return np.sum(np.where(rng.random(8) < 0.5, h / 0.5, 0.0))


def bootstrap(x, rng):
    data, total = x * np.arange(10.0), 0.0
    for _ in range(20):
        total += np.var(rng.choice(data, 10))
    return total


def descent(w, rng):
    xs = np.linspace(0.0, 1.0, 12)

    def loss(w, i):
        return (w * xs[i] - 2.0 * xs[i]) ** 2

    for _ in range(2):
        for i in rng.permutation(12):
            w = w - 0.1 * pb.grad(loss)(w, i)
    return w * w


def recursion(x, rng, n=5):
    return x if n == 0 else recursion(x * rng.normal(1.0, 0.1), rng, n - 1)


@dataclass
class Noise:
    rng: Any
    scale: float

    def draw(self):
        return self.scale * self.rng.normal()


def in_an_attribute(x, rng):
    noise = Noise(rng, x)
    return sum(n.draw() for n in [noise, noise]) * rng.random()


def two_names(x, rng):
    other = rng
    return x * rng.normal() + other.normal() * rng.random()


def caught(x, rng):
    s = 0.0
    for p in (1.0, -1.0, 2.0):
        try:
            s += x * rng.beta(p, 1.0)
        except ValueError as e:
            s += len(str(e)) * x * rng.random()
    return s


def raises(x, rng):
    a = rng.normal(x)
    rng.poisson(-2.0)
    return a


def raises_after(x, rng):
    a = rng.normal(x)
    if a < 100.0:
        raise ValueError(f"{a}")
    return a


def gradient_inside(x, rng):
    value, slope = pb.value_and_grad(lambda y: y * y * rng.normal())(x)
    return value * slope * rng.random()


def sorted_by_draws(x, rng):
    return sum(sorted([x * rng.normal() for _ in range(5)], key=lambda v: v * rng.random())[:2])


def as_a_function(x, rng):
    f = rng.normal
    return x * f() + sum(map(f, [x, x * x]))


def in_a_closure(x, rng):
    def outer():
        def draw():
            return rng.normal() * x

        return draw() + draw()

    return outer() * outer()


def made_in_a_list(x, rng):
    streams = [np.random.default_rng(k) for k in range(3)]
    for k in range(9):
        x = x + 0.1 * streams[k % 3].normal() * x
    return x * rng.random()


def of_any_size(x, rng):
    n = rng.integers(2, 6)
    items = rng.normal(x, 1.0, n)
    rng.shuffle(items)
    return np.sum(items * np.arange(n))


def left_early(x, rng):
    for _ in range(100):
        v = rng.normal()
        if v > 1.0:
            return v * x
    return x


def of_other_bits(x, rng):
    bits = (np.random.PCG64DXSM, np.random.SFC64, np.random.Philox, np.random.MT19937)
    a, b, c, d = (np.random.Generator(make(7)) for make in bits)
    own = np.random.Generator(np.random.PCG64([1, 2]))
    return (a.normal(x) + b.normal(x)) * c.random() * d.random() + own.normal(x) * rng.random()


PROGRAMS = [
    by_comprehension, by_generator, chosen_path, until, metropolis, estimate, dropout, bootstrap,
    descent, recursion, in_an_attribute, two_names, caught, gradient_inside, sorted_by_draws,
    as_a_function, in_a_closure, made_in_a_list, of_any_size, left_early, of_other_bits,
]  # fmt: skip
RAISING = [raises, raises_after]


# --- derivatives by location and scale ------------------------------------------------------------


def moved_and_scaled(x, rng):
    a = np.sum(rng.uniform(x, x * x + 2.0, 3)) * rng.normal(x, x * x)
    b = np.sum(rng.laplace(x, x * x, 3) ** 2) * rng.gumbel(x, x) + rng.logistic(x, x)
    c = np.sum(rng.exponential(x * x, 3) ** 2) * rng.rayleigh(x) * rng.gamma(2.0, x)
    return a + b + c + np.sum(rng.normal([x, 1.0], [[x], [2.0]]))


def of_vectors(x, rng):
    mean, cov = np.array([x, x * x]), np.array([[1.0, 0.2], [0.2, 2.0]])
    return np.sum(rng.multivariate_normal(mean, cov, 3) ** 2) + np.sum(rng.lognormal(x, x / 3.0, 2))


def of_items(x, rng):
    items, a = [x, 2.0, x * x], np.array([x, x * x, x**3])
    rng.shuffle(items)
    rng.shuffle(a)
    picked = np.sum(rng.choice(a, 4) ** 2) * rng.choice([x, 2.0 * x])
    moved = np.sum(rng.permutation(a) * np.arange(3.0))
    return picked + moved + a[0] * a[1] + items[0] * items[1] * rng.poisson(3.0)


def of_python(x, rng):
    items = [x, x * x, x**3]
    rng.shuffle(items)
    a = rng.uniform(x, 2.0 * x) * rng.gauss(x, x * x) * rng.normalvariate(x, 1.0)
    b = rng.lognormvariate(x, 0.5 * x) * rng.expovariate(x) * rng.gammavariate(2.0, x)
    c = rng.weibullvariate(x, 2.0) * rng.choice([x, 3.0 * x]) * rng.betavariate(2.0, 3.0)
    return a * b * c + items[0] * sum(rng.choices(items, k=3)) * sum(rng.sample(items, 2))


def numpy_generator():
    return np.random.default_rng(7)


def legacy_generator():
    return np.random.RandomState(7)


def python_generator():
    return random.Random(7)


DERIVATIVES = [
    (f, make)
    for f in (moved_and_scaled, of_vectors, of_items)
    for make in (numpy_generator, legacy_generator)
] + [(of_python, python_generator)]


def gamma_by_shape(x, rng):
    return rng.gamma(x, 2.0)


def poisson_by_rate(x, rng):
    return x * rng.poisson(x)


def choice_by_weights(x, rng):
    return x * rng.choice(3, p=np.array([x, 1.0, 1.0]) / (x + 2.0))


def beta_by_shape(x, rng):
    return np.sum(rng.beta(2.0, x, 3))


BY_SHAPE = [gamma_by_shape, poisson_by_rate, choice_by_weights, beta_by_shape]


# --- generators that all share, and captured ones -------------------------------------------------

CAPTURED = np.random.default_rng(11)


def seeded_first(x):
    np.random.seed(3)
    random.seed(4)
    return np.random.normal(x, 2.0) * np.random.rand() + random.gauss(x, x) * random.random()


def shared_as_they_are(x):
    return np.random.normal(x, 2.0) * np.random.rand() + random.gauss(x, x) * random.random()


def shared_in_a_helper(x):
    return shared_as_they_are(x) + np.random.choice([x, 2.0]) * random.choice([x, 3.0])


def made_of_a_seed(x):
    return np.random.RandomState(5).rand() * x + random.Random(6).random() * x * x


def captured(x):
    return CAPTURED.normal(x) * CAPTURED.random()


def captured_in_a_helper(x):
    return captured(x) * CAPTURED.random() + captured(x)


AROUND = [
    seeded_first, shared_as_they_are, shared_in_a_helper, made_of_a_seed, captured,
    captured_in_a_helper,
]  # fmt: skip


def without_a_seed(x):
    return x * np.random.default_rng().random()


def seeded_with_nothing(x):
    np.random.seed()
    return x * np.random.rand()


def in_any_order(x, rng):
    return np.sum(pb.build(4, lambda i: x * rng.normal()))


def spawned(x, rng):
    return x * rng.spawn(1)[0].normal()


REFUSED = [
    (without_a_seed, (), "a generator without a seed"),
    (seeded_with_nothing, (), "a generator without a seed"),
    (in_any_order, (numpy_generator,), "applied to many items"),
    (spawned, (numpy_generator,), "numpy.random.Generator.spawn is not supported"),
]
