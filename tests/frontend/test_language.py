"""Programs of the language, against plain Python."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

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
        f = (lambda y: y * k) if k > 0 else (lambda y: y - s)  # noqa: B023
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


# --- data -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    x: float
    y: float = 2.0

    def norm(self):
        return math.sqrt(self.x * self.x + self.y * self.y)

    @property
    def total(self):
        return self.x + self.y

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)


@dataclass(frozen=True)
class Body:
    at: Point
    path: np.ndarray
    name: str = "body"


class Pair(NamedTuple):
    first: float
    second: int


def records(p, q):
    r = p + q
    return Point(r.x, p.norm()), r.total, Point(1.0).y


def bodies(b):
    moved = Body(b.at + Point(1.0), b.path * 2.0, b.name)
    return moved, moved.at.x + moved.path[0]


def named(p):
    a, b = p
    return Pair(a * b, b + 1), p.first, p[1]


def tuples(x, t):
    a, (b, *c) = x, t
    u = (a, *c, b)
    return u, u[0], u[-1], u[1:], len(u), (1, 2) + (x,), (x, x) == (x, b)


def comprehensions(x, n):
    squares = [v * v for v in x]
    table = [[i * j for j in range(n)] for i in range(n)]
    return (
        squares[1],
        sum(squares),
        sum(v for v in x if v > 1.0),
        table[n - 1][n - 1],
        len(squares),
        squares,
        [a + b for a, b in zip(x, squares)],
        [i * v for i, v in enumerate(x)],
        [v for v in x if v > 1.0],
        max(v for v in x),
        [k * 2 for k in (1, 2, 3)],
    )


def list_arithmetic(n, x):
    zeros = [0.0] * n
    both = zeros + [x, 2.0]
    return len(both), both[n], both[-1], both


def test_data():
    agrees(records, Point(1.0, 2.0), Point(3.0, 4.0))
    agrees(named, Pair(1.5, 2))
    agrees(tuples, 1.0, (2.0, 3, 4.0))
    agrees(comprehensions, np.array([1.0, 2.0, 3.0]), 3)
    agrees(list_arithmetic, 3, 1.5)
    b = Body(Point(1.0, 2.0), np.array([1.0, 2.0]))
    same(run(bodies, b), bodies(b))


@dataclass(frozen=True)
class Leaf:
    value: float


@dataclass(frozen=True)
class Fork:
    left: Tree
    right: Tree
    weight: float = 1.0


Tree = Leaf | Fork


@dataclass(frozen=True)
class Cons:
    head: float
    tail: Cons | None


def tree_sum(t):
    match t:
        case Leaf(v):
            return v
        case Fork(left, right, weight=w):
            return w * (tree_sum(left) + tree_sum(right))


def tree_depth(t):
    if isinstance(t, Leaf):
        return 0
    return 1 + max(tree_depth(t.left), tree_depth(t.right))


def tree_map(t, f):
    match t:
        case Leaf(v):
            return Leaf(f(v))
        case Fork(Leaf(a), Leaf(b)):
            return Fork(Leaf(f(a)), Leaf(f(b)), 10.0)
        case Fork(l, r) if isinstance(l, (Leaf, Fork)):
            return Fork(tree_map(l, f), tree_map(r, f))


def list_sum(c):
    s = 0.0
    while c is not None:
        s += c.head
        c = c.tail
    return s


def list_fold(c):
    if c is None:
        return 0.0
    return c.head + 0.5 * list_fold(c.tail)


def build_list(n, x):
    return None if n == 0 else Cons(x * n, build_list(n - 1, x))


def build_and_sum(x, n):
    return list_fold(build_list(n, x))


def test_unions():
    t = Fork(Fork(Leaf(1.0), Leaf(2.0)), Leaf(3.0), 0.5)
    agrees(tree_sum, t)
    agrees(tree_sum, Leaf(2.0))
    agrees(tree_depth, t)
    same(run(tree_map, t, lambda v: v * 2.0), tree_map(t, lambda v: v * 2.0))
    c = Cons(1.0, Cons(2.0, Cons(4.0, None)))
    agrees(list_sum, c)
    agrees(list_fold, c)
    agrees(build_and_sum, 1.5, 4)


def classify(x, y):
    match (x, y):
        case (0, _):
            return 1
        case (a, b) if a > b:
            return a - b
        case (1 | 2, b):
            return b * 10
        case _:
            return -1


def test_match_on_numbers():
    for x in range(4):
        agrees(classify, x, 2)


# --- updates --------------------------------------------------------------------------------------


def prefix_sums(x):
    out = np.zeros(len(x))
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = out[i - 1] + x[i]
    return out


def histogram(idx, n):
    counts = np.zeros(n)
    for i in range(len(idx)):
        counts[idx[i]] += 1.0
    return counts


def table(n, m):
    a = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            if i == 0 or j == 0:
                a[i, j] = i + j
            else:
                a[i][j] = a[i - 1, j] + a[i, j - 1]
    return a


def double_buffer(x, steps):
    a, b = x.copy(), np.zeros(len(x))
    for _ in range(steps):
        for i in range(1, len(x) - 1):
            b[i] = 0.5 * (a[i - 1] + a[i + 1])
        a, b = b, a
    return a


def made_by_helper(x):
    def fresh(n):
        a = np.ones(n)
        a[0] = 5.0
        return a

    y = fresh(len(x))
    y[1] += x[0]
    return y


def test_updates():
    x = np.array([1.0, 2.0, 4.0, 8.0])
    agrees(prefix_sums, x)
    agrees(histogram, np.array([0, 2, 2, 1]), 3)
    agrees(table, 3, 4)
    agrees(double_buffer, x, 3)
    agrees(made_by_helper, x)


# --- raising --------------------------------------------------------------------------------------


def checks(x, n):
    assert n > 0, "n must be positive"
    if x < 0.0:
        raise ValueError("x must not be negative")
    elif x == 0.0:
        raise ZeroDivisionError
    return math.sqrt(x) / n


def deep_raise(x):
    y = 1.0 if x > 0 else complain(x)
    return y * x


def complain(x):
    raise RuntimeError("no")


def test_raises():
    for x, n in ((4.0, 2), (4.0, 0), (-1.0, 1), (0.0, 1)):
        agrees(checks, x, n)
    agrees(deep_raise, 1.0)
    agrees(deep_raise, -1.0)
    agrees(lambda x: x[5], np.zeros(3))

