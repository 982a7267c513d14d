"""Derivatives inside differentiated code by data: values, gradients and sharing, without LLVM where
that is enough (the programs of the corpus go through all tiers)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import campaign, harness
from tests.programs import derivatives as programs
from tests.programs.derivatives import Const, Op, X, along, squares, value_of

RNG = np.random.default_rng(5)
TREE, DIRECTION, _ = programs.with_direction(RNG, 6)
ROWS = [[0.3, 1.2], [], [0.7]]
PARAMETERS = {"scale": np.array([0.5, 0.8]), "weights": [0.3, 1.1, 0.2], "shift": 0.4}
TERMS = Op("+", Op("*", Const(2.0), X()), Const(0.5))

CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (programs.steepness, (TREE, 0.6)),
    (programs.pushed_and_pulled, (TREE, DIRECTION, 0.7)),
    (programs.descent, (programs.matrices_of(RNG, 2), RNG.normal(size=3))),
    (programs.ragged_slopes, (ROWS,)),
    (programs.named_parameters, (PARAMETERS, np.array([0.6, 0.9]))),
    (programs.composed_slope, (np.array([0.4, 0.8]), 0.7)),
    (programs.shared_slope, (0.9, 0.7)),
]


@pytest.mark.parametrize(
    ("f", "args"), campaign.part("values", CASES, 3), ids=lambda x: getattr(x, "__name__", "")
)
def test_evaluated_values_and_derivatives_agree(f: Any, args: tuple[Any, ...]) -> None:
    plain = f(*args)
    assert harness.run(f, args, "eval") == pytest.approx(plain, rel=1e-12)
    wrt = tuple(i for i, x in enumerate(args))
    _, found = harness.gradient(f, args, wrt, "eval")
    tangents = tuple(harness.direction(RNG, x) for x in args)
    expected = harness.difference(f, args, tangents)
    assert harness.inner(found, tangents) == pytest.approx(expected, rel=1e-6, abs=1e-8)
    _, dual = harness.gradient(f, args, wrt, "eval", "dual")
    assert harness.inner(dual, tangents) == pytest.approx(expected, rel=1e-6, abs=1e-8)


def shared() -> Op:
    node = Const(1.5)
    return Op("*", Op("+", node, Const(2.0)), Op("*", node, node))


def both(e: Any) -> Any:
    return squares(pb.grad(value_of)(e, 0.5))


def test_a_shared_node_is_one_variable() -> None:
    e = shared()
    plain = both(e)
    assert plain == pytest.approx(3 * (3 * 1.5**2 + 2 * 2.0 * 1.5) ** 2 + 1.5**4)
    assert pb.jit(both)(e) == pytest.approx(plain)
    slope, dual = pb.grad(both)(e), pb.grad(both, method="dual")(e)
    assert slope.left.left is slope.right.left is slope.right.right
    assert slope.left.left.value == pytest.approx(dual.left.left.value)
    pb.check_grads(both, (e,))


@dataclass(frozen=True)
class Leaf:
    value: float


@dataclass(frozen=True)
class Fork:
    left: "Leaf | Fork"
    right: "Leaf | Fork"


def product(t: Any) -> Any:
    match t:
        case Leaf(value):
            return value**3
        case Fork(left, right):
            return product(left) * product(right)


def test_second_derivatives_by_trees_are_checked() -> None:
    pb.check_grads(product, (Fork(Leaf(0.4), Leaf(0.9)),), order=2)


def with_a_record_handed_on(x: float) -> Any:
    leaf = Leaf(x)
    return product(pb.grad(product)(Fork(leaf, beside(leaf, x))))


def beside(leaf: Leaf, x: float) -> Any:
    return Fork(leaf, Leaf(x))


def in_two_branches(x: float) -> Any:
    leaf = Leaf(x)
    first = Fork(leaf, leaf) if x > 0.0 else Fork(leaf, Leaf(x))
    return product(pb.grad(product)(Fork(first, leaf)))


def in_a_loop(x: float) -> Any:
    leaf, tree = Leaf(x), Leaf(1.0)
    for _ in range(int(4.0 * x)):
        tree = Fork(leaf, tree)
    return product(pb.grad(product)(tree))


def chain(held: Any, n: int) -> Any:
    return Leaf(1.0) if n == 0 else Fork(held[0], chain(held, n - 1))


def inside_a_tuple(x: float) -> Any:
    return product(pb.grad(product)(chain((Leaf(x), 1.0), 3)))


def in_a_comprehension(x: float) -> Any:
    leaf = Leaf(x)
    forks = [Fork(leaf, leaf) for _ in range(int(4.0 * x))]
    return product(pb.grad(product)(Fork(forks[0], forks[1])))


def as_a_result(x: float) -> Any:
    leaf = Leaf(x)
    return product(pb.grad(product)(Fork(leaf, same(leaf))))


def same(leaf: Leaf) -> Any:
    return leaf


HANDED_ON = [
    with_a_record_handed_on, in_two_branches, in_a_loop, inside_a_tuple, in_a_comprehension,
    as_a_result,
]  # fmt: skip


@pytest.mark.parametrize("f", HANDED_ON)
def test_records_that_would_become_several_nodes_are_refused(f: Any) -> None:
    with pytest.raises(pb.PullbackError, match="several nodes of one record"):
        pb.jit(f)(0.5)


def slope_as_result(e: Any) -> Any:
    return pb.grad(value_of)(e, 1.0)


def test_gradients_that_lack_something_are_no_results() -> None:
    with pytest.raises(pb.PullbackError, match="something discrete"):
        pb.jit(slope_as_result)(TERMS)


def of_a_tree_made_inside(x: float) -> Any:
    return product(Fork(Leaf(x), Leaf(2 * x)))


def test_second_derivatives_through_trees_that_a_function_makes() -> None:
    """Nodes of what was differentiated forward have reals too: this was 0."""
    assert pb.grad(pb.grad(of_a_tree_made_inside))(1.3) == pytest.approx(240 * 1.3**4)
    assert pb.grad(pb.grad(pb.grad(of_a_tree_made_inside)))(1.3) == pytest.approx(960 * 1.3**3)


def discrete(e: Any) -> float:
    slope = pb.grad(value_of)(e, 1.0)
    return 1.0 if slope.sign is None else 2.0


def test_what_is_discrete_is_none_in_a_gradient() -> None:
    assert discrete(TERMS) == harness.run(discrete, (TERMS,), "eval") == 1.0


def two_trees(pair: Any) -> Any:
    a, b = pair
    return value_of(a, 2.0) * value_of(b, 3.0)


def of_a_pair(e: Any) -> Any:
    a, b = pb.grad(two_trees)((e, e))
    return squares(a) + along(e, b)


def test_nodes_shared_by_two_parts_of_one_argument() -> None:
    expected = of_a_pair(TERMS)
    assert harness.run(of_a_pair, (TERMS,), "eval") == pytest.approx(expected)
    _, (slope,) = harness.gradient(of_a_pair, (TERMS,), (0,), "eval")
    tangent = harness.direction(RNG, TERMS)
    difference = harness.difference(of_a_pair, (TERMS,), (tangent,))
    assert harness.inner((slope,), (tangent,)) == pytest.approx(difference, rel=1e-6)


def pushed(e: Any, t: Any) -> Any:
    return pb.jvp(lambda u: value_of(u, 0.5), (e,), (t,))[1]


def test_a_tangent_has_the_structure_of_its_data() -> None:
    other = Op("+", Const(1.0), Const(0.5))
    with pytest.raises(ValueError, match="structure"):
        harness.run(pushed, (TERMS, other), "eval")
    node = Const(1.0)
    twins = Op("+", Const(1.0), Const(2.0))
    with pytest.raises(ValueError, match="one node"):
        harness.run(pushed, (Op("+", node, node), twins), "eval")
    assert harness.run(pushed, (twins, Op("+", node, node)), "eval") == 2.0


def tower(n: int) -> Any:
    e: Any = Const(1.01)
    for _ in range(n):
        e = Op("+", e, e)
    return e


def test_sharing_is_not_recomputed() -> None:
    """Nodes with n levels of sharing stand for 2^n: what is taken apart is as small as the data."""

    def steps(n: int, method: str) -> int:
        return int(pb.cost(first_value, tower(n), method=method))

    for method in ("chad", "dual"):
        assert steps(40, method) < 3 * steps(20, method)


def test_taking_data_apart_costs_in_proportion_to_it() -> None:
    def steps(n: int) -> int:
        args = programs.random_expression(np.random.default_rng(n), n), 0.6
        return harness.steps(programs.steepness, args)

    assert steps(160) < 6 * steps(40)


def first_value(e: Any) -> Any:
    return leftmost(pb.grad(leftmost)(e, 2.0), 2.0) + leftmost(e, 3.0)


def leftmost(e: Any, x: float) -> Any:
    while isinstance(e, Op):
        e = e.left
    return e.value * x if isinstance(e, Const) else x
