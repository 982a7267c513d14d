"""NumPy arrays of any rank: indexing, broadcasting, elementwise functions, reductions, products."""

import numpy as np

from tests.programs import Program


def indexing(x):
    return x[0] * x[-1] + x[1] * x[len(x) - 2]


def slices(x):
    return np.sum(x[1:] * x[:-1]) + np.sum(x[::2]) * x[::-1][0] + np.sum(x[-2:] ** 2)


def rows_and_columns(m):
    return np.sum(m[0] * m[-1]) + np.sum(m[:, 0]) * m[1, 1] + np.sum(m[1:, :2] ** 2)


def new_axes(x, y):
    outer = x[:, None] * y[None, :]
    return np.sum(np.sin(outer)) + np.sum(outer[..., 0])


def broadcasting(m, row, col):
    return np.sum((m + row) * col[:, None] - 2.0 * m * row + 1.0)


def elementwise(x):
    a = np.exp(-x * x) + np.sin(x) * np.cos(x) + np.tanh(x) - np.log(1.0 + x**2)
    return np.sum(np.sqrt(1.0 + np.abs(a)) + np.arctan(a) / 2.0 - np.square(x))


def min_max_where(x, y):
    return np.sum(np.maximum(x, y) * 2.0 + np.minimum(x, 0.1) + np.where(x > y, x * x, y))


def guarded_where(x):
    """The side that is not selected is infinite there, and must not spoil the gradient."""
    positive = x > 0.0
    return np.sum(np.where(positive, np.log(np.where(positive, x, 1.0)), x))


def reductions(m):
    total = np.sum(m) + np.sum(np.sum(m, axis=0) ** 2) + np.sum(np.sin(np.sum(m, axis=1)))
    return total + np.mean(m) + m.sum() * m.mean()


def extremes_by_axis(m):
    return np.sum(np.max(m, axis=0) * np.min(m, axis=0)) + np.max(m) + np.sum(np.max(m, axis=-1))


def rank_three(t):
    return np.sum(np.sum(t, axis=1) ** 2) + np.sum(t[0, 1] * t[-1, 0]) + t[1, 1, 1] * t[0, 0, 0]


def dot_products(x, y):
    return np.dot(x, y) + (x @ y) ** 2


def matrix_vector(a, x):
    return np.sum(np.tanh(a @ x)) + np.dot(x, a.T @ (a @ x))


def matrix_matrix(a, b):
    c = a @ b
    return np.sum(c * c) + np.sum(np.dot(b, a))


def quadratic_form(a, x):
    return x @ a @ x


def fresh_arrays(x):
    n = len(x)
    zeros, ones, steps = np.zeros(n), np.ones(n), np.arange(n)
    return np.sum((x + ones) * steps + zeros) + np.sum(np.ones((n, 2)) * x[:, None])


