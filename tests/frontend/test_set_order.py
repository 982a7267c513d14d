"""Loops over sets of ints go through them in CPython's order: after any history, of sets from
outside; and at the cost that Python has."""

import enum
import random

import pytest

import pullback as pb
from pullback.frontend.python import set_tables
from tests.campaign import part, rotated
from tests.frontend import set_order_programs as programs
from tests.harness import steps

LARGEST = 2**61


def ints(rng, size, largest):
    """Random ints, of which some are equal, and some are alike in their last bits."""
    scale = rng.choice([1, 1, 1, 1024])
    return [rng.randrange(-largest, largest) // scale * scale for _ in range(size)]


def cases(seed, count):
    rng = random.Random(seed)
    for _ in range(count):
        largest = rng.choice([10, 100, 10**4, 10**9, 2**55])
        xs = ints(rng, rng.choice([1, 3, 6, 10, 40, 300, 1000]), largest)
        ys = [rng.choice(xs) if rng.random() < 0.5 else y
              for y in ints(rng, rng.choice([1, 3, 6, 40, 300]), largest)]  # fmt: skip
        yield xs, ys


@pytest.mark.parametrize("f", part("values", programs.PROGRAMS, 2), ids=lambda f: f.__name__)
def test_as_in_python(f):
    compiled = pb.jit(f)
    for xs, ys in cases(f.__name__, 25):
        assert compiled(xs, ys) == f(xs, ys), (xs, ys)


def test_hashes_of_large_ints():
    def f(xs):
        s = set()
        for x in xs:
            s.add(x)
        return list(s)

    compiled = pb.jit(f)
    edges = [k * (LARGEST - 1) + d for k in range(-4, 5) for d in (-2, -1, 0, 1, 2)]
    edges = [x for x in edges if -(2**63) < x < 2**63]
    for seed in range(20):
        xs = random.Random(seed).sample(edges, 30)
        assert compiled(xs) == f(xs)


def history(seed):
    """A set that items were put into and taken out of, the same for each seed."""
    rng, s = random.Random(seed), set()
    size, largest = rng.choice([1, 3, 6, 10, 40, 300]), rng.choice([10, 100, 10**4, 10**9])
    for _ in range(size):
        way = rng.random()
        if way < 0.7:
            s.add(rng.randrange(-largest, largest))
        elif way < 0.85 and s:
            s.discard(rng.choice(list(s)))
        elif len(s) > 1:
            s.pop()
    return s | {3} if seed % 2 else s or {1}


def test_sets_that_are_given():
    compiled = pb.jit(programs.given)
    for seed in range(50):
        xs = ints(random.Random(seed), random.Random(seed).choice([3, 30, 200]), 100)
        mine, theirs = history(seed), history(seed)
        others = history(seed + 1), history(seed + 1)
        assert compiled(mine, others[0], xs) == programs.given(theirs, others[1], xs), seed
        assert mine == theirs


@pytest.mark.parametrize("method", rotated("values", "gradients", ("chad", "dual")))
def test_gradients(method):
    rng = random.Random(1)
    xs, edges = ints(rng, 50, 1000), [(rng.randrange(30), rng.randrange(30)) for _ in range(90)]
    for f, more in ((programs.weighted, xs), (programs.visited, edges)):
        value, slope = pb.value_and_grad(f, method=method)(0.7, more)
        assert value == f(0.7, more) == pb.jit(f)(0.7, more)
        difference = (f(0.7 + 1e-7, more) - f(0.7 - 1e-7, more)) / 2e-7
        assert slope == pytest.approx(difference, rel=1e-5)


def test_the_memory_of_a_set_is_read():
    assert set_tables.are_known()
    for seed in range(50):
        s = history(seed)
        table = set_tables.table_of(s)
        assert len(table.places) == len(s) and [*table.places] == sorted(table.places)
        assert {*table.places}.isdisjoint(table.deleted) and max(table.places) < table.size


def goes_through(x, n):
    s = set()
    for i in range(n):
        s.add(i * 5 % n)
    for i in range(0, n, 3):
        s.discard(i)
        s.add(i + n)
    total = 0.0
    for v in s:
        total += x * v
    while len(s) > n // 2:
        total -= x * s.pop()
    return total


@pytest.mark.parametrize("method", [None, *rotated("values", "set order", ("chad", "dual"))])
def test_it_costs_what_the_items_cost(method):
    """No factor grows with the number of items, in the function and in its gradient."""
    few, many = (steps(goes_through, (2.0, n), method) / n for n in (300, 4800))
    assert many < 1.25 * few


class Ranked(enum.Enum):
    LOW = 1
    HIGH = 2

    def __hash__(self):
        return 8 * self.value


def of_members(n):
    found, total = set(), 0.0
    for member in (Ranked.HIGH, Ranked.LOW)[:n]:
        found.add(member)
    for member in found:
        total = 0.5 * total + member.value
    return total


def test_the_order_that_a_hash_of_the_user_gives_is_refused():
    with pytest.raises(pb.PullbackError, match="what their __hash__ gives"):
        pb.jit(of_members)(2)


def test_constants_that_are_no_items():
    def f(x):
        return x * len({(1, [2]), 3})

    with pytest.raises(pb.PullbackError, match="as a key") as caught:
        pb.jit(f)(2.0)
    assert not isinstance(caught.value, pb.InternalError)
