"""Updates through views of arrays: as in NumPy, or refused. (``tests/frontend/test_views.py`` runs
them.)"""

import numpy as np


def whole_slice(x):
    m = np.array(x) * 2.0
    v = m[1:]
    v[:] = np.array(x)[:2]
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def element(x):
    m = np.array(x) * 2.0
    v = m[1:]
    v[0] = x[0] * x[1]
    return (m * np.array([1.0, 2.0, 3.0])).sum() * v[0]


def steps(x):
    m = np.array(x) * 2.0
    v = m[0:3:2]
    v += x[1]
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def column(x):
    m = np.outer(np.array(x), np.array(x))
    v = m[:, 1]
    v += x[1]
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def transpose(x):
    m = np.outer(np.array(x), np.array([1.0, 2.0, 3.0]))
    v = m.T
    v[0] += x[1]
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def reshaped_matrix(x):
    m = np.outer(np.array(x), np.array([1.0, 2.0, 3.0]))
    m.reshape(-1)[4] = x[0] * 5
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def raveled_matrix(x):
    m = np.outer(np.array(x), np.array([1.0, 2.0, 3.0]))
    v = m.ravel()
    v[4] = x[0] * 5
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def slice_of_a_slice(x):
    m = np.concatenate([np.array(x), np.array(x)])
    v = m[1:]
    w = v[1:3]
    w += x[0]
    w[0] *= x[1]
    return (m * np.arange(6.0)).sum()


def rows_of_a_slice(x):
    m = np.outer(np.array(x), np.array([1.0, 2.0, 3.0]))
    for row in m[1:]:
        row += x[0]
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def elements_of_rows_of_a_slice(x):
    m = np.outer(np.array(x), np.array([1.0, 2.0, 3.0]))
    for row in m[1:]:
        row[0] = x[0]
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def read_after(x):
    m = np.array(x) * 2.0
    v = m[0:2]
    m[0] = x[2]
    return v[0] * m[0]


def overlapping(x):
    m = np.array(x) * 2.0
    v = m[0:2]
    w = m[1:3]
    v += 1.0
    w *= 2.0
    v[1] += x[0]
    return (m * np.array([1.0, 2.0, 3.0])).sum() + v.sum() * w[0]


def slice_then_row(x):
    m = np.outer(np.array(x), np.array([1.0, 2.0, 3.0]))
    m[1:][0] += x[0]
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def chained(x):
    m = np.outer(np.array(x), np.array([1.0, 2.0, 3.0]))
    m[1:, :2][0, 1] += x[0]
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def element_of_the_transpose(x):
    m = np.outer(np.array(x), np.array([1.0, 2.0, 3.0]))
    m.T[0, 1] += x[0]
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def block(x):
    m = np.outer(np.array(x), np.array([1.0, 2.0, 3.0]))
    v = m[1:, 1:]
    v -= np.array([x[0], x[1]])
    return (m * np.array([1.0, 2.0, 3.0])).sum() * v[0, 0]


def backwards(x):
    m = np.array(x) * 2.0
    v = m[::-1]
    v[0] = x[0]
    v += 1.0
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def from_the_end(x):
    m = np.array(x) * 2.0
    v = m[-2:]
    v += x[0]
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def all_of_it(x):
    m = np.array(x) * 2.0
    v = m[:]
    v += x[0]
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def helper(x):
    m = np.array(x) * 2.0

    def inc(v):
        v += x[0]

    inc(m[1:])
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def element_in_a_helper(x):
    m = np.array(x) * 2.0

    def inc(v):
        v[0] += x[0]

    inc(m[1:])
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def name_of_a_reshaped_matrix(x):
    m = np.outer(np.array(x), np.array([1.0, 2.0, 3.0]))
    v = m.reshape(9)
    v += x[0]
    v[3:6] = 0.0
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def elements_in_a_loop(x):
    m = np.array(x) * 2.0
    v = m[1:]
    for k in range(2):
        v[k] += x[k]
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def slices_in_a_loop(x):
    m = np.array(x) * 2.0
    for i in range(3):
        v = m[i:]
        v += x[i]
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def in_a_branch(x):
    m = np.array(x) * 2.0
    v = m[1:]
    if x[0] > 0.5:
        v += x[0]
    else:
        v[0] = 2.0
    return (m * np.array([1.0, 2.0, 3.0])).sum() * v[0]


