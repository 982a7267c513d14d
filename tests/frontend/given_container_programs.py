"""Functions of deques, ranges, and the dicts of ``collections``: each with what makes its
arguments."""

from collections import ChainMap, Counter, OrderedDict, defaultdict, deque


def queue(x, d, bound):
    d.append(x)
    d.appendleft(2.0 * x)
    first, size = d.popleft(), len(d)
    d.rotate(1)
    d.append(x * x)
    same = d == deque(list(d)), isinstance(d, deque)
    return first + sum(d) * size, d.maxlen == bound, same, d[-1]


def emptied(x, d):
    s = 0.0
    while d:
        s = s * x + d.pop()
    return s


def rows_of(x, d):
    d[0].append(x)
    d.rotate(1)
    return len(d[1]) * x


def bounded(x):
    d = deque([x], maxlen=2)
    d.append(x * x)
    d.append(3.0)
    return {"inside": (d, deque())}


def given_back(x, d):
    return d, [v * x for v in d]


def raised(x, d):
    d.append(x)
    d[0] = 7.0
    if x > 0.0:
        raise ValueError(f"{x} is too much")
    return x


def breadth_first(x, graph, start):
    seen, todo, s = {start}, deque([start]), 0.0
    while todo:
        v = todo.popleft()
        s += x * v
        for w in graph[v]:
            if w not in seen:
                seen.add(w)
                todo.append(w)
    return s, len(graph)


def counted(x, words, counts, total):
    for w in words:
        counts[w] += 1
        total[w] += x * len(w)
    counts.update({"z": 2})
    return [*counts.most_common(2)], counts.total(), total["none"], counts["none"], len(total)


def grouped(x, rows):
    rows["a"].append(x)
    rows["new"].append(2.0 * x)
    return sum(sum(row) for row in rows.values())


def kinds_of(x, c, d, o):
    return (
        type(c) is Counter, isinstance(d, dict), c | c, o | {"q": x}, {"q": x} | d, c + c, d.copy(),
        c - Counter({"a": 1}), sorted(d.items()), list(reversed(o)), d.get("none"),
    )


def reordered(x, d):
    d.move_to_end("a")
    d["z"] = x
    s = 0.0
    for k in d:
        s = s * x + d[k]
    return s, d.pop("b"), list(d)


def settings(x, m):
    m["scale"] = 2.0 * x
    inner = m.new_child({"depth": x})
    return inner, m["scale"] * m.get("bias", 1.0), "none" in m, len(m), m.maps[1]["scale"]


def deleted(x, m):
    del m["scale"]
    return m["scale"] * x


def places(x, r, pair):
    rest, k = pair
    bounds = r.start, r.stop - r.step
    return sum(x * i for i in r), len(r), r[-1], r[1:], bounds, 4 in r, r == rest, k


def no_places(x, r):
    return [x * i for i in r], len(r), r


class Log:
    def __init__(self, bound):
        self.recent, self.counts = deque([1.0], maxlen=bound), Counter()

    def note(self, v):
        self.recent.append(v)
        self.counts["all"] += 1
        return sum(self.recent)


def noted(x, log, logs):
    log.note(x)
    logs["b"].append(x)
    return log.note(x * x) * log.counts["all"] + sum(len(d) for d in logs.values())


def same(x, d, e):
    d.append(x)
    return len(e) * e[-1]


def under(x, d, m):
    d["a"] = x
    return m["a"] * 2.0


def twice(made):
    one = made()
    return one, one


def chained():
    one = {"a": 1.0}
    return one, ChainMap(one, {"b": 2.0})


PROGRAMS = [
    (queue, lambda: (0.7, deque([1.0, 2.0, 3.0]), None)),
    (queue, lambda: (0.7, deque([1.0, 2.0], maxlen=3), 3)),
    (emptied, lambda: (0.7, deque([1.0, 2.0, 3.0]))),
    (rows_of, lambda: (0.7, deque([[1.0], [2.0]]))),
    (bounded, lambda: (0.7,)),
    (given_back, lambda: (0.7, deque([(1, 2.0), (3, 4.0)][:0]))),
    (raised, lambda: (0.7, deque([1.0]))),
    (breadth_first, lambda: (0.7, defaultdict(list, {0: [1, 2], 1: [2, 3], 2: [0]}), 0)),
    (counted, lambda: (0.7, ["a", "bb", "a"], Counter("ab"), defaultdict(float))),
    (grouped, lambda: (0.7, defaultdict(list, {"a": [1.0], "b": [2.0, 3.0]}))),
    (kinds_of, lambda: (0.7, Counter(a=2, b=1), defaultdict(float, a=1.0), OrderedDict(b=1.0))),
    (reordered, lambda: (0.7, OrderedDict(a=1.0, b=2.0, c=3.0))),
    (settings, lambda: (0.7, ChainMap({"scale": 3.0}, {"scale": 5.0, "bias": 0.5}))),
    (deleted, lambda: (0.7, ChainMap({"scale": 3.0}, {"scale": 5.0, "bias": 0.5}))),
    (places, lambda: (0.7, range(0, 10, 2), (range(0, 9, 2), 3))),
    (no_places, lambda: (0.7, range(3, 0))),
    (noted, lambda: (0.7, Log(2), {"a": deque(), "b": deque([2.0])})),
    (same, lambda: (0.7, *twice(lambda: deque([1.0])))),
    (same, lambda: (0.7, deque([1.0]), deque([2.0]))),
    (under, lambda: (0.7, *chained())),
]

NUMBERED = [queue, emptied, rows_of, breadth_first, grouped, reordered, deleted, places, noted]
"""Those whose (first) result is a number."""


def union(x):
    c, d = Counter({"a": 2, "b": 1}), Counter({"b": 3, "c": 2})
    e = c
    c |= d
    c += Counter("az")
    f = Counter("aab")
    f -= Counter("a")
    f &= Counter("aabb")
    return c | f, c & d, c - d, d - c, dict(e), f


def equal(x):
    o, p = OrderedDict(a=1.0, b=x), OrderedDict(b=x, a=1.0)
    c = Counter(a=1, b=0)
    q = OrderedDict(a=1.0, b=x)
    return o == p, o != p, o == dict(p), o == q, c == Counter("a"), c != {"a": 1}


def joined(x):
    d, o = defaultdict(float, {"a": x}), OrderedDict(b=x)
    c = Counter("a")
    return d | {"q": x}, {"q": x} | o, d | o, o | d, c | {"b": 1}, {"b": 1} | c


MADE = [union, equal, joined]


def weighted(d):
    s = 0.0
    for k, v in enumerate(d):
        s += (k + 1.0) * v * v
    return s


def of_keys(d):
    return d["a"] * d["a"] * d["b"]
