"""Tables that grow: an object takes what it holds by names of its own, holds new lists, and puts
everything into these anew, by the method that may let it grow again."""


class Table:
    """Open addressing, in two lists."""

    EMPTY = object()

    def __init__(self, size):
        self.size, self.count = size, 0
        self.keys, self.values = [self.EMPTY] * size, [self.EMPTY] * size

    def put(self, key, value):
        at = key % self.size
        while self.keys[at] is not self.EMPTY and self.keys[at] != key:
            at = (at + 1) % self.size
        if self.keys[at] is self.EMPTY:
            self.count += 1
        self.keys[at], self.values[at] = key, value
        if 3 * self.count >= 2 * self.size:
            self.resize()

    def resize(self):
        keys, values = self.keys, self.values
        self.size *= 2
        self.count = 0
        self.keys, self.values = [self.EMPTY] * self.size, [self.EMPTY] * self.size
        for key, value in zip(keys, values):
            if key is not self.EMPTY:
                self.put(key, value)

    def get(self, key):
        at = key % self.size
        while self.keys[at] != key:
            at = (at + 1) % self.size
        return self.values[at]


def open_addressing(xs):
    table = Table(4)
    for k, x in enumerate(xs + xs):
        table.put(7 * k, x * k)
    return table.get(7) * table.get(14) + table.get(35) * table.size


class Buckets:
    def __init__(self):
        self.buckets, self.count = [[] for _ in range(2)], 0

    def put(self, key, value):
        self.buckets[key % len(self.buckets)].append((key, value))
        self.count += 1
        if self.count > 2 * len(self.buckets):
            old = self.buckets
            self.count = 0
            self.buckets = [[] for _ in range(2 * len(old))]
            for k, row in enumerate(old):
                for key, value in row:
                    self.put(key, value * (1.0 + k))

    def get(self, key):
        for k, value in self.buckets[key % len(self.buckets)]:
            if k == key:
                return value
        raise KeyError(key)


def buckets(xs):
    table = Buckets()
    for k, x in enumerate(xs + xs):
        table.put(3 * k, x)
    return table.get(3) * table.get(12) + table.get(15)


class Buffer:
    """The number of items, their keys and their weights."""

    def __init__(self):
        self.n, self.keys, self.weights = 0, [0.0] * 2, [1.0] * 2

    def push(self, key, weight):
        if self.n == len(self.keys):
            keys, weights, n = self.keys, self.weights, self.n
            self.n = 0
            self.keys = [0.0] * (2 * n)
            self.weights = [1.0] * (2 * n)
            for k, (key_, weight_) in enumerate(zip(keys, weights)):
                self.push(key_, weight_ * (1.0 + k))
        self.keys[self.n], self.weights[self.n] = key, weight
        self.n += 1

    def mean(self):
        return sum(k * w for k, w in zip(self.keys, self.weights)) / sum(self.weights)


def growing_buffer(xs):
    buffer = Buffer()
    for k, x in enumerate(xs + xs):
        buffer.push(x, 1.0 + k * x)
    return buffer.mean()


class Both:
    def __init__(self):
        self.step, self.now, self.best = 0, [1.0, 2.0], [0.0, 0.0]

    def turn(self, x):
        now, best = self.now, self.best
        self.step += 1
        self.now = [v * x for v in now]
        self.best = [max(a, b) for a, b in zip(now, best)]
        now[0] += x
        return now[0] * best[1] + self.step


def lists_kept_over_a_change(xs):
    both, total = Both(), 0.0
    for x in xs:
        total += both.turn(x)
    return total + sum(both.now) + both.best[0] * both.best[1]


RIGHT = [open_addressing, buckets, growing_buffer, lists_kept_over_a_change]
