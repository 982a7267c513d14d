"""Programs in which a dict or an array has several owners: two lists, two objects, a name, ..."""

import numpy as np

import pullback as pb


class Layer:
    def __init__(self, w, cache):
        self.w = w
        self.cache = cache

    def step(self, y):
        self.w *= 0.5
        self.cache["n"] = self.cache.get("n", 0.0) + y
        return y * self.w.sum()


class Box:
    def __init__(self, value):
        self.value = value

    def get(self):
        return self.value


def row_three_times(xs):
    row = np.zeros(3)
    grid = [row] * 3
    for i in range(3):
        grid[i][i] += xs[i]
    return sum((k + 1) * (r * r).sum() for k, r in enumerate(grid))


def rows_swapped(xs):
    m = [np.array([x, 2.0 * x]) for x in xs]
    row = m[0]
    m[0] = m[2]
    m[2] = row
    row[1] += 5.0 * xs[0]
    m[0][0] *= 3.0
    return sum((k + 1) * (r * r).sum() for k, r in enumerate(m))


def tied_weights(xs):
    w = np.array(xs)
    a, b = Box(w), Box(w)
    a.value[0] *= 4.0
    return (b.value * b.value).sum() + a.value[0]


def an_array_in_two_lists(xs):
    a = np.array(xs)
    train, every = [a], [np.ones(3), a]
    train[0][1] = xs[0] * 3.0
    every[1] *= 2.0
    return (train[0] * every[1]).sum() + a[0]


def a_name_over_insert(xs):
    m = [np.array([x, 1.0]) for x in xs]
    first = m[0]
    m.insert(0, np.zeros(2))
    first[0] += 7.0 * xs[1]
    return sum((k + 1) * r[0] * r[0] for k, r in enumerate(m))


def inserted_then_updated(xs):
    m, x = [np.ones(2)], np.array([xs[0], xs[1]])
    m.insert(0, x)
    x[1] *= 3.0
    m[0][0] += xs[2]
    return (x * m[0]).sum() + m[1][0]


def popped_then_updated(xs):
    q = [np.array([x, x * x]) for x in xs]
    first = q.pop(0)
    q.append(first)
    first[0] += 2.0 * xs[1]
    return sum((k + 1) * r[0] * r[1] for k, r in enumerate(q))


def a_log_of_one_array(xs):
    log, p = [], np.ones(3)
    for x in xs:
        p *= x
        log.append(p)
    return sum((k + 1) * q.sum() for k, q in enumerate(log))


def a_log_of_arrays(xs):
    log, p = [], np.ones(3)
    for x in xs:
        p = p * x
        log.append(p)
    log[0][0] += xs[2]
    return sum((k + 1) * q.sum() for k, q in enumerate(log)) + p[0]


def best_kept(xs):
    p, best, low = np.array(xs), None, 10.0
    for k in range(4):
        p[k % 3] -= 0.4
        v = (p * p).sum()
        if v < low:
            best, low = p, v
    return (best * best).sum() + low


def chosen_of_two(xs):
    a, b = np.array(xs), np.zeros(3)
    for x in xs:
        t = a if a.sum() < b.sum() else b
        t += x
    return (a * a).sum() + 2.0 * b.sum()


def an_array_in_a_dict_and_a_list(xs):
    w = np.array(xs)
    params = {"w": w, "b": np.ones(3)}
    flat = [params["w"], params["b"]]
    for p in flat:
        p *= 0.5
    return (params["w"] * w).sum() + params["b"][0]


def returned_by_a_method(xs):
    b = Box(np.array(xs))
    v = b.get()
    v[0] += 3.0
    b.get()[1] *= 2.0
    return (b.value * v).sum()


def two_layers_of_one_cache(xs):
    cache, w = {}, np.ones(2)
    layers = [Layer(w, cache), Layer(w, cache)]
    y = xs[0]
    for layer in layers:
        y = layer.step(y + xs[1])
    return y + cache["n"] + w[0]


def one_dict_in_two_objects(xs):
    d = {"a": xs[0]}
    p, q = Box(d), Box(d)
    p.value["a"] += xs[1]
    q.value["b"] = xs[2]
    return d["a"] * d["b"] + len(p.value)


