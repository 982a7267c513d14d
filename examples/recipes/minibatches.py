"""A network of two layers, trained on minibatches with Adam."""

import numpy as np

import pullback as pb

rng = np.random.default_rng(6)
x = rng.uniform(-2.0, 2.0, (512, 2))
y = np.sin(x[:, 0]) * x[:, 1]


def loss(p, x, y):
    hidden = np.tanh(x @ p["w1"] + p["b1"])
    return np.mean((hidden @ p["w2"] + p["b2"] - y) ** 2)


start = {
    "w1": 0.5 * rng.normal(size=(2, 32)), "b1": np.zeros(32),
    "w2": 0.2 * rng.normal(size=32), "b2": 0.0,
}  # fmt: skip
p, back = pb.ravel(start)
gradient = pb.grad(lambda p, x, y: loss(back(p), x, y))
m, v = np.zeros_like(p), np.zeros_like(p)
for k in range(1, 1501):
    chosen = rng.integers(0, len(x), 64)
    g = gradient(p, x[chosen], y[chosen])
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    p = p - 0.01 * (m / (1.0 - 0.9**k)) / (np.sqrt(v / (1.0 - 0.999**k)) + 1e-8)
print("loss", loss(start, x, y), "->", loss(back(p), x, y))

# the gradient of the last layer, by hand
hidden = np.tanh(x @ start["w1"] + start["b1"])
error = hidden @ start["w2"] - y
assert np.allclose(pb.grad(loss)(start, x, y)["w2"], 2.0 * hidden.T @ error / len(y))
assert loss(back(p), x, y) < 0.05 * loss(start, x, y)
