"""Programs as they are written for autograd, with its names: each makes the function that it
differentiates, and arguments for it."""

import pullback.compat.autograd.numpy.random as npr
import pullback.compat.autograd.scipy.stats as stats
import pullback.compat.autograd.scipy.stats.norm as norm
from pullback.compat.autograd.scipy.special import logsumexp

import pullback.compat.autograd.numpy as np
from pullback.compat.autograd import elementwise_grad, grad, jacobian, make_hvp
from pullback.compat.autograd.extend import defvjp, primitive
from pullback.compat.autograd.misc import flatten
from pullback.compat.autograd.misc.optimizers import adam, sgd
from pullback.compat.autograd.scipy.signal import convolve


def logistic_regression():
    inputs = np.array([[0.52, 1.12, 0.77], [0.88, -1.08, 0.15], [0.52, 0.06, -1.3]])
    targets = np.array([True, True, False])

    def predictions(weights):
        return 0.5 * (np.tanh(np.dot(inputs, weights) / 2.0) + 1.0)

    def loss(weights):
        preds = predictions(weights)
        label_probabilities = preds * targets + (1 - preds) * (1 - targets)
        return -np.sum(np.log(label_probabilities))

    return loss, (np.array([0.1, -0.2, 0.3]),)


def neural_net():
    rs = npr.RandomState(0)
    sizes = [4, 5, 3]
    params = [
        {"W": 0.5 * rs.randn(m, n), "b": 0.1 * rs.randn(n)}
        for m, n in zip(sizes[:-1], sizes[1:], strict=True)  # noqa: RUF007  # as autograd's users
    ]
    inputs, labels = rs.randn(7, 4), np.eye(3)[rs.randint(3, size=7)]

    def predict(params, inputs):
        for layer in params:
            outputs = np.dot(inputs, layer["W"]) + layer["b"]
            inputs = np.tanh(outputs)
        return outputs - logsumexp(outputs, axis=1, keepdims=True)

    def log_posterior(params):
        squares = sum(np.sum(layer["W"] ** 2) for layer in params)
        return -0.1 * squares + np.sum(predict(params, inputs) * labels)

    return log_posterior, (params,)


def rosenbrock():
    def function(x):
        return 100.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2

    return function, (np.array([-0.5, 0.7]),)


def gaussian_process():
    rs = npr.RandomState(1)
    x, y = rs.randn(6, 2), rs.randn(6)

    def rbf(params, a, b):
        scale, lengths = np.exp(params[0]), np.exp(params[1:])
        diffs = np.expand_dims(a / lengths, 1) - np.expand_dims(b / lengths, 0)
        return scale * np.exp(-0.5 * np.sum(diffs**2, axis=2))

    def log_marginal_likelihood(params):
        mean, noise = params[0], np.exp(params[1]) + 0.001
        cov = rbf(params[2:], x, x) + noise * np.eye(len(y))
        return stats.multivariate_normal.logpdf(y, mean * np.ones(len(y)), cov)

    return log_marginal_likelihood, (np.array([0.1, -1.0, 0.3, 0.2, -0.1]),)


def orbit():
    def field(state, t, rates):
        prey, predators = state
        return np.array([
            rates[0] * prey - rates[1] * prey * predators,
            rates[2] * prey * predators - rates[3] * predators + 0.1 * np.sin(t),
        ])

    def runge_kutta(state, times, rates):
        for t0, t1 in zip(times[:-1], times[1:], strict=True):  # noqa: RUF007  # as above
            h = t1 - t0
            k1 = field(state, t0, rates)
            k2 = field(state + h * k1 / 2, t0 + h / 2, rates)
            k3 = field(state + h * k2 / 2, t0 + h / 2, rates)
            k4 = field(state + h * k3, t1, rates)
            state = state + h * (k1 + 2 * k2 + 2 * k3 + k4) / 6
        return state

    def miss(rates, start):
        return np.sum((runge_kutta(start, np.linspace(0.0, 2.0, 21), rates) - 1.0) ** 2)

    return miss, (np.array([1.1, 0.4, 0.3, 0.9]), np.array([1.5, 0.8]))