def one_dict_in_two_lists(xs):
    d = {"n": 0.0, "x": xs[0]}
    us, vs = [d], [d, {"n": 1.0, "x": xs[1]}]
    us[0]["n"] += xs[2]
    for v in vs:
        v["x"] *= 2.0
    return sum(v["x"] * v["n"] for v in vs) + d["x"] + us[0]["x"]


def a_dict_for_all(xs):
    rows = [{"x": 1.0}] * 3
    for r, x in zip(rows, xs):
        r["x"] *= x
    return sum((k + 1) * r["x"] for k, r in enumerate(rows))


def a_dict_under_two_names(xs):
    d = {k: x for k, x in enumerate(xs)}
    e = d
    e[7] = xs[0] * xs[1]
    d[0] += 1.0
    return sum(k * v for k, v in e.items()) + len(d)


def a_record_of_a_table(xs):
    table = [{"name": k, "x": x} for k, x in enumerate(xs)]
    by_name = {r["name"]: r for r in table}
    by_name[1]["x"] *= 5.0
    table[2]["x"] += xs[0]
    return sum(r["x"] * r["x"] for r in table) + by_name[2]["x"]


def a_trie(xs):
    root = {}
    nodes = [root]
    for k, x in enumerate(xs):
        child = {k: x}
        nodes.append(child)
        nodes[k][10 + k] = x * x
    return sum((i + 1) * sum(n.values()) for i, n in enumerate(nodes)) + len(root)


def memo_of_two(xs):
    memo = {}

    def slow(k):
        if k not in memo:
            memo[k] = xs[k % 3] if k < 2 else slow(k - 1) + xs[0] * slow(k - 2)
        return memo[k]

    seen = Box(memo)
    v = slow(6)
    seen.value[0] = 9.0
    return v + memo[0] + sum(seen.value.values())


def a_dict_of_lists_and_its_name(xs):
    groups, last = {}, None
    for k, x in enumerate(xs):
        last = groups.setdefault(k % 2, [])
        last.append(x)
    last.append(1.0)
    return sum((k + 1) * sum(g) for k, g in groups.items())


def an_array_as_state(xs):
    state = Box(np.zeros(2))
    view = state.value
    for x in xs:
        state.value[0] += x
        view[1] += view[0]
    return (state.value * view).sum()


def bound_anew_at_one_place(xs):
    a, b = Box(np.array(xs)), Box(np.zeros(3))
    b.value = a.value
    a.value = a.value * 2.0
    b.value[0] += 1.0
    return (a.value * b.value).sum()


def updated_by_a_helper(xs):
    def normalise(v):
        v /= v.sum()

    rows = [np.array(xs), np.ones(3)]
    order = [rows[1], rows[0]]
    for r in order:
        normalise(r)
    return sum((k + 1) * (r * r).sum() for k, r in enumerate(rows))


def slots_of_a_ring(xs):
    ring = [np.zeros(2) for _ in range(2)]
    spare = ring[0]
    for k, x in enumerate(xs):
        old = ring[k % 2]
        ring[k % 2] = spare
        spare = old
        spare[0] += x * (k + 1)
        ring[k % 2][1] += x * x
    return sum(r[0] * r[1] for r in ring) + spare[0]


def in_two_buffers(xs):
    cur, new = np.array(xs), np.zeros(3)
    for _ in range(3):
        for i in range(3):
            new[i] = 0.5 * (cur[i - 1] + cur[i] * cur[i])
        cur, new = new, cur
    return (cur * new).sum()


def parts_in_a_list(xs):
    a = np.array([*xs, 1.0])
    halves = [a[:2], a[2:]]
    for h in halves:
        h *= 2.0
    halves[0][0] += xs[2]
    return (a * a).sum()


def rows_of_a_matrix(xs):
    m = np.outer(np.array(xs), np.ones(3))
    rows = [m[i] for i in range(3)]
    rows[0] += rows[1]
    return (m * m).sum() + rows[0][0]


def a_set_in_two_objects(xs):
    seen = set()
    a, b = Box(seen), Box(seen)
    total = 0.0
    for k, x in enumerate(xs):
        a.value.add(k % 2)
        total += x * len(b.value)
    return total + len(seen)


def defaults_of_one_config(xs):
    base = {"lr": 0.5, "w": xs[0]}
    mine = dict(base)
    same = base
    mine["lr"] = xs[1]
    same["w"] += xs[2]
    return base["w"] * mine["lr"] + mine["w"] * base["lr"]


