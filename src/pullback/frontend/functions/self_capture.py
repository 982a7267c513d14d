"""Which lambdas capture which: does one (a place in the source) capture itself?

A function value captures others, these capture further ones. ``Nesting.depths`` says how many
functions of each definition lie one inside another there. A function of a lambda set that has the
same definition counts as infinitely many. A function that refers to itself through its own scope
(``def go(): ... go()``) is one function, however often it is met.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pullback.frontend.functions.scopes import AnyScope, Scope, owner_of
from pullback.frontend.kinds.flatten import captured_value, example, parts_of
from pullback.frontend.kinds.kinds import Kind, LambdaSetK
from pullback.frontend.kinds.values import (
    ClosureV,
    FunctionV,
    HashV,
    LambdaSetV,
    ListV,
    MaybeV,
    OperatorV,
    OptionalV,
    RecordV,
    TupleV,
    Value,
)
from pullback.frontend.python.source import Definition
from pullback.frontend.python.syntax import free_names

if TYPE_CHECKING:
    from pullback.frontend.functions.lambda_sets import LambdaSet

ENDLESS = 1_000_000

Depths = dict[Definition, int]
Node = tuple[Definition, AnyScope]


class Nesting:
    """The captures of abstract values, looked at. With ``within``, other sets do not count.

    Functions that capture each other (strongly connected components, found by Tarjan's algorithm)
    count as one."""

    def __init__(self, within: LambdaSet | None = None) -> None:
        self.within = within
        self.above: dict[Node, Depths] = {}  # of finished functions: with themselves
        self.below: dict[Node, Depths] = {}  # and what they capture alone
        self.index: dict[Node, int] = {}
        self.low: dict[Node, int] = {}
        self.stack: list[Node] = []
        self.examples: dict[Kind, Value] = {}

    def depths(self, value: Value) -> Depths:
        """Return, for each definition, how deep its functions are nested in ``value``."""
        match value:
            case FunctionV():
                return self.above[self._visit(value)]
            case LambdaSetV(_, lambdas):
                if self.within is not None and lambdas is not self.within:
                    return {}
                return dict.fromkeys((m.root.definition for m in lambdas.members), ENDLESS)
            case _:
                return _deepest(map(self.depths, self._inner(value)))

    def is_knot(self, f: FunctionV, limit: int) -> bool:
        """Whether ``f`` captures more than ``limit - 1`` others of its kind, one in another."""
        return self.below[self._visit(f)].get(f.definition, 0) >= limit

    def has_knot(self, value: Value, limit: int) -> bool:
        """Whether there is such a function in ``value``."""
        return any(self.is_knot(f, limit) for f in functions(value))

    def _inner(self, value: Value) -> Iterator[Value]:
        if isinstance(value, ClosureV):
            for k in value.kinds:
                yield self.examples.setdefault(k, example(k))
        else:
            yield from inner(value)

    def _visit(self, f: FunctionV) -> Node:
        key = f.definition, f.scope
        if key in self.index:
            return key
        self.index[key] = self.low[key] = len(self.index)
        self.stack.append(key)
        found: list[Depths] = []
        todo = list(captured(f))
        while todo:
            v = todo.pop()
            if not isinstance(v, FunctionV):
                found.append(self.depths(v) if isinstance(v, LambdaSetV) else {})
                todo += self._inner(v)
                continue
            other = self._visit(v)
            if other in self.above:
                found.append(self.above[other])
            else:
                self.low[key] = min(self.low[key], self.low[other])
        self.below[key] = _deepest(found)
        if self.low[key] == self.index[key]:
            self._finish(key)
        return key

    def _finish(self, key: Node) -> None:
        start = self.stack.index(key)
        component = self.stack[start:]
        del self.stack[start:]
        below = _deepest(self.below[k] for k in component)
        above = below | {d: min(ENDLESS, below.get(d, 0) + 1) for d, _ in component}
        for k in component:
            self.below[k], self.above[k] = below, above


def depth(kinds: Iterable[Kind]) -> int:
    """Return how deep functions of one definition are nested in values of these kinds."""
    found = _deepest(Nesting().depths(example(k)) for k in kinds)
    return max(found.values(), default=0)


def inner(value: Value) -> Iterator[Value]:
    """Iterate over the values that a value other than a function is made of."""
    match value:
        case ClosureV(_, kinds):
            yield from map(example, kinds)
        case TupleV(items):
            yield from items
        case RecordV(_, fields):
            yield from fields.values()
        case OperatorV(_, function, _, args):
            yield from (function, *args)
        case ListV(elem=elem) | HashV(elem=elem):
            yield example(elem)
        case OptionalV(_, present, other):
            yield from (present, other)
        case MaybeV(_, present):
            yield present
        case _:
            return


def places(f: FunctionV) -> Iterator[tuple[Scope, str]]:
    """Iterate over the captured variables of a function."""
    for name in free_names(f.definition.node):
        scope = owner_of(f.scope, name)
        if scope is not None and name in scope.names:
            yield scope, name


def captured(f: FunctionV) -> Iterator[Value]:
    for scope, name in places(f):
        yield captured_value(scope, name)
    yield from parts_of(f)


def functions(value: Value) -> Iterator[FunctionV]:
    """Iterate over all known functions that a value consists of or captures."""
    todo, seen = [value], set[Node]()
    while todo:
        v = todo.pop()
        if not isinstance(v, FunctionV):
            todo += inner(v)
        elif (v.definition, v.scope) not in seen:
            seen.add((v.definition, v.scope))
            yield v
            todo += captured(v)


def sets_in(value: Value) -> Iterator[LambdaSetK]:
    """Iterate over the lambda sets that a value is of or captures."""
    for v in (value, *inner(value), *(c for f in functions(value) for c in captured(f))):
        for part in (v, *inner(v)):
            if isinstance(part, LambdaSetV):
                yield LambdaSetK(part.set)


def _deepest(found: Iterable[Depths]) -> Depths:
    out: Depths = {}
    for depths in found:
        for definition, n in depths.items():
            out[definition] = min(ENDLESS, max(n, out.get(definition, 0)))
    return out
