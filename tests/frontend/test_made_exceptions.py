"""Exceptions that are made in one place and raised, shown or asked in another: values like those
that were caught."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from pullback.errors import UnsupportedError


class Odd(Exception):
    def __init__(self, value):
        super().__init__("odd", value)
        self.value = value


def made_first(x):
    error = ValueError("bad")
    if x < 0.0:
        raise error
    return x * x


def made_on_a_path(x):
    error = None
    if x < 0.0:
        error = ValueError(f"bad {x:.2f}")
    if error is not None:
        raise error
    return x * x


def of(x, scale=2.0):
    return ValueError("negative", x * scale)


def made_by_a_helper(x):
    if x < 0.0:
        raise of(x, scale=3.0)
    return x * x


def listed(x):
    errors = []
    for k in range(3):
        if x < k - 1.5:
            errors.append(Odd(x + k))
    if errors:
        raise errors[-1]
    return x * len(errors) + x


def chosen(x):
    error = ValueError("a", x) if x < 0.0 else KeyError("b")
    if x < 1.0:
        raise error
    return x * 2.0


def with_a_cause(x):
    cause = KeyError("k")
    if x < 0.0:
        raise ValueError("v") from cause
    error = RuntimeError("r")
    if x < 1.0:
        raise error from cause
    return x * 3.0


def of_the_same_class(x):
    try:
        if x < 0.0:
            raise KeyError("k", x)
        if x < 1.0:
            raise ZeroDivisionError("z")
        return x
    except (KeyError, ZeroDivisionError) as e:
        raise type(e)("again", x) from e


def caught_again(x):
    problem = Odd(x)
    try:
        if x < 0.0:
            raise problem
        return x
    except Odd as e:
        if x < -1.0:
            raise e.__class__(x) from None
        return 7.0 * x


def the_last_one(x):
    last, total = None, 0.0
    for k in range(3):
        try:
            if x < k - 1.0:
                raise ValueError(f"small: {x} {k}")
            total += x
        except ValueError as e:
            last = e
    if last is not None and total == 0.0:
        raise RuntimeError(str(last)) from last
    return total


def asked(x):
    e = ValueError("a", 3) if x > 0.0 else TypeError("b")
    if isinstance(e, ValueError) and e.args[0] == "a":
        return x
    return 2.0 * x


def printed(x):
    e = TypeError("no")
    print(e, repr(e))
    return x


PROGRAMS = [made_first, made_on_a_path, made_by_a_helper, listed, chosen, with_a_cause,
            of_the_same_class, caught_again, the_last_one, asked, printed]  # fmt: skip
POINTS = (2.0, 0.6, -0.25, -1.25, -3.0)


def outcome(f: Callable[..., Any], x: float) -> Any:
    try:
        return f(x)
    except (Exception, Odd) as e:
        return type(e), e.args, type(e.__cause__)


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_in_python(f: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    native, slopes = pb.jit(f), [pb.grad(f), pb.grad(f, method="dual")]
    for x in POINTS:
        capsys.readouterr()
        want = outcome(f, x)
        shown = capsys.readouterr().out
        assert outcome(native, x) == want
        assert capsys.readouterr().out == shown
        for slope in slopes:
            found = outcome(slope, x)
            if isinstance(want, tuple):
                assert found == want
            else:
                near = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
                assert found == pytest.approx(near, rel=1e-6)
                tangent = pb.jvp(f, (x,), (1.0,))[1]
                assert tangent == pytest.approx(near, rel=1e-6)


def test_the_line_is_in_the_traceback() -> None:
    with pytest.raises(ValueError, match="bad") as caught:
        pb.grad(made_first)(-1.0)
    last = caught.traceback[-1]
    assert str(last.statement).strip() == "raise error"


def test_what_is_refused() -> None:
    def of_many(x):
        e = ValueError(*[x])
        return x if e.args else 2.0 * x

    with pytest.raises(UnsupportedError):
        pb.jit(of_many)(1.0)
