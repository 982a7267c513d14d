"""Programs in which an array stands in the place of a number, a list or an array of another rank:
``total = 0`` before a loop that adds arrays (``kinds.several_ranks``)."""

from collections import defaultdict

import numpy as np

A = np.arange(6.0).reshape(3, 2) + 0.5


def total(x, n):
    s = 0
    for i in range(n):
        s = s + A[i % 3] * x
    return np.sum(s) + 0.5


def in_place(x, n):
    s = 0.0
    for a in [A[i % 3] for i in range(n)]:
        s += a * x
    s /= max(n, 1)
    return np.sum(s) * 2.0


def returned(x, n):
    s = 0
    for i in range(n):
        s = s + A[i % 3] * x
        if s[0] > 2.0:
            return s
    return s


def asked(x, n):
    s = 0
    for i in range(n):
        s = s + A[i % 3] * x
    told = isinstance(s, np.ndarray), np.ndim(s), np.isscalar(s), np.shape(s)
    if isinstance(s, np.ndarray):
        return (*told, s[0] + len(s), s.max() - s.T[1], max(s), list(s), s.tolist(), f"{s}")
    return (*told, s)


def from_a_list(x, n):
    y, seen = [x, 1.0], [[x, 1.0]]
    for _ in range(n):
        y = np.array(y) + 0.1 * np.array([y[1], -y[0]])
        seen.append(y)
    return np.array(seen)[:, 0].sum()


def from_an_argument(x, n):
    v = x
    for i in range(n):
        v = v * A[i % 3] + x
    return np.sum(v * v)


def of_several_ranks(x, n):
    s, k = 0, 0
    for i in range(n):
        s, k = s + A[i % 3] * x, k + np.eye(2) * x
    return np.sum(k @ s) if n else x * 0.5


def turns(x, n):
    v = np.ones(2) * x
    for i in range(n):
        v = np.outer(v, v) + x if i % 3 == 0 else v[0]
    return np.sum(v)


def on_one_path(x, n):
    g = 0
    if n > 1:
        g = g + A * x
    y = x if n % 2 else np.array([x, n])
    return np.sum(g) + x + np.sum(y * y)


def forces(x, n):
    f = np.zeros(2)
    for i in range(n):
        force = 0
        for j in range(3):
            if i == j:
                continue
            force = force + (A[j] - A[i % 3]) * x
        f = f + force
    return f[0] * f[1]


def in_a_dict(x, n):
    m = {"w": 0, "b": 0.0}
    for _ in range(n):
        m["w"] = 0.9 * m["w"] + 0.1 * A * x
        m["b"] = 0.9 * m["b"] + x
    return np.sum(m["w"]) + m["b"]


class Mean:
    """A running mean of anything."""

    def __init__(self):
        self.total, self.n = 0, 0

    def add(self, v):
        self.total += v
        self.n += 1


def in_an_attribute(x, n):
    m = Mean()
    for i in range(n):
        m.add(A[i % 3] * x)
    return np.sum(m.total) / max(m.n, 1) + x


class Adam:
    """Moments that are numbers before the first step."""

    def __init__(self, params):
        self.params, self.t = params, 0
        self.m, self.v = [0] * len(params), [0 for _ in params]

    def step(self, gs):
        self.t += 1
        for i, (p, g) in enumerate(zip(self.params, gs, strict=True)):
            self.m[i] = 0.9 * self.m[i] + 0.1 * g
            self.v[i] = 0.99 * self.v[i] + 0.01 * g**2
            m, v = self.m[i] / (1 - 0.9**self.t), self.v[i] / (1 - 0.99**self.t)
            self.params[i] = p - 0.1 * m / (np.sqrt(v) + 1e-8)


def optimised(x, n):
    a = Adam([np.array([x, 2.0 * x]), np.array([x * x, 1.0])])
    for _ in range(n):
        a.step([2 * p + x for p in a.params])
    return np.sum(a.params[0]) * np.sum(a.params[1])


def recurrent(x, n):
    h, states = 0, []
    for i in range(n):
        h = np.tanh(h @ np.eye(2) + A[i % 3] * x) if i else np.tanh(A[0] * x)
        states.append(h)
    return sum(v.sum() for v in states) + np.sum(h) + 0.5


def after_none(x, n):
    h = None
    for i in range(n):
        if h is None:
            h = 0
        h = h + A[i % 3] * x
    return h.sum() if h is not None else x


def captured(x, n):
    def up(k):
        nonlocal s
        s = s + A[k % 3] * x

    s = 0
    for i in range(n):
        up(i)
    return (lambda: np.sum(s + s))() + 0.5


def caught(x, n):
    s = 0
    try:
        for i in range(n):
            s = s + A[i % 3] * x
            if i == 2:
                raise ValueError(s)
    except ValueError:
        s = s * 2
    return np.sum(s) + 0.5


