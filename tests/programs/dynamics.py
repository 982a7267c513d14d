"""Things that move: partial and stochastic differential equations, mechanics."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.programs import real


def heat_explicit(start, ratio, steps):
    """Explicit steps of the heat equation on a ring, by slices."""
    u = start
    for _ in range(steps):
        left = np.concatenate([u[-1:], u[:-1]])
        right = np.concatenate([u[1:], u[:1]])
        u = u + ratio * (left - 2.0 * u + right)
    return np.sum(u * u * np.arange(len(u)))


def wave(start, speeds, steps):
    """A string with fixed ends and a speed at every place, two rows of time overwritten in turn."""
    n = len(start)
    before, now = start.copy(), start.copy()
    for _ in range(steps):
        after = np.zeros(n)
        for i in range(1, n - 1):
            bend = now[i - 1] - 2.0 * now[i] + now[i + 1]
            after[i] = 2.0 * now[i] - before[i] + speeds[i] ** 2 * bend
        before, now = now, after
    return np.sum(now * now)


class Fish(NamedTuple):
    prey: float
    predators: float


def lotka_volterra(rates, start, steps):
    """Fixed Runge-Kutta steps of order 4, on records."""
    a, b, c, d = rates

    def field(s):
        return Fish(
            a * s.prey - b * s.prey * s.predators, d * s.prey * s.predators - c * s.predators
        )

    def moved(s, k, h):
        return Fish(s.prey + h * k.prey, s.predators + h * k.predators)

    s, h = start, 0.05
    for _ in range(steps):
        k1 = field(s)
        k2 = field(moved(s, k1, 0.5 * h))
        k3 = field(moved(s, k2, 0.5 * h))
        k4 = field(moved(s, k3, h))
        s = moved(moved(moved(moved(s, k1, h / 6), k2, h / 3), k3, h / 3), k4, h / 6)
    return s.prey * s.predators


def ornstein_uhlenbeck(theta, noise, seen):
    """Log likelihood of what is seen along a path made from given normal numbers."""
    pull, level, width = math.exp(theta[0]), theta[1], math.exp(theta[2])
    x, total = 0.0, 0.0
    for t in range(len(noise)):
        x = x + 0.1 * pull * (level - x) + width * math.sqrt(0.1) * noise[t]
        total -= 0.5 * (seen[t] - x) ** 2
    return total / len(noise)


def heston(spot, params, normals):
    """A call under stochastic variance, by Euler steps with given normal numbers, kept positive."""
    kappa, mean, rough, rho = params
    paths, steps, _ = normals.shape
    dt, total = 1.0 / steps, 0.0
    for p in range(paths):
        log_s, v = math.log(spot), 0.04
        for t in range(steps):
            z1 = normals[p, t, 0]
            z2 = rho * z1 + math.sqrt(1.0 - rho * rho) * normals[p, t, 1]
            positive = max(v, 1e-8)
            log_s += -0.5 * positive * dt + math.sqrt(positive * dt) * z1
            v += kappa * (mean - positive) * dt + rough * math.sqrt(positive * dt) * z2
        total += max(math.exp(log_s) - 1.0, 0.0)
    return total / paths


def gillespie(rates, uniforms):
    """Births and deaths: given numbers choose what happens, and the waiting times count."""
    count, time = 10, 0.0
    for i in range(len(uniforms)):
        birth, death = rates[0] * 5.0, rates[1] * count
        total = birth + death
        time += -math.log(uniforms[i, 0]) / total
        if uniforms[i, 1] < 0.5 and count > 1:
            count -= 1
        else:
            count += 1
    return time / len(uniforms)


@dataclass(frozen=True)
class Particle:
    place: tuple[float, float]
    speed: tuple[float, float]
    mass: float


def bouncing_ball(ball, elasticity, steps):
    """Semi-implicit steps; the floor pushes back like a spring, and takes some of the energy."""
    for _ in range(steps):
        x, y = ball.place
        vx, vy = ball.speed
        push = -9.81
        if y < 0.0:
            push -= 500.0 * y / ball.mass
            if vy > 0.0:
                push += 500.0 * (1.0 - elasticity) * y / ball.mass
        vy += 0.01 * push
        ball = Particle((x + 0.01 * vx, y + 0.01 * vy), (vx, vy), ball.mass)
    return ball.mass * (9.81 * ball.place[1] + 0.5 * ball.speed[1] ** 2) + ball.place[0]


def planets(places, speeds, masses, steps):
    """Gravity among all, leapfrog, arrays of rows."""
    n, x, v = len(masses), places, speeds
    for _ in range(steps):
        pull = np.zeros((n, 3))
        for i in range(n):
            for j in range(n):
                if i != j:
                    gap = x[j] - x[i]
                    square = np.sum(gap * gap) + 0.01
                    pull[i] += masses[j] * gap / (square * math.sqrt(square))
        v = v + 0.01 * pull
        x = x + 0.01 * v
    return np.sum(masses * np.sum(v * v, axis=1))


def crank_nicolson(start, diffusion, steps):
    """The heat equation with a diffusion of every cell, solved by one tridiagonal sweep a step."""
    n = len(start)
    u = start
    for _ in range(steps):
        c, d = np.zeros(n), np.zeros(n)
        for i in range(n):
            left = diffusion[i] if i > 0 else 0.0
            right = diffusion[i + 1] if i < n - 1 else 0.0
            explicit = u[i]
            if i > 0:
                explicit += 0.5 * left * (u[i - 1] - u[i])
            if i < n - 1:
                explicit += 0.5 * right * (u[i + 1] - u[i])
            pivot = 1.0 + 0.5 * (left + right) + 0.5 * left * (c[i - 1] if i > 0 else 0.0)
            c[i] = -0.5 * right / pivot
            d[i] = (explicit + 0.5 * left * (d[i - 1] if i > 0 else 0.0)) / pivot
        u = d
        for i in range(n - 2, -1, -1):
            u[i] -= c[i] * u[i + 1]
    return np.sum(np.sin(u))


def neural_ode(weights, start, steps):
    """A field that is a small network, followed by Heun's method."""

    def field(h):
        return np.tanh(weights @ h)

    h = start
    for _ in range(steps):
        k = field(h)
        h = h + 0.05 * (k + field(h + 0.1 * k))
    return np.sum(h * h)


