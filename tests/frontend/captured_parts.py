"""Functions that update a part of a structure which they capture by a name: as in Python, or
refused. (``tests/frontend/test_views.py`` runs them.)"""

from dataclasses import dataclass

import numpy as np


@dataclass
class Both:
    p: list[float]
    q: list[list[float]]


def table(x):
    return [[v * (k + 1) for v in x] for k in range(3)]


def row(x):
    m = table(x)
    row = m[1]

    def add(d):
        row[0] += d

    add(x[0])
    add(x[1] * 2)
    return sum(sum(r) * (k + 1) for k, r in enumerate(m)) + row[0]


def row_in_a_loop(x):
    m = table(x)
    row = m[1]

    def add(d):
        for k in range(3):
            row[k] += d * k

    for v in x:
        add(v * v)
    return sum(sum(r) * (k + 1) for k, r in enumerate(m))


def row_of_rows(x):
    m = [table(x), table(x)]
    row = m[1][2]

    def add(d):
        row[1] *= d

    add(x[2])
    return m[1][2][1] * m[0][1][1] + row[1]


def field(x):
    b = Both(list(x), table(x))
    p = b.p

    def add(d):
        p[0] += d

    add(x[1])
    return b.p[0] * b.p[1] + sum(p)


def row_of_a_field(x):
    b = Both(list(x), table(x))
    r = b.q[2]

    def add(d):
        r[0] += d
        r.append(d)

    add(x[1])
    return sum(b.q[2]) + len(b.q[2]) * x[0]


def row_bound_anew(x):
    m = table(x)
    row = m[0]

    def nxt(k):
        nonlocal row
        row = m[k]

    def add(d):
        row[0] += d

    add(x[0])
    nxt(1)
    add(x[1])
    nxt(2)
    add(x[2])
    return sum(r[0] * (k + 2) for k, r in enumerate(m))


def by_a_lambda(x):
    m = table(x)
    row = m[1]
    add = lambda d: row.append(d)
    add(x[0])
    add(x[1])
    return sum(m[1]) * len(m[1])


def default(x):
    m = table(x)
    row = m[1]

    def add(d, r=row):
        r[0] += d

    add(x[0])
    add(x[2])
    return sum(m[1]) * row[0]


def helper_of_a_helper(x):
    m = table(x)
    row = m[1]

    def inner(d):
        row[0] += d

    def add(d):
        inner(d * 2)

    def go(k):
        for v in x:
            add(v)

    go(0)
    return sum(m[1]) * row[0]


def row_of_an_array(x):
    m = np.zeros((3, 3))
    row = m[1]

    def add(d):
        row[0] += d

    add(x[0])
    add(x[1])
    return (m * 2).sum() + row[0] ** 2


def row_of_an_array_in_a_loop(x):
    m = np.outer(np.array(x), np.array(x))

    tot = 0.0
    for i in range(3):
        row = m[i]

        def add(d):
            for k in range(3):
                row[k] += d * k

        add(x[i])
        tot += row[2]
    return tot * m[1].sum()


def with_nonlocal(x):
    m = table(x)
    row = m[1]
    i = 0

    def add(d):
        nonlocal i
        row[i] += d
        i += 1

    for v in x:
        add(v)
    return sum(m[1][k] * k for k in range(3)) * i


def item_of_a_dict(x):
    d = {"a": list(x), "b": list(x)}
    row = d["b"]

    def add(v):
        row[0] += v

    add(x[1])
    return d["b"][0] * d["a"][0]


def row_and_its_table(x):
    m = table(x)
    row = m[1]

    def add(d):
        row[0] += d
        m[1][0] *= 2.0
        return row[0] + m[1][1]

    s = add(x[0])
    return s * row[0]


def two_names_of_a_row(x):
    m = table(x)
    row = m[1]
    other = m[1]

    def add(d):
        row[0] += d
        other[0] += d

    add(x[0])
    return m[1][0] * row[0] * other[0]