def recurrent_net():
    rs = npr.RandomState(2)
    params = {
        "init hiddens": 0.1 * rs.randn(1, 4), "change": 0.4 * rs.randn(3 + 4 + 1, 4),
        "predict": 0.4 * rs.randn(4 + 1, 3),
    }  # fmt: skip
    sequence = np.eye(3)[rs.randint(3, size=(5, 2))]

    def concat_and_multiply(weights, *args):
        cat_state = np.hstack((*args, np.ones((args[0].shape[0], 1))))
        return np.dot(cat_state, weights)

    def predict(params, inputs):
        hiddens = np.repeat(params["init hiddens"], inputs.shape[1], axis=0)
        output = []
        for row in inputs:
            hiddens = 0.5 * (np.tanh(concat_and_multiply(params["change"], row, hiddens)) + 1.0)
            scores = concat_and_multiply(params["predict"], hiddens)
            output.append(scores - logsumexp(scores, axis=1, keepdims=True))
        return output

    def log_likelihood(params):
        logprobs = predict(params, sequence)
        loglik = 0.0
        for t in range(sequence.shape[0]):
            loglik += np.sum(logprobs[t] * sequence[t])
        return loglik / 10.0

    return log_likelihood, (params,)


def mixture():
    rs = npr.RandomState(3)
    data = rs.randn(12, 2)
    params = {
        "log proportions": 0.1 * rs.randn(3), "means": rs.randn(3, 2),
        "lower triangles": 0.3 * rs.randn(3, 2, 2) + np.eye(2),
    }  # fmt: skip

    def log_likelihood(params):
        weights = params["log proportions"] - logsumexp(params["log proportions"])
        parts = []
        for weight, mean, lower in zip(
            weights, params["means"], params["lower triangles"], strict=True
        ):
            cov = np.dot(lower.T, lower)
            parts.append(weight + stats.multivariate_normal.logpdf(data, mean, cov))
        return np.sum(logsumexp(np.vstack(parts), axis=0))

    return log_likelihood, (params,)


def variational_inference():
    noise = npr.RandomState(4).randn(20, 2)

    def log_density(x):
        mu, log_sigma = x[:, 0], x[:, 1]
        return norm.logpdf(log_sigma, 0, 1.35) + norm.logpdf(mu, 0, np.exp(log_sigma))

    def lower_bound(params):
        mean, log_std = params[:2], params[2:]
        samples = noise * np.exp(log_std) + mean
        entropy = 0.5 * 2 * (1.0 + np.log(2 * np.pi)) + np.sum(log_std)
        return -(entropy + np.mean(log_density(samples)))

    return lower_bound, (np.array([0.2, -0.4, -1.0, 0.3]),)


def fluid():
    rs = npr.RandomState(5)
    vx, vy, smoke = 0.3 * rs.randn(5, 6), 0.3 * rs.randn(5, 6), rs.rand(5, 6)

    def project(vx, vy):
        p = np.zeros(vx.shape)
        h = 1.0 / vx.shape[0]
        div = -0.5 * h * (
            np.roll(vx, -1, axis=0) - np.roll(vx, 1, axis=0)
            + np.roll(vy, -1, axis=1) - np.roll(vy, 1, axis=1)
        )  # fmt: skip
        for _ in range(4):
            p = (
                div + np.roll(p, 1, axis=0) + np.roll(p, -1, axis=0) + np.roll(p, 1, axis=1)
                + np.roll(p, -1, axis=1)
            ) / 4.0  # fmt: skip
        vx = vx - 0.5 * (np.roll(p, -1, axis=0) - np.roll(p, 1, axis=0)) / h
        vy = vy - 0.5 * (np.roll(p, -1, axis=1) - np.roll(p, 1, axis=1)) / h
        return vx, vy

    def advect(f, vx, vy):
        rows, cols = f.shape
        cell_ys, cell_xs = np.meshgrid(np.arange(rows), np.arange(cols), indexing="ij")
        center_xs, center_ys = (cell_xs - vx).ravel(), (cell_ys - vy).ravel()
        left_ix, top_ix = np.floor(center_xs).astype(int), np.floor(center_ys).astype(int)
        rw, bw = center_xs - left_ix, center_ys - top_ix
        left_ix, right_ix = np.mod(left_ix, cols), np.mod(left_ix + 1, cols)
        top_ix, bot_ix = np.mod(top_ix, rows), np.mod(top_ix + 1, rows)
        top = (1 - rw) * f[top_ix, left_ix] + rw * f[top_ix, right_ix]
        bottom = (1 - rw) * f[bot_ix, left_ix] + rw * f[bot_ix, right_ix]
        return np.reshape((1 - bw) * top + bw * bottom, (rows, cols))

    def distance(params):
        u, v = np.reshape(params, (2, *smoke.shape))
        now = smoke
        for _ in range(3):
            u_new, v_new = advect(u, u, v), advect(v, u, v)
            u, v = project(u_new, v_new)
            now = advect(now, u, v)
        return np.mean((0.5 - now) ** 2)

    return distance, (np.concatenate([vx.ravel(), vy.ravel()]),)


