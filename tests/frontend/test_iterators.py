"""Iterators that are advanced from outside give what they give in Python, with the gradient that
finite differences have; what cannot be told apart from a copy is refused."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests.campaign import part
from tests.foreign.__main__ import is_right
from tests.frontend import chosen_iterators, iterator_programs, iterator_uses, late_programs
from tests.frontend.harness import agrees, run

PROGRAMS = [*iterator_programs.PROGRAMS, *iterator_uses.PROGRAMS]
TAKEN = part("values", PROGRAMS, 3)


def name_of(case):
    return getattr(case, "__name__", "")


@pytest.mark.parametrize(("f", "args"), [(f, args) for f, *args in TAKEN], ids=name_of)
def test_as_in_python(f, args):
    is_right(f, tuple(args))


def outcome_of(f, args, capsys):
    try:
        result: object = f(*args)
    except Exception as e:
        result = type(e)
    return result, capsys.readouterr().out


LATE = [(f, args) for f, *args in late_programs.PROGRAMS]


@pytest.mark.parametrize(("f", "args"), LATE, ids=name_of)
def test_items_are_made_when_they_are_asked_for(f, args, capsys):
    found, wanted = outcome_of(pb.jit(f), args, capsys), outcome_of(f, args, capsys)
    number = isinstance(wanted[0], float)
    assert found == ((pytest.approx(wanted[0]), wanted[1]) if number else wanted)


def exhausted(xs):
    it = iter(xs)
    return next(it) + next(it) + next(it)


def walk(x, n):
    if n > 0:
        yield from walk(x * 0.5, n - 1)
        yield x


def grows_meanwhile(xs):
    own = list(xs)
    it = iter(own)
    first = next(it)
    own.append(5.0)
    return first + sum(it)


def row_that_changes(xs):
    def rows():
        row = [xs[0], 1.0]
        while True:
            yield row
            row[0] = row[0] * 2.0

    it = rows()
    a = next(it)
    b = next(it)
    return a[0] + b[0]


def longer_than_what_follows(xs):
    a, b = xs[:2]
    return sum(u * v for u, v in zip(map(math.sqrt, [a, b, -1.0]), [1.0]))


def taken_out_of_a_list(xs):
    its = [iter(xs), iter(xs)]
    total = 0.0
    while its:
        it = its.pop(0)
        v = next(it, None)
        if v is not None:
            total += v
            its.append(it)
    return total


def test_iterators_taken_out_of_a_list():
    assert pb.jit(taken_out_of_a_list)([0.5, 0.3, 0.2]) == 2.0


REFUSED = {
    grows_meanwhile: "has been updated since",
    longer_than_what_follows: "put what has the fewest items first",
}


@pytest.mark.parametrize("f", REFUSED, ids=name_of)
def test_refused(f):
    with pytest.raises(pb.PullbackError, match=REFUSED[f]):
        run(f, [0.3, 0.8, 0.6])


def test_a_row_that_changes():
    assert run(row_that_changes, [0.3, 0.8, 0.6]) == row_that_changes([0.3, 0.8, 0.6])


def test_the_end_is_an_error():
    with pytest.raises(StopIteration):
        pb.jit(exhausted)([1.0, 2.0])
    assert pb.jit(exhausted)([1.0, 2.0, 4.0]) == 7.0


@pytest.mark.parametrize("f", part("values", chosen_iterators.PROGRAMS, 3), ids=name_of)
def test_chosen_at_run_time(f):
    agrees(f, [0.7, 1.3, 0.9])
    agrees(f, [6.7, 1.3, 0.9])


@pytest.mark.parametrize("f", chosen_iterators.REFUSED, ids=name_of)
def test_chosen_and_refused(f):
    with pytest.raises(pb.PullbackError):
        run(f, [0.7, 1.3, 0.9])


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_gradient_through_a_chosen_iterator(method):
    f = chosen_iterators.advanced_inside_its_loop
    for x in ([0.7, 1.3, 0.9], [6.7, 1.3, 0.9]):
        found = pb.grad(f, method=method)(x)
        for k in range(3):
            up, down = list(x), list(x)
            up[k] += 1e-6
            down[k] -= 1e-6
            assert found[k] == pytest.approx((f(up) - f(down)) / 2e-6, rel=1e-5)


def strict_left(x: float, n: int) -> float:
    for a, b in zip([x * k for k in range(n)], [1.0, 2.0, 3.0], strict=True):
        if a > 1.0:
            return a * b
    return 7.0


def strict_roots(x: float, n: int) -> list[float]:
    return [math.sqrt(1.0 - a) for a, _ in zip([x * k for k in range(n)], [1, 2, 3], strict=True)]


def strict_of_three(x: float, n: int) -> list[float]:
    return [a + b + c for a, b, c in zip([x] * n, [x] * 2, [1.0] * (5 - n), strict=True)]


def strict_sum(x: float, n: int) -> float:
    return sum(a * b for a, b in zip([x] * n, [1.0, 2.0, 3.0], strict=True))


@pytest.mark.parametrize("f", [strict_left, strict_roots, strict_of_three, strict_sum])
def test_strict_zip_raises_where_the_shortest_ends(f: Callable[..., object]) -> None:
    for n in range(6):
        agrees(f, 0.75, n)


def test_lengths_that_are_evidently_equal_are_not_compared() -> None:
    """Of x and what is made of x zip takes no shorter one, and checks nothing if it is strict."""

    def made(x: Any) -> Any:
        return sum(a * b for a, b in zip(x, 2.0 * x))

    def strict(x: Any) -> Any:
        return sum(a * b for a, b in zip(x, [2.0 * v for v in x], strict=True))

    def others(x: Any, y: Any) -> Any:
        return sum(a * b for a, b in zip(x, y))

    x = np.array([1.0, 2.0, 3.0])
    for f, args, compared in ((made, (x,), 0), (strict, (x,), 0), (others, (x, x[:2]), 1)):
        core = str(pb.show(pb.jit(f), *args, stage="core"))
        assert core.count("min ") == compared and "require" not in core, core
        assert pb.jit(f)(*args) == f(*args)


def by_next(xs):
    total, it = 0.0, iter(xs)
    while True:
        try:
            v = next(it)
        except StopIteration:
            break
        total = total * 0.5 + v * v
    return total


def by_a_default(xs):
    total, it = 0.0, iter(xs)
    v = next(it, None)
    while v is not None:
        total = total * 0.5 + v * v
        v = next(it, None)
    return total


@pytest.mark.parametrize(("f", "most"), [(by_next, 21), (by_a_default, 15)])
def test_steps_of_an_item(f, most):
    """A loop over the list takes 5; by ``next`` they were 33 and 19."""
    small, large = (pb.cost(f, [0.1 * k for k in range(n)]) for n in (40, 80))
    assert large - small <= 40 * most


def test_an_iterator_cannot_be_called() -> None:
    def f(xs: Any) -> Any:
        def g() -> Any:
            yield 1.0

        made = map(math.sin, xs), iter(xs), g()
        return [callable(v) for v in made], callable(g), callable(math.sin)

    assert pb.jit(f)([0.5, 1.0]) == ([False, False, False], True, True)


def test_a_call_of_an_iterator_is_a_type_error() -> None:
    def f(xs: Any) -> Any:
        v = map(math.sin, xs)
        return next(v) + v(1.0)  # type: ignore[operator]  # that is what is asked

    with pytest.raises((TypeError, pb.PullbackError), match="callable"):
        pb.jit(f)([0.5, 1.0])
