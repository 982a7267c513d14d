"""Objects, lists and variables that a call updates which may raise, and the exception is caught."""

import math

import numpy as np


class Account:
    """Methods that test before they update, and others."""

    def __init__(self, balance):
        self.balance = balance
        self.moves = 0.0
        self.log = []

    def withdraw(self, x):
        if x > self.balance:
            raise ValueError("not enough")
        self.balance -= x
        self.log.append(x)

    def move(self, x):
        if x > 3:
            raise ValueError("too much")
        elif x > 2:
            self.balance += x
        else:
            if x < 0:
                raise ValueError("negative")
            self.balance -= x

    def scale(self, x):
        self.check(x)
        self.balance *= x

    def check(self, x):
        if x > 3:
            raise ValueError("too much")

    def take(self):
        self.balance += 1.0
        return self.balance

    def overdraw(self, x):
        self.balance -= x
        if self.balance < 0:
            raise ValueError("less than nothing")

    def count(self, x):
        self.moves += 1.0
        self.balance += 1.0 / x

    def both(self, x):
        return self.take() + 1.0 / x

    def add_all(self, xs):
        for x in xs:
            if x < 0:
                raise ValueError("negative")
            self.balance += x

    def until(self, xs):
        i = 0
        while 1.0 / xs[i] > 0.1:
            self.balance += xs[i]
            i += 1

    def shares(self, xs):
        return sum([self.take() / x for x in xs])

    def sum_and_more(self, xs):
        return sum(self.take() / x for x in xs) + self.take()

    def chosen(self, x):
        return (self.take() if x > 1 else 0.0) + math.sqrt(2.5 - x)

    def twice(self, x):
        self.move(x)
        self.move(x + 1)

    def descend(self, k, x):
        if k == 0:
            if x > 3:
                raise ValueError("too much")
            return 0.0
        self.balance += x
        return self.descend(k - 1, x)

    def noted(self, x):
        try:
            self.move(x)
        finally:
            self.moves += 1

    def aliased(self, x):
        me = self
        me.balance += 1.0
        if x > 2:
            raise ValueError("too much")
        me.balance += 1.0


class Stack:
    def __init__(self):
        self.items = []

    def push(self, v):
        if len(self.items) >= 3:
            raise OverflowError("full")
        self.items.append(v)

    def pop(self):
        if not self.items:
            raise IndexError("empty")
        return self.items.pop()


def tests_first(x):
    a = Account(4.0)
    for k in range(5):
        try:
            a.withdraw(x * k)
        except ValueError:
            a.balance += 2.0
    return a.balance + sum(a.log) * len(a.log)


def tests_first_of(x, n):
    a = Account(x * n)
    for k in range(n):
        try:
            a.withdraw(x * (k % 7))
        except ValueError:
            a.balance += 2.0
    return a.balance + len(a.log)


def in_arms(x):
    a, s = Account(2.0), 0.0
    for k in range(5):
        try:
            a.move(x + k - 2)
        except ValueError:
            s += a.balance
    return s + a.balance


def by_another_method(x):
    a, s = Account(2.0), 0.0
    for k in range(5):
        try:
            a.scale(x + k - 1)
        except ValueError:
            s += a.balance
    return s + a.balance


def in_a_list(x):
    accounts, s = [Account(2.0), Account(x), Account(3.0)], 0.0
    for k in range(9):
        try:
            accounts[k % 3].move(x + k * 0.3)
        except ValueError:
            s += 1.0
    return s + sum(a.balance for a in accounts)


def transfer(a, b, x):
    a.move(x)
    b.balance += x


def of_two(x):
    a, b = Account(2.0), Account(x)
    for k in range(6):
        try:
            a.balance += 1.0
            transfer(a, b, x + k)
            b.balance += 1.0
        except ValueError:
            b.balance *= 1.5
        finally:
            a.balance -= 0.5
    return a.balance * b.balance