def slice_of_a_row(x):
    m = np.outer(np.array(x), np.array([1.0, 2.0, 3.0]))
    r = m[1]
    v = r[1:]
    v *= x[2]
    return (m * np.array([1.0, 2.0, 3.0])).sum() * r[1]


def row_of_a_slice(x):
    m = np.outer(np.array(x), np.array([1.0, 2.0, 3.0]))
    v = m[1:]
    r = v[0]
    r[1] = x[0] * 3
    r += 1.0
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def vector_as_a_matrix(x):
    m = np.arange(6.0) * x[0]
    w = m.reshape(2, 3)
    w[1] += x[1]
    w[:, 0] *= x[2]
    w.T[2, 0] = x[0]
    m.reshape(3, -1)[1, 1] = x[1]
    return (m * np.arange(1.0, 7.0)).sum() * w[1, 1]


def view_by_a_mask(x):
    m = np.array(x) * np.array([1.0, -1.0, 1.0])
    v = m[1:]
    v[v < 0] = x[0]
    v[np.array([1, 1])] += x[2]
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def add_at(x):
    m = np.array(x) * 2.0
    v = m[1:]
    np.add.at(v, np.array([0, 1, 1]), np.array(x))
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def view_in_a_list(x):
    rows = [np.array(x), np.array(x) * 2.0]
    v = rows[1][1:]
    v += x[0]
    v[0] *= x[1]
    return rows[1].sum() * rows[0].sum()


def new_axes_and_permutations(x):
    m = np.zeros((2, 3))
    v = np.moveaxis(m[:, None], 0, -1)
    v[0, 1] = x[0]
    v[0, :, 1] += x[1]
    return (m * np.arange(6.0).reshape(2, 3)).sum()


def captured_view(x):
    m = np.array(x) * 2.0
    v = m[1:]

    def add(d):
        v[0] += d

    add(x[0])
    add(x[1])
    return m[1] * v[1]


def handed_view(x):
    m = np.outer(np.array(x), np.array(x))

    def clear(block, d):
        block -= d
        block[0] = 0.0

    clear(m[1:, 1:], x[0])
    clear(m.T[0], x[1])
    return (m * np.arange(9.0).reshape(3, 3)).sum()


def two_names(x):
    m = np.array(x) * 2.0
    v = m
    v[0] = x[1]
    m[1] *= x[2]
    v += x[0]
    return m.sum() * v[0]


def out_of_range(x):
    m = np.array(x)
    v = m[:2]
    try:
        v[2] = 1.0
    except IndexError:
        return x[1]
    return m[0]


def alias_that_a_loop_may_rebind(x):
    a = np.zeros(3)
    b = a
    a[0] = x[0]
    for i in range(2):
        if i > 5:
            b = np.ones(3)
    return b.sum()


def generator_over_a_row(x):
    t = [list(x), list(x)]
    row = t[1]

    def g():
        for k in range(3):
            yield row[k]

    return sum(q * k for k, q in enumerate(g())) + sum(g())


def functions_in_a_list_read_a_row(x):
    t = [list(x), list(x)]
    row = t[1]
    fs = [lambda: row[0], lambda: row[1]]
    a = fs[0]()
    t[1][0] = x[1] * 7
    return a + fs[0]() * fs[1]()


def read_beside_its_array(x):
    m = np.array(x) * 1.0
    v = m[1:]

    def upd():
        m[1] = x[1] * 7
        return v[0]

    return upd() * v[0]


