"""The state of a specialisation: the frames of the functions that are run, and the results."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Mapping, Sequence
from enum import Enum
from weakref import WeakValueDictionary

from pullback.core.frozen import dataclass, field
from pullback.core.terms import Let, Site, Var
from pullback.errors import MutationError, PullbackError
from pullback.frontend.functions.clauses import Clauses
from pullback.frontend.functions.scopes import Path, Scope
from pullback.frontend.kinds.flatten import captured_value
from pullback.frontend.kinds.kinds import FunctionK, Kind
from pullback.frontend.kinds.values import CellV, Owner, PlaceV, Static, Value
from pullback.frontend.python.source import Definition

ResultOwner = tuple[frozenset[int], frozenset[int], frozenset[int] | None]
"""The memory that a result may share: that of parameters, that of arrays made inside (by number);
and the parts of arguments that must be fresh for the result to be so (None: it is not)."""


CellPath = tuple[str, tuple[tuple[int, str], ...]]
"""How a function finds a variable: the argument, and the scopes and names from there."""

Home = int | CellPath | None
"""Where a variable is that a function in a result may change: one of its own, by a number; one that
a caller has; or one of which that is not known any more, after a branch."""


@dataclass(eq=False, slots=True)
class Spec:
    """One specialisation of a function. While it is ``active``, ``result`` is the kind of its
    result as far as it is known; None: no path has arrived at its end yet. At the end None means
    that the function never returns."""

    definition: Definition
    name: str
    function: FunctionK
    args: tuple[Kind, ...]
    result: Kind | None = None
    owned: list[ResultOwner] = field(default_factory=list)
    hidden: dict[Path, Kind] = field(default_factory=dict)
    updates: dict[str, MutationError | None] = field(default_factory=dict)
    """The parameters and captured variables that it updates (None: or binds anew)."""
    nested: set[str] = field(default_factory=set)  # of these, those whose parts it updates
    touched: frozenset[int] = frozenset()  # the parts that it updates, by the owners' numbers
    moves: dict[str, set[tuple[int, int | None, bool]]] = field(default_factory=dict)
    """How deep in these something is moved or replaced (``places.Move``)."""
    replaced: set[str] = field(default_factory=set)  # of these, those that it also binds anew
    handed: tuple[str, ...] = ()  # of these, those that ``result`` has beside the result itself
    ends: Kind | None = None
    """If it never returns, the kind of what it hands back where it raises."""
    lost: frozenset[str] = frozenset()
    """The parameters and captured variables that it changes on paths that end in an exception
    only (``noted``)."""
    cells: dict[str, Variable] = field(default_factory=dict)  # captured variables, by name
    homes: tuple[Home, ...] = ()  # of the variables of functions in the result (``adopted``)
    same: str | None = None  # the parameter whose object the result is
    shows: bool = False  # it calls Python, say to print
    part: tuple[str, tuple[Code, ...]] | None = None
    """If it gives the place of its result: the variable, and the steps (``placed.with_part``)."""
    # Results of the present round of the iteration (``fixpoint``):
    used: bool = False  # it was called again while it was run
    wider: tuple[FunctionK, tuple[Kind, ...]] | None = None  # these calls need it for more kinds
    waits: bool = False  # it uses a result that may be known in part only
    incomplete: bool = False  # a path was left out because a result was not known
    refusal: PullbackError | None = None  # the first refusal of a path that was left out
    head: Spec | None = None  # the outermost function around it that it calls
    moved: bool = False  # a function inside of it has changed
    began: int = 0  # when it was begun

    @property
    def never_returns(self) -> bool:
        """Whether no path arrives at its end."""
        return self.result is None

    def state(self) -> tuple[object, ...]:
        """Return all that is known of the function; it is settled when a round does not change
        this."""
        updates = tuple(sorted(self.updates)), frozenset(self.nested), frozenset(self.replaced)
        moves = {n: frozenset(found) for n, found in self.moves.items()}
        return (
            self.function, self.args, self.result, tuple(self.owned), dict(self.hidden), updates,
            self.shows, moves,
            self.homes, self.touched, self.same, self.lost, self.ends,
        )  # fmt: skip


@dataclass(slots=True, eq=False)
class Hidden:
    """A hidden argument, as the Core function that is being made sees it."""

    path: Path
    kind: Kind
    params: tuple[Var, ...]
    value: Value


@dataclass(slots=True, eq=False)
class Noted:
    """An op that may raise, and what variables hold there: all of the function, or those of the
    caller's objects that are not what they were at the beginning."""

    let: Let
    names: Mapping[str, Value]
    whole: bool
    called: str | None = None
    """The function that it calls, which hands updates back."""
    handed: frozenset[str] = frozenset()
    """The names that hold what that function hands back."""
    lets: tuple[Let, ...] = ()
    """The code that makes it."""
    unsure: frozenset[str] = frozenset()
    """The names that the op itself changes while it may still raise."""
    midway: bool = False
    """Whether it stands in the middle of an update, of which the names do not know yet."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An iterator that a variable has got, for which something is done where it is left
    (``iterator_lifetimes``): the function of its steps, whether what is done calls Python, say to
    print, and the variables here that are changed by it."""

    definition: Definition
    shows: bool
    changed: frozenset[str]


