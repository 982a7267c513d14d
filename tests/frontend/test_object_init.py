"""``super().__init__()`` in a class that has no base but object, or an abstract one, and
``object.__init__(self)``: layers, activations and kernels begin so."""

import dataclasses
from abc import ABC, abstractmethod

import numpy as np
import pytest

import pullback as pb
from tests.foreign.__main__ import is_right

XS = [0.4, 0.7, 0.9]


class Plain:
    def __init__(self, v):
        super().__init__()
        self.v = v


class Named:
    def __init__(self, v):
        super(Named, self).__init__()  # noqa: UP008  # what is tested
        self.v = v


class Explicit:
    def __init__(self, v):
        object.__init__(self)
        self.v = v


class Activation(ABC):
    def __init__(self, **options):
        super().__init__()
        self.parameters = {}

    def __call__(self, z):
        return self.value(z) + self.parameters["shift"]

    @abstractmethod
    def value(self, z):
        raise NotImplementedError


class Sigmoid(Activation):
    def __init__(self, shift):
        super().__init__()
        self.parameters["shift"] = shift

    def value(self, z):
        return 1.0 / (1.0 + np.exp(-z))


class Base:
    scale = 2.0

    def __init__(self, **options):
        super().__init__(**options)
        self.k = 3.0


class Mixin:
    def __init__(self, **options):
        super().__init__(**options)
        self.m = 4.0


class Both(Mixin, Base):
    scale = 5.0

    def __init__(self, v):
        super().__init__()
        self.v = v

    def product(self):
        return self.v * self.k * self.m * super().scale * self.scale


@dataclasses.dataclass
class Point:
    v: float

    def __post_init__(self):
        super().__init__()


class Node:
    def __init__(self, v):
        super().__init__()
        self.v, self.next = v, None


def one_class(xs):
    return Plain(xs[0]).v * Named(xs[1]).v * Explicit(xs[2]).v * Point(xs[0]).v


def abstract(xs):
    return np.sum(Sigmoid(xs[0])(np.array(xs)))


def several_bases(xs):
    return sum(Both(x).product() for x in xs)


def in_a_list(xs):
    made = [Plain(x) for x in xs]
    for p in made:
        p.v *= xs[0]
    return sum(p.v * k for k, p in enumerate(made))


def linked(xs):
    first = Node(xs[0])
    first.next = Node(xs[1])
    last = first.next
    last.v *= 3.0
    return first.v * first.next.v


def under_try(xs):
    try:
        if xs[0] > 0.0:
            raise ValueError(Plain(xs[1]).v)
    except ValueError as e:
        return e.args[0] * Explicit(xs[2]).v
    return 0.0


@pytest.mark.parametrize(
    "f", [one_class, abstract, several_bases, in_a_list, linked, under_try],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_as_in_python(f):
    is_right(f, (XS,))
    gradient = pb.grad(f)(XS)
    slope = pb.jvp(f, (XS,), ([1.0, 0.5, -1.0],))[1]
    assert slope == pytest.approx(gradient[0] + 0.5 * gradient[1] - gradient[2])


def test_under_vmap():
    def f(x):
        return Plain(x).v * Explicit(2.0).v + Both(x).product()

    assert pb.vmap(f)(np.array([1.0, 3.0])).tolist() == [f(1.0), f(3.0)]


def test_an_argument_for_object_is_pythons_error():
    class Wrong:
        def __init__(self, v):
            super().__init__(v)

    def f(x):
        return x * bool(Wrong(x))

    with pytest.raises(TypeError):
        f(1.0)
    with pytest.raises(TypeError):
        pb.jit(f)(1.0)
