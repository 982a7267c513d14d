"""Time ADBench's diagonal LSTM: l layers, c characters of b bits, every bit its own cell."""

from dataclasses import dataclass
from typing import Any

import numpy as np

import pullback as pb
from benchmarks.common import DATA, Case, report


@dataclass(frozen=True)
class LstmInput:
    """``main[2l, 4b]``, ``extra[3, b]``, ``state[2l, b]``, ``sequence[c, b]`` of 0 and 1."""

    main: np.ndarray
    extra: np.ndarray
    state: np.ndarray
    sequence: np.ndarray


def load(name: str) -> LstmInput:
    words = (DATA / name).read_text().split()
    layers, length, bits = (int(word) for word in words[:3])
    shapes = [(2 * layers, 4 * bits), (3, bits), (2 * layers, bits), (length, bits)]
    numbers = np.array(words[3:], dtype=np.float64)
    ends = np.cumsum([rows * cols for rows, cols in shapes])
    assert numbers.size == ends[-1]
    parts = np.split(numbers, ends[:-1])
    arrays = [np.ascontiguousarray(p.reshape(shape)) for p, shape in zip(parts, shapes)]
    return LstmInput(*arrays)


def sigmoid(u):
    return 1.0 / (1.0 + np.exp(-u))


def loss(main, extra, state, sequence):
    """Return the mean negative log-likelihood of the next character, bit by bit."""
    layers = len(state) // 2
    length, bits = sequence.shape
    hidden = np.zeros((layers, bits))
    cell = np.zeros((layers, bits))
    for i in range(layers):
        for j in range(bits):
            hidden[i, j] = state[2 * i, j]
            cell[i, j] = state[2 * i + 1, j]

    total = 0.0
    for t in range(length - 1):
        for j in range(bits):
            carried = sequence[t, j] * extra[0, j]
            for i in range(layers):
                old = hidden[i, j]
                forget = sigmoid(carried * main[2 * i, j] + main[2 * i + 1, j])
                ingate = sigmoid(old * main[2 * i, bits + j] + main[2 * i + 1, bits + j])
                out = sigmoid(carried * main[2 * i, 2 * bits + j] + main[2 * i + 1, 2 * bits + j])
                change = np.tanh(old * main[2 * i, 3 * bits + j] + main[2 * i + 1, 3 * bits + j])
                kept = cell[i, j] * forget + ingate * change
                cell[i, j] = kept
                carried = out * np.tanh(kept)
                hidden[i, j] = carried

        top = layers - 1
        norm = np.log(
            2.0 + sum(np.exp(hidden[top, j] * extra[1, j] + extra[2, j]) for j in range(bits))
        )
        total += sum(
            sequence[t + 1, j] * (hidden[top, j] * extra[1, j] + extra[2, j] - norm)
            for j in range(bits)
        )
    return -total / ((length - 1) * bits)


def pullback_case(data: LstmInput) -> Case:
    args = (data.main, data.extra, data.state, data.sequence)
    f, gradient = pb.jit(loss), pb.value_and_grad(loss, argnums=(0, 1))
    return Case("Pullback", lambda: f(*args), lambda: gradient(*args))


def jax_case(jax: Any, data: LstmInput) -> Case:
    """Return the same program in idiomatic JAX: a scan over time, vectors over the bits."""
    jnp = jax.numpy
    layers = len(data.state) // 2
    length, bits = data.sequence.shape

    def f(main, extra, state, sequence):
        gates = main.reshape(layers, 2, 4, bits)

        def step(carry, pair):
            now, following = pair
            carried, states = now * extra[0], []
            for i in range(layers):
                (wf, wi, wo, wc), (bf, bi, bo, bc) = gates[i]
                old, cell = carry[i]
                forget, ingate = jax.nn.sigmoid(carried * wf + bf), jax.nn.sigmoid(old * wi + bi)
                out, change = jax.nn.sigmoid(carried * wo + bo), jnp.tanh(old * wc + bc)
                cell = cell * forget + ingate * change
                carried = out * jnp.tanh(cell)
                states.append((carried, cell))
            y = carried * extra[1] + extra[2]
            norm = jnp.log(2.0 + jnp.sum(jnp.exp(y)))
            return tuple(states), jnp.sum(following * (y - norm))

        start = tuple((state[2 * i], state[2 * i + 1]) for i in range(layers))
        totals = jax.lax.scan(step, start, (sequence[:-1], sequence[1:]))[1]
        return -jnp.sum(totals) / ((length - 1) * bits)

    args = [jnp.asarray(a) for a in (data.main, data.extra, data.state, data.sequence)]
    value, gradient = jax.jit(f), jax.jit(jax.value_and_grad(f, argnums=(0, 1)))
    return Case(
        "JAX",
        lambda: jax.block_until_ready(value(*args)),
        lambda: jax.block_until_ready(gradient(*args)),
    )


def main(jax: Any) -> None:
    data = load("lstm_l2_c1024.txt")
    report("lstm l2 c1024", [pullback_case(data)] + ([jax_case(jax, data)] if jax else []))
