"""The spellings of the benchmark agree with each other, and take about as many steps of loop code:
a step is an instruction, for eight lanes or for one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchmarks import spellings
from benchmarks.common import worst_difference
from pullback.call import driver
from pullback.call.request import Request, What
from tests.lower.agreement import run

GROUPS = {
    "mixture": (spellings.mixture(16), 2.0),
    "product": (spellings.product(16), 1.3),
    "network": (spellings.network(16, 8, 4, 16), 1.3),
}


def small(group: spellings.Group) -> spellings.Group:
    """The mixture with 4 clusters in 4 dimensions."""
    if group.name != "mixture":
        return group
    alphas, means, qs, ls, x = (np.array(a) for a in group.args)
    args = (alphas[:4], means[:4, :4], qs[:4, :4], ls[:4, :6], x[:, :4])
    return spellings.Group(group.name, group.spellings, args, group.argnums)


def loop_code(f: Callable[..., Any], group: spellings.Group) -> tuple[list[Any], int]:
    """The value and the gradient by loop code, and its steps."""
    request = Request(What.VALUE_AND_GRADIENT, group.argnums)

    def use(g: Any, unit: Any) -> Any:
        results, machine, _ = run(unit.program(True), unit.special.values(g, group.args))
        return results, machine.steps

    found: tuple[list[Any], int] = driver.using(f, group.args, request, use)
    return found


@pytest.mark.parametrize("name", GROUPS)
def test_spellings(name: str) -> None:
    group, factor = GROUPS[name]
    group = small(group)
    found = [loop_code(f, group) for f in group.spellings]
    expected = group.spellings[0](*group.args)
    for results, _ in found:
        assert worst_difference(results, [expected, *found[0][0][1:]]) <= 1e-9
    steps = {f.__name__: s for f, (_, s) in zip(group.spellings, found, strict=True)}
    assert max(steps.values()) <= factor * min(steps.values()), steps
