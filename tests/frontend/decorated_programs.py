"""Functions that call themselves and are decorated where they are defined."""

from __future__ import annotations

import functools


def memo(f):
    cache = {}

    @functools.wraps(f)
    def kept(*args):
        if args not in cache:
            cache[args] = f(*args)
        return cache[args]

    return kept


def times(factor):
    def decorated(f):
        @functools.wraps(f)
        def scaled(*args, **kwargs):
            return factor * f(*args, **kwargs)

        return scaled

    return decorated


def logged(log):
    def decorated(f):
        def noted(*args):
            log.append(f(*args))
            return log[-1]

        return noted

    return decorated


def by_a_memo(x):
    @memo
    def fib(n):
        return x if n < 2 else fib(n - 1) + fib(n - 2) * 0.5

    return fib(20)


def of_two_arguments(x):
    @memo
    def cost(i, j):
        if i == 0 or j == 0:
            return x
        return min(cost(i - 1, j) + i, cost(i, j - 1) + x * j, cost(i - 1, j - 1) * x)

    return cost(4, 5)


def by_one_with_an_argument(x):
    @times(x)
    def down(n):
        return x if n == 0 else down(n - 1) + n

    return down(5)


def by_several(x):
    log = []

    @logged(log)
    @memo
    def fib(n):
        return x if n < 2 else fib(n - 1) + fib(n - 2) * 0.5

    return fib(7) + sum(log) * len(log)


def memo_of_the_log(x):
    log = []

    @memo
    @logged(log)
    def fib(n):
        return x if n < 2 else fib(n - 1) + fib(n - 2) * 0.5

    return fib(7) + sum(log) * len(log)


def each_other(x):
    @memo
    def even(n):
        return x if n == 0 else odd(n - 1) * 1.1

    @memo
    def odd(n):
        return 0.5 * x if n == 0 else even(n - 1) + x

    return even(6) + odd(5)


def each_other_by_two(x):
    @memo
    def even(n):
        return x if n == 0 else odd(n - 1) * 1.1

    @times(x)
    def odd(n):
        return 0.5 * x if n == 0 else even(n - 1) + x

    return even(6) + odd(5)


def in_a_loop(x):
    total = 0.0
    for k in range(3):

        @times(x)
        def f(n):
            return x + k if n < 2 else f(n - 1) + f(n - 2) * 0.5

        total += f(6)
    return total


def in_a_branch(x):
    if x > 1.0:

        @times(2.0)
        def f(n):
            return x if n < 2 else f(n - 1) + 1.0

    else:

        @times(3.0)
        def f(n):
            return x * 2 if n < 2 else f(n - 1) + 1.0

    return f(6)


def tried_again(x):
    tries = 0

    def retrying(most):
        def decorated(f):
            def trying(*args):
                for _ in range(most):
                    try:
                        return f(*args)
                    except ValueError:
                        pass
                raise RuntimeError("never")

            return trying

        return decorated

    @retrying(5)
    def walk(n):
        nonlocal tries
        tries += 1
        if tries < 4:
            raise ValueError
        return x * n if n == 0 else x + walk(n - 1)

    return walk(3) + tries


def depth_counted(x):
    depth = most = 0

    def tracked(f):
        def deeper(*args):
            nonlocal depth, most
            depth += 1
            most = max(most, depth)
            try:
                return f(*args)
            finally:
                depth -= 1

        return deeper

    @tracked
    def walk(n):
        return x if n == 0 else walk(n - 1) * x + n

    return walk(4) + most


def given_back(x):
    def make(y):
        @memo
        def f(n):
            return y if n < 2 else f(n - 1) + f(n - 2) * 0.5

        return f

    f, g = make(x), make(2 * x)
    return f(5) + g(6) + f(6)


def passed_on(x):
    @memo
    def f(n):
        return x if n < 2 else f(n - 1) + f(n - 2) * 0.5

    return sum(map(f, range(6))) + functools.reduce(lambda a, n: a + f(n), [1, 2, 3], 0.0)


def bound_by_hand(x):
    def plain(n):
        return x if n < 2 else fib(n - 1) + fib(n - 2) * 0.5

    fib = memo(plain)
    return fib(9)


def another_one_before(x):
    f = lambda n: 100.0 * x

    @times(2.0)
    def f(n):  # noqa: F811  # another function had the name
        return x if n == 0 else f(n - 1)

    return f(3)


def bound_anew_later(x):
    @times(2.0)
    def f(n):
        return x * n if n < 2 else f(n - 1) * x

    g = f
    first = f(3)
    f = lambda n: n * 7.0
    return first + g(3)


def called_by_the_decorator(x):
    f = lambda n: 100.0 * x

    def at_once(g):
        first = g(1)
        return lambda n: first + g(n)

    @at_once
    def f(n):  # noqa: F811  # another function had the name
        return x if n == 0 else f(n - 1)

    return f(0)


def raised_at_the_bottom(x):
    @times(2.0)
    def f(n):
        if n == 0 and x > 1.0:
            raise ValueError("bottom")
        return x if n == 0 else f(n - 1) * x

    return f(3)