def reverberator(rate, n):
    """Logistic growth with a delay: each step reads the population ten steps ago."""
    x = np.full(n + 10, 0.5)
    for t in range(10, n + 10):
        x[t] = x[t - 1] + 0.1 * rate * x[t - 1] * (1.0 - x[t - 10])
    return x[n + 9]


def bodies(rng, n):
    return rng.normal(size=(n, 3)), 0.1 * rng.normal(size=(n, 3)), rng.uniform(0.5, 1.0, n), 3


PROGRAMS = [
    real(
        "heat_explicit",
        heat_explicit,
        lambda r, n: (r.normal(size=n), 0.2, 4),
        (0, 1),
        growth=(10, 100, 1000),
    ),
    real("wave", wave, lambda r, n: (r.normal(size=n), r.uniform(0.2, 0.8, n), 5), (0, 1)),
    real(
        "lotka_volterra",
        lotka_volterra,
        lambda r, n: (tuple(r.uniform(0.5, 1.0, 4).tolist()), Fish(1.5, 1.0), n),
        (0, 1),
    ),
    real(
        "ornstein_uhlenbeck",
        ornstein_uhlenbeck,
        lambda r, n: (0.3 * r.normal(size=3), r.normal(size=n), r.normal(size=n)),
        (0, 1, 2),
    ),
    real(
        "heston",
        heston,
        lambda r, n: (1.0 + 0.1 * r.uniform(), (1.5, 0.05, 0.4, -0.6), r.normal(size=(n, 6, 2))),
        (0, 1),
    ),
    real(
        "gillespie",
        gillespie,
        lambda r, n: (r.uniform(0.5, 1.0, 2), r.uniform(0.01, 1.0, (n, 2))),
        (0,),
    ),
    real(
        "bouncing_ball",
        bouncing_ball,
        lambda r, n: (Particle((0.0, 0.3), (1.0, r.normal()), 2.0), 0.8, 3 * n),
        (0, 1),
        (3, 8),
    ),
    real("planets", planets, bodies, (0, 1, 2), (2, 4), growth=(3, 8, 24)),
    real(
        "crank_nicolson",
        crank_nicolson,
        lambda r, n: (r.normal(size=n), r.uniform(0.2, 1.0, n), 3),
        (0, 1),
        (3, 8),
    ),
    real(
        "neural_ode",
        neural_ode,
        lambda r, n: (0.5 * r.normal(size=(3, 3)), r.normal(size=3), n),
        (0, 1),
    ),
    real("delayed_growth", reverberator, lambda r, n: (r.uniform(1.0, 2.0), n)),
]
