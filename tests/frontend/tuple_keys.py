"""Tuples of any length as keys of dicts and items of sets. The programs take one number."""

import heapq
from collections import Counter, defaultdict, deque
from functools import lru_cache


def windows(x, n=7):
    """One key has one item; the others two."""
    seen, last, total = set(), [], 0.0
    for i in range(n):
        last.append(i % 3)
        if len(last) > 2:
            last.pop(0)
        key = tuple(last)
        if key not in seen:
            seen.add(key)
            total += x * len(key)
    return total + len(seen)


def memo_of_states(x):
    memo = {}

    def go(state, k):
        key = tuple(state)
        if k == 0 or key in memo:
            return memo.get(key, x)
        total = 0.0
        for i in range(len(state)):
            other = list(state)
            other[i] = (other[i] + 1) % 2
            total += go(other, k - 1) * (i + 1)
        memo[key] = total
        return total

    return go([0] * 4, 3) + len(memo)


def boards(x):
    """A search in the width: what is taken from the queue is kept while others are put in."""
    start = tuple(range(4))
    seen, queue, cost = {start}, deque([(start, 0)]), 0.0
    while queue:
        board, depth = queue.popleft()
        cost += x * depth * board[0]
        for i in range(3):
            other = list(board)
            other[i], other[i + 1] = other[i + 1], other[i]
            found = tuple(other)
            if found not in seen:
                seen.add(found)
                queue.append((found, depth + 1))
    return cost + len(seen)


def cheapest(x):
    heap = [(0, tuple(range(3)))]
    cost = {heap[0][1]: 0}
    total = 0.0
    while heap:
        d, state = heapq.heappop(heap)
        if d > cost[state]:
            continue
        total += x * d * state[0]
        for i in range(2):
            other = list(state)
            other[i], other[i + 1] = other[i + 1], other[i]
            key, there = tuple(other), d + i + 1
            if key not in cost or there < cost[key]:
                cost[key] = there
                heapq.heappush(heap, (there, key))
    return total


def grouped(x):
    groups = {}
    for w in ("abc", "bca", "xyz", "zyx", "foo"):
        groups.setdefault(tuple(sorted(w)), []).append(x * len(groups))
    return sum(sum(v) * (k[0] == "a") for k, v in groups.items()) + len(groups)


def in_order(x):
    d = defaultdict(list)
    for i in range(6):
        d[tuple(sorted([i % 3, i % 2]))].append(x * i)
    t = 0.0
    for k, v in sorted(d.items()):
        t = t * 1.5 + sum(v) * k[0] + len(v)
    return t


def counted(x):
    count = Counter(tuple([i % 3] * (i % 2 + 1)) for i in range(8))
    return x * max(count.values()) + len(count)


def put_in_and_taken_out(x):
    d = {}
    for i in range(7):
        d[tuple([i] * (i % 3))] = x * i
    v = d.pop(tuple([4]), 0.0)
    if (2, 2) in d:
        del d[(2, 2)]
    try:
        v += d[tuple([9] * 4)]
    except KeyError as e:
        v += 1.0 if str(e) == "(9, 9, 9, 9)" else 100.0
    return v + len(d) + d[()]


def combined(x):
    p = {tuple([i, i + 1][: i % 2 + 1]) for i in range(4)}
    q = {(0,), (1, 2), (7,)}
    return x * len(p & q) + 10 * len(p | q) + len(p - q) + sorted(p & q)[0][0]


def cached(x):
    @lru_cache(None)
    def ways(counts):
        if not counts:
            return x
        r = 0.0
        for i in range(len(counts)):
            if counts[i] > 0:
                fewer = counts[:i] + (counts[i] - 1,) + counts[i + 1 :]
                r += ways(fewer) * (i + 1)
        return r + 1.0 if r else x

    return ways(tuple([2] * 3))


def paths(x):
    d = {}
    for i in range(4):
        path = ((0, 0),)
        for j in range(i):
            path = (*path, (j, i))
        d[path] = x + i
    return d[(0, 0), (0, 1)] * len(d)


def prefixes(x):
    d = {}
    for w in ("to", "tea", "ten"):
        for i in range(len(w) + 1):
            d[tuple(w[:i])] = d.get(tuple(w[:i]), 0.0) + x
    return d[()] + d[("t",)] * 10 + d["t", "e"] * 100


def parents(x):
    parent, state = {}, tuple([0] * 4)
    parent[state] = None
    for i in range(4):
        other = list(state)
        other[i] = 1
        parent[tuple(other)] = state
        state = tuple(other)
    steps = 0
    while state is not None:
        state, steps = parent[state], steps + 1
    return x * steps


def among_keys_that_are_known(x):
    d = {(0, 1): x, (0, 1, 2): 3.0 * x, (): 1.0}
    t = 0.0
    for n in range(5):
        key = tuple(range(n))
        t = t * 2.0 + d.get(key, 0.5) + (key in d)
    return t


def of_two_lengths(x):
    d = {}
    for i in range(6):
        if i % 2:
            d[i, i + 1] = x * i
        else:
            d[i, i + 1, i + 2] = x
    t = 0.0
    for k, v in d.items():
        t = t * 1.25 + v * len(k)
    return t


def two_lengths_and_then_any(x):
    d = {}
    for i in range(4):
        if i % 2:
            d[i, i + 1] = x * i
        else:
            d[i, i + 1, i + 2] = x
    for n in range(4):
        key = tuple(range(2, 2 + n))
        d[key] = d.get(key, 0.25) * x
    return sum(v * (len(k) + 1) for k, v in d.items())


def kept_while_the_list_changes(x):
    xs, kept, d = [], [], {}
    for i in range(6):
        xs.append(i)
        if len(xs) > 3:
            xs.pop(0)
        kept.append(tuple(xs))
        d[kept[-1]] = x * i
        xs[0] += 1
    return sum(d[k] * (j + 1) * k[0] for j, k in enumerate(kept))


PROGRAMS = [
    windows, memo_of_states, boards, cheapest, grouped, in_order, counted, put_in_and_taken_out,
    combined, cached, paths, prefixes, parents, among_keys_that_are_known, of_two_lengths,
    two_lengths_and_then_any, kept_while_the_list_changes,
]  # fmt: skip


def a_table(n):
    return {tuple(range(i)): 1.5 * i for i in range(n)}, {tuple([i % 2] * i) for i in range(n)}


def looked_up(d, s, n):
    key = tuple(range(n))
    return d.get(key, 0.5), key in s, tuple([n]) in s


def long_keys(x, n):
    memo, xs = {}, [0] * 50
    for k in range(n):
        xs[k % 50] += 1
        memo[tuple(xs)] = x * k
    return memo[tuple(xs)] * len(memo)
