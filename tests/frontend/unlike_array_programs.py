"""Programs in which a complex array stands in the place of a number or of a real array, and updates
of what may be an array, or a list, in the place of something else or of None."""

import numpy as np

A = np.arange(6.0).reshape(3, 2) + 0.5


def sum_of_waves(x, n):
    z = 0j
    for k in range(n):
        z = z + A[k % 3] * np.exp(1j * k * x)
    return np.sum(np.abs(z) ** 2)


def waves_in_place(x, n):
    z = 0
    for k in range(n):
        z += A[k % 3] * (1j * x + k)
    z *= 2.0
    return np.sum(np.real(z)) + np.sum(np.abs(z))


def real_before(x, n):
    z = np.ones(2) * x
    for k in range(n):
        z = z * (1 + 1j * A[k % 3])
    return np.abs(np.vdot(z, z)) + np.linalg.norm(z) + z.real.sum() - z.imag[0] + len(z)


def transformed(x, n):
    def fft(v):
        if len(v) <= 1:
            return v
        even, odd = fft(v[::2]), fft(v[1::2])
        turned = np.exp(-2j * np.pi * np.arange(len(v) // 2) / len(v)) * odd
        return np.concatenate([even + turned, even - turned])

    return np.sum(np.abs(fft(np.arange(2.0 ** (n % 4)) * x)) * np.arange(2 ** (n % 4)))


def stored(x, n):
    s = 0
    for k in range(max(n, 1)):
        s = s + A[k % 3] * x
        s[0] = 2.0 * s[1]
    s[1:] += x
    s[0] -= 0.5
    return np.sum(s * A[1])


def stored_in_one(x, n):
    z = A[0] * x if n % 2 else A[0] * x * 1j
    z[0] = 2.0 * x
    z[1] += 1.0
    return np.sum(np.abs(z))


class Momentum:
    def __init__(self):
        self.m = None

    def step(self, g):
        if self.m is None:
            self.m = np.zeros_like(g)
        self.m *= 0.9
        self.m += 0.1 * g
        return self.m


def momentum(x, n):
    o, w = Momentum(), A[1] * x
    for _ in range(n):
        w = w - 0.3 * o.step(2.0 * w)
    return np.sum(w * w)


class Total:
    def __init__(self):
        self.v = 0

    def add(self, a):
        self.v = self.v + a
        self.v[0] *= 0.5
        self.v[1] = a[0]


def stored_in_an_attribute(x, n):
    o = Total()
    for k in range(n):
        o.add(A[k % 3] * x)
    return np.sum(o.v) + 0.5


def of_another_rank_in_except(x, n):
    v = A[0] * x if n % 2 else np.ones((2, 2)) * x
    try:
        m = v[0, 1] * v
    except IndexError:
        m = 3.0 * v
    return np.sum(m)


def nothing_yet(x, n):
    xs = v = None
    for k in range(max(n, 1)):
        if xs is None:
            xs, v = [x], A[0] * x
        xs += [x * k]
        v *= 1.5
    return sum(xs) * len(xs) + np.sum(v)


PROGRAMS = [
    sum_of_waves, waves_in_place, real_before, transformed, stored, stored_in_one, momentum,
    stored_in_an_attribute, of_another_rank_in_except, nothing_yet,
]  # fmt: skip


def told(x, n):
    z = A[0] * x if n % 2 else A[0] * x * 1j
    return z, z.ndim, z.shape, isinstance(z, np.ndarray), np.iscomplexobj(z), z * 2.0


def nothing_there(x, n):
    xs = [x] if n else None
    try:
        xs += [1.0]
    except TypeError as e:
        return str(e)
    return xs


def number_there(x, n):
    s = 0
    for k in range(n):
        s = s + A[k % 3] * x
    try:
        s[0] = 2.0
    except TypeError as e:
        return str(e)
    return s


SEEN = [told, nothing_there, number_there]


def list_of_two_names(x):
    xs = [x] if x > 0 else None
    ys = xs
    xs += [2.0 * x]
    return sum(ys) * len(ys)


def set_of_two_names(x):
    s = {1} if x > 0 else None
    t = s
    s |= {2}
    return x * len(t)


def array_of_two_names(x):
    v = A[0] * x if x > 0 else None
    w = v
    v += 1.0
    return np.sum(w)


def array_of_the_caller(x):
    a = A[0] * x

    def add(v):
        v = v if x > 0 else None
        v += 1.0

    add(a)
    return a.sum()


class Sum:
    def __init__(self):
        self.v = 0


def attribute_with_a_name(x):
    o = Sum()
    for a in A:
        o.v = o.v + a * x
    w = o.v
    o.v += 1.0
    return np.sum(w)


def attribute_of_an_argument(x):
    o, a = Sum(), A[0] * x
    if x > 0:
        o.v = a
    o.v += 1.0
    return a.sum()


def item_with_a_name(x):
    d = {"v": 0}
    for a in A:
        d["v"] = d["v"] + a * x
    w = d["v"]
    d["v"] += 1.0
    return np.sum(w)


def stored_with_a_name(x):
    o = Sum()
    for a in A:
        o.v = o.v + a * x
    w = o.v
    o.v[0] = 1.0
    return np.sum(w)


def complex_with_a_name(x):
    z = 0j
    w = z
    for a in A:
        w = z
        z += a * (x + 1j)
    return np.sum(np.abs(w))


def complex_on_one_path(x):
    z = A[0] * x * 1j if x > 0 else 0j
    w = z
    z += A[1]
    return np.sum(np.abs(w))


SHARED = [
    list_of_two_names, set_of_two_names, array_of_two_names, array_of_the_caller,
    attribute_with_a_name, attribute_of_an_argument, item_with_a_name, stored_with_a_name,
    complex_with_a_name, complex_on_one_path,
]  # fmt: skip
