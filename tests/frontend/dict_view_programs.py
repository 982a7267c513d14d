"""Views of dicts that somebody keeps while the dict changes, and what else reads a container late:
items that a generator has given, iterators of ``itertools``, partial applications."""

from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain, islice, pairwise


class Held:
    def __init__(self, v):
        self.v = v


class Counted:
    def __init__(self, d):
        self.d = d
        self.keys = d.keys()

    def count(self):
        return len(self.keys)


@dataclass(frozen=True)
class Frozen:
    v: object


def in_a_constructor(x):
    d = {0: x}
    h = Held(d.keys())
    d[1] = x
    return len(h.v) * x


def values_in_a_constructor(x):
    d = {"a": x}
    h = Held(d.values())
    d["a"] = 3 * x
    return sum(h.v)


def items_in_a_constructor(x):
    d = {"a": x}
    h = Held(d.items())
    d["a"] = 3 * x
    return sum(v * len(k) for k, v in h.v)


def beside_its_dict(x):
    c = Counted({"a": x})
    c.d["b"] = 3 * x
    return c.count() * x


def in_a_frozen_class(x):
    d = {"a": x}
    h = Frozen(d.keys())
    d["b"] = x
    return len(h.v) * x


def in_containers(x):
    d = {"a": x}
    rows, pair, table = [d.keys()], (d.values(), 1), {"k": d.items()}
    rows.append(d.keys())
    d["b"] = 2.0 * x
    return len(rows[1]) + sum(pair[0]) + sum(v * v for _, v in table["k"])


def in_an_attribute(x):
    d, h = {"a": x}, Held(None)
    h.v = d.values()
    d["a"] *= x
    return sum(h.v) + (x if "b" in h.v else 2.0 * x)


def of_a_helper(x):
    def pair(d):
        return d.values(), 1

    d = {"a": x}
    v = pair(d)
    d["a"] = 2 * x
    return sum(v[0]) * x


def of_a_method(x):
    class Table:
        def __init__(self, d):
            self.d = d

        def view(self):
            return self.d.values()

    t = Table({"a": x})
    v = t.view()
    t.d["a"] = 3 * x
    return sum(v)


def captured(x):
    d = {"a": x}
    v = d.values()

    def total():
        d["b"] = 2 * x
        return sum(v)

    return total()


def a_default(x):
    d = {"a": x}
    keys = d.keys()
    f = lambda v=keys: len(v)
    d["b"] = x
    return f() * x


def two_names(x):
    d = {"a": x}
    v = w = d.items()
    d["a"] = 2 * x
    return sum(q for _, q in v) + sum(q * q for _, q in w)


def on_two_paths(x):
    d, e = {"a": x, "b": x}, {"a": x}
    v = d.values() if x > 0 else e.values()
    d["a"] = 3 * x
    return sum(v)


def in_a_loop(x):
    d = {"a": x, "b": x}
    v, s = d.values(), 0.0
    for _ in range(3):
        d["a"] = d["a"] * 2
        s += sum(v)
    return s


def of_a_table(x):
    d = {}
    for i in range(3):
        d[i] = x
    v, h = d.values(), Held(d.keys())
    d[7] = x * x
    return sum(v) * len(h.v)


def of_a_dict_in_a_dict(x):
    d = {"p": {"a": x}}
    v = d["p"].values()
    d["p"]["a"] = 2 * x
    return sum(v)


def truth_and_members(x):
    d = {}
    h = Held(d.keys())
    d["a"] = x
    return (x if h.v else 2 * x) + (x * x if "a" in h.v else 3 * x)


def as_sets(x):
    d, e = {"a": x, "b": x}, {"b": x, "c": x}
    both, either, first = d.keys() & e.keys(), d.keys() | e.keys(), d.keys() - e.keys()
    odd = d.keys() ^ {"b"}
    return x * (len(both) + 10 * len(either) + 100 * len(first) + 1000 * len(odd))


def compared_with_sets(x):
    d = {"a": x, "b": x}
    return x * (d.keys() == {"a", "b"}) + x * x * (d.keys() <= {"a", "b", "c"})


def is_no_tuple(x):
    d = {"a": x}
    return x if isinstance(d.keys(), tuple) else 2 * x


