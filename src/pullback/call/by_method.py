"""Derivatives by the papers' methods: a user's program run by the reference evaluator.

A higher-order program goes to a stage that has functions as the user wrote it (``unconverted``).
Otherwise the method gets the program as the front end made it, with its tuples, where its source
language has functions and no tuple of the interface needs to be taken apart first; else the flat
program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from types import FunctionType
from typing import TypeVar

import numpy as np

from pullback import papers
from pullback.call.evaluate import Flat, finish, flatten_arguments, run_evaluator
from pullback.call.marshal import result_value
from pullback.call.methods import NATIVE
from pullback.call.pullbacks import Padded
from pullback.call.request import Plan, Request, What
from pullback.call.tangents import tangent_leaves
from pullback.call.unconverted import agrees_with, read, unconverted
from pullback.convert.flatten import flatten_tuples
from pullback.core.frozen import dataclass
from pullback.core.terms import Program
from pullback.core.values import Node
from pullback.errors import ArgumentValueError, UnsupportedError
from pullback.frontend.kinds.kinds import leaf_types
from pullback.papers import load
from pullback.papers.bridge import Pullback, bridged, differentiate, pullback
from pullback.papers.language.pretty import show
from pullback.papers.language.reader import shaped_like, value_of
from pullback.papers.language.terms import Lam, Source
from pullback.papers.language.traverse import deeply
from pullback.papers.methods import (
    METHODS,
    Outcome,
    Unsupported,
    linearise,
    method_named,
    run,
)

Told = TypeVar("Told")


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The value (and what is beside it), a gradient per argument asked for, and the run itself."""

    value: object
    gradients: tuple[object, ...]
    outcome: Outcome

    def text(self) -> str:
        """The transformed program."""
        return "" if self.outcome.term is None else show(self.outcome.term)


def method_names() -> tuple[str, ...]:
    """The methods of the papers."""
    load()
    return tuple(METHODS)


def require_paper_method(name: str) -> None:
    """ValueError if the papers have no such method."""
    if name not in method_names():
        raise ArgumentValueError(
            f"there is no method {name!r}", "choose among " + ", ".join((*NATIVE, *METHODS))
        )


def derive(
    method: str, source: Program, plan: Plan, values: Sequence[object],
    cotangent: object = 1.0, function: FunctionType | None = None,
) -> Answer:
    """Value and gradients by a method of the papers. ``plan`` says by which arguments;
    ``cotangent`` has the form of the differentiated result."""
    whole = unconverted(method, function, plan, values) if function else None
    if whole is not None and isinstance(whole[1], float):
        done = run(method, whole[0], tuple(map(value_of, values[: plan.arguments])), cotangent)
        return Answer(whole[1], tuple(
            shaped_like(done.cotangents[i], values[i]) for i in plan.differentiated), done)
    plain, flat = flattened(method, plan, values)
    program = chosen_program(method, source)
    seeds = _seeds(plan, program, plain, values, cotangent)
    try:
        found = differentiate(method, program, flat.given, seeds)
    except Unsupported as e:
        raise UnsupportedError(e.reason, site=e.site) from None
    return Answer(finish(plain, flat, list(found.results)), gradients_of(
        plan, flat, found.cotangents), found.outcome)


def flattened(method: str, plan: Plan, values: Sequence[object]) -> tuple[Plan, Flat]:
    """The plan of the value alone, and the leaves of the arguments."""
    plain = Plan(Request(What.VALUE), plan.kinds, plan.arguments, plan.result)
    flat = flatten_arguments(plain, values)
    if shares_nodes(plan, flat):
        raise UnsupportedError(
            f"method {method!r}, with a node that is shared inside an argument",
            'take method="chad" or "dual": there it is one variable',
        )
    return plain, flat


def gradients_of(plan: Plan, flat: Flat, cotangents: Sequence[object]) -> tuple[object, ...]:
    """A gradient per argument asked for, from the cotangents of the leaves."""
    gradients = []
    for i in plan.differentiated:
        leaves = [merged(cotangents[k], flat.given[k]) for k in plan.leaves[i]]
        gradients.append(result_value(plan.shapes[i], leaves, gradient=True))
    return tuple(gradients)


def shares_nodes(plan: Plan, flat: Flat) -> bool:
    """Whether a node with real numbers is in several places of an argument that is differentiated
    by: each would be a variable of its own."""
    bearing = {id(n.node) for n in flat.flattener.flat_nodes if n.alternative.bears}
    leaves = [flat.leaves[k] for i in plan.differentiated for k in plan.leaves[i]]
    seen: set[int] = set()
    while leaves:
        leaf = leaves.pop()
        if isinstance(leaf, np.ndarray) and leaf.dtype == np.object_:
            leaves += leaf.ravel().tolist()
        elif isinstance(leaf, Node) and id(leaf) in bearing:
            if id(leaf) in seen:
                return True
            seen.add(id(leaf))
            leaves += leaf.fields
    return False


