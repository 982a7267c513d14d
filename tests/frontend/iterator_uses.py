"""Uses of iterators that are advanced: streams, tokens, merges, batches, and ``itertools``.
Each with its arguments."""

import itertools
from dataclasses import dataclass

import numpy as np

X = [0.3, 0.8, 0.6, 0.1, 0.9, 0.7]


def accum(xs):
    it = itertools.accumulate(xs)
    a = next(it)
    b = next(it)
    return a * b + sum(it)


def counted(xs):
    c = itertools.count(1)
    return sum(v * next(c) for v in xs)


def islice_twice(xs):
    it = iter(xs)
    head = list(itertools.islice(it, 2))
    return sum(head) * sum(it)


def islice_from(xs):
    it = itertools.islice(xs, 1, None, 2)
    a = next(it)
    return a * sum(it)


def chained(xs):
    it = itertools.chain(xs, [2.0, 3.0])
    a = next(it)
    t = 0.0
    for v in it:
        t = t * 0.3 + v * a
    return t


def twice_sum(xs):
    it = map(lambda v: v * v, xs)
    return sum(it) + 10 * sum(it)


def twice_known(x):
    it = map(lambda v: v * v, (x, 2 * x, 3 * x))
    return sum(it) + 10 * sum(it)


def batches(xs):
    it = iter(xs)
    out = []
    while True:
        chunk = list(itertools.islice(it, 2))
        if not chunk:
            break
        out.append(sum(chunk) * len(chunk))
    return sum(out)


def tokens(x):
    toks = iter(['a', '+', 'b', '*', 'a'])
    env = {'a': x, 'b': 2.0 * x}
    v = env[next(toks)]
    for op in toks:
        w = env[next(toks)]
        v = v + w if op == '+' else v * w
    return v


def newton(x):

    def iterates(a):
        v = a
        while True:
            v = 0.5 * (v + a / v)
            yield v
    it = iterates(x)
    prev = next(it)
    cur = next(it)
    while abs(cur - prev) > 1e-10:
        prev, cur = (cur, next(it))
    return cur


def restart(xs):
    it = iter(xs)
    t = 0.0
    for _k in range(9):
        v = next(it, None)
        if v is None:
            it = iter(xs)
            v = next(it)
        t = t * 0.8 + v
    return t


def gen(x, n):
    a = x
    for _k in range(n):
        yield a
        a = a * 1.5


def zip3(x):
    return sum((a * b * c for a, b, c in zip(gen(x, 4), gen(x * 0.5, 3), gen(x - 0.1, 5))))


def consumer(x):

    def take(it, n):
        t = 0.0
        for _ in range(n):
            t += next(it)
        return t
    it = gen(x, 10)
    return take(it, 2) * take(it, 3)


def next_in_a_comprehension(xs):
    it = iter(xs)
    return sum([a * next(it) for a in it])


def any_and_the_rest(xs):
    it = iter(xs)
    if any(v > 0.5 for v in it):
        return sum(it)
    return 0.0


def lazyerr(xs):
    it = map(lambda v: 1.0 / (v - xs[2]), xs)
    return next(it) + next(it)


def two_lists(xs, ys):
    a, b = (iter(xs), iter(ys))
    p, q = (next(a, None), next(b, None))
    out = []
    while p is not None and q is not None:
        if p < q:
            out.append(p)
            p = next(a, None)
        else:
            out.append(q)
            q = next(b, None)
    return sum((v * k for k, v in enumerate(out)))


def data_iter(xs):
    its = [iter(xs), iter(xs[2:])]
    return next(its[0]) * next(its[1]) + next(its[0])


def round_robin(xs):
    its = (iter(xs), iter(xs[3:]))
    t = 0.0
    for _k in range(3):
        for it in its:
            t = t * 0.5 + next(it)
    return t


def peek(xs):

    def tokens(vs):
        yield from vs

    def parse(it, first):
        total = first
        for v in it:
            if v > 0.85:
                return total * v
            total += v
        return total
    it = tokens(xs)
    a = parse(it, next(it))
    return a + sum(it)


