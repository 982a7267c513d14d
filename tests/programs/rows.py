"""Names for rows of a list of lists (or of an array), and updates by them."""

import math
from dataclasses import dataclass

import numpy as np

from tests.programs import Program


def scaled_rows(x):
    t = [[v, v * v, 1.0] for v in x]
    for row in t:
        for j in range(len(row)):
            row[j] *= 2.0 + row[0]
    return sum(math.sin(sum(row)) for row in t)


def eliminated(x):
    """The determinant: rows by name, one is read while others are updated."""
    n = len(x)
    t = [[x[i] * x[j] + (3.0 if i == j else 0.0) for j in range(n)] for i in range(n)]
    det = 1.0
    for i in range(n):
        row = t[i]
        det *= row[i] / 3.0
        for k in range(i + 1, n):
            other = t[k]
            f = other[i] / row[i]
            for j in range(i, n):
                other[j] -= f * row[j]
    return det


def rows_beside_others(x):
    t = [[v, 1.0] for v in x]
    for i, row in enumerate(t):
        if i == 1:
            continue
        row[1] += i * row[0]
        row += [0.5]
    for row, v in zip(t, x):
        row[0] -= v * 0.5
    for row in reversed(t):
        row[0] *= 3.0
        if row[0] > 5.0:
            break
    return sum(row[0] * row[1] + len(row) for row in t)


def rows_of_an_array(x):
    a = np.zeros((len(x), 3))
    for i, row in enumerate(a):
        row[:] = x[i]
        row[1:] *= 2.0
    first = a[0]
    first[0] = x[1]
    first += 1.0
    for row in a:
        row *= row
    return np.sum(a * np.arange(3)) + first[0]


def arrays_in_a_list(x, n):
    t = [np.zeros(2) + v for v in x]
    for _ in range(n):
        for a in t:
            a += 0.5
            a[0] = a[1] * np.sin(a[0])
    return sum(np.sum(a * a) for a in t)


def places_in_a_dict(x):
    d = {"w": list(x), "b": [[0.0], [1.0]]}
    w = d["w"]
    w[0] = x[1] * x[1]
    w.append(1.0)
    b = d["b"][1]
    b[0] += w[0]
    return d["w"][0] + d["b"][1][0] * w[0] + len(w)


def rows_in_planes(x):
    t = [[[v, 1.0] for v in x] for _ in range(3)]
    for plane in t:
        for row in plane:
            row[1] += row[0]
        plane[0][1] = 3.0 * x[0]
    p = t[0]
    r = p[1]
    r[0] = 2.0 * r[1]
    return sum(sum(sum(r) * r[0] for r in p) for p in t) + r[0]


def index_that_moves_on(x):
    t = [[v, v] for v in x]
    i = 0
    while i < len(t):
        row = t[i]
        i += 1
        row[0], row[1] = row[1] * 2.0, row[0] * i
    return sum(a * b for a, b in t)


def buckets(x):
    t = [[] for _ in range(3)]
    for k, v in enumerate(x):
        row = t[k % 2]
        row.append(v)
        row.append(v * v)
    last = t[0].pop()
    row = t[1]
    row.insert(0, last)
    row.sort()
    return sum(k * v for k, v in enumerate(t[1])) + len(t[0])


