"""``==`` of dicts, lists and objects that lead to others of their sort."""

import heapq
from dataclasses import dataclass


def a_heap_of_nodes_with_parents(xs):
    """Dijkstra, as many write it: nodes are dicts, and a counter keeps them from being compared."""
    graph = {"a": ["b", "c"], "b": ["c"], "c": []}
    heap, count = [], 0
    heapq.heappush(heap, (0.0, count, {"vertex": "a", "parent": None}))
    while heap:
        distance, _, node = heapq.heappop(heap)
        if node["vertex"] == "c":
            break
        for k, following in enumerate(graph[node["vertex"]]):
            count += 1
            entry = (distance + xs[k], count, {"vertex": following, "parent": node})
            heapq.heappush(heap, entry)
    steps = 0
    while node is not None:
        steps += 1
        node = node["parent"]
    return distance * steps


def chains_of_dicts(xs):
    def chain(values):
        made = {"value": 0.0, "before": None}
        for x in values:
            made = {"value": x, "before": made}
        return made

    a, b, c = chain(xs), chain(list(xs)), chain([2.0 * x for x in xs])
    total = (2.0 if a == b else 3.0) * a["value"] + (5.0 if a == c else 7.0)
    b["before"]["before"]["value"] = 9.0
    return total + (11.0 if a == b else 13.0) * xs[1] + (1.0 if a != c else 0.0)


@dataclass
class Link:
    value: float
    following: "Link | None" = None


def chains_of_dataclasses(xs):
    def chain(values):
        made = None
        for x in values:
            made = Link(x, made)
        return made

    a, b, c = chain(xs), chain(list(xs)), chain([*xs[:2], 9.0])
    total = (2.0 if a == b else 3.0) * a.value + (5.0 if a == c else 7.0) * a.following.value
    a.following.following.value *= 2.0
    return total + (11.0 if a == b else 13.0) * xs[0]


def trees_by_a_method(xs):
    class Tree:
        def __init__(self, value):
            self.value, self.kids = value, []

        def __eq__(self, other):
            return self.value == other.value and self.kids == other.kids

    a, b = Tree(xs[0]), Tree(xs[0])
    for t in (a, b):
        t.kids.append(Tree(xs[1]))
    b.kids[0].kids.append(Tree(xs[2]))
    first = 1.0 if a == b else 2.0
    a.kids[0].kids.append(Tree(xs[2]))
    return first + (10.0 if a == b else 20.0) * a.value


def one_object_in_itself(xs):
    a, b = {"x": xs[0], "self": None}, {"x": xs[0], "self": None}
    a["self"] = a
    b["self"] = a
    return (1.0 if a == b else 2.0) * xs[1]


RIGHT = [
    a_heap_of_nodes_with_parents, chains_of_dicts, chains_of_dataclasses, trees_by_a_method,
    one_object_in_itself,
]  # fmt: skip
