"""Time ADBench's hand tracking: residuals of a posed hand, and their dense Jacobian by 26 to 28
directions, beside JAX on the same text.

A pose of 26 numbers moves 22 bones, and these 544 vertices. *Simple*: each observed point belongs
to a vertex. *Complicated*: to a place in a triangle, given by two more numbers for each point; a
point depends on its own two only, so that these are two columns for all points.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import pullback as pb
from benchmarks.common import DATA, interleaved, seconds
from benchmarks.operators import for_jax

FOLDER = DATA / "hand"
NAMES = ("hand1_t26_c100", "hand4_t26_c400")


class Model(NamedTuple):
    """The hand at rest: bones, the weight of each bone at each vertex, and the vertices."""

    relatives: Any
    inverses: Any
    weights: Any
    vertices: Any


def turned(angles):
    """The rotation about x, then y, then z, as a 4 by 4 matrix; the angles come as x, z, y."""
    cx, cy, cz = np.cos(angles[0]), np.cos(angles[2]), np.cos(angles[1])
    sx, sy, sz = np.sin(angles[0]), np.sin(angles[2]), np.sin(angles[1])
    return np.array([
        [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx, 0.0],
        [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx, 0.0],
        [-sy, cy * sx, cy * cx, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ])  # fmt: skip


def about(axis):
    """The rotation about an axis, by its length (Rodrigues)."""
    angle = np.sqrt(np.sum(axis * axis))
    x, y, z = axis[0] / angle, axis[1] / angle, axis[2] / angle
    c, s = np.cos(angle), np.sin(angle)
    return np.array([
        [x * x + (1.0 - x * x) * c, x * y * (1.0 - c) - z * s, x * z * (1.0 - c) + y * s],
        [x * y * (1.0 - c) + z * s, y * y + (1.0 - y * y) * c, y * z * (1.0 - c) - x * s],
        [x * z * (1.0 - c) - y * s, z * y * (1.0 - c) + x * s, z * z + (1.0 - z * z) * c],
    ])  # fmt: skip


def bend(theta, bone):
    """The angles of a bone: the second bone of a finger has two, the third and fourth one each."""
    finger, joint = (bone - 1) // 4, (bone - 1) % 4
    first = 6 + 4 * finger + joint + (1 if joint > 1 else 0) - 1
    if bone == 0 or bone == 21 or joint == 0:
        return np.array([0.0, 0.0, 0.0])
    if joint == 1:
        return np.array([theta[first], theta[first + 1], 0.0])
    return np.array([theta[first], 0.0, 0.0])


def positions(theta, model, parents):
    """The places of all vertices of the posed hand."""
    absolutes = [model.relatives[0] @ turned(bend(theta, 0))]
    for bone in range(1, len(parents)):
        absolutes.append(
            absolutes[parents[bone]] @ (model.relatives[bone] @ turned(bend(theta, bone)))
        )
    moves = np.array([absolutes[i] @ model.inverses[i] for i in range(len(parents))])
    blends = np.einsum("vi,ikj->vkj", model.weights, moves[:, :3, :])
    placed = np.einsum("vkj,vj->vk", blends, model.vertices)
    return placed @ about(theta[:3]).T + theta[3:6]


def simple(theta, model, parents, at, points):
    return points - positions(theta, model, parents)[at]


def complicated(shift, theta, model, parents, us, corners, points):
    """``shift`` is added to the two numbers of every point: its derivative is theirs, all points
    at once."""
    placed = positions(theta, model, parents)
    u, v = us[:, 0:1] + shift[0], us[:, 1:2] + shift[1]
    across = (1.0 - u - v) * placed[corners[:, 2]]
    return points - (u * placed[corners[:, 0]] + v * placed[corners[:, 1]] + across)


def numbers(path: Path) -> list[list[float]]:
    return [[float(x) for x in line.split()] for line in path.read_text().splitlines()]


def hand() -> tuple[Model, Any]:
    """Return the model, and the parents of the bones."""
    bones = [row.split(":") for row in (FOLDER / "bones.txt").read_text().splitlines()]
    values = np.array([[float(x) for x in row[2:34]] for row in bones]).reshape(-1, 2, 4, 4)
    rows = [row.split(":") for row in (FOLDER / "vertices.txt").read_text().splitlines()]
    vertices = np.array([[float(x) for x in row[:3]] + [1.0] for row in rows])
    weights = np.zeros((len(rows), len(bones)))
    for k, row in enumerate(rows):
        for j in range(int(row[8])):
            weights[k, int(row[9 + 2 * j])] = float(row[10 + 2 * j])
    parents = np.array([int(row[1]) for row in bones])
    return Model(values[:, 0].copy(), values[:, 1].copy(), weights, vertices), parents


def arguments(kind: str, name: str) -> tuple[Any, ...]:
    """Return the arguments of ``simple`` or ``complicated`` for one of ADBench's files."""
    model, parents = hand()
    (count, size), *rows = numbers(FOLDER / f"{kind}_{name}.txt")
    n = int(count)
    at = np.array([int(row[0]) for row in rows[:n]])
    points = np.array([row[1:] for row in rows[:n]])
    theta = np.array([row[0] for row in rows[-int(size) :]])
    if kind == "simple":
        return theta, model, parents, at, points
    lines = (FOLDER / "triangles.txt").read_text().splitlines()
    triangles = np.array([[int(x) for x in line.split(":")] for line in lines])
    us = np.array(rows[n : 2 * n])
    return np.zeros(2), theta, model, parents, us, triangles[at], points


