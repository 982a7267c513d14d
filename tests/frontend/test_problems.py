"""All refusals of a function, and of those that it calls, are reported at once."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as pb


def careless(x):
    global COUNT
    y = input(x)
    return y


def many(x, n):
    a = x.nothing
    b = a + 1.0  # what follows from a refusal is not a problem of its own
    for i in range(n):
        careless(i)
        b = b * i
    try:
        d = x + None
    except ValueError as error:
        d = error
    d = undefined_name
    while b:
        d = [1.0] + (2.0,)
    if b > 0.0:
        return unknown_too
    return d


def in_recursion(n, x):
    if n == 0:
        return open(x)
    y = x + None
    return in_recursion(n - 1, x) + y


def counts(x):
    global COUNT
    COUNT += 1
    total = 0.0

    def add(v):
        nonlocal total
        total += v

    def parts():
        yield x

    d = {}
    for i in range(3):
        d[x] = i
    add(x)
    return sum(parts()) + d[0]


def sound(x):
    return x * x


def one(x):
    y = x.nothing
    z = y + 1.0
    return sound(z) if z > 0.0 else z


def lines_of(error):
    return [line.strip() for line in str(error).splitlines()]


def test_every_place_is_shown_once():
    with pytest.raises(pb.PullbackError) as caught:
        pb.jit(many)(np.ones(3), 3)
    shown = lines_of(caught.value)
    for line in (
        "a = x.nothing",
        "y = input(x)",
        "global COUNT",
        "d = x + None",
        "d = undefined_name",
        "d = [1.0] + (2.0,)",
        "return unknown_too",
    ):
        assert shown.count(line) == 1, (line, str(caught.value))
        assert shown[shown.index(line) + 1].strip("^") == "", "a caret under it"
    assert len(caught.value.others) == 6
    assert not any("b = a + 1.0" in line or "b = b * i" in line for line in shown)


def test_in_a_recursion():
    with pytest.raises(pb.PullbackError) as caught:
        pb.grad(in_recursion, argnums=1)(3, 1.0)
    shown = lines_of(caught.value)
    assert "return open(x)" in shown and "y = x + None" in shown
    assert len(caught.value.others) == 1


def test_a_single_one_stands_alone():
    with pytest.raises(AttributeError) as caught:
        pb.grad(one)(1.0)
    assert isinstance(caught.value, pb.PullbackError)
    assert caught.value.others == ()
    assert str(caught.value).count("attribute error") == 1


def test_what_follows_from_a_refusal_is_not_shown():
    with pytest.raises(pb.PullbackError) as caught:
        pb.grad(counts)(1.0)
    shown = [e for e in lines_of(caught.value) if "test_problems.py" in e]
    refused = ("global COUNT", "d[x] = i")
    assert len(shown) == len(refused)
    assert all(line in lines_of(caught.value) for line in refused)


def test_the_traceback_is_short():
    with pytest.raises(pb.PullbackError) as caught:
        pb.grad(counts)(1.0)
    assert len(caught.traceback) <= 4
