"""Functions that update tables and lists and pass them on to each other. If a needless copy were
made in every round or call, a linear program would be quadratic. All are functions of a number and
of a size.
"""

import math
from collections.abc import Callable


def rows_by_helper(x, n):
    """Update a table by a helper, which returns it with the old lengths of its rows."""
    t = [[x] for _ in range(n)]

    def bump(row, k):
        row[0] += x * k
        return row[0]

    s = 0.0
    for k, row in enumerate(t):
        row.append(x * k)
        s += bump(row, k)
    return s + sum(sum(row) for row in t)


def memoised_rows(x, n):
    memo = [[-1.0] * 4 for _ in range(n + 1)]

    def f(k, j):
        if k == 0:
            return x * j
        if memo[k][j] >= 0.0:
            return memo[k][j]
        v = (f(k - 1, (j + 1) % 4) + f(k - 1, j)) * 0.5
        memo[k][j] = v
        return v

    return f(n, 0)


def memoised_with_choices(x, n):
    memo = [[-1.0] * 3 for _ in range(n + 1)]
    choice = [0] * (n + 1)

    def f(k, j):
        if k == 0:
            return x * j
        if memo[k][j] >= 0.0:
            return memo[k][j]
        u, v = f(k - 1, (j + 1) % 3), f(k - 1, j) * 0.5
        if u > v:
            choice[k] = j
        memo[k][j] = max(u, v)
        return memo[k][j]

    return f(n, 0) + sum(choice) * 0.01


def flooded(x, n):
    grid = [[0.0] * 4 for _ in range(n)]

    def fill(i, j, v):
        if i < 0 or i >= n or j < 0 or j >= 4 or grid[i][j] != 0.0:
            return 0.0
        grid[i][j] = v
        return v + fill(i + 1, j, v) + fill(i, j + 1, v) + fill(i - 1, j, v)

    return fill(0, 0, x)


def mutual_rows(x, n):
    t = [[0.0, x] for _ in range(n)]

    def even(i):
        if i >= n:
            return 0.0
        t[i][0] = x
        return odd(i + 1) + t[i][0]

    def odd(i):
        if i >= n:
            return 1.0
        t[i].append(2.0 * x)
        return even(i + 1) * 0.9 + t[i][2]

    return even(0)


def stacks(x, n):
    """Solve the towers of Hanoi."""
    t = [[x * i for i in range(n)], [], []]

    def move(k, a, b, c):
        if k == 0:
            return 0.0
        s = move(k - 1, a, c, b)
        v = t[a].pop()
        t[b].append(v)
        return s + v + move(k - 1, c, b, a) * 0.5

    return move(int(math.log2(n)), 0, 1, 2)


def table_of_an_argument(x, n):
    return _walked([[0.0] for _ in range(n)], 0, x)


def _walked(t, i, x):
    if i == len(t):
        return sum(row[0] for row in t)
    t[i][0] = x * i
    s = _walked(t, i + 1, x)
    t[i].append(s)
    return s + t[i][0] * t[i][1]


def segment_tree(x, n):
    t = [0.0] * (4 * n)

    def update(node, lo, hi, i, v):
        if lo == hi:
            t[node] += v
            return
        m = (lo + hi) // 2
        if i <= m:
            update(2 * node, lo, m, i, v)
        else:
            update(2 * node + 1, m + 1, hi, i, v)
        t[node] = t[2 * node] + t[2 * node + 1]

    s = 0.0
    for i in range(n):
        update(1, 0, n - 1, i, x * i)
        s += t[1]
    return s


def slices_assigned(x, n):
    xs = [x * k for k in range(n)]
    for k in range(n - 3):
        xs[k : k + 2] = [xs[k + 1], x]
    for _ in range(n // 2):
        xs[len(xs) - 2 :] = [x]
    return sum(xs)


def last_taken_out(x, n):
    d = {k: x * k for k in range(n)}
    s = 0.0
    while d:
        k, v = d.popitem()
        s = 0.5 * s + v + k
    return s


TABLES: list[Callable[[float, int], float]] = [
    rows_by_helper, memoised_rows, memoised_with_choices, flooded, mutual_rows, stacks,
    table_of_an_argument, segment_tree, slices_assigned, last_taken_out,
]  # fmt: skip
