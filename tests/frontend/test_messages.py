"""An error of the program is the user's own, made of what Python makes it of."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from tests.frontend import raising_programs as programs

X = np.array([1.5, -2.25, 1.0 / 3.0])
ALL = [(f, (X, 3)) for f in programs.SHOWN] + [(f, (1.5,)) for f in programs.ALWAYS]
WAYS = {
    "jit": lambda f: pb.jit(f),
    "grad": lambda f: pb.grad(f),
    "dual": lambda f: pb.value_and_grad(f, method="dual"),
    "vjp": lambda f: lambda *args: pb.vjp(f, *args),
    "jvp": lambda f: lambda *args: pb.jvp(f, args, (0.0 * args[0] + 1.0, None)[: len(args)]),
    "evaluator": lambda f: lambda *args: driver.run(f, args, tier="eval"),
}
OTHERS = ("grad", "dual", "vjp", "jvp")  # one of them for each program


def told(error):
    """All that a user sees of an error."""
    return type(error), repr(error.args), str(error), repr(error.__cause__)


@pytest.mark.parametrize("case", range(len(ALL)), ids=lambda k: ALL[k][0].__name__)
def test_errors_are_those_of_python(case):
    f, args = ALL[case]
    with pytest.raises(Exception) as expected:
        f(*args)
    for way in ("jit", "evaluator", OTHERS[case % len(OTHERS)]):
        operator = WAYS[way]
        with pytest.raises(type(expected.value)) as found:
            operator(f)(*args)
        assert told(found.value) == told(expected.value), way
        assert not isinstance(found.value, pb.PullbackError), way


@pytest.mark.parametrize("f", programs.SHOWN, ids=[f.__name__ for f in programs.SHOWN])
def test_without_an_error_nothing_changes(f):
    value, gradient = pb.value_and_grad(f)(X, 2)
    assert np.isclose(value, f(X, 2), rtol=1e-14) and np.all(np.isfinite(gradient))


@pytest.mark.parametrize("method", ["dual.tape", "chad.monadic"])
def test_the_methods_of_the_papers_show_it_too(method):
    for f in (programs.shapes, programs.own_constructor):
        with pytest.raises(ValueError) as expected:
            f(X, 3)
        with pytest.raises(ValueError) as found:
            pb.grad(f, method=method)(X, 3)
        assert told(found.value) == told(expected.value)


def test_a_loop_that_need_not_go_round_may_have_a_body_that_raises():
    def total(x):
        return np.sum(np.array([programs.helper(v, "g") for v in x])) + len(x) + 1.5

    empty = np.zeros(0)
    assert pb.jit(total)(empty) == total(empty)
    with pytest.raises(programs.Mine, match=r"g: 1\.50"):
        pb.jit(total)(X)


def test_what_is_not_recorded_stands_as_its_source():
    def unknown(x):
        raise ValueError(f"{x:.1f} by {(lambda y: y)}")

    with pytest.raises(ValueError) as found:
        pb.grad(unknown)(2.0)
    assert str(found.value) == "2.0 by {lambda y: y}"


def test_large_messages_show_their_source():
    def large(x):
        if x[0] > 1.0:
            raise ValueError("large", [(v, v) for v in range(200)], x)
        return x[0]

    def many(x):
        if x > 1.0:
            raise ValueError((x, x, x, x, x, x, x, x) * 9)
        return x

    for f, at in ((large, X), (many, 1.5)):
        with pytest.raises(ValueError):
            pb.jit(f)(at)


def test_show_works_where_all_paths_raise(capsys):
    assert "require" in pb.show(pb.grad(programs.in_call), 1.5, stage="core")


def chosen_index(x, n):
    raise ValueError(f"{x[99]}" if n < 0 else "fine")


def chosen_format(x, n):
    raise ValueError("%d" % "s" if n < 0 else "%d%s" % (n, "s"), n)  # noqa: UP031  # tested


def chosen_twice(x, n):
    raise ValueError("many" if n > 1 else x[99], "" if n == 2 else "!")


def an_array(x, n):
    raise ValueError(x)


def octets(x, n):
    raise UnicodeDecodeError("utf8", b"a", 0, n, "odd")


@pytest.mark.parametrize(
    "f",
    [chosen_index, chosen_format, programs.chosen_asserted, chosen_twice, an_array, octets],
)
@pytest.mark.parametrize("n", [-1, 1, 2, 3])
def test_what_an_error_is_made_of_is_what_python_takes(f, n):
    def outcome(g):
        try:
            return g(X, n)
        except Exception as e:
            return type(e), repr(e.args)

    assert outcome(pb.jit(f)) == outcome(f)
    assert outcome(lambda x, n: pb.value_and_grad(f)(x, n)[0]) == outcome(f)


def test_a_format_that_is_not_recorded():
    def unknown(x):
        raise ValueError(f"{x:.{hash(1)}f}")

    with pytest.raises(ValueError) as found:
        pb.grad(unknown)(2.0)
    assert str(found.value) == "{x}"

    def known(x):
        raise ValueError(f"{x:{chr(46)}1f}")

    with pytest.raises(ValueError) as found:
        pb.grad(known)(2.0)
    assert str(found.value) == "2.0"
