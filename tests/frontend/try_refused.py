"""Uses of exceptions that are refused: each with arguments and a part of the refusal."""

from __future__ import annotations

import math


def the_object(x):
    try:
        return math.log(x)
    except ValueError as e:
        return e.args[0] * x


def managed(x):
    with open("nowhere"):
        return x


PROGRAMS = [
    (the_object, (3.0,), "not defined for what is in a caught exception"),
    (managed, (3.0,), "open is not supported inside compiled code"),
]
