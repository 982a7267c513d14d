"""Programs in which two names stand for one list, dict, set or object that one of them updates."""

import numpy as np


class Value:
    def __init__(self, x):
        self.x = x

    def __iadd__(self, other):
        self.x += other
        return self


def whole_list(xs):
    a = list(xs)
    a[1:] = [4.0 * xs[0]]
    c = a
    c += [xs[1]]
    return sum(a) + 3.0 * len(c)


def three_names(xs):
    a = list(xs)
    b = a
    c = b
    for x in xs:
        c += [x * x]
    b.append(1.0)
    return sum(a) + len(c) + sum(b)


def repeated(xs):
    a = list(xs)
    b = a
    b *= 2
    return sum(a) + 10.0 * sum(b)


def repeated_in_turns(xs):
    a = list(xs)
    for _ in range(2):
        a *= 2
    b = a
    a *= 1
    return sum(x * i for i, x in enumerate(a)) + len(b)


def repeated_in_a_function(xs):
    a = list(xs)

    def f():
        nonlocal a
        a *= 2

    f()
    b = a
    f()
    return sum(b)


def tuples_are_values(xs):
    t = (1.0, xs[0])
    u = t
    u *= 2
    return sum(t) + sum(u)


def an_object(xs):
    a = Value(xs[0])
    b = a
    b += xs[1]
    return a.x + 10.0 * b.x


def a_dict(xs):
    a = {1: xs[0]}
    b = a
    b |= {2: xs[1]}
    return sum(a.values()) + 10.0 * b[2]


def a_set(xs):
    a = {1, 2}
    b = a
    b |= {3}
    return len(a) * xs[0]


def rows(xs):
    a = [list(xs)]
    b = a
    b[0] += [1.0]
    b += [list(xs)]
    return sum(sum(r) for r in a) + len(b)


def on_one_path(xs):
    a = list(xs)
    b = a
    if xs[0] > 0:
        b += [7.0 * xs[0]]
    else:
        b = [1.0]
    return sum(a) + 2.0 * sum(b)


def parted(xs):
    a = list(xs)
    b = a
    a = [5.0]
    b += [2.0 * xs[0]]
    return sum(a) + 2.0 * sum(b)


def part_of_a_dict(xs):
    d = {"a": list(xs)}
    e = d["a"]
    e *= 2
    d["a"] *= 2
    return sum(d["a"]) + len(e)


def handed_down(ys, depth):
    for i in range(len(ys)):
        ys[i] = ys[i] * ys[i] * 1.5
    return handed_down(ys, depth - 1) if depth > 0 else ys


def result_of_a_recursion(xs):
    ys = [x * xs[0] for x in xs]
    ys = handed_down(ys, 2)
    return ys[1] + ys[0]


def best_of_a_walk(xs):
    cur = np.array(xs)
    best = cur
    for k in range(4):
        cur = cur * 0.5
        cur[k % 3] += 1.0
        if np.sum(cur * cur) < np.sum(best * best):
            best = cur
    return np.sum(best * best) + cur[1]


def best_of_lists(xs):
    cur = [x * x for x in xs]
    best, before = cur, cur
    k = 0
    while k < 3:
        before = cur
        cur = [c * 0.9 for c in cur]
        cur[k] += xs[0]
        if sum(cur) > 9.0:
            best = cur
        k += 1
    return sum(best) * before[0] + cur[1]


def best_of_a_nest(xs):
    best = cur = np.zeros(3)
    for i in range(2):
        start = cur
        for j in range(3):
            cur = cur + xs[i]
            cur[j] *= xs[j]
            if cur[0] > best[0]:
                best = cur
        cur = cur - start * 0.5
    return np.sum(best * cur)


def copied_anew_in_each_round(xs):
    a = np.array(xs)
    c, s = a * 2.0, 0.0
    for _ in range(3):
        a = c.copy()
        s += a[1]
        a[0] = 1.1
    return s + sum(a)


PROGRAMS = [
    best_of_a_walk, best_of_lists, best_of_a_nest, copied_anew_in_each_round,
    whole_list, three_names, repeated, repeated_in_turns, repeated_in_a_function,
    tuples_are_values, an_object, a_dict, a_set, rows, on_one_path, parted, part_of_a_dict,
    result_of_a_recursion,
]  # fmt: skip


def inside_a_tuple(xs):
    a = list(xs)
    t = (a,)
    a *= 2
    return sum(t[0])


def best_that_goes_on(xs):
    cur = np.array(xs)
    best = cur
    for k in range(3):
        cur[k] *= 2.0
        if np.sum(cur) > np.sum(best):
            best = cur
    return np.sum(best * xs[0])


def best_of_an_updated_list(xs):
    cur, best = [0.0] * 3, [0.0] * 3
    for k in range(3):
        cur[k] += xs[k]
        if k == 1:
            best = cur
    return sum(best)


def updated_after_the_loop(xs):
    cur = np.array(xs)
    best = cur
    for k in range(3):
        cur = cur * 0.9
        if k == 1:
            best = cur
    best[0] *= 2.0
    return np.sum(best * cur)


def two_names_at_the_end(xs):
    v, w = np.array(xs), np.zeros(3)
    for k in range(3):
        w = v
        v[k] += xs[0]
    return np.sum(v * w)


def a_view_at_the_end(xs):
    v, w = np.array(xs), np.zeros(3)
    for k in range(3):
        v[k] += xs[0]
        w = v[::-1]
    return np.sum(v * w)


def updated_by_a_helper(xs):
    def add(a):
        a[1] += xs[0]

    v, w = np.array(xs), np.zeros(3)
    for _ in range(3):
        w = v
        add(v)
    return np.sum(v * w)


def returned_in_a_tuple(xs):
    a = np.zeros(3)
    t = (a, xs[1])
    a[0] = xs[0]
    return t


REFUSED = [(a_view_at_the_end, "which the loop updates")]
PROGRAMS += [
    best_of_an_updated_list, inside_a_tuple, two_names_at_the_end, updated_by_a_helper,
    best_that_goes_on, updated_after_the_loop, returned_in_a_tuple,
]  # fmt: skip


class Counted:
    def __init__(self):
        self.n = 0.0

    def more(self, v):
        self.n += v
        return self.n


def chosen_and_then_updated_in_a_comprehension(xs):
    a = Counted()
    b = a if xs[0] > 0.0 else None
    made = [a.more(v) for v in xs]
    return b.n * b.n + made[0]


def in_a_tuple_and_updated_by_sum(xs):
    a = Counted()
    b = (a, 1.0)
    total = sum(a.more(v) for v in xs)
    return b[0].n * total


def in_a_list_and_updated_by_map(xs):
    a = [xs[0]]
    rows = [a, [2.0]]

    def add(v):
        a.append(v)
        return v * v

    largest = max(map(add, xs))
    return sum(rows[0]) * largest


def chosen_and_updated_by_a_generator(xs):
    a = {"k": xs[0]}
    b = a if xs[0] > 0.0 else None

    def steps():
        for v in xs:
            a["k"] += v
            yield v

    total = 0.0
    for v in steps():
        total += v * b["k"]
    return total


def array_that_a_comprehension_updates(xs):
    a = np.zeros(3)
    b = a if xs[0] > 0.0 else None

    def add(v):
        a[0] += v
        return v

    made = [add(v) for v in xs]
    return b[0] * b[0] + len(made)


PROGRAMS += [
    chosen_and_then_updated_in_a_comprehension, in_a_tuple_and_updated_by_sum,
    in_a_list_and_updated_by_map, chosen_and_updated_by_a_generator,
    array_that_a_comprehension_updates,
]  # fmt: skip