def is_the_same(xs):
    a, b = np.array(xs), np.array(xs)
    rows = [a, b, a]
    rows[0][0] += 1.0
    return sum(r[0] for r in rows if r is a) + (rows[1] is b) * xs[1] + (rows[0] is rows[1])


def a_part_with_two_owners(xs):
    a = np.array(xs)
    p, q = Box(a), Box(a)
    head = p.value[:2]
    head += xs[2]
    q.value[1:] *= 2.0
    return (head * np.array([1.0, 3.0])).sum() + p.value.sum()


def results_out_of_place(xs):
    a = np.array(xs)
    rows = [a, a]
    b = np.sin(rows[0])
    rows[1] += 1.0
    c = np.where(rows[0] > 0.5, rows[0], b)
    a[0] = 5.0
    rows[0] = rows[0] + c
    rows[0][1] += 3.0
    return (a * b).sum() + (c * rows[0]).sum() + rows[1][1]


class Momentum:
    def __init__(self, params):
        self.params = params
        self.means = {k: np.zeros(p.shape[0]) for k, p in params.items()}

    def step(self, gradients):
        for k, p in self.params.items():
            self.means[k] *= 0.9
            self.means[k] += gradients[k]
            p -= 0.1 * self.means[k]


def an_optimiser(xs):
    params = {"w": np.array(xs), "b": np.ones(2) * xs[0]}
    optimiser = Momentum(params)
    for k in range(3):
        optimiser.step({"w": params["w"] * 0.5, "b": params["b"] * k})
    return (params["w"] ** 2).sum() + params["b"].sum() + optimiser.means["w"][0]


def in_a_default(xs):
    a = np.array(xs)

    def f(k, t=a, memo={}):  # noqa: B006  # it is shared by all calls
        if k not in memo:
            memo[k] = t[k] * 2.0
            t[k] += 1.0
        return memo[k]

    return f(0) + f(0) + f(1) + a[0] * a[1]


def kept_by_closures(xs):
    state, history = np.zeros(3), []

    def push(x):
        state[0] += x
        history.append(state)

    def last():
        return history[-1]

    for x in xs:
        push(x)
    last()[1] = state[0] * 2.0
    return sum(h.sum() for h in history) + state[1]


def given_by_a_generator(xs):
    buffer, seen, total = np.zeros(2), [], 0.0

    def filled():
        for x in xs:
            buffer[0] += x
            yield buffer

    for b in filled():
        seen.append(b)
        b[1] += 1.0
        total += b[0] * b[1]
    return total + sum(b[0] for b in seen)


def updated_before_an_error(xs):
    d = {"n": xs[0], "w": np.array(xs)}
    both = [d, d]

    def update(t, k):
        t["n"] += 1.0
        t["w"][k] *= 2.0
        if k == 1:
            raise ValueError
        t["n"] *= xs[1]

    for k in range(3):
        try:
            update(both[k % 2], k)
        except ValueError:
            both[0]["n"] += 100.0
    return d["n"] + d["w"].sum()


def best_of_rounds(xs):
    cur = np.array(xs)
    best, copy = cur, cur.copy()
    for k in range(4):
        cur = cur * 0.8 if k % 2 else cur
        cur[k % 3] -= 0.3
        if cur.sum() < best.sum():
            best, copy = cur, cur.copy()
    return (best * copy).sum() + 2.0 * cur[0]


def by_a_keyword(xs):
    def f(w, **named):
        w += named["b"]
        named["b"] *= 2.0
        return w

    a, b = np.array(xs), np.ones(3)
    params = {"b": b}
    made = f(a, **params)
    made[0] = 0.0
    return a.sum() + b.sum() + params["b"][0]


def descent_of_a_table(xs):
    params = {"a": np.array(xs), "b": np.ones(3)}
    owners = [params, params]
    for _ in range(3):
        slopes = pb.grad(lambda p: (p["a"] * p["b"]).sum() ** 2)(owners[0])
        for name in owners[1]:
            owners[1][name] -= 0.1 * slopes[name]
    return params["a"][0] + params["b"][1] + owners[0]["a"].sum()


PROGRAMS = [f for n, f in list(globals().items()) if callable(f) and n.islower()]
