"""Uses of exceptions that are refused: each with arguments and a part of the refusal."""

from __future__ import annotations

import math


def the_object(x):
    try:
        return math.log(x)
    except ValueError as e:
        return e.args[0] * x


def swallows(x):
    try:
        return math.log(x)
    finally:
        return x  # noqa: B012, SIM107  # that it swallows is what is tried


def yields(x):
    def items():
        try:
            yield math.log(x)
        except ValueError:
            yield x

    return sum(items())


def raises_in_head(x):
    def items():
        yield math.log(x)

    def total():
        try:
            for v in items():
                return v
        except ValueError:
            return x
        return 0.0

    return total()


def managed(x):
    with open("nowhere"):
        return x


PROGRAMS = [
    (the_object, (3.0,), "not defined for what is in a caught exception"),
    (swallows, (3.0,), "a finally that jumps swallows exceptions"),
    (yields, (3.0,), "a generator yields inside of a try"),
    (raises_in_head, (3.0,), "the head of a loop or of a branch under this try may raise"),
    (managed, (3.0,), "open is not supported inside compiled code"),
]
