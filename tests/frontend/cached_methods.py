"""Methods that keep their results."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any


class Tree:
    """An optimal search tree over some weights."""

    def __init__(self, weights, scale):
        self.weights, self.scale = weights, scale

    @lru_cache(None)
    def cost(self, i, j):
        if i > j:
            return 0.0
        roots = (self.cost(i, r - 1) + self.cost(r + 1, j) for r in range(i, j + 1))
        return min(roots) + sum(self.weights[i : j + 1])

    @cache
    def total(self):
        return sum(self.weights) * self.scale

    @lru_cache
    def mean(self):
        return sum(self.weights) / len(self.weights)


class Doubled(Tree):
    @lru_cache(None)
    def total(self):
        return super().total() * 2


def of_two_trees(x):
    weights = [x, 0.31, x * x, 0.79]
    a, b = Tree(weights, x), Tree([2.1 * v for v in weights], 2.0)
    return a.cost(0, 3) * a.total() + b.cost(0, 2) + a.mean() * b.mean()


def by_index(x):
    trees = [Tree([x, 0.4], x), Tree([0.7, x, 0.1], 2 * x)]
    return sum(trees[k % 2].cost(0, 1) * trees[k % 2].total() for k in range(5))


def what_was_first(x):
    tree = Tree([x, 0.3], x)
    a = tree.total()
    tree.scale = 10 * x
    return a + tree.total() * x


def of_a_derived_class(x):
    tree = Doubled([x, 0.3], x)
    return tree.total() + tree.cost(0, 1) * tree.total()


def as_a_function(x):
    tree = Tree([x, 0.3, 0.8], x)
    f = tree.cost
    return f(0, 2) + max(map(tree.cost, [0, 1], [1, 2])) * f(0, 2)


class Counting:
    def __init__(self, x):
        self.x, self.n = x, 0

    @cache
    def f(self, k, kind):
        self.n += 1
        return self.x * k * len(kind)

    @cache
    def by_two_names(self, k, kind="a"):
        self.n += 1
        return self.x * k * len(kind)

    @cache
    def pair(self):
        return self.x, [self.x * i for i in range(3)]

    @cache
    def sometimes(self, k):
        if k > 2:
            raise ValueError("too big")
        return self.x * k


def how_often(x):
    c = Counting(x)
    return c.f(1, "a") + c.f(1, "a") + c.f(2, "ab") + c.n


def lists_and_pairs(x):
    c = Counting(x)
    a, row = c.pair()
    row[1] += x
    return a * sum(c.pair()[1])


def may_raise(x):
    c, t = Counting(x), 0.0
    for k in [1, 3, 1, 2, 3]:
        try:
            t += c.sometimes(k)
        except ValueError:
            t += x * x
    return t


class Node:
    def __init__(self, value, kids):
        self.value, self.kids = value, kids

    @lru_cache(None)
    def total(self, depth):
        return self.value * depth + sum(kid.total(depth + 1) for kid in self.kids)


def of_shared_nodes(x):
    leaf = Node(x, [])
    a = Node(x * x, [leaf, leaf])
    return Node(2 * x, [a, leaf]).total(1) + a.total(2)


def of_a_local_class(x):
    class Grid:
        def __init__(self, p):
            self.p = p

        @functools.cache
        def paths(self, i, j):
            if i == 0 or j == 0:
                return 1.0
            return self.p * self.paths(i - 1, j) + (1 - self.p) * self.paths(i, j - 1)

    return Grid(x).paths(3, 4)


def not_in_its_dict(x):
    c = Counting(x)
    c.f(1, "a")
    return len(vars(c)) * x


class Base:
    def __init__(self, x):
        self.x = x

    @cache
    def total(self):
        return self.x


class Derived(Base):
    @cache
    def total(self):
        return 10 * super().total()

    def base(self):
        return super().total()


class Last(Derived):
    @cache
    def total(self):
        return 3 * super().total() + self.base()


def of_one_name_in_several_classes(x):
    d, last = Derived(x), Last(2 * x)
    first = d.total() + d.base() + last.base()
    return first + sum(o.total() * k for k, o in enumerate([d, last, Base(x)], 1))


RIGHT = [
    of_one_name_in_several_classes, of_two_trees, by_index, what_was_first, of_a_derived_class,
    as_a_function, how_often, lists_and_pairs, may_raise, of_shared_nodes, of_a_local_class,
    not_in_its_dict,
]  # fmt: skip


class Curve:
    @cache
    def at(self, t):
        return t * t


def a_method_of_floats(x):
    return Curve().at(x)


class Table:
    @staticmethod
    @cache
    def binomial(n, k):
        return 1 if k in (0, n) else Table.binomial(n - 1, k) + Table.binomial(n - 1, k - 1)


def a_static_method(x):
    return x * Table.binomial(5, 2)


def copied(x):
    import copy

    c = Counting(x)
    c.f(1, "a")
    return copy.copy(c).f(1, "a")


class Forgetting:
    def __init__(self, x):
        self.x = x

    @lru_cache(maxsize=2)
    def f(self, k):
        return self.x * k


def forgets_of_an_object(x):
    one = Forgetting(x)
    a = one.f(1)
    one.x = 5 * x
    return a + one.f(2) + one.f(3) + one.f(1)


def two_names_of_a_result(x):
    c = Counting(x)
    return c.by_two_names(1) + c.by_two_names(1, "a") + c.n


@dataclass
class Unhashable:
    x: float

    @cache
    def f(self, k):
        return self.x * k


def no_key_in_python(x):
    return Unhashable(x).f(2)


class Equal:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return isinstance(other, Equal)

    def __hash__(self):
        return 1

    @cache
    def f(self, k):
        return self.x * k


def one_result_for_two(x):
    return Equal(x).f(2) + Equal(5 * x).f(2)


class Asking:
    def __init__(self, x):
        object.__setattr__(self, "n", 0)
        self.x = x

    def __setattr__(self, name, value):
        object.__setattr__(self, "n", self.n + 1)
        object.__setattr__(self, name, value)

    @cache
    def f(self, k):
        return self.x * k


def asked_where_it_is_kept(x):
    one = Asking(x)
    return one.f(1) + one.n


REFUSED = [
    no_key_in_python, one_result_for_two, asked_where_it_is_kept, forgets_of_an_object,
    two_names_of_a_result, a_method_of_floats, a_static_method, copied,
]  # fmt: skip


# --- what is around the function -----------------------------------------------------------------


class Model:
    def __init__(self, p):
        self.p, self.log = p, []

    @cache
    def weight(self, k):
        return self.p[k] * (k + 1)

    def predict(self, x):
        return sum(self.weight(k) * x**k for k in range(len(self.p)))

    def note(self, x):
        self.log.append(x)
        return x * len(self.log)


def of_an_argument(m: Any, x: Any) -> Any:
    return m.predict(x) + m.predict(2 * x)


def of_arguments(ms: Any, x: Any) -> Any:
    return sum(m.predict(x) for m in ms)


def returned(m: Any, x: Any) -> Any:
    m.predict(x)
    return m


MODEL = Model([0.3, 0.2])
NOTES = Model([])


def of_a_global(x):
    return MODEL.predict(x) * x


def noted(x):
    return NOTES.note(x)


class Lazy:
    """A table that is made when it is first asked for."""

    def at(self, n):
        if not hasattr(self, "table"):
            self.table = {}
        if n not in self.table:
            self.table[n] = 1.0 / (n + 1)
        return self.table[n]

    def series(self, x):
        return sum(self.at(k % 3) * x**k for k in range(7))


LAZY = Lazy()


def of_a_lazy_global(x):
    return LAZY.series(x)


def long_recursion(x, n):
    class Fibonacci:
        def __init__(self, x):
            self.x = x

        @cache
        def at(self, n):
            return self.x if n < 2 else self.at(n - 1) + self.x * self.at(n - 2)

    @cache
    def f(n, x):
        return x if n < 2 else f(n - 1, x) + x * f(n - 2, x)

    return Fibonacci(x).at(n) + f(n, x)