def stack(x):
    s, t = Stack(), 0.0
    for k in range(8):
        try:
            if k % 3 < 2:
                s.push(x * k)
            else:
                t += s.pop()
        except OverflowError:
            t -= s.pop()
        except IndexError:
            t += 100
    return t + sum(s.items)


def captured_list(x):
    h = [x]

    def add(v):
        if v > 3:
            raise ValueError("too much")
        h.append(v * x)

    for k in range(6):
        try:
            add(k * x * 0.5)
        except ValueError:
            h.append(-1.0)
    return sum(h) + len(h)


def captured_array(x):
    w = np.ones(4)

    def put(i, v):
        w[i] = v

    for k in range(6):
        try:
            put(k, x * k)
        except IndexError:
            w[0] += 1.0
    return w.sum()


def captured_number(x):
    n = 0.0

    def step():
        nonlocal n
        if n > 5:
            raise ValueError("too much")
        n += x

    for _ in range(9):
        try:
            step()
        except ValueError:
            n -= 4.0
    return n


def a_dict(x):
    d = {"a": x}

    def put(k, v):
        if v > 3:
            raise KeyError(k)
        d[k] = v

    for _ in range(4):
        try:
            put("a", d["a"] + x)
        except KeyError:
            d["a"] *= 0.5
    return d["a"]


def what_nobody_catches(x):
    a = Account(2.0)
    try:
        a.overdraw(x - 1.0)
        a.withdraw(x)
    except KeyError:
        a.balance = 0.0
    return a.balance


RIGHT = [
    tests_first, in_arms, by_another_method, in_a_list, of_two, stack, captured_list,
    captured_array, captured_number, a_dict, what_nobody_catches,
]  # fmt: skip


def seen(update):
    """A function that looks at an account after an update of it has raised."""

    def looks(x):
        a, y = Account(2.0), 0.0
        try:
            y = update(a, x)
        except (ValueError, ZeroDivisionError, IndexError):
            y = a.moves
        return a.balance + y

    return looks


def overdrawn(a, x):
    a.overdraw(x)
    return 0.0


def counted(a, x):
    a.count(x - 2.0)
    return 0.0


def noted(a, x):
    a.noted(x)
    return 0.0


def added(a, x):
    a.add_all([x, 1.0, 2.0 - x])
    return 0.0


def until(a, x):
    a.until([x, 1.0, x - 2.0])
    return 0.0


def twice(a, x):
    a.twice(x)
    return 0.0


def aliased(a, x):
    a.aliased(x)
    return 0.0


def both(a, x):
    return a.both(x - 2.0)


def shares(a, x):
    return a.shares([x, x - 1.0, x - 2.0])


def sum_and_more(a, x):
    return a.sum_and_more([x, x - 1.0, x - 2.0])


def chosen(a, x):
    return a.chosen(x)


def descends(a, x):
    return a.descend(3, x)


def checked(i):
    if i == 2:
        raise KeyError(i)
    return 1.0 / (i - 3.0) + 2.0


def a_comprehension_in_a_loop(x):
    n = x
    def bump(i):
        nonlocal n
        n += 1.0
        v = checked(i)
        n += v
        return v
    t = 0.0
    for j in (1, 3, 4):
        try:
            t += sum([bump(k) for k in range(j - 1, j + 3)])
        except KeyError:
            t += 100 * n
        except ZeroDivisionError:
            t += 1000 * n
    return t + n


def an_argument(x):
    kept = [x]
    try:
        y = sum(kept.append(checked(k)) or kept[-1] for k in range(5))
    except KeyError:
        y = 50.0
    return y + sum(kept)


def a_key(x):
    o = Account(x)
    try:
        y = sorted([3.0, x, 2.0, 1.5], key=lambda v: o.take() / (v - 2.0))
    except ZeroDivisionError:
        return o.balance
    return y[0] + o.balance


def a_generator_that_raises(x):
    def gen(n):
        for k in range(n):
            yield x + k
            checked(k)
    o = Account(x)
    def loop(n):
        for v in gen(n):
            o.balance += v
            o.take()
    try:
        loop(5)
    except KeyError:
        o.balance += 100
    return o.balance


