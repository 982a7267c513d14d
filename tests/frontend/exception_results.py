"""Programs that hand their result on in an exception."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.frontend.exception_programs import E1


class Answer(Exception):
    pass


def raises_twice(x):
    raise E1(x * 2.0)


def caught_inside(x):
    try:
        raises_twice(x)
    except E1 as e:
        return e


def caught_in_a_tried_function(x):
    """What always raises does not where it is called under the try that catches it."""

    def inner(x):
        raise ZeroDivisionError(caught_inside(x).v * x)

    try:
        inner(x)
    except ZeroDivisionError as e:
        return e.args[0] * 1.0


def answered(x, n):
    for i in range(n):
        x += 0.5 * x
        if x > 20.0 + i:
            raise Answer(x * x)
    raise Answer(x)


def answer(x, n):
    try:
        answered(x, n)
    except Answer as e:
        return e.args[0]


def an_argument_as_result(x):
    return answer(x, 9)


def arguments_carried_on(x):
    total = 0.0
    for i in range(3):
        total = answer(total + x, i)
    return total


def arguments_in_a_list(x):
    found = [answer(x, i) for i in range(3)]
    found.append(1.0)
    return sum(found) if x > 0.5 else found[1]


def pair_in_exception(x):
    def solve(x):
        raise Answer((x, x * x))

    try:
        solve(x)
    except Answer as e:
        low, high = e.args[0]
        return low * high


def ints_or_floats(x):
    """An int stays one where it is printed: so it is no number of the program there."""
    try:
        if x > 1.0:
            raise Answer(1)
        raise Answer(x)
    except Answer as e:
        return len(f"{e.args[0]}") * 1.0


PROGRAMS: list[Callable[..., Any]] = [
    caught_in_a_tried_function,
    an_argument_as_result,
    arguments_carried_on,
    arguments_in_a_list,
    pair_in_exception,
    ints_or_floats,
]
