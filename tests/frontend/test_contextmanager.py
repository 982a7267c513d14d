"""Generators under ``contextlib.contextmanager`` behind ``with``, against Python."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextlib import contextmanager as cm
from contextlib import suppress as quiet
from typing import Any

import pytest

import pullback as pb
from tests import campaign
from tests.frontend import manager_programs


class Box:
    def __init__(self, scale: Any) -> None:
        self.scale = scale
        self.log: list[float] = []
        self.closed = 0

    def close(self) -> None:
        self.closed += 1
        self.scale *= 3


@cm
def scaled(box: Box, f: Any) -> Iterator[Box]:
    box.scale *= f
    try:
        yield box
    finally:
        box.scale /= f


@contextlib.contextmanager
def shown(name: str, depth: int = 2, *, loud: bool = True) -> Iterator[int]:
    if loud:
        print("in", name)
    yield depth
    print("out", name)


@contextmanager
def guarded(box: Box) -> Iterator[None]:
    """Sees the exception of the body, and swallows one class."""
    try:
        yield
    except ValueError as error:
        print("caught", error)
        box.scale += 1
    except IndexError:
        print("goes on")
        raise
    else:
        print("fine")
    finally:
        print("done")


@contextmanager
def replaced() -> Iterator[float]:
    try:
        yield 1.5
    except ValueError as error:
        raise RuntimeError(f"replaced: {error}") from error


@contextmanager
def not_always(x: Any) -> Iterator[Any]:
    if x > 0:
        yield x
    else:
        print("nothing")


@contextmanager
def often(x: Any) -> Iterator[Any]:
    try:
        yield x
        yield x * 2
    finally:
        print("closed")


@contextmanager
def again(x: Any) -> Iterator[Any]:
    try:
        yield x
    except ValueError:
        yield x * 2


@contextmanager
def either(x: Any) -> Iterator[Any]:
    if x > 1:
        yield x
        print("one")
    else:
        yield x * x
        print("other")


@contextmanager
def tried(times: int) -> Iterator[int]:
    for k in range(times):
        if k == 1:
            yield k
            return
    print("never")


@contextmanager
def both(box: Box, x: Any) -> Iterator[Any]:
    with scaled(box, x), shown("both") as depth:
        yield box.scale * depth


@contextmanager
def local_names(total: Any) -> Iterator[Any]:
    y = total * 2
    parts = [y * k for k in range(3)]
    add = lambda v: v + y
    yield add(sum(parts))
    print("y is", y > 0)


def as_target(x: Any) -> Any:
    box = Box(x)
    with scaled(box, 2.0) as c:
        y = c.scale * x
        c.log.append(y)
    return y + box.scale + sum(box.log)


def without_target(x: Any) -> Any:
    box = Box(x)
    with scaled(box, x * x + 1):
        y = box.scale * x
    return y + box.scale


def restored_after_an_exception(x: Any) -> Any:
    box = Box(x)
    y = x
    try:
        with scaled(box, 2.0) as c:
            y = c.scale
            y = math.sqrt(x) * y
            c.scale += y
    except ValueError as error:
        print(error)
    return y * box.scale


def swallowed(x: Any) -> Any:
    box = Box(x)
    y = 0.0
    with guarded(box):
        y = math.sqrt(x) * 3
    return y + box.scale


def goes_on(x: Any) -> Any:
    box = Box(x)
    try:
        with guarded(box):
            box.scale *= [x, 2 * x][int(x)]
    except IndexError as error:
        print("outside", error)
    return box.scale


def another(x: Any) -> Any:
    with replaced() as v:
        y = math.sqrt(x) * v
    return y


def may_not_yield(x: Any) -> Any:
    with not_always(x) as v:
        x = v * v
    return x


def does_not_stop(x: Any) -> Any:
    try:
        with often(x) as v:
            x = v * 3
    except RuntimeError as error:
        print(error)
    return x


def does_not_stop_after_throw(x: Any) -> Any:
    with again(x) as v:
        x = v + math.sqrt(x)
    return x


def one_of_two(x: Any) -> Any:
    with either(x) as v:
        y = v * x
    return y


def in_its_loop(x: Any) -> Any:
    with tried(4) as k:
        y = x * k + x
    return y


def left_by_return(x: Any) -> Any:
    with shown("a"):
        if x > 1:
            return x * 2
        with shown("b", loud=x < 0):
            if x < 0:
                return x * 3
    return x * 5


def left_by_jumps(x: Any) -> Any:
    box = Box(1.0)
    for k in range(5):
        with scaled(box, 2.0), shown("loop", k) as n:
            if n > x:
                break
            if n == 1:
                continue
            x = x * box.scale * 0.75
        x += 0.5
    else:
        x = x * 10
    return x + box.scale


def managers_inside(x: Any) -> Any:
    box = Box(2.0)
    with both(box, x) as v:
        y = v * box.scale
    return y * box.scale


def names_of_its_own(x: Any) -> Any:
    y, k, parts, add = x, 7, 1.0, 2.0
    with local_names(x * 3) as total:
        z = total * y
    return z + y * k + parts * add


def entered_again(x: Any) -> Any:
    box = Box(x)
    with scaled(box, 2.0) as a, scaled(a, 3.0) as b:
        y = b.scale
        with scaled(box, x):
            y += box.scale
    return y * box.scale


def nested_in_the_function(x: Any) -> Any:
    total = x

    @contextmanager
    def counted(f: Any) -> Iterator[None]:
        nonlocal total
        total += f
        yield
        total *= 2

    with counted(1.0):
        total += x * x
    with counted(x):
        pass
    return total


def in_a_nested_function(x: Any) -> Any:
    box = Box(x)

    def work(k: int) -> Any:
        with scaled(box, 2.0) as b, shown("work", depth=k) as d:
            if k == 0:
                return b.scale
            return b.scale * d + 1

    return work(0) + work(3)


def in_recursion(x: Any) -> Any:
    def half(depth: int) -> Any:
        with shown("r", depth) as d:
            if d == 0:
                return math.sqrt(x)
            return half(depth - 1) * 2

    return half(2)


def in_a_handler(x: Any) -> Any:
    try:
        try:
            y = math.sqrt(x)
        except ValueError:
            with shown("handler"):
                raise
    except ValueError as error:
        print(error)
        y = x * 2
    return y


def of_the_library(x: Any) -> Any:
    box = Box(x)
    y = x
    with contextlib.closing(box) as b:
        y = b.scale * x
    with nullcontext(y * 2) as z, nullcontext():
        y += z
    with quiet(ValueError):
        y = math.sqrt(x) + y
    with contextlib.closing(box):
        y += box.scale
    return y + box.scale * box.closed


def in_a_while(x: Any) -> Any:
    box = Box(1.0)
    count = 0
    while True:
        with guarded(box):
            count += 1
            if count > 3:
                break
            x = x + math.sqrt(count - 2.5 + 0 * x)
    return x * box.scale + count


PROGRAMS: list[Callable[[Any], Any]] = [
    as_target, without_target, restored_after_an_exception, swallowed, goes_on, another,
    may_not_yield, does_not_stop, does_not_stop_after_throw, one_of_two, in_its_loop,
    left_by_return, left_by_jumps, managers_inside, names_of_its_own, entered_again,
    nested_in_the_function, in_a_nested_function, in_recursion, in_a_handler, of_the_library,
    in_a_while,
]  # fmt: skip
STEPS = {goes_on}
"""Programs with ``int(x)``, of which finite differences know nothing."""


def outcome(f: Callable[[Any], Any], x: float, read: Callable[[], Any]) -> tuple[Any, ...]:
    read()
    try:
        result: Any = f(x)
    except (ValueError, RuntimeError) as error:
        result = type(error), str(error), type(error.__cause__)
    return result, read()


ALL = [*PROGRAMS, *manager_programs.PROGRAMS]


@pytest.mark.parametrize("f", campaign.part("values", ALL, 3), ids=lambda f: f.__name__)
def test_as_in_python(f: Callable[[Any], Any], capsys: pytest.CaptureFixture[str]) -> None:
    methods = campaign.rotated("values", f.__name__, ("chad", "dual"))
    runs = [pb.value_and_grad(f, method=method) for method in methods]

    def printed() -> str:
        return capsys.readouterr().out

    for x in (-1.5, 0.5, 3.3):
        wanted = outcome(f, x, printed)
        assert outcome(pb.jit(f), x, printed) == wanted
        if isinstance(wanted[0], tuple):
            continue
        h = 1e-6
        slope = (f(x + h) - f(x - h)) / (2 * h)
        for run in runs:
            (value, gradient), text = outcome(run, x, printed)
            assert (value, text) == wanted
            if f not in STEPS:
                assert math.isclose(gradient, slope, rel_tol=1e-6, abs_tol=1e-6)


@pytest.mark.parametrize("f", manager_programs.REFUSED, ids=lambda f: f.__name__)
def test_others_are_refused_at_their_line(f: Callable[[Any], Any]) -> None:
    with pytest.raises(pb.PullbackError, match="a generator under contextmanager, is called") as e:
        pb.jit(f)(1.0)
    assert "manager_programs.py" in str(e.value)


@contextmanager
def rebound(x: Any) -> Iterator[Any]:
    yield x * 2


def uses_rebound(x: Any) -> Any:
    with rebound(x) as y:
        return y


def test_a_name_that_is_bound_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pb.value_and_grad(uses_rebound)(3.0) == (6.0, 2.0)

    @contextmanager
    def other(x: Any) -> Iterator[Any]:
        yield x * 5

    monkeypatch.setitem(globals(), "rebound", other)
    assert pb.value_and_grad(uses_rebound)(3.0) == (15.0, 5.0)
