"""Programs with ``contextlib.ExitStack`` and ``collections.ChainMap``."""

from __future__ import annotations

import contextlib
from collections import ChainMap
from collections.abc import Mapping
from contextlib import ExitStack, contextmanager


class Opened:
    def __init__(self, v, log):
        self.v, self.log = v, log

    def __enter__(self):
        self.log.append(self.v)
        if self.v > 100.0:
            raise ValueError("not opened")
        return self.v

    def __exit__(self, kind, error, trace):
        self.log.append(2.0 * self.v)
        return kind is KeyError and self.v > 1.0


class Pair:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        return self.x, 2.0 * self.x

    def __exit__(self, kind, error, trace):
        return None


def weighed(log):
    return sum(v * (k + 1) for k, v in enumerate(log))


def note(log, a, k=1.0):
    log.append(a * k)


@contextmanager
def generated(v, log):
    log.append(v)
    try:
        yield v * 2.0
    finally:
        log.append(-v)


def in_order(x):
    log = []
    with ExitStack() as stack:
        a = stack.enter_context(Opened(x, log))
        b = stack.enter_context(Opened(2.0 * x, log))
        stack.callback(log.append, a * b)
        log.append(5.0)
    return weighed(log)


def raising(x):
    log = []
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(Opened(x, log))
            stack.callback(log.append, 7.0)
            if x > 0.5:
                raise ValueError(x)
            stack.enter_context(Opened(3.0, log))
            log.append(1.0)
    except ValueError:
        log.append(11.0)
    return weighed(log)


def swallowed(x):
    log = []
    with ExitStack() as stack:
        stack.enter_context(Opened(2.0 * x + 1.0, log))
        stack.callback(log.append, 7.0)
        raise KeyError("gone")
    return weighed(log)


def returning(x):
    log = []

    def inner():
        with ExitStack() as stack:
            stack.callback(log.append, x)
            for k in range(3):
                log.append(k * x)
                if k == 1:
                    return k * 10.0
            stack.callback(log.append, 100.0)
        return 1.0

    return inner() + weighed(log)


def of_generators(x):
    log = []
    with ExitStack() as stack:
        a = stack.enter_context(generated(x, log))

        @stack.callback
        def done():
            log.append(a)

        b = stack.enter_context(generated(a, log))
        log.append(b)
    return weighed(log)


def in_a_loop(x):
    log = []
    for k in range(3):
        with ExitStack() as stack:
            stack.enter_context(Opened(x * k, log))
            if k == 1:
                continue
            stack.callback(log.append, 1.0 * k)
    return weighed(log)


def with_arguments(x):
    log = []
    with ExitStack() as stack:
        stack.callback(note, log, 2.0, k=x)
        x = x * 10.0
    return weighed(log) + x


def not_opened(x):
    log = []
    try:
        with ExitStack() as stack:
            stack.enter_context(Opened(x, log))
            stack.enter_context(Opened(200.0 * x, log))
    except ValueError:
        log.append(3.0)
    return weighed(log)


def other_targets(x):
    log, d = [], {}
    with ExitStack() as stack:
        d["k"] = stack.enter_context(Opened(x, log))
        p, q = stack.enter_context(Pair(x))
        return weighed(log) + d["k"] * p + q


def bound_anew_later(x):
    log = []
    with ExitStack() as stack:
        push = log.append
        stack.callback(push, x)
        push = None
    return weighed(log)


# --- ChainMap -------------------------------------------------------------------------------------

DEFAULTS = {"a": 2.0, "b": 3.0}


def first_of_several(x):
    c = ChainMap({"a": x}, {"a": 1.0, "b": 2.0 * x})
    return c["a"] * c["b"] + len(c)


def over_defaults(x):
    c = ChainMap({"a": x * x}, DEFAULTS)
    return sum(c.values()) * c.get("z", 5.0)


def assigned(x):
    c = ChainMap({}, {"a": x})
    c["a"] = 2.0 * x
    c["n"] = x * x
    return c["a"] + c.maps[1]["a"] + c["n"]


def children(x):
    c = ChainMap({"a": x}, {"b": 1.0})
    d = c.new_child({"b": x * x})
    return d["b"] + c["b"] + d.parents["b"]


def missing(x):
    c = ChainMap({"a": x})
    try:
        return c["q"]
    except KeyError:
        return x if "a" in c and "q" not in c else 0.0


def in_order_of_keys(x):
    c = ChainMap({"b": x, "a": 1.0}, {"c": 2.0, "b": 5.0})
    text = ""
    for k in c:
        text += k
    return x * (text == "cba") + x * 2 * (text == "cab") + sum(
        v * (i + 1) for i, (_, v) in enumerate(c.items())
    )


def seen_outside_of_it(x):
    d = {"a": x}
    c = ChainMap(d)
    c["a"] = 3.0 * x
    return d["a"]


def of_tables(x):
    c = ChainMap({k: x * k for k in range(4)}, {k: 1.0 for k in range(8)})
    c[0] = x
    return sum(c[k] for k in range(8)) + len(c)


def compared(x):
    c = ChainMap({"a": x}, {"a": 2.0 * x})
    same = (c == {"a": x}) * x + (c == ChainMap({"a": x})) * 2.0 * x + (c != {"a": x}) * 7.0
    return same + len(str(ChainMap({"k": 1}, {"b": "u"}))) + isinstance(c, Mapping)


def views_twice(x):
    c = ChainMap({"a": x}, {"b": 2.0 * x})
    values = c.values()
    return sum(values) * sum(values) + len(c.keys()) + sum(c[k] for k in c)


def closed_early(x):
    with ExitStack() as stack:
        stack.close()
    return x


RIGHT = [
    in_order, raising, swallowed, returning, of_generators, in_a_loop, with_arguments, not_opened,
    other_targets, bound_anew_later, first_of_several, over_defaults, assigned, children, missing,
    in_order_of_keys, seen_outside_of_it, of_tables, compared, views_twice, closed_early,
]  # fmt: skip


# --- refused --------------------------------------------------------------------------------------


def used_behind(x):
    log = []
    with ExitStack() as stack:
        stack.callback(log.append, 1.0)
    stack.callback(log.append, 5.0)
    return x


def by_a_pattern(x):
    match ChainMap({"a": x}):
        case {"a": v}:
            return v
    return 0.0


REFUSED = [used_behind, by_a_pattern]
