"""Functions that a call gives, with variables of their own."""

from __future__ import annotations

import math


def two_counters(xs):

    def make():
        n = 0

        def step():
            nonlocal n
            n += 1
            return n
        return step
    a = make()
    b = make()
    t = a() * xs[0] + a() * xs[1] + b() * xs[2]
    return t + a() + b() * 10


def counters_in_a_loop(xs):

    def make(start):
        n = start

        def step(v):
            nonlocal n
            n = n * 0.5 + v
            return n
        return step
    a = make(0.0)
    b = make(xs[0])
    t = 0.0
    for x in xs:
        t += a(x) * b(1.0)
        if x > 0.8:
            t += b(x)
    return t + a(0.0) + b(0.0)


def two_functions_of_one_variable(xs):

    def make():
        n = 0.0

        def add(v):
            nonlocal n
            n += v

        def get():
            return n
        return (add, get)
    add, get = make()
    for x in xs:
        add(x * get() + 1.0)
    return get()


def counters_of_a_known_list(xs):

    def make(a):
        n = a

        def add(v):
            nonlocal n
            n += v
            return n
        return add
    a, b = [make(x) for x in (1.0, 2.0)]
    return a(xs[0]) * b(xs[1]) + a(xs[2])


def new_counter_in_each_round(xs):

    def make(a):
        n = a

        def add(v):
            nonlocal n
            n += v
            return n
        return add
    t = 0.0
    for x in xs:
        c = make(x)
        for y in xs:
            t += c(y)
    return t


def counter_by_another_name(xs):

    def make(a):
        n = a

        def add(v):
            nonlocal n
            n += v
            return n
        return add
    a = make(1.0)
    b = a
    return a(xs[0]) * b(xs[1])


def counter_in_a_list(xs):

    def make(a):
        n = a

        def add(v):
            nonlocal n
            n += v
            return n
        return add
    a = make(1.0)
    fs = [a, make(2.0)]
    a(xs[0])
    return fs[0](xs[1])


def counter_given_to_a_function(xs):

    def make(a):
        n = a

        def add(v):
            nonlocal n
            n += v
            return n
        return add

    def use(f, k):
        t = 0.0
        for x in xs:
            t += f(x * k)
        return t
    a = make(1.0)
    return use(a, 1.0) + use(a, 2.0) + a(0.0)


def counter_in_a_branch(xs):

    def make(a):
        n = a

        def add(v):
            nonlocal n
            n += v
            return n
        return add
    a = make(1.0)
    if xs[0] > 0.5:
        a(3.0 * xs[1])
    return a(0.0)


def counter_around_a_counter(xs):

    def make(a):
        n = a

        def add(v):
            nonlocal n
            n += v
            return n
        return add

    def make2():
        f = make(1.0)
        m = 0.0

        def g(v):
            nonlocal m
            m += 1.0
            return f(v) * m
        return g
    g = make2()
    h = make2()
    return g(xs[0]) + g(xs[1]) * h(xs[2])


def accumulator_of_a_list(xs):

    def make():
        out = []

        def push(v):
            out.append(v)

        def total():
            return sum(out)
        return (push, total)
    push, total = make()
    for x in xs:
        push(x * 2.0)
    return total()


def accumulator_that_sums(xs):

    def make():
        out = []

        def push(v):
            out.append(v)
            return sum(out)
        return push
    push = make()
    t = 0.0
    for x in xs:
        t += push(x * 2.0)
    return t


def memo_of_a_function_that_counts(xs):

    def make(f):
        table = [0.0] * 5
        known = [False] * 5

        def g(k):
            if not known[k]:
                table[k] = f(k)
                known[k] = True
            return table[k]
        return g
    n = 0

    def slow(k):
        nonlocal n
        n += 1
        return xs[k] * 2.0
    g = make(slow)
    return g(0) + g(1) + g(0) + n


def random_numbers(xs):

    def lcg(seed):
        state = seed

        def rand():
            nonlocal state
            state = (state * 1103515245 + 12345) % 2147483648
            return state / 2147483648
        return rand
    r = lcg(42)
    t = 0.0
    for x in xs:
        t += x * r()
    return t


