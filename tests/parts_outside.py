"""Programs that update what is in their arguments: rows of lists, objects in lists, arrays in
tuples, attributes of objects in attributes; each with arguments made anew for every run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np


class Planet:
    def __init__(self, x: float, v: float, m: float) -> None:
        self.x, self.v, self.m = x, v, m


@dataclass
class Particle:
    pos: Any
    vel: Any
    seen: list[float] = field(default_factory=list)


@dataclass
class Purse:
    balance: float
    log: list[float] = field(default_factory=list)


class Slotted:
    __slots__ = ("w", "x")

    def __init__(self, x: float) -> None:
        self.x, self.w = x, np.ones(2)


class Pair(NamedTuple):
    a: Any
    b: list[float]


class Whole:
    def __init__(self) -> None:
        self.inner, self.items = Planet(1.0, 2.0, 3.0), [1.0]


def kicked(planets, dt):
    for p in planets:
        p.v -= p.x * dt
    for p in planets:
        p.x += p.v * dt
    return sum(0.5 * p.m * p.v ** 2 for p in planets)


def by_number(planets, dt):
    for i in range(len(planets)):
        planets[i].x += dt * planets[i].v
    return planets[0].x * planets[-1].x


def drifted(particles, dt):
    for p in particles:
        p.vel = p.vel - dt * p.pos
        p.pos += dt * p.vel
        p.seen.append(float(p.pos[0]))
    return sum(float((p.pos ** 2).sum()) for p in particles)


def eliminated(a, b):
    n = len(b)
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[p] = a[p], a[k]
        b[k], b[p] = b[p], b[k]
        for i in range(k + 1, n):
            f = a[i][k] / a[k][k]
            for j in range(k, n):
                a[i][j] -= f * a[k][j]
            b[i] -= f * b[k]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - sum(a[i][j] * x[j] for j in range(i + 1, n))) / a[i][i]
    return sum(x)


def paid(purses, i, v):
    purses[i].balance -= v
    purses[i].log.append(v)
    if purses[i].balance < 0:
        raise ValueError("no money")
    return purses[0].balance * 2 + purses[1].balance


def lists_of_a_dict(d, x):
    d["a"].append(x)
    d["b"][0] += x
    return sum(d["a"]) * d["b"][0]


def object_of_a_dict(d, x):
    d["p"].balance += x
    return d["p"].balance ** 2


def dicts_of_a_list(rows, x):
    for r in rows:
        r["v"] = r["v"] * x
    return sum(r["v"] for r in rows)


def pushed(stack, x):
    stack.append([x, 2 * x])
    stack[0][0] += 1.0
    return sum(map(sum, stack))


def reversed_rows(m):
    m.reverse()
    return m[0][0] * m[1][1]


def sorted_rows(m):
    m.sort(key=lambda r: r[0])
    return m[0][0] * 2


def transposed(m):
    n = len(m)
    for i in range(n):
        for j in range(i + 1, n):
            m[i][j], m[j][i] = m[j][i], m[i][j]
    return m[0][1] * 2.0


def three_deep(t):
    for i in range(len(t)):
        for j in range(len(t[i])):
            for k in range(len(t[i][j])):
                t[i][j][k] *= 2.0
    return t[0][0][0] * t[1][1][1]


def centred(arrays):
    for a in arrays:
        a -= a.mean()
    return float(sum((a ** 2).sum() for a in arrays))


def descended(params, grads, rate):
    for p, g in zip(params, grads):
        p -= rate * g
    return float(sum((p ** 2).sum() for p in params))


def new_row(m, v):
    m[0] = [v, v]
    return m[0][0] + m[1][1]


def of_a_tuple(t):
    a, b = t
    a.append(1.0)
    b[0] = 7.0
    return sum(a) + sum(b)


def of_a_record(t):
    t.a[0] *= 3.0
    t.b.append(t.b[0] * 2.0)
    return float(t.a.sum()) + sum(t.b)


def sorted_objects(planets):
    planets.sort(key=lambda p: p.x)
    return planets[0].x * 2


def by_another_name(particle):
    w = particle.pos
    w += 1.0
    return float((w ** 2).sum())


def first_one(planets):
    p = planets[0]
    p.x += 1.0
    return planets[0].x * 2


def of_an_attribute(whole):
    whole.inner.x += 1.0
    whole.items.append(2.0)
    return whole.inner.x * 3


def stored(grid, i, j, v):
    grid[i][j] = v
    return sum(sum(r) for r in grid)


def new_generation(grid, x):
    new = [[0] * len(grid[0]) for _ in grid]
    for i, row in enumerate(grid):
        for j, c in enumerate(row):
            n = sum(grid[(i + a) % len(grid)][(j + b) % len(row)]
                    for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0))
            new[i][j] = 1 if n == 3 or (c and n == 2) else 0
    for i, row in enumerate(new):
        grid[i] = row
    return float(sum(map(sum, grid))) * x


def set_on_a_path(planet, x):
    if x > 1.0:
        planet.c, planet.k, planet.log = np.array([x, x]), x, [x]
    return 2.0 * x * planet.m


def replaced_on_a_path(particle, x):
    if x > 1.0:
        particle.pos = np.zeros(2)
    particle.seen.append(x)
    return float(particle.pos.sum()) + x * x


def a_part_is_the_result(particle, x):
    particle.pos[0] = x
    return particle.pos * 2.0, particle.pos


def one_for_two(particle, x):
    particle.pos = particle.vel = np.ones(2) * x
    return x * x


def slots(things, x):
    for t in things:
        t.x += x
        t.w *= x
    return sum(t.x * float(t.w.sum()) for t in things)


Made = Callable[[], tuple[Any, ...]]


def matrix() -> list[list[float]]:
    return [[1.0, 2.0, 3.0], [4.0, 1.0, 1.0], [0.5, 1.5, 9.0]]


def planets() -> list[Planet]:
    return [Planet(1.0, 2.0, 3.0), Planet(0.5, -1.0, 1.0), Planet(0.2, 0.1, 1.0)]


def particle() -> Particle:
    return Particle(np.array([1.0, 2.0]), np.zeros(2), [0.5])


CASES: list[tuple[Callable[..., Any], Made]] = [
    (kicked, lambda: (planets(), 0.1)),
    (by_number, lambda: (planets(), 0.1)),
    (drifted, lambda: ([particle(), Particle(np.arange(2.0), np.ones(2), [1.0])], 0.1)),
    (eliminated, lambda: (matrix(), [1.0, 2.0, 3.0])),
    (paid, lambda: ([Purse(5.0), Purse(3.0)], 1, 2.0)),
    (paid, lambda: ([Purse(5.0), Purse(3.0)], 1, 4.0)),
    (lists_of_a_dict, lambda: ({"a": [1.0], "b": [2.0]}, 3.0)),
    (object_of_a_dict, lambda: ({"p": Purse(2.0), "q": 1}, 3.0)),
    (dicts_of_a_list, lambda: ([{"v": 1.0}, {"v": 2.0}], 2.0)),
    (pushed, lambda: ([[1.0, 2.0]], 3.0)),
    (reversed_rows, lambda: (matrix(),)),
    (sorted_rows, lambda: (matrix(),)),
    (transposed, lambda: (matrix(),)),
    (three_deep, lambda: ([matrix(), matrix()],)),
    (centred, lambda: ([np.arange(3.0), np.arange(4.0)],)),
    (descended, lambda: ([np.ones(3), np.ones(2)], [np.arange(3.0), np.arange(2.0)], 0.1)),
    (descended, lambda: ((np.ones(3), np.ones(2)), (np.arange(3.0), np.arange(2.0)), 0.1)),
    (new_row, lambda: (matrix(), 2.0)),
    (of_a_tuple, lambda: (([1.0, 2.0], [3.0]),)),
    (of_a_record, lambda: (Pair(np.arange(1.0, 3.0), [3.0]),)),
    (sorted_objects, lambda: (planets(),)),
    (by_another_name, lambda: (Particle(np.ones(2), 1.0),)),
    (first_one, lambda: (planets(),)),
    (of_an_attribute, lambda: (Whole(),)),
    (stored, lambda: (matrix(), 1, 2, 5.0)),
    (new_generation, lambda: ([[0, 1, 0], [0, 1, 1], [0, 0, 1]], 2.0)),
    (set_on_a_path, lambda: (Planet(1.0, 2.0, 3.0), 0.5)),
    (set_on_a_path, lambda: (Planet(1.0, 2.0, 3.0), 1.5)),
    (replaced_on_a_path, lambda: (particle(), 0.5)),
    (replaced_on_a_path, lambda: (particle(), 1.5)),
    (one_for_two, lambda: (particle(), 1.5)),
    (slots, lambda: ([Slotted(1.0), Slotted(2.0)], 1.5)),
]