def max_with_a_key(xs):
    it = iter(xs)
    a = next(it)
    return a * max(it, key=lambda v: -v) + sum(sorted(it))


def walrus(xs):
    it = iter(xs)
    t = 0.0
    while (v := next(it, None)) is not None:
        t = t * 0.5 + v
    return t


def alias(xs):
    it = iter(xs)
    b = it
    return next(it) * next(b) + next(it)


def both_of(it, jt):
    return next(it) * next(jt) + next(it)


def twice_passed(xs):
    it = iter(xs)
    return both_of(it, it)


def short_circuits(xs):
    it = iter(xs)
    a = next(it)
    b = a > 0.5 and next(it) > 0.1
    c = a < 0.5 and next(it) > 0.1
    return next(it) * (2.0 if b else 1.0) * (3.0 if c else 1.0)


def parse_sum(x):
    env = {'x': x, 'y': 2.0}

    def expr(toks):
        t = next(toks)
        if t == '(':
            a = expr(toks)
            op = next(toks)
            b = expr(toks)
            next(toks)
            return a + b if op == '+' else a * b
        return env[t]
    return expr(iter(['(', 'x', '+', '(', 'y', '*', 'x', ')', ')']))


def prefix(x):

    def ev(toks):
        t = next(toks)
        if t == '+':
            return ev(toks) + ev(toks)
        if t == '*':
            return ev(toks) * ev(toks)
        if t == 'x':
            return x
        return 3.0
    return ev(iter(['+', '*', 'x', 'x', '3']))


@dataclass(frozen=True)
class Poly:
    c: list[float]

    def __iter__(self):
        for v in self.c:
            yield (v * 2.0)


def objiter(xs):
    p = Poly(xs)
    it = iter(p)
    return next(it) + sum(it)


def stopped(xs):
    it = iter(xs)
    t = 0.0
    for v in it:
        if v > 0.7:
            for w in it:
                t += w * 2
                if w > 0.5:
                    break
        t += v
    return t


def groups3(xs):
    its = [iter(xs)] * 3
    return sum((a * b + c for a, b, c in zip(*its)))


def simulate(x):

    def noise(seed):
        s = seed
        while True:
            s = (1103515245 * s + 12345) % 2 ** 31
            yield (s / 2 ** 31 - 0.5)

    def path(x0, dw, n):
        y = x0
        for _ in range(n):
            y += 0.1 * y + 0.2 * y * next(dw)
            yield y
    w = noise(7)
    return sum(path(x, w, 5)) + next(w) + max(path(x, w, 3))


def cond_gen(x):

    def g(flag):
        if flag:
            yield x
            yield (x * 2)
        else:
            yield (x * 3)
        yield 1.0
    a, b = (g(True), g(x > 5))
    return next(a) * next(b) + next(a) * next(b) + next(a)


def matrix(a):
    it = iter(a)
    first = next(it)
    second = next(it)
    return first @ second + np.sum(next(it))


def fibs(x):

    def fib(a, b):
        while True:
            yield a
            a, b = (b, a + b)
    it = fib(x, 1.0)
    return sum(next(it) ** 2 for _ in range(5))


PROGRAMS = [
    (accum, X),
    (counted, X),
    (islice_twice, X),
    (islice_from, X),
    (chained, X),
    (twice_sum, X),
    (twice_known, 1.3),
    (batches, X[:5]),
    (tokens, 1.3),
    (newton, 1.3),
    (restart, X),
    (zip3, 1.3),
    (consumer, 1.3),
    (next_in_a_comprehension, X),
    (any_and_the_rest, X),
    (lazyerr, X),
    (two_lists, [0.1, 0.5, 0.9], [0.2, 0.6, 1.0]),
    (data_iter, X),
    (round_robin, X),
    (peek, X),
    (max_with_a_key, X),
    (walrus, X),
    (alias, X),
    (twice_passed, X),
    (short_circuits, X),
    (parse_sum, 1.3),
    (prefix, 1.3),
    (objiter, X),
    (stopped, X),
    (groups3, X),
    (simulate, 1.3),
    (cond_gen, 1.3),
    (matrix, np.arange(9.0).reshape(3, 3)),
    (fibs, 1.3),
]