def row_replaced(x):
    m = table(x)
    row = m[1]

    def add(d):
        row[0] += d

    m[1] = [1.0, 2.0, 3.0]
    add(x[0])
    return m[1][0] + row[0]


def row_moved(x):
    m = table(x)
    row = m[1]

    def add(d):
        row[0] += d

    m.insert(0, list(x))
    add(x[0])
    return m[1][0] + row[0]


def in_a_function(x):
    m = table(x)

    def work(k):
        row = m[k]

        def add(d):
            row[0] += d

        add(x[k])
        add(1.0)

    for k in range(3):
        work(k)
    return sum(r[0] for r in m)


def parameter(x):
    m = table(x)

    def work(row):
        def add(d):
            row[0] += d

        add(x[0])
        add(1.0)

    for k in range(3):
        work(m[k])
    return sum(r[0] * (i + 1) for i, r in enumerate(m))


def row_of_a_loop(x):
    m = table(x)
    for row in m:

        def add(d):
            row[0] += d

        add(x[0])
        add(1.0)
    return sum(r[0] * (i + 1) for i, r in enumerate(m))


def passed_on(x):
    m = table(x)
    row = m[1]

    def add(d):
        row[0] += d

    def both(f):
        f(x[0])
        f(x[1])

    both(add)
    return m[1][0] * row[0]


def recursive(x):
    m = table(x)
    row = m[1]

    def add(k):
        if k == 0:
            return 0.0
        row[k % 3] += x[k % 3]
        return row[0] + add(k - 1)

    return add(5) * sum(m[1])


def made_elsewhere(x):
    m = table(x)

    def make(i):
        row = m[i]

        def add(d):
            row[0] += d

        return add

    f = make(1)
    f(x[0])
    f(x[1])
    return m[1][0] ** 2


def parameter_made_elsewhere(x):
    m = table(x)

    def make(row):
        def add(d):
            row[0] += d

        return add

    f = make(m[1])
    g = make(m[2])
    f(x[0])
    g(x[1])
    f(x[2])
    return m[1][0] ** 2 * m[2][0]


def whole_row(x):
    m = table(x)
    row = m[1]

    def add(d):
        row[:] = [d, d, d]

    add(x[0] * x[1])
    return sum(m[1]) * m[1][0]


def methods(x):
    m = table(x)
    row = m[1]

    def add(d):
        row.append(d)
        row.sort()
        row.pop()

    add(x[0] * x[1])
    return sum(v * k for k, v in enumerate(m[1]))


def two_rows(x):
    m = table(x)
    _, b, c = m

    def add(d):
        b[0] += d
        c[1] += d

    add(x[0])
    return m[1][0] * m[2][1]


class Counter:
    def __init__(self, k):
        self.k = k
        self.n = 0.0

    def see(self, v):
        self.n += v
        return self.k * v

    def seen(self, v):
        return self.k * v * self.n


def methods_by_number(x):
    o = Counter(x[0])
    fs = [o.see, o.seen]
    s = 0.0
    for k in range(4):
        s += fs[k % 2](x[1])
    return s * o.n


def methods_by_key(x):
    o, q = Counter(x[0]), Counter(x[1])
    fs = {"o": o.see, "q": q.see}
    s = 0.0
    for v in x:
        key = "o" if v > 1.0 else "q"
        s += fs[key](v)
    return s * o.n + q.n


def methods_of_a_comprehension(x):
    objects = [Counter(v) for v in x]
    fs = [o.see for o in objects]
    s = 0.0
    for k in range(6):
        s += fs[(k * 2) % 3](x[k % 3])
    return s + objects[1].n


def defaults_of_two_functions(x):
    total = [0.0] * 3

    def add(i, total=total):
        total[i] += x[i] * x[i]

    def twice(i, *, them=total):
        them[i] *= 2.0

    fs = [add, twice, lambda i, them=total: them.append(x[i])]
    for i in range(3):
        add(i)
        total[0] += 1.0
        for f in fs:
            f(i)
    return total[0] * total[1] + total[-1]


