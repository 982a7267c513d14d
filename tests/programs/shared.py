"""Objects with several names: linked, shared, updated by whoever has them, in cycles."""

import heapq
import math

import numpy as np

from tests.programs import Program, real


class Node:
    """A node of a list."""

    def __init__(self, value, after=None):
        self.value = value
        self.after = after


def reversed_list(xs):
    """A linked list, turned round in place."""
    head = None
    for x in xs:
        head = Node(x, head)
    before = None
    while head is not None:
        after = head.after
        head.after = before
        before, head = head, after
    total, node = 0.0, before
    while node is not None:
        total = total * 0.5 + node.value * node.value
        node = node.after
    return total


class Tree:
    """A node of a search tree."""

    def __init__(self, key, value):
        self.key, self.value = key, value
        self.left = self.right = None


def _insert(root, key, value):
    if root is None:
        return Tree(key, value)
    if key < root.key:
        root.left = _insert(root.left, key, value)
    elif key > root.key:
        root.right = _insert(root.right, key, value)
    else:
        root.value *= value
    return root


def _turned(root):
    """A rotation to the right."""
    pivot = root.left
    if pivot is None:
        return root
    root.left, pivot.right = pivot.right, root
    return pivot


def _depths(root, depth):
    if root is None:
        return 0.0
    below = _depths(root.left, depth + 1) + _depths(root.right, depth + 1)
    return math.sin(root.value) * depth + below


def search_tree(xs):
    """A search tree, whose root is turned at times."""
    root = None
    for i, x in enumerate(xs):
        root = _insert(root, i * 7919 % 1009, x)
        if i % 5 == 4:
            root = _turned(root)
    return _depths(root, 1)


class Member:
    """An element of a disjoint set."""

    def __init__(self, weight):
        self.parent = self
        self.weight = weight


def _leader(member):
    while member.parent is not member:
        member.parent = member.parent.parent
        member = member.parent
    return member


def disjoint_sets(weights):
    """Union and find, with path halving."""
    members = [Member(w) for w in weights]
    n = len(members)
    for i in range(n):
        a, b = _leader(members[i]), _leader(members[(i * i + 1) % n])
        if a is not b:
            a.parent = b
            b.weight = b.weight + 0.5 * a.weight * a.weight
    return sum(_leader(m).weight for m in members) / n


class Entry:
    """An entry of a cache, between two others."""

    def __init__(self, key, value):
        self.key, self.value = key, value
        self.before = self.after = None


class Cache:
    """The entries that were used last, in a ring through ``end``."""

    def __init__(self, room):
        self.room, self.entries = room, {}
        self.end = Entry(-1, 0.0)
        self.end.before = self.end.after = self.end

    def _take_out(self, entry):
        entry.before.after, entry.after.before = entry.after, entry.before

    def _put_last(self, entry):
        last = self.end.before
        last.after = self.end.before = entry
        entry.before, entry.after = last, self.end

    def get(self, key, missing):
        if key not in self.entries:
            return missing
        entry = self.entries[key]
        self._take_out(entry)
        self._put_last(entry)
        return entry.value

    def put(self, key, value):
        if key in self.entries:
            self._take_out(self.entries[key])
        self.entries[key] = entry = Entry(key, value)
        self._put_last(entry)
        if len(self.entries) > self.room:
            first = self.end.after
            self._take_out(first)
            del self.entries[first.key]


def cache_of_the_latest(xs):
    """A doubly linked ring beside a dict of its entries."""
    cache, total = Cache(4), 0.0
    for i, x in enumerate(xs):
        cache.put(i * 3 % 7, x)
        total += cache.get(i * 5 % 7, 0.5) * x
    return total


class Ball:
    """A point with a velocity."""

    def __init__(self, place):
        self.place, self.speed = place, 0.0

    def move(self, dt):
        self.place += dt * self.speed


class Spring:
    """A spring between two balls, which both have other springs too."""

    def __init__(self, one, other, strength):
        self.one, self.other, self.strength = one, other, strength

    def pull(self, dt):
        force = self.strength * (self.other.place - self.one.place)
        self.one.speed += dt * force
        self.other.speed -= dt * force


def chain_of_springs(places, strength):
    """Balls in a list, and again in the springs between them."""
    balls = [Ball(x) for x in places]
    springs = [Spring(a, b, strength) for a, b in zip(balls, balls[1:])]
    for _ in range(5):
        for spring in springs:
            spring.pull(0.1)
        for ball in balls:
            ball.move(0.1)
    return sum(ball.place * ball.place for ball in balls)


