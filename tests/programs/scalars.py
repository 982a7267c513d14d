"""Numbers: floats, ints, bools, float32, ``math`` and its NumPy twins."""

import math

import numpy as np

from tests.programs import Program


def polynomial(x):
    return 3.0 * x**3 - 2.0 * x**2 + x - 7.0


def two_numbers(x, y):
    return x * y + math.sin(x) / y - y**x


def math_functions(x):
    smooth = math.exp(-x) + math.log(1.0 + x) + math.sqrt(x) + math.tanh(x) + math.atan(x)
    return smooth + math.cos(x) * math.sinh(0.1 * x) - math.cosh(0.1 * x) + math.log1p(x)


def special_functions(x):
    return math.erf(x) + math.expm1(-x) + math.hypot(x, 2.0) + math.atan2(x, 3.0)


def numpy_scalars(x):
    return np.exp(-x) * np.sin(x) + np.log(x) + np.abs(x - 100.0) + np.maximum(x, 0.5)


def with_int(x, n):
    return x**n / n + (n % 3) * x + n // 2


def with_bool(x, flip):
    y = -x if flip else x
    return math.exp(y) + (1.0 if not flip else 2.0) * y


def in_single_precision(x, y):
    return np.sin(x) * y + x * x


def shared(x):
    """Doubling by sharing: 2**12 * x; a derivative that copies would be exponential."""
    y = x
    y = y + y
    y = y + y
    y = y + y
    y = y + y
    z = y * y + y
    z = z + z
    z = z + z
    return z + z


def mixed_numbers(x, n):
    total = 0
    total += x
    total = total + n
    return total * 2 - True


def constants(x):
    return x * math.pi + math.e * np.pi - math.tau * x * x


def scalar_for_second_derivatives(x):
    return math.sin(x) * x**3 + math.exp(-x * x)


PROGRAMS = [
    Program("polynomial", polynomial, lambda rng, n: (rng.normal(),)),
    Program(
        "two_numbers", two_numbers, lambda rng, n: tuple(rng.uniform(0.5, 2.0, 2).tolist()), (0, 1)
    ),
    Program("math_functions", math_functions, lambda rng, n: (rng.uniform(0.5, 2.0),)),
    Program("special_functions", special_functions, lambda rng, n: (rng.uniform(0.5, 2.0),)),
    Program("numpy_scalars", numpy_scalars, lambda rng, n: (np.float64(rng.uniform(1.0, 2.0)),)),
    Program("with_int", with_int, lambda rng, n: (rng.uniform(0.5, 2.0), 5)),
    Program("with_bool", with_bool, lambda rng, n: (rng.normal(), True)),
    Program(
        "in_single_precision",
        in_single_precision,
        lambda rng, n: (np.float32(rng.normal()), np.float32(rng.normal())),
        (0, 1),
        single=True,
    ),
    Program("shared", shared, lambda rng, n: (rng.normal(),)),
    Program("mixed_numbers", mixed_numbers, lambda rng, n: (rng.normal(), n)),
    Program("constants", constants, lambda rng, n: (rng.normal(),)),
    Program(
        "scalar_for_second_derivatives",
        scalar_for_second_derivatives,
        lambda rng, n: (rng.normal(),),
    ),
]

# For grad(grad(f)): each with its second derivative by hand.
TWICE = [
    (polynomial, lambda x: 18.0 * x - 4.0),
    (
        scalar_for_second_derivatives,
        lambda x: (
            (6 * x - x**3) * math.sin(x)
            + 6 * x**2 * math.cos(x)
            + (4 * x * x - 2) * math.exp(-x * x)
        ),
    ),
]
