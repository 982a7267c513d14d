"""Generators that yield inside of a ``try`` and have a name: they are left where nobody has them
any longer. What they print then is compared, too."""

from __future__ import annotations

import contextlib
import math


def _items(x, n=4):
    k = 0
    try:
        for k in range(n):
            yield x * k
    finally:
        print("closed", k)


def _doubled(it):
    for v in it:
        yield 2 * v


def broken(x):
    g, t = _sum_until(x, 2.0)
    print("after")
    return t * g


def _sum_until(x, most):
    g = _items(x)
    t = 0.0
    for v in g:
        t += v
        if v > most:
            break
    print("behind the loop")
    return next(g, 1.0), t


def closed_twice(x):
    g = _items(x)
    t = next(g) + next(g)
    g.close()
    g.close()
    return t + sum(g)


def closed_before_it_begins(x):
    g = _items(x)
    g.close()
    h = _items(x)
    print("neither")
    return x * next(h, 3.0) + next(g, 2.0)


def bound_anew(x):
    g = _items(x)
    t = next(g)
    g = _items(2 * x)
    print("anew")
    t += next(g) + next(g)
    g = None
    print("none")
    return t


def deleted(x):
    g = _items(x)
    t = next(g) + next(g)
    del g
    print("behind")
    return t


def on_one_path(x):
    t = 0.0
    if x > 1:
        g = _items(x)
        t = next(g, 0.0) + next(g, 0.0)
    print("behind")
    return t


def returned_out_of_the_loop(x):
    g = _items(x)
    for v in g:
        if v > 2:
            return v
    return x


def in_turns(x):
    g = _items(x, 6)
    t = 0.0
    for v in g:
        t += v
        if t > 1:
            break
    print("first")
    for v in g:
        t += v * v
        if t > 6:
            break
    print("second")
    return t


def by_a_parameter(x):
    def taken(it, n):
        t = 0.0
        for v in it:
            n -= 1
            t += v
            if n == 0:
                break
        return t

    t = taken(_items(x), 2)
    print("behind the call")
    g = _items(x)
    t += taken(g, 2)
    print("the caller has it")
    return t


def by_a_lambda(x):
    f = lambda g: next(g, 0.0) + next(g, 0.0)
    t = f(_items(x))
    print("behind")
    return t


def counted_behind_its_function(x):
    n = 0

    def items():
        nonlocal n
        try:
            for k in range(4):
                yield x + k
        finally:
            n += 1

    def use():
        g = items()
        return next(g) * next(g) + n

    t = use()
    return t * n


def with_closing(x):
    t = 0.0
    with contextlib.closing(_items(x)) as g:
        for v in g:
            t += v
            if t > 2:
                break
    print("behind")
    return t


def closed_by_a_finally(x):
    def use():
        g = _items(x)
        t = 0.0
        try:
            for v in g:
                t += math.log(2.0 - v)
        finally:
            g.close()
        return t

    try:
        return use()
    except ValueError:
        print("caught")
    return x


def lost_where_it_is_dropped(x):
    def items():
        try:
            yield x
        finally:
            print("finally")
            math.log(-x)

    g = items()
    t = next(g)
    g = None
    g = items()
    t += next(g)
    try:
        g.close()
    except ValueError as e:
        print(e)
    return t


def its_own_exception(x):
    def items():
        try:
            yield x
            yield math.log(-x)
        finally:
            print("finally")

    g = items()
    t = next(g)
    try:
        t += next(g)
    except ValueError:
        print("caught")
    return t + sum(g)


def clauses_inside(x):
    def items():
        for k in range(4):
            try:
                yield math.log(x - k)
            except ValueError:
                yield -1.0
            print(k)

    g = items()
    t = next(g) * next(g)
    print("middle")
    return t + next(g)


def two_levels(x):
    def items():
        try:
            try:
                yield x
                yield 2 * x
            finally:
                print("inner")
            yield 3 * x
        finally:
            print("outer")

    g = items()
    t = next(g)
    g.close()
    g = items()
    t += next(g) * next(g)
    t += next(g)
    g.close()
    return t


def an_object_around(x):
    log = []

    def items():
        try:
            yield x
            yield 2 * x
        finally:
            log.append(x)

    g = items()
    t = next(g)
    log.append(3.0)
    g = None
    log.append(5.0)
    return t + sum((k + 1) * v for k, v in enumerate(log))


def a_local_of_a_generator(x):
    def outer():
        g = _items(x)
        yield next(g, 0.0)
        yield next(g, 0.0)
        print("its end")

    t = 0.0
    for v in outer():
        t += v
        if t > 0.5:
            break
    print("behind")
    return t


def plain_ones_are_closed(x):
    def items():
        yield x
        yield 2 * x

    g = items()
    t = next(g)
    g.close()
    return t + sum(g) + next(g, 7.0)


def of_a_name_within_another(x):
    g = _items(x)
    t = 0.0
    for v in _doubled(g):
        t += v
        if t > 4:
            break
    print("behind")
    return t


PROGRAMS = [
    broken, closed_twice, closed_before_it_begins, bound_anew, deleted,
    returned_out_of_the_loop, in_turns, by_a_parameter, by_a_lambda, counted_behind_its_function,
    with_closing, closed_by_a_finally, lost_where_it_is_dropped, its_own_exception, clauses_inside,
    two_levels, an_object_around, a_local_of_a_generator, plain_ones_are_closed,
    of_a_name_within_another,
]  # fmt: skip


def left_by_an_exception(x):
    g = _items(x)
    t = 0.0
    for v in g:
        t += math.log(2.0 - v)
    return t


def left_by_an_exception_that_is_caught(x):
    try:
        return left_by_an_exception(x)
    except ValueError:
        print("clause")
    return x


def in_a_dict(x):
    d = {"a": _items(x)}
    for _ in d["a"]:
        break
    print("behind")
    return x


def in_an_attribute(x):
    class Holder:
        pass

    o = Holder()
    o.g = _items(x)
    for _ in o.g:
        break
    print("behind")
    return x


def in_a_list(x):
    its = []
    its.append(_items(x))
    for _ in its[0]:
        break
    print("behind")
    return x


def as_a_default(x):
    def use(g=_items(x)):  # noqa: B008  # that is what is tried
        return next(g)

    t = use()
    print("behind")
    return t


def two_names(x):
    g = _items(x)
    h = g
    g = None
    return next(h)


def under_a_map(x):
    h = map(lambda v: 2 * v, _items(x))
    t = next(h) + next(h)
    print("behind")
    return t


def a_generator_has_it(x):
    w = _doubled(_items(x))
    t = 0.0
    for v in w:
        t += v
        if t > 4:
            break
    print("behind")
    return t


def chosen(x):
    g = _items(x) if x > 1 else _items(2 * x)
    t = next(g) + next(g)
    print("behind")
    return t


def given_back(x):
    def made():
        g = _items(x)
        next(g)
        return g

    return next(made())


REFUSED = [
    left_by_an_exception, left_by_an_exception_that_is_caught, in_a_dict, in_an_attribute,
    in_a_list, as_a_default, two_names, on_one_path,
    under_a_map, a_generator_has_it, chosen, given_back,
]  # fmt: skip
