"""Functions that a call gives, with variables of their own; and (``REFUSED``) what is refused beside
them, each with what the message says."""

from __future__ import annotations

import math

import numpy as np

import pullback as pb


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


def counter_chosen_at_run_time(xs):

    def make(k):
        n = k

        def f(v):
            nonlocal n
            n += 1.0
            return v * n
        return f
    a = make(0.0)
    b = make(1.0)
    f = a if xs[0] > 0.5 else b
    return f(xs[1]) + a(xs[0])


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


def best_row_updated(xs):
    rows = [[x, x * 2] for x in xs]
    best = rows[0]
    for r in rows:
        if r[1] > best[1]:
            best = r
    best[0] += 5.0
    return sum(r[0] * r[1] for r in rows)


def row_given_back(xs):
    rows = [[x, x * 2] for x in xs]

    def pick(k):
        return rows[k]
    r = pick(1)
    r[0] += 2.0
    return sum(r[0] * r[1] for r in rows)


def row_given_back_at_once(xs):

    def pick(rows, k):
        return rows[k]
    rows = [[x, x * 2] for x in xs]
    pick(rows, 1)[0] += 2.0
    return sum(r[0] * r[1] for r in rows)


def next_of_a_named_generator(xs):

    def g():
        for x in xs:
            yield (x * x)
    it = g()
    a = next(it)
    b = next(it)
    return a * b


def next_of_an_iterator(xs):
    it = iter(xs)
    a = next(it)
    b = next(it)
    return a * b + sum(it)


def two_generators_side_by_side(xs):
    n = 0

    def g():
        nonlocal n
        for x in xs:
            n += 1
            yield (x * n)
    return sum((a * b for a, b in zip(g(), g())))


def alias_that_a_loop_may_rebind(xs):
    a = np.zeros(3)
    b = a
    a[0] = xs[0]
    for i in range(2):
        if i > 5:
            b = np.ones(3)
    return b.sum()


def dict_comprehension_that_counts(xs):
    n = 0

    def k(v):
        nonlocal n
        n += 1
        return v * n
    d = {s: k(xs[0]) for s in ('a', 'b')}
    return d['a'] + d['b'] * n


def build_that_counts(xs):
    n = 0

    def k(i):
        nonlocal n
        n += 1
        return xs[i] * n
    return pb.build(3, k).sum() + n


def bound_method_in_a_map(xs):
    out = []
    list(map(out.append, xs))
    return sum(out)


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

REFUSED = {
    pair_chosen_by_a_branch: "chosen at run time",
    counter_of_the_round_before: "chosen at run time",
    counter_chosen_at_run_time: "chosen at run time",
    list_of_counters: "chosen at run time",
    closure_over_the_callers_list: "may share memory",
    list_and_its_closure: "may share memory",
    best_row_updated: "an item of a list",
    row_given_back: "an item of a list",
    row_given_back_at_once: "a name of its own",
    next_of_a_named_generator: "made there",
    next_of_an_iterator: "an index that moves on",
    two_generators_side_by_side: "side by side",
    alias_that_a_loop_may_rebind: "has been updated since",
    dict_comprehension_that_counts: "write a loop",
    build_that_counts: "write a loop",
    bound_method_in_a_map: "append",
    wrapped_before_it_is_set: "has no value yet",
}
