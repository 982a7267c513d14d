"""Uses of exceptions that are refused: each with arguments and a part of the refusal."""

from __future__ import annotations

import math


def changed_by_a_call(x):
    n = 0.0

    def bump(v):
        nonlocal n
        n += v
        return math.sqrt(v)

    try:
        y = bump(x)
    except ValueError:
        y = 5.0
    return n * y


def the_object(x):
    try:
        return math.log(x)
    except ValueError as e:
        return float(len(e.args)) * x


def on_some_paths(x):
    try:
        return math.log(x)
    except ValueError:
        if x < -1.0:
            raise
        return x


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

    total = 0.0
    try:
        for v in items():
            total += v
    except ValueError:
        total = x
    return total


def managed(x):
    with open("nowhere"):
        return x


def prints_and_passes_on(x):
    try:
        return math.log(x)
    except ValueError:
        print("negative")
        raise


def prints_at_the_end(x):
    try:
        return math.log(x)
    finally:
        print("done")


PROGRAMS = [
    (prints_and_passes_on, (-1.0,), "printed while an exception"),
    (prints_at_the_end, (2.0,), "printed while an exception"),
    (changed_by_a_call, (3.0,), "may raise after it has changed 'n'"),
    (the_object, (3.0,), "the exception that is caught is not kept"),
    (on_some_paths, (3.0,), "raised again on some paths only"),
    (swallows, (3.0,), "a finally that jumps swallows exceptions"),
    (yields, (3.0,), "a generator yields inside of a try"),
    (raises_in_head, (3.0,), "the head of a loop or of a branch under this try may raise"),
    (managed, (3.0,), "'with' has effects"),
]
