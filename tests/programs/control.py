"""Branches, ``while`` and recursion: what was not taken is neither run nor differentiated."""

import math

from tests.programs import Program


def branches(x, y):
    if x > 2.0:
        result = x * y
    elif x > 0.0:
        result = math.sin(x) + y
    else:
        result = x - y * y
    return result


def early_return(x):
    if x < 0.0:
        return -x * x
    return math.sqrt(x)


def guarded(x):
    """The logarithm of a negative number is never asked for."""
    return math.log(x) if x > 0.0 else 0.5 * x


def logic(x, y):
    inside = 0.0 < x < 2.0 and not (y > 5.0 or y < -5.0)
    return x * y if inside else x + y


def newton_sqrt(a):
    """A trip count that depends on the data."""
    x = a
    steps = 0
    while abs(x * x - a) > 1e-12 and steps < 100:
        x = 0.5 * (x + a / x)
        steps += 1
    return x


def collatz_weight(x, start):
    """A long while loop steered by integers."""
    k = start
    total = 0.0
    while k != 1:
        total = total + x / k
        k = k // 2 if k % 2 == 0 else 3 * k + 1
    return total


def branch_in_loop(xs):
    total = 0.0
    for i in range(len(xs)):
        if xs[i] > 0.0:
            total += xs[i] * xs[i]
        else:
            total -= math.sin(xs[i])
    return total


def power_by_recursion(x, n):
    """Not a tail call: the product happens on the way back."""
    if n == 0:
        return 1.0
    return x * power_by_recursion(x, n - 1)


def binary_recursion(x, n):
    """Two calls in one body, both wanted on the way back."""
    if n < 2:
        return x + n
    return binary_recursion(x, n - 1) * 0.5 + math.sin(binary_recursion(x, n - 2))


def continued_fraction(x, n):
    if n == 0:
        return x
    return x / (2.0 + continued_fraction(x + 0.1, n - 1))


def damped(xs, ws):
    """What the only arm that does not raise keeps: an array for each round."""
    total = 1.0
    for x in xs:
        if total < 9.0:
            for w in ws:
                total = math.sin(total * w) * x
        elif total > 99.0:
            raise OverflowError("much too large")
        else:
            raise ValueError(f"too large: {total}")
    return total


def branches_in_a_triangle(xs, y):
    """What a branch inside of a branch keeps, in loops of different lengths."""
    total = 0.5
    for i in range(len(xs)):
        for j in range(i):
            if xs[i] > 0.0:
                z = math.sin(xs[j] * total)
                if z > y:
                    z = math.exp(z) * total
                total = z * math.cos(total)
    return total


PROGRAMS = [
    Program("branch_first", branches, lambda rng, n: (3.0, rng.normal()), (0, 1)),
    Program("branch_second", branches, lambda rng, n: (1.0, rng.normal()), (0, 1)),
    Program("branch_third", branches, lambda rng, n: (-1.0, rng.normal()), (0, 1)),
    Program("early_return", early_return, lambda rng, n: (rng.uniform(0.5, 2.0),)),
    Program("guarded", guarded, lambda rng, n: (-1.0 - rng.uniform(),)),
    Program("logic", logic, lambda rng, n: (1.0 + 0.5 * rng.uniform(), rng.normal()), (0, 1)),
    Program("newton_sqrt", newton_sqrt, lambda rng, n: (rng.uniform(2.0, 9.0),)),
    Program("collatz_weight", collatz_weight, lambda rng, n: (rng.normal(), n + 6)),
    Program("branch_in_loop", branch_in_loop, lambda rng, n: (rng.normal(size=n),)),
    Program(
        "damped", damped, lambda rng, n: (rng.normal(size=n), rng.normal(size=3)), (0, 1)
    ),
    Program("power_by_recursion", power_by_recursion, lambda rng, n: (rng.uniform(0.9, 1.1), n)),
    Program(
        "binary_recursion",
        binary_recursion,
        lambda rng, n: (rng.uniform(0.5, 1.0), n),
        sizes=(2, 5, 9),
    ),
    Program("continued_fraction", continued_fraction, lambda rng, n: (rng.uniform(0.5, 1.0), n)),
    Program(
        "branches_in_a_triangle", branches_in_a_triangle,
        lambda r, n: (r.normal(size=n), 0.1), (0, 1), (1, 7),
    ),
]
