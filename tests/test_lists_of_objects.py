"""Lists of objects that hold numbers, as arguments whose attributes are assigned: they are what
Python leaves, whatever else the program does with the list."""

import copy

import pytest

import pullback as pb


class Body:
    def __init__(self, x, v):
        self.x = x
        self.v = v


class Slotted:
    __slots__ = ("v", "x")

    def __init__(self, x, v):
        self.x = x
        self.v = v


def moved(h, ps):
    for p in ps:
        p.x += h * p.v
    return sum(p.x for p in ps)


def some(h, ps):
    for p in ps:
        if p.x > 5:
            p.v = h * p.x
    return ps[0].x + ps[7].v


def removed(h, ps):
    moved(h, ps)
    ps.pop()
    ps.pop(0)
    return ps[0].x * h


def appended(h, ps):
    ps[0].x = h
    ps.append(Body(h, h))
    return ps[0].x


def reordered(h, ps):
    for p in ps:
        p.x = h - p.x
    ps.sort(key=lambda p: p.x)
    ps[0], ps[1] = ps[1], ps[0]
    ps.reverse()
    return ps[0].x


def replaced(h, ps):
    ps[0] = Body(h, h)
    ps[1].x = 7.0
    del ps[2]
    return ps[0].x


def with_signs(h, ps):
    for k, p in enumerate(ps):
        p.v = -p.v
        p.x = k * h if k > 2 else -p.x
    return h * sum(p.v for p in ps)


def raises(h, ps):
    for k, p in enumerate(ps):
        p.x += h
        if k == 5:
            raise ValueError("stop")
    return h


PROGRAMS = [moved, some, removed, appended, reordered, replaced, with_signs, raises]


def bodies(cls):
    made = [cls(float(k), 2.0) for k in range(12)]
    made[1].x = 0.0
    return made


def outcome(f, ps):
    """The value or exception of a call, and what the objects are then, by their places."""
    before = [*ps]
    try:
        found = f(0.5, ps)
    except ValueError as e:
        found = str(e)
    places = [next((k for k, q in enumerate(before) if p is q), None) for p in ps]
    return found, [(repr(p.x), repr(p.v)) for p in ps], [(repr(p.x), p.v) for p in before], places


CASES = [(f, cls) for f in PROGRAMS for cls in (Body, Slotted)
         if cls is Body or f not in (appended, replaced)]  # fmt: skip


@pytest.mark.parametrize(("f", "cls"), CASES, ids=lambda x: x.__name__)
def test_objects_are_what_python_leaves(f, cls):
    wanted, found = outcome(f, bodies(cls)), outcome(pb.jit(f), bodies(cls))
    if isinstance(wanted[0], float):
        assert found[0] == pytest.approx(wanted[0])
    else:
        assert found[0] == wanted[0]
    assert found[1:] == wanted[1:]


def test_one_object_twice():
    ps = bodies(Body)
    twice = [ps[0], ps[0], ps[1]]
    assert pb.jit(moved)(0.5, twice) == moved(0.5, [*map(copy.copy, [bodies(Body)[0]])] * 2 + [
        bodies(Body)[1]])  # fmt: skip


def test_gradients_by_both_methods():
    for method in ("chad", "dual"):
        ps = bodies(Body)
        assert pb.grad(moved, method=method)(0.5, ps) == pytest.approx(24.0)
        assert [p.x for p in ps[:3]] == [1.0, 1.0, 3.0]


def test_only_what_has_changed_is_written():
    ps, kept = bodies(Body), []
    for p in ps:
        kept.append((p.x, p.v))
    pb.jit(some)(0.5, ps)
    assert all(p.x is x for p, (x, _) in zip(ps, kept, strict=True))
    assert [p.v is v for p, (_, v) in zip(ps, kept, strict=True)] == [p.x <= 5 for p in ps]


def test_an_attribute_that_is_not_there_yet():
    def given_more(x, ps):
        for p in ps:
            p.mass = p.x * x
        return sum(p.mass for p in ps)

    ps, same = bodies(Body)[:3], bodies(Body)[:3]
    assert pb.jit(given_more)(0.5, ps) == pytest.approx(given_more(0.5, same))
    assert [vars(p) for p in ps] == [vars(p) for p in same]
