"""Objects with several names are Python's: values, derivatives, exceptions; or they are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.frontend.kinds.kinds import Kind
from pullback.frontend.store.facts import Facts, Group, StoreGrewError
from tests.campaign import part, seeds
from tests.foreign.__main__ import is_right
from tests.frontend import shared_functions, shared_programs, shared_random
from tests.frontend.harness import agrees, compiled

XS = [0.1, 0.9, 0.3, 0.7, 0.52, 0.25]


RIGHT = [*shared_programs.RIGHT, *shared_functions.RIGHT]
REFUSED = [*shared_programs.REFUSED, *shared_functions.REFUSED]


@pytest.mark.parametrize("f", part("values", RIGHT, 3), ids=lambda f: f.__name__)
def test_as_in_python(f: Callable[..., Any]) -> None:
    is_right(f, (XS,))


def test_reverse_mode_by_closures() -> None:
    f = shared_functions.micrograd
    agrees(f, [1.3 * x + 0.2 for x in XS])
    value, grad = pb.value_and_grad(f)(XS)
    assert value == pytest.approx(f(XS), rel=1e-12)
    for k, g in enumerate(grad):
        up, down = ([x + h * (j == k) for j, x in enumerate(XS)] for h in (1e-6, -1e-6))
        assert g == pytest.approx((f(up) - f(down)) / 2e-6, rel=1e-6)


def test_products_with_the_hessian_in_compiled_code() -> None:
    """What a product differentiates is looked at before, for what it updates, with columns too."""

    class Node:
        def __init__(self, value: float) -> None:
            self.value, self.after = value, self

    def f(xs: Any) -> Any:
        first, second = Node(xs[0]), Node(xs[1])
        first.after, second.after = second, first
        second.after.value *= xs[1]
        return first.value * first.after.value

    (found,) = pb.jit(lambda xs, v: pb.hvp(f, (xs,), (v,)))(np.array([3.0, 5.0]), np.ones(2))
    assert found.tolist() == [10.0, 16.0]  # of x * y * y


@pytest.mark.parametrize("f", part("values", REFUSED, 3), ids=lambda f: f.__name__)
def test_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(pb.PullbackError) as caught:
        pb.jit(f)(XS)
    assert f"{f.__code__.co_filename}:" in str(caught.value) and "internal" not in str(caught.value)


def test_random_programs(tmp_path: Path) -> None:
    for seed in seeds("random", 3, 3, 3000):
        text, f, derivative = shared_random.program(seed, tmp_path)
        assert shared_random.agrees(f, derivative), text


def test_a_fact_is_learnt_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program is compiled anew for each class, and for each kind that is new in a field."""
    learnt: list[str] = []
    learn, add = Facts.learn, Facts.add

    def noted(facts: Facts, group: Group, name: str, kind: Kind) -> bool:
        try:
            return learn(facts, group, name, kind)
        except StoreGrewError:
            learnt.append(name)
            raise

    def added(facts: Facts, cls: type) -> None:
        learnt.append(cls.__name__)
        add(facts, cls)

    monkeypatch.setattr(Facts, "learn", noted)
    monkeypatch.setattr(Facts, "add", added)
    compiled(shared_programs.parents_of_dataclasses, XS)
    assert learnt == ["D", "x", "kids", "up", "up", "kids"]
