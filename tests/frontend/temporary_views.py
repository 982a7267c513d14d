"""Views of arrays that have no name of their own, which the program updates: each is the only way
to its memory, so the update is one of an array."""

import numpy as np


def transposed(x):
    z = (np.outer(x, x) + 1.0).T
    z[0] *= 3.0
    z[1, 0] = x[2]
    return z.sum() * z[1, 0]


def slices_and_rows(x):
    a = np.linspace(0.0, x[0], 5)[1:4]
    a[1] += x[1]
    b = (np.outer(x, x) * 2.0)[1]
    b -= b.mean()
    c = np.vstack([x, [v * v for v in x]]).T
    c[:, 0] -= c[:, 0].mean()
    return a.sum() * b[0] + c[0, 0] * c[1, 1]


def in_a_loop(x):
    z, total = np.outer(x, x).T, 0.0
    for k in range(4):
        z[k % 3] *= 1.5
        other = (z * k).T
        other[0] += x[0]
        total += other[0, 1] * z[1, 2]
    return total


def reversed_with_another_name(x):
    a = (np.outer(x, x) + 2.0)[::-1]
    b = a
    b[0] = x[1]
    c = a[1:]
    c *= 2.0
    return a.sum() * b[2, 1]


def of_a_named_array(x):
    w = np.outer(x, x)

    def view():
        return w.T

    z = view()
    z[0] = 5.0 * x[0]
    return w.sum() * w[1, 0]


def rows_by_unpacking(x):
    a, b, c = np.outer(x, x) + 1.0
    a[0] += 1.0
    b[0] += c[1]
    return a.sum() * b.sum() * c.sum()


class Layer:
    def __init__(self, x):
        self.w = np.outer(x, x).T
        self.b = np.linspace(0.0, x[0], 5)[1:4]

    def step(self, rate):
        self.w -= rate * self.w
        self.w[0] += self.b
        self.b[0] = rate


def attributes(x):
    layer = Layer(x)
    for k in range(3):
        layer.step(0.1 * x[k])
    return layer.w.sum() * layer.b[0]


def in_a_list_and_a_dict(x):
    rows = [(np.outer(x, x) * k).T for k in range(3)]
    rows[1][0] = x[1]
    tables = {"a": np.outer(x, x)[1:]}
    tables["a"][0] *= x[2]
    return rows[1].sum() * rows[2][0, 1] + tables["a"].sum()


def scaled(a):
    a[0] *= 3.0


def handed_on(x):
    z = (np.outer(x, x) + 1.0).T
    scaled(z)
    return z[0, 1] * z[1, 0]


def chosen(x):
    z = (np.outer(x, x) + 1.0).T
    if x[0] > 0.5:
        z[0] *= 2.0
    else:
        z[1] *= 3.0
    try:
        z[2] = x
        if z[2, 0] > 0.0:
            raise ValueError
    except ValueError:
        z[1] *= 2.0
    return z[0, 1] * z[1, 0] * z[2, 1]


def rows(x):
    z = np.outer(x, x).T
    for k in range(3):
        z[k] *= 1.0 + k
        yield z[k, 0]


def generator(x):
    return sum(rows(x))


def tail(x, n):
    a = np.arange(n) * x
    return a[1:]


def turned(x):
    a = np.outer(x, x)
    b = a.T
    b[0] = 2.0
    return b[1:]


def returned(x):
    w = tail(x[0], 4)
    w -= x[1]
    v = turned(x)
    v[0] *= 3.0
    return w.sum() * w[0] + v.sum() * v[1, 2]


class Owner:
    def __init__(self, x):
        self.a = np.ones(4) * x

    def view(self):
        return self.a[1:]

    def kept(self, x):
        b = np.ones(4) * x
        self.b = b
        return b[1:]


def returned_of_an_object(x):
    owner = Owner(x[0])
    w, v = owner.view(), owner.kept(x[1])
    w[0] = 5.0 * x[2]
    v[0] = x[0]
    return owner.a.sum() * owner.b.sum() + w[0]


def blocks(x, n):
    if n == 0:
        a = np.outer(x, x)
        return a[::-1]
    a = blocks(x, n - 1) * 2.0
    return a.T


def returned_by_a_recursion(x):
    w = blocks(x, 3)
    w[0] = x[1]
    return w.sum() * w[1, 2]


def with_a_clause(x):
    a = np.ones(3) * x[0]
    try:
        return a[1:]
    finally:
        a[1] = 7.0 * x[1]


def returned_under_try(x):
    w = with_a_clause(x)
    w[1] += 1.0
    return w.sum() * w[0]


class Weights:
    def __init__(self, n, m, draws):
        self.w = draws.rand(n, m)
        self.b = np.zeros((1, m))

    def forward(self, x):
        self.x = x
        return np.tanh(x @ self.w + self.b)

    def backward(self, g, rate):
        dw, out = self.x.T @ g, g @ self.w.T
        self.w -= rate * dw
        self.b -= rate * g.sum(0, keepdims=True)
        return out


def drawn_weights(x):
    draws = np.random.RandomState(0)
    layers = [Weights(3, 2, draws), Weights(2, 1, draws)]
    for _ in range(3):
        h = np.outer(x, x)
        for layer in layers:
            h = layer.forward(h)
        g = h - 1.0
        for layer in reversed(layers):
            g = layer.backward(g, 0.05)
    return float((h**2).sum())


def drawn_and_updated(x):
    rng = np.random.default_rng(2)
    a, b = rng.random((3, 2)), np.random.RandomState(1).rand(3)
    a[1] *= x[0]
    a[0] += rng.normal(x[1], x[2], 2)
    b[1] -= x[1]
    c = rng.integers(0, 5, 3)
    c[0] = 1
    return (a * a).sum() * (b * b).sum() + c.sum()


def added_at_places_of_itself(x):
    """What ``ufunc.at`` adds shares memory with what it changes, or with what is beside it."""
    at, a, m = np.array([2, 0, 0]), np.array(x), np.outer(x, x)
    np.add.at(a, at, a[::-1])
    np.multiply.at(a[1:], at - 1, a[:1])
    np.subtract.at(m, at, m.T)
    np.add.at(m, (at, 1), m[0])
    beside = {"x": np.array(x)}
    beside["sums"] = np.ones(3)
    np.add.at(beside["sums"], at, beside["x"])
    rows = [np.array(x) * k for k in range(3)]
    for k in range(2):
        np.add.at(rows[k], at, rows[k + 1])
        np.add.at(rows[k + 1], at[:2], rows[k + 1][1:])
    return (a * beside["sums"]).sum() * (m * m).sum() + sum((r * r).sum() for r in rows)


PROGRAMS = [
    added_at_places_of_itself, transposed, slices_and_rows, in_a_loop,
    reversed_with_another_name, of_a_named_array,
    rows_by_unpacking, attributes, in_a_list_and_a_dict, handed_on, chosen, generator,
    returned, returned_of_an_object, returned_by_a_recursion, returned_under_try, drawn_weights,
    drawn_and_updated,
]  # fmt: skip
