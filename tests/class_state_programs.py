"""Programs that assign attributes of classes and modules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import pullback as pb
from tests import class_state_settings as settings


class Counter:
    total = 0.0
    n = 0
    log: ClassVar = []
    latest = None
    table = np.ones(3)
    items: ClassVar = {}
    model = None
    flag = False

    def __init__(self, k=1.0):
        self.k = k
        Counter.n += 1

    @classmethod
    def add(cls, v):
        cls.total += v
        return cls.total

    def bump(self, v):
        type(self).total += v * self.k
        self.__class__.n += 1
        return self.total

    def note(self, v):
        self.log.append(v)

    @property
    def scaled(self):
        return self.k * Counter.total


class Base:
    count = 1.0

    @classmethod
    def more(cls, v):
        cls.count += v
        return cls.count


class Sub(Base):
    def of_base(self):
        return super().count


class Other(Base):
    pass


class Late:
    """A class whose attributes the programs give it."""


class Later(Late):
    pass


class Box:
    made = 0

    def __init__(self, v):
        self.v = v
        Box.made += 1

    def __eq__(self, other):
        Box.made += 1
        return self.v == other.v

    __hash__ = None


class Node:
    live = 0

    def __init__(self, v, following):
        self.v, self.following = v, following
        Node.live += 1


@dataclass
class Config:
    rate: float = 0.5


class Model:
    def __init__(self, k):
        self.k = k


outer = Box(3.0)


def begin():
    Counter.total, Counter.n, Counter.latest, Counter.flag = 0.0, 0, None, False
    Counter.log, Counter.table, Counter.items = [], np.ones(3), {}
    Counter.model, Base.count, Box.made, Node.live, Config.rate = Model(1.0), 1.0, 0, 0, 0.5
    for cls in (Sub, Other):
        if "count" in vars(cls):
            del cls.count
    for name in {"extra"} & vars(Late).keys():
        delattr(Late, name)
    outer.v = 3.0
    vars(outer).pop("made", None)
    settings.rate, settings.n, settings.log, settings.other = 2.0, 0, [], [1.0]
    settings.table, settings.mode, settings.modes = np.ones(2), "whole", []


def state():
    """All that the programs may change."""
    return [
        Counter.total, Counter.n, Counter.log, Counter.latest, Counter.table, Counter.items,
        vars(Counter.model), Counter.flag, vars(Late).get("extra"), Base.count,
        vars(Sub).get("count"), vars(Other).get("count"), Box.made, Node.live, Config.rate,
        vars(outer), settings.rate,
        settings.n, settings.log, settings.other, settings.table, settings.mode, settings.modes,
    ]  # fmt: skip


def added(x):
    Counter.total += x
    return Counter.total * x


def by_class_methods(x):
    Counter.add(x)
    Counter.add(x * x)
    return Counter.total


def in_a_loop(x):
    for i in range(5):
        Counter.total += x * i
        if i % 2:
            Counter.n += 1
    return Counter.total * Counter.n


def by_methods(x):
    c, d = Counter(2.0), Counter(3.0)
    c.bump(x)
    d.bump(x * x)
    return c.total * Counter.n + d.scaled


def appended(x):
    Counter.log.append(x)
    Counter.log.append(x * x)
    return sum(Counter.log)


def appended_by_a_method(x):
    c = Counter()
    c.note(x)
    c.note(2.0 * x)
    return sum(c.log) * Counter.n


def of_subclasses(x):
    Sub.more(x)
    Base.more(x * x)
    Other.more(1.0)
    return Sub.count * Base.count + Other.count * Sub().of_base()


def on_some_paths(x):
    if x > 1.0:
        Sub.count = x
    return Sub.count * x + Base.count


def of_a_module(x):
    settings.rate *= x
    settings.n += 1
    return settings.rate * settings.n + settings.product()


def list_of_a_module(x):
    settings.log.append(x)
    return sum(settings.log) + settings.size()


def array_of_a_module(x):
    settings.table[:] = x
    settings.table[0] = 2.0 * x
    settings.table = settings.table[::-1] * x
    return settings.table[0] * settings.table[1]


def global_in_another_module(x):
    first = settings.grown(x)
    settings.rate += 1.0
    return first * settings.grown(x) + settings.n + sum(settings.log)


def global_in_a_recursion_elsewhere(x):
    return settings.kept_in_a_table(x, 1) * settings.kept_in_a_table(x, 0) + sum(settings.other)


def array_of_a_class(x):
    Counter.table[0] = x
    Counter.table *= 2.0
    return Counter.table.sum()


def anew(x):
    Counter.table = Counter.table * x
    return Counter.table.sum()


def latest(x):
    before = 1.0 if Counter.latest is None else Counter.latest
    Counter.latest = x * before
    return Counter.latest * 2.0


def raising(x):
    Counter.total = x
    Counter.log.append(x)
    if x > 1.6:
        raise ValueError("large")
    return x * Counter.total


def caught(x):
    try:
        Counter.total += x
        Counter.n += 1
        y = [1.0][Counter.n]
    except IndexError:
        Counter.total *= 3.0
        y = Counter.total
    finally:
        Box.made += 1
    return y * Box.made


def in_a_recursion(x):
    def down(n):
        Counter.n += 1
        if n == 0:
            return x
        Counter.total += x
        return down(n - 1) * Counter.total

    return down(3)


def in_a_generator(x):
    def items():
        try:
            for _ in range(4):
                Counter.total += x
                Box.made += 1
                yield Counter.total
        finally:
            Box.made += 100

    total = 0.0
    for v in items():
        total += v
        if v > 4.0:
            break
    return total + Box.made


def bump(v):
    Box.made += 1
    return v * Box.made


def in_a_comprehension(x):
    return sum([bump(x * k) for k in range(3)]) + sum(map(Counter.add, [x, x * x]))


def in_a_condition(x):
    k = 0
    while bump(x) < 6.5:
        k += 1
    return k * x + Box.made


def in_an_operator(x):
    return x * Counter.n if Box(1.0) == Box(2.0) else x * Box.made


def an_own_one(x):
    c = Counter()
    c.total += x
    Counter.total += 10.0
    return c.total * Counter.total


def own_one_of_an_object_outside(x):
    outer.v = x
    outer.made += 2
    Box.made += 1
    return outer.made * x * Box.made


def by_name(x):
    Counter.total = x * x
    return Counter.total + Counter().total


def under_a_derivative(x):
    return pb.grad(lambda v: Counter.add(v) * v)(x) + Counter.total


def in_a_dict(x):
    for k in range(4):
        Counter.items[k % 2] = Counter.items.get(k % 2, 0.0) + x
    return Counter.items[0] * Counter.items[1]


def in_an_object(x):
    Counter.model.k *= x
    Counter.model.k += 1.0
    return Counter.model.k


def another_object(x):
    Counter.model = Model(x)
    Counter.model.k *= 2.0
    return Counter.model.k * x


def with_references(x):
    a = Node(x, None)
    b = Node(2.0 * x, a)
    a.following = b
    total, p = 0.0, a
    for _ in range(5):
        total += p.v
        p = p.following
        Node.live += 1
    return total * Node.live


def default_of_a_field(x):
    Config.rate = x
    return Config().rate + Config.rate


def flag(x):
    Counter.flag = not Counter.flag
    return x * x if Counter.flag else x


def int_or_float(x):
    Counter.n += 1
    if x > 1.0:
        Counter.n += 0.5
    return Counter.n * x


def in_a_pattern(x):
    Sub.count = x * x
    match Sub():
        case Sub(count=c):
            return x * c


def of_classes_in_a_loop(x):
    for cls in (Sub, Other):
        cls.count += x
        cls.count *= 2.0
    return Sub.count * Other.count * Base.count


def chosen_functions(x):
    total = 0.0
    for f in (bump, lambda v: bump(v) + Box.made):
        total += f(x)
    return total


def several_targets(x):
    Counter.total, Counter.latest = x, 2.0 * x
    for Counter.n in range(3):
        Counter.total += Counter.n
    return Counter.total * Counter.latest


def given_late(x):
    if x > 1.0:
        Late.extra = x
    return getattr(Later(), "extra", 7.0) * x if hasattr(Later(), "extra") else 3.0 * x


def matched_late(x):
    Late.extra = x
    match Later():
        case Later(extra=v):
            return v * x
        case _:
            return x


def given_late_or_raised(x):
    if x > 1.0:
        Late.extra = x
    try:
        return Late.extra * x
    except AttributeError:
        return 3.0 * x


def in_a_ring(x):
    a = Node(x, None)
    b = Node(1.0, a)
    a.following = b
    Node.live += 1
    Late.extra = a.v
    return Later().extra * b.following.live if hasattr(b.following, "live") else x


RIGHT = [
    given_late, matched_late, given_late_or_raised, in_a_ring,
    added, by_class_methods, in_a_loop, by_methods, appended, appended_by_a_method,
    of_subclasses, on_some_paths, of_a_module, list_of_a_module, array_of_a_module,
    global_in_another_module, global_in_a_recursion_elsewhere, settings.global_in_methods,
    array_of_a_class, anew, latest, raising, caught, in_a_recursion, in_a_generator,
    in_a_comprehension, in_a_condition, in_an_operator, an_own_one,
    own_one_of_an_object_outside, by_name, under_a_derivative, in_a_dict, in_an_object,
    another_object, with_references, default_of_a_field, flag, int_or_float, in_a_pattern,
    of_classes_in_a_loop, chosen_functions, several_targets,
]  # fmt: skip


# --- refused --------------------------------------------------------------------------------------


def a_function(x):
    Counter.latest = lambda v: v
    return x


def of_a_local_class(x):
    class Local:
        n = 0.0

    Local.n += x
    return Local.n


def of_numpy(x):
    np.pi = x
    return np.pi


def a_method(x):
    Counter.bump = x
    return x


def of_a_base(x):
    Counter.items = {}
    Sub.count += x
    del Sub.count
    return x


def in_a_checkpoint(x):
    return pb.checkpoint(bump)(x)


REFUSED = [a_function, of_a_local_class, of_numpy, a_method, of_a_base, in_a_checkpoint]
