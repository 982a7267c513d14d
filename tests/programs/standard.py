"""The standard library: folds, iterators, operators as functions, records made from records."""

import bisect
import functools
import heapq
import itertools
import math
import operator
from dataclasses import dataclass, field, replace
from typing import ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from tests.programs import Program

T = TypeVar("T")


def folds(xs, a):
    first = functools.reduce(lambda s, x: s * x + a, xs)
    second = functools.reduce(operator.add, (x * x for x in xs if x > 0.0), a)
    return first + second * functools.reduce(operator.mul, (a, 2.0, a))


def running(xs, a):
    total = 0.0
    for k, s in enumerate(itertools.accumulate(xs, lambda s, x: 0.5 * s + x * a)):
        total += s * s * k
    products = list(itertools.accumulate(xs, operator.mul, initial=a))
    return total + products[-1] + products[1] + len(products)


def pairs(xs, a):
    near = sum((y - x) ** 2 for x, y in itertools.pairwise(xs))
    far = 0.0
    for i, j in itertools.combinations(range(len(xs)), 2):
        far += abs(xs[i] - xs[j]) * (i + 1) + j
    for x, y in itertools.permutations(xs, 2):
        far += x * y * y
    for x, y in itertools.combinations_with_replacement(xs, 2):
        far += x * y * a
    return near + far + sum(x * y for x, y in itertools.combinations((a, a * a, 2.0), 2))


def products(xs, a):
    total = sum(x * y * z for x, y, z in itertools.product(xs, xs[:2], (a, 1.0)))
    for i, j in itertools.product(range(3), repeat=2):
        total += a**i * xs[j]
    return total


def chained(xs, a):
    total = 0.0
    for x in itertools.chain(xs, [a, 2.0 * a], xs[::-1]):
        total = 0.9 * total + x
    for w, x in zip(itertools.cycle((1.0, -0.5, a)), xs):
        total += w * x
    for k, x in zip(itertools.count(1, 2), itertools.islice(xs, 1, None, 2)):
        total += k * x
    return total + sum(map(operator.mul, xs, itertools.repeat(a)))


def selected(xs, a):
    total = sum(filter(lambda x: x > 0.0, xs)) + sum(itertools.filterfalse(math.isnan, xs))
    total += sum(itertools.starmap(lambda x, y: x * y, zip(xs, xs[1:])))
    return total * a + sum(x * y for x, y in zip(xs, xs[::-1], strict=True))


def integers(x, n):
    q, r = divmod(x, 0.7)
    k = math.comb(n, 3) + math.factorial(5) - math.perm(n, 2) + math.gcd(12 * n, 18)
    k += math.isqrt(n * 1000) + math.lcm(n, 6) + pow(3, 4, 5)
    return x * k + q * r + math.dist((x, 2.0, 0.5 * x), (1.0, x, 0.1)) + math.hypot(x, 1.0, x * x)


class Pair(NamedTuple):
    a: float
    b: float = 2.0


@dataclass(frozen=True)
class Box(Generic[T]):
    item: T
    factor: float = 1.0
    tags: tuple[float, ...] = field(default_factory=tuple, kw_only=True)
    SCALE: ClassVar[float] = 2.5

    def __post_init__(self):
        if self.factor < 0.0:
            raise ValueError("a negative factor")

    @classmethod
    def of(cls, x):
        return cls(x, 2.0 * x)

    @staticmethod
    def pair(x, y):
        return Box(Pair(x, y))

    @property
    def size(self):
        return self.item * self.factor * Box.SCALE


@dataclass(frozen=True)
class Tagged(Box[T]):
    weight: float = 1.5

    @property
    def size(self):
        return self.item * self.weight + len(self.tags) + super().size


def records_made(x, y):
    box = Box.of(x)
    other = replace(box, item=y)
    pair = Box.pair(x, y).item._replace(b=x * y)
    tagged = Tagged(x, weight=y, tags=(1.0, y))
    getters = operator.attrgetter("weight", "factor")(tagged)
    rows = ((x, y), (y, 3.0))
    return (
        box.size + other.size * pair.a * pair.b + tagged.size + tagged.SCALE * getters[0]
        + sum(map(operator.itemgetter(1), rows))
    )  # fmt: skip


@dataclass(frozen=True)
class Leaf:
    weight: float


@dataclass(frozen=True)
class Fork:
    left: "Fork | Leaf"
    right: "Fork | Leaf"


@dataclass(frozen=True, order=True)
class Event:
    time: float
    kind: int = field(compare=False)


