"""Nodes that hold no node of their kind are values, and loops carry what is in them."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.convert.unboxing import unbox_nodes
from pullback.core.terms import Block, Function, Program, Var
from pullback.core.types import F64, Decl, Named, Variant
from tests import harness
from tests.programs import automata
from tests.programs.codata import bouncing, savings, trampolined_fib

XS = (np.array([0.5, -2.0, 3.0, 0.25]), 0.4)


@pytest.mark.parametrize(
    ("f", "args", "nodes"),
    [
        (savings, XS, []),
        (bouncing, (0.8, 25), []),
        (automata.filtered, XS, []),
        (automata.down, XS, ["Tree_None"]),
        (automata.widely, XS, []),
        (trampolined_fib, (0.3,), ["lambdas"]),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_is_a_node_still(
    f: Callable[..., Any], args: tuple[Any, ...], nodes: list[str]
) -> None:
    """Those with nodes of their kind."""
    lines = pb.show(pb.jit(f), *args, stage="invariant loads").splitlines()
    names = {line.split()[1].split(".")[0] for line in lines if line.startswith("type ")}
    assert sorted(names) == nodes


def test_nodes_of_many_fields_stay_nodes() -> None:
    """Two of the one before in each: as values they would be 1, 2, 4, ... numbers."""
    x = Var("x", F64)
    decls = {"D0": Decl("D0", (Variant("one", (F64,)),))}
    for k in range(1, 10):
        both = (Named(f"D{k - 1}"), Named(f"D{k - 1}"))
        decls[f"D{k}"] = Decl(f"D{k}", (Variant("two", both),))
    main = Function("main", (x,), Block((), (x,)), (F64,))
    left = unbox_nodes(Program({"main": main}, decls, "main")).decls
    assert list(left) == ["D7"]
    assert len(left["D7"].variants[0].fields) == 2


def test_nodes_that_are_given_to_a_derivative_stay() -> None:
    """(In compiled code only: where Python calls pb.grad itself, they come from outside.)"""

    def by_a_sensor(x, k):
        s = automata.sensor(k, 0.5)
        return pb.grad(lambda v, t: t.read(v).value * v * t.value)(x * k, s) + k

    def by_hand(x, k):
        v = x * k
        return k * (math.cos(v) * v + 0.5 * k + math.sin(v)) + k

    for tier in ("native", "eval"):
        expected = harness.gradient(by_hand, (0.7, 0.4), (0, 1), tier)
        for method in ("chad", "dual"):
            found = harness.gradient(by_a_sensor, (0.7, 0.4), (0, 1), tier, method)
            assert harness.distance(found, expected) < 1e-12