def convnet():
    rs = npr.RandomState(6)
    images, labels = rs.randn(2, 1, 6, 6), np.eye(2)
    kernel, bias, dense = 0.3 * rs.randn(1, 3, 3, 3), 0.1 * rs.randn(1, 3, 1, 1), rs.randn(12, 2)

    def predict(kernel, bias, dense):
        conv = convolve(images, kernel, axes=([2, 3], [2, 3]), dot_axes=([1], [0]), mode="valid")
        maps = np.tanh(conv + bias)
        n, channels, height, width = maps.shape
        pooled = np.max(
            np.max(np.reshape(maps, (n, channels, height // 2, 2, width // 2, 2)), axis=5), axis=3
        )
        scores = np.dot(np.reshape(pooled, (n, -1)), dense)
        return scores - logsumexp(scores, axis=1, keepdims=True)

    def loss(kernel, bias, dense):
        return -np.sum(predict(kernel, bias, dense) * labels)

    return loss, (kernel, bias, dense)


def tanh_of_all_orders():
    def tanh(x):
        return (1.0 - np.exp(-2 * x)) / (1.0 + np.exp(-2 * x))

    f = tanh
    for _ in range(4):
        f = elementwise_grad(f)
    return f, (np.linspace(-1.0, 1.0, 5),)


def own_logsumexp():
    @primitive
    def logsumexp(x):
        top = np.max(x)
        return top + np.log(np.sum(np.exp(x - top)))

    defvjp(logsumexp, lambda ans, x: lambda g: np.full(x.shape, g) * np.exp(x - ans))

    def example(y):
        return logsumexp(y**2)

    return example, (np.array([0.3, -1.2, 0.8]),)


def trained():
    def objective(params, i):
        return np.sum((params["w"] - 3.0) ** 2) * (1.0 + 0.1 * i) + params["c"] ** 2

    def after_training(log_rate):
        start = {"w": np.zeros(2), "c": 1.0}
        found = sgd(grad(objective), start, num_iters=6, step_size=np.exp(log_rate))
        return objective(found, 6)

    return after_training, (-2.0,)


def curvature():
    def energy(x):
        return np.sum(np.sin(x) * x**2)

    def along(x):
        hvp, gradient = make_hvp(energy)(x)
        return np.sum(hvp(gradient)) + np.sum(jacobian(np.tanh)(x))

    return along, (np.array([0.2, 0.9, -0.4]),)


def fitted():
    """Run as a whole, outside of compiled code."""
    losses = []
    loss, (start,) = logistic_regression()

    def objective(weights, i):
        return loss(weights)

    def callback(weights, i, gradient):
        losses.append(float(loss(weights)))

    found = adam(grad(objective), start, callback, num_iters=60, step_size=0.1)
    vector, unflatten = flatten({"w": found, "a": [1.0]})
    return losses, vector, unflatten


PROGRAMS = [
    logistic_regression, neural_net, rosenbrock, gaussian_process, orbit, recurrent_net, mixture,
    variational_inference, fluid, convnet, tanh_of_all_orders, own_logsumexp, trained, curvature,
]  # fmt: skip