class MethodPullback:
    """The pullback of a function at a point by a method of the papers: the closure that the stage
    makes with the value. A call of it is a reverse pass (``run`` has the instruments); the forward
    pass is not run again, but for a stage whose paper gives it no closure."""

    def __init__(
        self, method: str, source: Program, plan: Plan, values: Sequence[object],
        function: FunctionType | None = None,
    ) -> None:  # fmt: skip
        kept = deeply(lambda: deepcopy(list(values)))  # the primals may be overwritten
        self.plan, self.given = plan, kept
        self.value: object
        self.found: Pullback | None = None
        whole = unconverted(method, function, plan, values) if function else None
        if whole is not None and isinstance(whole[1], float):
            self.run = linearise(
                method, whole[0], tuple(map(value_of, values[: plan.arguments])))
            self.value = whole[1]
            return
        plain, self.flat = flattened(method, plan, kept)
        try:
            found = pullback(method, chosen_program(method, source), self.flat.given)
        except Unsupported as e:
            raise UnsupportedError(e.reason, site=e.site) from None
        self.found, self.run = found, found.run
        self.value = finish(plain, self.flat, deepcopy(list(found.results)))

    def __call__(self, cotangent: object) -> tuple[object, ...]:
        if self.found is None:
            (seed,) = tangent_leaves(self.plan.value_shape, [self.value], cotangent, "cotangent")
            cotangents, _ = self.run.back(seed)
            return tuple(
                shaped_like(cotangents[i], self.given[i]) for i in self.plan.differentiated)
        seeds = cotangents_of(self.plan, list(self.found.results), cotangent)
        try:
            return gradients_of(self.plan, self.flat, self.found.back(seeds))
        except Unsupported as e:  # of a stage that has no closure
            raise UnsupportedError(e.reason, site=e.site) from None


def chosen_program(method: str, source: Program) -> Program:
    """The program that the method gets."""
    flat = flatten_tuples(source)
    if Lam not in method_named(method).source.terms:
        return flat
    before, after = source.functions[source.main], flat.functions[flat.main]
    same = [p.type for p in before.params] == [p.type for p in after.params]
    return source if same and before.results == after.results else flat


def _seeds(
    plan: Plan, program: Program, plain: Plan, values: Sequence[object], cotangent: object
) -> list[object]:
    """A cotangent per result: zeros for what is beside the differentiated result."""
    n = len(tuple(leaf_types(plan.value)))
    if len(plan.results) == n == 1 and isinstance(cotangent, float):
        return [cotangent]
    # The shapes of results are known only when they have been computed.
    flat = flatten_tuples(program)
    results, _ = run_evaluator(flat, flatten_arguments(plain, values), cells=False)
    return cotangents_of(plan, results, cotangent)


def cotangents_of(plan: Plan, results: list[object], cotangent: object) -> list[object]:
    """A cotangent per result, of the results as they are."""
    n = len(tuple(leaf_types(plan.value)))
    given = tangent_leaves(plan.value_shape, results[:n], cotangent, "cotangent")
    return given + [zero_like(x) for x in results[n:]]


def zero_like(leaf: object) -> object:
    """The zero cotangent of a leaf; ``None`` where it is discrete."""
    match leaf:
        case float():
            return 0.0
        case np.ndarray() if leaf.dtype == np.float64:
            return np.zeros_like(leaf)
        case _:
            return None


def merged(cotangent: object, primal: object) -> object:
    """The cotangent of a leaf, with the primal where it has none: lengths of lists, integers."""
    if cotangent is None:
        return primal
    match primal:
        case Node() if isinstance(cotangent, Node):
            fields = zip(cotangent.fields, primal.fields, strict=True)
            return Node(primal.tag, [merged(c, p) for c, p in fields])
        case np.ndarray() if primal.dtype == np.object_ and isinstance(cotangent, np.ndarray):
            out = np.empty(primal.shape, np.object_)
            for k in np.ndindex(primal.shape):
                out[k] = merged(cotangent[k], primal[k])
            return out
        case _:
            return cotangent


def stage_names() -> tuple[str, ...]:
    """The stages that ``told`` shows."""
    return papers.STAGE_NAMES


def shown(source: Source, args: Sequence[object], only: Sequence[str] = ()) -> str:
    """The program by all stages of the papers (or some), as text."""
    return papers.told(source, args, only)


def told(
    method: str, source: Program, plan: Plan, values: Sequence[object],
    function: FunctionType | None = None,
    *, tell: Callable[[Source, Sequence[object]], Told],
) -> Told:  # fmt: skip
    """What is told of the program by all stages of the papers: as its text reads, if it is in the
    papers' part of Python, else as the front end made it."""
    args = values[: plan.arguments]
    whole = read(function, args) if function else None
    if function and whole is not None and agrees_with(whole, function, args):
        return tell(whole, tuple(map(value_of, args)))
    _, flat = flattened(method, plan, values)
    try:
        program, given = bridged("chad.monadic", chosen_program("chad.monadic", source), flat.given)
    except Unsupported:
        try:
            program, given = bridged(method, chosen_program(method, source), flat.given)
        except Unsupported as e:
            raise UnsupportedError(e.reason, site=e.site) from None
    return tell(program, given)


__all__ = ["Answer", "MethodPullback", "Padded", "derive", "method_names", "require_paper_method",
           "shown", "stage_names", "told"]  # fmt: skip
