"""Errors that programs raise show the numbers that they were raised for."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from tests import harness
from tests.frontend.harness import agrees


class Rejected(ValueError):
    """The user's own."""

    def __str__(self):
        return f"rejected: {super().__str__()}"


class TooLarge(Rejected):
    pass


class Missing(KeyError, AttributeError):
    pass


class Coded(ValueError):
    def __init__(self, code):
        super().__init__(f"code {code}")
        self.code = code


class Made(ValueError):
    def __new__(cls, message):
        return super().__new__(cls, message + "!")


def own(xs, n):
    if n == 1:
        raise Rejected("one")
    if n == 2:
        raise Missing
    total = 0.0
    for x in xs:
        if x > 1.0:
            v = float(x)
            raise TooLarge(f"{v} of {n}")
        total += x * x
    return total


def one_number(x):
    if x > 1.0:
        raise ValueError(f"too large: {x}")
    return x


def two_numbers(x, n):
    assert n < 2, f"n = {n}, {{x}} = {x:.3f}"
    return x * n


def in_a_loop(xs):
    total = 0.0
    for k in range(len(xs)):
        if xs[k] < 0.0:
            v = float(xs[k])
            raise ValueError(f"item {k} is {v}")
        total += xs[k]
    return total


def braces(x):
    if x > 1.0:
        raise KeyError("{0} and {x}")
    return x


def only_a_number(x, n):
    if x < 1.0:
        raise ValueError(n)
    if x < 2.0:
        raise SyntaxError("expected )")
    return x


def text_only(x):
    word = "positive"
    assert x > 0.0, f"not {word}"
    return x


@pytest.mark.parametrize(
    "f, args",
    [
        (one_number, (1.5,)),
        (one_number, (0.5,)),
        (two_numbers, (1.25, 3)),
        (in_a_loop, (np.array([1.0, 2.0, -0.5]),)),
        (braces, (2.0,)),
        (text_only, (-1.0,)),
        (only_a_number, (0.5, 7)),
        (only_a_number, (1.5, 7)),
    ],
)
def test_messages(f, args):
    agrees(f, *args)
    try:
        expected = f(*args)
    except Exception as e:
        for tier in (lambda: harness.run(f, args, "native"), lambda: pb.grad(f)(*args)):
            with pytest.raises(type(e)) as caught:
                tier()
            assert str(caught.value) == str(e).splitlines()[0]
    else:
        assert pb.jit(f)(*args) == expected


def test_text_is_made_of_what_is_known():
    """An f-string that is data holds values, never their source text."""

    def named(p, n):
        return p[f"w{n}"] * p[f"w{n + 1:d}"] if f"{n:02d}" == "01" else p["w0"]

    p = {"w0": 2.0, "w1": 3.0, "w2": 5.0}
    for n in (0, 1):
        assert pb.jit(named)(p, n) == named(p, n)
    assert pb.grad(named)(p, 1) == {"w0": 0.0, "w1": 5.0, "w2": 3.0}


@pytest.mark.parametrize("n, xs", [(0, [0.5, 1.5]), (1, [0.5]), (2, [0.5]), (3, [0.5, 0.25])])
def test_exceptions_of_the_user(n, xs):
    args = np.array(xs), n
    try:
        expected = own(*args)
    except Exception as e:
        for tier in (
            lambda: harness.run(own, args, "eval"),
            lambda: harness.run(own, args, "native"),
            lambda: pb.grad(own)(*args),
            lambda: pb.grad(own, method="dual")(*args),
            lambda: pb.jvp(own, args, (np.ones(len(xs)), None)),
        ):
            with pytest.raises(type(e)) as caught:
                tier()
            assert type(caught.value) is type(e)
            assert (str(caught.value), caught.value.args) == (str(e), e.args)
    else:
        assert pb.jit(own)(*args) == expected


def test_two_exceptions_of_one_name():
    def named(doc):
        return type("Twin", (ValueError,), {"__doc__": doc})

    First, Second = named("1"), named("2")

    def f(x):
        if x > 2.0:
            raise First("first")
        if x > 1.0:
            raise Second("second")
        return x * x

    for x, cls in ((3.0, First), (1.5, Second)):
        with pytest.raises(cls):
            pb.grad(f)(x)
    First = Second
    with pytest.raises(Second):
        pb.grad(f)(3.0)


@pytest.mark.parametrize("cls", [Coded, Made])
def test_exceptions_with_a_constructor_of_their_own(cls):
    def f(x):
        if x > 1.0:
            raise cls("3")
        return x

    assert pb.grad(f)(0.5) == 1.0
    with pytest.raises(cls) as expected:
        f(1.5)
    with pytest.raises(cls) as found:
        pb.grad(f)(1.5)
    assert vars(found.value) == vars(expected.value) and found.value.args == expected.value.args


class Told(ValueError):
    pass


def raises_empty(x):
    if x > 0.0:
        raise ValueError("")
    return x


def raises_number(x):
    if x > 0.0:
        raise Told(2.0 * x)
    return x


def raises_int(x):
    if x > 0.0:
        raise Told(int(x) + 1)
    return x


def raises_truth(x):
    if x > 0.0:
        raise ValueError(x > 1.0)
    return x


def raises_none(x):
    if x > 0.0:
        raise ValueError(None)
    return x


def raises_literal(x):
    if x > 0.0:
        raise KeyError(3)
    return x


def asserts_number(x):
    assert x < 0.0, x
    return x


def asserts_empty(x):
    assert x < 0.0, ""
    return x


@pytest.mark.parametrize("f", [
    raises_empty, raises_number, raises_int, raises_truth, raises_none, raises_literal,
])  # fmt: skip
def test_what_an_exception_is_made_of(f):
    with pytest.raises(Exception) as expected:
        f(2.5)
    for tier in ("native", "eval"):
        with pytest.raises(type(expected.value)) as found:
            driver.run(f, (2.5,), tier=tier)
        assert repr(found.value.args) == repr(expected.value.args)


@pytest.mark.parametrize(("f", "args"), [(asserts_number, (2.5,)), (asserts_empty, ("",))])
def test_what_an_assertion_error_is_made_of(f, args):  # pytest changes those of plain Python
    for tier in ("native", "eval"):
        with pytest.raises(AssertionError) as found:
            driver.run(f, (2.5,), tier=tier)
        assert found.value.args == args


def test_numbers_that_are_not_finite():
    for x in (np.inf, np.nan):
        with pytest.raises(Told) as found:
            driver.run(lambda x: raises_number(abs(x)) if x > 0 else raises_number(3.0), (x,))
        assert repr(found.value.args) in ("(inf,)", "(6.0,)")


def test_two_arguments():
    def two(x):
        if x > 0.0:
            raise ValueError("a", x)
        return x

    with pytest.raises(ValueError) as found:
        driver.run(two, (1.0,))
    assert found.value.args == ("a", 1.0)