def reshaped(x):
    m = x.reshape(2, len(x) // 2)
    return np.sum(m[0] * m[1]) + np.sum(m.reshape(-1)[1:]) + np.sum(m.T[0] * 3.0)


def transposed(m):
    return np.sum(m.T @ m) + np.sum(m.T[1] * m[:, 0])


def shapes(m):
    rows, cols = m.shape
    return np.sum(m) * rows / cols + len(m) * m.ndim * m[0, 0] + m.size


def numbers_of_kinds(x, k, mask):
    """Integer and boolean arrays beside the real one."""
    return np.sum(x * k) + np.sum(np.where(mask, x, 0.0)) + np.sum(k) * x[0]


def softmax(x):
    e = np.exp(x - np.max(x))
    return np.sum((e / np.sum(e)) ** 2)


def distances(points):
    """Pairwise distances by broadcasting, rank three inside."""
    diff = points[:, None, :] - points[None, :, :]
    return np.sum(np.sqrt(np.sum(diff * diff, axis=2) + 1.0))


def single_array(x):
    return np.sum(x * x)


def view_of_view(m):
    """Reads through a slice of a transpose reach the same accumulator."""
    part = m.T[1:, ::2]
    return part[0, 0] * part[-1, -1] + np.sum(part[0] * m[::2, 1])


def broadcast_at_run_time(x, y, m):
    """Extents of 1 that only the arrays themselves know."""
    return np.sum(x * y + np.sin(y)) * np.sum(m * y) + np.sum(np.where(x > y, x * y, y * y))


def broadcast_in_a_loop(x, y):
    """An array is broadcast again in every round."""
    a = np.zeros(len(x))
    for _ in range(3):
        a = a * 0.5 + x * y
    return np.sum(a * a)


def roots_by_powers(x):
    return np.sum((1.0 + x * x) ** 0.5 + (x * x + 2.0) ** -1.5 + x**3)


def vector(rng, n):
    return (rng.normal(size=n),)


def two_vectors(rng, n):
    return rng.normal(size=n), rng.normal(size=n)


def matrix(rng, n):
    return (rng.normal(size=(n, 3)),)


def kinds(rng, n):
    return rng.normal(size=n), rng.integers(-3, 4, size=n), rng.normal(size=n) > 0.0


PROGRAMS = [
    Program("indexing", indexing, vector),
    Program("slices", slices, vector),
    Program("rows_and_columns", rows_and_columns, matrix),
    Program("new_axes", new_axes, two_vectors, (0, 1), sizes=(2, 4, 8)),
    Program(
        "broadcasting",
        broadcasting,
        lambda rng, n: (rng.normal(size=(n, 3)), rng.normal(size=3), rng.normal(size=n)),
        (0, 1, 2),
    ),
    Program("elementwise", elementwise, vector),
    Program("min_max_where", min_max_where, two_vectors, (0, 1)),
    Program("guarded_where", guarded_where, vector),
    Program("reductions", reductions, matrix),
    Program("extremes_by_axis", extremes_by_axis, matrix),
    Program("rank_three", rank_three, lambda rng, n: (rng.normal(size=(n, 3, 2)),)),
    Program("dot_products", dot_products, two_vectors, (0, 1)),
    Program(
        "matrix_vector",
        matrix_vector,
        lambda rng, n: (rng.normal(size=(n, 4)), rng.normal(size=4)),
        (0, 1),
    ),
    Program(
        "matrix_matrix",
        matrix_matrix,
        lambda rng, n: (rng.normal(size=(n, 3)), rng.normal(size=(3, n))),
        (0, 1),
        sizes=(2, 4, 8),
    ),
    Program(
        "quadratic_form",
        quadratic_form,
        lambda rng, n: (rng.normal(size=(n, n)), rng.normal(size=n)),
        (0, 1),
        sizes=(2, 4, 8),
    ),
    Program("fresh_arrays", fresh_arrays, vector),
    Program("reshaped", reshaped, lambda rng, n: (rng.normal(size=2 * n),)),
    Program("transposed", transposed, matrix),
    Program("shapes", shapes, matrix),
    Program("numbers_of_kinds", numbers_of_kinds, kinds),
    Program("softmax", softmax, vector),
    Program("distances", distances, matrix, sizes=(2, 4, 8)),
    Program(
        "single_array",
        single_array,
        lambda rng, n: (rng.normal(size=n).astype(np.float32),),
        single=True,
    ),
    Program("view_of_view", view_of_view, matrix),
    Program(
        "broadcast_at_run_time",
        broadcast_at_run_time,
        lambda rng, n: (rng.normal(size=n), rng.normal(size=1), rng.normal(size=(2, 1))),
        (0, 1, 2),
    ),
    Program(
        "broadcast_in_a_loop",
        broadcast_in_a_loop,
        lambda rng, n: (rng.normal(size=n), rng.normal(size=1)),
        (0, 1),
    ),
    Program("roots_by_powers", roots_by_powers, vector),
]
