"""Dicts of which only the run knows which of their keys they have: trees of dicts, rows with other
keys, settings that are added on some paths."""

from collections import defaultdict


def tree_of_two_sorts(x):
    def build(k):
        if k == 0:
            return {"leaf": True, "value": x}
        return {"leaf": False, "left": build(k - 1), "right": build(k - 1), "w": 0.5}

    def value(n):
        if n["leaf"]:
            return n["value"]
        return n["w"] * value(n["left"]) + value(n["right"])

    return value(build(3))


def decision_tree(x):
    def fit(xs, ys, depth):
        if depth == 2 or len(ys) < 2:
            return {"value": sum(ys) / len(ys)}
        m = sorted(xs)[len(xs) // 2]
        low = [i for i, v in enumerate(xs) if v < m]
        high = [i for i, v in enumerate(xs) if v >= m]
        return {
            "t": m,
            "left": fit([xs[i] for i in low], [ys[i] for i in low], depth + 1),
            "right": fit([xs[i] for i in high], [ys[i] for i in high], depth + 1),
        }

    def predicted(n, v):
        while "value" not in n:
            n = n["left"] if v < n["t"] else n["right"]
        return n["value"]

    tree = fit([1, 2, 3, 4], [x, 2.0, 3.0 * x, 4.0], 0)
    return sum(predicted(tree, v) * v for v in (1, 2, 3, 4))


def linked(x):
    head = None
    for i in range(5):
        head = {"v": x * i, "next": head}
    total = 0.0
    while head is not None:
        total = total * 0.5 + head["v"]
        head = head["next"]
    return total


def folders(x):
    root = {"name": "/", "inside": {}}

    def add(path, size):
        n = root
        for part in path.split("/"):
            if part not in n["inside"]:
                n["inside"][part] = {"name": part, "inside": {}}
            n = n["inside"][part]
        n["size"] = size

    add("a/b", x)
    add("a/c", 2 * x)
    add("d", 3.0)

    def total(n):
        return n.get("size", 0.0) + sum(total(c) for c in n["inside"].values())

    return total(root)


def asked(x):
    d = {"a": x, "k": "p"} if x > 5 else {"b": "t", "k": "q"}
    found = d.get("a", 7.0) * x + len(d.get("b", "zz")) + (d.get("c") is None) + len(d["k"])
    return found + ("a" in d) * 2.0 + isinstance(d, dict) + (type(d) is dict) + bool(d)


def missing(x):
    d = {"a": x} if x > 5 else {"b": "t"}
    try:
        return d["a"]
    except KeyError as e:
        return x * (2.0 if e.args[0] == "a" else 3.0)


def perhaps_empty(x):
    d = {"a": x} if x > 5 else {}
    return x if d else 3 * x


def updated(x):
    d = {"a": [x], "k": [1.0]} if x > 1 else {"b": "t", "k": [x]}
    e = d
    e["k"].append(2.0)
    e["z"] = x
    d["a"].append(2.0)
    d["a"][0] *= 3
    return sum(d["k"]) + d["z"] + sum(e["a"])


def set_in_rounds(x):
    d = {"a": x}
    for i in range(4):
        if i == 2:
            d["z"] = "t"
        if "z" in d:
            d["a"] += 1
    return d["a"]


def settings(x):
    given = {"lr": 0.1}
    if x > 5:
        given["momentum"] = x
    else:
        given["inner"] = {"b": 0.5}
    inner = given["inner"]["b"] if "inner" in given else given["momentum"]
    return x * given["lr"] * inner * (2.0 if given.get("name") == "big" else 1.0)


def rows(x):
    out = []
    for i in range(4):
        row = {"i": i}
        if i % 2:
            row["v"] = x * i
        else:
            row["error"] = "bad"
        out.append(row)
    good = [row for row in out if "error" not in row]
    return sum(row["v"] for row in good) + len(out) - len(good)


def after_an_exception(x):
    r = {"v": x}
    try:
        if x > 1:
            r["e"] = "t"
            raise ValueError("z")
        r["fine"] = 1.0
    except ValueError:
        r["f"] = x
    return r["v"] + r["f"] + ("fine" in r) + ("e" in r)


def _of_texts(x):
    return {"a": x, "k": "p"} if x > 5 else {"b": "t", "k": "q"}


def its_length_of_a_table(x):
    return x * len(_of_texts(x))


def gone_through_of_a_table(x):
    return sum(len(k) for k in _of_texts(x)) * x


def compared_of_a_table(x):
    return x if _of_texts(x) == {"b": "t", "k": "q"} else 0.0


def copied_of_a_table(x):
    return x * len(dict(_of_texts(x))["k"])


def without_a_key_of_a_table(x):
    d = _of_texts(x)
    del d["k"]
    return x * ("k" in d)


def by_a_key_of_the_run_of_a_table(x):
    d = _of_texts(x)
    return x * len(d["a" if x > 2 else "k"])


def with_a_default_of_a_table(x):
    d = _of_texts(x)
    d.setdefault("a", 5.0)
    return d["a"]


def merged_of_a_table(x):
    return x * len({**_of_texts(x), "z": 1.0}["k"])


def by_patterns(x):
    """Events with other keys, told by mapping patterns."""
    events = []
    for i in range(6):
        if i % 3 == 0:
            events.append({"type": "click", "at": (x, 2.0 * i)})
        elif i % 3 == 1:
            events.append({"type": "key", "code": i, "more": {"p": x, "q": float(i)}})
        else:
            events.append({"kind": "other", "xs": [x, 1.0]})
    total = 0.0
    for event in events:
        match event:
            case {"type": "click", "at": (a, b)} if b > 1.0:
                total += a * b
            case {"type": str(t), "more": {"p": p, "q": 4.0}}:
                total += p * len(t)
            case {"more": {"p": p}} | {"at": (p, _)}:
                total += 2 * p
            case {"xs": [a, *_]} if len(event) == 2:
                total += a * a
            case {}:
                total += 100.0
    return total


def tables_by_patterns(x):
    total = 0.0
    for i in range(4):
        d, e = {}, defaultdict(float)
        for j in range(i):
            d["abc"[j]] = x * j + 1
            e[j] += x
        match d:
            case {"a": u, "c": v}:
                total += u * v
            case {"b": v}:
                total += v
            case {"a": v}:
                total += 2 * v
            case {}:
                total += 7
        match e:
            case {5: v}:
                total += v
            case {2: v, 1: w}:
                total += v * w
        total += len(e)
    return total


def none_by_patterns(x):
    rows = []
    for i in range(3):
        rows.append(None if i == 0 else {"a": x} if i == 1 else {"b": 2.0, "c": "t"})
    total = 0.0
    for row in rows:
        match row:
            case None:
                total += 1
            case {"a": v}:
                total += v
            case {"b": v}:
                total += v * x
    return total


def walked(x):
    """A document of dicts and lists: each dict in it has other keys."""
    data = {"a": x, "b": [x, {"c": 2.0 * x}], "d": {"e": x, "f": [1.0]}}

    def total(o):
        if isinstance(o, dict):
            return sum(len(k) * total(v) for k, v in o.items())
        if isinstance(o, list):
            return sum(total(v) for v in o)
        return o

    return total(data)


def lengths(x):
    total = 0.0
    for i in range(4):
        d = {"a": x, "n": "t"}
        if i % 2:
            d["b"] = [x * i]
        if i > 2:
            d["c"] = {"k": 1.0}
        total += len(d) * x
    return total


def _one(x):
    return {"a": [x], "k": "p"} if x > 5 else {"b": "t", "k": "q"}


def its_length(x):
    return x * len(_one(x))


def matched(x):
    match _one(x):
        case {"a": [v]}:
            return v
        case {"b": v}:
            return x * len(v)


PROGRAMS = [
    tree_of_two_sorts, decision_tree, linked, folders, asked, missing, perhaps_empty, updated,
    set_in_rounds, settings, rows, after_an_exception,
    its_length_of_a_table, gone_through_of_a_table, compared_of_a_table, copied_of_a_table,
    without_a_key_of_a_table, by_a_key_of_the_run_of_a_table, with_a_default_of_a_table,
    merged_of_a_table, by_patterns, tables_by_patterns, none_by_patterns, walked, lengths,
    its_length, matched,
]  # fmt: skip


def gone_through(x):
    return sum(len(k) for k in _one(x)) * x


def compared(x):
    return x if _one(x) == {"b": "t", "k": "q"} else 0.0


def returned(x):
    return _one(x)


def copied(x):
    return x * len(dict(_one(x))["k"])


def without_a_key(x):
    d = _one(x)
    del d["k"]
    return x * ("k" in d)


def as_a_text(x):
    return x * len(f"{_one(x)}")


def by_a_key_of_the_run(x):
    d = _one(x)
    return x * len(d["a" if x > 2 else "k"])


def with_a_default(x):
    d = _one(x)
    d.setdefault("a", [5.0])
    return d["a"][0]


def its_attribute(x):
    return _one(x).a


def merged(x):
    return x * len({**_one(x), "z": 1.0}["k"])


REFUSED = [
    gone_through, compared, returned, copied, without_a_key, as_a_text,
    by_a_key_of_the_run, with_a_default, its_attribute, merged,
]  # fmt: skip
