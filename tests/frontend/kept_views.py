"""Views of arrays that lie in lists, dicts and objects, and that are updated, as their array is."""

import numpy as np


def halves_in_a_list(xs):
    a = np.array(xs) * 2.0
    parts = [a[:2], a[1:]]
    parts[0] += 1.0
    parts[1][0] = xs[0]
    a[2] *= 3.0
    return parts[1][1] + parts[0][0] * a[1] + parts[0].sum()


def a_state_in_a_dict(xs):
    state = np.zeros(5)
    view = {"pos": state[:2], "vel": state[2:4], "t": state[4:]}
    view["pos"][:] = np.array(xs)[:2]
    view["vel"][:] = np.array(xs)[1:]
    for _ in range(3):
        view["pos"] += 0.1 * view["vel"]
        view["vel"] -= 0.1 * view["pos"]
        view["t"][0] += 0.1
    return np.sum(state * np.arange(5.0))


def rows_columns_and_diagonals(xs):
    m = np.outer(xs, xs)
    cols = {j: m[:, j] for j in range(3)}
    diagonal = [m[i, i:] for i in range(3)]
    for j in cols:
        cols[j][j] *= 2.0
    m[0, 0] = xs[0]
    return sum(d[0] * d.sum() for d in diagonal) + cols[0][0]


class Body:
    def __init__(self, pos, vel, mass):
        self.pos, self.vel, self.mass = pos, vel, mass


def bodies_in_one_array(xs):
    state = np.zeros((3, 4))
    state[:, 0] = xs
    state[:, 3] = xs
    bodies = [Body(s[:2], s[2:], 1.0 + i) for i, s in enumerate(state)]
    for _ in range(2):
        for b in bodies:
            b.vel -= 0.1 * b.pos * b.mass
        for b in bodies:
            b.pos += 0.1 * b.vel
        state *= 0.99
    return (state * state).sum()


def made_in_a_loop(xs):
    v, views = np.array(xs), []
    for k in range(3):
        views.append(v[k:])
        v[k] += xs[0] * k
    v *= xs[1]
    views[2][0] = xs[2]
    inner = views[0][1:]
    inner *= 2.0
    return sum(np.sum(w) for w in views) + v[2]


def sorted_and_reshaped(xs):
    m = np.outer(xs, xs)
    rows = sorted([m[i] for i in range(3)], key=lambda r: -r[0])
    rows[0][:] = 1.0
    rows[1] += xs[1]
    flat = np.array(xs) * 3.0
    other = {"column": flat.reshape(3, 1), "slice": flat[::2]}
    other["column"][1] *= 3.0
    other["slice"][1] = xs[2]
    rows[2] *= other["column"][:, 0] + flat
    return (m * np.arange(9.0).reshape(3, 3)).sum()


RIGHT = [
    halves_in_a_list, a_state_in_a_dict, rows_columns_and_diagonals, bodies_in_one_array,
    made_in_a_loop, sorted_and_reshaped,
]  # fmt: skip
