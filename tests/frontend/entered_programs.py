"""``contextlib.ExitStack`` whose managers are entered in loops, comprehensions and branches."""

from __future__ import annotations

import contextlib
from contextlib import ExitStack


class Noted:
    def __init__(self, log, v):
        self.log, self.v = log, v

    def __enter__(self):
        self.log.append(self.v)
        return self.v * 2

    def __exit__(self, kind, error, trace):
        self.log.append(-self.v * 3)
        return False


class Quiet(Noted):
    def __exit__(self, kind, error, trace):
        self.log.append(1.0 if error is None else 2.0)
        return kind is ValueError


def weighed(log):
    return sum(v * (i + 1) for i, v in enumerate(log))


def in_a_loop(x):
    log, t = [], 0.0
    with ExitStack() as stack:
        for k in range(3):
            t += stack.enter_context(Noted(log, x + k))
        t += sum(log)
    return t + weighed(log)


def in_a_comprehension(x):
    log = []

    @contextlib.contextmanager
    def scope(v):
        log.append(v)
        try:
            yield v * 2
        finally:
            log.append(-v * x)

    with ExitStack() as stack:
        vs = [stack.enter_context(scope(x + k)) for k in range(4) if k != 2]
        log.append(sum(vs))
    return weighed(log)


def listed_and_read_behind(x):
    log, vs = [], [0.0]
    with ExitStack() as stack:
        vs = [stack.enter_context(Noted(log, x + k)) for k in range(3)]
        log.append(sum(vs))
    return sum(vs) + weighed(log)


def in_branches(x):
    log, t = [], 0.0
    with ExitStack() as stack:
        if x > 5.0:
            stack.callback(log.append, 1.0)
        elif x > 1.0:
            t += stack.enter_context(Noted(log, x))
        else:
            stack.callback(log.append, x)
        t += stack.enter_context(Noted(log, 3 * x))
        log.append(t)
    return t + weighed(log)


def exception_that_a_manager_takes(x):
    log, t = [], 0.0
    with ExitStack() as stack:
        for k in range(3):
            t += stack.enter_context(Quiet(log, x + k))
            if k == 1:
                raise ValueError("no")
        t += 100.0
    return t + weighed(log)


def exception_that_passes(x):
    log, t, k = [], 0.0, -1
    try:
        with ExitStack() as stack:
            for k in range(4):
                stack.callback(log.append, x * k)
                t += stack.enter_context(Noted(log, x + k))
                if k == 2:
                    raise ValueError("no")
            t += 100.0
    except ValueError:
        t += 7.0 * x * k
    return t + weighed(log)


def returned_from_inside(x):
    log = []

    def f(n):
        with ExitStack() as stack:
            for k in range(n):
                v = stack.enter_context(Noted(log, x + k))
                if k == 1:
                    return v
            return 0.5 * x

    return f(1) + f(4) * 2 + weighed(log)


def jumps(x):
    log, t = [], 0.0
    for r in range(4):
        with ExitStack() as stack:
            for k in range(3):
                if k == r:
                    continue
                if k + r > 4:
                    break
                t += stack.enter_context(Noted(log, x * k))
            if r == 2:
                continue
            if r == 3:
                break
            t += 1.0 * r
        t += 10.0
    return t + weighed(log)


def in_a_while(x):
    log, t, k = [], 0.0, 0
    with ExitStack() as stack:
        while k < 3:
            stack.callback(log.append, x * k)
            k += 1
        for i in range(3):
            t += i * x
    return t * k + weighed(log)


def statements_between(x):
    log, t = [], 0.0
    with ExitStack() as stack:
        for k in range(3):
            t += stack.enter_context(Noted(log, x * k))
            for j in range(5):
                if j == 2:
                    break
                t += j * x
            try:
                if k == 1:
                    raise KeyError
                t += sum(v * x for v in [1.0, 2.0])
            except KeyError:
                t += x
            finally:
                t += 0.5
    return t + weighed(log)


def set_inside_only(x):
    log = []
    with ExitStack() as stack:
        for k in range(3):
            stack.callback(log.append, x * k)
        total = 5.0 * x
    return total + weighed(log)


def under_try(x):
    log = []
    with ExitStack() as stack:
        try:
            stack.callback(log.append, x)
        finally:
            log.append(1.0)
    return weighed(log)


RIGHT = [
    in_a_loop, in_a_comprehension, listed_and_read_behind, in_branches,
    exception_that_a_manager_takes,
    exception_that_passes, returned_from_inside, jumps, in_a_while, statements_between,
    set_inside_only, under_try,
]  # fmt: skip