class Shape:
    """What has an area."""

    scale = 1.0

    def __init__(self, size):
        self.size = size
        self.marked = False

    def area(self):
        return self.scale * self.size * self.size

    def grow(self, by):
        self.size *= by


class Disc(Shape):
    scale = math.pi


class Ring(Shape):
    """A disc with a hole."""

    def __init__(self, size):
        super().__init__(size)
        self.hole = 0.5 * size

    def area(self):
        return super().area() * math.pi - math.pi * self.hole**2

    def grow(self, by):
        self.hole += 0.1 * by


def shapes_of_several_classes(sizes):
    """Objects of three classes in one list, called by method; the largest one has two names."""
    shapes = []
    for i, x in enumerate(sizes):
        size = 1.0 + x * x
        shapes.append(Disc(size) if i % 3 == 0 else Ring(size) if i % 3 == 1 else Shape(size))
    largest = max(shapes, key=lambda shape: shape.area())
    largest.marked = True
    for shape in shapes:
        shape.grow(1.5 if shape.marked else 0.9)
        if isinstance(shape, Ring):
            shape.size += shape.hole
    return sum(shape.area() for shape in shapes) + largest.area()


class Place:
    """A place of a map, and the ways from there."""

    def __init__(self, height):
        self.height, self.ways = height, []


def shortest_ways(heights, lengths):
    """Places as the keys of a dict and a set, and in a heap."""
    places, n = [Place(h) for h in heights], len(heights)
    for i, place in enumerate(places):
        for j in (i + 1, 2 * i + 1):
            place.ways.append((places[j % n], abs(lengths[(i + j) % n])))
    first, pushed = places[0], 1
    known, done, todo = {first: 0.0}, set(), [(0.0, 0, first)]
    while todo:
        so_far, _, place = heapq.heappop(todo)
        if place in done:
            continue
        done.add(place)
        for other, length in place.ways:
            new = so_far + length + 0.1 * math.sin(other.height) ** 2
            if other not in known or new < known[other]:
                known[other] = new
                heapq.heappush(todo, (new, pushed, other))
                pushed += 1
    return sum(known[p] * p.height for p in places if p in known)


class Subject:
    """Tells others what it is set to."""

    def __init__(self):
        self.watchers, self.state = [], 0.0

    def set_to(self, value):
        self.state = value
        for watcher in self.watchers:
            watcher.notice(self)


class Watcher:
    """Adds up what it sees, and remembers whom it saw last."""

    def __init__(self, weight):
        self.weight, self.seen, self.last = weight, 0.0, None

    def notice(self, subject):
        self.seen += self.weight * subject.state
        self.last = subject


def watchers(xs):
    """Objects that call each other back."""
    subject, one, other = Subject(), Watcher(2.0), Watcher(-0.5)
    subject.watchers += [one, other, one]
    for x in xs:
        subject.set_to(x)
    return one.seen * other.seen + one.last.state


class Log:
    """A buffer that makes itself room."""

    def __init__(self, room):
        self.data, self.count = np.zeros(room), 0

    def add(self, value):
        if self.count == len(self.data):
            longer = np.zeros(2 * self.count)
            longer[: self.count] = self.data
            self.data = longer
        self.data[self.count] = value
        self.count += 1


class Meter:
    """Writes into a log that somebody else has."""

    def __init__(self, log):
        self.log = log

    def read(self, x):
        self.log.add(x * x)
        return self


def a_shared_log(xs):
    """An array that grows in an object, which two others write to."""
    log = Log(2)
    one, other = Meter(log), Meter(log)
    for x in xs:
        one.read(x)
        other.read(0.5 * x).log.data[0] += 1.0
    return (log.data[: log.count] ** 2).sum()


def _numbers(rng, n):
    return (rng.normal(size=n),)


PROGRAMS = [
    real("reversed_linked_list", reversed_list, _numbers),
    real("search_tree_of_objects", search_tree, _numbers),
    real("disjoint_sets_of_objects", disjoint_sets, _numbers),
    real("cache_of_the_latest", cache_of_the_latest, _numbers),
    real("chain_of_springs", chain_of_springs, lambda rng, n: (rng.normal(size=n), 1.5), (0, 1)),
    Program("shapes_of_several_classes", shapes_of_several_classes, _numbers),
    Program("shortest_ways_between_objects", shortest_ways,
            lambda rng, n: (rng.normal(size=n), rng.normal(size=n)), (0, 1)),
    Program("objects_that_watch", watchers, _numbers),
    Program("a_shared_log", a_shared_log, _numbers),
]  # fmt: skip
