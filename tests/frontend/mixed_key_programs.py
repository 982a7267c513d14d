"""Dicts whose keys are of several types, tuples and None among them."""


def display(x):
    d = {1: x, "a": 2 * x, (1, "b"): 3 * x, None: 0.5}
    return d[1] * d["a"] + d[1, "b"] * d[None] + len(d)


def tuples_and_texts(x):
    d = {(1, "a"): x, "k": 2 * x, 5: 3 * x}
    return d[(1, "a")] * d["k"] + d[5]


def tuples_of_several_values(x):
    d = {(1, 2): [x, 2 * x], (3, 4): x}
    d[1, 2].append(x)
    return sum(d[1, 2]) * d[3, 4]


def in_order(x):
    d = {1: x, "a": 2 * x, (1, 2): 3 * x}
    t = 0.0
    for v in d.values():
        t = t * x + v
    return t + sum(k[0] for k in d if isinstance(k, tuple))


def none_first(x):
    d = {None: x, (1, 2): 2 * x, "a": 3 * x}
    d[None] += d[1, 2]
    del d["a"]
    d[3, "b"] = x
    return d[None] * len(d)


def updated(x):
    d = {1: x, "a": 2 * x}
    d[(1, 2)] = 5 * x
    d[None] = x
    d[1, 2] += x
    d.setdefault((1, 2), 7.0)
    t = d.pop(None) + d.pop((7, 7), 2.0)
    return sum(d.values()) * len(d) + t


def asked(x, k, i):
    d = {1: x, "a": 2 * x, (1, 2): 3 * x, None: 4 * x, 2**70: 5 * x}
    found = (k in d) + 2 * ((i, i + 1) in d) + 4 * (None in d) + 8 * ((2, 1) in d)
    return d.get(k, 9.0) * d[i, i + 1] + d.get((i + 1, i), x) + d[2**70] * found


def missing(x, k):
    d = {1: x, "a": 2 * x}
    try:
        return d[k, k]
    except KeyError:
        return d.get(None, 7.0) * x


def nested(x):
    d = {1: {"a": x, 2: 2 * x}, "b": {None: x}}
    d["b"][None] *= x
    return d[1]["a"] + d[1][2] * d["b"][None]


def given(x, d):
    d["new"] = x
    d[1, 2] *= x
    return x * d[None] * d[1, 2] + d[1, "a"] * len(d)


def asked_of_what_is_given(x, d, i):
    return x * d[i, i + 1] + (x if (i, i) in d else 2 * x)


def returned(x):
    return {1: x, "a": 2 * x, (1, "b"): 3 * x, None: x * x}


def least_and_large(x, n):
    d = {-(2**63): x, 2**70: 2 * x}
    s = {n, -(2**63)}
    return d[-(2**63)] * d[2**70] + len(s) + (-(2**63) in s)


PROGRAMS = [
    (display, 0.7), (tuples_and_texts, 0.7), (tuples_of_several_values, 0.7), (in_order, 0.7),
    (none_first, 0.7), (updated, 0.7), (asked, 0.7, "a", 1), (asked, 0.7, "b", 1),
    (missing, 0.7, 3), (nested, 0.7),
    (given, 0.7, {None: 2.0, (1, 2): 3.0, (1, "a"): 4.0, 5: 1.0}),
    (asked_of_what_is_given, 0.7, {(1, 2): 2.0, (2, 3): 3.0}, 2), (returned, 0.7),
    (least_and_large, 0.7, 3), (least_and_large, 0.7, -(2**63)),
]  # fmt: skip
