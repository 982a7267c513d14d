"""Lists of floats in and out: no number that somebody still has is ever overwritten."""

import gc
import random
import sys

import numpy as np
import pytest

import pullback as pb


def squares(xs, s):
    return sum(x * x for x in xs) * s


gradient = pb.grad(squares, argnums=(0, 1))


def expected(xs, s):
    return [2.0 * x * s for x in xs], sum(x * x for x in xs)


def numbers(n, start=0.0):
    return [start + 0.5 * i for i in range(n)]


@pytest.mark.parametrize("n", [1, 7, 255, 1024, 1025, 3000])
def test_results_that_are_held_stay_as_they_are(n):
    """Gradients of many calls, all kept, more than the ring of floats holds."""
    calls = max(6, 6000 // n)
    held = [gradient(numbers(n, k), 2.0) for k in range(calls)]
    for k, (found, by_s) in enumerate(held):
        want, whole = expected(numbers(n, k), 2.0)
        assert found == want
        assert by_s == pytest.approx(whole, rel=1e-12)


def test_single_numbers_of_a_result_stay_as_they_are():
    kept = [gradient(numbers(100, k), 1.0)[0][k] for k in range(99)]
    gradient(numbers(100, 7.0), 3.0)
    assert kept == [2.0 * (k + 0.5 * k) for k in range(99)]


def test_the_lists_are_the_callers():
    """Changing them changes nothing else, and they keep nothing alive."""
    xs = numbers(10)

    class Mine:
        pass

    for k in range(20):
        found = gradient(xs, float(k))[0]
        assert found == [2.0 * x * k for x in xs]
        found[3] = Mine()
        found.append(found[2])
        found.sort(key=id)
        del found
    gc.collect()
    assert not [x for x in gc.get_objects() if type(x) is Mine]


def test_the_ring_is_used_from_its_start_again():
    """Calls whose results are dropped take no memory, with results that are kept in between."""
    xs, kept = numbers(300), []
    for _ in range(50):
        gradient(xs, 1.0)
    before = sys.getallocatedblocks()
    for k in range(2000):
        gradient(xs, 1.0)
        if k % 500 == 0:
            kept.append(gradient(xs, float(k)))
    grown = sys.getallocatedblocks() - before
    assert grown < 4 * 310 + 2048 + 200
    assert [x[0][2] for x in kept] == [2.0 * k for k in (0.0, 500.0, 1000.0, 1500.0)]


class Sub(float):
    pass


@pytest.mark.parametrize("odd", [3, True, np.float64(3.0)])
def test_an_odd_item_in_the_middle(odd):
    """Ints, bools and NumPy's floats among floats are refused; the call that follows is not
    disturbed."""
    xs = numbers(100)
    counts = [sys.getrefcount(x) for x in xs]
    mixed = [*xs[:57], odd, *xs[58:]]
    with pytest.raises(TypeError, match="at arg0"):
        gradient(mixed, 2.0)
    with pytest.raises(TypeError):
        gradient([*xs[:57], memoryview(b"3"), *xs[58:]], 2.0)
    assert gradient(xs, 2.0)[0] == [4.0 * x for x in xs]
    del mixed
    assert [sys.getrefcount(x) for x in xs] == counts


def test_an_item_that_would_change_the_list():
    """Of a float of a subclass its value is read, and nothing of the user's is called meanwhile."""
    xs = numbers(100)

    class Clears(float):
        def __float__(self):
            xs.clear()
            return 1.0

    for odd in (Clears(3.0), Sub(3.0)):
        xs[57] = odd
        counts = [sys.getrefcount(x) for x in xs]
        found, by_s = gradient(xs, 2.0)
        assert len(xs) == 100 and type(found[57]) is type(odd)
        assert (found, by_s) == expected(xs, 2.0)
        del found
        assert [sys.getrefcount(x) for x in xs] == counts


def rows_of_squares(rows):
    return sum(sum(x * x for x in row) for row in rows)


def test_floats_that_are_kept_stay_as_they_are() -> None:
    """The floats of short lists are held to be given out again: only those that nobody has."""
    rng = random.Random(1)
    gradient = pb.grad(rows_of_squares)
    kept: list[tuple[list[list[float]], list[list[float]]]] = []
    for _ in range(300):
        sizes = [rng.choice([0, 1, 3, 4, 10, 100, 1030]) for _ in range(rng.randint(1, 4))]
        rows = [[rng.random() for _ in range(n)] for n in (1, *sizes)]
        found = gradient(rows)
        assert found == [[2.0 * x for x in row] for row in rows]
        if rng.random() < 0.4:
            kept.append((found[-1:], [list(found[-1])]))
        if len(kept) > 20:
            kept.pop(rng.randrange(20))
        assert all(mine == copy for mine, copy in kept)