def in_a_table(x, n):
    sums, seen = defaultdict(int), {}
    for i in range(n):
        key = "ab"[i % 2]
        sums[key] += A[i % 3] * x
        if key not in seen:
            seen[key] = {"m": 0, "t": 0}
        seen[key]["m"] = 0.9 * seen[key]["m"] + A[i % 3] * x
        seen[key]["t"] += 1
    held = sum(np.sum(s["m"]) * s["t"] for s in seen.values())
    return sum(np.sum(v) for v in sums.values()) + held + np.float64(0.5)


class Cell:
    """A recurrent cell, whose state is a number before the first step."""

    def __init__(self, w):
        self.w, self.h = w, 0

    def step(self, v):
        self.h = np.tanh(self.w * v + 0.5 * self.h)
        return self.h


def in_layers(x, n):
    cells = [Cell(x * k) for k in range(1, 4)]
    for i in range(n):
        v = A[i % 3]
        for c in cells:
            v = c.step(v)
    return sum(np.sum(c.h) for c in cells) + 0.5


def in_rows(x, n):
    held = [{"m": 0, "v": 0.0} for _ in range(2)]
    rows = [(0, x)] * 2
    for i in range(n):
        s, y = rows[i % 2]
        rows[i % 2] = (s + A[i % 3] * y, y * 0.5)
        for k in range(2):
            held[k]["m"] = 0.9 * held[k]["m"] + A[k] * x
            held[k]["v"] += np.sum(held[k]["m"])
    return held[1]["v"] + np.sum(held[0]["m"]) + sum(np.sum(a) * b for a, b in rows)


def without_sum(x, n):
    s = 0
    for i in range(n):
        s = s + A[i % 3] * x
    return s.sum()


def without_items(x, n):
    s = 0
    for i in range(n):
        s = s + A[i % 3] * x
    a, b = s
    return a * b


def results(x, n):
    s = 0
    for i in range(n):
        s = s + A[i % 3] * x
    return {"s": s, "n": n}, [s, s], (s,)


def _parameters(layers):
    for w, b in layers:
        yield w
        yield b


def yielded(x, n):
    layers = [(A * (x + k), A[k % 3] * x) for k in range(n)]
    s = 0.0
    for p in _parameters(layers):
        s = s + np.sum(p * p) * p.ndim
        s = s + (p[0] if p.ndim == 1 else p[0, 1])
    flat = [p.ravel() for p in _parameters(layers)]
    return s + sum(np.sum(p**3) for p in _parameters(layers)) + sum(np.sum(p) for p in flat)


def rows_of_a_path(x, n):
    v = A[0] * x
    path = np.array(v)
    for k in range(n):
        v = v * 1.1 + k
        path = np.vstack((path, v))
    return np.sum(path**2) + path.shape[0]


def ends_of_a_row(x, n):
    row, line = x, A[0, :1] * x
    for k in range(n):
        row = np.append(row, x * k)
        line = np.concatenate([line, A[k % 3] * x])
    return np.sum(row) + np.hstack((0.0, line, row)).sum()


def rows_by_a_function(x, n):
    def put(log, v):
        return np.vstack((log, v)) if np.sum(v) > 1.25 else log

    log = A[1].copy()
    k = 0
    while k < n:
        log = put(log, x * A[k % 3])
        k += 1
    return np.sum(np.stack([np.ravel(log), 2.0 * np.ravel(log)])) * np.ndim(log)


PROGRAMS = [
    rows_of_a_path, ends_of_a_row, rows_by_a_function,
    total, in_place, from_a_list, from_an_argument, of_several_ranks, turns, on_one_path, forces,
    in_a_dict, in_an_attribute, optimised, recurrent, after_none, captured, caught,
    in_a_table, in_layers, in_rows, yielded,
]  # fmt: skip
"""Programs with a float."""
SEEN = [returned, asked, without_sum, without_items, results]
"""Programs that show which of them it is, or raise of one of them."""


def seen_by_a_list(x):
    s, seen = 0.0, []
    for a in A:
        s += a * x
        seen.append(s)
    return seen[0].sum()


def seen_by_a_name(x):
    s = t = 0.0
    for a in A:
        t = s
        s += a * x
    return np.sum(t) + np.sum(s)


def seen_by_the_caller(x):
    def up(v):
        v += 1.0

    s = 0
    for a in A:
        s = s + a * x
    up(s)
    return np.sum(s)


def seen_by_another_name(x):
    s = 0
    for a in A:
        s = s + a * x
    t = s
    if isinstance(s, np.ndarray):
        s.fill(x)
    return np.sum(t)


def seen_in_two_attributes(x):
    m, k = Mean(), Mean()
    for a in A:
        m.add(a * x)
        k.total = m.total
    m.add(A[0])
    return np.sum(k.total)


def seen_of_an_argument(x):
    m, a = Mean(), A * x
    m.total = 0 if x < 0.0 else a
    m.add(x)
    return np.sum(a)


SHARED = [
    seen_by_a_list, seen_by_a_name, seen_by_the_caller, seen_by_another_name,
    seen_in_two_attributes, seen_of_an_argument,
]  # fmt: skip
"""Programs that update an array which somebody else sees: right, or refused."""
