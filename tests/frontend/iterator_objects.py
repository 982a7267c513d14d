"""Iterators that are objects: generators that make others, in lists that grow, inside of
themselves, in attributes."""

from __future__ import annotations

from collections import deque


def squares(n, x):
    for k in range(n):
        yield k * k * x


def countdown(n):
    while n > 0:
        yield n
        n -= 1


def one_after_the_other(x):
    def run():
        g = squares(3, x)
        yield next(g)
        yield next(g)
        g = squares(5, x + 1)
        yield next(g) + next(g)
        g = countdown(4)
        yield next(g) * x
        yield next(g)

    it = run()
    a = next(it)
    b = next(it)
    return a + 2 * b + sum(it)


def stage_in_a_loop(x):
    def plus(g, d):
        for v in g:
            yield v + d

    g = squares(4, x)
    for k in range(3):
        g = plus(g, k * x)
    return sum(g)


def scheduler_that_spawns(x):
    def task(n, w):
        for k in range(n):
            yield w * k

    ready = deque([task(3, x)])
    total, spawned = 0.0, 0
    while ready:
        t = ready.popleft()
        v = next(t, None)
        if v is None:
            continue
        total += v
        if spawned < 4:
            ready.append(task(spawned + 1, x + spawned))
            spawned += 1
        ready.append(t)
    return total + spawned


def sieve(x):
    def numbers():
        n = 2
        while True:
            yield n
            n += 1

    def primes(g):
        p = next(g)
        yield p
        yield from primes(v for v in g if v % p != 0)

    s = 0.0
    for p in primes(numbers()):
        if p > 20:
            break
        s += p * x
    return s


def round_robin(x):
    def rr(*its):
        active = [iter(i) for i in its]
        while active:
            rest = []
            for it in active:
                try:
                    yield next(it)
                    rest.append(it)
                except StopIteration:
                    pass
            active = rest

    w, s = 1.0, 0.0
    for v in rr([x, 2.0], [3.0], [4.0, x, 6.0]):
        s += w * v
        w += 1
    return s


def in_a_dict(x):
    gens = {"a": squares(3, x), "b": squares(4, x * x)}
    next(gens["a"])
    next(gens["b"])
    s = 0.0
    for k in ("a", "b", "a", "b"):
        s += next(gens[k]) * (2 if k == "a" else 3)
    return s


class Player:
    def __init__(self, x):
        self.x = x
        self.moves = squares(5, x)

    def move(self):
        return next(self.moves, -1.0)

    def restart(self):
        self.moves = squares(2, self.x + 1)


def in_an_object(x):
    p, q = Player(x), Player(2 * x)
    a = p.move() + q.move() + p.move()
    b = p.move()
    q.restart()
    c = q.move() + q.move() + q.move()
    return a + b * 2 + c * 3


def sent_to_a_list_of_coroutines(x):
    def averager():
        total, n = 0.0, 0
        avg = 0.0
        while True:
            v = yield avg
            total += v
            n += 1
            avg = total / n

    cs = [averager() for _ in range(3)]
    for c in cs:
        next(c)
    r = 0.0
    for k in range(6):
        r += cs[k % 3].send(k * x) * (k + 1)
    return r


def one_iterator_by_two_names(x):
    def sums(a, b):
        for v in a:
            yield v + next(b)

    a = iter([x, 2.0, 3.0, 4.0])
    it = sums(a, a)
    s = next(it)
    return s + 10 * next(it)


def appended_behind(x):
    def follow(xs):
        k = 0
        while k < len(xs):
            yield xs[k]
            k += 1

    xs = [x]
    gens = [follow(xs) for _ in range(2)]
    a = next(gens[0])
    xs.append(x * 2)
    b = next(gens[0])
    c = next(gens[1]) + next(gens[1])
    return a + b * 3 + c * 5


def unset_on_some_path(x):
    def g(n):
        for k in range(n):
            if k == 1:
                y = k * x
            if k >= n - 2:
                yield y

    gens = [g(4), g(2), g(3)]
    s = 0.0
    for it in gens:
        try:
            s += next(it)
        except UnboundLocalError:
            s += 100.0
    return s


def int_and_float_items(x):
    def up(n, d):
        while n < 3:
            yield n
            n += d

    gens = [up(0, 1), up(0.5, 1.0)]
    return f"{next(gens[0])} {next(gens[1])} {next(gens[0])} {next(gens[1])}"


def text_items(x):
    def words(s):
        yield from s.split()

    gens = [words("a bb ccc"), words("dddd e")]
    out = []
    while gens:
        g = gens.pop(0)
        w = next(g, None)
        if w is not None:
            out.append(w)
            gens.append(g)
    return " ".join(out) + str(len(out))


def match_and_walrus(x):
    def g(pairs):
        for p in pairs:
            match p:
                case (0, v):
                    yield v
                case (k, v):
                    if (w := v * k) > 2:
                        yield w
                    yield w + k

    gens = [g([(0, x), (2, 3.0)]), g([(3, x)])]
    s, m = 0.0, 1.0
    for it in gens:
        for v in it:
            s += v * m
            m += 1
    return s


def comprehension_shadows(x):
    def g(n):
        k = n * x
        ys = [k for k in range(3)]
        zs = [k * v for v in ys]
        f = lambda k: k + len(ys)
        yield k + sum(zs) + f(1)
        k += 1
        yield k + f(k)

    gens = [g(1), g(2)]
    return sum([next(it) for it in gens]) + sum([next(it) for it in gens]) * 2


def merge_heap(x):
    from_lists = [[x, 4.0, 7.0], [2.0, 3.0 * x], [1.0]]

    def run(xs):
        yield from xs

    its = [run(xs) for xs in from_lists]
    heads = [next(it) for it in its]
    out, w = 0.0, 1.0
    while its:
        k = heads.index(min(heads))
        out += heads[k] * w
        w += 1
        v = next(its[k], None)
        if v is None:
            its.pop(k)
            heads.pop(k)
        else:
            heads[k] = v
    return out


class Following:
    def __init__(self, xs):
        self.xs, self.k = xs, 0
    def step(self):
        self.k += 1
        return self.xs[self.k - 1]


def objects_over_one_list(x):
    xs = [x]
    fs = [Following(xs) for _ in range(2)]
    a = fs[0].step()
    xs.append(x * 2)
    b = fs[0].step()
    return a + 3 * b + 5 * (fs[1].step() + fs[1].step())


PROGRAMS = [
    one_after_the_other,
    stage_in_a_loop,
    scheduler_that_spawns,
    sieve,
    round_robin,
    in_a_dict,
    in_an_object,
    sent_to_a_list_of_coroutines,
    one_iterator_by_two_names,
    appended_behind,
    unset_on_some_path,
    int_and_float_items,
    text_items,
    match_and_walrus,
    comprehension_shadows,
    merge_heap,
    objects_over_one_list,
]
