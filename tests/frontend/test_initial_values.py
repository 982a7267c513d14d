"""``solve_ivp`` by implicit methods and with events: SciPy's steps and values, and derivatives
beside central differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate as sg
from scipy.integrate import solve_ivp

import pullback as pb
from tests import campaign

CLOSE = {"rtol": 1e-8, "atol": 1e-10}


def stiff(p):
    return lambda t, y: np.array([-50.0 * p * (y[0] - np.cos(t)) + y[1], y[0] - p * y[1]])


def at_the_end(p):
    """The end is a parameter, too."""
    made = sg.solve_ivp(stiff(p), (0.0, 2.0 * p), [1.0, 0.5 * p], "LSODA", **CLOSE)
    return np.append(made.y[:, -1], [made.nfev, made.t[-1]])


def at_times(p):
    made = sg.solve_ivp(stiff(p), (0.0, 2.0), [1.0, 0.5 * p], "BDF",
                        t_eval=np.array([0.0, 0.5, 1.7]), **CLOSE)  # fmt: skip
    return np.append(made.y, made.nlu)


def as_a_function(p):
    def slopes(t, y):
        return np.array([[-50.0 * p, 1.0], [1.0, -p]])

    made = sg.solve_ivp(stiff(p), (0.0, 2.0), [1.0, 0.5 * p], "Radau", dense_output=True,
                        jac=slopes, **CLOSE)  # fmt: skip
    return np.concatenate((made.sol(0.3 * p), np.ravel(made.sol(np.array([0.1, p])))))


def thrown(p):
    """One event ends the flight, another one does not."""
    def hit(t, y):
        return y[0]

    hit.terminal = True
    hit.direction = -1

    def top(t, y):
        return y[1]

    made = sg.solve_ivp(lambda t, y: np.array([y[1], -9.81]), (0.0, 100.0), [p, 10.0],
                        events=[hit, top], **CLOSE)  # fmt: skip
    return np.concatenate((
        made.t_events[0], made.t_events[1], made.y_events[0][0], made.y[:, -1],
        [made.t[-1], made.status, len(made.t), made.nfev],
    ))  # fmt: skip


def half(t, y, q):
    return y[0] - 0.1 * q


half.terminal = 3


def swung(p):
    """The third time ends it, backward; the events are given the arguments."""
    made = sg.solve_ivp(lambda t, y, q: np.array([y[1], -q * y[0]]), (9.0, 0.0), [1.0, 0.0],
                        "DOP853", events=half, args=(p,), dense_output=True, **CLOSE)  # fmt: skip
    return np.concatenate((made.t_events[0], made.sol(7.0 - 0.1 * p), made.y[:, -1]))


def by_steps_of_gear(p):
    """Of an implicit method, with an event that does not come."""
    made = sg.solve_ivp(stiff(p), (0.0, 1.0), [1.0, p], "BDF", dense_output=True,
                        events=(lambda t, y: y[1] - 0.6 * p, lambda t, y: y[0] + 9.0),
                        **CLOSE)  # fmt: skip
    return np.append(made.t_events[0], [len(made.t_events[1]), made.sol(0.7)[0]])


class Falling:
    def __init__(self, p):
        self.p = p

    def slope(self, t, y):
        return [y[1], -self.p]

    def hit(self, t, y):
        return y[0] - 0.1 * self.p

    hit.terminal = True
    hit.direction = -1


class Passed:
    """An event is an object that is called."""
    direction = -1

    def __init__(self, p):
        self.p = p

    def __call__(self, t, y):
        return y[0] - 0.2 * self.p


def by_all_that_is_called(p):
    """Methods, objects, lambdas and functions made in a loop, each with its attributes."""
    def slowed(t, y):
        return y[1] - 0.1 * p

    events, one = [slowed, Passed(p)], Falling(p)
    for k in (0.3, 0.6):
        def at(t, y, k=k):
            return y[0] - k * p

        at.direction = 1
        events.append(at)
    end = lambda t, y: t + p - 9.0
    end.terminal = True
    made = solve_ivp(one.slope, (0.0, 20.0), [0.0, 3.0], events=[*events, one.hit, end], **CLOSE)
    return np.concatenate((*made.t_events, made.y[:, -1]))


CASES = [thrown, at_times, at_the_end, as_a_function, swung, by_steps_of_gear,
         by_all_that_is_called]  # fmt: skip


@pytest.mark.parametrize("f", campaign.part("surface", CASES, len(CASES)))
def test_values_and_derivatives(f):
    weights = np.cos(np.arange(len(f(1.3))) + 1.0)

    def loss(p):
        y = f(p)
        return np.sum(np.cos(np.arange(len(y)) + 1.0) * y)

    value, gradient = pb.value_and_grad(loss)(1.3)
    assert value == pytest.approx(loss(1.3), rel=1e-12)
    h = 1e-4
    slope = weights @ (f(1.3 + h) - f(1.3 - h)) / (2.0 * h)
    assert gradient == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_a_stiff_equation_has_its_known_derivative():
    """y = exp(-1000 p t) + sin(t), of which a step in its slow part has no part of the fast one."""
    def f(p):
        return sg.solve_ivp(lambda t, y: -1000.0 * p * (y - np.sin(t)) + np.cos(t), (0.0, 1.0),
                            np.array([p]), "Radau", rtol=1e-9, atol=1e-11).y[0, -1]  # fmt: skip

    value, slope = pb.value_and_grad(f)(1.0)
    assert value == pytest.approx(np.sin(1.0), rel=1e-8)
    assert slope == pytest.approx(0.0, abs=1e-8)
