"""Generators that run inside of themselves, by ``for`` and by ``next``."""

from __future__ import annotations


class Node:
    def __init__(self, v, left=None, right=None):
        self.v, self.left, self.right = v, left, right


def build(lo, hi, x):
    if lo >= hi:
        return None
    m = (lo + hi) // 2
    return Node(m * x, build(lo, m, x), build(m + 1, hi, x))


def inorder(t):
    if t is not None:
        yield from inorder(t.left)
        yield t.v
        yield from inorder(t.right)


def by_next(x):
    it = inorder(build(0, 7, x))
    a = next(it)
    b = next(it)
    return a + b * 2 + sum(it)


def same_fringe(x):
    a, b = inorder(build(0, 6, x)), inorder(build(0, 5, x * x))
    s = 0.0
    while True:
        u, v = next(a, None), next(b, None)
        if u is None and v is None:
            return s
        if u is None or v is None:
            return s * 2
        s += u * v


def doubled(t):
    if t is not None:
        for v in doubled(t.left):
            yield v + 1
        yield t.v
        for v in doubled(t.right):
            yield v * 2


def by_for(x):
    s, w = 0.0, 1.0
    for v in doubled(build(0, 6, x)):
        s += w * v
        w += 1
    return s


def perms(xs):
    if len(xs) <= 1:
        yield xs
    else:
        for k in range(len(xs)):
            for p in perms(xs[:k] + xs[k + 1:]):
                yield [xs[k]] + p


def permutations(x):
    s, w = 0.0, 1.0
    for p in perms([x, 2.0, 3.0 * x, 4.0]):
        s += w * (p[0] - p[-1] * x)
        w += 1
    return s


def subsets(xs, k):
    if k == len(xs):
        yield []
    else:
        for rest in subsets(xs, k + 1):
            yield rest
            yield [xs[k]] + rest


def all_subsets(x):
    s, w = 0.0, 1.0
    for p in subsets([x, 2.0, x * x, 1.5], 0):
        s += w * sum(p)
        w += 0.5
    return s


def palindromes(text, start):
    if start == len(text):
        yield 0
        return
    for end in range(start + 1, len(text) + 1):
        part = text[start:end]
        if part == part[::-1]:
            for rest in palindromes(text, end):
                yield rest + 1


def palindromic(x):
    s = 0.0
    for k in palindromes("aabaa", 0):
        s += k * x
    return s


def partitions(n, m):
    if n == 0:
        yield []
    for k in range(min(n, m), 0, -1):
        for rest in partitions(n - k, k):
            yield [k] + rest


def parts(x):
    s, w = 0.0, 1.0
    for p in partitions(5, 5):
        s += w * p[0] * x + len(p)
        w += 1
    return s


def first_of_endless(x):
    def up(n):
        yield n * x
        for v in up(n + 1):
            yield v * 2

    it = up(1)
    return next(it) + next(it) + next(it) + next(it)


PROGRAMS = [
    by_next,
    same_fringe,
    by_for,
    permutations,
    all_subsets,
    palindromic,
    parts,
    first_of_endless,
]
