"""Small programs with ``yield``, each with arguments; plain Python is the oracle."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from itertools import takewhile

import numpy as np

import pullback as pb


def squares(xs):
    for x in xs:
        yield x * x


def counted(n):
    i = 0
    while i < n:
        yield i
        i += 1


def several(x):
    yield x
    yield 2.0 * x
    yield x * x


def chosen(xs):
    for x in xs:
        if x > 1.0:
            yield x
        elif x > 0.0:
            yield -x
            yield 3.0 * x
        else:
            continue


def halves(x):
    while True:
        yield x
        x = 0.5 * x


def until_zero(xs):
    for x in xs:
        if x == 0.0:
            return
        yield 1.0 / x


def scaled(xs, by=2.0):
    for x in xs:
        yield x * by


def late_error(xs):
    for x in xs:
        yield x
        assert x < 3.0, "too large"


def chained(xs):
    yield 0.5
    yield from xs
    yield from squares(xs)
    yield from range(3)
    yield from (1.0, 2.0)


def pairs(xs):
    for i, x in enumerate(xs):
        yield i, 1.0 * x


def in_match(ops):
    for op, x in ops:
        match op:
            case "push":
                yield x
            case "twice":
                yield x
                yield x
            case _:
                pass


def windows(xs, n):
    window = []
    for x in xs:
        window = [*window, x]
        if len(window) > n:
            window = window[1:]
        if len(window) == n:
            yield window


def nested(n):
    for i in counted(n):
        for j in counted(i):
            yield i * 10 + j


@dataclass(frozen=True)
class Node:
    left: Node | None
    value: float
    right: Node | None


def walk(t):
    if t is not None:
        yield from walk(t.left)
        yield t.value
        yield from walk(t.right)


def old_walk(t):
    if t is None:
        return
    for v in old_walk(t.left):
        yield v
    yield t.value
    for v in old_walk(t.right):
        yield v


@dataclass(frozen=True)
class Ladder:
    step: float
    rungs: int

    def __iter__(self):
        for k in range(self.rungs):
            yield k * self.step

    def heights(self, start=0.0):
        for k in range(self.rungs):
            yield start + k * self.step


TREE = Node(Node(None, 1.0, Node(None, 1.5, None)), 2.0, Node(None, 3.0, None))


# --- consumers ------------------------------------------------------------------------------------


def for_loop(xs):
    total = 0.0
    for v in squares(xs):
        total += v * (1.0 + total)
    return total


def summed(xs):
    return sum(squares(xs))


def listed(xs):
    return list(squares(xs))


def comprehended(xs):
    return [v + 1.0 for v in squares(xs) if v > 1.0]


def count_up(n):
    return [i * 2 for i in counted(n)]


def three(x):
    return [v for v in several(x)]


def three_products(x):
    total = 1.0
    for v in several(x):
        total = total * v + v
    return total


def choose(xs):
    return list(chosen(xs))


def stop_early(x):
    total = 0.0
    for v in halves(x):
        if v < 0.1:
            break
        total += v * v
    return total


def return_early(x):
    for v in halves(x):
        if v < 0.1:
            return v * 3.0
    return 0.0


def with_else(xs):
    for v in squares(xs):
        if v > 8.0:
            found = v
            break
    else:
        found = -1.0
    return found


def with_continue(xs):
    total = 0.0
    for v in squares(xs):
        if v < 1.0:
            continue
        total += v
    return total


def returns_inside(xs):
    return sum(until_zero(xs))


def defaults(xs):
    return sum(scaled(xs)) + sum(scaled(xs, 3.0)) + sum(scaled(xs, by=0.5))


def any_stops(xs):
    return any(v > 0.4 for v in until_zero_unchecked(xs))


def until_zero_unchecked(xs):
    for x in xs:
        yield 1.0 / x


def all_stops(xs):
    return all(v < 2.0 for v in until_zero_unchecked(xs))


def any_of_it(xs):
    return any(until_zero_unchecked(xs))


def largest(xs):
    return max(squares(xs)) - min(squares(xs))


def largest_by_key(xs):
    return max(squares(xs), key=lambda v: -((v - 1.0) ** 2))


def largest_or(xs):
    return max((v for v in squares(xs) if v > 100.0), default=0.25)


def ordered(xs):
    return sorted(squares(xs))


def error_after(xs):
    total = 0.0
    for v in late_error(xs):
        total += v
        if total > 5.0:
            break
    return total


def delegated(xs):
    return sum(chained(xs))


def numbered(xs):
    return sum(i * x for i, x in pairs(xs))


def enumerated(xs):
    return sum(k * v for k, v in enumerate(squares(xs), 1))


def zipped_first(xs, ys):
    return sum(v * y for v, y in zip(squares(xs), ys))


def zipped_second(xs, ys):
    return [v * y for y, v in zip(ys, squares(xs))]


def mapped(xs):
    return sum(map(math.sin, squares(xs)))


def filtered(xs):
    return list(filter(lambda v: v > 1.0, squares(xs)))


def taken(x):
    return sum(takewhile(lambda v: v > 0.01, halves(x)))


def sliced(x):
    return list(itertools.islice(halves(x), 4))


def sliced_far(x):
    return list(itertools.islice(halves(x), 1, 8, 3))


def accumulated(xs):
    return list(itertools.accumulate(squares(xs)))


def paired(xs):
    return sum(a * b for a, b in itertools.pairwise(squares(xs)))


def chained_by_library(xs):
    return list(itertools.chain([0.5], squares(xs), xs))


def first_of(xs):
    return next(v for v in squares(xs) if v > 1.0)


def first_or(xs):
    return next(squares(xs), -1.0)


def reduced(xs):
    from functools import reduce

    return reduce(lambda a, b: a * 0.5 + b, squares(xs), 0.0)


def matched(a, b):
    return sum(in_match([("push", a), ("twice", b), ("drop", a)]))


def slide(xs):
    return sum(w[0] * w[-1] for w in windows(xs, 2))


def double_loop(n):
    return list(nested(n))


def tree_sum(t):
    return sum(v * v for v in walk(t))


def tree_list(t):
    return list(walk(t))


def tree_old(t):
    total = 0.0
    for v in old_walk(t):
        total = total * 0.5 + v
    return total


def tree_first(t):
    for v in walk(t):
        if v > 1.2:
            return v * v
    return 0.0


def method(x):
    return sum(Ladder(x, 4).heights()) + sum(Ladder(x, 2).heights(1.0))


def of_object(x):
    total = 1.0
    for height in Ladder(x, 4):
        total += height * total
    return total * sum(Ladder(x, 3))


def mapped_nested(xs):
    return sum(map(lambda v: v * v, (x * y for x in xs for y in xs if x > y)))


def parameter(xs):
    return total_of(squares(xs)) + total_of(v + 1.0 for v in xs)


def total_of(values):
    total = 0.0
    for v in values:
        total += v * v
    return total


def expression_over(xs):
    return sum(v + 1.0 for v in (2.0 * u for u in squares(xs)) if v > 1.0)


def named(xs):
    values = squares(xs)
    return sum(values)


def named_expression(x):
    """A generator expression reads the names around it when it runs."""
    k = 1.0
    values = (v * k for v in [x, x])
    k = x
    return sum(values)


def given_back(xs):
    return sum(made(xs, 2.0))


def made(xs, by):
    return scaled(squares(xs), by)


def local(xs, c):
    def shifted():
        for x in xs:
            yield x + c

    return sum(v * v for v in shifted())


def builds_list(xs):
    out = []
    for v in chosen(xs):
        out.append(v)
        out.append(v + 1.0)
    return out


def in_loop(xs):
    total = 0.0
    for k in range(3):
        for v in scaled(xs, float(k)):
            total += v
    return total


def unpacked(x):
    a, b, c = several(x)
    return a + b * c


def unpacked_two(x):
    a, b = several(x)
    return a + b


def joined_text(xs):
    return [tag for tag, _ in tagged(xs)].count("low")


def tagged(xs):
    for x in xs:
        yield ("low" if x < 1.0 else "high"), x


def nothing(xs):
    return list(empty(xs))


def empty(xs):
    for x in xs:
        if x > 1e9:
            yield x


def iterated(f, x):
    while True:
        yield x
        x = f(x)


def newton(a):
    steps = iterated(lambda x: 0.5 * (x + a / x), a)
    return [x for x, _ in zip(steps, range(6))][-1]


def converged(a):
    last = 0.0
    for x in iterated(lambda x: x - (x * x - a) / (2.0 * x), a):
        if abs(x - last) < 1e-12:
            break
        last = x
    return last


def zipped_three(xs, ys):
    return sum(a * b * c for a, b, c in zip(ys, squares(xs), [2.0, 3.0, 4.0]))


def mapped_two(xs, ys):
    return list(map(lambda a, b: a - b, squares(xs), ys))


def round_and_round(xs):
    return list(itertools.islice(itertools.cycle(squares(xs)), 7))


def reduced_from_first(xs):
    from functools import reduce

    return reduce(lambda a, b: a * 0.5 + b, squares(xs))


def flattened(xs):
    return sum(itertools.chain.from_iterable([xs, xs]))


def contains(xs):
    return 4.0 in squares(xs)


def extended(xs):
    out = [1.0]
    out.extend(squares(xs))
    out += chosen(xs)
    return [*out, *several(2.0)]


def starred(xs):
    first, *rest = squares(xs)
    return first + sum(rest)


def ends_with_value(xs):
    for x in xs:
        if x < 0.0:
            return x
        yield x
    return 0.0


def with_result(xs):
    return sum(ends_with_value(xs))


def made_on_paths(xs, c):
    values = squares(xs) if c > 0.0 else scaled(xs)
    return sum(values)


def consumed_on_paths(xs, c):
    values = squares(xs)
    if c > 0.0:
        return sum(values)
    return max(values) * c


def rows_of(xs):
    for x in xs:
        yield np.array([x, 2.0 * x])


def arrays(xs):
    total = np.zeros(2)
    for row in rows_of(xs):
        total = total + row * row
    return total.sum()


def updating(n, x):
    table = np.zeros(n)
    for k in range(n):
        table[k] = x * k
        yield table[k] + table.sum()


def inside_updates(x):
    return sum(v * v for v in updating(4, x))


def per_item(xs):
    return [sum(scaled(xs, x)) for x in xs]


def inner_break(xs):
    total = 0.0
    for x in xs:
        for v in halves(x):
            if v < 1.0:
                break
            total += v * x
    return total


def outer_stops(n):
    for i in counted(n):
        for j in scaled([1.0, 2.0, 3.0], float(i)):
            if j > 3.5:
                return
            yield i * j


def stops_inside(n):
    return list(outer_stops(n))


def optional(xs):
    for x in xs:
        yield x if x > 0.0 else None


def of_optional(xs):
    return sum(v for v in optional(xs) if v is not None)


def points(xs):
    for x in xs:
        yield Ladder(x, 2)


def of_records(xs):
    return sum(p.step * p.rungs for p in points(xs))


def keywords(xs, *, by, shift=0.0):
    for x in xs:
        yield x * by + shift


def by_keyword(xs):
    return sum(keywords(xs, by=3.0)) + sum(keywords(xs, shift=1.0, by=2.0))


def of_any(*xs):
    for x in xs:
        yield x * x


def by_star(x):
    return sum(of_any(x, 2.0 * x, 3.0))


def gradients(xs):
    return sum(pb.grad(lambda u, v=v: u * v * u)(v) for v in squares(xs))


def in_gradient(x):
    def energy(u):
        return sum(v * v for v in several(u))

    return pb.grad(energy)(x)


def deeper(t, depth):
    if t is not None:
        yield depth, t.value
        yield from deeper(t.left, depth + 1)
        yield from deeper(t.right, depth + 1)


def tree_depths(t):
    return sum(v * (d + 1) for d, v in deeper(t, 0))


def even(n, x):
    if n > 0:
        yield x
        yield from odd(n - 1, x * 0.5)


def odd(n, x):
    if n > 0:
        yield -x
        yield from even(n - 1, x * 0.25)


def mutual(x):
    return list(even(5, x))


def in_recursion(n, x):
    return x if n == 0 else sum(in_recursion(n - 1, v) for v in scaled([x, 0.5 * x]))


def recurses(x):
    return in_recursion(3, x)


def while_with_state(xs):
    i, total = 0, 0.0
    while i < len(xs):
        for v in several(xs[i]):
            total += v
            if total > 4.0:
                i += 1
        i += 1
    return total


def minimum_by(xs):
    return min(pairs(xs), key=lambda p: p[1])


def first_pair(xs):
    return next((i for i, x in pairs(xs) if x > 1.0), -1)


def empty_sum(n):
    return sum(counted(n)) + sum(squares([]))


def product(xs):
    return math.prod(squares(xs)) + math.fsum(squares(xs))


def only_prints(x):
    yield x
    raise ValueError("the end")


def before_the_end(x):
    for v in only_prints(x):
        if v > 0.0:
            return v
    return 0.0


XS = [0.5, 2.0, -1.0, 3.0]

PROGRAMS = [
    (for_loop, (XS,)), (summed, (XS,)), (listed, (XS,)), (comprehended, (XS,)), (count_up, (4,)),
    (three, (1.5,)), (three_products, (1.5,)), (choose, (XS,)), (stop_early, (3.0,)),
    (return_early, (3.0,)), (with_else, (XS,)), (with_else, ([0.5],)), (with_continue, (XS,)),
    (returns_inside, ([1.0, 4.0, 0.0, 5.0],)), (defaults, (XS,)),
    (any_stops, ([4.0, 2.0, 0.0],)), (all_stops, ([4.0, 0.25, 0.0],)), (any_of_it, ([4.0, 0.0],)),
    (largest, (XS,)), (largest_by_key, (XS,)), (largest_or, (XS,)), (ordered, (XS,)),
    (error_after, ([1.0, 2.0, 4.0],)), (delegated, (XS,)), (numbered, (XS,)),
    (enumerated, (XS,)), (zipped_first, (XS, [1.0, 2.0, 3.0])), (zipped_second, (XS, [1.0, 2.0])),
    (mapped, (XS,)), (filtered, (XS,)), (taken, (3.0,)), (sliced, (3.0,)), (sliced_far, (3.0,)),
    (accumulated, (XS,)), (paired, (XS,)), (chained_by_library, (XS,)), (first_of, (XS,)),
    (first_or, (XS,)), (reduced, (XS,)), (matched, (1.0, 2.0)), (slide, (XS,)),
    (double_loop, (4,)), (tree_sum, (TREE,)), (tree_list, (TREE,)), (tree_old, (TREE,)),
    (tree_first, (TREE,)), (method, (0.5,)), (of_object, (0.5,)),
    (mapped_nested, (XS,)), (parameter, (XS,)), (expression_over, (XS,)),
    (named, (XS,)), (named_expression, (1.5,)), (given_back, (XS,)),
    (local, (XS, 0.5)), (builds_list, (XS,)),
    (in_loop, (XS,)), (unpacked, (1.5,)), (joined_text, (XS,)), (nothing, (XS,)),
    (newton, (3.0,)), (converged, (3.0,)), (zipped_three, (XS, [1.0, 2.0, 3.0])),
    (mapped_two, (XS, XS)), (round_and_round, (XS,)), (reduced_from_first, (XS,)),
    (flattened, (XS,)), (contains, (XS,)), (contains, ([1.0],)), (extended, (XS,)),
    (starred, (XS,)), (with_result, (XS,)), (consumed_on_paths, (XS, -1.0)),
    (arrays, (XS,)), (inside_updates, (0.5,)),
    (per_item, (XS,)), (inner_break, (XS,)), (stops_inside, (4,)), (of_optional, (XS,)),
    (of_records, (XS,)), (by_keyword, (XS,)), (by_star, (0.5,)), (gradients, (XS,)),
    (in_gradient, (0.5,)), (tree_depths, (TREE,)), (mutual, (2.0,)), (recurses, (0.5,)),
    (while_with_state, (XS,)), (minimum_by, (XS,)), (first_pair, (XS,)), (empty_sum, (3,)),
    (product, (XS,)), (before_the_end, (2.0,)),
]  # fmt: skip

RAISING = [
    (any_stops, ([4.0, 0.0, 1.0],)), (error_after, ([1.0, 3.5, 4.0],)), (first_of, ([0.5],)),
    (largest, ([],)), (before_the_end, (-1.0,)), (unpacked_two, (1.0,)),
    (reduced_from_first, ([],)),
]  # fmt: skip
