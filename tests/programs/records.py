"""Tuples and frozen dataclasses: arguments, results, nested, with arrays inside."""

import math
from dataclasses import dataclass

import numpy as np

from tests.programs import Program


@dataclass(frozen=True)
class Point:
    x: float
    y: float


@dataclass(frozen=True)
class Body:
    place: Point
    speed: Point
    mass: float


@dataclass(frozen=True)
class Layer:
    weights: np.ndarray
    bias: np.ndarray


@dataclass(frozen=True)
class Network:
    hidden: Layer
    out: Layer
    depth: int


def norm_squared(p):
    return p.x * p.x + p.y * p.y


def add(p, q):
    return Point(p.x + q.x, p.y + q.y)


def record_argument(p):
    return norm_squared(p) * math.sin(p.x)


def nested_records(body, dt):
    """Records made, passed and taken apart inside; one step of a falling body."""
    speed = add(body.speed, Point(0.0, -9.81 * dt))
    moved = Body(add(body.place, Point(dt * speed.x, dt * speed.y)), speed, body.mass)
    return moved.mass * (9.81 * moved.place.y + 0.5 * norm_squared(moved.speed))


def record_state(body, n):
    """A record carried by a loop."""
    state = body
    for _ in range(n):
        pull = Point(-state.place.x, -state.place.y)
        speed = add(state.speed, Point(0.05 * pull.x, 0.05 * pull.y))
        state = Body(add(state.place, Point(0.05 * speed.x, 0.05 * speed.y)), speed, state.mass)
    return norm_squared(state.place) * state.mass


def network(net, x):
    """Records with array fields, two levels deep."""
    hidden = np.tanh(net.hidden.weights @ x + net.hidden.bias)
    return np.sum(net.out.weights @ hidden + net.out.bias) * net.depth


def tuple_argument(pair):
    (a, b), c = pair
    return a * b + math.sin(c) * a


def swap(state):
    a, b = state
    return b, a + b


def tuple_state(x, n):
    state = (x, 1.0)
    for _ in range(n):
        state = swap(state)
        state = (state[0] * 0.5, state[1] * 0.5)
    return state[0] * state[1]


def record_result(p, w):
    """Value only: a record of an array, a record and a number."""
    return Body(add(p, Point(1.0, 2.0)), Point(w[0], w[-1]), p.x * p.y)


def array_record_result(x):
    return Layer(np.outer(x, x), 2.0 * x), (x[0], len(x), x[0] > 0.0)


def make_point(rng):
    return Point(*rng.normal(size=2).tolist())


def make_body(rng):
    return Body(make_point(rng), make_point(rng), rng.uniform(1.0, 2.0))


def make_network(rng, n):
    hidden = Layer(rng.normal(size=(n, 3)), rng.normal(size=n))
    return Network(hidden, Layer(rng.normal(size=(2, n)), rng.normal(size=2)), 2)


PROGRAMS = [
    Program("record_argument", record_argument, lambda rng, n: (make_point(rng),)),
    Program("nested_records", nested_records, lambda rng, n: (make_body(rng), 0.1), (0, 1)),
    Program("record_state", record_state, lambda rng, n: (make_body(rng), n)),
    Program("network", network, lambda rng, n: (make_network(rng, n), rng.normal(size=3)), (0, 1)),
    Program(
        "tuple_argument",
        tuple_argument,
        lambda rng, n: (((rng.normal(), rng.normal()), rng.normal()),),
    ),
    Program("tuple_state", tuple_state, lambda rng, n: (rng.normal(), n)),
    Program("record_result", record_result, lambda r, n: (make_point(r), r.normal(size=n)), ()),
    Program("array_record_result", array_record_result, lambda r, n: (r.normal(size=n),), ()),
]
