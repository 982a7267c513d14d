"""Programs in which what is changed has several names, escapes, or changes where nothing carries it
on: as in Python, or refused. (``tests/frontend/test_places.py`` runs them.)"""

import numpy as np

import pullback as pb


def one_variable_by_two_functions(x):
    n = 0.0

    def add(v):
        nonlocal n
        n += v

    def read():
        return n

    return both(add, read, x)


def both(f, g, x):
    f(x[0])
    a = g()
    f(x[1])
    return a * g()


def snapshots_in_a_list(x):
    n = x[0]
    reads = [lambda: n, lambda: n * 2.0]

    def bump(v):
        nonlocal n
        n += v

    a = reads[0]()
    bump(x[1])
    return a + reads[1]() * sum([r() for r in reads])


def read_by_what_is_captured(x):
    n = x[0]

    def read():
        return n

    def bump(v):
        nonlocal n
        n += v
        return read() * n

    return bump(x[1]) + bump(x[2]) * read()


def made_elsewhere(x):
    step = _counter(x[0])
    return step() + step() * step()


def _counter(d):
    n = 0.0

    def step():
        nonlocal n
        n += d
        return n

    return step


def two_made_elsewhere(x):
    add, read = _pair(x[0])
    add(x[1])
    return read() + x[2]


def _pair(d):
    n = d

    def add(v):
        nonlocal n
        n += v

    def read():
        return n

    return add, read


def chosen_at_run_time(x):
    n = 0.0

    def up(v):
        nonlocal n
        n += v

    def down(v):
        nonlocal n
        n -= v

    for v in x:
        f = up if v > 1.0 else down
        f(v)
    return n


def in_a_comprehension(x):
    n = 0.0

    def fresh():
        nonlocal n
        n += 1.0
        return n

    return sum([v * fresh() for v in x])


def in_a_map(x):
    n = 0.0

    def see(v):
        nonlocal n
        n += v
        return n

    return sum(map(see, x)) * n


def in_a_generator(x):
    n = 0.0

    def see(v):
        nonlocal n
        n += v
        return n

    return sum(see(v) for v in x) * n


def in_a_key(x):
    n = 0.0

    def see(v):
        nonlocal n
        n += 1.0
        return -v

    return sorted(x, key=see)[0] * n


def in_build(x):
    n = 0.0

    def see(i):
        nonlocal n
        n += 1.0
        return x[i]

    return np.sum(pb.build(3, see)) * n


def updated_and_bound_anew(x):
    out = [x[0]]
    same = out

    def change(v):
        nonlocal out
        out.append(v)
        out = [v]

    change(x[1])
    return sum(out) + sum(same)


def bound_anew_and_updated(x):
    out = [x[0]]
    same = out

    def change(v):
        nonlocal out
        out = [v]
        out.append(v * v)

    change(x[1])
    return sum(out) + sum(same)


def one_of_two(x):
    out = [x[0]]
    same = out

    def change(v):
        nonlocal out
        if v > 1.0:
            out = [v]
        out.append(v * v)

    change(x[1])
    change(x[2])
    return sum(out) + sum(same)


def growing_in_a_recursion(x):
    path = [x[0]]

    def walk(k):
        path.append(x[k] * path[-1])
        if k < 2:
            walk(k + 1)
        else:
            path.pop()

    walk(0)
    return sum(path)


def while_a_call_changes_it(x):
    k = 0

    def more():
        nonlocal k
        k += 1
        return k < 3

    s = 0.0
    while more():
        s += x[k]
    return s


def unset_before(x):
    def start(v):
        nonlocal n
        n = v * 2.0

    if x[0] > 100.0:
        n = 1.0
    start(x[0])
    return n


def first_int_then_float(x):
    n = 0

    def add(v):
        nonlocal n
        n += v

    add(x[0])
    add(x[1])
    add(1)
    return n


def flag(x):
    found = False

    def see(v):
        nonlocal found
        if v > 1.0:
            found = True

    for v in x:
        see(v)
    return x[0] if found else x[1]


def function_bound_anew(x):
    def once(v):
        return v

    step = once

    def change():
        nonlocal step
        step = lambda v: v * v

    a = step(x[0])
    change()
    return a + step(x[1])


def returned_from_a_loop(x):
    n = 0.0

    def find():
        nonlocal n
        for v in x:
            n += v
            if v > 1.0:
                return v
        return 0.0

    return find() * n


def mutual_recursion(x):
    n = 1.0

    def even(k):
        nonlocal n
        n *= x[k % 3]
        if k > 0:
            odd(k - 1)

    def odd(k):
        nonlocal n
        n += x[k % 3]
        if k > 0:
            even(k - 1)

    even(3)
    return n


def raised(x):
    n = 0

    def add(v):
        nonlocal n
        n += 1
        if n > 2:
            n = 10
            raise ValueError("too many")

    for v in x:
        add(v)
    return n


def list_and_its_captured_name(x):
    out = [x[0]]

    def push(xs, v):
        out.append(v)
        return len(xs)

    n = push(out, x[1])
    return n * sum(out)


def captured_rows(x):
    t = [[v] for v in x]

    def put(i, v):
        t[i].append(v)
        t[0][0] = v

    put(1, x[0])
    row = t[1]
    put(2, x[1])
    return sum(row) + sum(sum(r) for r in t)


def alias_of_an_array(x):
    a = np.zeros(2)
    b = a

    def put(v):
        a[0] = v

    put(x[0])
    return b[0] + a[0]


def view_of_an_array(x):
    a = np.zeros(3)
    tail = a[1:]

    def put(v):
        a[1] = v

    put(x[0])
    return tail[0] + a[1]


def array_bound_anew_beside_a_view(x):
    a = np.ones(3) * x[0]
    tail = a[1:]

    def put(v):
        nonlocal a
        a = a * v

    put(x[1])
    a[0] = x[2]
    return np.sum(tail) * np.sum(a)


def deep(x):
    n = 0.0

    def one():
        def two():
            def three():
                nonlocal n
                n += x[0]

            three()
            three()

        two()
        return two

    two = one()
    two()
    return n


def in_an_expression(x):
    n = x[0]

    def step():
        nonlocal n
        n *= 2.0
        return n

    return n + step() * n + (n if step() > 3.0 else step())


def default_is_read_once(x):
    n = x[0]

    def read(v=n):
        return v + n

    def bump():
        nonlocal n
        n += 1.0

    bump()
    return read()


def loop_that_makes_functions(x):
    s = 0.0
    for v in x:
        n = v

        def add(w):
            nonlocal n
            n += w

        add(s)
        add(1.0)
        s += n
    return s


PROGRAMS = [
    one_variable_by_two_functions, snapshots_in_a_list, read_by_what_is_captured, made_elsewhere,
    two_made_elsewhere, chosen_at_run_time,
    in_a_comprehension, in_a_map, in_a_generator, in_a_key, in_build,
    updated_and_bound_anew, bound_anew_and_updated, one_of_two, growing_in_a_recursion,
    while_a_call_changes_it, unset_before, first_int_then_float, flag, function_bound_anew,
    returned_from_a_loop, mutual_recursion, raised,
    list_and_its_captured_name, captured_rows, alias_of_an_array, view_of_an_array,
    array_bound_anew_beside_a_view, deep, in_an_expression, default_is_read_once,
    loop_that_makes_functions,
]  # fmt: skip
