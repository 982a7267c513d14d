"""Recursions that give nothing: refused ones, those that raise, and how often functions are run."""

from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from pullback.frontend.functions import functions
from tests.test_rebinding import space


def endless(x):
    return endless(x + 1.0)


def endless_in_turns(x):
    return endless_back(x) + 1.0


def endless_back(x):
    return endless_in_turns(x) * 2.0


def endless_loop(x):
    while True:
        x = x + endless_loop(x)


def always_goes_round(x):
    total = 0.0
    for k in range(2):
        total += always_goes_round(x * k)
    return total


def refused_beside_a_call(x, n=3):
    """A path that raises is no base case."""
    if n == 0:
        return x.wrong
    return refused_beside_a_call(x, n - 1)


def refused_after_a_call(x, n=3):
    """The error is seen when the result is known."""
    if n == 0:
        return x
    y = refused_after_a_call(x, n - 1)
    return y[0]


def tuple_or_number(x, n=3):
    if n == 0:
        return (x,)
    return tuple([tuple_or_number(x, n - 1), x])


def polymorphic(x, n=3):
    if n == 0:
        return 1.0
    return polymorphic(tuple([x, (x,)]), n - 1)


def refused_after_an_update(x, n=3, seen=None):
    """What is known of the result is of a round that did not see the update."""
    seen = [] if seen is None else seen
    if n == 0:
        y = 0.0
    else:
        y = refused_after_an_update(x, n - 1, seen) + 1.0
        seen.append(y)
    return (x, [2.0], {})[int(y)]


def refused_behind_an_update(x):
    return refused_after_an_update(x, 3, [x])


REFUSED = [
    (endless, "calls it again"), (endless_in_turns, "calls it again"),
    (endless_loop, "calls it again"), (always_goes_round, "calls it again"),
    (refused_beside_a_call, "calls it again or raises"),
    (refused_behind_an_update, "items of one type"),
    (tuple_or_number, "one of its own form"), (polymorphic, "ever new types"),
]  # fmt: skip


@pytest.mark.parametrize(("f", "words"), REFUSED, ids=lambda v: getattr(v, "__name__", ""))
def test_refused(f: Callable[..., Any], words: str) -> None:
    with pytest.raises(pb.PullbackError, match=words):
        pb.jit(f)(0.7)


def test_an_error_behind_a_call_is_pythons() -> None:
    with pytest.raises(TypeError, match="'float' object is not subscriptable"):
        pb.jit(refused_after_a_call)(0.7)


# --- functions of a recursion that never return ---------------------------------------------------


def bad(x, n):
    raise ValueError(f"{may_fail(x, n - 1):.1f} at {n}")


def may_fail(x, n):
    if n <= 0:
        return x
    if x > 10.0:
        return bad(x, n)
    return may_fail(2.0 * x, n - 1)


def worse(x, n):
    if n > 3:
        worse(x, n - 2)
    raise ValueError(f"{in_an_expression(x, n - 4):.1f} at {n}")


def in_an_expression(x, n):
    return x if n <= 0 else x + worse(x, n) if x > 10.0 else in_an_expression(2.0 * x, n - 1)


def in_a_list(x, n):
    if n <= 0:
        return x
    parts = [bad(x, k) for k in range(n)] if x > 10.0 else [x]
    return in_a_list(2.0 * x, n - 1) + sum(parts)


def bad_list(x, n):
    raise ValueError(f"{in_a_loop(x, n - 9)}")


def in_a_loop(x, n):
    total = x
    if n <= 0:
        return total
    for k in range(n):
        if x > 10.0:
            total += sum(bad_list(x, j) for j in range(n)) + k
    while x > 10.0:
        bad_list(x, n)
    return in_a_loop(2.0 * x, n - 1) + total


@pytest.mark.parametrize("f", [may_fail, in_an_expression, in_a_list, in_a_loop])
def test_what_raises_inside_of_a_recursion(f: Callable[..., Any]) -> None:
    assert pb.value_and_grad(f)(1.5, 2) == (f(1.5, 2), pytest.approx(f(1.0, 2)))
    with pytest.raises(ValueError) as plain:
        f(1.5, 7)
    for g in (pb.jit(f), pb.grad(f)):
        with pytest.raises(ValueError) as native:
            g(1.5, 7)
        assert str(native.value) == str(plain.value)


def test_the_functions_of_a_recursion_are_run_once_a_round(monkeypatch):
    """Eight functions, each of which calls all eight."""
    calls = [" + ".join(f"f{j}(x * 0.{j + 1}, n - 1)" for j in range(8)) for _ in range(8)]
    text = "".join(
        f"def f{i}(x, n):\n    if n == 0:\n        return x * {i}.5\n    return {found}\n"
        for i, found in enumerate(calls)
    )
    first = space(text + "f = f0\n")
    runs: list[str] = []
    real = functions.run_once

    def counted(run: Any, spec: Any, *rest: Any) -> Any:
        runs.append(spec.name)
        return real(run, spec, *rest)

    monkeypatch.setattr(functions, "run_once", counted)
    assert pb.jit(first)(1.5, 2) == pytest.approx(first(1.5, 2))
    assert len(runs) <= 3 * 8
