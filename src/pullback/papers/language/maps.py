"""Persistent maps with ordered keys: balanced trees, so that a map costs what the papers say."""

from __future__ import annotations

from collections.abc import Callable, Iterator


class Tree:
    """A node of an AVL tree."""

    __slots__ = ("height", "key", "left", "right", "size", "value")

    def __init__(self, left: Map, key: int, value: object, right: Map) -> None:
        self.left = left
        self.key = key
        self.value = value
        self.right = right
        self.height = 1 + max(height(left), height(right))
        self.size = 1 + size(left) + size(right)


Map = Tree | None


def height(m: Map) -> int:
    """Return the number of levels."""
    return m.height if m else 0


def size(m: Map) -> int:
    """Return the number of entries."""
    return m.size if m else 0


def _balanced(left: Map, key: int, value: object, right: Map) -> Tree:
    if left and left.height > height(right) + 1:
        if height(left.left) >= height(left.right):
            return Tree(left.left, left.key, left.value, Tree(left.right, key, value, right))
        mid = left.right
        assert mid
        return Tree(Tree(left.left, left.key, left.value, mid.left), mid.key, mid.value,
                    Tree(mid.right, key, value, right))
    if right and right.height > height(left) + 1:
        if height(right.right) >= height(right.left):
            return Tree(Tree(left, key, value, right.left), right.key, right.value, right.right)
        mid = right.left
        assert mid
        return Tree(Tree(left, key, value, mid.left), mid.key, mid.value,
                    Tree(mid.right, right.key, right.value, right.right))
    return Tree(left, key, value, right)


def lookup(m: Map, key: int) -> Tree | None:
    """Return the entry of a key."""
    while m and m.key != key:
        m = m.left if key < m.key else m.right
    return m


def insert(m: Map, key: int, value: object) -> Tree:
    """Return the map with one entry set."""
    if not m:
        return Tree(None, key, value, None)
    if key == m.key:
        return Tree(m.left, key, value, m.right)
    if key < m.key:
        return _balanced(insert(m.left, key, value), m.key, m.value, m.right)
    return _balanced(m.left, m.key, m.value, insert(m.right, key, value))


def last(m: Map) -> Tree:
    """Return the entry of the largest key; KeyError if there is none."""
    if not m:
        raise KeyError("the map is empty")
    while m.right:
        m = m.right
    return m


def delete(m: Map, key: int) -> Map:
    """Return the map without a key."""
    if not m:
        return None
    if key < m.key:
        return _balanced(delete(m.left, key), m.key, m.value, m.right)
    if key > m.key:
        return _balanced(m.left, m.key, m.value, delete(m.right, key))
    if not m.left:
        return m.right
    top = last(m.left)
    return _balanced(delete(m.left, top.key), top.key, top.value, m.right)


def join(left: Map, key: int, value: object, right: Map) -> Tree:
    """Return the map of left, one entry and right, of any heights. It goes down the spine of the
    higher one."""
    if left and left.height > height(right) + 1:
        return _balanced(left.left, left.key, left.value, join(left.right, key, value, right))
    if right and right.height > height(left) + 1:
        return _balanced(join(left, key, value, right.left), right.key, right.value, right.right)
    return Tree(left, key, value, right)


def split(m: Map, key: int) -> tuple[Map, Tree | None, Map]:
    """Return the entries below a key, its entry, and the entries above."""
    if not m:
        return None, None, None
    if key == m.key:
        return m.left, m, m.right
    if key < m.key:
        left, found, right = split(m.left, key)
        return left, found, join(right, m.key, m.value, m.right)
    left, found, right = split(m.right, key)
    return join(m.left, m.key, m.value, left), found, right


def union(a: Map, b: Map, both: Callable[[object, object], object]) -> Map:
    """Return all entries, of common keys ``both`` of the values: O(k log (n/k + 1)) for sizes k <=
    n (Brown and Tarjan's bound, by the algorithm of Blelloch, Ferizovic and Sun)."""
    if not a or not b:
        return a or b
    left, found, right = split(b, a.key)
    value = both(a.value, found.value) if found else a.value
    return join(union(a.left, left, both), a.key, value, union(a.right, right, both))


def entries(m: Map) -> Iterator[tuple[int, object]]:
    """Iterate over keys and values, in order."""
    if m:
        yield from entries(m.left)
        yield m.key, m.value
        yield from entries(m.right)