def shortest_path(xs, a):
    """Dijkstra's algorithm on a ladder of two rows."""
    n = len(xs)
    found = [math.inf] * (2 * n)
    found[0], queue = 0.0, [(0.0, 0)]
    while queue:
        cost, at = heapq.heappop(queue)
        if cost > found[at]:
            continue
        row, k = divmod(at, n)
        for j, w in (((1 - row) * n + k, a * a), (row * n + min(k + 1, n - 1), xs[k] ** 2 + 0.1)):
            if cost + w < found[j]:
                found[j] = cost + w
                heapq.heappush(queue, (found[j], j))
    return found[-1] + found[n - 1] * a


def cost_of_code(tree, depth):
    match tree:
        case Leaf(weight):
            return weight * depth * depth
        case Fork(left, right):
            return cost_of_code(left, depth + 1) + cost_of_code(right, depth + 1)


def huffman(xs, a):
    """Nodes with their weights in a heap: the order of the nodes is never asked for."""
    heap = [(abs(x) + a, Leaf(abs(x))) for x in xs]
    heapq.heapify(heap)
    while len(heap) > 1:
        v, left = heapq.heappop(heap)
        w, right = heap[0]
        heapq.heapreplace(heap, (v + w, Fork(left, right)))
    return cost_of_code(heap[0][1], 0) * heap[0][0]


def medians(xs, a):
    """The median of all so far, by two heaps; and a queue of events."""
    low, high, total = [], [], 0.0
    for x in xs:
        heapq.heappush(low, -heapq.heappushpop(high, x))
        if len(low) > len(high):
            heapq.heappush(high, -heapq.heappop(low))
        total = 0.9 * total + (high[0] if len(high) > len(low) else 0.5 * (high[0] - low[0]))
    queue, steps = [Event(a, 0)], 0
    while queue and steps < len(xs):
        event, steps = heapq.heappop(queue), steps + 1
        if event.kind == 0:
            heapq.heappush(queue, Event(event.time + a, 0))
            heapq.heappush(queue, Event(event.time + 0.7 * a, 1))
        else:
            total += event.time**2
    rows = [[v * v for v in xs], [a]]
    for k in range(len(rows)):
        heapq.heappush(rows[k], a + 0.01 * k)
    few = heapq.nsmallest(2, xs), heapq.nlargest(2, xs, key=lambda v: -v * v)
    return total + sum(map(sum, few)) + rows[0][0] * rows[1][0]


def searched(xs, a):
    """``bisect`` of lists and tuples; the first item of a generator."""
    ordered, total = [], 0.0
    for x in xs:
        bisect.insort(ordered, x * a)
    places = bisect.bisect_left(ordered, xs[0] * a), bisect.bisect(ordered, 0.3, 1)
    total += ordered[places[0]] * places[1]
    total += bisect.bisect_right((0.0, 0.7, 1.1), a, key=lambda v: v * v) * xs[1]
    total += next((x * x for x in ordered if x > 0.0), a) + next((x for x in xs if x > 50.0), a)
    total += next(x * y for x, y in zip(xs, ordered))
    last = next((k for k, x in enumerate(xs) if x < -100.0), -1)
    return total * xs[last] + np.trapezoid(xs, dx=a) + np.trapezoid(xs, np.cumsum(xs * xs))


def looked_up(scope, k):
    while k > 0:
        scope, k = scope.rest, k - 1
    return scope.value


def evaluated(n, k, scope):
    """Called first where nothing is bound: what is read of None there is an error of the run."""
    if n == 0:
        return looked_up(scope, k)
    value = 0.5 * n if n % 2 else looked_up(scope, 0)
    return evaluated(n - 1, k, Bound(value, scope))


@dataclass(frozen=True)
class Bound:
    value: float
    rest: "Bound | None"


def scopes(xs, a):
    return sum(x * evaluated(3, k % 3, None) * a for k, x in enumerate(xs))


def vector(rng, n):
    return rng.normal(size=n), rng.uniform(0.5, 1.5)


PROGRAMS = [
    Program("std_folds", folds, vector, (0, 1), (3, 8)),
    Program("std_running", running, vector, (0, 1), (3, 8)),
    Program("std_pairs", pairs, vector, (0, 1), (3, 8)),
    Program("std_products", products, vector, (0, 1), (3, 8)),
    Program("std_chained", chained, vector, (0, 1), (3, 8)),
    Program("std_selected", selected, vector, (0, 1), (3, 8)),
    Program("std_integers", integers, lambda r, n: (r.uniform(0.8, 1.2), n + 3), (0,), (3, 8)),
    Program("std_searched", searched, vector, (0, 1), (3, 8)),
    Program("scopes", scopes, vector, (0, 1), (3, 8)),
    Program("shortest_path", shortest_path, vector, (0, 1), (3, 8)),
    Program("huffman_in_a_heap", huffman, vector, (0, 1), (3, 8)),
    Program("heaps", medians, vector, (0, 1), (3, 8)),
    Program("std_records", records_made, lambda r, n: (r.normal() ** 2, r.normal()), (0, 1), (3,)),
]
