"""Trees and linked lists of tuples and of named tuples, as deep as the run makes them: by loops, by
recursions and by parsers, taken apart by ``match``, by tags and by dispatch."""

from __future__ import annotations

import heapq
import math
import operator
from collections import deque, namedtuple

OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def built(xs):
    if len(xs) == 1:
        return ("leaf", xs[0])
    m = len(xs) // 2
    return ("node", built(xs[:m]), built(xs[m:]))


def weighed(t):
    return t[1] ** 2 if t[0] == "leaf" else 0.5 * weighed(t[1]) + weighed(t[2])


def tree(xs):
    return weighed(built(list(xs)))


def leaves_of(t):
    if t[0] == "leaf":
        yield t[1]
    else:
        yield from leaves_of(t[1])
        yield from leaves_of(t[2])


def gone_through(xs):
    return sum(i * v for i, v in enumerate(leaves_of(built(list(xs)))))


def linked(xs):
    items = None
    for v in xs:
        items = (v, items)
    total = 0.0
    while items is not None:
        v, items = items
        total = total * 0.5 + v
    return total


def stack_of_pairs(xs):
    env = ()
    for name, v in zip("abcd", xs):
        env = ((name, v), env)
    env = (("a", 10.0), env)

    def find(env, name):
        while env:
            (known, v), env = env
            if known == name:
                return v
        raise KeyError(name)

    return find(env, "b") * find(env, "d") + find(env, "a") * xs[0]


def searched(xs):
    def insert(t, v):
        if t is None:
            return (None, v, None)
        low, w, high = t
        return (insert(low, v), w, high) if v < w else (low, w, insert(high, v))

    def in_order(t):
        return [] if t is None else in_order(t[0]) + [t[1]] + in_order(t[2])

    t = None
    for v in xs:
        t = insert(t, v)
    return sum(math.sqrt(i + 1) * v for i, v in enumerate(in_order(t)))


def balanced(xs):
    """A search tree of red and black nodes (Okasaki, 1999), the two cases that ascend."""

    def mended(colour, low, v, high):
        if colour == "B":
            if low and low[0] == "R" and low[1] and low[1][0] == "R":
                _, (_, a, x, b), y, c = low
                return ("R", ("B", a, x, b), y, ("B", c, v, high))
            if high and high[0] == "R" and high[3] and high[3][0] == "R":
                _, b, y, (_, c, z, d) = high
                return ("R", ("B", low, v, b), y, ("B", c, z, d))
        return (colour, low, v, high)

    def insert(t, v):
        if t is None:
            return ("R", None, v, None)
        colour, low, w, high = t
        if v < w:
            return mended(colour, insert(low, v), w, high)
        return mended(colour, low, w, insert(high, v))

    def total(t, depth):
        if t is None:
            return 0.0
        return total(t[1], depth + 1) + t[2] * depth + total(t[3], depth + 1)

    t = None
    for v in [*xs, *(2.1 * v for v in xs)]:
        _, low, w, high = insert(t, v)
        t = ("B", low, w, high)
    return total(t, 1)


def coded(xs):
    heap = [(v, i, ("leaf", i)) for i, v in enumerate(xs)]
    heapq.heapify(heap)
    n = len(heap)
    while len(heap) > 1:
        a, b = heapq.heappop(heap), heapq.heappop(heap)
        heapq.heappush(heap, (a[0] + b[0], n, ("node", a[2], b[2])))
        n += 1

    def cost(t, depth):
        return depth * xs[t[1]] if t[0] == "leaf" else cost(t[1], depth + 1) + cost(t[2], depth + 1)

    return cost(heap[0][2], 0)


def parsed(xs):
    tokens = "2*(a+b)-c/(1+a)*-d"

    def expression(i):
        left, i = term(i)
        while i < len(tokens) and tokens[i] in "+-":
            op = tokens[i]
            right, i = term(i + 1)
            left = ("binary", op, left, right)
        return left, i

    def term(i):
        left, i = factor(i)
        while i < len(tokens) and tokens[i] in "*/":
            op = tokens[i]
            right, i = factor(i + 1)
            left = ("binary", op, left, right)
        return left, i

    def factor(i):
        if tokens[i] == "(":
            inside, i = expression(i + 1)
            return inside, i + 1
        if tokens[i] == "-":
            inside, i = factor(i + 1)
            return ("minus", inside), i
        if tokens[i].isdigit():
            return ("number", float(tokens[i])), i + 1
        return ("name", tokens[i]), i + 1

    def value(t, env):
        match t:
            case ("number", v):
                return v
            case ("name", name):
                return env[name]
            case ("minus", inside):
                return -value(inside, env)
            case ("binary", op, a, b):
                return OPERATORS[op](value(a, env), value(b, env))

    return value(expression(0)[0], dict(zip("abcd", xs)))