def two_rows(x):
    """Perhaps the same one."""
    t = [[v] for v in x]
    for i in range(1, len(t)):
        before, now = t[i - 1], t[i]
        now[0] += before[0] * 0.5
        before[0] *= 0.9
    a, b = t[0], t[len(x) // 2]
    a[0] = x[1] * 5.0
    b[0] = 3.0 * a[0]
    a[0] += b[0]
    return sum(row[0] * (k + 1) for k, row in enumerate(t)) + a[0] * b[0]


def left_by_return(x):
    t = [[v, v] for v in x]
    for row in t:
        row[0] = x[0] * 2.0
        if row[0] > 0.1:
            return row[0] * row[1] + t[0][0]
    return sum(row[0] for row in t)


def _scale(row, s):
    for j in range(len(row)):
        row[j] *= s


def _axpy(y, x, f):
    for j in range(len(y)):
        y[j] -= f * x[j]


def _bump(row, j, v):
    row[j] += v
    return row[j]


def _push(rows, v):
    rows.append(v)
    _bump(rows, 0, v * v)


def _decayed(row, k):
    if k == 0:
        return 0.0
    row[0] *= 0.5
    return row[0] + _decayed(row, k - 1)


def _normalise(row):
    n = math.sqrt(sum(v * v for v in row))
    _scale(row, 1.0 / n)
    return n


def two_tables(x):
    t = [[v] for v in x]
    u = [[2.0 * v, 1.0] for v in x]
    for a, b in zip(t, u):
        a[0], b[1] = b[0] + a[0], a[0]
    for (i, a), b in zip(enumerate(t), reversed(u)):
        a[0] += b[0] * i
    for a in t:
        for b in t:
            b[0] += 0.1 * a[0]
    return sum(a[0] * b[1] for a, b in zip(t, u))


def one_name_for_several_rows(x):
    t = [[v, 1.0] for v in x]
    for k in range(len(t)):
        row = t[k]
        row[0] += 1.0
        row = t[len(t) - 1 - k]
        row[1] += row[0]
    for i, row in enumerate(t, 1):
        row[0] *= i
    row = t[0]
    other = t[0]
    if x[0] > 0.0:
        row[0] = 2.0 * x[1]
    else:
        other[1] = 3.0 * x[0]
        if x[1] > 0.3:
            return sum(map(sum, t)) + row[0]
    other.append(row[0] + x[0])
    return sum(a * b for a, b, *_ in t) + row[2] * len(row)


def rows_in_comprehensions(x):
    t = [[v, 2.0] for v in x]

    def bump(t):  # a row, by the name of the table
        t[0] += 1.0
        return t[0] * 2.0

    s = 0.0
    for row in t:
        row[1] = sum([w * row[0] for w in row])
        row.append(max(row))
        s += bump(row)
    return s + sum(x for row in t for x in row)


def narrow_rows(x):
    a = np.zeros((3, 2), dtype=np.float32)
    for i, row in enumerate(a):
        row += x[:2] * np.float32(i)
        np.add.at(row, [0, 0, 1], x[2])
        row[[1, 0]] = row * np.float32(1.5)
    d = a[2]
    d[::2] = a[1, 0]
    return np.sum(a * a)


def given_to_functions(x):
    n = len(x)
    t = [[x[i] * x[j] + (3.0 if i == j else 0.0) for j in range(n)] for i in range(n)]
    det = 1.0
    for i in range(n):
        det *= t[i][i] / 3.0
        for k in range(i + 1, n):
            _axpy(t[k], t[i], t[k][i] / t[i][i])
    for row in t:
        det += _normalise(row) + _decayed(row, 2)
    _scale(t[-1], det)
    return sum(t[-1])


def given_arrays_and_buckets(x):
    a = np.zeros((len(x), 3))
    for i in range(len(x)):
        _bump(a[i], i % 3, x[i] * x[i])
    for row in a:
        _scale(row, x[0])
    t = [[] for _ in range(2)]
    for k, v in enumerate(x):
        _push(t[k % 2], v)
    d = {"w": [v * v for v in x], "b": [[1.0] for _ in x]}
    s = _bump(d["w"], 0, a[0, 0]) + _bump(d["b"][1], 0, x[1])
    return np.sum(a * a) + sum(map(sum, t)) * s + sum(d["w"]) + d["b"][1][0]


@dataclass(frozen=True)
class Particle:
    place: list[float]
    mass: float


def lists_in_records(x):
    ps = [Particle([v, 0.5 * v], 1.0 + v * v) for v in x]
    for p in ps:
        _scale(p.place, p.mass)
        p.place[0] += p.mass
    first = ps[0]
    _axpy(first.place, ps[1].place, 0.3)
    return sum(p.place[0] * p.place[1] for p in ps)


@dataclass(frozen=True)
class Body:
    place: np.ndarray
    speed: np.ndarray
    trail: list[float]


def _accelerate(body, force, dt):
    body.speed[:] += force * (dt / len(body.trail))
    body.place[0] += dt * body.speed[0]
    body.place[1] += dt * body.speed[1]
    body.trail.append(body.place[0])


def _pull(f, d):
    f += d


def bodies(x):
    """Bodies that attract each other: forces are rows of an array, bodies records of a list, and
    both are updated by functions that are given one of them."""
    world = [Body(np.array([v, v * v]), np.zeros(2), [v]) for v in x]
    for _ in range(2):
        forces = np.zeros((len(world), 2))
        for i, one in enumerate(world):
            for j in range(i):
                d = world[j].place - one.place
                d = d / (1.0 + np.sum(d * d))
                _pull(forces[i], d)
                _pull(forces[j], -d)
        for body, force in zip(world, forces):
            _accelerate(body, force, 0.1)
    first = world[0].place
    first[0] *= 2.0
    return sum(np.sum(b.place * b.speed) + sum(b.trail) for b in world)


def numbers(rng, n):
    return ([float(v) for v in rng.normal(size=n)],)


PROGRAMS = [
    Program("scaled_rows", scaled_rows, numbers),
    Program("eliminated_by_rows", eliminated, lambda r, n: (list(r.uniform(0.2, 1.0, n)),),
            sizes=(2, 3, 6)),
    Program("rows_beside_others", rows_beside_others, numbers),
    Program("rows_of_an_array", rows_of_an_array, lambda r, n: (r.normal(size=n),)),
    Program("arrays_in_a_list", arrays_in_a_list, lambda r, n: (*numbers(r, n), 2)),
    Program("places_in_a_dict", places_in_a_dict, numbers),
    Program("rows_in_planes", rows_in_planes, numbers),
    Program("index_that_moves_on", index_that_moves_on, numbers),
    Program("buckets_by_rows", buckets, numbers),
    Program("two_rows", two_rows, numbers),
    Program("two_tables", two_tables, numbers),
    Program("one_name_for_several_rows", one_name_for_several_rows, numbers),
    Program("rows_in_comprehensions", rows_in_comprehensions, numbers),
    Program("narrow_rows", narrow_rows, lambda r, n: (r.normal(size=n).astype(np.float32),),
            sizes=(3,), single=True),
    Program("rows_given_to_functions", given_to_functions,
            lambda r, n: (list(r.uniform(0.2, 1.0, n)),), sizes=(2, 4)),
    Program("given_arrays_and_buckets", given_arrays_and_buckets, numbers, sizes=(3, 8)),
    Program("lists_in_records", lists_in_records, numbers, sizes=(3, 8)),
    Program("rows_left_by_return", left_by_return, numbers),
    Program("bodies_by_name", bodies, numbers, sizes=(2, 3)),
]  # fmt: skip
