"""Records with class variables, keyword-only fields and fields that ``__init__`` does not take go
in and come out with every value in its field."""

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import pytest

import pullback as pb


@dataclass(frozen=True)
class Base:
    SCALE: ClassVar[float] = 3.0
    a: float
    b: float = 2.0


@dataclass(frozen=True)
class Child(Base):
    _: KW_ONLY
    c: float
    TABLE: ClassVar[dict[str, float]] = {}
    d: float = field(default=4.0, repr=False)
    e: float = field(init=False, default=5.0)
    name: str = "child"


@dataclass(frozen=True)
class Node:
    KIND: ClassVar[int] = 1
    value: float
    rest: "Node | None"
    weight: float = 1.0


def total(x: Child) -> float:
    return (x.a + 10 * x.b + 100 * x.c + 1000 * x.d + 10000 * x.e) * x.SCALE


def weighed(node: Node | None) -> float:
    result = 0.0
    while node is not None:
        result += node.value * node.weight * Node.KIND
        node = node.rest
    return result


def fields_of(x: Any) -> list[object]:
    return [x.a, x.b, x.c, x.d, x.e, x.name]


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_gradients(method: str) -> None:
    expected = [3.0, 30.0, 300.0, 3000.0, 30000.0, None]
    child = Child(1.0, c=2.0)
    assert fields_of(pb.grad(total, method=method)(child)) == expected
    inside = pb.grad(lambda d: sum(total(x) for x in d["x"]), method=method)({"x": [child]})
    assert fields_of(inside["x"][0]) == expected
    made = pb.grad(weighed, method=method)(Node(2.0, Node(3.0, None, 4.0), 5.0))
    assert made == Node(5.0, Node(4.0, None, 3.0), 2.0)


def test_results() -> None:
    child = Child(1.0, c=2.0)
    assert pb.jit(lambda x: (x, 1.0))(child) == (child, 1.0)
    _, tangent = pb.jvp(lambda x: Base(x.b, x.a), (child,), (child,))
    assert tangent == Base(2.0, 1.0)
    assert pb.vjp(lambda x: Base(x.a * x.b, x.c), child)[1](Base(1.0, 10.0))[0].c == 10.0
    assert list(pb.ravel(child)[0]) == [1.0, 2.0, 2.0, 4.0, 5.0]