RIGHT = [
    by_a_memo, of_two_arguments, by_one_with_an_argument, by_several, memo_of_the_log, each_other,
    each_other_by_two, in_a_loop, in_a_branch, tried_again, depth_counted, given_back, passed_on,
    bound_by_hand, another_one_before, bound_anew_later, called_by_the_decorator,
]  # fmt: skip


# --- what functions that a call gave have captured --------------------------------------------


def wrapped(f):
    return lambda *args: f(*args)


def number_changed(x):
    c = 2.0
    g = wrapped(lambda n: c * n * x)
    first = g(1.0)
    c = 5.0 * x
    return first + g(1.0)


def changed_in_a_branch(x):
    c = 2.0
    g = wrapped(lambda n: c * n * x)
    if x > 1.0:
        c = x
    else:
        c = 3.0
    return g(1.0)


def changed_in_a_loop(x):
    c, total = x, 0.0
    g = wrapped(lambda n: c * n)
    for k in range(3):
        c = c * x
        total += g(1.0 + k)
    return total + c


def made_in_a_loop(x):
    c, total = x, 0.0
    for k in range(3):
        g = wrapped(lambda n: c * n)
        c = c * x
        total += g(1.0 + k)
    return total + g(1.0)


def two_in_a_tuple(x):
    c = x
    fs = wrapped(lambda n: c * n), wrapped(lambda n: c + n)
    c = c * 2.0
    return sum(f(1.0) for f in fs)


def list_changed(x):
    xs = [x]
    g = wrapped(lambda n: sum(xs) * n)
    first = g(1.0)
    xs.append(2 * x)
    xs = [v * 3 for v in xs]
    return first + g(1.0)


def out_of_a_function(x):
    def make(c):
        g, h = wrapped(lambda n: c * n), wrapped(lambda n: c + n)
        c = c + 1.0
        return g, h

    g, h = make(x)
    return g(2.0) * h(3.0)


def in_a_recursion(x):
    def walk(n, total):
        g = wrapped(lambda v: v * total)
        if n == 0:
            return g(1.0)
        total = total + n
        return walk(n - 1, total) + g(x)

    return walk(3, x)


def under_try(x):
    c = x
    g = wrapped(lambda n: c * n)
    try:
        c = 2.0 * x
        if g(1.0) > 1.0:
            raise ValueError
        c = 5.0
    except ValueError:
        c = c + g(2.0)
    return g(3.0)


def changed_by_another(x):
    c = x
    h = wrapped(lambda n: c * n)

    def step(k):
        nonlocal c
        c = c + 1.0
        return h(k + 1.0)

    return step(0.0) + step(1.0)


def changed_by_a_generator(x):
    c = x
    g = wrapped(lambda n: c * n)

    def items():
        nonlocal c
        for k in range(3):
            c = c + 1.0
            yield g(k + 1.0)

    return sum(items()) + g(1.0)


def handed_to_what_changes_it(x):
    c = x
    g = wrapped(lambda n: c * n)

    def use(f):
        nonlocal c
        c = c * 3.0
        return f(1.0)

    return use(g) + g(2.0)


def in_its_own_place(x):
    f = [lambda n: 100.0 * x]

    def inner(n):
        return x if n == 0 else f[0](n - 1)

    f = [wrapped(inner)]
    return f[0](3)


def set_by_a_call_before(x):
    """The variable has no value when the function is called first."""
    total = 0.0

    def walk(k):
        nonlocal j, total
        if k < 4:
            for j in range(k % 2):
                total += j + 1.0
            if k > 0:
                total += (j + x) * 100.0
            walk(k + 1)

    walk(0)
    j = x
    return total + j


def kept_from_the_call_before(x):
    total = 0.0

    def walk(k):
        nonlocal last, total
        if k < 4:
            if k > 1:
                total += last * 10
            last = x * k
            walk(k + 1)

    walk(0)
    total += last  # noqa: F821  # the calls have set it
    last = x
    return total + last


LATE = [
    number_changed, changed_in_a_branch, changed_in_a_loop, made_in_a_loop, two_in_a_tuple,
    list_changed, out_of_a_function, in_a_recursion, under_try, changed_by_another,
    changed_by_a_generator, handed_to_what_changes_it, in_its_own_place,
    set_by_a_call_before, kept_from_the_call_before,
]  # fmt: skip


def one_of_two(x):
    f = lambda n: 100.0 * x

    def inner(n):
        return x if n == 0 else f(n - 1)

    f = wrapped(inner) if x > 1.0 else (lambda n: inner(n) * 3.0)
    return f(3)


def object_of_the_function(x):
    class Memo:
        def __init__(self, f):
            self.f = f
            self.cache = {}

        def __call__(self, *args):
            if args not in self.cache:
                self.cache[args] = self.f(*args)
            return self.cache[args]

    @Memo
    def fib(n):
        return x if n < 2 else fib(n - 1) + fib(n - 2) * 0.5

    return fib(10)


REFUSED = [
    (one_of_two, "holds a function that captured 'f', which is assigned here"),
    (object_of_the_function, "'__call__' updates 'self'"),
]