def a_body_that_raises(x):
    def gen(n):
        for k in range(n):
            yield x + k
    log = []
    def loop(n):
        t = 0.0
        for v in gen(n):
            log.append(v)
            t += checked(len(log) - 1)
            if t > 100:
                break
        return t
    y = 0.0
    try:
        y = loop(5)
    except KeyError:
        y = 100.0
    return y + sum(log) * len(log)


def handed_on(x):
    acc = []
    def inner(k):
        acc.append(k * x)
        yield k
        acc.append(-x)
        yield checked(k)
    def outer():
        for k in range(4):
            yield from inner(k)
    t = 0.0
    def run():
        nonlocal t
        for v in outer():
            t += v
    try:
        run()
    except KeyError:
        t += 50
    return t + sum(acc) + len(acc)


def roots(x, n):
    for k in range(n):
        yield math.sqrt(x - k)


def a_generator_in_the_head(x):
    t = 0.0
    try:
        for v in roots(x, 5):
            t += v
    except ValueError:
        t += 100
    return t


def left_in_three_ways(x):
    log = []
    try:
        for v in roots(x, 5):
            log.append(v)
            if v < 0.3:
                raise KeyError
        else:
            log.append(5.0)
    except ValueError:
        log.append(100.0)
    except KeyError:
        log.append(200.0)
    return sum(log) * len(log)


def asked_again(x):
    it = roots(x, 5)
    t = 0.0
    try:
        for v in it:
            t += v
    except ValueError:
        t += 100
    for v in it:
        t += 7 * v
    return t


def loops_in_each_other(x):
    t = 0.0
    for j in range(3):
        try:
            for v in roots(x + j, 3):
                for u in roots(x, 2):
                    t += u * v
        except ValueError:
            t -= 10 * j
        finally:
            t += 0.5
    return t


def a_list_in_the_head(x):
    xs = [1.0, x, 2.0]
    try:
        for v in xs:
            xs2 = v
            y = 1 / (v - 1.5)
    except ZeroDivisionError:
        return xs2 * 100
    return y + xs2


def items_of_a_dict(x):
    d = {"a": x, "b": 2.0, "c": 0.0}
    t = 0.0
    try:
        for k, v in d.items():
            t += len(k) / v
    except ZeroDivisionError:
        t += 30
    for k in d:
        try:
            t += 1 / d[k]
        except ZeroDivisionError:
            continue
        t += 1
    return t


def in_a_while(x):
    t = 0.0
    try:
        while True:
            for v in roots(x, 9):
                t += v
                if t > 50:
                    break
            t += 1
    except ValueError:
        pass
    return t


def raised_again_behind_it(x):
    out = []
    def src():
        try:
            for v in roots(x, 4):
                out.append(v)
        except ValueError:
            out.append(-1.0)
            raise
    try:
        src()
    except ValueError:
        out.append(-2.0)
    return sum(q * (n + 1) for n, q in enumerate(out))


def changed_by_an_inner_generator(x):
    n = 0.0

    def inner():
        nonlocal n
        yield x
        if x > 1.3:
            n += 1.0
            raise KeyError("k")
        yield 2.0

    def items():
        yield from inner()
        yield 5.0

    total = 0.0
    try:
        for v in items():
            total += v
    except KeyError:
        total += 100.0
    return total + 10 * n


ITEM_BY_ITEM = [
    a_comprehension_in_a_loop, an_argument, a_key, a_generator_that_raises, a_body_that_raises,
    handed_on, a_generator_in_the_head, left_in_three_ways, asked_again, loops_in_each_other,
    a_list_in_the_head, items_of_a_dict, in_a_while, raised_again_behind_it,
]  # fmt: skip
"""Comprehensions, generators and their consumers that raise after they have changed something."""

CHANGED = [
    overdrawn, counted, noted, added, until, twice, aliased, both, shares, sum_and_more,
    chosen, descends,
]  # fmt: skip
"""Calls that raise after they have changed the account in part."""
