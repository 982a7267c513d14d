"""``dataclasses.fields`` and ``is_dataclass``: what a class declares is known, as in Python."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import Any

import pytest

import pullback as pb
from pullback.errors import PullbackError
from tests.foreign.__main__ import is_right
from tests.frontend.harness import agrees


@dataclass
class Motor:
    mass: float
    gain: float = 2.0
    name: str = field(default="m", metadata={"unit": 1.5, "kind": "text"})
    log: list[float] = field(default_factory=list, repr=False)
    power: float = field(init=False, default=0.0, metadata={"scale": 10.0, "range": (0.5, 2)})

    def __post_init__(self) -> None:
        self.power = self.mass * self.gain

    def scaled(self, by: float) -> Motor:
        new = {f.name: getattr(self, f.name) * by for f in fields(self)
               if f.init and f.type == "float"}  # fmt: skip
        return Motor(**new)


@dataclass(frozen=True)
class Point:
    x: float
    y: float = 1.0

    def __add__(self, other: Point) -> Point:
        return Point(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def norm(self) -> float:
        return math.sqrt(sum(getattr(self, f.name) ** 2 for f in dataclasses.fields(Point)))


@dataclass(frozen=True)
class Point3(Point):
    z: float = 0.5


@dataclass(frozen=True)
class Plain:
    x: float


@dataclass(frozen=True)
class Checked:
    """All fields are made floats, in a loop over them."""

    a: Any
    b: Any = 3

    def __post_init__(self) -> None:
        for f in fields(self):
            object.__setattr__(self, f.name, float(getattr(self, f.name)))


NUMBERS = fields(Point)
NOTED: dict[str, Any] = {"w": 2.0, "f": math.exp}


@dataclass
class Trained:
    a: float = field(default=1.0, metadata={"trained": True})
    b: float = field(default=2.0, metadata={"trained": False})
    c: float = field(default_factory=lambda: 3.0, metadata=NOTED)


def total(x: float) -> float:
    return sum(getattr(e, f.name) for e in [Point(x), Point(2.0, x)] for f in fields(e))


def by_method(x: float) -> float:
    p = Point(x) + Point3(x * x, x)
    return p.norm() + Motor(x, 3.0).scaled(x).power + len(fields(Motor))


def by_loop(x: float) -> float:
    m = Motor(x)
    t = 0.0
    for i, f in enumerate(fields(m)):
        if f.default is MISSING and f.default_factory is MISSING:
            t += getattr(m, f.name) * (i + 1)
        elif f.default_factory is not MISSING:
            t += len(getattr(m, f.name))
        elif isinstance(f.default, float):
            t += f.default * getattr(m, f.name)
        else:
            t += len(f.default)
        if not f.repr:
            t *= 2
        t += f.metadata.get("scale", 0.25) * x
    return t


def assigned(x: float) -> float:
    m = Motor(x, x)
    for f in fields(Motor):
        if f.name in ("mass", "gain"):
            setattr(m, f.name, getattr(m, f.name) ** 2 + x)
    return m.mass * m.gain + m.power


def as_dict(x: float) -> float:
    d = {f.name: getattr(Point3(x), f.name) for f in fields(Point3)}
    d["x"] *= 2
    return d["x"] * d["z"] + sum(d.values())


def recursive(obj: Any) -> Any:
    if is_dataclass(obj):
        return sum(recursive(getattr(obj, f.name)) for f in fields(obj))
    if isinstance(obj, (list, tuple)):
        return sum(recursive(v) for v in obj)
    return obj


def nested(x: float) -> float:
    return float(recursive([Point(x), (Point3(x, x), x), 2.0]))


def asked(x: float) -> float:
    n = is_dataclass(x) + 2 * is_dataclass(Point) + 4 * is_dataclass(Point(x))
    return x * (n + 8 * is_dataclass([x]) + 16 * is_dataclass(int) + 32 * is_dataclass(Motor(x)))


def chosen(x: float) -> float:
    p = Point(x) if x > 1.0 else Plain(2 * x)
    q = Point(x) if x > 1.0 else None
    return p.x * is_dataclass(p) + is_dataclass(q)


def captured(x: float) -> float:
    return sum(getattr(Point(x, x * x), f.name) * (k + 1) for k, f in enumerate(NUMBERS))


def checked(x: float) -> float:
    c = Checked(x)
    return c.a * c.b


def given(p: Point, m: Motor) -> float:
    return sum(getattr(p, f.name) for f in fields(p)) * sum(
        getattr(m, f.name) for f in fields(m) if f.type == "float"
    )


def of_metadata(x: float) -> float:
    (last,) = (f for f in fields(Motor) if f.name == "power")
    low, high = last.metadata["range"]
    return min(max(x, low), high) * last.metadata["scale"]


def trained(x: float) -> float:
    t = Trained(x, 2 * x)
    names = [f.name for f in fields(t) if f.metadata.get("trained", False)]
    return sum(getattr(t, n) for n in names) * len(names)


def factories(x: float) -> float:
    made = [f.default_factory() for f in fields(Trained) if f.default_factory is not MISSING]
    return x * sum(made)


def noted(x: float) -> float:
    last = fields(Trained)[2]
    return float(last.metadata["f"](x * last.metadata["w"]) + len(last.metadata))


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (total, (1.3,)), (by_method, (1.3,)), (by_loop, (1.3,)), (assigned, (1.3,)), (as_dict, (1.3,)),
    (nested, (1.3,)), (asked, (1.3,)), (chosen, (1.3,)), (chosen, (0.3,)), (captured, (1.3,)),
    (trained, (1.3,)), (factories, (1.3,)), (noted, (0.7,)),
    (checked, (1.3,)), (of_metadata, (1.3,)), (given, (Point(0.3, 0.4), Motor(1.3))),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), CASES)
def test_value_and_derivative(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)  # the evaluator
    is_right(f, args)  # native code, and finite differences
    pb.check_grads(f, args)  # forward and reverse mode
    assert pb.grad(f, method="dual")(*args) == pb.grad(f)(*args)


def test_metadata_are_those_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    f = pb.jit(noted)
    assert f(0.7) == pytest.approx(noted(0.7))
    monkeypatch.setitem(NOTED, "w", 0.5)
    assert f(0.7) == pytest.approx(noted(0.7))
    monkeypatch.setitem(NOTED, "more", 0.5)
    monkeypatch.setitem(NOTED, "f", math.sin)
    assert f(0.7) == pytest.approx(noted(0.7))


def test_fields_as_results() -> None:
    found, y = pb.jit(lambda x: (fields(Point), 2 * x))(0.7)
    assert found == fields(Point) and y == 1.4


REFUSED: list[tuple[Callable[..., Any], str]] = [
    (lambda x: x * len(fields(x)), "must be called with a dataclass type or instance"),
    (lambda x: x * len(fields(float)), "must be called with a dataclass type or instance"),
]


@pytest.mark.parametrize(("f", "text"), REFUSED)
def test_refused(f: Callable[..., Any], text: str) -> None:
    with pytest.raises(PullbackError, match=text):
        pb.jit(f)(0.7)
