"""Objects with several names are Python's: values, derivatives, exceptions; or they are refused."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.frontend.kinds.kinds import leaf_types
from pullback.frontend.store.facts import Facts
from tests.campaign import part, seeds
from tests.foreign.__main__ import is_right
from tests.frontend import (
    asked_classes,
    copied_objects,
    made_by_factories,
    objects_beside_numbers,
    shared_families,
    shared_functions,
    shared_programs,
    shared_random,
    tuple_trees,
)
from tests.frontend.harness import agrees, compiled

XS = [0.1, 0.9, 0.3, 0.7, 0.52, 0.25]


RIGHT = [*shared_programs.RIGHT, *shared_functions.RIGHT, *copied_objects.RIGHT,
         *asked_classes.RIGHT, *objects_beside_numbers.RIGHT, *made_by_factories.RIGHT]  # fmt: skip
REFUSED = [*shared_programs.REFUSED, *shared_functions.REFUSED, *asked_classes.REFUSED,
           *objects_beside_numbers.REFUSED]  # fmt: skip


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


def runs_of(f: Callable[..., Any], x: object, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how often the program is run on abstract values until all facts are known."""
    begun: list[Facts] = []
    begin = Facts.begin_run

    def noted(facts: Facts) -> None:
        begun.append(facts)
        begin(facts)

    monkeypatch.setattr(Facts, "begin_run", noted)
    compiled(f, x)
    return len(begun)


@pytest.mark.parametrize(
    ("family", "n"),
    [
        *((family, n) for family in ("fields", "classes", "lists") for n in (2, 12)),
        ("dicts", 1), ("dicts", 3),
    ],
)
def test_a_run_learns_all_that_it_meets(
    family: str, n: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The number of runs does not grow with the fields, the classes and the lists that meet. (A
    program with dicts is first tried with references to objects only, then to lists.)"""
    f = shared_families.program(family, n, tmp_path)
    assert runs_of(f, 1.5, monkeypatch) <= (8 if family == "dicts" else 4)
    assert pb.jit(f)(1.5) == f(1.5)
    assert pb.grad(f)(1.5) == pytest.approx((f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6, rel=1e-6)


def test_fields_with_objects_and_lists_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert runs_of(shared_programs.parents_of_dataclasses, XS, monkeypatch) <= 4


def test_a_tree_of_tuples_has_a_type_that_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Huffman's tree of tuples beside texts: as values, each run would find a type that is twice as
    large."""

    def f(x: float) -> float:
        count = itertools.count()
        heap = [(v, next(count), k) for k, v in {"a": 5.0 * x, "b": 9.0, "c": 12.0}.items()]
        heapq.heapify(heap)
        while len(heap) > 1:
            one, _, left = heapq.heappop(heap)
            other, _, right = heapq.heappop(heap)
            heapq.heappush(heap, (one + other, next(count), (left, right)))
        return heap[0][0]

    leaves: list[int] = []
    begin = Facts.begin_run

    def noted(facts: Facts) -> None:
        fields = [k for g in facts.groups.values() for k in g.fields.values()]
        leaves.append(max((len([*leaf_types(k)]) for k in fields), default=0))
        begin(facts)

    monkeypatch.setattr(Facts, "begin_run", noted)
    assert pb.jit(f)(1.3) == f(1.3)
    assert max(leaves) < 20


MAPPED = [shared_programs.RIGHT[0], tuple_trees.linked, tuple_trees.coded]


@pytest.mark.parametrize("f", MAPPED, ids=lambda f: f.__name__)
def test_mapped(f: Callable[..., Any]) -> None:
    """Each round of a map has objects of its own."""
    xs = np.array([XS, XS[::-1], np.sqrt(XS)])
    wanted = [f(list(row)) for row in xs]
    found, gradient = pb.value_and_grad(lambda xs: np.sum(pb.vmap(f)(xs)))(xs)
    assert found == pytest.approx(sum(wanted), rel=1e-12)
    assert np.allclose(gradient, [pb.grad(f)(row) for row in xs], rtol=1e-12)
    assert np.allclose(pb.vmap(pb.grad(f))(xs), gradient, rtol=1e-12)
    assert np.allclose(pb.vmap(f)(xs), wanted, rtol=1e-12)


def test_a_gradient_in_a_gradient_of_a_function_inside() -> None:
    """What is differentiated has columns of its own; the functions in it get these."""

    class Node:
        def __init__(self, value: float, after: Any) -> None:
            self.value, self.after = value, after

    def f(xs: Any) -> Any:
        def total(node: Any, k: float) -> Any:
            return 0.0 if node is None else node.value**3 * k * xs[0] + total(node.after, k + 1.0)

        node = None
        for x in xs:
            node = Node(x, node)
        return total(node, 1.0)

    def steep(xs: Any) -> Any:
        return np.sum(pb.grad(f)(xs) ** 2)

    xs = np.array(XS)
    first = np.array([(f(xs + h) - f(xs - h)) / 2e-6 for h in 1e-6 * np.eye(len(xs))])
    assert pb.jit(steep)(xs) == pytest.approx(np.sum(first**2), rel=1e-6)
    again = np.array([(steep(xs + h) - steep(xs - h)) / 2e-6 for h in 1e-6 * np.eye(len(xs))])
    assert np.allclose(pb.grad(steep)(xs), again, rtol=1e-6)


def test_objects_from_outside_of_a_map() -> None:
    class Total:
        def __init__(self) -> None:
            self.sum = 0.0

        def add(self, v: float) -> None:
            self.sum += v

    def f(xs: Any) -> Any:
        whole = again = Total()
        again.add(xs[0])

        def one(x: float) -> float:
            mine = other = Total()
            other.add(whole.sum * x)
            return mine.sum

        return np.sum(pb.vmap(one)(xs)) + whole.sum

    assert pb.jit(f)(np.array(XS)) == pytest.approx(f(np.array(XS)), rel=1e-12)
