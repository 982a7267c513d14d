"""Programs of the language, against plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.harness import agrees, compiled, rerun, run, same

# --- scalars --------------------------------------------------------------------------------------


def arithmetic(x, y):
    return x + y * x - y / x + x // y + x % y, -x, +y, x**2, x**3 - 2 * x**-1


def integers(a, b):
    return a + b * a - b, a // b, a % b, a**3, a / b, -a, ~b, a & b, a | 3, a ^ b, a << 2, a >> 1


def comparisons(x, y):
    return x < y, x <= y, x == y, x != y, 0.0 < x < y <= 10.0, not x, x and y, x or y


def zero_sign(x):
    return -x, x * -1.0, 0.0 - x, x + 0.0


@pytest.mark.parametrize("f", [arithmetic, comparisons])
@pytest.mark.parametrize("x, y", [(1.5, 2.25), (-3.5, 2.0), (7.0, -2.5), (2.0, 2.0)])
def test_floats(f, x, y):
    agrees(f, x, y)
    agrees(f, np.float64(x), np.float64(y))
    agrees(f, x, np.float64(y))


@pytest.mark.parametrize("a, b", [(7, 3), (-7, 3), (7, -3), (-7, -3), (0, 5)])
def test_integers(a, b):
    agrees(integers, a, b)
    agrees(comparisons, a, b)


def test_zeros():
    agrees(zero_sign, 0.0)
    agrees(zero_sign, -0.0)


def divide(x, y):
    return x / y


def floor_divide(x, y):
    return x // y


def modulo(x, y):
    return x % y


@pytest.mark.parametrize("f", [divide, floor_divide, modulo])
def test_division_by_zero(f):
    agrees(f, 1.0, 0.0)
    agrees(f, 1, 0)
    agrees(f, True, False)
    with np.errstate(all="ignore"):
        agrees(f, np.float64(1.0), np.float64(0.0))
        agrees(f, np.int64(5), np.int64(0))
        agrees(f, np.float64(1.0), 0.0)


def power(x, y):
    return x**y


@pytest.mark.parametrize(
    "x, y",
    [(2.0, 3.0), (0.0, -1.0), (-2.0, 3.0), (0.0, 0.0), (2, 10), (10.0, 400.0), (-2, 3), (2.0, 5)],
)
def test_power(x, y):
    agrees(power, x, y)


def test_overflow():
    with pytest.raises(OverflowError):
        run(power, 10, 30)
    with pytest.raises(OverflowError):
        run(lambda a: a * a + 1, 2**40)
    agrees(lambda a: a * a, 2**31)


def mixed_types(a, x):
    b = a > 2
    return a + x, a * b, b + b, x * b, a == x, x > a


def test_mixed_types():
    agrees(mixed_types, 3, 0.5)
    agrees(mixed_types, np.int64(3), 0.5)
    agrees(mixed_types, np.int32(3), np.float32(0.5))
    agrees(mixed_types, 3, np.float32(0.5))


# --- control --------------------------------------------------------------------------------------


def early_return(x):
    if x < 0.0:
        return -1.0
    if x > 10.0:
        return x * 2.0
    y = x + 1.0
    if y > 5.0:
        y = y * 3.0
        if y > 20.0:
            return y
        y -= 1.0
    return y


def branches(x):
    if x < 0:
        y, z = 1, x
    elif x < 1:
        y, z = 2.5, 2.0
    else:
        y, z = True, x * x
    return y * z if x != 0.5 else z


def clamp(x, lo=0.0, hi=1.0):
    return lo if x < lo else hi if x > hi else x


def sum_loop(x):
    s = 0
    for i in range(len(x)):
        s += x[i]
    return s


def sum_items(x):
    s = 0.0
    for v in x:
        s += v * v
    return s


def nested_loops(n, m):
    total = 0
    for i in range(n):
        for j in range(i, m, 2):
            total += i * j - (1 if j % 2 else 0)
    return total


def countdown(n):
    s = 0
    for i in range(n, 0, -2):
        s = s * 3 + i
    return s


def newton(x):
    y = x
    while abs(y * y - x) > 1e-12:
        y = 0.5 * (y + x / y)
    return y


def with_break(x, limit):
    s = 0.0
    k = 0
    for v in x:
        if v < 0.0:
            continue
        s += v
        k += 1
        if s > limit:
            break
    return s, k


def find(x, wanted):
    for i in range(len(x)):
        if x[i] == wanted:
            return i
    return -1


def search_table(rows, limit):
    for i in range(rows.shape[0]):
        s = 0.0
        for j in range(rows.shape[1]):
            s += rows[i, j]
            if s > limit:
                return s * 10.0
        if s < 0.0:
            break
    return 0.0


def collatz(n):
    steps = 0
    while True:
        if n == 1:
            return steps
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1


@pytest.mark.parametrize("x", [-3.0, -1.0, 0.0, 0.5, 0.75, 3.0, 4.5, 6.0, 12.0])
def test_branches(x):
    agrees(early_return, x)
    agrees(branches, x)
    agrees(clamp, x)


def test_loops():
    x = np.array([1.0, -2.0, 3.5, 4.0])
    agrees(sum_loop, x)
    agrees(sum_items, x)
    agrees(sum_items, [1.0, 2.0])
    agrees(nested_loops, 5, 9)
    agrees(nested_loops, 0, 9)
    agrees(countdown, 7)
    agrees(newton, 2.0)
    agrees(with_break, x, 4.0)
    agrees(with_break, x, 400.0)
    agrees(find, x, 3.5)
    agrees(find, x, 9.0)
    agrees(search_table, np.arange(12.0).reshape(3, 4), 20.0)
    agrees(search_table, np.arange(12.0).reshape(3, 4), 1000.0)
    agrees(search_table, -np.arange(12.0).reshape(3, 4), 1000.0)
    agrees(collatz, 27)


# --- functions ------------------------------------------------------------------------------------

SCALE = 2.5
TABLE = np.array([1.0, 2.0, 4.0])


def uses_globals(x):
    return x * SCALE + TABLE[1]


def helper(x, power=2, *, shift=0.0):
    return x**power + shift


def defaults(x):
    return helper(x), helper(x, 3), helper(power=1, x=x), helper(x, shift=1.5)


def compose(f, g):
    return lambda x: f(g(x))


def higher_order(x, k):
    def scaled(y):
        return y * k

    twice = compose(scaled, scaled)
    return twice(x) + compose(lambda y: y + 1.0, twice)(x), (lambda a, b=x: a - b)(k)


def late_binding(x):
    k = 1.0

    def f(y):
        return y * k

    a = f(x)
    k = 5.0
    return a, f(x)


def chosen(x, c):
    a, b = x * 2.0, x + 1.0
    if c > 0:
        f = lambda y: y * a
    else:
        f = lambda y: y + b + a
    return f(x) + f(2.0)


def chosen_in_loop(x, n):
    s = 0.0
    for i in range(n):
        k = x[i]
        f = (lambda y: y * k) if k > 0 else (lambda y: y - s)
        s += f(float(i))
    return s


def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


def recursive_sum(x, i, acc):
    if i == len(x):
        return acc
    return recursive_sum(x, i + 1, acc + x[i])


def starts_sum(x):
    return recursive_sum(x, 0, 0)


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def local_recursion(x, n):
    def go(i):
        if i == 0:
            return 1
        return x * go(i - 1) + 0.5

    return go(n)


def test_functions():
    agrees(uses_globals, 3.0)
    agrees(defaults, 1.5)
    agrees(higher_order, 1.5, 3.0)
    agrees(late_binding, 2.0)
    for c in (1, -1):
        agrees(chosen, 1.5, c)
    agrees(chosen_in_loop, np.array([1.0, -2.0, 3.0]), 3)


def test_recursion():
    agrees(factorial, 10)
    agrees(starts_sum, np.array([1.0, 2.0, 4.0]))
    agrees(fib, 12)
    agrees(is_even, 7)
    same(run(local_recursion, 1.5, 3), local_recursion(1.5, 3))


def test_globals_are_read_anew():
    global SCALE
    made = compiled(uses_globals, 3.0)
    before = SCALE
    try:
        SCALE = 7.0
        same(rerun(made, uses_globals, 3.0), uses_globals(3.0))
    finally:
        SCALE = before


def test_lambdas_made_anew():
    def make(k):
        return lambda x: x * k

    made = compiled(make(2.0), 3.0)
    assert rerun(made, make(5.0), 3.0) == 15.0

    def apply(f, x):
        return f(x) + f(1.0)

    made = compiled(apply, make(2.0), 3.0)
    assert rerun(made, apply, make(5.0), 3.0) == 20.0
