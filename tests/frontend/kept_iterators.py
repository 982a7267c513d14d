"""Views of dicts and iterators over lists and arrays that have names, while these change."""

import numpy as np


def items_of_a_dict(x):
    d, s = {"a": x, "b": x}, 0.0
    for k, v in d.items():
        d["b"] = 7.0 * x
        s += v * (1 + (k == "b"))
    return s


def values_of_a_dict(x):
    d, s = {"a": x, "b": x}, 0.0
    for v in d.values():
        d["b"] = 7.0 * x
        s += v * s + v
    return s


def numbered_and_beside(x):
    d, s = {"a": x, "b": x}, 0.0
    for k, (v, w) in enumerate(zip(d.values(), [1.0, 2.0])):
        d["b"] = 7.0 * x
        s += v * w * (k + 1)
    return s


def updated_item_by_item(x):
    d, g = {"a": np.array([x]), "b": np.array([x, x])}, {"a": np.ones(1), "b": np.ones(2)}
    for _ in range(3):
        for k, v in d.items():
            d[k] = v - 0.1 * g[k] * v
    return d["a"].sum() + d["b"].sum()


def compared(x):
    d, e = {"a": x, "b": 2.0}, {"b": 2.0, "a": x}
    return x * (d.keys() == e.keys()) + x * x * (d.items() == e.items()) + (d.keys() > e.keys())


def used_up(x):
    r = [x, 2.0 * x]
    it = enumerate(r)
    (_, a), (_, b) = next(it), next(it)
    r.append(a)
    return sum(r) + a * b


def tables_of_two_names(x):
    d, s = {"a": x}, {1, 2}
    rows, sets = [d, {"a": 1.0}], [s]
    rows[0] |= {"a": 2.0 * x}
    sets[0] |= {3}
    sets[0] -= {1}
    return d["a"] * len(s) + rows[1]["a"]


RIGHT = [
    items_of_a_dict, values_of_a_dict, numbered_and_beside,
    updated_item_by_item, compared, used_up,
]  # fmt: skip


def zip_then_append(x):
    r = [x]
    vs = zip(r, [1.0, 2.0])
    r.append(x)
    return sum(p * q for p, q in vs)


def enumerate_then_append(x):
    r = [x]
    vs = enumerate(r)
    r.append(x)
    return sum((1 + p) * q for p, q in vs)


def enumerate_then_stored(x):
    r = np.array([x, x])
    vs = enumerate(r)
    r[0] = 5.0
    return sum((1 + p) * q for p, q in vs)


def advanced_then_append(x):
    r = [x, 2.0 * x]
    vs = enumerate(r)
    next(vs)
    r.append(3.0 * x)
    return sum(p * q for p, q in vs)


def reversed_then_stored(x):
    r = [x]
    vs = reversed(r)
    r[0] = 2.0 * x
    return sum(vs)


def iterator_then_append(x):
    r = [x]
    vs = iter(r)
    r.append(2.0 * x)
    return sum(vs)


def iterator_of_two_names(x):
    r = [x]
    m, vs = [r, r], iter(r)
    m[0].append(2.0 * x)
    return sum(vs)


def items_then_stored(x):
    r = {"a": x}
    vs = r.items()
    r["a"] = x * 3.0
    return sum(q for _, q in vs)


def keys_then_stored(x):
    r = {"a": x}
    vs = r.keys()
    r["b"] = x * 3.0
    return len(vs) * x


def advanced_items(x):
    r = {"a": x, "b": x}
    vs = iter(r.items())
    next(vs)
    r["b"] = 3.0 * x
    return sum(v for _, v in vs)


def keys_as_an_argument(x):
    d = {0: x}

    def g(ks):
        d[1] = x
        return sum(ks) + len(ks)

    return g(d.keys())


REFUSED = [
    zip_then_append, enumerate_then_append, enumerate_then_stored, advanced_then_append,
    reversed_then_stored, iterator_then_append, iterator_of_two_names, items_then_stored,
    keys_then_stored, advanced_items, keys_as_an_argument, tables_of_two_names,
]  # fmt: skip
