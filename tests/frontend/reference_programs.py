"""Functions that hold an object (``push = out.append``), and parts that helpers give."""

from __future__ import annotations

import heapq
from functools import partial
from heapq import heappush

import numpy as np


class Box:
    def __init__(self):
        self.items = []
        self.rows = [[0.0] * 3 for _ in range(3)]
        self.n = 0

    def add(self, v):
        self.items.append(v)
        self.n += 1

    def row(self, i):
        return self.rows[i]


class Model:
    def __init__(self, w):
        self.w = w

    def loss(self, x):
        return self.w * x * x

    def set(self, w):
        self.w = w


def use(push, x, n):
    for i in range(n):
        push(x * i)


# --- methods as values ----------------------------------------------------------------------------


def appended(x, n):
    out = []
    push = out.append
    for i in range(n):
        push(x * i)
    return sum(out)


def given_to_a_helper(x, n):
    out = []
    use(out.append, x, n)
    more = out.extend
    more([x, 2 * x])
    return sum(out)


def in_a_dict(x, n):
    a, b = [], []
    acts = {"a": a.append, "b": b.append}
    for i in range(n):
        acts["a" if i % 2 else "b"](x * i)
    return sum(a) - 2 * sum(b)


def chosen(x, n):
    a, b = [], []
    for i in range(n):
        push = a.append if i % 2 else b.append
        push(x * i)
    return sum(a) - 2 * sum(b)


def in_a_list(x, n):
    a, b = [], []
    acts = [a.append, b.append]
    for i in range(n):
        acts[i % 2](x * i)
    return sum(a) + 2 * sum(b)


def popped(x, n):
    out = [x * i for i in range(n)]
    pop = out.pop
    total = 0.0
    while out:
        total += pop() * len(out)
    return total


def of_a_row(x, n):
    rows = [[] for _ in range(3)]
    for i in range(n):
        push = rows[i % 3].append
        push(x * i)
    return sum(rows[0]) - sum(rows[1])


def of_a_set_and_a_dict(x, n):
    seen, groups = set(), {}
    add, group = seen.add, groups.setdefault
    for i in range(n):
        add(i % 3)
        group(i % 2, []).append(x * i)
    return sum(groups[0]) * len(seen)


def of_a_table(x, n):
    table = {i: x * ((i * 7) % 5) for i in range(n)}
    get = table.get
    table[2] = 5 * x
    return get(2, 0.0) + get(99, x) + table[max(table, key=table.get)]


def read_later(x, n):
    w = [x * ((i * 7) % 5) for i in range(n)]
    at, a = w.__getitem__, np.ones(n) * x
    mean = a.mean
    w[2], a[0] = 5 * x, 9 * x
    order = sorted(range(n), key=w.__getitem__)
    return at(2) + mean() + sum(w[i] * k for k, i in enumerate(order))


def captured_by_a_recursion(x, n):
    out = []
    push = out.append

    def go(k):
        if k > 0:
            push(x * k)
            go(k - 1)

    go(n)
    return sum(out)


def as_a_default(x, n):
    out = []

    def go(k, push=out.append):
        push(x * k)
        if k > 0:
            go(k - 1)

    go(n)
    return sum(out)


def to_a_generator(x, n):
    out = []

    def gives(push):
        for i in range(n):
            push(x * i)
            yield x

    total = sum(gives(out.append))
    return sum(out) + total


def of_two_calls(x, n):
    def make():
        out = []
        return out.append, lambda: sum(out)

    push, total = make()
    other, rest = make()
    for i in range(n):
        push(x * i)
        other(x)
    return total() + rest() * rest()


def two_of_one_list(x, n):
    out = [x, 2 * x]

    def both(push, pop):
        push(3 * x)
        return pop() * pop()

    return both(out.append, out.pop)


def heap(x, n):
    h = []
    push, pop = partial(heappush, h), partial(heapq.heappop, h)
    use(push, x, n)
    for i in range(n):
        push(x * ((i * 7) % 5))
    total = 0.0
    while h:
        total = 2 * total + pop()
    return total


def of_a_row_that_stays(x, n):
    rows = [[x], [2 * x]]
    push = rows[-1].append
    rows.append([x])
    push(5 * x)
    return sum(rows[0]) + 2 * sum(rows[1]) + len(rows[2])


def of_nothing_with_a_name(x, n):
    push = [x].append
    push(x)
    return x


def of_an_object(x, n):
    box, m = Box(), Model(3.0 * x)
    add, f, change = box.add, m.loss, m.set
    use(add, x, n)
    add(x)
    change(x)
    return sum(box.items) * box.n + f(x)


def in_every_round(x, n):
    rows = []
    for i in range(n):
        out = []
        push = out.append
        use(push, x, i)
        rows.append(out)
    return sum(sum(r) for r in rows)


# --- two names ------------------------------------------------------------------------------------


def two_names_in_a_loop(x, n):
    out = []
    b = out
    for i in range(n):
        b.append(x * i)
        out.append(x)
    return sum(out) + len(b)


