"""Small programs that rebind what they capture, or update parts of structures, in all spellings.

Each is a function of a list of floats that gives a number, or a tuple of numbers.
"""

import heapq
from dataclasses import dataclass
from heapq import heappop as take
from heapq import heappush as put

import numpy as np

# --- variables that inner functions rebind --------------------------------------------------------


def counter(x):
    n = 0

    def step():
        nonlocal n
        n += 1
        return n * x[0]

    return step() + step() + step() * n


def accumulator(x):
    total = 0.0

    def add(v):
        nonlocal total
        total += v * v

    for v in x:
        add(v)
    return total


def given_what_it_rebinds(x):
    n = x[0]

    def add(v, w):
        nonlocal n
        n += v * w

    add(n, n)
    add(x[1], n)
    return n


def accumulator_in_branches(x):
    low, high = 0.0, 1.0

    def visit(v):
        nonlocal low, high
        if v < 0.5:
            low += v
        elif v < 1.0:
            high *= v
        else:
            low, high = high, low

    for v in x:
        visit(v)
    return low, high


def recursion_that_rebinds(x):
    best = 0.0
    calls = 0

    def visit(k, s):
        nonlocal best, calls
        calls += 1
        if k == len(x):
            if s > best:
                best = s
            return
        visit(k + 1, s + x[k])
        visit(k + 1, s * x[k])

    visit(0, 1.0)
    return best * calls


def rebound_and_read_later(x):
    scale = 1.0

    def set_scale(v):
        nonlocal scale
        scale = v

    def scaled(v):
        return v * scale

    a = scaled(x[0])
    set_scale(x[1])
    b = scaled(x[0])
    return a + b * b


def two_levels(x):
    total = x[0]

    def outer(v):
        count = 0

        def inner(w):
            nonlocal total, count
            total += w
            count += 1

        inner(v)
        inner(v * v)
        return count

    n = outer(x[1]) + outer(x[2])
    return total * n


def list_rebound(x):
    done = []

    def flush(v):
        nonlocal done
        old, done = done, [v]
        return sum(old)

    s = 0.0
    for v in x:
        s += flush(v) * v
    return s + len(done)


def array_rebound(x):
    state = np.zeros(2)

    def step(v):
        nonlocal state
        state = state * v + np.array([v, 1.0])

    for v in x:
        step(v)
    return state[0] * state[1]


def none_first(x):
    best = None

    def see(v):
        nonlocal best
        if best is None or v > best:
            best = v

    for v in x:
        see(v)
    return 0.0 if best is None else best * 2.0


def in_while_with_break(x):
    k, s = 0, 0.0

    def advance():
        nonlocal k
        k += 1
        return x[k - 1]

    while True:
        v = advance()
        s += v * k
        if k == len(x):
            break
    return s


def function_of_a_name(x):
    n = 0.0

    def add(v):
        nonlocal n
        n += v

    each = add
    for v in x:
        each(v)
    return n * n


def passed_on(x):
    n = 1.0

    def times(v):
        nonlocal n
        n *= v

    each(times, x)
    return n


def each(f, xs):
    for v in xs:
        f(v)


def lambda_that_reads(x):
    n = x[0]

    def double():
        nonlocal n
        n = n * 2.0

    read = lambda: n + 1.0
    a = read()
    double()
    return a * read()


def random_numbers(x):
    seed = 12345

    def draw():
        nonlocal seed
        seed = (seed * 1103515245 + 12345) % 2147483648
        return seed / 2147483648.0

    s = 0.0
    for v in x:
        s += v * draw()
    return s + draw() * x[0]


def tokens(x):
    pos = 0

    def term():
        nonlocal pos
        v = x[pos]
        pos += 1
        return v

    def expression():
        s = term()
        while pos < len(x):
            s = s * 0.5 + term()
        return s

    return expression() * pos


# --- what inner functions update ------------------------------------------------------------------


def push(x):
    out = []

    def emit(v):
        out.append(v)

    for v in x:
        emit(v * v)
    return sum(out)


def heap_by_another_name(x):
    heap = []

    def add(v):
        put(heap, v)

    def least():
        return take(heap)

    for v in x:
        add(v)
    return least() + 2.0 * least()


def heap_by_module(x):
    heap = []

    def add(v):
        heapq.heappush(heap, v)

    for v in x:
        add(v)
    return heapq.heappop(heap)


def push_by_another_name(x):
    out = []

    def emit(v):
        out.append(v)

    say = emit
    for v in x:
        say(v)
    return out[0] * sum(out)


def push_passed_on(x):
    out = [0.5]

    def emit(v):
        out.append(v * out[-1])

    each(emit, x)
    return sum(out)


def array_captured(x):
    a = np.zeros(3)

    def bump(k, v):
        a[k] += v

    for k in range(3):
        bump(k, x[k])
        bump(0, x[k])
    return np.sum(a * a)


