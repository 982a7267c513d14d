"""Where names are looked up while a function is specialised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FunctionType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pullback.frontend.functions.bodies import Spec
    from pullback.frontend.kinds.kinds import Kind
    from pullback.frontend.kinds.values import Owner, PlaceV, Value
    from pullback.frontend.python.python_values import Hidden
    from pullback.frontend.python.source import Definition

Path = tuple[tuple[object, ...], ...]
"""Where a Python value is found when compiled code is called; see ``paths.read``."""


@dataclass(slots=True, eq=False)
class Scope:
    """The names of one function being run (``locals``: all that can ever be local to it), of a
    comprehension inside it, or a snapshot of what some function captured (``live`` is False).

    ``cells``: the variables that were captured, as owners: a snapshot names those that it was taken
    from, and is out of date when one of them is assigned again. ``rebound``: the variables that
    functions inside assign to. ``borrowed``: names here that are variables of functions around
    (``CellV``)."""

    names: dict[str, Value]
    parent: Scope | PyScope | None = None
    locals: frozenset[str] = frozenset()
    live: bool = True
    cells: dict[str, frozenset[Owner]] = field(default_factory=dict)
    rebound: frozenset[str] = frozenset()
    borrowed: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class PyScope:
    """The closure cells of a Python function object, found under ``path`` at every call."""

    function: FunctionType = field(compare=False)
    path: Path = ()


AnyScope = Scope | PyScope | None


def chain(scope: AnyScope) -> Iterator[Scope]:
    """The scopes in which a name is looked up, innermost first."""
    while isinstance(scope, Scope):
        yield scope
        scope = scope.parent


def outermost(scope: AnyScope) -> PyScope | None:
    """The cells at the end of the chain, if any."""
    while isinstance(scope, Scope):
        scope = scope.parent
    return scope


def shown(name: str) -> str:
    """A variable as messages name it: those that a call adds have more after an ``@``."""
    return name.partition("@")[0]


def owner_of(scope: AnyScope, name: str) -> Scope | None:
    """The scope in which ``name`` is found (or is local but unbound); None: cells or globals."""
    for s in chain(scope):
        if (name in s.names or name in s.locals) and name not in s.borrowed:
            return s
    return None


@dataclass(slots=True, eq=False)
class Frame:
    """A Core function being made. ``hidden``: the hidden arguments that it needs, by path."""

    definition: Definition | None
    scope: Scope
    hidden: dict[Path, Hidden] = field(default_factory=dict)
    live_end: frozenset[str] = frozenset({"$return"})  # names read after the statements being run
    in_loop: bool = False
    depth: int = 0  # of builders, at the top of the body
    spec: Spec | None = None
    returned: list[Kind] = field(default_factory=list)  # the kinds that returns in loops gave
    given: dict[str, frozenset[Owner]] = field(default_factory=dict)
    """The owners of what came from the caller: in parameters, in captured variables."""
    rebound: set[str] = field(default_factory=set)  # of these, those that are bound anew
    places: dict[Value, PlaceV] = field(default_factory=dict)
    """Where what was read of variables is in them."""
    sealed: int = 0  # blocks around, of which what they do to variables is not carried on
