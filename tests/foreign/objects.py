"""Classes with methods and state, as in applications."""

import math
from collections import namedtuple
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np


class Vector:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    __rmul__ = __mul__

    def norm(self):
        return math.hypot(self.x, self.y)


def vector_path(x, y):
    v = Vector(x, y)
    w = v + 2.0 * v * 0.5
    return w.norm()


class Particle:
    def __init__(self, position, velocity, mass=1.0):
        self.position = position
        self.velocity = velocity
        self.mass = mass

    def step(self, force, dt):
        self.velocity += dt * force / self.mass
        self.position += dt * self.velocity

    @property
    def energy(self):
        return 0.5 * self.mass * self.velocity**2


def simulate_particle(k, steps):
    p = Particle(1.0, 0.0, mass=2.0)
    for _ in range(steps):
        p.step(-k * p.position, 0.1)
    return p.energy + 0.5 * k * p.position**2


class Accumulator:
    """Mean and variance by Welford."""

    def __init__(self):
        self.n = 0
        self.mean = 0.0
        self.m2 = 0.0

    def push(self, x):
        self.n += 1
        d = x - self.mean
        self.mean += d / self.n
        self.m2 += d * (x - self.mean)

    def variance(self):
        return self.m2 / (self.n - 1) if self.n > 1 else 0.0


def variance_of(xs):
    acc = Accumulator()
    for x in xs:
        acc.push(x)
    return acc.variance()


class Shape:
    def area(self):
        raise NotImplementedError


class Circle(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return math.pi * self.r**2


class Square(Shape):
    def __init__(self, a):
        self.a = a

    def area(self):
        return self.a**2


def total_area(r, a):
    shapes = [Circle(r), Square(a), Circle(r / 2)]
    return sum(s.area() for s in shapes)


class LinearModel:
    def __init__(self, X, y, penalty=0.1):
        self.X, self.y, self.penalty = X, y, penalty

    def loss(self, w):
        r = self.X @ w - self.y
        return r @ r + self.penalty * w @ w

    def __call__(self, w):
        return self.loss(w)


_MODEL = LinearModel(np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]]), np.array([1.0, 0.0, 2.0]))


def captured_model(w):
    return _MODEL(w) + _MODEL.loss(2 * w)


@dataclass
class Account:
    balance: float
    rate: float = 0.05
    history: list = field(default_factory=list)

    def accrue(self):
        self.balance *= 1 + self.rate
        self.history.append(self.balance)

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError("insufficient funds")
        self.balance -= amount


def savings(start, rate, years):
    account = Account(start, rate)
    for year in range(years):
        account.accrue()
        if year % 2:
            account.withdraw(1.0)
    return account.balance + sum(account.history)


Point = namedtuple("Point", ["x", "y", "z"])


def triangle_area(a, b, c):
    u = Point(b.x - a.x, b.y - a.y, b.z - a.z)
    v = Point(*(q - p for p, q in zip(a, c)))
    cross = Point(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x)
    return 0.5 * math.sqrt(sum(t * t for t in cross))


class Layer:
    def __init__(self, w, b, activation):
        self.w, self.b, self.activation = w, b, activation

    def forward(self, x):
        return self.activation(self.w @ x + self.b)


class Network:
    def __init__(self, layers):
        self.layers = layers

    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x


def network_loss(w1, w2, x):
    net = Network([Layer(w1, np.zeros(3), np.tanh), Layer(w2, np.ones(1), lambda z: z)])
    return float(net.forward(x)[0] ** 2)


class Matrix2:
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, ij):
        i, j = ij
        return self.rows[i][j]

    def __matmul__(self, other):
        return Matrix2(
            [[sum(self[i, k] * other[k, j] for k in range(2)) for j in range(2)] for i in range(2)]
        )

    def trace(self):
        return self[0, 0] + self[1, 1]


def matrix_power_trace(a, b):
    m = Matrix2([[a, b], [b, -a]])
    result = Matrix2([[1.0, 0.0], [0.0, 1.0]])
    for _ in range(4):
        result = result @ m
    return result.trace()


class Stack:
    def __init__(self):
        self._items = []

    def push(self, item):
        self._items.append(item)

    def pop(self):
        return self._items.pop()

    def __len__(self):
        return len(self._items)


def rpn(tokens, x):
    stack = Stack()
    for t in tokens:
        if t == "x":
            stack.push(x)
        elif t == "+":
            stack.push(stack.pop() + stack.pop())
        elif t == "*":
            stack.push(stack.pop() * stack.pop())
        elif t == "sin":
            stack.push(math.sin(stack.pop()))
    return stack.pop()


class Temperature:
    def __init__(self, kelvin):
        self._kelvin = kelvin

    @property
    def celsius(self):
        return self._kelvin - 273.15

    @classmethod
    def from_celsius(cls, c):
        return cls(c + 273.15)

    @staticmethod
    def boltzmann(energy, kelvin):
        return math.exp(-energy / (8.617e-5 * kelvin))

    def occupation(self, energy):
        return self.boltzmann(energy, self._kelvin)


def thermal(c, energy):
    t = Temperature.from_celsius(c)
    return t.occupation(energy) * t.celsius


def namespace_model(t, amplitude):
    p = SimpleNamespace(a=amplitude, omega=2.0, phase=0.3)
    return p.a * math.sin(p.omega * t + p.phase)


