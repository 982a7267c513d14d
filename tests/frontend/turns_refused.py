"""Programs beside those of ``test_turns`` that are refused, each with what the message says."""

from __future__ import annotations

import pullback as pb


def pair_chosen_by_a_branch(xs):

    def make(a):
        n = a

        def add(v):
            nonlocal n
            n += v

        def get():
            return n
        return (add, get)

    def pick(c):
        if c:
            p = make(1.0)
        else:
            p = make(2.0)
        return p
    add, get = pick(xs[0] > 0.5)
    add(3.0 * xs[1])
    return get()


def counter_of_the_round_before(xs):

    def make(a):
        n = a

        def add(v):
            nonlocal n
            n += v
            return n
        return add
    p = make(0.5)
    t = 0.0
    for x in xs:
        c = make(x)
        t += p(x) + c(1.0)
        p = c
    return t


def list_of_counters(xs):

    def make(k):
        n = k

        def f(v):
            nonlocal n
            n += v
            return n
        return f
    cs = [make(x) for x in xs]
    t = 0.0
    for c in cs:
        t += c(1.0)
    return t + cs[0](1.0)


def closure_over_the_callers_list(xs):
    out = [0.5]

    def make(lst):

        def push(v):
            lst.append(v)
        return push
    push = make(out)
    for x in xs:
        push(x)
    return sum(out)


def list_and_its_closure(xs):

    def make():
        out = []

        def push(v):
            out.append(v)
        return (push, out)
    push, out = make()
    for x in xs:
        push(x)
    return sum(out)


def build_that_counts(xs):
    n = 0

    def k(i):
        nonlocal n
        n += 1
        return xs[i] * n
    return pb.build(3, k).sum() + n


def wrapped_before_it_is_set(xs):

    def counted(f):
        calls = 0

        def g(v):
            nonlocal calls
            calls += 1
            return f(v)
        return (g, lambda: calls)

    def fib(k):
        return xs[k] if k < 2 else f2(k - 1) + f2(k - 2)
    f2, count = counted(fib)
    return f2(5) * count()


def captures_the_last_item(xs):
    """The x that Python sees is the last one, also if it is left out."""
    return [lambda: x * y for x in xs if (y := x) > 0.0][-1]()


REFUSED = {
    captures_the_last_item: "holds a function that captured 'x'",
    build_that_counts: "write a loop",
}
RIGHT = [
    closure_over_the_callers_list, list_and_its_closure, wrapped_before_it_is_set,
    pair_chosen_by_a_branch, counter_of_the_round_before, list_of_counters,
]  # fmt: skip
