"""Sequence patterns on lists of unknown length, and starred targets."""

import math
from dataclasses import dataclass

from tests.programs import Program


def total(xs):
    match xs:
        case []:
            return 0.0
        case [x, *rest]:
            return math.sin(x) + x * total(rest) * 0.5


def by_length(xs):
    """Every form; the cases before say what the later ones can be."""
    match xs:
        case []:
            y = 0.0
        case [x]:
            y = x * x
        case [x, y] if x > y:
            y = x * y
        case [first, _, *_, last] if first * last > 0.0:
            y = first * last + 1.0
        case [first, *init, last]:
            y = first - last + sum(init) * 0.1
        case (first, second):
            y = first / (1.0 + second * second)
    return y * y


def _insert(x, xs):
    match xs:
        case []:
            return [x]
        case [y, *rest] if x > y:
            return [y, *_insert(x, rest)]
        case _:
            return [x, *xs]


def _sorted(xs):
    match xs:
        case [] | [_]:
            return xs
        case [x, *rest]:
            return _insert(x, _sorted(rest))


def insertion_sort(xs):
    return sum(k * math.exp(-v) for k, v in enumerate(_sorted(xs)))


def _merge(xs, ys):
    match xs, ys:
        case [], _:
            return ys
        case _, []:
            return xs
        case [x, *more], [y, *_] if x <= y:
            return [x] + _merge(more, ys)
        case _, [y, *more]:
            return [y] + _merge(xs, more)


def _merge_sort(xs):
    match xs:
        case [] | [_]:
            return xs
        case _:
            half = len(xs) // 2
            return _merge(_merge_sort(xs[:half]), _merge_sort(xs[half:]))


def merge_sort(xs):
    return sum(k * v * v for k, v in enumerate(_merge_sort(xs)))


@dataclass(frozen=True)
class Poly:
    coefficients: list[float]
    shift: float


@dataclass(frozen=True)
class Item:
    weight: float
    value: float
    open: bool


def horner(p, x):
    """Inside a class pattern."""
    match p:
        case Poly([], s):
            return s
        case Poly([c, *cs], s):
            return c + (x - s) * horner(Poly(cs, s), x)


def knapsack(items, room):
    """A list of records, taken apart by patterns of records inside."""
    match items:
        case []:
            return 0.0
        case [Item(weight=w, value=v, open=True), *rest] if w < room:
            a, b = v + knapsack(rest, room - w), knapsack(rest, room)
            return math.log(math.exp(a) + math.exp(b))
        case [Item() as item, *rest]:
            return knapsack(rest, room) + 0.01 * item.weight * room


def machine(x, ops):
    """A stack of its own, taken apart from the end; ``*rest`` is a list of its own."""
    stack = [x]
    for op in ops:
        match stack:
            case [*rest, a, b] if op == 0:
                rest.append(a * b + 0.5)
                stack = rest
            case [*_, a] if op == 1:
                stack.append(math.cos(a))
            case [_, *rest] if op == 2:
                rest.extend([x, 0.3 * x])
                stack = rest
            case _:
                stack = [v * 1.1 for v in stack] + [x]
    first, *_, last = [0.0, *stack, 1.0]
    head, *tail = stack
    tail.append(head * last)
    return first + sum(tail)


def pairs(rows):
    """A list of lists, and one of tuples."""
    match rows:
        case [[a, *_], *rest] if len(rest) > 0:
            return a * pairs(rest) + 1.0
        case [[a, b, *more]]:
            return a * b + len(more)
        case [[], *_] | []:
            return 0.25
        case _:
            return -1.0


def tuples(xs):
    def go(ps):
        match ps:
            case [(x, k), (y, _), *_] if k % 2 == 0:
                return x * y + go(ps[1:])
            case [(x, k), *rest]:
                return x + k + go(rest)
        return 0.0

    return go([(x * x, k) for k, x in enumerate(xs)])


def names_of_patterns(xs):
    """Names that hide others, that a case which does not fit has bound, with := in a guard."""
    a, rest, total = 1.0, 2.0, 0.0
    match xs:
        case [a, b, *_] if a > b:
            y = a
        case [c, *_]:
            y = c + a
        case _:
            y = a
    match xs:
        case [x, *xs] if (z := x * x) > 0.01 and sum([(total := total + z * v) for v in xs]) > -1:
            rest = sum(xs) * x + total
        case [*xs, x]:
            rest = rest * x + len(xs)
    d = {"a": list(xs), "b": [y]}
    match d["a"]:
        case [h, *tail]:
            d["b"].append(h)
            tail.append(d["b"][0] * y)
            rest += sum(tail)
    return rest * sum(d["b"])


def numbers(rng, n):
    return ([float(v) for v in rng.normal(size=n)],)


def items_args(rng, n):
    w, v = rng.uniform(0.1, 1.0, n), rng.normal(size=n)
    return [Item(float(a), float(b), bool(a > 0.3)) for a, b in zip(w, v)], 1.7


def rows_args(rng, n):
    rows = [[float(v) for v in rng.normal(size=1 + k % 3)] for k in range(n)]
    return ([*rows, [0.3, -0.2, 0.9]],)


PROGRAMS = [
    Program("pattern_total", total, numbers),
    Program("by_length", by_length, numbers, sizes=(1, 2, 3, 8)),
    Program("names_of_patterns", names_of_patterns, numbers),
    Program("pattern_insertion_sort", insertion_sort, numbers),
    Program("pattern_merge_sort", merge_sort, numbers),
    Program(
        "horner", horner, lambda r, n: (Poly([*map(float, r.normal(size=n))], 0.2), 0.7), (0, 1)
    ),
    Program("knapsack", knapsack, items_args, (0, 1), sizes=(2, 5)),
    Program(
        "machine", machine, lambda r, n: (float(r.normal()), [int(k) for k in r.integers(0, 4, n)]),
        growth=(30, 70, 150),
    ),
    Program("pattern_pairs", pairs, rows_args, sizes=(1, 4)),
    Program("pattern_tuples", tuples, numbers),
]
