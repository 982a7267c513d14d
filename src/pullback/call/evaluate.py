"""Arguments as leaves, for the evaluator, and the Python result of an entry.

Arguments are flattened (``marshal``, ``tangents``), and the results built again. The evaluator
takes the leaves as they are; it is the oracle of all compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import numpy as np

from pullback.call.located import located
from pullback.call.marshal import Flattener, result_value
from pullback.call.pytrees import seen
from pullback.call.request import Plan, What
from pullback.call.space import of_reals
from pullback.call.store import Cells, accumulated, of_argument
from pullback.call.tangents import DualFlattener, split_duals
from pullback.core.eval import evaluate, site_of
from pullback.core.frozen import dataclass, field
from pullback.core.terms import Program
from pullback.core.types import Array, Decl, Handle, Named, Type
from pullback.core.values import Node, make_array
from pullback.errors import at_site

Decls = dict[str, Decl]

# --- arguments -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Flat:
    """Flattened arguments: their leaves, and what main is called with."""

    flattener: Flattener
    leaves: list[object]
    given: list[object]
    accumulators: dict[int, object] = field(default_factory=dict)  # of leaves that are data

    @property
    def cells(self) -> int:
        """How many cells the arguments have."""
        return self.flattener.cells

    def gradients(
        self, plan: Plan, cotangents: Sequence[object], cells: object
    ) -> tuple[object, ...]:
        """The gradient of every differentiated argument."""
        return gradients(plan, self, cotangents, cells)


class Given(Protocol):
    """Converted arguments, which can make gradients of cotangents and cells."""

    @property
    def cells(self) -> int:
        """How many cells the arguments have."""

    def gradients(
        self, plan: Plan, cotangents: Sequence[object], cells: object
    ) -> tuple[object, ...]:
        """The gradient of every differentiated argument."""


def flatten_arguments(plan: Plan, values: Sequence[object]) -> Flat:
    """The leaves of the arguments and hidden arguments."""
    flattener = Flattener(plan.space.value)
    with located(plan.shapes, values):
        leaves = [
            leaf
            for i, (s, v) in enumerate(zip(plan.shapes, values, strict=True))
            for leaf in flattener.leaves(s, v, plan.one_home or i in plan.differentiated)
        ]
    given: list[object] = []
    accumulators: dict[int, object] = {}
    for k, (t, leaf) in enumerate(zip(plan.params, leaves, strict=True)):
        parts = flattener.data(t, leaf) if k in plan.data else [leaf]
        given += parts
        if len(parts) == 2:
            accumulators[k] = parts[1]
            assert isinstance(t, Array)
            given[-1] = of_argument(plan.space.value, t, parts[1])
    return Flat(flattener, leaves, given, accumulators)


def flatten_duals(plan: Plan, values: Sequence[object], tangents: Sequence[object]) -> Flat:
    """The leaves of the arguments, then the tangents of those that have one of their own."""
    flattener = DualFlattener()
    given = (*tangents, *(None,) * (len(values) - len(tangents)))
    leaves: list[object] = []
    extra: list[object] = []
    differentiated = {*plan.wrt, *plan.data}
    for s, v, t in zip(plan.shapes, values, given, strict=True):
        with located(plan.shapes, values):
            pairs = flattener.duals(s, v, t, plan.one_home)
        for leaf, tangent in pairs:
            if tangent is not None and len(leaves) in differentiated:
                extra.append(tangent)
            leaves.append(leaf)
    return Flat(flattener, leaves, leaves + extra)


# --- the evaluator -------------------------------------------------------------------------------


Evaluated = Callable[[Program, Sequence[object]], tuple[tuple[object, ...], int]]


def run_evaluator(
    program: Program, flat: Flat, cells: bool, evaluate: Evaluated = evaluate
) -> tuple[list[object], int]:
    """The results of main, and the steps that they took."""
    store = np.zeros(flat.flattener.cells)
    for node in (n.node for n in flat.flattener.flat_nodes):
        node.fields = tuple(_handle(store, x) for x in node.fields)
    try:
        given = [_handle(store, x) for x in flat.given]
        results, steps = evaluate(program, [*given, store] if cells else given)
    except Exception as e:
        at_site(e, site_of(e))
        raise
    types = program.functions[program.main].results
    drop_accumulators(types, results, program.decls)
    return list(results), steps


def _handle(store: np.ndarray, leaf: object) -> object:
    if isinstance(leaf, Cells):
        return store[leaf.offset : leaf.offset + leaf.size].reshape(leaf.shape)
    if (
        isinstance(leaf, np.ndarray)
        and leaf.dtype == np.object_
        and any(isinstance(x, Cells) for x in leaf.flat)
    ):
        return make_array(Handle(1), [_handle(store, x) for x in leaf.flat], leaf.shape)
    return leaf


def drop_accumulators(types: Sequence[Type], leaves: Sequence[object], decls: Decls) -> None:
    """Take the accumulators, or ids, out of results that are nodes in their space."""
    todo: list[tuple[Type, object]] = list(zip(types, leaves, strict=True))
    done: set[int] = set()
    while todo:
        t, leaf = todo.pop()
        if isinstance(t, Array) and isinstance(leaf, np.ndarray) and leaf.dtype == np.object_:
            todo += [(t.elem, x) for x in leaf.flat]
        elif isinstance(t, Named) and isinstance(leaf, Node) and id(leaf) not in done:
            done.add(id(leaf))
            fields = list(zip(decls[t.name].variants[leaf.tag].fields, leaf.fields, strict=True))
            if t.name.endswith(".ids"):
                before = (None, *(f for f, _ in fields))
                fields = [
                    x for f, x in zip(before, fields, strict=False) if f is None or not of_reals(f)
                ]
            leaf.fields = tuple(x for f, x in fields if not _is_accumulator(f))
            todo += fields


def _is_accumulator(t: Type) -> bool:
    return isinstance(t, Handle) or (isinstance(t, Array) and _is_accumulator(t.elem))


# --- results -------------------------------------------------------------------------------------


def gradients(
    plan: Plan, flat: Flat, cotangents: Sequence[object], cells: object
) -> tuple[object, ...]:
    """The gradient of every differentiated argument, from the cotangents of ``plan.wrt`` and what
    was accumulated in the cells."""
    assert cells is None or isinstance(cells, np.ndarray)
    made = {} if cells is None else flat.flattener.node_gradients(cells)
    by_leaf = dict(zip(plan.wrt, cotangents, strict=True))
    for k, where in flat.accumulators.items():
        t = plan.params[k]
        assert isinstance(t, Array) and cells is not None
        by_leaf[k] = accumulated(cells, t, where)
    out = []
    for i in plan.differentiated:
        leaves = [by_leaf.get(k, flat.leaves[k]) for k in plan.leaves[i]]
        out.append(plan.shapes[i].value(iter(leaves), made, gradient=True))
    return tuple(out)


def finish(
    plan: Plan, given_arguments: Given, results: Sequence[object], made: Sequence[object] = ()
) -> object:
    """The Python result of an entry that gave these leaves (in the order of ``Plan.keep``);
    ``made``: the objects that were made of results in the residual object."""
    what = plan.request.what
    if what is What.VALUE:
        return made[0] if made else result_value(plan.result_shape, results)
    if what is What.TANGENT:
        return tuple(made) if made else _tangents(plan, list(results))
    given = iter(results)

    def take(count: int) -> list[object]:
        return [next(given) for _ in range(count)]

    value = [] if what is What.GRADIENT else take(plan.value_leaves)
    cotangents = take(len(plan.wrt))
    cells = next(given) if plan.cells else None
    found: object = given_arguments.gradients(plan, cotangents, cells)
    if plan.request.alone:
        assert isinstance(found, tuple)
        (found,) = found
    beside = None
    if plan.request.has_aux:
        beside = made[0] if made else result_value(plan.aux_shape, list(given))
    if what is What.GRADIENT:
        return (found, beside) if plan.request.has_aux else found
    number = result_value(plan.value_shape, value)
    return ((number, beside) if plan.request.has_aux else number), found


def _tangents(plan: Plan, results: list[object]) -> tuple[object, object]:
    """The value and its tangent."""
    n = len(plan.results)
    derivatives: Iterator[object] = iter(results[n:])
    values, tangents = split_duals(plan.result_shape, results[:n])
    leaves = [
        next(derivatives) if of_reals(t) else tangent
        for t, tangent in zip(plan.results, tangents, strict=True)
    ]
    shape = plan.result_shape
    tangent = result_value(shape, leaves, gradient=True)
    return result_value(shape, values), seen(shape, tangent)


__all__ = ["Decls", "Flat", "Given", "drop_accumulators", "finish", "flatten_arguments",
           "flatten_duals", "gradients", "run_evaluator"]  # fmt: skip
