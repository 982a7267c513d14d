"""Deep copies of objects that have several names; the functions take a list of numbers."""

import copy
import itertools
from dataclasses import dataclass, field

import numpy as np


class N:
    def __init__(self, v, nxt=None):
        self.v = v
        self.next = nxt


def a_ring(xs):
    x = xs[0]
    a = N(x)
    b = N(2 * x, a)
    a.next = b
    c = copy.deepcopy(a)
    c.v *= 3.0
    c.next.v += 1.0
    return a.v * 10 + b.v + c.v * 2 + c.next.next.v * (1.0 if c.next.next is c else 0.0)


def twice_in_a_list(xs):
    x = xs[0]
    a = N(x)
    ns = [a, N(1.0, a), a]
    ms = copy.deepcopy(ns)
    ms[0].v += 1.0
    return ms[2].v + ms[1].next.v * 10 + a.v * 100 + (1.0 if ms[0] is ms[2] else 0.0)


def shallow(xs):
    x = xs[0]
    a = N(x)
    a.next = a
    b = copy.copy(a)
    b.v = 5.0 * x
    return a.v + b.v * 10 + b.next.v * 100


@dataclass
class P:
    m: float
    pos: list
    tags: dict = field(default_factory=dict)
    near: object = None


def with_lists_and_dicts(xs):
    x = xs[0]
    ps = [P(x, [0.0, x]), P(1.0, [1.0, 2.0])]
    ps[0].near = ps[1]
    ps[1].near = ps[0]
    qs = copy.deepcopy(ps)
    for q in qs:
        q.pos[0] += q.near.m
        q.near.pos[1] *= 2.0
    qs[0].tags["a"] = x
    return (
        sum(p.pos[0] + 10 * p.pos[1] for p in ps)
        + sum(100 * q.pos[0] + 1000 * q.pos[1] for q in qs)
        + len(ps[0].tags)
        + len(qs[0].tags)
    )


class T:
    def __init__(self, v):
        self.v = v
        self.kids = []
        self.up = None

    def add(self, v):
        k = T(v)
        k.up = self
        self.kids.append(k)
        return k

    def total(self):
        return self.v + sum(k.total() for k in self.kids)


def trees_with_parents(xs):
    x = xs[0]
    r = T(x)
    a = r.add(2 * x)
    b = a.add(3.0)
    r.add(x * x)
    s = copy.deepcopy(r)
    s.kids[0].kids[0].v *= 10.0
    s.kids[0].add(7.0 * x)
    t = copy.deepcopy(b)
    t.up.up.v = 100.0 * x
    return r.total() + 2 * s.total() + 3 * t.up.up.total() + b.v


def in_a_dict(xs):
    x = xs[0]
    d = {"a": N(x), "b": N(2.0)}
    d["c"] = d["a"]
    e = copy.deepcopy(d)
    e["a"].v += 1.0
    return e["c"].v + d["c"].v * 10 + e["b"].v * 100


def rows_of_one_list(xs):
    x = xs[0]
    rows = [[x, 1.0], [2.0]]
    rows.append(rows[0])
    new = copy.deepcopy(rows)
    new[0][0] += 1.0
    return new[2][0] + rows[2][0] * 10 + len(new)


@dataclass
class State:
    board: list
    score: float
    moves: list = field(default_factory=list)


def a_state_for_each_branch(xs):
    x = xs[0]
    best = State([0, 0, 0], 0.0)

    def go(s, d):
        nonlocal best
        if d == 3:
            if s.score > best.score:
                best = s
            return
        for k in range(3):
            if s.board[k] == 0:
                c = copy.deepcopy(s)
                c.board[k] = d + 1
                c.score += x * k * (d + 1)
                c.moves.append(k)
                go(c, d + 1)

    go(best, 0)
    return best.score + sum(m * 10**i for i, m in enumerate(best.moves))


class A:
    def __init__(self, v):
        self.v = v
        self.other = self


class B(A):
    def __init__(self, v):
        super().__init__(v)
        self.w = 2 * v


def of_several_classes(xs):
    x = xs[0]
    a, b = A(x), B(3.0)
    a.other, b.other = b, a
    late = A(1.0)
    late.extra = x
    c = copy.deepcopy([a, b, late])
    c[1].w += x
    c[0].other.v *= 2
    return (
        sum(o.v for o in c)
        + b.w * 10
        + c[1].w * 100
        + c[2].extra
        + (1 if hasattr(c[0], "extra") else 0)
        + (2 if isinstance(c[0].other, B) else 0)
    )


def lists_of_two_objects(xs):
    x = xs[0]
    a = [x, 2.0]
    rows = [a, a, [a[0]]]
    objs = [N(1.0), N(2.0)]
    objs[0].next = rows
    objs[1].next = rows
    c = copy.deepcopy(objs)
    c[0].next[0][0] = 9.0
    return c[1].next[1][0] + a[0] * 10 + rows[0][0] * 100


def with_an_array(xs):
    x = xs[0]

    class Box:
        def __init__(self, a):
            self.a = a
            self.me = self

    b = Box(np.array([x, 2.0]))
    c = copy.deepcopy(b)
    c.me.a[0] += 1.0
    return b.a.sum() + 10 * c.a.sum()


def in_a_tuple(xs):
    x = xs[0]
    t = (N(x), [N(2.0)], {"k": N(3.0)})
    t[0].next = t[1][0]
    u = copy.deepcopy(t)
    u[0].next.v += x
    return u[1][0].v + t[1][0].v * 10 + u[2]["k"].v


def in_a_dict_of_numbers(xs):
    x = xs[0]
    ns = [N(x * k) for k in range(5)]
    for a, b in itertools.pairwise(ns):
        a.next = b
    d = {k: n for k, n in enumerate(ns)}
    e = copy.deepcopy(d)
    e[0].next.next.v *= 2.0
    return sum(n.v * (k + 1) for k, n in e.items()) + d[2].v


def many_copies(xs):
    x = xs[0]
    a = N(x)
    a.next = N(2.0, a)
    h = [copy.deepcopy(a) for _ in range(3)]
    h[1].next.next.v = 7.0
    return sum(n.v for n in h) + a.v


def a_history(xs):
    x = xs[0]
    a = N(x)
    a.next = a
    snaps = []
    for _ in range(3):
        snaps.append(copy.deepcopy(a))
        a.v *= 2.0
        a.next.v += 1.0
    return sum(s.next.v * 10**k for k, s in enumerate(snaps)) + a.v


def in_a_deep_copy(xs):
    rows = [[xs[0]]] * 2
    rows[0].append(1.0)
    return sum(copy.deepcopy(rows)[0])


def one_list_twice(xs):
    a = [xs[0]]
    both = copy.deepcopy([a, a])
    both[0].append(3.0 * xs[1])
    return sum(both[1]) * 2 + sum(a)


RIGHT = [
    a_ring, twice_in_a_list, shallow, with_lists_and_dicts, trees_with_parents, in_a_dict,
    rows_of_one_list, a_state_for_each_branch, of_several_classes, lists_of_two_objects,
    with_an_array, in_a_tuple, in_a_dict_of_numbers, many_copies, a_history, one_list_twice,
    in_a_deep_copy,
]  # fmt: skip
