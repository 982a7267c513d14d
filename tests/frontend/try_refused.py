"""Uses of exceptions that are refused: each with arguments and a part of the refusal."""

from __future__ import annotations

import math


def the_object(x):
    try:
        return math.log(x)
    except ValueError as e:
        return e.args[0] * x


def yields(x):
    def items():
        try:
            yield math.log(x)
        except ValueError:
            yield x

    return sum(items())


def managed(x):
    with open("nowhere"):
        return x


PROGRAMS = [
    (the_object, (3.0,), "not defined for what is in a caught exception"),
    (yields, (3.0,), "a generator yields inside of a try"),
    (managed, (3.0,), "open is not supported inside compiled code"),
]