def array_captured_whole(x):
    a = np.ones(3)

    def bump(v):
        nonlocal a
        a *= v

    for v in x:
        bump(v)
    return np.sum(a)


def through_a_helper(x):
    memo = [0.0] * 4

    def fill(k):
        if memo[k] == 0.0:
            memo[k] = x[0] if k == 0 else fill(k - 1) * x[k % 3]
        return memo[k]

    return fill(3) + sum(memo)


def dict_captured(x):
    d = {"a": 0.0, "b": 1.0}

    def add(v):
        d["a"] += v
        d["b"] *= v

    for v in x:
        add(v)
    return d["a"] * d["b"]


# --- helpers that update what they are given ------------------------------------------------------


def _bump(a, d):
    a += d


def _bump_items(a, d):
    a[:] += d


def whole_array_in_a_helper(x):
    a = np.zeros(3)
    _bump(a, x[0])
    _bump_items(a, x[1])
    return np.sum(a * np.arange(3.0))


def _extend(xs, more):
    xs += more


def whole_list_in_a_helper(x):
    xs = [1.0]
    _extend(xs, [x[0], x[1]])
    return xs[1] * xs[2]


def _scale(row, s):
    for j in range(len(row)):
        row[j] *= s


def row_in_a_helper(x):
    t = [[v, 1.0] for v in x]
    _scale(t[1], x[0])
    row = t[2]
    _scale(row, 2.0)
    for row in t:
        _scale(row, 3.0)
    return sum(sum(row) for row in t)


def row_of_array_in_a_helper(x):
    a = np.ones((3, 2))
    for i in range(3):
        _scale(a[i], x[i])
    _bump(a[0], x[1])
    return np.sum(a * a)


def force_on_bodies(x):
    """``F += d`` of a row, in a helper."""
    force = np.zeros((3, 2))
    for i in range(3):
        for j in range(i):
            d = np.array([x[i] - x[j], x[i] * x[j]])
            _bump(force[i], d)
            _bump(force[j], -d)
    return np.sum(force * np.arange(6.0).reshape(3, 2))


@dataclass(frozen=True)
class Body:
    place: np.ndarray
    trail: list


def _move(body, d):
    body.place[0] += d
    body.trail.append(d)


def field_in_a_helper(x):
    bodies = [Body(np.array([v, 1.0]), [v]) for v in x]
    for b in bodies:
        _move(b, x[0])
    _move(bodies[1], x[2])
    return sum(b.place[0] * sum(b.trail) for b in bodies)


# --- names for parts ------------------------------------------------------------------------------


def row_by_name(x):
    t = [[v, 1.0] for v in x]
    row = t[1]
    row[0] = x[0] * x[2]
    row.append(5.0)
    return sum(sum(r) * len(r) for r in t)


def row_of_a_row(x):
    t = [[[v, 1.0], [2.0, v]] for v in x]
    page = t[1]
    row = page[0]
    row[1] *= x[2]
    page[1][0] = row[0]
    t[1][0][0] = x[0]
    return row[0] + page[0][0] + t[1][1][0] * t[1][0][1]


def rows_of_rows_in_loops(x):
    t = [[[v, 1.0], [2.0, v]] for v in x]
    for page in t:
        for row in page:
            row[0] += row[1]
    return sum(r[0] * r[1] for p in t for r in p)


def row_and_table(x):
    t = [[v, 1.0] for v in x]
    row = t[0]
    t[0][1] = x[1]
    a = row[1]
    row[1] = x[2]
    return a * t[0][1]


def row_after_append(x):
    t = [[v, 1.0] for v in x]
    row = t[0]
    t.append([x[1], 2.0])
    row[1] = x[2]
    return sum(r[0] * r[1] for r in t)


def row_after_it_left(x):
    t = [[v, 1.0] for v in x]
    row = t[0]
    t[0] = [x[1], 2.0]
    return row[0] * t[0][0]


def chosen_row(x):
    t = [[v, 1.0] for v in x]
    row = t[0] if x[0] > x[1] else t[1]
    row[1] = x[2]
    return sum(r[0] * r[1] for r in t)


def chosen_row_by_statements(x):
    t = [[v, 1.0] for v in x]
    if x[0] > x[1]:
        row = t[0]
    else:
        row = t[1]
    row[1] += x[2]
    return sum(r[0] * r[1] for r in t)


def row_of_a_name_of_a_row(x):
    t = [[v, 1.0] for v in x]
    row = t[0]
    again = row
    again[0] = x[1]
    row[1] = x[2]
    return t[0][0] * t[0][1] + again[1]


def field_by_name(x):
    bodies = [Body(np.array([v, 1.0]), [v]) for v in x]
    b = bodies[0]
    b.place[1] = x[1]
    place = b.place
    place[0] *= 2.0
    b.trail.append(x[2])
    return bodies[0].place[0] * bodies[0].place[1] + sum(b.trail)