def default_that_is_a_view(x):
    m = np.zeros(3)

    def add(i, m=m[1:]):
        m[i] += x[i]

    add(0)
    m[1] *= 3.0
    add(1)
    other = np.ones(2)
    add(1, other)
    m = m * 2.0
    return (m * m).sum() * other[1]


def default_without_a_name(x):
    def push(v, them=[0.5] * 0):
        them.append(v * v)
        return them

    push(x[0])
    push(x[1])
    them = push(x[2])
    return them[0] * them[1] + them[2]


def default_of_a_function_that_is_returned(x):
    def make():
        def put(v, them=them):
            them.append(v)
            return sum(them)

        return put

    them = [1.0]
    put = make()
    put(x[0])
    put(x[1])
    return put(x[2]) * x[0]


def defaults_in_a_loop(x):
    total, out = 0.0, []
    for k in range(3):
        acc = [0.0]

        def add(v, acc=acc, k=k):
            acc[0] += v * k

        def put(v, out=out):
            out.append(v)

        add(x[k])
        add(1.0)
        put(acc[0])
        out[k] *= 2.0
        total += acc[0] * acc[0]
    return total * out[2]


def default_moved(x):
    rows = [[1.0, 2.0], [3.0, 4.0]]

    def add(v, row=rows[1]):
        row[0] += v

    add(x[0])
    rows.insert(0, [5.0, 6.0])
    add(x[0])
    return rows[2][0] * rows[1][0]


def default_bound_anew(x):
    total = [0.0] * 3

    def add(i, total=total):
        total[i] += x[i]

    total = [1.0] * 3
    for i in range(3):
        add(i)
    return total[0]


PROGRAMS = [
    default,
    defaults_of_two_functions,
    default_that_is_a_view,
    default_without_a_name,
    default_of_a_function_that_is_returned,
    defaults_in_a_loop,
    methods_by_number,
    methods_by_key,
    row,
    row_in_a_loop,
    row_of_rows,
    field,
    row_of_a_field,
    by_a_lambda,
    helper_of_a_helper,
    row_of_an_array,
    row_of_an_array_in_a_loop,
    with_nonlocal,
    item_of_a_dict,
    row_and_its_table,
    two_names_of_a_row,
    in_a_function,
    parameter,
    row_of_a_loop,
    passed_on,
    recursive,
    whole_row,
    methods,
    two_rows,
    methods_of_a_comprehension,
]

PROGRAMS += [
    default_moved, default_bound_anew, row_bound_anew, row_replaced, row_moved, made_elsewhere,
    parameter_made_elsewhere,
]  # fmt: skip


def _least(f, low, high):
    while high - low > 0.1:
        third = (high - low) / 3
        if f(low + third) < f(high - third):
            high -= third
        else:
            low += third
    return (low + high) / 2


def points_of_a_descent(x):
    """The last point has a place in the list of all of them, which has grown since."""
    point = np.array(x)
    points = [point]
    while len(points) < 4:
        step = -2.0 * point
        size = _least(lambda a: np.sum((point + a * step) ** 2) + 0.1 * a, 0.0, 1.0)
        point = point + size * step * point[0]
        points.append(point)
    return np.sum(points[-1] * points[1])


def rows_handed_on(x):
    """A row that a function captures is what it is when the function is called."""
    rows = [[x[0], 1.0], [2.0, x[1]]]
    row, total = rows[1], 0.0
    for _ in range(3):
        rows[1][0] += x[0]
        row.append(x[1])
        total += _least(lambda a: (a - row[0] * 0.1) ** 2 + len(row) * 0.01 * a, 0.0, 1.0) * row[0]
        rows.append([x[0], total])
        total += row[0] + sum(row)
    return total


PROGRAMS += [points_of_a_descent, rows_handed_on]
