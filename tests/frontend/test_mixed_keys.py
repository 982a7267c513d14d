"""Dicts whose keys are of several types, made, updated, given and returned, as in Python."""

import copy
import random

import pytest

import pullback as pb
from tests.campaign import part, seeds
from tests.foreign.__main__ import is_right
from tests.frontend import mixed_key_programs, none_key_programs

PROGRAMS = [*mixed_key_programs.PROGRAMS, *none_key_programs.PROGRAMS]


def name_of(case):
    return case[0].__name__


@pytest.mark.parametrize("case", PROGRAMS, ids=name_of)
def test_as_in_python(case):
    f, *args = case
    mine, other = copy.deepcopy(args), copy.deepcopy(args)
    found, wanted = pb.jit(f)(*mine), f(*other)
    assert found == pytest.approx(wanted) and type(found) is type(wanted) and mine == other


@pytest.mark.parametrize("case", part("values", PROGRAMS, 3), ids=name_of)
def test_gradients(case):
    f, *args = case
    is_right(f, tuple(args))


def test_the_gradient_has_the_keys():
    d = {None: 2.0, (1, 2): 3.0, "a": [4.0]}

    def f(d):
        return d[None] * d[1, 2] + d["a"][0] * d[1, 2]

    for method in ("chad", "dual"):
        assert pb.grad(f, method=method)(d) == {None: 3.0, (1, 2): 6.0, "a": [3.0]}


@pytest.mark.parametrize("key", [0.5, True, (1, 0.5), (True, 2), b"k"])
def test_other_keys_are_refused(key):
    with pytest.raises(TypeError, match="a dict with the key"):
        pb.jit(lambda d: sum(d.values()))({key: 1.0})


def with_keys_of_seed(seed):
    """A function that puts in, asks for and takes out keys of which some are None."""
    r = random.Random(seed)
    n, a, b, m, none = r.randint(3, 9), r.randint(1, 5), r.randint(0, 5), r.randint(2, 6), 2
    ways, at, late = r.randrange(3), r.randint(0, 9), r.randint(0, 9)

    def f(x):
        d, s, total = {}, set(), 0.0
        for i in range(n):
            k = (i * a + b) % m
            key = None if k == none else k
            if ways == 0 and key in d:
                d.pop(key)
            elif ways == 1:
                d[key] = d.get(key, 0.0) + x * i
            else:
                d[key] = x + i
            s.add((i % 2, key))
            if i % 3 == 0:
                s.discard((1, None))
            if i == at:
                d[None] = 2.0 * x
            if i == late:
                d.setdefault(7, x)
        for k, v in d.items():
            total = total * 0.7 + v * (11 if k is None else k + 1)
        for q in range(2):
            for w in (None, 0, 1, 2, 3, 4, 5):
                total += (q + 1) * ((q, w) in s) * (5 if w is None else w + 1)
        return total + len(d) + len(s) + (None in d) * 3 + ((1, None) in s) * 7

    return f


@pytest.mark.parametrize("seed", seeds("values", 4, 3, 80))
def test_random_keys(seed):
    is_right(with_keys_of_seed(seed), (1.3,))
