"""Arrays whose type is not NumPy's own object (those that come out of a pickle), which are not
aligned or of the other order of bytes, and trees, which are converted, beside functions that have
captured arrays: each call reads what its own functions have captured."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb

ONES = np.ones(2)


def plain(v: float) -> Any:
    return np.full(2, float(v))


def pickled(v: float) -> Any:
    return pickle.loads(pickle.dumps(plain(v)))


def other_bytes(v: float) -> Any:
    return plain(v).astype(">f8")


def unaligned(v: float) -> Any:
    made = np.frombuffer(bytearray(17), dtype=np.uint8)[1:].view(np.float64)
    made[:] = v
    return made


def times(x: Any) -> Callable[[Any], Any]:
    return lambda p: np.sum(p * x)


class Held:
    def __init__(self, x: Any) -> None:
        self.x = x

    def times(self, p: Any) -> Any:
        return np.sum(p * self.x)


def with_default(x: Any) -> Callable[[Any], Any]:
    def f(p: Any, by: Any = x) -> Any:
        return np.sum(p * by)

    return f


@dataclass(frozen=True)
class Leaf:
    v: float


@dataclass(frozen=True)
class Fork:
    left: Leaf | Fork
    right: Leaf | Fork


def total(tree: Leaf | Fork) -> float:
    if isinstance(tree, Leaf):
        return tree.v
    return total(tree.left) + total(tree.right)


TREE = Fork(Leaf(0.25), Leaf(0.75))


@dataclass(frozen=True)
class Model:
    f: Any
    tree: Any
    v: Any


class Solver:
    def __init__(self, f: Any, tree: Any, v: Any) -> None:
        self.f, self.tree, self.v = f, tree, v

    def run(self) -> Any:
        return self.f(self.v) * total(self.tree)


def square(x: Any) -> Callable[[Any], Any]:
    return lambda p: np.sum(p * p * x)


applied = pb.jit(lambda f, v: f(v))
in_a_tuple = pb.jit(lambda t: t[0](t[1]))
in_a_dict = pb.jit(lambda t: t["f"](t["v"]))
in_a_list = pb.jit(lambda fs, v: fs[0](v) + fs[1](v))
beside_a_tree = pb.jit(lambda m: m.f(m.v) * total(m.tree))
tuple_with_a_tree = pb.value_and_grad(lambda m: m[0](m[1][1]) * total(m[1][0]))
solved = pb.jit(lambda s: s.run())
by_the_second = pb.value_and_grad(lambda f, v: f(v), 1)


def apply(f: Any, v: Any) -> Any:
    return f(v)


WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "an argument": lambda x, v: applied(times(x), v),
    "in a tuple": lambda x, v: in_a_tuple((times(x), v)),
    "in a dict": lambda x, v: in_a_dict({"f": times(x), "v": v}),
    "in a list": lambda x, v: in_a_list([times(x), times(0.0 * x)], v),
    "partial": lambda x, v: applied(functools.partial(np.dot, x), v),
    "method": lambda x, v: applied(Held(x).times, v),
    "default": lambda x, v: applied(with_default(x), v),
    "beside a tree": lambda x, v: beside_a_tree(Model(times(x), TREE, v)),
    "beside a tree in a tuple": lambda x, v: tuple_with_a_tree((times(x), (TREE, v)))[0],
    "of an object with a tree": lambda x, v: solved(Solver(times(x), TREE, v)),
    "value and gradient": lambda x, v: by_the_second(times(x), v)[1].sum(),
    "vjp": lambda x, v: pb.vjp(apply, times(x), v)[0],
    "pullback": lambda x, v: pb.vjp(apply, times(x), v)[1](1.0)[1].sum(),
    "jvp": lambda x, v: pb.jvp(times(x), (v,), (ONES,))[1],
    "linearize": lambda x, v: pb.linearize(times(x), v)[0],
    "hvp": lambda x, v: pb.hvp(square(x), (v,), (ONES,))[0].sum() / 2.0,
    "vhp": lambda x, v: pb.vhp(square(x), (v,), (ONES,))[0].sum() / 2.0,
    "hessian": lambda x, v: np.trace(pb.hessian(square(x))(v)) / 2.0,
    "jit": lambda x, v: pb.jit(times(x))(v),
}


@pytest.mark.parametrize("captured", [plain, pickled, other_bytes, unaligned])
@pytest.mark.parametrize("given", [plain, pickled])
def test_each_call_reads_what_its_own_function_has_captured(
    captured: Callable[[float], Any], given: Callable[[float], Any]
) -> None:
    for name, way in WAYS.items():
        for k in (1.0, 2.0, 3.0):
            assert np.allclose(way(captured(k), given(1.0)), 2.0 * k), (name, k)
