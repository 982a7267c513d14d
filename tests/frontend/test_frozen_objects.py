"""Frozen dataclasses whose ``__post_init__`` gives fields: as in Python, or refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.errors import PullbackError
from tests.foreign.__main__ import is_right
from tests.frontend.harness import agrees


@dataclass(frozen=True)
class Doubled:
    a: float
    b: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "b", self.a * 2)


@dataclass(frozen=True)
class Rooted:
    a: float

    def __post_init__(self) -> None:
        if self.a < 0:
            raise ValueError(f"{self.a} is below zero")
        object.__setattr__(self, "a", math.sqrt(self.a))


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    low: float
    high: float = 1.0
    width: float = field(init=False)
    middle: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        if self.low > self.high:
            low = self.low
            object.__setattr__(self, "low", self.high)
            object.__setattr__(self, "high", low)
        object.__setattr__(self, "width", self.high - self.low)
        if self.width > 1.0:
            object.__setattr__(self, "middle", self.low + self.half())

    def half(self) -> float:
        return self.width / self.parts

    @property
    def parts(self) -> float:
        return 2.0


@dataclass(frozen=True)
class Tripled(Doubled):
    c: float = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        super().__setattr__("c", self.b * 1.5 + self.a)


@dataclass(frozen=True)
class Named(Doubled):
    """Calls the method of its base by name, and uses the whole object at the end."""

    total: float = 0.0

    def __post_init__(self) -> None:
        Doubled.__post_init__(self)
        object.__setattr__(self, "total", sum_of(self.a, self.b))
        check(self)


def sum_of(*values: float) -> float:
    return sum(values)


def check(obj: Any) -> None:
    if obj.total < 0:
        raise ValueError("negative")


@dataclass(frozen=True)
class Floats:
    """All fields converted in a loop."""

    x: Any
    y: Any

    def __post_init__(self) -> None:
        for name in ("x", "y"):
            object.__setattr__(self, name, float(getattr(self, name)) + 1.0)


@dataclass(frozen=True)
class Table:
    """Fields that are arrays, lists and functions, computed in loops."""

    xs: Any
    sums: list[float] = field(init=False)
    top: float = field(init=False)

    def __post_init__(self) -> None:
        xs = np.asarray(self.xs)
        object.__setattr__(self, "xs", xs / np.sum(xs))
        top, sums = 0.0, []
        for v in self.xs:
            sums.append(v + top)
            top = max(top, v)
        object.__setattr__(self, "sums", sums)
        object.__setattr__(self, "top", top)


@dataclass(frozen=True)
class Halved:
    """A field that is given in a loop, and an early return."""

    a: float
    n: int = 0

    def __post_init__(self) -> None:
        if self.a < 0.5:
            return
        while self.a > 1.0:
            object.__setattr__(self, "a", self.a / 2)
            object.__setattr__(self, "n", self.n + 1)


@dataclass(frozen=True)
class Tree:
    value: float
    left: Tree | None = None
    right: Tree | None = None
    total: float = field(init=False)

    def __post_init__(self) -> None:
        total = self.value
        if self.left is not None:
            total += self.left.total
        if self.right is not None:
            total += self.right.total * 2
        object.__setattr__(self, "total", total)


def doubled(x: float) -> float:
    c = Doubled(x)
    return c.a * c.b + replace(c, a=2 * x).b


def rooted(x: float) -> float:
    return Rooted(x).a * 3 + Rooted(a=2.0 * x).a


def caught(x: float) -> float:
    try:
        return Rooted(x - 2.0).a
    except ValueError as e:
        return 3.0 * x + len(str(e))


def spans(x: float) -> float:
    s, t = Span(low=x), Span(low=-x, high=x * x)
    return s.low + 2 * s.high + 3 * s.width + 4 * s.middle + t.middle * t.width + (s == t)


def inherited(x: float) -> float:
    t, n = Tripled(x), Named(2 * x)
    return t.a + 2 * t.b + 3 * t.c + n.total * n.b


def floats(x: float) -> float:
    f = Floats(x, 2)
    return f.x * f.y + asdict(f)["x"]


def tables(x: float) -> float:
    t = Table([x, 2.0, x * x])
    return t.top + float(t.xs[0]) + sum(t.sums)


def halved(x: float) -> float:
    h = Halved(8.0 * x)
    return h.a * h.n + Halved(x / 10).a


def in_a_loop(x: float) -> float:
    kept = [Doubled(x * k) for k in range(5)]
    last = Doubled(0.0)
    for k, d in enumerate(kept):
        if k % 2:
            last = Doubled(last.b + d.b)
    return last.b + sum(d.b * d.a for d in kept)


def tree(x: float) -> float:
    t = Tree(x, Tree(2 * x), Tree(x * x, Tree(1.0)))
    return t.total * x


def of_given(d: Doubled, x: float) -> float:
    return d.a * d.b * x + replace(d, a=x).b


def by_depth(n: int, x: float) -> Tree:
    return Tree(x) if n == 0 else Tree(x, by_depth(n - 1, x * 0.5), None)


def recursive(x: float, n: int) -> float:
    return by_depth(n, x).total


def given_back(x: float) -> Any:
    return Tripled(x), Span(low=2 * x)


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (doubled, (1.3,)), (rooted, (1.3,)), (caught, (1.3,)), (spans, (1.3,)), (spans, (0.3,)),
    (inherited, (1.3,)), (floats, (0.7,)), (tables, (1.3,)), (halved, (1.3,)), (in_a_loop, (0.7,)),
    (tree, (1.3,)), (recursive, (1.3, 4)), (of_given, (Doubled(0.6), 1.3)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), CASES)
def test_value_and_derivative(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)  # the evaluator
    is_right(f, args)  # native code, and finite differences
    pb.check_grads(f, args)  # forward and reverse mode
    other = pb.grad(f, method="dual")(*args)
    assert numbers(pb.grad(f)(*args)) == pytest.approx(numbers(other), rel=1e-13)


def numbers(gradient: Any) -> list[float]:
    return list(asdict(gradient).values()) if is_dataclass(gradient) else [gradient]


def test_objects_as_results() -> None:
    assert pb.jit(given_back)(0.7) == given_back(0.7)
    assert repr(pb.jit(given_back)(0.7)) == repr(given_back(0.7))


def test_the_error_is_that_of_python() -> None:
    with pytest.raises(ValueError, match=r"-2\.0 is below zero"):
        pb.jit(rooted)(-2.0)


KEPT: list[Any] = []


@dataclass(frozen=True)
class Passed:
    """The whole object is handed on before its last field is given."""

    a: float
    b: float = field(init=False)

    def __post_init__(self) -> None:
        kept = [self]
        object.__setattr__(self, "b", kept[0].a)


@dataclass(frozen=True)
class Captured:
    a: float
    f: Any = field(init=False)
    b: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "f", lambda: self.b)
        object.__setattr__(self, "b", self.a)


@dataclass(frozen=True)
class ByMethod:
    a: float
    others: list[Any]
    b: float = 0.0

    def __post_init__(self) -> None:
        self.put()
        object.__setattr__(self, "b", 2 * self.a)

    def put(self) -> None:
        if self.a > 0:
            self.again()

    def again(self) -> None:
        self.others.append(self)


@dataclass(frozen=True)
class ByBase(ByMethod):
    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "b", 3 * self.a)


@dataclass(frozen=True)
class Base:
    a: float
    b: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "b", 2 * self.a)
        keep(self)


@dataclass(frozen=True)
class AfterBase(Base):
    c: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "c", 2 * self.a)


def keep(obj: Any) -> None:
    KEPT.append(obj)


@dataclass(frozen=True)
class Raised:
    a: float

    def __post_init__(self) -> None:
        try:
            raise ValueError(self)
        except ValueError as e:
            kept = e.args[0]
        object.__setattr__(self, "a", kept.a + 1)


@dataclass(frozen=True)
class Undeclared:
    a: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "more", 2 * self.a)


@dataclass(frozen=True)
class Missing:
    a: float
    b: float = field(init=False)

    def __post_init__(self) -> None:
        if self.a > 3:
            raise ValueError("large")


@dataclass(frozen=True)
class OnSomePaths:
    a: float
    b: float = field(init=False)

    def __post_init__(self) -> None:
        if self.a > 1:
            object.__setattr__(self, "b", 2 * self.a)


@dataclass(frozen=True)
class BaseRefuses(Doubled):
    def __post_init__(self) -> None:
        super().__setattr__("a", 2.0)


@dataclass(frozen=True)
class Returning:
    a: float

    def __post_init__(self) -> Any:
        object.__setattr__(self, "a", 2.0)
        return self.a


def outside(x: float) -> float:
    c = Doubled(x)
    object.__setattr__(c, "b", 3.0)
    return c.b


def of_argument(c: Any, x: float) -> float:
    object.__setattr__(c, "b", x)
    return float(c.b)


REFUSED: list[tuple[Callable[..., Any], tuple[Any, ...], str]] = [
    (lambda x: Passed(x).b, (1.3,), "hands on an object of Passed"),
    (lambda x: Captured(x).f(), (1.3,), "hands on an object of Captured"),
    (lambda x: ByMethod(x, []).b, (1.3,), "ByMethod.again hands on an object of ByMethod"),
    (lambda x: ByBase(x, []).b, (1.3,), "ByMethod.again hands on an object of ByBase"),
    (lambda x: AfterBase(x).c, (1.3,), "Base.__post_init__ hands on an object of AfterBase"),
    (lambda x: Raised(x).a, (1.3,), "hands on an object of Raised"),
    (lambda x: Undeclared(x).a, (1.3,), "Undeclared has no field 'more' that can be assigned"),
    (lambda x: Missing(x).a, (1.3,), "without a value for its field 'b'"),
    (lambda x: OnSomePaths(x).b, (1.3,), "OnSomePaths on one path"),
    (lambda x: BaseRefuses(x).a, (1.3,), "Doubled.__setattr__ does not assign the field 'a'"),
    (lambda x: Returning(x).a, (1.3,), "returns something"),
    (outside, (1.3,), "a field of a Doubled cannot be assigned: records are values"),
    (of_argument, (Doubled(1.0), 1.3), "cannot be assigned: records are values"),
]


@pytest.mark.parametrize(("f", "args", "text"), REFUSED)
def test_refused(f: Callable[..., Any], args: tuple[Any, ...], text: str) -> None:
    with pytest.raises(PullbackError, match=text):
        pb.jit(f)(*args)