def row_captured(x):
    t = [[v, 1.0] for v in x]
    row = t[1]

    def bump(v):
        row[0] += v

    bump(x[0])
    bump(x[2])
    return t[1][0] * row[0]


def items_by_enumerate(x):
    t = [[v, 1.0] for v in x]
    for i, row in enumerate(t):
        row[1] += i * x[0]
    for row, v in zip(reversed(t), x):
        row[0] *= v
    return sum(r[0] * r[1] for r in t)


def buckets(x):
    t = [[] for _ in range(2)]
    for v in x:
        bucket = t[0] if v < 1.0 else t[1]
        bucket.append(v)
    return sum(t[0]) * 2.0 + sum(t[1])


def loop_over_what_it_updates(x):
    a, xs = np.ones(3), list(x)
    for v in a:
        a[2] = a[2] + v * x[0]
    for v in xs:
        xs[2] = xs[2] * v
    return np.sum(a) * sum(xs)


def matched_row(x):
    t = [[v, 1.0] for v in x]
    match t:
        case [first, *_]:
            first[0] = 5.0 * x[1]
    if (row := t[1])[0] > 1.0:
        row[1] = x[2]
    return sum(r[0] * r[1] for r in t)


def row_with_break(x):
    t = [[x[0], 1.0], [x[1], 2.0]]
    for row in t:
        row[1] *= x[2]
        if row[0] > 1.0:
            break
    return sum(r[0] * r[1] for r in t)


def rows_by_recursion(x):
    t = [[v] for v in x]
    _double(t, 0)
    _down(t[1], 3)
    return sum(sum(r) for r in t)


def _double(t, k):
    if k < len(t):
        _scale(t[k], 2.0)
        _double(t, k + 1)


def _down(row, k):
    if k > 0:
        row.append(row[-1] * 2.0)
        _down(row, k - 1)


def pages_in_helpers(x):
    t = [[[v, w] for w in x] for v in x]
    for page in t:
        _page(page)
    return sum(r[0] * len(r) for p in t for r in p)


def _page(page):
    for row in page:
        _down(row, 1)
    _scale(page[0], 3.0)


def row_and_table_in_a_helper(x):
    t = [[v, 1.0] for v in x]
    _both(t, t[1])
    return sum(r[0] * r[1] for r in t)


def _both(t, row):
    row[0] = 4.0
    t[1][1] += row[0]


def dict_in_a_dict(x):
    d = {"a": [x[0]], "b": {"c": [x[1]]}}
    b = d["b"]
    c = b["c"]
    c.append(2.0)
    b["c"][0] = x[2]
    _down(d["a"], 2)
    return sum(c) + sum(d["a"]) + d["b"]["c"][0]


def unpacked_rows(x):
    t = [[x[0], 1.0], [x[1], 2.0]]
    a, b = t
    a[0] += x[2]
    b[1] *= a[0]
    c = d = t[1]
    c[0] = 5.0 * x[0]
    return t[0][0] + t[1][1] * d[0]


def best_row(x):
    t = [[v, 1.0] for v in x]
    best = t[0]
    for row in t:
        if row[0] > best[0]:
            best = row
    best[1] = 7.0
    return sum(r[0] * r[1] for r in t)


# --- what the arguments keep ----------------------------------------------------------------------


def argument_updated(x):
    x[0] = 5.0
    return x[0]


def argument_updated_by_a_helper(x):
    _scale(x, 2.0)
    return x[0]


def argument_updated_inside(x):
    def bump():
        x[0] = 5.0

    bump()
    return x[0]


PROGRAMS = [
    counter, accumulator, given_what_it_rebinds, accumulator_in_branches, recursion_that_rebinds,
    rebound_and_read_later,
    two_levels, list_rebound, array_rebound, none_first, in_while_with_break,
    function_of_a_name, passed_on, lambda_that_reads, random_numbers, tokens, push,
    heap_by_another_name, heap_by_module, push_by_another_name, push_passed_on, array_captured,
    array_captured_whole, through_a_helper, dict_captured, whole_array_in_a_helper,
    whole_list_in_a_helper, row_in_a_helper, row_of_array_in_a_helper, force_on_bodies,
    field_in_a_helper, row_by_name, row_of_a_row, rows_of_rows_in_loops, row_and_table,
    row_after_append, row_after_it_left, chosen_row, chosen_row_by_statements,
    row_of_a_name_of_a_row, field_by_name, row_captured, items_by_enumerate, buckets, best_row,
    loop_over_what_it_updates, matched_row, row_with_break, rows_by_recursion, pages_in_helpers,
    row_and_table_in_a_helper, dict_in_a_dict, unpacked_rows,
]  # fmt: skip
SEEN_OUTSIDE = [argument_updated, argument_updated_by_a_helper, argument_updated_inside]
