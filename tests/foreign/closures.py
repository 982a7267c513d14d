"""Functions that make functions, callbacks, decorators, partial application."""

import functools
import math
import operator
from functools import partial, reduce


def compose(*functions):
    return reduce(lambda f, g: lambda x: g(f(x)), functions)


def composed(x):
    return compose(math.sin, lambda v: v * v, math.exp)(x)


def make_adder(n):
    def add(x):
        return x + n

    return add


def adders(x):
    fs = [make_adder(i) for i in range(4)]
    for f in fs:
        x = f(x) * 0.5
    return x


def make_counter():
    count = 0

    def increment(by=1):
        nonlocal count
        count += by
        return count

    return increment


def counted(x):
    c = make_counter()
    c()
    c(by=2)
    return x * c()


def timed(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs) * 1.0

    return wrapper


@timed
def decorated(x, power=2):
    return x**power


def call_decorated(x):
    return decorated(x, power=3) + decorated(x)


def scaled(factor):
    def decorator(f):
        def inner(x):
            return factor * f(x)

        return inner

    return decorator


@scaled(2.5)
def bump(x):
    return math.exp(-x * x)


def integrate(f, a, b, n=40):
    h = (b - a) / n
    return h * sum(f(a + (i + 0.5) * h) for i in range(n))


def area_under(mu, sigma):
    density = partial(lambda x, m, s: math.exp(-0.5 * ((x - m) / s) ** 2), m=mu, s=sigma)
    return integrate(density, -1.0, 2.0)


def fixed_point(f, x, tol=1e-10):
    while True:
        y = f(x)
        if abs(y - x) < tol:
            return y
        x = y


def cosine_fixed(a):
    return fixed_point(lambda x: math.cos(a * x), 1.0)


def curry(f):
    return lambda a: lambda b: lambda c: f(a, b, c)


def curried(x, y, z):
    return curry(lambda a, b, c: a * b + c)(x)(y)(z)


def church(n):
    return lambda f: lambda x: x if n == 0 else church(n - 1)(f)(f(x))


def church_power(x):
    return church(5)(lambda v: v * 1.1 + 0.1)(x)


def dispatch_table(x, kind):
    table = {
        "sin": math.sin,
        "square": lambda v: v * v,
        "half": partial(operator.mul, 0.5),
    }
    return table[kind](x)


def apply_all(x):
    return sum(map(lambda f: f(x), (math.sin, math.cos, abs)))


def accumulate_with(op, xs, start):
    acc = start
    for x in xs:
        acc = op(acc, x)
    return acc


def products(xs):
    return accumulate_with(operator.mul, xs, 1.0) + accumulate_with(max, xs, xs[0])


def sort_by_key(points):
    ordered = sorted(points, key=lambda p: p[0] ** 2 + p[1] ** 2, reverse=True)
    return sum((i + 1) * p[0] for i, p in enumerate(ordered))


def numerical_derivative(f, h=1e-5):
    return lambda x: (f(x + h) - f(x - h)) / (2 * h)


def newton_numeric(a):
    f = lambda x: x * x - a  # noqa: E731  # as people write it
    df = numerical_derivative(f)
    x = a
    for _ in range(15):
        x = x - f(x) / df(x)
    return x


def continuation(x, k):
    if x < 1.0:
        return k(x)
    return continuation(x / 2, lambda v: k(v * 3))


def run_continuation(x):
    return continuation(x, lambda v: v + 1)


def pipeline(x, stages):
    for name, weight in stages:
        x = {"scale": lambda v: v * weight, "shift": lambda v: v + weight}[name](x)
    return x


def y_combinator(f):
    return (lambda x: f(lambda v: x(x)(v)))(lambda x: f(lambda v: x(x)(v)))


def factorial_like(x):
    g = y_combinator(lambda self: lambda n: x if n < 1 else n * self(n - 1))
    return g(4)


def memoised_square():
    last = {}

    def square(x):
        last["value"] = x
        return last["value"] * x

    return square


def uses_memoised(x):
    f = memoised_square()
    return f(x) + f(x + 1)


def default_arguments(x, scale=2.0, *more, offset=0.0, **options):
    return x * scale + sum(more) + offset + options.get("extra", 0.0)


def calls_default_arguments(x):
    return default_arguments(x) + default_arguments(x, 3.0, x, x * x, offset=1.0, extra=x)


def filtered(xs, limit):
    return sum(filter(lambda v: v > limit, xs)) / len(list(filter(None, xs)))


CASES = [
    (composed, (0.4,)),
    (adders, (1.5,)),
    (counted, (2.0,)),
    (call_decorated, (1.3,)),
    (bump, (0.7,)),
    (area_under, (0.2, 0.8)),
    (cosine_fixed, (0.8,)),
    (curried, (1.0, 2.0, 3.0)),
    (church_power, (1.0,)),
    (dispatch_table, (0.5, "square")),
    (apply_all, (0.6,)),
    (products, ([1.5, 2.0, 0.5],)),
    (sort_by_key, ([(1.0, 2.0), (3.0, 0.5), (-1.0, 0.1)],)),
    (newton_numeric, (3.0,)),
    (run_continuation, (6.0,)),
    (pipeline, (1.5, [("scale", 2.0), ("shift", 1.0)])),
    (factorial_like, (1.2,)),
    (uses_memoised, (1.5,)),
    (calls_default_arguments, (1.5,)),
    (filtered, ([1.0, 2.0, 3.0], 1.5)),
]
