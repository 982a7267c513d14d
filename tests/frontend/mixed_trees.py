"""Trees of dicts and lists that hold numbers beside other dicts and lists; and queues of callbacks,
which hold lists and objects."""

import heapq


def trie(xs):
    tree = {}
    for word, x in zip(["to", "tea", "ten", "in", "inn"], [*xs, *xs]):
        node = tree
        for letter in word:
            node = node.setdefault(letter, {})
        node["count"] = node.get("count", 0.0) + x * x

    def total(node):
        s = node.get("count", 0.0)
        for key, child in node.items():
            if key != "count":
                s += 2.0 * total(child)
        return s

    return total(tree)


def files(xs):
    tree = {}
    for path, x in zip(["usr/bin", "usr/lib/a", "etc"], xs):
        node, parts = tree, path.split("/")
        for p in parts[:-1]:
            node = node.setdefault(p, {})
        node[parts[-1]] = x * x

    def size(node):
        total = 0.0
        for child in node.values():
            total += size(child) * 0.5 if isinstance(child, dict) else child
        return total

    return size(tree)


def lists_in_lists(xs):
    tree = [xs[0]]
    for x in xs:
        tree = [x, tree, x * 2.0]

    def total(tree):
        s = 0.0
        for part in tree:
            s += 2.0 * total(part) if isinstance(part, list) else part * part
        return s

    tree[1][0] *= 3.0
    return total(tree)


def no_dict(xs):
    """A number stands where a dict is looked for."""
    tree = {}
    node, total = tree, 0.0
    try:
        for key in ["a", "n", "a"]:
            node["n"] = xs[0]
            node = node.setdefault(key, {})
    except TypeError as e:
        total = len(str(e)) * xs[1]
    try:
        for key in ["a", "n", "a"]:
            node = node.setdefault(key, {})
    except AttributeError as e:
        total += len(str(e)) * xs[1]
    try:
        for key in ["a", "n"]:
            total += tree[key] * xs[0]
    except TypeError as e:
        total += len(str(e)) * xs[2]
    except KeyError:
        total += 1.0
    return total


class Simulation:
    def __init__(self):
        self.time = 0.0
        self.waiting = []
        self.count = 0

    def at(self, delay, function, *args):
        self.count += 1
        heapq.heappush(self.waiting, (self.time + delay, self.count, function, args))

    def run(self):
        while self.waiting:
            self.time, _, function, args = heapq.heappop(self.waiting)
            function(*args)


def events(xs):
    simulation, total = Simulation(), [0.0]

    def ping(v, n):
        total[0] += v * simulation.time
        if n > 0:
            simulation.at(v, pong, v * 0.9, n - 1)

    def pong(v, n):
        total[0] -= v
        if n > 0:
            simulation.at(1.0, ping, v, n - 1)

    simulation.at(0.0, ping, xs[0], 4)
    simulation.at(0.5, pong, xs[1], 3)
    simulation.run()
    return total[0]


RIGHT = [trie, files, lists_in_lists, no_dict, events]
