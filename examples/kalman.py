"""A Kalman filter: the likelihood of a track that is seen through noise, and the noise fitted.

The second derivatives of the likelihood say how well the noise is known: by ``pb.hessian``, and by
forward and reverse derivatives of forward and reverse ones.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy.optimize

import pullback as pb


@dataclass(frozen=True)
class Belief:
    """What is known of place and speed: the mean and the covariance."""

    mean: np.ndarray
    spread: np.ndarray


def predict(belief, motion, noise):
    return Belief(motion @ belief.mean, motion @ belief.spread @ motion.T + noise)


def correct(belief, seen, variance):
    """The belief after the place was seen, and the log likelihood of what was seen."""
    surprise = seen - belief.mean[0]
    scale = belief.spread[0, 0] + variance
    gain = belief.spread[:, 0] / scale
    mean = belief.mean + gain * surprise
    spread = belief.spread - np.outer(gain, belief.spread[0])
    return Belief(mean, spread), -0.5 * (math.log(2.0 * math.pi * scale) + surprise**2 / scale)


def negative_log_likelihood(log_noise, places):
    """``log_noise``: of the motion and of the measurement."""
    motion = np.array([[1.0, 1.0], [0.0, 0.98]])
    noise = math.exp(log_noise[0]) * np.array([[0.25, 0.5], [0.5, 1.0]])
    belief = Belief(np.zeros(2), 10.0 * np.eye(2))
    total = 0.0
    for seen in places:
        belief, likelihood = correct(predict(belief, motion, noise), seen, math.exp(log_noise[1]))
        total -= likelihood
    return total / len(places)


def standard_errors(hessian, best, places):
    """How far the parameters may be off, from how the likelihood bends (it is one per place)."""
    return np.sqrt(np.diag(np.linalg.inv(len(places) * hessian(best, places))))


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    place, speed, places = 0.0, 1.0, []
    for _ in range(n):
        push = 0.3 * rng.normal()
        place, speed = place + speed + 0.5 * push, 0.98 * speed + push
        places.append(place + rng.normal())
    return negative_log_likelihood, (np.array([-1.0, 1.0]), np.array(places))


def main():
    _, (start, places) = inputs(400, 5)
    both = pb.value_and_grad(negative_log_likelihood)
    found = scipy.optimize.minimize(both, start, (places,), jac=True)
    errors = standard_errors(pb.hessian(negative_log_likelihood), found.x, places)
    for name, x, error, true in zip(("motion", "measurement"), found.x, errors, (0.3, 1.0)):
        low, high = np.exp(0.5 * (x - 2.0 * error)), np.exp(0.5 * (x + 2.0 * error))
        print(f"deviation of the {name}: {low:.2f} to {high:.2f} (true {true})")
        assert low < true < high and high < 2.0 * true
    for outer in (pb.jacfwd, pb.jacrev):
        for inner in (pb.jacfwd, pb.jacrev):
            other = standard_errors(outer(inner(negative_log_likelihood)), found.x, places)
            assert np.allclose(other, errors, rtol=1e-9)


if __name__ == "__main__":
    main()