def derived(e):
    match e:
        case float() | int():
            return 0.0
        case "x":
            return 1.0
        case ("+", a, b):
            return ("+", derived(a), derived(b))
        case ("*", a, b):
            return ("+", ("*", derived(a), b), ("*", a, derived(b)))
        case ("sin", a):
            return ("*", ("cos", a), derived(a))
        case ("cos", a):
            return ("*", -1.0, ("*", ("sin", a), derived(a)))


def value_at(e, x):
    match e:
        case float() | int():
            return e
        case "x":
            return x
        case ("+", a, b):
            return value_at(a, x) + value_at(b, x)
        case ("*", a, b):
            return value_at(a, x) * value_at(b, x)
        case ("sin", a):
            return math.sin(value_at(a, x))
        case ("cos", a):
            return math.cos(value_at(a, x))


def derivative_of_a_derivative(xs):
    return value_at(derived(derived(("*", ("sin", "x"), ("+", "x", 2.0)))), xs[0]) * xs[1]


def grown(n):
    if n < 2:
        return ("name", "a") if n == 0 else ("number", 2.5)
    return ("+" if n % 2 else "*", grown(n - 1), grown(n - 2))


def tag_with_a_name(xs):
    def value(t):
        op = t[0]
        if op == "number":
            return t[1]
        if op == "name":
            return xs[1]
        return value(t[1]) + value(t[2]) if op == "+" else value(t[1]) * value(t[2])

    return value(grown(6))


def tag_and_rest(xs):
    def value(t):
        op, *args = t
        if op == "number":
            return args[0]
        if op == "name":
            return xs[1]
        a, b = [value(arg) for arg in args]
        return OPERATORS[op](a, b)

    return value(grown(6))


def dispatched(xs):
    forms = {
        "number": lambda t: t[1],
        "name": lambda t: xs[0],
        "+": lambda t: value(t[1]) + value(t[2]),
        "*": lambda t: value(t[1]) * value(t[2]),
    }

    def value(t):
        return forms[t[0]](t)

    return value(grown(5))


def match_of_the_tag(xs):
    def simpler(t):
        match t[0]:
            case "number" | "name":
                return t
            case "add":
                a, b = simpler(t[1]), simpler(t[2])
                if a[0] == "number" and b[0] == "number":
                    return ("number", a[1] + b[1])
                return ("add", a, b)
            case "times":
                a, b = simpler(t[1]), simpler(t[2])
                return b if a == ("number", 1.0) else ("times", a, b)

    def value(t):
        if t[0] in ("number", "name"):
            return t[1] if t[0] == "number" else xs[t[1]]
        a, b = value(t[1]), value(t[2])
        return a + b if t[0] == "add" else a * b

    t = ("times", ("number", 1.0), ("add", ("name", 0), ("add", ("number", 1.0), ("number", 2.0))))
    return value(simpler(("times", t, ("name", 1))))


def without_tags(xs):
    def made(xs, depth):
        if depth == 0:
            return xs[0]
        m = len(xs) // 2
        return (made(xs[:m], depth - 1), made(xs[m:], depth - 1))

    def best(t, most):
        if not isinstance(t, tuple):
            return t
        found = [best(c, not most) for c in t]
        return max(found) if most else min(found)

    return best(made(list(xs[:4]), 2), True)


def several_children(xs):
    def made(xs, depth):
        if depth == 0:
            return ("leaf", sum(xs))
        return ("node", [made(xs[i::2], depth - 1) for i in range(2)])

    def total(t):
        tag, inside = t
        return inside**2 if tag == "leaf" else 0.5 * sum(map(total, inside))

    return total(made(list(xs), 2))


def children_in_a_tuple(xs):
    def made(xs):
        return ("leaf", xs[0]) if len(xs) == 1 else ("sum", tuple(made([v]) for v in xs))

    def total(t):
        match t:
            case ("leaf", v):
                return v * v
            case ("sum", children):
                return sum(total(c) for c in children)

    return total(made(list(xs)))


