"""The state of a specialisation: frames of the functions being run, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from weakref import WeakValueDictionary

from pullback.core.terms import Site, Var
from pullback.errors import MutationError, PullbackError
from pullback.frontend.functions.scopes import Path, Scope
from pullback.frontend.kinds.flatten import captured_value
from pullback.frontend.kinds.kinds import FunctionK, Kind
from pullback.frontend.kinds.values import CellV, Owner, PlaceV, Static, Value
from pullback.frontend.python.source import Definition

ResultOwner = tuple[frozenset[int], frozenset[int], bool]
"""What a result may share memory with: parameters, arrays made inside (by number); is it fresh."""


CellPath = tuple[str, tuple[tuple[int, str], ...]]
"""How a function finds a variable: the argument, and the scopes and names from there."""

Home = int | CellPath | None
"""Where a variable is that a function in a result may change: one of its own, by a number; one that
a caller has; or one of which that is not known any more, after a branch."""


@dataclass(eq=False, slots=True)
class Spec:
    """One specialisation. While it is ``active``, ``result`` is what is known so far of what it
    gives: None if nothing has arrived at its end. So that is the result of a function that never
    returns."""

    definition: Definition
    name: str
    function: FunctionK
    args: tuple[Kind, ...]
    result: Kind | None = None
    owned: list[ResultOwner] = field(default_factory=list)
    hidden: dict[Path, Kind] = field(default_factory=dict)
    updates: dict[str, MutationError | None] = field(default_factory=dict)
    """The parameters and captured variables that it updates (None: or binds anew)."""
    nested: set[str] = field(default_factory=set)  # of these, those of which it updates the inside
    handed: tuple[str, ...] = ()  # of these, what ``result`` has beside the result itself
    cells: dict[str, Variable] = field(default_factory=dict)  # captured variables, by name
    homes: tuple[Home, ...] = ()  # of the variables of functions in the result (``adopted``)
    # What a round of the iteration (``fixpoint``) has found:
    used: bool = False  # it is called again while it is run
    wider: tuple[FunctionK, tuple[Kind, ...]] | None = None  # such calls need it for more
    waits: bool = False  # it uses what may be known in part only
    incomplete: bool = False  # for want of a result a path was left out
    refusal: PullbackError | None = None  # the first refusal of a path that was left out
    head: Spec | None = None  # the outermost function around it that it uses
    moved: bool = False  # more is known of a function inside of it
    began: int = 0  # when

    @property
    def never_returns(self) -> bool:
        """Whether nothing arrives at its end."""
        return self.result is None

    def state(self) -> tuple[object, ...]:
        """What is known of it; when a round adds nothing, that is settled."""
        updates = tuple(sorted(self.updates)), frozenset(self.nested)
        return (
            self.function, self.args, self.result, tuple(self.owned), dict(self.hidden), updates,
            self.homes,
        )  # fmt: skip


@dataclass(slots=True, eq=False)
class Hidden:
    """A hidden argument as the Core function that is being made sees it."""

    path: Path
    kind: Kind
    params: tuple[Var, ...]
    value: Value


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
    slots: dict[str, Slot] = field(default_factory=dict)
    """The variables that travel with the state of the consumer that the generator has."""
    sealed: int = 0  # blocks around, of which what they do to variables is not carried on


@dataclass(frozen=True, slots=True)
class ByNodes:
    """A derivative by nodes, of a function with this name; ``gives_nodes``: so does the function,
    which may then make what it is differentiated by elsewhere. ``mixed``: an argument that it is
    differentiated by has a class in two unions (``homes``)."""

    function: str
    gives_nodes: bool
    mixed: bool
    site: Site


class Flow(Enum):
    """How statements end: go on with the next one; leave (by a jump); never get there."""

    FALL = "fall"
    JUMPED = "jumped"
    DEAD = "dead"


@dataclass(frozen=True)
class Variable:
    """A captured variable: ``argument`` is the function that leads to it, or FUNCTION."""

    argument: str
    steps: tuple[tuple[int, str], ...]
    scope: Scope
    name: str

    @property
    def value(self) -> Value:
        return captured_value(self.scope, self.name)

    @property
    def home(self) -> tuple[Scope, str]:
        """The variable that it is."""
        found = self.scope.names.get(self.name)
        return (found.scope, found.name) if isinstance(found, CellV) else (self.scope, self.name)


@dataclass(frozen=True)
class Slot:
    """A variable in the state of a generator's consumer (``threads``): how the generator's function
    finds it, its kind there, and which atoms of the state it is."""

    path: CellPath
    kind: Kind
    at: int
    size: int


class Facts:
    """What a function is told of the variables that it captures, beside their kinds: slots, or
    which paths lead to one variable. One object for each such tuple, for it is part of a kind."""

    def __init__(self, known: tuple[object, ...]) -> None:
        self.known = known


_FACTS: WeakValueDictionary[tuple[object, ...], Facts] = WeakValueDictionary()


def facts(known: tuple[object, ...]) -> Static:
    """These facts as an argument."""
    made = _FACTS.get(known)
    if made is None:
        made = _FACTS[known] = Facts(known)
    return Static(made)
