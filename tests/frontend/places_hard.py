"""Programs that change a value which has several names, escapes, or changes where no branch or loop
carries the change on: they do as in Python, or are refused. (``tests/frontend/test_places.py`` runs
them.)"""

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


def chosen_then_taken_out(x):
    t = [[v, 1.0] for v in x]
    if x[0] > 1.0:
        row = t[0]
    else:
        row = t[2]
    t.pop()
    return row[0] * len(t)


def chosen_then_replaced(x):
    t = [[v, 1.0] for v in x]
    row = t[0] if x[0] > 1.0 else t[-1]
    t[2] = [5.0, 6.0]
    return row[0] * t[2][0]


def chosen_updated_and_replaced(x):
    t = [[v, 1.0] for v in x]
    if x[0] > 1.0:
        row = t[0]
    else:
        row = t[2]
    row[0] = x[1]
    t[2] = [5.0, 6.0]
    return row[0] * t[2][0]


def chosen_of_two_tables(x):
    t = [[v, 1.0] for v in x]
    u = [[v, 2.0] for v in x]
    row = t[0] if x[0] > 1.0 else u[1]
    row[0] = 5.0
    return t[0][0] + u[1][0]


def chosen_in_a_loop(x):
    t = [[] for _ in range(2)]
    for v in x:
        if v > 1.0:
            side = t[1]
        elif v > 0.8:
            side = t[0]
        else:
            continue
        side.append(v)
        if len(side) > 1:
            side[0] += v
    return sum(t[0]) + 2.0 * sum(t[1])


def chosen_row_in_a_helper(x):
    t = [[v, 1.0] for v in x]
    k = 0 if x[0] > 1.0 else -1
    row = t[k] if x[1] > 1.0 else t[1]
    _swap(row)
    t.append([1.0, 2.0])
    _swap(row)
    row[1] += x[2]
    return sum(r[0] * r[1] for r in t)


def _swap(row):
    row[0], row[1] = row[1], row[0]


def swapped_below_a_name(x):
    t = [[v, 1.0] for v in x]
    row = t[0]
    t[0], t[1] = t[1], t[0]
    return row[0] + t[0][0] * 2.0


def name_from_the_round_before(x):
    t = [[v, 1.0] for v in x]
    row = t[0]
    s = 0.0
    for k in range(3):
        s += row[0] * t[0][0]
        row = t[k]
    return s + row[0]


def table_bound_anew_under_a_name(x):
    t = [[v, 1.0] for v in x]
    row = t[0]
    s = 0.0
    for _ in range(3):
        s += row[0] + t[0][0]
        t = [[v * 2, 1.0] for v in x]
    return s


def replaced_on_one_path(x):
    t = [[v, 1.0] for v in x]
    row = t[1]
    if x[0] > 0.5:
        t[1] = [7.0, 8.0]
    return row[0] * row[1] + t[1][0]


def last_row_before_another(x):
    t = [[v, 1.0] for v in x]
    row = t[-1]
    t.append([3.0, 3.0])
    row[0] = 5.0
    return t[-1][0] + t[-2][0]


def list_that_grows_under_a_loop(x):
    t = [[v] for v in x]
    row = t[0]
    for v in row:
        if len(t[0]) < 4:
            t[0].append(v * 2)
    return sum(row)


def two_names_of_one_row(x):
    t = [[v, 1.0] for v in x]
    for a, b in zip(t, reversed(t)):
        b[0] += a[0]
    return sum(r[0] * k for k, r in enumerate(t))


def table_changed_beside_its_row(x):
    t = [[v, 1.0] for v in x]
    _replace(t, t[1])
    return sum(r[0] * r[1] for r in t)


def _replace(t, row):
    t[1] = [3.0, 4.0]
    row[0] = 9.0


def view_and_row_of_an_array(x):
    a = np.array([[v, 1.0] for v in x])
    r = a[0]
    a += 1.0
    r += a[1]
    return np.sum(a) + r[0]


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
    chosen_then_taken_out, chosen_then_replaced, chosen_updated_and_replaced, chosen_of_two_tables,
    chosen_in_a_loop, chosen_row_in_a_helper, swapped_below_a_name, name_from_the_round_before,
    table_bound_anew_under_a_name, replaced_on_one_path, last_row_before_another,
    list_that_grows_under_a_loop, two_names_of_one_row, table_changed_beside_its_row,
    view_and_row_of_an_array,
]  # fmt: skip