class Node:
    def __init__(self, value, left=None, right=None):
        self.value = value
        self.left = left
        self.right = right


def insert(node, value):
    if node is None:
        return Node(value)
    if value < node.value:
        node.left = insert(node.left, value)
    else:
        node.right = insert(node.right, value)
    return node


def depth_weighted(node, depth):
    if node is None:
        return 0.0
    return (
        node.value / depth
        + depth_weighted(node.left, depth + 1)
        + depth_weighted(node.right, depth + 1)
    )


def search_tree(values):
    root = None
    for v in values:
        root = insert(root, v)
    return depth_weighted(root, 1)


class Config:
    gamma = 0.9
    steps = 5

    def discounted(self, r):
        return sum(r * self.gamma**k for k in range(self.steps))


class Steep(Config):
    gamma = 0.5

    def discounted(self, r):
        return 2 * super().discounted(r)


def discounts(r):
    return Config().discounted(r) + Steep().discounted(r)


class PID:
    def __init__(self, kp, ki, kd):
        self.kp, self.ki, self.kd = kp, ki, kd
        self.integral = 0.0
        self.previous = None

    def __call__(self, error, dt):
        self.integral += error * dt
        derivative = 0.0 if self.previous is None else (error - self.previous) / dt
        self.previous = error
        return self.kp * error + self.ki * self.integral + self.kd * derivative


def controlled(kp, ki, kd):
    pid = PID(kp, ki, kd)
    x, cost = 0.0, 0.0
    for _ in range(30):
        x += 0.1 * (pid(1.0 - x, 0.1) - x)
        cost += (1.0 - x) ** 2
    return cost


class Polynomial:
    def __init__(self, *coefficients):
        self.coefficients = list(coefficients)

    def __call__(self, x):
        return sum(c * x**i for i, c in enumerate(self.coefficients))

    def derivative(self):
        return Polynomial(*[i * c for i, c in enumerate(self.coefficients)][1:])


def newton_polynomial(a, b):
    p = Polynomial(a, b, 0.0, 1.0)
    dp = p.derivative()
    x = 1.0
    for _ in range(20):
        x -= p(x) / dp(x)
    return x


class Grid:
    def __init__(self, n, fill=0.0):
        self.n = n
        self.cells = [[fill] * n for _ in range(n)]

    def neighbours(self, i, j):
        for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            if 0 <= i + di < self.n and 0 <= j + dj < self.n:
                yield self.cells[i + di][j + dj]

    def relax(self):
        new = Grid(self.n)
        for i in range(self.n):
            for j in range(self.n):
                values = list(self.neighbours(i, j))
                new.cells[i][j] = sum(values) / len(values)
        return new


def relaxed(heat):
    g = Grid(4)
    g.cells[1][2] = heat
    for _ in range(3):
        g = g.relax()
    return g.cells[0][0] + 2 * g.cells[3][3]


class Inventory:
    def __init__(self):
        self.stock = {}

    def add(self, name, amount, price):
        old_amount, old_price = self.stock.get(name, (0, 0.0))
        total = old_amount + amount
        self.stock[name] = (total, (old_amount * old_price + amount * price) / total)

    def value(self):
        return sum(n * p for n, p in self.stock.values())


def inventory_value(p, q):
    inv = Inventory()
    inv.add("bolt", 10, p)
    inv.add("nut", 5, q)
    inv.add("bolt", 3, q)
    return inv.value()


class Moments(NamedTuple):
    mean: float
    std: float
    skew: float


def moments(data):
    n = len(data)
    mean = sum(data) / n
    m2 = sum((x - mean) ** 2 for x in data) / n
    m3 = sum((x - mean) ** 3 for x in data) / n
    return Moments(mean, m2**0.5, m3 / m2**1.5)


def moments_report(data):
    report = moments(data)._asdict()
    report["cv"] = report["std"] / report["mean"]
    return sum(weight * value for weight, (_, value) in enumerate(report.items(), start=1))


CASES = [
    (moments_report, ([1.0, 4.0, 2.5, 7.0],)),
    (vector_path, (1.0, 2.0)),
    (simulate_particle, (3.0, 12)),
    (variance_of, ([1.0, 2.0, 4.5],)),
    (total_area, (1.0, 2.0)),
    (captured_model, (np.array([0.3, -0.4]),)),
    (savings, (100.0, 0.03, 5)),
    (triangle_area, (Point(0.0, 0.0, 1.0), Point(1.0, 0.0, 0.5), Point(0.0, 2.0, 0.0))),
    (network_loss, (np.ones((3, 2)) * 0.3, np.ones((1, 3)) * 0.5, np.array([0.1, -0.2]))),
    (matrix_power_trace, (0.5, 1.5)),
    (rpn, (["x", "x", "*", "sin", "x", "+"], 0.7)),
    (thermal, (25.0, 0.05)),
    (namespace_model, (0.4, 2.0)),
    (search_tree, ([3.0, 1.0, 2.0, 5.0],)),
    (discounts, (1.5,)),
    (controlled, (2.0, 0.5, 0.1)),
    (newton_polynomial, (-1.0, 0.5)),
    (relaxed, (8.0,)),
    (inventory_value, (0.2, 0.3)),
    (_MODEL.loss, (np.array([0.5, 0.1]),)),
    (_MODEL, (np.array([0.5, 0.1]),)),
]