@dataclass(slots=True, eq=False)
class Frame:
    """A Core function that is being made. ``hidden`` has the hidden arguments that it needs, by
    path."""

    definition: Definition | None
    scope: Scope
    hidden: dict[Path, Hidden] = field(default_factory=dict)
    live_end: frozenset[str] = frozenset({"$return"})  # names read after the statements being run
    in_loop: bool = False
    split: int = 1  # how often this is compiled, for the tuples that names may be (``by_tags``)
    fits: dict[ast.stmt, PullbackError | None] = field(default_factory=dict)
    """What is so compiled: None, or why no tuple can go there."""
    depth: int = 0  # the number of builders at the top of the body
    spec: Spec | None = None
    returned: list[Kind] = field(default_factory=list)  # the kinds of returns in loops
    given: dict[str, frozenset[Owner]] = field(default_factory=dict)
    """The owners of the values that came from the caller: of parameters and of captured
    variables."""
    rebound: set[str] = field(default_factory=set)  # of these, those that are bound anew
    places: dict[Value, PlaceV] = field(default_factory=dict)
    """For a value that was read from a variable, its place there."""
    rows: dict[Value, Value] = field(default_factory=dict)
    """For a tuple that was read from a tuple, the reference that stands for it there."""
    adopted: dict[int, list[tuple[tuple[Definition, ...], dict[str, Kind]]]] = field(
        default_factory=dict
    )
    """The functions that calls gave, by the number of the names that their variables got here
    (``adopted``), and the kinds of these."""
    ranges: dict[ast.AST, tuple[frozenset[str], int]] = field(default_factory=dict)
    """The loops around over ranges that could be unrolled: the names they bind, their rounds."""
    slots: dict[str, Slot] = field(default_factory=dict)
    """The variables that travel with the state of the consumer that the generator has."""
    touched: set[Owner] = field(default_factory=set)
    """The owners of those parts of what came from the caller that are updated."""
    trying: Clauses | None = None  # what catches, in this function, what is raised now
    reached: set[int] = field(default_factory=set)  # the numbers of clauses that catch something
    sealed: int = 0  # the number of blocks around whose changes of variables are not carried on
    starts: dict[str, Value] = field(default_factory=dict)
    """The objects of the caller, and the captured variables, at the beginning."""
    raising: dict[int, Noted] = field(default_factory=dict)
    """The ops that may raise, by number, with what variables hold there (``noted``)."""
    kept: dict[str, Kept] = field(default_factory=dict)
    """The variables that have got iterators which are to be left at the end."""


@dataclass(frozen=True, slots=True)
class ByNodes:
    """A derivative by nodes, of the function with this name. ``gives_nodes``: the function returns
    nodes too, and so may itself make those by which it is differentiated elsewhere. ``mixed``: an
    argument of the derivative has a class in two unions (``homes``)."""

    function: str
    gives_nodes: bool
    mixed: bool
    site: Site


@dataclass(slots=True)
class KnownLoops:
    """What the runs of the bodies of loops have told, by what is known where the loop begins
    (``trials.entry``): an outer loop that goes round again does not have its inner ones begin from
    nothing, so that the number of runs grows with the depth of nesting and does not double with
    each level (Bourdoncle's recursive strategy)."""

    kinds: dict[Hashable, Sequence[Kind]] = field(default_factory=dict)
    """The kinds of what is carried, settled."""
    changed: dict[Hashable, tuple[Sequence[str], frozenset[str]]] = field(default_factory=dict)
    """The names that calls in a body update, and those that are no places in the end."""
    first: dict[Hashable, dict[str, Kind]] = field(default_factory=dict)
    """The kinds of the names that a round sets first."""
    returned: dict[Hashable, Kind | None] = field(default_factory=dict)
    """The kind of what ``return`` gives in a body."""


class Flow(Enum):
    """The end of statements: go on with the next one; leave by a jump; never get there."""

    FALL = "fall"
    JUMPED = "jumped"
    DEAD = "dead"


@dataclass(frozen=True)
class Variable:
    """A captured variable; ``argument`` is the function that leads to it, or FUNCTION."""

    argument: str
    steps: tuple[tuple[int, str], ...]
    scope: Scope
    name: str

    @property
    def value(self) -> Value:
        return captured_value(self.scope, self.name)

    @property
    def home(self) -> tuple[Scope, str]:
        """The scope and the name of the variable itself."""
        found = self.scope.names.get(self.name)
        return (found.scope, found.name) if isinstance(found, CellV) else (self.scope, self.name)


@dataclass(frozen=True)
class Slot:
    """A variable in the state of a generator's consumer (``threads``): how the generator's function
    finds it, its kind there, which atoms of the state it is, and whether the consumer leaves it as
    it is."""

    path: CellPath
    kind: Kind
    at: int
    size: int
    left: bool


Code = tuple[object, ...]
"""A step to a part of a structure as it is handed over: a field, a constant, the name or number of
a value that is handed over with it (an index from the start, or not), or a view, whose arguments
are such codes."""


@dataclass(frozen=True)
class Form:
    """What a function is given in place of a part of a structure (``placed``): the parameter that
    has the structure, or the path to the captured variable that has it, and the steps."""

    root: str | CellPath
    steps: tuple[Code, ...]


def form_of(value: Value) -> Form | None:
    """Return the form that stands for a part of a structure."""
    form = value.value if isinstance(value, Static) else None
    return form if isinstance(form, Form) else None


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
