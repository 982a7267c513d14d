"""Cause, context and whether it is suppressed, of exceptions that leave a compiled function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests.frontend.context_programs import RAISED_MEANWHILE, by_a_helper, by_finally


class OwnError(Exception):
    def __init__(self, k: int) -> None:
        super().__init__(k)
        self.k = k


def plain(x: float, n: int) -> float:
    if n == 3:
        raise ValueError("a")
    return x


def in_a_clause(x: float, n: int) -> float:
    d = {n: x}
    try:
        return d[n + 1]
    except KeyError:
        raise RuntimeError("second")


def with_a_cause(x: float, n: int) -> float:
    d = {n: x}
    try:
        return d[n + 1]
    except KeyError as e:
        raise RuntimeError("second") from e


def from_none(x: float, n: int) -> float:
    d = {n: x}
    try:
        return d[n + 1]
    except KeyError:
        raise RuntimeError("second") from None


def a_cause_outside(x: float, n: int) -> float:
    raise ValueError("v") from KeyError("k")


def again(x: float, n: int) -> float:
    d = {n: x}
    try:
        return d[n + 1]
    except KeyError:
        raise


def again_by_name(x: float, n: int) -> float:
    d = {n: x}
    try:
        return d[n + 1]
    except KeyError as e:
        raise e


def made_before(x: float, n: int) -> float:
    d = {n: x}
    try:
        return d[n + 1]
    except KeyError:
        error = RuntimeError("made")
        raise error


def after_the_clause(x: float, n: int) -> float:
    d = {n: x}
    try:
        return d[n + 1]
    except KeyError:
        pass
    raise RuntimeError("after")


def kept_for_later(x: float, n: int) -> float:
    d = {n: x}
    try:
        return d[n + 1]
    except KeyError as e:
        kept = e
    raise kept


def nested(x: float, n: int) -> float:
    d = {n: x}
    try:
        return d[n + 1]
    except KeyError:
        try:
            raise ValueError("b")
        except ValueError:
            raise RuntimeError("c")


def one_after_the_other(x: float, n: int) -> float:
    d = {n: x}
    try:
        try:
            return d[n + 1]
        except KeyError:
            raise OwnError(n)
    except OwnError as e:
        raise RuntimeError(f"c {e.k}")


def in_rounds(x: float, n: int) -> float:
    d = {n: x}
    for k in range(n):
        try:
            x += d[n + k]
        except KeyError:
            if k == 2:
                raise RuntimeError("round")
    return x


def in_a_recursion(x: float, n: int) -> float:
    try:
        if n == 0:
            raise KeyError("a")
        return in_a_recursion(x, n - 1)
    except Exception:
        raise ValueError(n)


def chain(e: BaseException | None) -> Any:
    if e is None:
        return None
    return type(e), e.args, e.__suppress_context__, chain(e.__cause__), chain(e.__context__)


def left_with(f: Callable[..., Any], *args: Any) -> Any:
    errors = ValueError, RuntimeError, LookupError, ArithmeticError, AssertionError
    with pytest.raises(errors) as caught:
        f(*args)
    return chain(caught.value)


@pytest.mark.parametrize(
    "f",
    [
        plain, in_a_clause, with_a_cause, from_none, a_cause_outside, again, again_by_name,
        made_before, after_the_clause, kept_for_later, nested, one_after_the_other, in_rounds,
        in_a_recursion,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_as_in_python(f: Callable[..., Any]) -> None:
    want = left_with(f, 1.5, 3)
    compiled = pb.jit(f)
    assert left_with(compiled, 1.5, 3) == want
    assert left_with(compiled, 1.5, 3) == want  # by the fast call, too


@pytest.mark.parametrize("f", RAISED_MEANWHILE, ids=lambda f: f.__name__)
def test_what_a_clause_raises_without_raise(f: Callable[..., Any]) -> None:
    want = left_with(f, 1.5, 3)
    for operator in (pb.jit, pb.value_and_grad, pb.grad):
        compiled = operator(f)
        assert left_with(compiled, 1.5, 3) == want
        assert left_with(compiled, 1.5, 3) == want
        assert compiled(1.5, 1) == operator(f)(1.5, 1)  # nothing is being handled any more
        assert left_with(compiled, 1.5, 3) == want
    with pytest.raises(want[0]) as caught:
        pb.jvp(f, (1.5, 3), (1.0, None))
    assert chain(caught.value) == want


def test_what_the_caller_handles_is_the_outermost_context() -> None:
    def meanwhile(f: Callable[..., Any]) -> float:
        try:
            raise OSError("outside")
        except OSError:
            return float(f(1.5, 3))

    for f in (plain, in_a_clause, by_a_helper, by_finally):
        for operator in (pb.jit, pb.grad):
            compiled = operator(f)
            for _ in range(2):
                assert left_with(meanwhile, compiled) == left_with(meanwhile, f)


def test_an_error_noticed_in_the_place_of_another_one_is_not_its_context() -> None:
    def f(x: Any) -> Any:
        for k in range(len(x)):
            if x[k] == 3.0:
                raise ValueError(f"three at {k}")
            if x[k] < 0.0:
                raise KeyError("negative")
        return np.sum(x)

    x = np.array([1.0, -1.0, *range(4, 12), 3.0])
    for operator in (pb.jit, pb.grad, pb.value_and_grad):
        assert left_with(operator(f), x) == left_with(f, x)
    with pytest.raises(KeyError) as caught:
        pb.vjp(f, x)
    assert chain(caught.value) == left_with(f, x)
