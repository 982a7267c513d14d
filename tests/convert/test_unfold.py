"""Nodes that hold no node of their kind are values, and loops carry what is in them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests.programs import automata
from tests.programs.codata import bouncing, savings, trampolined_fib

XS = (np.array([0.5, -2.0, 3.0, 0.25]), 0.4)


@pytest.mark.parametrize(
    ("f", "args", "nodes"),
    [
        (savings, XS, []),
        (bouncing, (0.8, 25), []),
        (automata.filtered, XS, []),
        (automata.down, XS, ["Tree"]),
        (automata.same_one, XS, ["Sensor"]),
        (automata.widely, XS, ["Wide"]),
        (trampolined_fib, (0.3,), ["lambdas"]),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_is_a_node_still(
    f: Callable[..., Any], args: tuple[Any, ...], nodes: list[str]
) -> None:
    """Those with nodes of their kind, those compared by identity, and those of many fields."""
    lines = pb.show(pb.jit(f), *args, stage="unchanged").splitlines()
    names = {line.split()[1].split(".")[0] for line in lines if line.startswith("type ")}
    assert sorted(names) == nodes