def captured_by_the_other_name(x, n):
    out = []
    b = out

    def push(v):
        b.append(v)

    for i in range(n):
        push(x * i)
    return sum(out)


def bound_anew_after(x, n):
    out = [x]
    old = out
    out = [2 * x]
    for i in range(n):
        old.append(x * i)
        out = [*out, x]
    return sum(out) * sum(old)


def bound_to_each_other(x, n):
    a = [x]
    b = a
    a = b
    a.append(3 * x)
    b = a
    b.append(x)
    return sum(a) + sum(b)


def three_names(x, n):
    a = [x]
    b = a
    c = b
    for _ in range(n):
        c.append(x)
        b.append(2 * x)
    a = []
    c.append(x)
    return sum(b) + 2 * sum(c) + len(a)


def given_the_name_of_the_whole(x, n):
    t = [[x], [2 * x]]
    t = t[0]
    return sum(t) + len(t)


# --- parts that helpers give ----------------------------------------------------------------------


def row(m, i):
    return m[i]


def again(m, i):
    return row(m, i)


def one_of_two(m, i):
    return m[0] if i % 2 else m[1]


def found(d, k):
    if k not in d:
        d[k] = []
    return d[k]


def row_of_a_matrix(x, n):
    m = np.zeros((3, 4))
    for i in range(n):
        row(m, i % 3)[i % 4] += x * i
        r = row(m, -1)
        r += x
    return m.sum() + m[1, 1]


def row_of_a_list(x, n):
    m = [[0.0] * 4 for _ in range(3)]
    for i in range(n):
        r = again(m, i % 3)
        r[i % 4] += x * i
        r.append(x)
    return sum(m[0]) + m[1][1]


def row_that_is_chosen(x, n):
    m, a = [[0.0] * 4 for _ in range(3)], np.zeros((3, 4))
    for i in range(n):
        r = one_of_two(m, i)
        r[i % 4] += x * i
        one_of_two(a, i)[1:3] += x
    return sum(m[0]) + 2 * sum(m[1]) + a[0].sum() * a[1].sum()


def whole_list(x, n):
    m = [0.0] * 4
    for i in range(n):
        (lambda v: v)(m)[i % 4] += x * i
    return m[1] + 2 * m[2]


def row_of_an_object(x, n):
    box = Box()
    for i in range(n):
        box.row(i % 3)[i % 2] += x * i
        r = box.row(2)
        r[0] += x
    return sum(box.rows[0]) + box.rows[2][0]


def entry_of_a_dict(x, n):
    d = {}
    for i in range(n):
        found(d, i % 3).append(x * i)
    return sum(d[0]) - sum(d[1])


def row_of_a_captured_list(x, n):
    m = [[0.0] * 4 for _ in range(3)]

    def at(i):
        return m[i]

    for i in range(n):
        at(i % 3)[i % 4] += x * i
        if i == 2:
            m.append([x])
        at(-1).append(x)
    return sum(m[0]) + 2 * sum(m[-1])


PROGRAMS = [
    appended, given_to_a_helper, in_a_dict, chosen, in_a_list, popped, of_a_row,
    of_a_set_and_a_dict, of_a_table, read_later, captured_by_a_recursion, as_a_default,
    to_a_generator, of_two_calls, two_of_one_list, heap, of_a_row_that_stays,
    of_nothing_with_a_name, of_an_object, in_every_round, two_names_in_a_loop,
    captured_by_the_other_name, bound_anew_after,
    bound_to_each_other, three_names, given_the_name_of_the_whole, row_of_a_matrix, row_of_a_list,
    row_that_is_chosen, whole_list, row_of_an_object, entry_of_a_dict, row_of_a_captured_list,
]  # fmt: skip


# --- right or refused -----------------------------------------------------------------------------


def bound_anew(x, n):
    out = [x]
    push = out.append
    out = [2 * x, x]
    push(3 * x)
    return sum(out)


def bound_anew_in_a_loop(x, n):
    out = [x]
    push = out.append
    for i in range(n):
        push(x)
        if i == 3:
            out = [x]
    return sum(out)


def moved(x, n):
    rows = [[x], [2 * x]]
    push = rows[0].append
    rows.insert(0, [x])
    push(5 * x)
    return sum(rows[0]) + 2 * sum(rows[1])


def exchanged(x, n):
    a, b = [x], [2 * x]
    push = a.append
    a, b = b, a
    push(3 * x)
    return sum(a) + 2 * sum(b)


def bound_anew_by_a_helper(x, n):
    out = [x]

    def reset():
        nonlocal out
        out = [x, x]

    push = out.append
    reset()
    push(x * 9)
    return sum(out)


def bound_anew_between(x, n):
    out = [x]
    use(out.append, (out := [2 * x])[0], n)
    return sum(out)


PROGRAMS += [
    bound_anew, bound_anew_in_a_loop, moved, exchanged, bound_anew_by_a_helper, bound_anew_between,
]  # fmt: skip