def counted_calls(xs):

    def counted(f):
        calls = 0

        def g(v):
            nonlocal calls
            calls += 1
            return f(v)

        def count():
            return calls
        return (g, count)
    g, count = counted(math.sin)
    s = sum(g(x) for x in xs)
    return s * count()


def wraps_a_function_of_the_caller(xs):
    n = 0.0

    def bump(v):
        nonlocal n
        n += v
        return n

    def twice(f):

        def g(v):
            return f(v) + f(v)
        return g
    h = twice(bump)
    t = h(xs[0])
    n += xs[1]
    return t + h(xs[2]) + n


def made_functions_of_one_outer_variable(xs):
    n = 0.0

    def make():

        def step(v):
            nonlocal n
            n += v
            return n
        return step
    a = make()
    b = make()
    t = a(xs[0]) + b(xs[1])
    n *= 2.0
    return t + a(xs[2]) * n


def composed_counters(xs):

    def make(k):
        n = k

        def f(v):
            nonlocal n
            n += 1.0
            return v * n
        return f

    def comp(f, g):
        return lambda v: f(g(v))
    a = make(0.0)
    b = make(1.0)
    c = comp(a, b)
    t = c(xs[0]) + a(xs[1])
    return t + c(xs[2]) + b(1.0)


def counter_through_identity(xs):

    def make(k):
        n = k

        def f(v):
            nonlocal n
            n += 1.0
            return v * n
        return f

    def ident(f):
        return f
    a = make(0.0)
    b = ident(a)
    return a(xs[0]) * b(xs[1]) + ident(b)(xs[2])


def made_in_a_recursion(xs):

    def make(k):
        if k == 0:
            n = 0.0

            def f(v):
                nonlocal n
                n += 1.0
                return v * n
            return f
        return make(k - 1)
    a = make(2)
    return a(xs[0]) + a(xs[1])


def counter_given_twice(xs):

    def make(k):
        n = k

        def f(v):
            nonlocal n
            n += v
            return n
        return f

    def run2(f, g):
        return f(1.0) * g(2.0)
    a = make(xs[0])
    return run2(a, a) + run2(a, make(xs[1]))


def stack_of_closures(xs):

    def new_stack():
        items = []

        def push(v):
            items.append(v)

        def pop():
            return items.pop()

        def size():
            return len(items)
        return (push, pop, size)
    push, pop, size = new_stack()
    for x in xs:
        push(x)
        push(x * x)
        if size() > 3:
            push(pop() + pop())
    t = 0.0
    while size() > 0:
        t = t * 0.5 + pop()
    return t


def two_stacks_of_closures(xs):

    def new_stack():
        items = []

        def push(v):
            items.append(v)

        def pop():
            return items.pop()
        return (push, pop)
    p1, o1 = new_stack()
    p2, o2 = new_stack()
    for x in xs:
        p1(x)
    for _ in xs:
        p2(o1() * 2.0)
    return o2() * 3.0 + o2()


def one_variable_by_two(xs):
    n = 0.0

    def a(v):
        nonlocal n
        n += v

    def b(v):
        nonlocal n
        n = n * v

    def use(f, g):
        for x in xs:
            f(x)
            g(x)
    use(a, b)
    return n


def generator_factory(xs):

    def make():
        n = 0

        def g():
            nonlocal n
            for x in xs:
                n += 1
                yield (x * n)
        return g
    g = make()
    return sum(g()) + sum(g())


PROGRAMS = [
    two_counters, counters_in_a_loop, two_functions_of_one_variable, counters_of_a_known_list,
    new_counter_in_each_round, counter_by_another_name, counter_in_a_list,
    counter_given_to_a_function, counter_in_a_branch, counter_around_a_counter,
    accumulator_of_a_list, accumulator_that_sums, memo_of_a_function_that_counts,
    random_numbers, counted_calls, wraps_a_function_of_the_caller,
    made_functions_of_one_outer_variable, composed_counters, counter_through_identity,
    made_in_a_recursion, counter_given_twice, stack_of_closures, two_stacks_of_closures,
    one_variable_by_two, generator_factory,
]  # fmt: skip
