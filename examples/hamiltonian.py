"""A Hamiltonian system followed until an event: when a star next crosses the axis of its galaxy.

The force is the derivative of a potential (Hénon and Heiles, 1964), taken inside; the number of
steps depends on the path, and so does the length of the last one. The whole is differentiated in a
parameter of the potential. Each of the two derivatives may be taken forward or in reverse.
"""

import math

import numpy as np

import pullback as pb


def potential(place, coupling):
    x, y = place[0], place[1]
    return 0.5 * (x * x + y * y) + coupling * (x * x * y - y**3 / 3.0)


def crossing(derivative):
    """The time at which x is 0 again; ``derivative`` is the operator that gives the force."""
    slope = derivative(potential)

    def time(coupling, start, dt):
        place, speed = start[:2], start[2:]
        elapsed = 0.0
        while True:
            pull = slope(place, coupling)
            ahead = place + dt * (speed - 0.5 * dt * pull)
            if place[0] < 0.0 <= ahead[0]:  # x is a square function of the step: the root of it
                root = math.sqrt(speed[0] ** 2 + 2.0 * pull[0] * place[0])
                return elapsed - 2.0 * place[0] / (speed[0] + root)
            speed = speed - 0.5 * dt * (pull + slope(ahead, coupling))
            place = ahead
            elapsed += dt

    return time


START = np.array([0.0, 0.1, 0.45, 0.05])


def inputs(n, seed):
    start = START + 0.02 * np.random.default_rng(seed).uniform(0.5, 1.5, size=4)
    return crossing(pb.grad), (1.0, start, 6.0 / n)


def main():
    operators = {"forward": pb.jacfwd, "reverse": pb.grad}
    found = {}
    for inner, force in operators.items():
        for outer, derivative in operators.items():
            found[outer, inner] = derivative(crossing(force))(1.0, START, 0.01)
    for (outer, inner), value in found.items():
        print(f"d time / d coupling, {outer} over {inner}: {value:.10f}")
    time, h = crossing(pb.grad), 1e-5
    slope = (time(1.0 + h, START, 0.01) - time(1.0 - h, START, 0.01)) / (2.0 * h)
    assert np.allclose(list(found.values()), slope, rtol=1e-7)
    assert np.ptp(list(found.values())) < 1e-12


if __name__ == "__main__":
    main()
