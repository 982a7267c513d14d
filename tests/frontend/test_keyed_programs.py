"""Dicts of run-time keys as queues, with defaults, of functions: as in Python, or nothing."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import harness
from tests.campaign import part, seeds
from tests.foreign.__main__ import is_right
from tests.frontend import keyed_programs, method_keys, point_keys, tuple_keys
from tests.frontend.test_random_control import function_of

PROGRAMS = [
    *keyed_programs.PROGRAMS, *point_keys.PROGRAMS, *method_keys.PROGRAMS, *tuple_keys.PROGRAMS
]  # fmt: skip


@pytest.mark.parametrize(
    "f", part("values", PROGRAMS, 3), ids=lambda f: f.__name__
)
def test_as_in_python(f: Callable[..., Any]) -> None:
    is_right(f, (1.3,))


@pytest.mark.parametrize("f", point_keys.REFUSED, ids=lambda f: f.__name__)
def test_keys_that_are_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(pb.PullbackError) as caught:
        pb.jit(f)(1.3)
    assert "point_keys.py" in str(caught.value) and "internal" not in str(caught.value)


@pytest.mark.parametrize(("f", "words"), method_keys.REFUSED.items(), ids=lambda f: str(f)[:20])
def test_numbers_of_keys_are_seen_nowhere_else(f: Callable[..., Any], words: str) -> None:
    with pytest.raises(pb.PullbackError, match=r"method_keys\.py") as caught:
        pb.jit(f)(1.3)
    assert words in caught.value.reason


def test_a_set_of_objects_that_methods_compare_is_no_argument() -> None:
    with pytest.raises(pb.PullbackError, match="only the run knows what is in a set"):
        pb.jit(lambda s, p: p in s)({method_keys.Noted(1, 0.5)}, method_keys.Noted(1, 1.5))


def test_points_as_keys_of_results_and_in_sets_that_are_given() -> None:
    assert pb.jit(point_keys.a_result)(1.5) == point_keys.a_result(1.5)
    given = {point_keys.P(1, 1), point_keys.P(2, 2)}
    assert pb.jit(lambda s, p: len(s) + (10 if p in s else 0))(given, point_keys.P(2, 2)) == 12


def test_tuples_of_any_length_as_keys_of_results_and_beside_those_that_are_given() -> None:
    assert pb.jit(tuple_keys.a_table)(5) == tuple_keys.a_table(5)
    d = {(0, 1): 2.0, (0, 1, 2): 3.0, (): 1.0}
    pairs = {(i, i + 1): float(i) for i in range(2000)}  # a table, of which each key is a pair
    for given in (d, pairs):
        for s in ({(0,), (3,), (2,)}, {(0, 1), (5, 6)}):
            for n in range(5):
                found = pb.jit(tuple_keys.looked_up)(given, s, n)
                assert found == tuple_keys.looked_up(given, s, n), (n, s)


@pytest.mark.parametrize("method", [None, "chad"])
def test_a_look_up_costs_what_its_key_is_long(method: str | None) -> None:
    sizes = np.array([100, 200, 400, 800])
    given = [method] if method else []
    counts = [harness.steps(tuple_keys.long_keys, (0.5, int(n)), *given) for n in sizes]
    assert np.polyfit(np.log(sizes), np.log(counts), 1)[0] < 1.15


def program(seed: int) -> str:
    """A random program that puts in and takes out at both ends and in the middle."""
    r = random.Random(seed)

    def number() -> int:
        return r.choice([7, 11, 23])

    def change() -> str:
        n = number()
        return r.choice([
            f"d[k * {r.choice([3, 5])} % {n}] = x * k",
            "t = 0.9 * t + d.popitem(last=False)[1] if d else t",
            "t = 0.8 * t + 2 * d.popitem()[1] if d else t",
            f"t += d.pop(k % {n}, x)",
            f"d.move_to_end(k % {n}) if k % {n} in d else None",
            f"d.setdefault(k % {n}, x * x)",
            "t = 0.7 * t + (next(iter(d)) if d else 0)",
            f"d.pop(next(iter(d))) if len(d) > {r.randrange(1, 6)} else None",
            "t += 0.1 * d[next(reversed(d))] if d else 0.0",
        ])  # fmt: skip

    changes = "\n".join(
        f"        if k % {r.randrange(1, 5)} == 0: {change()}" for _ in range(r.randrange(2, 6))
    )
    return f"""from collections import OrderedDict

def f(x):
    d, t = OrderedDict(), 0.0
    for k in range({r.choice([20, 60, 200])}):
        d[k % {r.choice([5, 19, 97])}] = x * k
{changes}
    for k, v in d.items(): t = t * 0.7 + k * v
    return t + len(d)
"""


@pytest.mark.parametrize("seed", seeds("random", 2, 2, 200))
def test_random_programs(seed: int) -> None:
    text = program(seed)
    f, h = function_of(text, f"ordered {seed}"), 1e-6
    assert pb.jit(f)(1.3) == pytest.approx(f(1.3), rel=1e-12), text
    expected = (f(1.3 + h) - f(1.3 - h)) / (2 * h)
    for method in ("chad", "dual"):
        assert pb.grad(f, method=method)(1.3) == pytest.approx(expected, rel=1e-5, abs=1e-5), text


def drained(x: float, n: int) -> float:
    from collections import OrderedDict

    d: OrderedDict[int, float] = OrderedDict()
    for k in range(n):
        d[k] = x * k
    t = 0.0
    while d:
        k, v = d.popitem(last=False)
        t += v
        if k % 2 == 0 and k < n:
            d[k + n] = x
    return t


@pytest.mark.parametrize("method", [None, "chad"])
def test_taking_out_the_first_item_costs_the_same_in_large_dicts(method: str | None) -> None:
    """Those that were taken out before it are not looked at again."""
    sizes = np.array([50, 100, 200, 400])
    counts = [harness.steps(drained, (0.5, int(n)), *([method] if method else [])) for n in sizes]
    assert np.polyfit(np.log(sizes), np.log(counts), 1)[0] < 1.15
