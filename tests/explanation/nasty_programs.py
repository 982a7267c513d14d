"""Functions that are hard to explain, each with arguments: ``CASES``."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np


def loop(x, scale):
    t = 0.0
    for v in x:
        if v > 0:
            t += math.sin(v) * v
        else:
            t -= v
    return t * scale


def network(p, x, y):
    h = np.tanh(x @ p["w"] + p["b"])
    return np.mean((h @ p["v"] - y) ** 2)


@dataclass(frozen=True)
class Leaf:
    value: float


@dataclass(frozen=True)
class Fork:
    left: "Leaf | Fork"
    right: "Leaf | Fork"


def energy(t: "Leaf | Fork", w: float) -> float:
    if isinstance(t, Leaf):
        return math.sin(t.value * w)
    return energy(t.left, w) * energy(t.right, w) + math.tanh(w)


def caught(xs, k):
    total = 0.0
    for x in xs:
        try:
            if x < 0:
                raise ValueError(x)
            total += math.sqrt(x) * k
        except ValueError as e:
            total -= e.args[0] ** 2
    return total


def pieces(xs):
    for x in xs:
        yield x * x
        yield math.cos(x)


def generated(xs):
    return sum(p * k for k, p in enumerate(pieces(xs)))


class Spring:
    """An object that changes."""

    def __init__(self, k):
        self.k, self.x = k, 1.0

    def step(self, dt):
        self.x -= self.k * self.x * dt
        return self.x


def simulated(k, dt):
    spring = Spring(k)
    return sum(spring.step(dt) for _ in range(5))


def closures(x):
    fs = [lambda y, k=k: math.sin(k * y * x) for k in range(3)]
    return sum(f(x) for f in fs)


def größe(größe_ß, λ):
    # ∑ λᵢ·größe — "quotes" & <b>tags</b>
    return np.sum(größe_ß * λ) ** 2


def script(x):
    text = "</script><script>document.title='owned'</script><!-- <![CDATA["
    return x * len(text) if text != "<b onmouseover='alert(1)'>" else 0.0


def early(n, x):
    while True:
        n -= 1
        x = math.sin(x)
        if n < 0:
            return x


def raising(x):
    if x > 1:
        raise RuntimeError("<i>too large</i>")
    return x * x


def no_reals(n):
    return n * n


def arrays(x):
    return np.outer(x, x)


long_text = "def five_hundred(x):\n    y = x\n" + "".join(
    f"    y = y * {1 + k / 1000} + math.sin(x)\n" for k in range(500)) + "    return y\n"


def scaled(scale, x):
    return scale * x**3


RNG = np.random.default_rng(0)
PARAMETERS = {"w": RNG.normal(size=(3, 5)), "b": np.zeros(5), "v": RNG.normal(size=5)}
TREE = Fork(Fork(Leaf(0.5), Leaf(-0.3)), Leaf(1.5))

CASES = {
    "loop": (loop, (np.array([0.5, -1.0, 2.0]), 3.0)),
    "network": (network, (PARAMETERS, RNG.normal(size=(20, 3)), RNG.normal(size=20))),
    "tree": (energy, (TREE, 0.7)),
    "exceptions": (caught, ([1.0, -2.0, 3.0], 2.0)),
    "generators": (generated, ([0.5, 1.5],)),
    "classes": (simulated, (2.0, 0.1)),
    "closures": (closures, (0.7,)),
    "unicode": (größe, (np.ones(3), np.arange(3.0))),
    "script": (script, (2.0,)),
    "while": (early, (4, 0.3)),
    "raises": (raising, (2.0,)),
    "no reals": (no_reals, (3,)),
    "an array": (arrays, (np.ones(3),)),
    "partial": (partial(scaled, 2.0), (1.5,)),
    "lambda": (lambda x, y: x * y + 1.0, (2.0, 3.0)),
}