def nearest(xs):
    def planted(points, depth=0):
        if not points:
            return None
        points = sorted(points, key=lambda p: p[depth % 2])
        m = len(points) // 2
        return (points[m], planted(points[:m], depth + 1), planted(points[m + 1 :], depth + 1))

    def closest(t, q, depth=0, best=None):
        if t is None:
            return best
        p, low, high = t
        distance = (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2
        if best is None or distance < best:
            best = distance
        near, far = (low, high) if q[depth % 2] < p[depth % 2] else (high, low)
        best = closest(near, q, depth + 1, best)
        if (q[depth % 2] - p[depth % 2]) ** 2 < best:
            best = closest(far, q, depth + 1, best)
        return best

    points = [(xs[0], xs[1]), (xs[2], xs[3]), (xs[1], xs[2]), (xs[3] + 1, xs[0])]
    return closest(planted(points), (0.5, 0.6))


def level_by_level(xs):
    waiting, total, k = deque([built(list(xs))]), 0.0, 1
    while waiting:
        t = waiting.popleft()
        if t[0] == "leaf":
            total += k * t[1]
            k += 1
        else:
            waiting.append(t[1])
            waiting.append(t[2])
    return total


def down_and_up(xs):
    """A zipper: the way down is a linked list of what lies beside it."""
    t, way = built(list(xs)), None
    while t[0] == "node":
        way, t = ("left", t[2], way), t[1]
    t = ("leaf", t[1] * 2)
    while way is not None:
        _, beside, way = way
        t = ("node", t, beside)
    return weighed(t)


def compared(xs):
    a, b, c = built(list(xs)), built(list(xs)), built(list(xs[::-1]))
    return xs[0] * (a == b) + xs[1] * (a == c) + xs[2] * (a != c) + (xs[3] if a < c else xs[4])


def functions_in_trees(xs):
    t = ("leaf", xs[0])
    for v in xs[1:]:
        t = ("apply", lambda a, b: a * 0.5 + b, t, ("leaf", v))

    def value(t):
        return t[1] if t[0] == "leaf" else t[1](value(t[2]), value(t[3]))

    return value(t)


class Cursor:
    def __init__(self, t):
        self.t, self.steps = t, 0

    def go(self, left):
        self.t = self.t[1] if left else self.t[2]
        self.steps += 1


def in_objects_and_dicts(xs):
    cursor = Cursor(built(list(xs)))
    cursor.go(True)
    cursor.go(False)
    trees = {"a": built(list(xs)), "b": built(list(xs[:2]))}
    trees["c"] = ("node", trees["a"], cursor.t)
    return weighed(trees["c"]) + weighed(trees["b"]) * cursor.steps


Leaf = namedtuple("Leaf", "value")
Node = namedtuple("Node", "left right")
Pair = namedtuple("Pair", "first rest")
Entry = namedtuple("Entry", "key left right")


def named(xs):
    def made(xs):
        m = len(xs) // 2
        return Leaf(xs[0]) if len(xs) == 1 else Node(made(xs[:m]), made(xs[m:]))

    def total(t):
        match t:
            case Leaf(v):
                return v * v
            case Node(left, right):
                return 0.5 * total(left) + total(right)

    return total(made(list(xs)))


def named_and_linked(xs):
    items = None
    for v in xs:
        items = Pair(v, items)
    total = 0.0
    while items is not None:
        total = total * 0.5 + items.first
        items = items.rest
    return total


def named_and_replaced(xs):
    def insert(t, k):
        if t is None:
            return Entry(k, None, None)
        if k < t.key:
            return t._replace(left=insert(t.left, k))
        return t._replace(right=insert(t.right, k))

    def in_order(t):
        return [] if t is None else in_order(t.left) + [t.key] + in_order(t.right)

    t = None
    for v in xs:
        t = insert(t, v)
    return sum(i * v for i, v in enumerate(in_order(t)))


def as_a_result(xs):
    return built(list(xs))


def as_a_key(xs):
    seen = {built([1.0, 2.0]), built([1.0, 2.0])}
    return len(seen) * xs[0]


def as_a_text(xs):
    return len(f"{built([1.0, 2.0])}") * xs[0]


def by_identity(xs):
    t = built(list(xs))
    return xs[0] if t[1] is t[1] else xs[1]


def of_a_list(xs):
    t = (xs[0],)
    for v in xs:
        t = tuple([t, v])
    return xs[0]


RIGHT = [
    tree, gone_through, linked, stack_of_pairs, searched, balanced, coded, parsed,
    derivative_of_a_derivative, tag_with_a_name, tag_and_rest, dispatched, match_of_the_tag,
    without_tags, several_children, children_in_a_tuple, nearest, level_by_level, down_and_up,
    compared, functions_in_trees, in_objects_and_dicts, named, named_and_linked,
    named_and_replaced,
]  # fmt: skip
REFUSED = [as_a_result, as_a_key, as_a_text, by_identity, of_a_list]
