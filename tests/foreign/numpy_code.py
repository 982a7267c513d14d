"""Vectorised NumPy, as in notebooks and papers' supplements."""

import numpy as np


def softmax_cross_entropy(logits, labels):
    shifted = logits - logits.max(axis=1, keepdims=True)
    logp = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return -logp[np.arange(len(labels)), labels].mean()


def two_layer_mlp(params, x, y):
    W1, b1, W2, b2 = params["W1"], params["b1"], params["W2"], params["b2"]
    h = np.maximum(0, x @ W1 + b1)
    pred = h @ W2 + b2
    return ((pred - y) ** 2).mean() + 1e-3 * sum((p**2).sum() for p in params.values())


def rbf_kernel(X, Y, gamma=0.5):
    sq = (X**2).sum(1)[:, None] + (Y**2).sum(1)[None, :] - 2 * X @ Y.T
    return np.exp(-gamma * sq)


def gp_log_likelihood(theta, X, y):
    length, signal, noise = np.exp(theta)
    d = X[:, np.newaxis] - X[np.newaxis, :]
    K = signal**2 * np.exp(-0.5 * (d / length) ** 2) + noise**2 * np.eye(len(X))
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return -0.5 * y.dot(alpha) - np.log(np.diag(L)).sum() - 0.5 * len(X) * np.log(2 * np.pi)


def huber(residual, delta=1.0):
    a = np.abs(residual)
    return np.where(a <= delta, 0.5 * a**2, delta * (a - 0.5 * delta)).sum()


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0)


def rastrigin(x):
    x = np.asarray(x)
    n = x.size
    return 10 * n + np.sum(x**2 - 10 * np.cos(2 * np.pi * x))


def ackley(x, a=20, b=0.2, c=2 * np.pi):
    d = len(x)
    s1 = np.sum(np.square(x))
    s2 = np.sum(np.cos(c * x))
    return -a * np.exp(-b * np.sqrt(s1 / d)) - np.exp(s2 / d) + a + np.e


def standardise(X):
    mu, sd = X.mean(axis=0), X.std(axis=0, ddof=1)
    Z = (X - mu) / sd
    return (Z.T @ Z) / (len(Z) - 1)


def conv2d(image, kernel):
    kh, kw = kernel.shape
    H, W = image.shape[0] - kh + 1, image.shape[1] - kw + 1
    out = np.zeros((H, W))
    for i in range(kh):
        for j in range(kw):
            out += kernel[i, j] * image[i : i + H, j : j + W]
    return out


def heat_step(u, alpha, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u.sum()


def laplacian_2d(u):
    lap = -4 * u
    lap += np.roll(u, 1, 0)
    lap += np.roll(u, -1, 0)
    lap += np.roll(u, 1, 1)
    lap += np.roll(u, -1, 1)
    return (lap**2).sum()


def attention(Q, K, V):
    scores = Q @ K.transpose() / np.sqrt(K.shape[-1])
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return np.einsum("ij,jk->ik", weights, V)


def rnn(xs, Wx, Wh, b):
    h = np.zeros(Wh.shape[0])
    hs = []
    for x in xs:
        h = np.tanh(Wx @ x + Wh @ h + b)
        hs.append(h)
    return np.stack(hs)


def portfolio_sharpe(weights, returns):
    w = weights / np.sum(np.abs(weights))
    daily = returns @ w
    return np.sqrt(252) * daily.mean() / daily.std()


def pairwise_energy(positions):
    n = positions.shape[0]
    iu = np.triu_indices(n, k=1)
    diff = positions[iu[0]] - positions[iu[1]]
    r2 = (diff**2).sum(axis=-1)
    inv6 = 1.0 / r2**3
    return 4.0 * np.sum(inv6**2 - inv6)


def cumulative_hazard(times, beta, covariates):
    risk = np.exp(covariates @ beta)
    order = np.argsort(times)[::-1]
    cum = np.cumsum(risk[order])
    return np.sum(covariates[order] @ beta - np.log(cum))


def fft_free_autocorrelation(x, lags):
    x = x - np.mean(x)
    return np.array([np.dot(x[: len(x) - k], x[k:]) / len(x) for k in range(lags)])


def rotation(angles, points):
    a, b, c = angles
    Rx = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    Ry = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    Rz = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
    return points @ (Rz @ Ry @ Rx).T


def piecewise(x):
    conditions = [x < -1, (x >= -1) & (x < 1), x >= 1]
    choices = [-x, x**3, np.sqrt(np.abs(x))]
    return np.select(conditions, choices, default=0.0)


_rng = np.random.default_rng(3)
_X = _rng.normal(size=(6, 3))

CASES = [
    (softmax_cross_entropy, (_rng.normal(size=(4, 3)), np.array([0, 2, 1, 1]))),
    (
        two_layer_mlp,
        (
            {
                "W1": _rng.normal(size=(3, 4)), "b1": np.full(4, 0.1),
                "W2": _rng.normal(size=(4, 1)), "b2": np.zeros(1),
            },
            _X,
            _rng.normal(size=(6, 1)),
        ),
    ),
    (rbf_kernel, (_X, _X[:2])),
    (gp_log_likelihood, (np.array([0.1, 0.2, -1.0]), _X[:, 0], _X[:, 1])),
    (huber, (_X[:, 0] * 2,)),
    (rosenbrock, (np.array([0.5, 1.5, -0.3]),)),
    (rastrigin, ([0.5, 1.2, -0.7],)),
    (ackley, (np.array([0.5, 1.2, -0.7]),)),
    (standardise, (_X,)),
    (conv2d, (_rng.normal(size=(5, 6)), _rng.normal(size=(2, 3)))),
    (heat_step, (_X[:, 0], 0.1, 4)),
    (laplacian_2d, (_X,)),
    (attention, (_X, _X * 0.5, _X + 1)),
    (rnn, (_X, _rng.normal(size=(4, 3)), _rng.normal(size=(4, 4)), np.zeros(4))),
    (portfolio_sharpe, (np.array([0.2, 0.3, -0.5]), _X)),
    (pairwise_energy, (_X,)),
    (cumulative_hazard, (np.array([3.0, 1.0, 2.0, 6.0, 5.0, 4.0]), np.array([0.1, -0.2, 0.3]), _X)),
    (fft_free_autocorrelation, (_X[:, 2], 3)),
    (rotation, (np.array([0.1, 0.2, 0.3]), _X)),
    (piecewise, (np.array([-2.0, -0.5, 0.5, 2.0]),)),
]  # fmt: skip