def passed_beside_its_dict(x):
    def total(v, d):
        d["a"] = 2 * x
        return sum(v)

    d = {"a": x}
    return total(d.values(), d)


def a_bound_method(x):
    d = {"a": x}
    m = d.values
    d["a"] = 2 * x
    return sum(m())


def a_generator_over_it(x):
    d = {"a": x}
    m = (v * 2 for v in d.values())
    d["a"] = 3 * x
    return sum(m)


def yielded(x):
    def views(d):
        for _ in range(2):
            yield d.values()

    d = {"a": x}
    kept = [v for v in views(d)]
    d["a"] = 3 * x
    return sum(kept[0]) + sum(kept[1]) * x


def yielded_list(x):
    def twice(d):
        yield d
        yield from again(d)

    def again(d):
        yield d

    d = [x]
    kept = list(twice(d))
    d.append(3 * x)
    return sum(kept[0]) + sum(kept[1]) * x


def yielded_in_a_record(x):
    def one(d):
        yield Frozen(d)

    d = {"a": x}
    kept = list(one(d))
    d["a"] = 3 * x
    return sum(kept[0].v.values())


def next_of_a_generator(x):
    def endless(d):
        while True:
            yield (d, 1)

    d = [x]
    first = next(endless(d))
    d.append(2 * x)
    return sum(first[0])


def partial_of_a_tuple(x):
    def total(t):
        return sum(t[0]) * len(t[0])

    d = [x]
    f, g = partial(total, (d,)), partial(total, t=[d])
    d.append(2 * x)
    return f() + g()


def partial_of_a_view(x):
    d = {"a": x}
    f = partial(sum, d.values())
    d["a"] = 2 * x
    return f()


RIGHT = [
    in_a_constructor, values_in_a_constructor, items_in_a_constructor, beside_its_dict,
    in_a_frozen_class, in_containers, in_an_attribute, of_a_helper, of_a_method, captured,
    a_default, two_names, on_two_paths, in_a_loop, of_a_table, of_a_dict_in_a_dict,
    truth_and_members, as_sets, compared_with_sets, is_no_tuple, passed_beside_its_dict,
    a_bound_method, a_generator_over_it, yielded, yielded_list, yielded_in_a_record,
    next_of_a_generator, partial_of_a_tuple, partial_of_a_view,
]  # fmt: skip


def chained(x):
    d = [x, 2 * x]
    m = chain(d, [x])
    d[0] = 3 * x
    return sum(m)


def sliced(x):
    d = {"a": x, "b": 2 * x}
    m = islice(d.values(), 1)
    d["a"] = 3 * x
    return sum(m)


def accumulated(x):
    d = [x, 2 * x]
    m = accumulate(d)
    d[0] = 3 * x
    return sum(m)


def in_pairs(x):
    d = [x, 2 * x]
    m = pairwise(d)
    d[0] = 3 * x
    return sum(a * b for a, b in m)


def mapped_view(x):
    d = {"a": x}
    m = map(lambda v: v * 2, d.values())
    d["a"] = 3 * x
    return sum(m)


def zipped_views(x):
    d = {"a": x}
    h = Held(zip(d.values(), [1.0]))
    d["a"] = 2 * x
    return sum(a * b for a, b in h.v)


def in_an_object_of_an_object(x):
    h = Held({"a": x})
    g = Held(h.v.values())
    h.v["a"] = 2 * x
    return sum(g.v)


def partial_of_a_lambda(x):
    k = 1.0
    f = partial(lambda g: g(x), lambda v: v * k)
    k = 2.0
    return f() * k


RIGHT_OR_REFUSED = [
    chained, sliced, accumulated, in_pairs, mapped_view, zipped_views, in_an_object_of_an_object,
    partial_of_a_lambda,
]  # fmt: skip


def returned(x):
    d = {"a": x}
    return d.keys()


def indexed(x):
    d = {"a": x}
    return d.values()[0]


def united_values(x):
    d = {"a": x}
    return len(d.values() | {1})


REFUSED = {
    returned: "a view of a dict as a result", indexed: "dict_values cannot be indexed",
    united_values: "not defined for dict_values",
}  # fmt: skip
