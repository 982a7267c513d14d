"""Programs in which a row of several types has several owners: ``[weight, a, b]`` in two lists, in
a heap and in a dict, or with another row inside of it."""

import heapq
import math
from collections import defaultdict


def edges_of_a_graph(xs):
    table, near = [], defaultdict(list)
    for a, b in [(0, 1), (1, 2), (2, 0), (0, 0)]:
        e = [a, b, xs[a] * xs[b]]
        table.append(e)
        near[a].append(e)
        near[b].append(e)
    for u in range(3):
        s = sum(e[2] * xs[e[0]] for e in near[u])
        for e in near[u]:
            e[2] = e[2] / (1.0 + s * s)
    return sum(e[2] * (e[0] + 2 * e[1] + 1) for e in table)


def sorted_in_place(xs):
    rows = [[x, i] for i, x in enumerate(xs)]
    mine = rows[2]
    rows.insert(0, [xs[0] * xs[1], 7])
    rows.sort()
    mine[0] *= 3.0
    last = rows.pop()
    last[0] += 1.0
    rows.sort(key=lambda r: -r[0])
    weighted = sum(r[0] * (k + 1) for k, r in enumerate(rows))
    return weighted + last[0] * mine[0] + xs[mine[1]]


def tasks_in_a_heap(xs):
    tasks = [[x, i, x * 2.0] for i, x in enumerate(xs)]
    waiting = list(tasks)
    heapq.heapify(waiting)
    out = 0.0
    for k in range(7):
        t = heapq.heappop(waiting)
        out += t[0] * (k + 1) * xs[t[1]]
        t[0] += t[2] * t[2]
        heapq.heappush(waiting, t)
    return out + sum(t[0] for t in tasks)


def items_by_name(xs):
    items = [["apple", 3, xs[0]], ["pear", 1, xs[1]], ["fig", 2, xs[2]]]
    by_name = {it[0]: it for it in items}
    by_name["pear"][1] += 4
    by_name["fig"][2] *= xs[0]
    least = min(items, key=lambda it: it[1] * it[2])
    least[2] = least[2] + xs[1]
    return sum(n * p for _, n, p in items) + (5.0 if least[0] == "fig" else 0.0)


def flags_beside_numbers(xs):
    nodes = [[x, False, i] for i, x in enumerate(xs)]
    order = [nodes[2], nodes[0], nodes[2]]
    total = 0.0
    for node in order:
        if not node[1]:
            node[1] = True
            total += node[0] * (node[2] + 1)
    return total + (10.0 if nodes[2][1] is True and nodes[1][1] is False else 0.0)


def linked(xs):
    head = None
    for x in xs:
        head = [x, head]
    second = head[1]
    second[0] *= 2.0
    s, node = 0.0, head
    while node is not None:
        s = s * 0.5 + node[0]
        node = node[1]
    return s


def linked_later(xs):
    nodes = [[x, None] for x in xs]
    for i in range(2):
        nodes[i][1] = nodes[i + 1]
    nodes[2][0] += nodes[0][0]
    s, node = 0.0, nodes[0]
    while node is not None:
        s += node[0] * s + node[0]
        node = node[1]
    return s


def literal_ints_indexed_at_run_time(xs):
    a = [0, xs[0], 1]
    rows = [a, [xs[1], 0, 2], a]
    for i in range(3):
        for j in range(len(xs)):
            rows[i][j] += xs[j] * (i + 1)
    return sum(v * (j + 1) for r in rows for j, v in enumerate(r)) + a[0]


def with_items_appended(xs):
    a = [1.5, xs[0]]
    rows = [a, [2, xs[1]]]
    rows[0].append(xs[2])
    a.insert(0, xs[1])
    return sum(rows[0]) * len(a) + rows[1][0]


def centres_of_groups(xs):
    points = [[x, x * xs[0]] for x in xs] + [[0.1 * xs[1], 0.5], [xs[2], 3.0]]
    centres = [[0.1, 0.2], [2.0, 1.5]]
    for _ in range(2):
        groups = {k: [] for k in range(len(centres))}
        for p in points:
            nearest = min(groups, key=lambda k: math.dist(p, centres[k]))
            groups[nearest].append(p)
        centres = [
            [sum(c) / len(g) for c in zip(*g)] if g else centres[k] for k, g in groups.items()
        ]
    return sum(min(math.dist(p, c) for c in centres) for p in points)


RIGHT = [
    centres_of_groups, edges_of_a_graph, sorted_in_place, tasks_in_a_heap, items_by_name,
    flags_beside_numbers, linked, linked_later, literal_ints_indexed_at_run_time,
    with_items_appended,
]  # fmt: skip
