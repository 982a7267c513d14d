"""Where names are looked up while a function is specialised."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import TYPE_CHECKING

from pullback.core.frozen import dataclass, field

if TYPE_CHECKING:
    from pullback.frontend.kinds.kinds import Kind
    from pullback.frontend.kinds.values import Owner, Value

COLUMN = ":"
"""The names of the variables that hold columns begin so (``store``); no name of a program does."""

ATTRIBUTE = f"{COLUMN}."
"""The names of the variables that hold attributes of classes and modules begin so."""

Path = tuple[tuple[object, ...], ...]
"""Where a Python value is found when compiled code is called; see ``paths.read``."""


@dataclass(slots=True, eq=False)
class Scope:
    """The names of one function being run (``locals``: all that can ever be local to it), of a
    comprehension inside it, or a snapshot of what some function captured (``live`` is False).

    ``cells``: the variables that were captured, as owners: a snapshot names those that it was taken
    from, and is out of date when one of them is assigned again. ``rebound``: the variables that
    functions inside assign to. ``borrowed``: names here that are variables of functions around
    (``CellV``). ``is_generator``: it is that of a generator expression. ``always``: the names that
    every function inside captures (``store``)."""

    names: dict[str, Value]
    parent: Scope | PyScope | None = None
    locals: frozenset[str] = frozenset()
    live: bool = True
    cells: dict[str, frozenset[Owner]] = field(default_factory=dict)
    rebound: frozenset[str] = frozenset()
    borrowed: set[str] = field(default_factory=set)
    is_generator: bool = False
    always: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PyScope:
    """The closure cells of a Python function object, found under ``path`` at every call."""

    function: FunctionType = field(compare=False, repr=False)
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Outside:
    """An object that is found under ``path`` at every call; ``value`` is the present one.
    ``type_of``: gives the kind of it, as that of an argument."""

    path: Path
    value: object = field(compare=False)
    type_of: Callable[[object], Kind] = field(compare=False)


AnyScope = Scope | PyScope | None


def chain(scope: AnyScope) -> Iterator[Scope]:
    """Iterate over the scopes in which a name is looked up, innermost first."""
    while isinstance(scope, Scope):
        yield scope
        scope = scope.parent


def outermost(scope: AnyScope) -> PyScope | None:
    """Return the cells at the end of the chain, if any."""
    while isinstance(scope, Scope):
        scope = scope.parent
    return scope


def shown(name: str) -> str:
    """Return the name of a variable for messages: names that a call adds have more after an
    ``@``, those of columns are the attribute of a class, those that the front end makes a word."""
    plain = name.partition("@")[0].removeprefix(ATTRIBUTE)
    if plain.startswith("."):  # what a ``with`` keeps: .manager.1
        return plain.split(".")[1]
    if not plain.startswith(COLUMN):
        return plain
    return ".".join(part for part in plain.split(COLUMN) if part)


def owner_of(scope: AnyScope, name: str) -> Scope | None:
    """Return the scope in which ``name`` is found (or is local but unbound); None for cells and
    globals."""
    for s in chain(scope):
        if (name in s.names or name in s.locals) and name not in s.borrowed:
            return s
    return None


def function_scope(scope: Scope) -> Scope:
    """Return the scope of the function that this scope is in: itself, or the one around
    comprehensions."""
    for around in chain(scope):
        if around.locals:
            return around
    return scope