def array_bound_anew(x):
    m = np.array(x) * 1.0
    v = m[1:]

    def upd():
        nonlocal m
        m = m * 2.0
        m[1] = 5.0
        return v[0]

    return upd() * v[0] * m[2]


def part_and_its_array(x):
    m = np.array(x) * 1.0

    def upd(v):
        m[1] = x[1] * 7
        return v[0]

    return upd(m[1:]) * m[1]


def two_parts(x):
    m = np.array(x) * 1.0

    def upd(v, w):
        v[0] += 1.0
        w[1] *= 2.0
        return v[0] * w[1]

    return upd(m[1:], m[:2]) * m[1]


def generator_that_reads_a_row(x):
    t = [list(x), list(x)]
    row = t[1]

    def g():
        for k in range(3):
            yield row[k]

    s = 0.0
    for q in g():
        s += q
        t[1][2] = x[0] * 2
    return s


def generator_that_reads_an_updated_row(x):
    t = [list(x), list(x)]
    row = t[1]

    def g():
        for k in range(3):
            yield row[k]

    s = 0.0
    for q in g():
        s += q
        row[2] = x[0] * 2
    return s


def generator_that_reads_another_name(x):
    m = np.array(x) * 1.0
    v = m

    def g():
        for k in range(3):
            yield v[k]

    s = 0.0
    for q in g():
        s += q
        m[2] = x[0] * 2
    return s


def advanced_after_an_update(x):
    m = np.array(x) * 1.0
    v = m[1:]

    def g():
        for k in range(2):
            yield v[k]

    it = g()
    s = next(it)
    m[2] = x[0] * 2
    return s + next(it)


def elements_of_a_raveled_matrix(x):
    m = np.zeros((2, 3))
    for k in range(6):
        m.ravel()[k] += x[k % 3] * m.ravel()[k - 1] + 1.0
    return (m * np.array([1.0, 2.0, 3.0])).sum()


def three_shapes_of_a_matrix(x):
    m = np.ones((2, 3))
    v, w = m.ravel(), m.reshape(3, 2)
    v[0] = x[0]
    w[2, 1] = x[1]
    m[0, 1] = x[2]
    w[:, 1] *= x[0]
    w[::-1][0] += np.array(x)[:2]
    v[1:] = v[:-1] + x[0]
    m *= 2.0
    return v[0] * w[2, 1] + v[1] * m[1, 2] + w[0, 0]


def other_shapes_of_more_axes(x):
    m = np.zeros((2, 2, 3))
    v, u = m.reshape(4, 3), m.reshape(2, -1)
    v[[0, 2]] = np.array(x)
    u[1] += x[0]
    m[1, 1, 2] *= x[0]
    u.T[-2, -1] = x[1]
    v[v > 1.0] *= 2.0
    for row in m.reshape(3, 4):
        row[1:] += x[1]
    return (m * np.arange(12.0).reshape(2, 2, 3)).sum()


def functions_that_get_a_raveled_matrix(x):
    def diagonal(v, c):
        v[::4] = c
        v.reshape(3, 3)[0] += c

    m = np.zeros((3, 3))
    diagonal(m.ravel(), x[0])
    diagonal(m.reshape(-1), x[1])
    return (m * m).sum()


def raveled_after_a_choice(x):
    m = np.array([[x[0], x[1]], [x[2], 1.0]])
    if x[0] > 1.0:
        m = np.full((2, 2), 3.0)
    k = 0
    while k < 4:
        m.ravel()[k] *= x[0]
        k += 1
    c = m.T.copy()
    c.ravel()[1] = x[1]
    return (m * c).sum()


def raveled_and_transposed_in_turns(x):
    m = np.zeros((2, 3))
    for k in range(3):
        m.ravel()[k] = x[k]
        m = (m.T * 1.0).T
    return (m * m).sum()


