"""Programs in which two names stand for one list, dict, set or object that one of them updates."""


class Value:
    def __init__(self, x):
        self.x = x

    def __iadd__(self, other):
        self.x += other
        return self


def whole_list(xs):
    a = list(xs)
    a[1:] = [4.0 * xs[0]]
    c = a
    c += [xs[1]]
    return sum(a) + 3.0 * len(c)


def three_names(xs):
    a = list(xs)
    b = a
    c = b
    for x in xs:
        c += [x * x]
    b.append(1.0)
    return sum(a) + len(c) + sum(b)


def repeated(xs):
    a = list(xs)
    b = a
    b *= 2
    return sum(a) + 10.0 * sum(b)


def repeated_in_turns(xs):
    a = list(xs)
    for _ in range(2):
        a *= 2
    b = a
    a *= 1
    return sum(x * i for i, x in enumerate(a)) + len(b)


def repeated_in_a_function(xs):
    a = list(xs)

    def f():
        nonlocal a
        a *= 2

    f()
    b = a
    f()
    return sum(b)


def tuples_are_values(xs):
    t = (1.0, xs[0])
    u = t
    u *= 2
    return sum(t) + sum(u)


def an_object(xs):
    a = Value(xs[0])
    b = a
    b += xs[1]
    return a.x + 10.0 * b.x


def a_dict(xs):
    a = {1: xs[0]}
    b = a
    b |= {2: xs[1]}
    return sum(a.values()) + 10.0 * b[2]


def a_set(xs):
    a = {1, 2}
    b = a
    b |= {3}
    return len(a) * xs[0]


def rows(xs):
    a = [list(xs)]
    b = a
    b[0] += [1.0]
    b += [list(xs)]
    return sum(sum(r) for r in a) + len(b)


def on_one_path(xs):
    a = list(xs)
    b = a
    if xs[0] > 0:
        b += [7.0 * xs[0]]
    else:
        b = [1.0]
    return sum(a) + 2.0 * sum(b)


def parted(xs):
    a = list(xs)
    b = a
    a = [5.0]
    b += [2.0 * xs[0]]
    return sum(a) + 2.0 * sum(b)


def part_of_a_dict(xs):
    d = {"a": list(xs)}
    e = d["a"]
    e *= 2
    d["a"] *= 2
    return sum(d["a"]) + len(e)


def handed_down(ys, depth):
    for i in range(len(ys)):
        ys[i] = ys[i] * ys[i] * 1.5
    return handed_down(ys, depth - 1) if depth > 0 else ys


def result_of_a_recursion(xs):
    ys = [x * xs[0] for x in xs]
    ys = handed_down(ys, 2)
    return ys[1] + ys[0]


PROGRAMS = [
    whole_list, three_names, repeated, repeated_in_turns, repeated_in_a_function,
    tuples_are_values, an_object, a_dict, a_set, rows, on_one_path, parted, part_of_a_dict,
    result_of_a_recursion,
]  # fmt: skip


def of_an_argument(xs):
    xs *= 2
    return sum(xs)


def inside_a_tuple(xs):
    a = list(xs)
    t = (a,)
    a *= 2
    return sum(t[0])


REFUSED = [(of_an_argument, "seen outside"), (inside_a_tuple, "may share memory")]
