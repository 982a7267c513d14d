"""Values in places where they seldom are: slices, iterators, functions, classes, modules, None,
Ellipsis, sets, ranges and exceptions in containers, attributes, results, branches and loops."""

import functools
import itertools
import math
import operator
from collections import OrderedDict, deque
from dataclasses import dataclass, replace

import numpy as np

import pullback as pb


class Holder:
    def __init__(self, value=None):
        self.value = value
        self.more = []


class Parser:
    def __init__(self):
        self.where = {}

    def add(self, name, start, n):
        self.where[name] = slice(start, start + n)


class Private:
    __k = 3.0

    def __init__(self, v):
        self.__v = v

    def __sq(self):
        return self.__v * self.__v

    @staticmethod
    def __twice(x):
        return 2.0 * x

    @property
    def __next(self):
        return self.__v + 1.0

    class __Inner:
        def __init__(self, w):
            self.__w = w

        def get(self):
            return self.__w * 2.0

    def go(self, __a, b=2.0):
        __t = __a * b

        def __h(z):
            return z * __t

        inner = self.__Inner(self.__v).get()
        total = self.__sq() + Private.__k * self.__twice(self.__next) + inner
        return total + __h(self.__v) + sum(__q for __q in [__t, self.__v])


class Heir(Private):
    def __init__(self, v):
        super().__init__(v)
        self.__v = 100.0 * v

    def go(self, a, b=1.0):
        return super().go(a, b) + self.__v


class Slots:
    __slots__ = ("__v",)

    def __init__(self, v):
        self.__v = v

    def up(self, d):
        self.__v += d
        return self.__v


@dataclass
class Option:
    strike: float
    spot: float
    tag: str = "call"

    def pay(self):
        return (self.spot - self.strike) ** 2


OPTION = Option(90.0, 100.0)
HELD = Holder(OPTION)

PROGRAMS = []


def program(f):
    PROGRAMS.append(f)
    return f


@program
def slices_in_a_dict_of_an_object(x):
    p = Parser()
    p.add("w", 1, 2)
    a = np.array([x, 2.0 * x, 3.0])
    return np.sum(a[p.where["w"]])


@program
def slices_in_a_list(x):
    parts = [slice(0, 1), slice(1, 3)]
    a = np.array([x, 2.0 * x, 3.0])
    return sum(np.sum(a[p]) * k for k, p in enumerate(parts))


@program
def slices_in_a_tuple(x):
    first, second = slice(0, 1), slice(1, 3)
    both = (first, second)
    a = np.array([x, 2.0 * x, 3.0])
    return np.sum(a[both[1]])


@program
def a_slice_as_an_attribute(x):
    h = Holder(slice(0, 2))
    return np.sum(np.array([x, 2.0 * x, 3.0])[h.value])


@program
def a_slice_from_a_branch(x):
    s = slice(0, 2) if x > 1.0 else slice(1, 3)
    return np.sum(np.array([x, 2.0 * x, 3.0])[s])


@program
def a_slice_that_is_returned(x):
    def upto(n):
        return slice(0, n)

    return np.sum(np.array([x, 2.0 * x, 3.0])[upto(2)])


@program
def a_slice_carried_by_a_loop(x):
    s, a = slice(0, 1), np.array([x, 2.0 * x, 3.0])
    for k in range(3):
        s = slice(0, k)
    return np.sum(a[s])


@program
def a_slice_that_is_captured(x):
    s = slice(1, None)
    return (lambda a: np.sum(a[s]))(np.array([x, 2.0 * x, 3.0]))


@program
def ellipsis_in_a_tuple(x):
    index = (Ellipsis, 0)
    return np.sum((np.ones((2, 2)) * x)[index])


@program
def ellipsis_from_a_branch(x):
    index = ... if x > 1.0 else 0
    return np.sum((np.ones((2, 2)) * x)[index])


@program
def iterators_in_a_list(x):
    its = [iter([x, 2.0]), iter([3.0])]
    return sum(next(i) for i in its)


@program
def an_iterator_in_a_dict(x):
    d = {"a": iter([x, 2.0 * x])}
    return next(d["a"]) + next(d["a"])