def raveled_where_one_of_two_is_transposed(x):
    a, b = np.zeros((2, 3)), np.zeros((3, 2)).T
    for k in range(2):
        a = b if x[k] > 1.0 else a
        a.ravel()[1] = x[0]
    return (a * np.array([1.0, 2.0, 3.0])).sum()


def recursion_on_slices(x):
    def fill(a, v):
        if len(a) == 1:
            a[0] = v
            return
        h = len(a) // 2
        fill(a[:h], v * x[0])
        fill(a[h:], v + x[1])
        a[0] += 1.0

    m = np.zeros(5)
    fill(m, x[2])
    return (m * m).sum()


def recursion_on_named_slices(x):
    def mix(a):
        if len(a) < 2:
            return
        even, odd = a[::2], a[1::2]
        mix(even)
        mix(odd)
        even[0] += odd[0] * x[0]
        even[-1] *= 2.0

    m = np.concatenate([np.array(x), np.array(x) * 2.0])
    mix(m)
    return (m * m).sum()


def recursion_on_blocks(x):
    def fill(m, v):
        if min(m.shape) == 1:
            m[0, 0] += v
            return
        h, w = m.shape[0] // 2, m.shape[1] // 2
        fill(m[:h, :w], v * x[0])
        fill(m[h:, w:].T, v + x[1])
        fill(m[:h, w:], v)

    m = np.zeros((5, 4))
    fill(m, x[2])
    fill(m.T[1:], x[1])
    return (m * np.arange(20.0).reshape(5, 4)).sum()


def quicksort_in_place(x):
    def sort(a):
        if len(a) < 2:
            return
        i = 0
        for j in range(len(a) - 1):
            if a[j] < a[-1]:
                a[i], a[j] = a[j], a[i]
                i += 1
        a[i], a[-1] = a[-1], a[i]
        sort(a[:i])
        sort(a[i + 1 :])

    m = np.concatenate([np.array(x), np.array(x) * -2.0])
    sort(m)
    return (m * np.arange(6.0)).sum()


def mutual_recursion_on_slices(x):
    def first(v):
        if len(v) > 1:
            v[0] += x[1]
            last(v[1:])

    def last(v):
        if len(v) > 1:
            v[-1] *= x[0]
            first(v[:-1])

    m = np.concatenate([np.array(x), np.array(x)])
    first(m)
    return (m * m).sum()


PROGRAMS = [
    elements_of_a_raveled_matrix,
    three_shapes_of_a_matrix,
    other_shapes_of_more_axes,
    functions_that_get_a_raveled_matrix,
    raveled_after_a_choice,
    recursion_on_slices,
    recursion_on_named_slices,
    recursion_on_blocks,
    quicksort_in_place,
    mutual_recursion_on_slices,
    generator_over_a_row,
    functions_in_a_list_read_a_row,
    read_beside_its_array,
    array_bound_anew,
    part_and_its_array,
    two_parts,
    alias_that_a_loop_may_rebind,
    whole_slice,
    element,
    steps,
    column,
    transpose,
    slice_of_a_slice,
    rows_of_a_slice,
    elements_of_rows_of_a_slice,
    read_after,
    overlapping,
    slice_then_row,
    chained,
    element_of_the_transpose,
    block,
    backwards,
    from_the_end,
    all_of_it,
    helper,
    element_in_a_helper,
    elements_in_a_loop,
    slices_in_a_loop,
    in_a_branch,
    slice_of_a_row,
    row_of_a_slice,
    vector_as_a_matrix,
    view_by_a_mask,
    add_at,
    view_in_a_list,
    new_axes_and_permutations,
    captured_view,
    handed_view,
    two_names,
    out_of_range,
    generator_that_reads_a_row,
    generator_that_reads_an_updated_row,
    generator_that_reads_another_name,
    advanced_after_an_update,
]
REFUSED = [
    raveled_and_transposed_in_turns,
    raveled_where_one_of_two_is_transposed,
    reshaped_matrix,
    raveled_matrix,
    name_of_a_reshaped_matrix,
]
