"""Programs as others write them, in which rows, generators and outer variables meet."""

from __future__ import annotations

import numpy as np


def heap_permutations(xs):
    arr = list(xs)
    total = 0.0
    count = 0

    def heap(k):
        nonlocal total, count
        if k == 1:
            count += 1
            total += arr[0] * count
            return
        for i in range(k):
            heap(k - 1)
            j = i if k % 2 == 0 else 0
            arr[j], arr[k - 1] = (arr[k - 1], arr[j])
    heap(3)
    return total


def flood_fill(xs):
    grid = [[1, 1, 0], [0, 1, 0], [1, 0, 1]]

    def fill(i, j):
        if not (0 <= i < 3 and 0 <= j < 3) or grid[i][j] != 1:
            return 0
        grid[i][j] = 2
        return 1 + fill(i + 1, j) + fill(i - 1, j) + fill(i, j + 1) + fill(i, j - 1)
    sizes = [s for i in range(3) for j in range(3) if (s := fill(i, j)) > 0]
    return sum((xs[k % 3] * s for k, s in enumerate(sizes)))


def flood_in_loops(xs):
    grid = [[1, 1, 0], [0, 1, 0], [1, 0, 1]]

    def fill(i, j):
        if not (0 <= i < 3 and 0 <= j < 3) or grid[i][j] != 1:
            return 0
        grid[i][j] = 2
        return 1 + fill(i + 1, j) + fill(i - 1, j)
    t = 0
    for i in range(3):
        for j in range(3):
            t += fill(i, j)
    return t * xs[0] + sum(xs)


def tree_walk_with_a_log(xs):

    def walk(i):
        if i < len(vals):
            yield from walk(2 * i + 1)
            visits.append(i)
            yield vals[i]
            yield from walk(2 * i + 2)
    vals = [xs[i % 3] + i for i in range(6)]
    visits = []
    t = 0.0
    for k, v in enumerate(walk(0)):
        t += v * (k + 1) * len(visits)
    return t + visits[0]


def pipeline_of_generators(xs):
    seen = 0

    def source():
        for x in xs:
            yield x + 1.0

    def doubled(it):
        for v in it:
            yield (v * 2)

    def counted(it):
        nonlocal seen
        for v in it:
            seen += 1
            yield (v + seen)
    return sum(counted(doubled(source()))) * seen


def generators_inside_of_each_other(xs):
    n = 0

    def outer():
        nonlocal n
        for x in xs:
            n += 1
            for y in inner(x):
                n += 10
                yield (y + n)

    def inner(v):
        nonlocal n
        for k in range(2):
            n += 100
            yield (v * k)
            n += 1000
    t = 0.0
    for v in outer():
        t += v * n
        n += 1
    return t + n


def effects_stop_at_a_break(xs):
    n = 0

    def g():
        nonlocal n
        for x in xs:
            n += 1
            yield x
            n += 100
    for _ in g():
        if n > 1:
            break
    m = n
    last = [v for v in g()][-1]
    return n * xs[0] + m + last


def array_in_turns(xs):
    a = np.array(xs)

    def g():
        for i in range(3):
            a[i] *= 2.0
            yield a[i]
    t = 0.0
    for v in g():
        t += v * a.sum()
        a[2] += 1.0
    return t + a.sum()


def matrix_in_turns(xs):
    m = np.zeros((3, 3))

    def cells():
        for i in range(3):
            for j in range(3):
                if m[i, j] == 0.0:
                    yield (i, j)
    for i, j in cells():
        m[i, j] = xs[i] * xs[j]
        m[j, i] = m[i, j]
    return m.sum() * m[0, 1]


def loop_inside_its_own_loop(xs):
    n = 0

    def g():
        nonlocal n
        n += 1
        yield (n * xs[0])
        n += 1
        yield (n * xs[1])
    t = 0.0
    for a in g():
        for b in g():
            t += a * b * n
    return t


def unpacked(xs):
    n = 0

    def g():
        nonlocal n
        for x in xs:
            n += 1
            yield x
    a, b, c = g()
    first, *rest = g()
    return a * b * c * n + first * len(rest)