@program
def an_iterator_as_an_attribute(x):
    h = Holder(iter([x, 2.0 * x]))
    return next(h.value) * next(h.value)


@program
def an_iterator_from_a_branch(x):
    it = iter([x, 2.0]) if x > 1.0 else iter([3.0, x])
    return next(it) + next(it)


@program
def an_iterator_that_is_returned(x):
    def make():
        return iter([x, 3.0])

    it = make()
    return next(it) + next(it)


@program
def an_iterator_carried_by_a_loop(x):
    it = iter([x, 2.0 * x, 3.0])
    s = 0.0
    for _ in range(2):
        s += next(it)
    return s + next(it)


@program
def iterators_made_in_a_loop(x):
    its = []
    for k in range(3):
        its.append(iter([x * k]))
    return sum(next(i) for i in its)


@program
def a_generator_in_a_tuple(x):
    def g():
        yield x
        yield 2.0 * x

    pair = (g(), 1.0)
    return sum(pair[0]) * pair[1]


@program
def generators_in_a_list(x):
    def g(k):
        yield x * k

    return sum(v for one in [g(1), g(2)] for v in one)


@program
def a_generator_as_an_attribute(x):
    h = Holder(v * x for v in (1.0, 2.0))
    return sum(h.value)


@program
def a_generator_from_a_branch(x):
    g = (v for v in (x, 1.0)) if x > 1.0 else (v for v in (2.0, x))
    return sum(g)


@program
def a_map_in_a_dict(x):
    d = {"m": map(math.sin, [x, 1.0])}
    return sum(d["m"])


@program
def a_zip_as_an_attribute(x):
    h = Holder(zip([x, 1.0], [2.0, x]))
    return sum(a * b for a, b in h.value)


@program
def an_enumerate_in_a_list(x):
    es = [enumerate([x, 2.0 * x])]
    return sum(k * v for k, v in es[0])


@program
def ranges_in_a_list(x):
    return sum(x * k for r in [range(2), range(3)] for k in r)


@program
def a_range_as_an_attribute(x):
    h = Holder(range(4))
    return sum(x * k for k in h.value)


@program
def a_range_from_a_branch(x):
    r = range(2) if x > 1.0 else range(5)
    return sum(x * k for k in r) + len(r)


@program
def a_range_in_a_dict(x):
    d = {"r": range(3)}
    return sum(x for _ in d["r"])


@program
def functions_in_a_list(x):
    return sum(f(x) for f in [math.sin, math.cos, lambda v: v * v])


@program
def functions_in_a_dict(x):
    d = {"s": math.sin, "e": np.exp}
    return sum(d[k](x) for k in ("s", "e"))


@program
def functions_in_a_list_of_a_loop(x):
    fs = []
    for k in range(3):
        fs.append(lambda v, k=k: v * k)
    return sum(f(x) for f in fs)


@program
def a_function_as_an_attribute(x):
    h = Holder(math.sin)
    h.more.append(math.cos)
    return h.value(x) + h.more[0](x)


@program
def classes_in_a_list(x):
    return sum(c(x).value for c in [Holder, Holder])


@program
def a_class_from_a_branch(x):
    c = Holder if x > 1.0 else Private
    return c(x).value


@program
def a_class_as_an_attribute(x):
    h = Holder(Slots)
    return h.value(x).up(1.0)


@program
def modules_in_a_list(x):
    return sum(m.sin(x) for m in [math, np])


@program
def a_module_as_an_attribute(x):
    h = Holder(math)
    return h.value.sin(x)


@program
def a_module_from_a_branch(x):
    m = math if x > 1.0 else np
    return m.cos(x)


@program
def none_in_a_list(x):
    vs = [None, x, None]
    return sum(v for v in vs if v is not None)


@program
def none_in_a_dict(x):
    d = {"a": None, "b": x}
    return d["b"] if d["a"] is None else d["a"]


@program
def none_carried_by_a_loop(x):
    last = None
    for k in range(3):
        last = x * k if last is None else last + x
    return last


@program
def sets_in_a_list(x):
    return sum(x * len(s) for s in [{1, 2}, {3}])


@program
def a_set_as_an_attribute(x):
    h = Holder({1, 2, 3})
    h.value.add(4)
    return x * len(h.value)


