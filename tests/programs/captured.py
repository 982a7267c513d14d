"""Nested functions that rebind variables, or update lists, arrays and dicts, of the function around
them."""

import heapq
import math
from heapq import heappop as take
from heapq import heappush as put

import numpy as np

import pullback as pb
from tests.programs import Program


def components(w, edges):
    """Tarjan's strongly connected components."""
    n = len(edges)
    index, low, waiting = [-1] * n, [0] * n, [False] * n
    stack, sums, count = [], [], [0]

    def visit(v):
        index[v] = low[v] = count[0]
        count[0] += 1
        stack.append(v)
        waiting[v] = True
        for u in edges[v]:
            if index[u] < 0:
                visit(u)
                low[v] = min(low[v], low[u])
            elif waiting[u]:
                low[v] = min(low[v], index[u])
        if low[v] == index[v]:
            total = 0.0
            while True:
                u = stack.pop()
                waiting[u] = False
                total += w[u]
                if u == v:
                    break
            sums.append(total)

    for v in range(n):
        if index[v] < 0:
            visit(v)
    return sum(s * s * (k + 1) for k, s in enumerate(sums))


def spanning_tree(w, ends):
    """Kruskal's algorithm with union-find."""
    parent = list(range(len(ends) + 1))

    def find(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    def union(a, b):
        a, b = find(a), find(b)
        if a == b:
            return False
        parent[a] = b
        return True

    total = 0.0
    for k in sorted(range(len(w)), key=lambda k: w[k]):
        if union(k, ends[k]):
            total += w[k] * w[k]
    return total


def memoised(x, n):
    known = [math.nan] * (n + 1)

    def value(k):
        if k < 2:
            return x
        if known[k] == known[k]:
            return known[k]
        result = math.sin(value(k - 1)) + 0.5 * value(k - 2)
        known[k] = result
        return result

    return value(n)


def tape(xs):
    """The user's own tape; calls in arguments of calls."""
    rows, grads = [], []

    def row(op, value, left=0, right=0):
        rows.append((op, value, left, right))
        return len(rows) - 1

    def times(a, b, *, scale=1.0):
        return row(2, rows[a][1] * rows[b][1] * scale, a, b)

    def plus(a, b):
        return row(1, rows[a][1] + rows[b][1], a, b)

    out = row(0, 1.0)
    for x in xs:
        out = plus(times(out, row(0, x), scale=1.0), row(0, 0.5))
    grads = [0.0] * len(rows)
    grads[out] = 1.0
    for k in reversed(range(len(rows))):
        op, _, a, b = rows[k]
        if op == 1:
            grads[a] += grads[k]
            grads[b] += grads[k]
        elif op == 2:
            grads[a] += grads[k] * rows[b][1]
            grads[b] += grads[k] * rows[a][1]
    return sum(g * v for g, (_, v, _, _) in zip(grads, rows))


def orders(xs):
    """Permutations by exchange, kept in an array and counted in a dict."""
    found, now = np.zeros(6), [x for x in xs[:3]]
    seen = {"n": 0, "best": -math.inf}

    def exchange(i, k):
        now[i], now[k] = now[k], now[i]

    def choose(k):
        if k == 3:
            found[seen["n"]] = now[0] + now[1] * now[2] ** 2
            seen["best"] = max(seen["best"], found[seen["n"]])
            seen["n"] += 1
            return
        for i in range(k, 3):
            exchange(k, i)
            choose(k + 1)
            exchange(k, i)

    choose(0)
    return np.sum(found * np.arange(6)) + seen["best"]


def shortest(xs):
    """A heap in a closure; what is captured is bound anew between the calls."""
    n, queue = len(xs), []
    found = [math.inf] * n

    def relax(v, cost):
        if v < n and cost < found[v]:
            found[v] = cost
            heapq.heappush(queue, (cost, v))

    total = 0.0
    for start in range(2):
        relax(start, 0.0)
        while queue:
            cost, v = heapq.heappop(queue)
            relax(v + 1, cost + xs[v] ** 2)
            relax(v + 2, cost + 1.5 * abs(xs[v]))
        total += found[-1] * (start + 1)
        found, queue = [math.inf] * n, []
    return total


def inner_of_inner(xs):
    kept = []

    def both(v):
        def keep(w):
            kept.append(w)
            return len(kept)

        return keep(v) + keep(v * v)

    def even(k):
        kept.append(xs[k] * k)
        return odd(k - 1) if k else 1.0

    def odd(k):
        kept.append(xs[k] * 0.5)
        return even(k - 1) if k else 2.0

    total = 0.0
    for x in xs:
        total += both(x) * pb.grad(lambda z: z * z * x)(x)
    total *= even(len(xs) - 1)
    return total + sum(v * (k + 1) for k, v in enumerate(kept))


def parsed(xs):
    """A recursive-descent parser: the position and the depth are variables that all rules move."""
    pos, deepest = 0, 0

    def number():
        nonlocal pos
        pos += 1
        return xs[pos - 1]

    def factor(depth):
        nonlocal deepest
        deepest = max(deepest, depth)
        v = number()
        if v < 0.8 and pos < len(xs):
            v *= total(depth + 1)
        return v

    def total(depth):
        s = factor(depth)
        while pos < len(xs):
            s = 0.5 * s + factor(depth)
            if s > 1.2:
                break
        return s

    made = 0.0
    while pos < len(xs):
        made += total(0)
    return made * (1 + deepest)


def knapsack(values, weights):
    """Branch and bound: the best value so far is a variable of the search, which prunes by it."""
    best, seen = 0.0, 0

    def search(k, value, room):
        nonlocal best, seen
        seen += 1
        if value > best:
            best = value
        if k < len(values) and value + sum(values[k:]) > best:
            if weights[k] <= room:
                search(k + 1, value + values[k], room - weights[k])
            search(k + 1, value, room)

    search(0, 0.0, 0.5 * sum(weights))
    return best + 0.001 * seen


def annealed(xs):
    """A generator of random numbers, a temperature and a state, stepped by a function."""
    seed, warm = 12345, 1.0
    state = np.array(xs)

    def draw():
        nonlocal seed
        seed = (1103515245 * seed + 12345) % 2147483648
        return seed / 2147483648.0

    def step():
        nonlocal warm, state
        k = int(draw() * len(xs))
        moved = state.copy()
        moved[k] += warm * (draw() - 0.5)
        if draw() < 0.7:
            state = moved
        warm *= 0.9

    for _ in range(2 * len(xs)):
        step()
    return np.sum(state * state) + warm


def simulated(xs):
    """Events that a heap orders: some put new ones in, and a function that is passed on counts."""
    queue, clock, done = [], 0.0, 0

    def arrive(t, v):
        nonlocal clock
        clock += v * (t - 0.5 * clock)
        if v > 0.6:
            put(queue, (t + v, 0.5 * v))

    def count():
        nonlocal done
        done += 1

    def drain(seen):
        while queue:
            t, v = take(queue)
            arrive(t, v)
            seen()

    for k, v in enumerate(xs):
        put(queue, (1.0 * k, v))
    drain(count)
    return clock + 0.1 * done


def _graph(rng, n):
    return rng.normal(size=n), [[int(k) for k in rng.integers(0, n, size=2)] for _ in range(n)]


def _ends(rng, n):
    return rng.normal(size=n), [int(k) for k in rng.integers(0, n + 1, size=n)]


def _weighed(rng, n):
    return (
        [float(v) for v in rng.uniform(0.5, 1.5, size=n)],
        [int(w) for w in rng.integers(1, 5, size=n)],
    )


def _numbers(rng, n):
    return (rng.uniform(0.5, 1.5, size=n),)


PROGRAMS = [
    Program("components", components, _graph),
    Program("spanning_tree", spanning_tree, _ends),
    Program("memoised", memoised, lambda rng, n: (rng.normal(), n)),
    Program("tape_in_closures", tape, _numbers),
    Program("orders", orders, _numbers, sizes=(3,)),
    Program("shortest_by_closures", shortest, _numbers),
    Program("inner_of_inner", inner_of_inner, _numbers),
    Program("parsed_by_rules", parsed, _numbers),
    Program("knapsack_by_search", knapsack, _weighed, sizes=(3, 5)),
    Program("annealed", annealed, _numbers),
    Program("simulated_events", simulated, _numbers),
]
