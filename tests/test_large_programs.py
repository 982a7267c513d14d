"""Programs that are long, or nested deep: they compile or are refused, in linear time."""

import itertools
import linecache

import numpy as np
import pytest

import pullback as pb

_numbers = itertools.count()


def function(body, parameters="x"):
    """The function f of these lines."""
    text = f"def f({parameters}):\n" + "".join(f"    {line}\n" for line in body)
    file = f"<large {next(_numbers)}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    space = {"np": np}
    exec(compile(text, file, "exec"), space)
    return space["f"]


def elifs(count, line):
    arms = [f"elif n == {k}: {line.format(k=k)}" for k in range(count)]
    return ["if n == -1: y = x", *arms, "else: y = -x", "return y"]


PROGRAMS = {
    "statements": ([*(f"x = x * 1.0001 + {k}e-9" for k in range(1200)), "return x"], "x"),
    "display": (["a = [" + ", ".join(f"x * {k}.0" for k in range(1500)) + "]",
                 "return sum(a)"], "x"),
    "numpy display": (["a = np.array([" + ", ".join(f"{k}.0" for k in range(1500)) + "])",
                       "return np.sum(a) * x"], "x"),
    "parentheses": (["return " + "(" * 90 + "x" + " + 1.0)" * 90], "x"),
    "sums": (["return " + " + ".join(["x"] * 1000)], "x"),
    "signs": (["return " + "-" * 300 + "x"], "x"),
    "elif": (elifs(170, "y = x * {k}.0"), "x, n=7"),
    "conditions": (["if " + " and ".join(f"x > -{k}.0" for k in range(180)) + ": return x",
                    "return -x"], "x"),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_large_programs(name):
    f = function(*PROGRAMS[name])
    x, h = 1.5, 1e-6
    assert np.isclose(pb.jit(f)(x), f(x), rtol=1e-12)
    slope = (f(x + h) - f(x - h)) / (2.0 * h)
    assert np.isclose(pb.grad(f)(x), slope, rtol=1e-5)


def test_nested_data_is_refused_where_it_is_too_deep():
    for depth in (300, 50_000):
        data = 1.0
        for _ in range(depth):
            data = [data]
        with pytest.raises(pb.PullbackError, match="nested too deep") as caught:
            pb.jit(lambda d: 1.0)(data)
        assert not isinstance(caught.value, pb.InternalError)
        while type(data) is list:  # Python frees what is nested so deep one by one
            (data,) = data