@program
def a_frozenset_in_a_dict(x):
    d = {"s": frozenset({1, 2})}
    return x if 2 in d["s"] else -x


@program
def exceptions_in_a_list(x):
    es = [ValueError("a"), KeyError("b")]
    return x * len(es)


@program
def an_exception_as_an_attribute(x):
    h = Holder(ValueError("a"))
    try:
        raise h.value
    except ValueError:
        return x * 2.0


@program
def an_exception_from_a_branch(x):
    e = ValueError("a") if x > 1.0 else KeyError("b")
    try:
        raise e
    except (ValueError, KeyError):
        return x * 3.0


@program
def an_exception_class_in_a_dict(x):
    d = {"e": ValueError}
    try:
        raise d["e"]("no")
    except ValueError:
        return x


@program
def an_exception_that_is_kept(x):
    kept = None
    try:
        math.sqrt(-x)
    except ValueError as e:
        kept = e
    return x if kept is not None else 0.0


@program
def a_deque_that_lacks_what_is_removed(x):
    q = deque([x, 2.0])
    try:
        q.remove(5.0)
    except ValueError:
        q.append(x)
    return sum(q)


@program
def a_scan_under_a_finally(x):
    done = []
    try:
        maps = np.array([[x, 1.0], [2.0, x]])
        after = lambda s, m: np.array([m[0] * s[0], m[0] * s[1] + m[1]])
        return np.sum(pb.scan(after, np.array([1.0, 0.0]), maps)[:, 1])
    finally:
        done.append(1)


@program
def a_scan_that_may_raise(x):
    def step(s, k):
        if k > 5.0:
            raise ValueError("too large")
        return s * x + k

    try:
        return np.sum(pb.scan(step, 1.0, np.array([1.0, 2.0, 9.0])))
    except ValueError:
        return x * x


@program
def private_names(x):
    return Private(x).go(x, b=x) + Heir(x).go(2.0)


@program
def private_slots(x):
    s = Slots(x)
    s.up(2.0 * x)
    return s.up(x)


@program
def private_names_of_a_local_class(x):
    class Local:
        def __init__(self, v):
            self.__v = v

        def __m(self):
            return self.__v * 3.0

        def go(self):
            return self.__m()

    return Local(x).go()


@program
def a_captured_dataclass_replaced(x):
    p = replace(OPTION, spot=x)
    p.strike += 1.0
    return p.pay() + replace(HELD.value, strike=x).pay() + OPTION.pay()


@program
def a_partial_in_a_list(x):
    fs = [functools.partial(operator.mul, 2.0), functools.partial(operator.add, x)]
    return sum(f(x) for f in fs)


@program
def a_bound_method_in_a_dict(x):
    s = Slots(x)
    d = {"up": s.up}
    return d["up"](1.0) + d["up"](x)


@program
def an_ordered_dict_in_a_list(x):
    ds = [OrderedDict(a=x), OrderedDict(a=2.0)]
    return sum(d["a"] for d in ds)


@program
def a_count_in_a_list(x):
    cs = [itertools.count(1), itertools.count(5)]
    return x * (next(cs[0]) + next(cs[1]))


@program
def a_type_in_a_comparison(x):
    kinds = [type(x), float]
    return x if kinds[0] is kinds[1] else -x


@program
def not_implemented_in_a_tuple(x):
    t = (NotImplemented, x)
    return t[1] if t[0] is NotImplemented else 0.0


@program
def a_string_or_a_function(x):
    f = "sin" if x < 0.0 else math.sin
    return f(x) if callable(f) else x


@program
def a_complex_number_in_a_list(x):
    zs = [1j, 2.0]
    return x * len(zs)


@program
def bytes_in_a_dict(x):
    d = {"a": b"xyz"}
    return x * len(d["a"])


@program
def a_memoryview_as_an_attribute(x):
    h = Holder(memoryview(b"abc"))
    return x * len(h.value)


@program
def a_starred_iterator(x):
    it = iter([x, 2.0, 3.0])
    first, *rest = it
    return first * len(rest)


@program
def a_reversed_that_is_kept(x):
    r = reversed([x, 2.0 * x, 3.0])
    return next(r) + next(r)