KINDS = {"simple": (simple, 0), "complicated": (complicated, (0, 1))}


def joined(found: Any) -> Any:
    """Return the Jacobian as one array, with a column for each direction."""
    parts = found if isinstance(found, tuple) else (found,)
    return np.concatenate([np.asarray(p).reshape(-1, p.shape[-1]) for p in parts], axis=1)


def main(jax: Any) -> None:
    print(f"{'program':<28} {'tool':<9} {'first J':>8} {'f':>8} {'Jacobian':>9}  directions")
    for kind, (text, argnums) in KINDS.items():
        for name in NAMES:
            table(f"{kind} {name}", text, argnums, arguments(kind, name), jax)


def table(name: str, text: Any, argnums: Any, args: tuple[Any, ...], jax: Any) -> None:
    """Print the rows of one program."""
    f, jacobian = pb.jit(text), pb.jacfwd(text, argnums)
    first = {"Pullback": seconds(lambda: jacobian(*args))}
    calls = [lambda: f(*args), lambda: jacobian(*args)]
    if jax:
        own = for_jax(text, jax)
        k = next(i for i, a in enumerate(args) if isinstance(a, Model)) + 1
        parents = [int(p) for p in args[k]]
        theirs = [
            jax.jit(lambda *a, g=g: g(*a[:k], parents, *a[k:]))
            for g in (own, jax.jacfwd(own, argnums))
        ]
        there = jax.tree.map(jax.numpy.asarray, (*args[:k], *args[k + 1 :]))
        first["JAX"] = seconds(lambda: jax.block_until_ready(theirs[1](*there)))
        ours, other = joined(jacobian(*args)), joined(theirs[1](*there))
        assert np.max(np.abs(ours - other) / np.maximum(1.0, np.abs(ours) + np.abs(other))) < 1e-6
        calls += [lambda g=g: jax.block_until_ready(g(*there)) for g in theirs]
    for call in calls:
        seconds(call)
    times = interleaved(calls)
    for row, (tool, compile_) in enumerate(first.items()):
        one, whole = times[2 * row].least, times[2 * row + 1].least
        columns = 26 if argnums == 0 else 28
        print(f"{name:<28} {tool:<9} {1e3 * compile_:8.0f} {1e3 * one:8.3f} {1e3 * whole:9.3f}  "
              f"{columns}", flush=True)
