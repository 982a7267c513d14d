"""Objects of plain classes, which the program makes and updates, or gets."""

import math
from dataclasses import dataclass, field

import numpy as np

from tests.programs import Program, real


class Bead:
    """A mass on a line."""

    def __init__(self, place: float, speed: float = 0.0) -> None:
        self.place = place
        self.speed = speed

    def move(self, force: float, dt: float) -> None:
        self.speed += dt * force
        self.place += dt * self.speed

    @property
    def energy(self) -> float:
        return 0.5 * self.speed**2


def one_bead(place: float, k: float, n: int) -> float:
    bead = Bead(place)
    for _ in range(n):
        bead.move(-k * bead.place, 0.1)
    return bead.energy + 0.5 * k * bead.place**2


def chain_of_beads(stiffness: float, n: int) -> float:
    """Springs between neighbours, in a list of objects."""
    beads = [Bead(math.sin(0.3 * i)) for i in range(n)]
    for _ in range(5):
        for i in range(1, n - 1):
            left, right = beads[i - 1].place, beads[i + 1].place
            beads[i].speed += 0.1 * stiffness * (left + right - 2.0 * beads[i].place)
        for bead in beads:
            bead.place += 0.1 * bead.speed
    return sum(bead.energy for bead in beads)


class Welford:
    """Mean and variance as the numbers come."""

    def __init__(self) -> None:
        self.n = 0
        self.mean = 0.0
        self.squares = 0.0

    def push(self, x: float) -> None:
        self.n += 1
        d = x - self.mean
        self.mean += d / self.n
        self.squares += d * (x - self.mean)

    def variance(self) -> float:
        return self.squares / (self.n - 1) if self.n > 1 else 0.0


def running_variance(xs: np.ndarray) -> float:
    acc = Welford()
    for x in xs:
        acc.push(float(x))
    return acc.variance() + acc.mean


class Momentum:
    """An optimiser with a state."""

    def __init__(self, n: int, rate: float) -> None:
        self.rate = rate
        self.speed = np.zeros(n)

    def step(self, w: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        self.speed *= 0.9
        self.speed -= self.rate * gradient
        return w + self.speed


def descent(w: np.ndarray, rate: float) -> float:
    optimiser = Momentum(len(w), rate)
    for _ in range(4):
        w = optimiser.step(w, 2.0 * w)
    return float(w @ w)


@dataclass
class Layer:
    w: np.ndarray
    b: np.ndarray

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return np.tanh(self.w @ x + self.b)


class Network:
    def __init__(self, layers: list[Layer]) -> None:
        self.layers = layers

    def __call__(self, x: np.ndarray) -> np.ndarray:
        for layer in self.layers:
            x = layer(x)
        return x


def network(w: np.ndarray, x: np.ndarray) -> float:
    net = Network([Layer(w, np.zeros(len(x))), Layer(2.0 * w, np.ones(len(x)))])
    for layer in net.layers:
        layer.w = layer.w - 0.1
    return float(np.sum(net(x)))


class Vector:
    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y

    def __add__(self, other: "Vector") -> "Vector":
        return Vector(self.x + other.x, self.y + other.y)

    def __sub__(self, other: "Vector") -> "Vector":
        return Vector(self.x - other.x, self.y - other.y)

    def __rmul__(self, k: float) -> "Vector":
        return Vector(k * self.x, k * self.y)

    def dot(self, other: "Vector") -> float:
        return self.x * other.x + self.y * other.y


class Body:
    def __init__(self, place: Vector, speed: Vector) -> None:
        self.place, self.speed = place, speed

    def kick(self, force: Vector, dt: float) -> None:
        self.speed = self.speed + dt * force

    def drift(self, dt: float) -> None:
        self.place = self.place + dt * self.speed


class System:
    strength = 0.5

    def __init__(self, bodies: list[Body]) -> None:
        self.bodies = bodies

    def step(self, dt: float) -> None:
        for i in range(len(self.bodies)):
            force = Vector(0.0, 0.0)
            for j in range(len(self.bodies)):
                if i != j:
                    d = self.bodies[j].place - self.bodies[i].place
                    force = force + (self.strength / (d.dot(d) + 0.1) ** 1.5) * d
            self.bodies[i].kick(force, dt)
        for body in self.bodies:
            body.drift(dt)

    def energy(self) -> float:
        return sum(0.5 * b.speed.dot(b.speed) for b in self.bodies)


def gravity_of_bodies(x: float, n: int) -> float:
    """Objects in objects in a list."""
    system = System([Body(Vector(x * i, 0.1 * i * i), Vector(0.0, 0.1 * i)) for i in range(n)])
    for _ in range(3):
        system.step(0.05)
    return system.energy()


class Stack:
    def __init__(self) -> None:
        self.items: list[float] = []

    def push(self, x: float) -> None:
        self.items.append(x)

    def pop(self) -> float:
        return self.items.pop()

    def __len__(self) -> int:
        return len(self.items)


def stack_of_products(x: float, n: int) -> float:
    stack = Stack()
    for i in range(n):
        stack.push(x + i / n)
    while len(stack) > 1:
        stack.push(math.sin(stack.pop() * stack.pop()))
    return stack.pop()


@dataclass
class Account:
    balance: float
    rate: float = 0.05
    history: list[float] = field(default_factory=list)

    def accrue(self) -> None:
        self.balance *= 1.0 + self.rate
        self.history.append(self.balance)


def savings(start: float, rate: float, years: int) -> float:
    account, other = Account(start, rate), Account(2.0 * start)
    for _ in range(years):
        account.accrue()
        other.accrue()
        account.balance -= 0.1 * other.balance
    return account.balance + sum(account.history) + other.balance


def score(layer: Layer, x: np.ndarray) -> float:
    """An object that comes from outside."""
    return float(np.sum(layer(x) ** 2))


PROGRAMS = [
    Program("one_bead", one_bead, lambda rng, n: (rng.normal(), 1.0 + rng.random(), n), (0, 1)),
    real("chain_of_beads", chain_of_beads, lambda rng, n: (1.0 + rng.random(), n)),
    real("running_variance", running_variance, lambda rng, n: (rng.normal(size=n),)),
    Program("descent", descent, lambda rng, n: (rng.normal(size=n), 0.1), (0, 1)),
    Program("network_of_layers", network,
            lambda rng, n: (0.3 * rng.normal(size=(n, n)), rng.normal(size=n)), (0, 1)),
    Program("gravity_of_bodies", gravity_of_bodies, lambda rng, n: (1.0 + rng.random(), n),
            sizes=(3, 8)),
    Program("stack_of_products", stack_of_products, lambda rng, n: (rng.random(), n)),
    Program("savings_accounts", savings, lambda rng, n: (1.0 + rng.random(), 0.1, n), (0, 1)),
    Program("score_of_a_layer", score,
            lambda rng, n: (Layer(rng.normal(size=(n, n)), rng.normal(size=n)),
                            rng.normal(size=n)), (0, 1)),
]  # fmt: skip
