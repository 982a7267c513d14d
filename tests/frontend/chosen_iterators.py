"""Iterators of several kinds that are chosen at run time: as in Python, or refused.
(``tests/frontend/test_iterators.py`` runs them.)"""


def forwards_or_backwards(x):
    it = iter(x) if x[0] > 0.5 else reversed(x)
    return next(it) * 2 + sum(it)


def counted_from(x):
    it = enumerate(x) if x[0] > 5 else enumerate(x, 1)
    s = 0.0
    for k, v in it:
        s += k * v
    return s


def pairs_of_two_sorts(x):
    it = enumerate(x) if x[0] > 5 else zip(range(3), reversed(x))
    s = 0.0
    for k, v in it:
        s += k * v
    return s


def anew_in_each_round(x):
    s = 0.0
    for k in range(4):
        it = iter(x) if k % 2 else reversed(x)
        s = s * 0.5 + next(it)
        for v in it:
            s = s * 0.9 + v
    return s


def given_by_a_function(x):
    def walk(up):
        return iter(x) if up else reversed(x)

    return next(walk(x[0] > 0.5)) * 3 + sum(v * (k + 1) for k, v in enumerate(walk(x[1] < 0.2)))


def backwards_or_generated(x):
    it = reversed(x) if x[0] > 5 else (v * 2 for v in x)
    s = 0.0
    for v in it:
        s = s * 0.5 + v
    return s


def beside_another(x):
    it = zip(x, x[:2]) if x[0] > 5 else zip(x[1:], x)
    return sum(a * a * b for a, b in it)


def two_names(x):
    it = iter(x) if x[0] > 5 else reversed(x)
    other = it
    a = next(it)
    return a + next(other) * 2


def values_of_a_dict(x):
    d = {"a": x[0], "b": x[1]}
    it = iter(d.values()) if x[0] > 0.5 else iter(x)
    return next(it) * 2 + sum(it)


def of_known_items(x):
    it = iter([1.0, 2.0]) if x[0] > 5 else iter(x)
    return next(it) * 2 + sum(it)


def made_a_list(x):
    it = iter(x) if x[0] > 5 else reversed(x)
    ys = list(it)
    return ys[0] * 2 + max(x)


def taken_apart(x):
    it = iter(x) if x[0] > 5 else reversed(x)
    a, b, c = it
    return a * b + c


def greatest(x):
    it = iter(x) if x[0] > 5 else reversed(x)
    return max(it) * 2


def in_order(x):
    it = iter(x) if x[0] > 5 else reversed(x)
    return sorted(it)[1] * 2


def searched(x):
    it = iter(x) if x[0] > 5 else reversed(x)
    return x[0] if x[1] in it else next(it)


def first_and_rest(x):
    it = iter(x) if x[0] > 5 else reversed(x)
    a, *r = it
    return a * 2 + sum(r)


def in_a_list(x):
    its = [iter(x), reversed(x)]
    s = 0.0
    for k in range(4):
        s = s * 0.5 + next(its[k % 2])
    return s


def advanced_by_two(x):
    it = iter(x) if x[0] > 5 else reversed(x)
    a = enumerate(it)
    b = zip(it, x)
    k, v = next(a)
    u, w = next(b)
    return v * 2 + u * 3 * w + k


def advanced_by_map_and_next(x):
    it = iter(x) if x[0] > 5 else reversed(x)
    m = map(lambda v: v * v, it)
    return next(m) * 2 + next(it) * 3 + next(m)


def advanced_by_a_function(x):
    it = iter(x) if x[0] > 5 else reversed(x)

    def take():
        return next(it)

    return take() * 2 + take() * 3


def left_and_gone_on(x):
    it = iter(x) if x[0] > 5 else reversed(x)
    s = 0.0
    for _ in range(3):
        s = s * 2 + next(it)
        if s > 3:
            break
    return s + sum(it)


def advanced_inside_its_loop(x):
    it = iter(x) if x[0] > 5 else reversed(x)
    s = 0.0
    for v in it:
        s = s * 2 + v
        if v > 1:
            s += next(it)
    return s


def its_length(x):
    it = iter(x) if x[0] > 5 else reversed(x)
    return len(it) * 2 + max(x)


def an_item(x):
    it = iter(x) if x[0] > 5 else reversed(x)
    return it[0] * 2 + max(x)


def beside_itself(x):
    it = iter(x) if x[0] > 5 else reversed(x)
    return sum(a * b for a, b in zip(it, it))


def or_none(x):
    it = iter(x) if x[0] > 5 else None
    s = 0.0
    if it is not None:
        for v in it:
            s += v
    return s + x[0]


def generator_with_variables(x):
    def g(n):
        for k in range(n):
            yield x[k] * k

    it = g(3) if x[0] > 5 else iter(x)
    s = 0.0
    for v in it:
        s += v * s + v
    return s


def one_of_two(xs):
    it = iter(xs) if xs[0] > 0.5 else reversed(xs)
    return next(it) + next(it)


PROGRAMS = [
    beside_itself,
    one_of_two,
    forwards_or_backwards,
    counted_from,
    pairs_of_two_sorts,
    anew_in_each_round,
    given_by_a_function,
    backwards_or_generated,
    beside_another,
    two_names,
    values_of_a_dict,
    of_known_items,
    made_a_list,
    taken_apart,
    greatest,
    in_order,
    searched,
    first_and_rest,
    in_a_list,
    advanced_by_two,
    advanced_by_map_and_next,
    advanced_by_a_function,
    left_and_gone_on,
    advanced_inside_its_loop,
    or_none,
    generator_with_variables,
]
REFUSED = [
    its_length,
    an_item,
]
