"""Keys that may be None, where only the run knows: of dicts, sets and tables that are asked."""

from collections import Counter, defaultdict


def viterbi(x):
    states, seen = ("H", "F"), ("normal", "cold", "dizzy")
    start = {"H": 0.6, "F": 0.4}
    trans = {"H": {"H": 0.7 * x, "F": 0.3}, "F": {"H": 0.4, "F": 0.6}}
    emit = {
        "H": {"normal": 0.5, "cold": 0.4, "dizzy": 0.1},
        "F": {"normal": 0.1, "cold": 0.3, "dizzy": 0.6},
    }
    rows = [{s: (start[s] * emit[s][seen[0]], None) for s in states}]
    for o in seen[1:]:
        row = {}
        for s in states:
            ways = ((rows[-1][p][0] * trans[p][s] * emit[s][o], p) for p in states)
            row[s] = max(ways, key=lambda t: t[0])
        rows.append(row)
    best = max(states, key=lambda s: rows[-1][s][0])
    path = [best]
    for t in range(len(rows) - 1, 0, -1):
        path.insert(0, rows[t][path[0]][1])
    return rows[-1][best][0] * (1 + path.count("H"))


def sums(x):
    d = {}
    for i in range(6):
        k = None if i % 3 == 0 else ("p" if i % 2 else "q")
        d[k] = d.get(k, 0.0) + x * i
    t = 0.0
    for k, v in d.items():
        t = t * 0.5 + v * (3.0 if k is None else 1.0)
    return t + len(d)


def depths(x):
    parent = {0: None}
    for i in range(1, 8):
        parent[i] = (i - 1) // 2
    depth = {None: -1}
    for i in range(8):
        depth[i] = depth[parent[i]] + 1
    return x * sum(v for k, v in depth.items() if k is not None) + depth[None]


def in_tuples(x):
    d = defaultdict(float)
    for i in range(10):
        d[i % 2, None if i % 3 else i] += x * i
    return sum(v * (j + 1) for j, v in enumerate(d.values())) + d[0, None]


def missing(x):
    d = {i: x * i for i in range(4)}
    k = None if x > 1 else 2
    try:
        return d[k]
    except KeyError as e:
        return x * d.get(k, 3.0) + (k in d) + (1.0 if e.args[0] is None else 0.0)


def taken_out(x):
    d = {i: x for i in range(3)}
    k = None if x > 1 else 1
    d.pop(k, None)
    d[k] = 9.0 * x
    return sum(d.values()) + len(d)


def first_none(x):
    d = {None: x}
    for i in range(3):
        d[i] = d[None] * i if i < 2 else d[i - 1]
    del d[None]
    return sum(d.values())


def sets(x):
    s, t = {1, 2, 3, None}, {None, 3, 7}
    both = s & t
    s.discard(None if x > 1 else 1)
    return x * len(both) + len(s | t) + len(s - t) + (None in both) + (None in s)


def counted(x):
    c = Counter(None if i % 2 else "odd" for i in range(7))
    return x * c[None] + c["odd"] + c.get("z", 0)


def way_back(x):
    near = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}
    came, cost, queue = {"a": None}, {"a": 0.0}, ["a"]
    while queue:
        n = queue.pop(0)
        for m in near[n]:
            if m not in came:
                came[m], cost[m] = n, cost[n] + x
                queue.append(m)
    n, path = "d", []
    while n is not None:
        path.append(n)
        n = came[n]
    return cost["d"] + len(path)


def memo(x):
    known = {}

    def f(n, last):
        if n == 0:
            return x if last is None else x * last
        if (n, last) not in known:
            known[n, last] = f(n - 1, last) + f(n - 1, n if last is None else None)
        return known[n, last]

    return f(5, None)


def given(x, d, keys):
    for k in keys:
        d[k] = d.get(k, 0.5) * x
    return d[None] + x * len(d)


def returned(x):
    d = {}
    for i in range(5):
        d[None if i % 2 else i] = x * i
    return d


PROGRAMS = [
    *((f, 1.3) for f in (
        viterbi, sums, depths, in_tuples, missing, taken_out, first_none, sets, counted, way_back,
        memo, returned,
    )),
    (given, 1.3, {None: 2.0, "a": 3.0}, ["b", None, "a"]), (given, 1.3, {1: 3.0}, [None, 2, None]),
    (given, 1.3, {**{k: 0.5 * k for k in range(300)}, None: 1.0}, [None, 3, 400]),
]  # fmt: skip
