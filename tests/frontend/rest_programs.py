"""``f(*items)`` of functions with ``*rest``, where only the run knows how many items there are."""

import itertools


class Polynomial:
    def __init__(self, *coefficients):
        self.coefficients = list(coefficients)

    def __call__(self, x):
        total = 0
        for c in self.coefficients:
            total = total * x + c
        return total

    def __add__(self, other):
        n = max(len(self.coefficients), len(other.coefficients))
        a = [0.0] * (n - len(self.coefficients)) + self.coefficients
        b = [0.0] * (n - len(other.coefficients)) + other.coefficients
        return Polynomial(*[p + q for p, q in zip(a, b, strict=True)])

    def derivative(self):
        n = len(self.coefficients)
        return Polynomial(*[c * (n - 1 - i) for i, c in enumerate(self.coefficients[:-1])])


class Vector:
    def __init__(self, *parts):
        self.parts = parts

    @classmethod
    def ones(cls, n):
        return cls(*[1.0] * n)

    def dot(self, other):
        return sum(a * b for a, b in zip(self.parts, other.parts, strict=True))

    def __mul__(self, k):
        return Vector(*(k * v for v in self.parts))


def total(*items):
    return sum(items) + len(items)


def weighted(first, *items, k=1.0):
    return first * 2 + k * sum(v * i for i, v in enumerate(items))


def with_default(a, b=2.0, *items):
    return a + b + sum(items)


def polynomials(x):
    p = Polynomial(1.0, x, 2.0) + Polynomial(3.0, x)
    return p(2.0) + p.derivative()(x)


def vectors(x):
    v, n = Vector(x, 2.0, 3.0), int(x * 3)
    return v.dot(v * x) + Vector.ones(n).dot(Vector.ones(n) * x)


def among_others(x):
    items = [x * i for i in range(int(x * 4))]
    return total(*items) + total(*items, 5.0) + total(1.0, *items) + total(*items, *items)


def first_ones(x):
    items = [x + i for i in range(int(x * 4))]
    return weighted(*items) + weighted(3.0, *items) + weighted(*items, k=x)


def too_few(x):
    items = [x for i in range(int(x))]
    try:
        return weighted(*items[:0])
    except TypeError as e:
        return x * len(str(e))


def all_defaults_given(x):
    items = [x + i for i in range(int(x * 4))]
    return with_default(1.0, 2.0, *items)


def handed_on(x):
    items = tuple(x + i for i in range(int(x * 4)))

    def inner(*given):
        return total(*given) + weighted(*given)

    return inner(*items)


def recursive(x):
    def f(*items):
        if len(items) == 0:
            return 0.0
        return items[0] + 2 * f(*items[1:])

    return f(*[x + i for i in range(int(x * 4))])


def library(x):
    items = [x + i for i in range(int(x * 4))]
    rows = [[x * i for i in range(int(x * 4))] for j in range(2)]
    return max(*items) + min(*items, 0.5) + max(0.5, *items) + sum(itertools.chain(*rows))


def one_is_no_iterable(x):
    items = [x] * int(x)
    try:
        return max(*items)
    except TypeError as e:
        return x * len(str(e))


def none_is_too_few(x):
    items = [x] * int(x - 1)
    try:
        return min(*items)
    except TypeError as e:
        return x * len(str(e))


def a_default_may_be_given(x):
    return with_default(1.0, *[x + i for i in range(int(x * 4))])


def _scaled(a, b=1.0, *rest, scale=2.0):
    return (a * b + sum(rest)) * scale


def _of_three(a, b=1.0, c=2.0):
    return a * b - c * a


class _Gain:
    def __init__(self, k):
        self.k = k

    def of(self, a, b=3.0, *rest):
        return self.k * a * b + len(rest)


def with_some_defaults(x):
    total = 0.0
    for n in range(1, 5):
        items = [x + k for k in range(n)]
        total += _scaled(*items) * n + _Gain(x).of(*items) + _of_three(x, *items[:2])
    return total


def wrong_numbers(x):
    total = 0.0
    for n in range(5):
        items = [x] * n
        for f in (0, 1, 2):
            try:
                total += _of_three(*items) if f == 0 else _scaled(*items) if f == 1 else (
                    _Gain(x).of(*items)
                )
            except TypeError as e:
                total += x * len(str(e))
    return total


def _weighed(a, b, c=3.0, scale=1.0):
    return (a + 2.0 * b + c) * scale


def _keyed(a, b=2.0, *, scale):
    return (a + 2.0 * b) * scale


def _most(a, b=2.0, *more, scale=1.0):
    return (a + 2.0 * b + sum(more)) * scale


def with_keywords(x):
    total = 0.0
    for n in range(1, 6):
        items = [x * k for k in range(n)]
        for f in range(4):
            try:
                if f == 0:
                    total += _weighed(*items, scale=x)
                elif f == 1:
                    total += _weighed(x, *items, scale=2.0, c=n)
                elif f == 2:
                    total += _keyed(*items, scale=x)
                else:
                    total += _most(*items, scale=n * x)
            except TypeError as e:
                total += x * len(str(e))
    return total


def a_keyword_that_raises(x):
    log = []

    def noted(v):
        log.append(v)
        if v > 3.0:
            raise KeyError("big")
        return v

    for n in range(4):
        try:
            log.append(_weighed(*[x] * n, scale=noted(x * n)))
        except (KeyError, TypeError) as e:
            log.append(x * len(str(e)) * (isinstance(e, KeyError) + 1))
    return sum(log)


class _Controller:
    def __init__(self, kp, ki, kd=0.5, *, low=-1.0, high=1.0):
        self.gains, self.low, self.high = [kp, ki, kd], low, high

    def act(self, error):
        return max(self.low, min(self.high, sum(error * g for g in self.gains)))


class _Point:
    def __init__(self, x, y):
        self.x, self.y = x, y


def of_classes(x):
    gains = [x * 0.1 * k for k in range(int(x * 2))]
    total = _Controller(*gains).act(x) + _Controller(*gains, low=-3, high=+3).act(x)
    total += _Point(*gains[:1], y=-2.0).y * x
    for start in range(0, 4, 2):
        point = _Point(*[x + k for k in range(6)][start : start + 2])
        point.y += x
        total += point.x * point.y
    return total


def wrong_numbers_of_classes(x):
    total = 0.0
    for n in range(6):
        items = [x] * n
        for f in (0, 1, 2):
            try:
                if f == 0:
                    total += _Controller(*items).act(x)
                elif f == 1:
                    total += _Controller(*items, kd=2.0).act(x)
                else:
                    total += _Point(*items).y
            except TypeError as e:
                total += x * len(str(e))
    return total


PROGRAMS = [
    of_classes, wrong_numbers_of_classes,
    with_keywords, a_keyword_that_raises,
    a_default_may_be_given, with_some_defaults, wrong_numbers,
    polynomials, vectors, among_others, first_ones, too_few, all_defaults_given, handed_on,
    recursive, library, one_is_no_iterable, none_is_too_few,
]  # fmt: skip


def rows_of_max(x):
    return max(*[[x, 2.0 * x] for i in range(int(x * 2))])[0]


REFUSED = [rows_of_max]
