"""``contextlib.ExitStack`` as an object: closed, handed on, with exits that swallow; and lists of
functions beside shared lists."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing, nullcontext
from typing import Any

import pytest

import pullback as pb
from tests.foreign.__main__ import is_right
from tests.frontend.harness import agrees


class Res:
    def __init__(self, log, v):
        self.log, self.v = log, v

    def __enter__(self):
        self.log.append(self.v)
        return self

    def __exit__(self, t, e, tb):
        self.log.append(-self.v * 2 if t is None else self.v * 3)
        return False


def weighed(log):
    return sum(v * (i + 1) for i, v in enumerate(log))


def closed(x):
    log = []
    stack = ExitStack()
    stack.callback(log.append, x)
    stack.callback(log.append, x * x)
    r = stack.enter_context(Res(log, 3 * x))
    stack.close()
    log.append(1.0)
    stack.close()
    return r.v + weighed(log)


def swallowed(x):
    log = []

    def handler(t, e, tb):
        log.append(x if t is None else 2 * x)
        return True

    with ExitStack() as stack:
        stack.callback(log.append, 4.0)
        stack.push(handler)
        log.append(x * x)
        raise ValueError("bad")
    with ExitStack() as stack:
        stack.push(handler)
        stack.push(Res(log, x))
        log.append(x)
    return weighed(log)


def opened_elsewhere(x):
    log = []

    def open_all(values):
        with ExitStack() as stack:
            found = [stack.enter_context(Res(log, v)) for v in values]
            return found, stack.pop_all().close

    found, close = open_all([x, 2 * x, 3 * x])
    t = sum(r.v for r in found)
    log.append(50.0)
    close()
    return t + weighed(log)


class Pool:
    def __init__(self, log):
        self.stack, self.items, self.log = ExitStack(), [], log

    def open(self, v):
        r = self.stack.enter_context(Res(self.log, v))
        self.items.append(r)
        return r

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.stack.close()


def in_an_attribute(x):
    log = []
    with Pool(log) as p:
        p.open(x)
        p.open(x * x)
        t = sum(r.v for r in p.items)
    return t + weighed(log)


def contexts_as_arguments(x):
    log = []

    def run(ctx=None):
        with ctx or nullcontext(2.0):
            log.append(x)

    run()
    run(Res(log, 2 * x))
    run(nullcontext())
    c = closing(Connection(log, x))
    with c as k:
        r = k.query(2.0)
    with nullcontext() as nothing, closing(Connection(log, 3.0)) as q:
        r += q.v * (1.0 if nothing is None else 5.0)
    return r + weighed(log)


class Connection:
    def __init__(self, log, v):
        self.log, self.v = log, v

    def query(self, k):
        return self.v * k

    def close(self):
        self.log.append(self.v)


class Bus:
    def __init__(self):
        self.handlers = {}

    def on(self, name, h):
        self.handlers.setdefault(name, []).append(h)

    def emit(self, name, v):
        for h in list(self.handlers.get(name, [])):
            h(v)


def a_handler_that_emits(x):
    bus, log = Bus(), []

    def on_a(v):
        log.append(v)
        if v < 10.0:
            bus.emit("b", v * 2)

    def on_b(v):
        log.append(-v)
        bus.emit("a", v + x)

    bus.on("a", on_a)
    bus.on("b", on_b)
    bus.emit("a", x)
    bus.emit("c", x)
    return weighed(log)


CASES = [closed, swallowed, opened_elsewhere, in_an_attribute, contexts_as_arguments,
         a_handler_that_emits]  # fmt: skip


@pytest.mark.parametrize("f", CASES)
def test_value_and_derivative(f: Callable[..., Any]) -> None:
    agrees(f, 1.3)  # the evaluator
    is_right(f, (1.3,))  # native code, and finite differences
    pb.check_grads(f, (1.3,))  # forward and reverse mode
    assert pb.grad(f, method="dual")(1.3) == pytest.approx(pb.grad(f)(1.3), rel=1e-13)
