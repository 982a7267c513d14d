"""``with`` of objects that have ``__enter__`` and ``__exit__``, against Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb


class Account:
    """Hands itself on, counts what is done, and lets exceptions go on."""

    def __init__(self, x: Any) -> None:
        self.total = x
        self.count = 0

    def __enter__(self) -> Account:
        self.count += 1
        return self

    def add(self, v: Any) -> None:
        self.total += v

    def __exit__(self, kind: Any, error: Any, where: Any) -> bool:
        self.count += 10
        self.total *= 2
        print("exit", kind is None, error)
        return False


class Quiet:
    """Swallows exceptions of one class."""

    def __enter__(self) -> float:
        return 3.0

    def __exit__(self, kind: Any, error: Any, where: Any) -> bool:
        print("quiet", kind is not None)
        return kind is not None and issubclass(kind, ValueError)


class Swallow:
    def __enter__(self) -> None:
        return None

    def __exit__(self, *given: Any) -> bool:
        return True


class Shown:
    def __enter__(self) -> None:
        print("in")

    def __exit__(self, *given: Any) -> None:
        print("out")


class Replaced:
    def __enter__(self) -> Replaced:
        return self

    def __exit__(self, kind: Any, error: Any, where: Any) -> None:
        if kind is not None:
            raise RuntimeError(f"replaced: {error}") from error


class Depth:
    def __init__(self) -> None:
        self.depth = 0

    def __enter__(self) -> int:
        self.depth += 1
        return self.depth

    def __exit__(self, *given: Any) -> None:
        self.depth -= 1


class Stack:
    def __init__(self) -> None:
        self.items: list[float] = []

    def __enter__(self) -> list[float]:
        self.items.append(1.0)
        return self.items

    def __exit__(self, *given: Any) -> None:
        self.items.pop()


def updates(x: Any) -> Any:
    with Account(x) as account:
        account.add(x * x)
    return account.total + account.count


def named_before(x: Any) -> Any:
    account = Account(x)
    with account:
        account.add(3 * x)
        account.add(1.0)
    return account.total * account.count


def swallows_one_class(x: Any) -> Any:
    y = 0.0
    with Quiet() as v:
        y = math.sqrt(x) * v
    return y + x


def left_by_return(x: Any) -> Any:
    with Shown():
        if x > 1:
            return x * 2
        x = x + 1
    return x


def left_by_jumps(x: Any) -> Any:
    for k in range(4):
        with Shown():
            if k > x:
                break
            if k == 1:
                continue
            x = x * 1.5
    return x


def several(x: Any) -> Any:
    with Quiet() as a, Account(x) as account:
        account.add(a)
        account.add(math.sqrt(x))
    return x * a


def goes_on(x: Any) -> Any:
    with Account(x) as account:
        account.add(math.sqrt(x))
    return account.total


def caught_outside(x: Any) -> Any:
    try:
        with Shown():
            y = 1.0 / (x - 2.5) if x != 2.5 else [x][int(x)]
    except IndexError as error:
        print("caught", error)
        y = x
    return y


def nested(x: Any) -> Any:
    with Shown(), Shown() as nothing:
        print("body", nothing)
        y = x**2
    return y


def raises_another(x: Any) -> Any:
    with Replaced():
        y = math.sqrt(x)
    return y


def in_recursion(x: Any) -> Any:
    def half(depth: int) -> Any:
        with Shown():
            if depth == 0:
                return math.sqrt(x)
            return half(depth - 1) * 2

    return half(2)


def a_list_inside(x: Any) -> Any:
    stack = Stack()
    with stack as items:
        y = x * len(items)
        with stack:
            y += len(stack.items) * x
    return y + len(stack.items)


def swallows_all(x: Any) -> Any:
    y = x
    with Swallow():
        y = x * 2
        y = math.log(x - 2) * y
        y = y + 1
    return y


def in_a_loop(x: Any) -> Any:
    total, count = 0.0 * x, 0
    for k in range(4):
        with Swallow():
            total += math.sqrt(x - k)
            count += 1
            total += 1.0 / (x - 1)
    return total + count


def entered_again(x: Any) -> Any:
    depth, out = Depth(), 0.0
    with depth as p:
        with depth as q, depth as r:
            out += p * x + q * x**2 + r * depth.depth
        out += depth.depth
    return out + depth.depth


PROGRAMS: list[Callable[[Any], Any]] = [
    updates, named_before, swallows_one_class, left_by_return, left_by_jumps, several, goes_on,
    caught_outside, nested, raises_another, in_recursion, a_list_inside, swallows_all, in_a_loop,
    entered_again,
]  # fmt: skip


def outcome(f: Callable[[Any], Any], x: float, read: Callable[[], Any]) -> tuple[Any, ...]:
    read()
    try:
        result: Any = f(x)
    except (ValueError, RuntimeError) as error:
        result = type(error), str(error), type(error.__cause__)
    return result, read()


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_python(f: Callable[[Any], Any], capsys: pytest.CaptureFixture[str]) -> None:
    runs = [pb.value_and_grad(f), pb.value_and_grad(f, method="dual")]

    def shown() -> str:
        return capsys.readouterr().out

    for x in (-1.5, 0.5, 3.3):
        wanted = outcome(f, x, shown)
        assert outcome(pb.jit(f), x, shown) == wanted
        if isinstance(wanted[0], tuple):
            continue
        h = 1e-6
        slope = (f(x + h) - f(x - h)) / (2 * h)
        for run in runs:
            (value, gradient), printed = outcome(run, x, shown)
            assert (value, printed) == wanted
            if f is not caught_outside:
                assert math.isclose(gradient, slope, rel_tol=1e-6, abs_tol=1e-6)


def test_who_has_no_exit_is_refused() -> None:
    class Half:
        def __enter__(self) -> float:
            return 1.0

    def f(x: Any) -> Any:
        with Half() as one:  # type: ignore[attr-defined]  # that is what is tried
            return x * one

    with pytest.raises(pb.PullbackError, match="'with' has effects"):
        pb.jit(f)(1.0)
