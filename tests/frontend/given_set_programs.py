"""Programs that are given sets, make frozensets, or change sets around them."""

from types import SimpleNamespace


def members(x, s, k):
    return (x if k in s else 2 * x) + len(s)


def run_over(x, s, n):
    t = 0.0
    for i in range(n):
        if i in s:
            t += x * i
    return t


def in_order(x, s):
    t = 0.0
    for v in sorted(s):
        t = t * x + v
    return t


def operators(x, s, t):
    return x * len(s | t) + x * x * len(s & t) + len(s ^ t) * (s <= t) + s.isdisjoint({100})


def inside(x, p):
    return x * len(p["seen"]) * (3 in p["more"][0]) + p["w"]


def in_an_object(x, o):
    o.seen.add(4)
    o.seen.discard(1)
    o.n += 1
    return x * len(o.seen)


def in_a_list(x, rows):
    rows[0].add(77)
    return x * sum(len(s) for s in rows)


def of_texts(x, s):
    return sum(x * len(k) for k in s)


def updated(x, s, t):
    s.discard(1)
    t |= {100}
    s -= {2}
    return x * len(s) + len(t)


def cleared(x, s):
    s.clear()
    return x


def updated_and_raises(x, s):
    s.add(9)
    if x > 0:
        raise ValueError("no")
    return x


def copied(x, s):
    t = s.copy()
    t.add(5)
    return x * len(t) + len(s)


def walked(graph, seen, x):
    total, todo = 0.0, [0]
    while todo:
        k = todo.pop()
        if k not in seen:
            seen.add(k)
            total += x * k
            todo.extend(graph[k])
    return total * x


def of_other_types(x, s):
    found = (2 in s) + (None in s) + ("a" in s) + (2**70 in s) + (1.5 in s) + ((1, 2) in s)
    return x * found + (-(2**63) in s)


def dict_of_other_types(x, n):
    d = {i: x for i in range(n)}
    d[-(2**63)] = 5 * x
    rest = d.get("a", 3.0) + d.get(None, 2.0) + d.get(2**80, 1.0) + d.pop("z", 5.0)
    try:
        return d["a"]
    except KeyError:
        return d[-(2**63)] * rest + len(d)


def frozen(x, xs):
    s = frozenset(xs)
    t = s
    s |= {3}
    mixed = isinstance({1} | s, set) and isinstance(s & {1}, frozenset)
    return x * len(s) + len(t) + x * x * (2 in s) * mixed + (s == {1, 2, 3})


PROGRAMS = [
    (members, 0.7, {1, 2, 3}, 2), (members, 0.7, frozenset({"a", "b"}), "c"),
    (members, 0.7, {(1, "a"), (2, "b")}, (2, "b")), (members, 0.7, {True}, True),
    (members, 0.7, set(), 1), (run_over, 0.7, {1, 4, 7}, 10), (in_order, 0.7, {3, 1, 2}),
    (operators, 0.7, {1, 2, 3}, frozenset({2, 8})), (operators, 0.7, {1}, {1, 2}),
    (inside, 0.7, {"seen": {1, 2}, "more": ({3}, 1), "w": 2.0}),
    (in_an_object, 0.7, SimpleNamespace(seen={1, 2}, n=3)), (in_a_list, 0.7, [{1, 2}, {3}]),
    (of_texts, 0.7, {"a", "bbb"}), (updated, 0.7, {1, 2, 3}, {5}), (cleared, 0.7, {1, 2}),
    (updated_and_raises, 0.7, {1, 2}), (copied, 0.7, {1, 2}),
    (walked, [[1, 2], [3], [3], [0]], {2}, 0.7),
    *((of_other_types, 0.7, s) for s in ({"a", "b"}, {2, -(2**63)}, {(1, 2)}, set())),
    (dict_of_other_types, 0.7, 4), (frozen, 0.7, [1, 2, 2]),
]  # fmt: skip

MARKS = {1, 2}
NAMES = {"a"}


def mark(k):
    MARKS.add(k)


def global_set(x):
    mark(7)
    NAMES.update(["b", "c"])
    NAMES.discard("a")
    return x * len(MARKS) * len(NAMES)


def refilled():
    MARKS.clear()
    MARKS.update((1, 2))
    NAMES.clear()
    NAMES.add("a")