def dict_in_turns(xs):
    st = {'n': 0, 's': 0.0}

    def g():
        for x in xs:
            st['n'] += 1
            yield (x * st['n'])
    for v in g():
        st['s'] += v
    return st['s'] * st['n']


def comprehension_in_a_comprehension(xs):
    n = 0

    def f(v):
        nonlocal n
        n += 1
        return v * n
    return sum(sum(f(x * y) for y in xs if f(y) > 0.5) for x in xs if f(x) > 1.0) + n


def two_fors_that_append(xs):
    out = []
    s = [out.append(x * y) or len(out) for x in xs for y in xs if x < y or not out]
    return sum(out) + sum(s) * xs[0]


def conditions_inside_of_each_other(xs):
    a = 0

    def up():
        nonlocal a
        a += 1
        return a % 4 != 0
    t = 0.0
    while a < 8:
        while up():
            t += xs[a % 3]
        t *= 0.5
    return t + a


def call_behind_and(xs):
    i = 0

    def nxt():
        nonlocal i
        i += 1
        return xs[i - 1] if i <= 3 else -1.0
    t = 0.0
    while i < 10 and (v := nxt()) > 0.0:
        t += v * i
    return t + i


def map_over_zip(xs):
    n = 0

    def f(p):
        nonlocal n
        n += 1
        return p[0] * p[1] * n
    return sum(map(f, zip(xs, xs))) + n


def filter_over_enumerate(xs):
    n = 0

    def f(p):
        nonlocal n
        n += 1
        return p[0] != 1
    return sum((v * k for k, v in filter(f, enumerate(xs)))) + n


def max_over_enumerate(xs):
    n = 0

    def f(p):
        nonlocal n
        n += 1
        return p[1]
    k, v = max(enumerate(xs), key=f)
    return k * v + n


def map_over_a_generator_and_a_list(xs):
    n = 0

    def f(v, w):
        nonlocal n
        n += 1
        return v * n + w

    def g():
        for x in xs:
            yield x + 1.0
    return sum(map(f, g(), xs)) + n


def running_variance(xs):

    def stats():
        n, mean, m2 = (0, 0.0, 0.0)

        def add(x):
            nonlocal n, mean, m2
            n += 1
            d = x - mean
            mean += d / n
            m2 += d * (x - mean)

        def var():
            return m2 / n
        return (add, var)
    add, var = stats()
    for x in xs:
        add(x)
    return var()


def toggle(xs):

    def make():
        on = False

        def flip():
            nonlocal on
            on = not on
            return on
        return flip
    f = make()
    t = 0.0
    for x in xs:
        if f():
            t += x
        else:
            t -= x
    return t


def counter_or_not(xs):

    def make(flag):
        n = 0.0

        def f(v):
            nonlocal n
            n += v
            return n

        def g(v):
            return v
        return f if flag else g
    a, b = (make(True), make(False))
    return a(xs[0]) + a(xs[1]) * b(xs[2])


def scans_a_captured_table(xs):
    grid = [[1, 1, 0], [0, 1, 0], [1, 0, 1]]

    def fill(i, j):
        grid[i][j] = 2
        return 1

    def scan_():
        n = 0
        for i in range(3):
            for j in range(3):
                n += fill(i, j)
        return n
    return scan_() * xs[0] + grid[1][1]


def scans_a_table(xs):
    grid = [[1, 1, 0], [0, 1, 0], [1, 0, 1]]

    def scan_(g):
        n = 0
        for i in range(3):
            for j in range(3):
                g[i][j] += 2
                n += g[j][i]
        return n
    return scan_(grid) * xs[0] + grid[1][1]


PROGRAMS = [
    heap_permutations, flood_fill, flood_in_loops, tree_walk_with_a_log, pipeline_of_generators,
    generators_inside_of_each_other, effects_stop_at_a_break, array_in_turns, matrix_in_turns,
    loop_inside_its_own_loop, unpacked, dict_in_turns, comprehension_in_a_comprehension,
    two_fors_that_append, conditions_inside_of_each_other, call_behind_and, map_over_zip,
    filter_over_enumerate, max_over_enumerate, map_over_a_generator_and_a_list,
    running_variance, toggle, counter_or_not, scans_a_captured_table, scans_a_table,
]  # fmt: skip
