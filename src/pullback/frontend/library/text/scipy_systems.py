"""Linear systems in continuous time, of ``scipy.signal``, as plain Python that the front end
compiles: by exponentials of matrices, as SciPy does."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.domains import Matrix, Vector
from pullback.frontend.library.text_helpers import unsupported


class _System:
    """A linear system in continuous time."""

    def output(self, U: Any, T: Any, X0: Any = None) -> Any:
        return lsim(self, U, T, X0)

    def step(self, X0: Any = None, T: Any = None, N: Any = None) -> Any:
        return step(self, X0, T, N)

    def impulse(self, X0: Any = None, T: Any = None, N: Any = None) -> Any:
        return impulse(self, X0, T, N)

    def freqresp(self, w: Any = None, n: int = 10000) -> Any:
        return freqresp(self, w, n)

    def bode(self, w: Any = None, n: int = 100) -> Any:
        return bode(self, w, n)


class _States(_System):
    """A system by its matrices."""

    def __init__(self, a: Any, b: Any, c: Any, d: Any) -> None:
        self.A, self.B, self.C, self.D = abcd_normalize(a, b, c, d)
        self.dt = None

    def to_ss(self) -> Any:
        return self

    def to_tf(self) -> Any:
        num, den = ss2tf(self.A, self.B, self.C, self.D)
        return _Transfer(num, den)


class _Transfer(_System):
    """A system by its transfer function."""

    def __init__(self, num: Any, den: Any) -> None:
        top, self.den = _normalized(num, den)
        self.num = top[0] if top.shape[0] == 1 else top
        self.dt = None

    def to_ss(self) -> Any:
        a, b, c, d = tf2ss(self.num, self.den)
        return _States(a, b, c, d)

    def to_tf(self) -> Any:
        return self


def lti(*system: Any) -> Any:
    if len(system) == 2:
        return _Transfer(system[0], system[1])
    if len(system) == 4:
        return _States(system[0], system[1], system[2], system[3])
    if len(system) == 3:
        unsupported("lti of zeros, poles and a gain", "np.poly of the zeros and of the poles")
    raise ValueError("`system` needs to be an instance of `lti` or have 2, 3 or 4 elements")


def StateSpace(A: Any, B: Any, C: Any, D: Any) -> Any:
    return _States(A, B, C, D)


def TransferFunction(num: Any, den: Any) -> Any:
    return _Transfer(num, den)


def _system(system: Any) -> Any:
    return system if isinstance(system, _System) else lti(*system)


def _matrix(a: Any) -> Matrix:
    x = np.atleast_2d(np.asarray(a))
    if x.ndim != 2 or x.dtype not in (np.float64, np.int64):
        unsupported("a system by other than real matrices", "write all four of them")
    if x.shape[0] == 0 or x.shape[1] == 0:
        raise NotImplementedError("a system without items")
    return x.astype(np.float64)


def abcd_normalize(A: Matrix, B: Matrix, C: Matrix, D: Matrix) -> Any:
    """Return the matrices of a system, whose shapes fit."""
    a, b, c, d = _matrix(A), _matrix(B), _matrix(C), _matrix(D)
    n, p, q = a.shape[0], b.shape[1], c.shape[0]
    if a.shape[1] != n:
        raise ValueError(f"Parameter A has shape {a.shape} but should be ({n}, {n})!")
    if b.shape[0] != n:
        raise ValueError(f"Parameter B has shape {b.shape} but should be ({n}, {p})!")
    if c.shape[1] != n:
        raise ValueError(f"Parameter C has shape {c.shape} but should be ({q}, {n})!")
    if d.shape[0] != q or d.shape[1] != p:
        raise ValueError(f"Parameter D has shape {d.shape} but should be ({q}, {p})!")
    return a, b, c, d


def _normalized(num: Any, den: Any) -> Any:
    """Return a transfer function whose denominator begins with 1."""
    top, below = _matrix(num), np.atleast_1d(np.asarray(den)).astype(np.float64)
    if below.ndim != 1:
        raise ValueError("Denominator polynomial must be rank-1 array.")
    if below[0] == 0.0:
        raise NotImplementedError("a denominator that begins with 0")
    if top.shape[1] > 1 and np.all(np.abs(top[:, 0] / below[0]) <= 1e-14):
        raise NotImplementedError("a numerator that begins with 0")
    return top / below[0], below / below[0]


def tf2ss(num: Vector, den: Vector) -> Any:
    """Return the matrices of a transfer function, in the canonical form of a controller."""
    top, below = _normalized(num, den)
    m, k = top.shape[1], len(below)
    if m > k:
        raise ValueError("Improper transfer function. `num` is longer than `den`.")
    whole = np.hstack((np.zeros((top.shape[0], k - m)), top))
    d = whole[:, :1]
    if k == 1:
        return np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((top.shape[0], 1)), d
    a = np.vstack((-below[None, 1:], np.eye(k - 2, k - 1)))
    return a, np.eye(k - 1, 1), whole[:, 1:] - np.outer(whole[:, 0], below[1:]), d


def ss2tf(A: Matrix, B: Matrix, C: Matrix, D: Matrix, input: int = 0) -> Any:
    """Return the transfer function of a system from one of its inputs."""
    a, b, c, d = abcd_normalize(A, B, C, D)
    if input >= d.shape[1]:
        raise ValueError("System does not have the input specified.")
    den = np.poly(a)
    one = b[:, input : input + 1]
    rows = [
        np.poly(a - one @ c[k : k + 1]) + (d[k, input] - 1.0) * den for k in range(d.shape[0])
    ]
    return np.stack(rows), den


def lsim(system: Any, U: Any, T: Vector, X0: Any = None, interp: bool = True) -> Any:
    """Return the times, what comes out, and the states, of a system into which U goes: linear
    between the times, or constant."""
    s, times = _system(system).to_ss(), np.atleast_1d(T)
    if times.ndim != 1:
        raise ValueError("T must be a rank-1 array.")
    n, steps = s.A.shape[0], len(times)
    begin = np.zeros(n) if X0 is None else np.zeros(n) + np.asarray(X0)
    if times[0] < 0:
        raise ValueError("Initial time must be nonnegative")
    if times[0] > 0:
        begin = begin @ scipy.linalg.expm(s.A.T * times[0])
    if steps == 1:
        raise NotImplementedError("lsim at one time")
    dt = times[1] - times[0]
    if not np.allclose(np.diff(times), dt):
        raise ValueError("Time steps are not equally spaced.")
    x = np.zeros((steps, n))
    x[0] = begin
    if U is None:
        return _alone(s, times, x, dt)
    given = np.asarray(U)
    if given.ndim == 0:
        if given != 0:
            raise ValueError("U must have the same number of rows as elements in T.")
        return _alone(s, times, x, dt)
    return _driven(s, times, x, dt, given[:, None] if given.ndim == 1 else given, interp)


def _alone(s: Any, times: Vector, x: Matrix, dt: Any) -> Any:
    ahead = scipy.linalg.expm(s.A.T * dt)
    for i in range(1, len(times)):
        x[i] = x[i - 1] @ ahead
    return times, np.squeeze(x @ s.C.T), np.squeeze(x)


def _driven(s: Any, times: Vector, x: Matrix, dt: Any, u: Matrix, interp: bool) -> Any:
    n, p = s.B.shape
    if u.shape[0] != len(times):
        raise ValueError("U must have the same number of rows as elements in T.")
    if u.shape[1] != p:
        raise ValueError("System does not define that many inputs.")
    m = np.zeros((n + 2 * p, n + 2 * p)) if interp else np.zeros((n + p, n + p))
    m[:n, :n], m[:n, n : n + p] = s.A * dt, s.B * dt
    if interp:
        m[n : n + p, n + p :] = np.eye(p)
    ahead = scipy.linalg.expm(m.T)
    state, now = ahead[:n, :n], ahead[n : n + p, :n]
    if interp:
        after = ahead[n + p :, :n]
        now = now - after
        for i in range(1, len(times)):
            x[i] = x[i - 1] @ state + u[i - 1] @ now + u[i] @ after
    else:
        for i in range(1, len(times)):
            x[i] = x[i - 1] @ state + u[i - 1] @ now
    return times, np.squeeze(x @ s.C.T) + np.squeeze(u @ s.D.T), np.squeeze(x)


def _times(a: Matrix, T: Any, N: Any) -> Vector:
    """Return the times that are given, or some until the slowest part of a system has gone."""
    if T is not None:
        return np.asarray(T)
    slowest = np.min(np.abs(np.real(np.linalg.eigvals(a))))
    rate = 1.0 if slowest == 0.0 else slowest
    return np.linspace(0.0, 7 * (1.0 / rate), 100 if N is None else N)


def impulse(system: Any, X0: Any = None, T: Any = None, N: Any = None) -> Any:
    """Return the times, and what an impulse at time 0 makes of a system with one input."""
    s = _system(system).to_ss()
    if X0 is not None:
        unsupported("impulse with X0", "lsim(system, 0.0, T, X0)")
    if s.B.shape[1] != 1:
        raise NotImplementedError("impulse of several inputs")
    times, found, _ = lsim(s, 0.0, _times(s.A, T, N), s.B[:, 0], False)
    return times, found


def step(system: Any, X0: Any = None, T: Any = None, N: Any = None) -> Any:
    """Return the times, and what 1 from time 0 on makes of a system with one input."""
    s = _system(system).to_ss()
    places = _times(s.A, T, N)
    times, found, _ = lsim(s, np.ones(places.shape), places, X0, False)
    return times, found


def cont2discrete(system: Any, dt: Any, method: str = "zoh", alpha: Any = None) -> Any:
    """Return a system in discrete time."""
    if isinstance(system, _System) or len(system) == 3:
        unsupported("cont2discrete of this system", "its four matrices, or num and den")
    if len(system) == 2:
        a, b, c, d, _ = cont2discrete(tf2ss(system[0], system[1]), dt, method, alpha)
        num, den = ss2tf(a, b, c, d)
        return num, den, dt
    a, b, c, d = (np.asarray(m).astype(np.float64) for m in system)
    n = a.shape[0]
    if method == "zoh":
        held = np.zeros((b.shape[1], n + b.shape[1]))
        ahead = scipy.linalg.expm(dt * np.vstack((np.hstack((a, b)), held)))
        return ahead[:n, :n], ahead[:n, n:], c, d, dt
    if method == "impulse":
        if not np.allclose(d, 0.0):
            raise ValueError("Impulse method is only applicable to strictly proper systems")
        ahead = scipy.linalg.expm(a * dt)
        return ahead, ahead @ b * dt, c, c @ b * dt, dt
    weight = _WEIGHTS.get(method, alpha)
    if method not in _WEIGHTS and method != "gbt":
        unsupported(f"cont2discrete with method={method!r}", "zoh, impulse, gbt or bilinear")
    if weight is None:
        raise ValueError(
            "Alpha parameter must be specified for the generalized bilinear transform (gbt) method"
        )
    if weight < 0 or weight > 1:
        raise ValueError("Alpha parameter must be within the interval [0,1] for the gbt method")
    left = np.eye(n) - weight * dt * a
    made = np.linalg.solve(left, dt * b)
    ahead = np.linalg.solve(left, np.eye(n) + (1.0 - weight) * dt * a)
    return ahead, made, np.linalg.solve(left.T, c.T).T, d + weight * (c @ made), dt


_WEIGHTS = {"bilinear": 0.5, "tustin": 0.5, "euler": 0.0, "forward_diff": 0.0, "backward_diff": 1.0}


def freqs(b: Vector, a: Vector, worN: Any = 200, plot: None = None) -> Any:
    """Return the frequencies, and what a transfer function is there."""
    w = np.asarray(worN)
    if w.ndim == 0:
        unsupported("freqs without frequencies", "an array of them: worN=w")
    s = 1j * w
    return w, np.polyval(b, s) / np.polyval(a, s)


def freqresp(system: Any, w: Any = None, n: int = 10000) -> Any:
    """Return the frequencies, and what a system makes of them."""
    given = _system(system).to_tf()
    if w is None:
        unsupported("freqresp without frequencies", "an array of them: w=w")
    return freqs(np.ravel(given.num), given.den, w)


def bode(system: Any, w: Any = None, n: int = 100) -> Any:
    """Return the frequencies, the decibels, and the phases in degrees."""
    places, found = freqresp(system, w, n)
    phases = np.unwrap(np.arctan2(np.imag(found), np.real(found)))
    return places, 20.0 * np.log10(np.abs(found)), phases * 180.0 / math.pi
