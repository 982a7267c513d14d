"""Names for parts of structures that a loop hands to its next round: updates by them are updates
of the structure."""

import numpy as np

X = [0.3, 0.8, 0.6, 0.1, 0.9, 0.7]
A = np.arange(9.0).reshape(3, 3) / 7 + 0.1


def appended(xs):
    rows = [[x, 1.0] for x in xs]
    best = rows[0]
    for k, x in enumerate(xs):
        if x > best[0]:
            best = rows[k]
        rows.append([x * 2, 0.5])
        best[1] += x
    best[0] += 3.0
    return sum((a * b for a, b in rows))


def deep(xs):
    t = [[[x, 1.0] for x in xs] for _ in range(3)]
    cell = t[0][0]
    for i in range(3):
        for j in range(len(xs)):
            if t[i][j][0] * (i + 1) > cell[0]:
                cell = t[i][j]
                cell[0] *= 1.1
    cell[1] = 9.0
    return sum(v for p in t for r in p for v in r)


def whole_plane(xs):
    t = [[[x, 1.0] for x in xs] for _ in range(3)]
    p = t[0]
    for i in range(3):
        if i == 1:
            p = t[i]
        p[i][1] += 2.0
    p.append([1.0, 5.0])
    return sum((v * (k + 1) for k, q in enumerate(t) for r in q for v in r))


def two_names(xs):
    rows = [[x, 1.0] for x in xs]
    lo = hi = rows[0]
    for r in rows:
        if r[0] < lo[0]:
            lo = r
        if r[0] > hi[0]:
            hi = r
    lo[1], hi[1] = (5.0, 7.0)
    lo[0], hi[0] = (hi[0], lo[0])
    return sum((a * b * k for k, (a, b) in enumerate(rows)))


def same_two(xs):
    rows = [[x, 1.0] for x in xs]
    a = rows[0]
    b = rows[1]
    for k in range(4):
        a, b = (b, rows[k])
        a[0] += 1.0
        b[1] += a[0]
    return sum((p * q for p, q in rows)) + a[0] * b[1]


def with_break(xs):
    rows = [[x, 1.0] for x in xs]
    cur = rows[-1]
    for r in rows:
        if r[0] > 0.75:
            cur = r
            break
        r[1] += 0.5
    cur[1] *= 4.0
    return sum((a * b for a, b in rows))


def with_continue(xs):
    rows = [[x, 1.0] for x in xs]
    cur = rows[0]
    k = 0
    while k < len(rows):
        k += 1
        if rows[k - 1][0] < 0.5:
            continue
        cur = rows[k - 1]
        cur[1] += 2.0
    cur[0] = 0.0
    return sum((a * b for a, b in rows))


def returns_in(xs):
    rows = [[x, 1.0] for x in xs]
    cur = rows[0]
    for r in rows:
        cur[1] += r[0]
        if r[0] > 0.85:
            cur[0] = 3.0
            return sum((a * b for a, b in rows))
        cur = r
    return cur[0]


def dict_place(xs):
    d = {'w': [x for x in xs], 'v': [1.0, 2.0, 3.0]}
    cur = d['w']
    for k in range(3):
        cur[k] *= 2.0
    cur.append(1.0)
    return sum(d['w']) * sum(d['v'])


def arr_rows(a):
    m = a * 1.0
    cur = m[0]
    for i in range(3):
        if m[i, 0] * m[i, 2] > cur[1]:
            cur = m[i]
        cur[1] += m[i, 1]
    cur *= 2.0
    return np.sum(m * m)


def mat_nested(a):
    ms = [a * 1.0, a * 2.0]
    cur = ms[0]
    for k in range(4):
        cur = ms[k % 2]
        cur[0, k % 3] += k
        cur += 0.5
    cur[:, 1] = 0.0
    return np.sum(ms[0]) * 2 + np.sum(ms[1] ** 2)


def gen_rows(xs):
    rows = [[x, 1.0] for x in xs]

    def idx():
        for k in range(len(xs)):
            if k % 2:
                yield k
    cur = rows[0]
    for k in idx():
        cur = rows[k]
        cur[1] += 1.0
    cur[0] += 2.0
    return sum((a * b for a, b in rows))


def helper_updates(xs):
    rows = [[x, 1.0] for x in xs]

    def bump(r, d):
        r[0] += d
        r[1] *= 1.5
    cur = rows[0]
    for k in range(3):
        bump(cur, 0.5)
        cur = rows[k + 1]
    bump(cur, 1.0)
    return sum((a * b for a, b in rows))


def captured_place(xs):
    rows = [[x, 1.0] for x in xs]
    cur = rows[0]
    for k in range(3):
        cur = rows[k]

    def f(v):
        return cur[0] * v
    return f(2.0) + sum((a * b for a, b in rows))


def nested_loops(xs):
    rows = [[x, 1.0] for x in xs]
    best = rows[0]
    for r in rows:
        for q in rows:
            if q[0] * r[1] > best[0] + 0.05:
                best = q
        best[1] += 0.1
        best[0] *= 0.9
    return sum((a * b for a, b in rows)) + best[0]


def stays_first(xs):
    rows = [[x, 1.0] for x in xs]
    head = rows[0]
    for x in xs:
        head[0] += x
        head.append(x)
    return sum(rows[0]) + len(head)


def best_row(xs):
    rows = [[x, 1.0] for x in xs]
    best = rows[0]
    for row in rows:
        if row[0] > best[0]:
            best = row
    best[0] += 10.0
    best.append(3.0)
    return sum((v * k for k, r in enumerate(rows) for v in r))


def while_walk(xs):
    tree = [[x, k + 1] for k, x in enumerate(xs)]
    node = tree[0]
    steps = 0
    while steps < 3:
        node[0] *= 2.0
        node = tree[node[1]]
        steps += 1
    node[0] += 1.0
    return sum((t[0] * k for k, t in enumerate(tree)))


OF_LISTS = [
    appended, deep, whole_plane, two_names, same_two, with_break, with_continue, returns_in,
    dict_place, gen_rows, helper_updates, captured_place, nested_loops, stays_first, best_row,
    while_walk,
]  # fmt: skip
PROGRAMS = [*((f, X) for f in OF_LISTS), (arr_rows, A), (mat_nested, A)]
