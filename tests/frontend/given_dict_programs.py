"""Programs that are given dicts of more keys than a record has, or lists of unlike dicts."""

import numpy as np

LARGE = 300
FLOATS = {f"k{i}": i * 0.01 + 0.25 for i in range(LARGE)}
COUNTS = {i: i % 7 for i in range(LARGE)}
PAIRS = {(i, j): i * j + 0.5 for i in range(18) for j in range(18)}
ROWS = {i: [float(i)] * (i % 3) for i in range(LARGE)}
ARRAYS = {i: np.arange(3.0) + i for i in range(LARGE)}
BOTH = {i: (float(i), i) for i in range(LARGE)}
WORDS = {i: "ab"[i % 2] for i in range(LARGE)}
ATOMS = [{"N": 2}, {"O": 2}, {"H": 4, "C": 1}, {"H": 6, "C": 2}]


def weighted(x, d):
    total = 0.0
    for k, v in d.items():
        total = total * 0.9 + len(k) * v * v * x
    return total + d.get("nothing", x)


def looked_up(x, d, keys):
    total = 0.0
    for k in keys:
        if k in d:
            total += d[k] * d[k] * x
    return total


def in_order(x, d):
    t = 0.0
    for k in sorted(d):
        t = t * 0.5 + d[k] * x
    return t


def tables(x, d):
    t = 0.0
    for i in range(18):
        for j in range(i):
            t += d[i, j] * d[(j, i)] * x
    return t


def put_in(x, d):
    d["k3"] = x
    d["new"] = 2 * x
    d["k4"] += x
    return sum(d.values()) * x


def taken_out(x, d):
    x *= d.pop("k7")
    del d["k5"]
    key, v = d.popitem()
    return x + v * len(key)


def emptied(x, d):
    d.clear()
    d["k1"] = x
    return x


def updated_and_raised(x, d):
    d["k1"] = x
    raise ValueError(d["k1"] * 2)


def missing(x, d):
    d["k2"] = x
    return d["absent"]


def grown(x, d):
    d[3].append(x)
    d[4] += [x, x]
    d[400] = [x]
    return sum(sum(v) for v in d.values()) * x


def renewed(x, d):
    for v in d.values():
        for i in range(len(v)):
            v[i] *= x
    return sum(sum(v) for v in d.values())


def shifted(x, d):
    d[3] += x * 2
    d[5][0] = 7.0
    return float(d[3].sum() + d[5][0]) * x


def inverted(x, d):
    groups = {}
    for k, v in d.items():
        groups.setdefault(v, []).append(k)
    return x * sum(len(v) * k for k, v in groups.items())


def pairs_of_values(x, d):
    return sum(a * x * b for a, b in d.values())


def letters(x, d):
    return x * len([k for k in d if d[k] == "a"])


def copied(x, d):
    own = dict(d)
    own["k1"] = x
    return own["k1"] * d["k1"] + len(own)


def inside(x, p):
    p["big"]["k2"] += x
    return p["big"]["k2"] * p["w"]


def two(x, pair):
    return x * pair[0]["k1"] + pair[1]["k2"]


def compounds(x, atoms):
    return sum(a.get("C", 0) * x for a in atoms)


PROGRAMS = [
    (weighted, 0.7, FLOATS),
    (looked_up, 0.7, FLOATS, ["k3", "none", "k17"]),
    (looked_up, 0.7, COUNTS, [3, 1000, 17]),
    (in_order, 0.7, FLOATS),
    (tables, 0.7, PAIRS),
    (put_in, 0.7, FLOATS),
    (taken_out, 0.7, FLOATS),
    (emptied, 0.7, FLOATS),
    (updated_and_raised, 0.7, FLOATS),
    (missing, 0.7, FLOATS),
    (grown, 0.7, ROWS),
    (renewed, 0.7, ROWS),
    (shifted, 0.7, ARRAYS),
    (inverted, 0.7, COUNTS),
    (pairs_of_values, 0.7, BOTH),
    (letters, 0.7, WORDS),
    (copied, 0.7, FLOATS),
    (inside, 0.7, {"big": FLOATS, "w": 2.0}),
    (two, 0.7, [FLOATS, FLOATS]),
    (compounds, 0.7, ATOMS),
]
