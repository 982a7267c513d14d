"""Jacobians of functions with several results, of different ranks, by several arguments: all modes
beside one directional derivative for each number."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as pb

RNG = np.random.default_rng(5)


def whole_and_row(points):
    return np.sum(points), points[:, 0] * 3.0


def row_and_number(points):
    moved = points * 1.0
    return {"a": moved[:, 0] * 3.0, "b": moved[2, 1]}


def three_ranks(points):
    return points[1, 1] * 2.0, points * points, np.sum(points, axis=0), np.cumsum(points[:, 1])


def rows_of_two_lengths(points):
    return points[:3, 0], np.sin(points[0]), np.stack([points[0], points[1]]), points[0, 0]


def carried(points):
    row, total = points[0], 0.0
    for k in range(1, len(points)):
        row = row * 0.5 + points[k]
        total = total + np.sum(row * row)
    return total, row, row[:1], np.outer(row, row)


def chosen(points):
    if points[0, 0] > 0.0:
        return points[:, 0] * 2.0, points[0, 0]
    return points[:, 1] * 3.0, points[1, 1]


FUNCTIONS = [whole_and_row, row_and_number, three_ranks, rows_of_two_lengths, carried, chosen]


def parts(value):
    return list(value.values()) if isinstance(value, dict) else list(value)


@pytest.mark.parametrize("shape", [(4, 2), (5, 3), (9, 4)])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_results_of_several_ranks(f, shape):
    x = RNG.normal(size=shape)
    columns = []
    for k in range(x.size):
        direction = np.zeros(x.size)
        direction[k] = 1.0
        columns.append(parts(pb.jvp(f, (x,), (direction.reshape(shape),))[1]))
    for jacobian in (pb.jacfwd, pb.jacrev, pb.jacobian):
        for part, found in enumerate(parts(jacobian(f)(x))):
            expected = np.stack([np.asarray(c[part]) for c in columns], axis=-1)
            got = np.reshape(found, expected.shape)
            np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-13)
