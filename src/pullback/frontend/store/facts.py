"""What is known of the objects that a program shares, before it is compiled.

An object with several names, or that leads to itself, has no place of its own in the values of the
program. All objects of its class then lie in one *region*: a growing column (a list) for each
field, in which the object is a row. A reference to it is the number of the row:

    class Node: ...                       node.value       column "value" of Node at node.row
    node = Node(x, None)                  node.next = m    the row number of m goes there

The kinds of the columns must be known where the first row is made. A run that meets a field, or a
kind of value in a field, that is not known yet notes it and goes on, to learn as much as it can:
what is written there is left out, and what is read is any value of the kind. Whatever has become of
it, ``StoreGrewError`` ends such a run, and the program is run anew.
(A class that joins a group begins all fields anew: references to the group are of another class.)
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NoReturn

import numpy as np

from pullback.core.frozen import dataclass, field
from pullback.core.types import I64, Bool
from pullback.errors import EndlessError
from pullback.frontend.functions.scopes import COLUMN
from pullback.frontend.kinds.join import generalise, join
from pullback.frontend.kinds.kinds import (
    ClosureK,
    FunctionK,
    GeneratorK,
    Kind,
    LambdaSetK,
    ListK,
    OperatorK,
    OptionalK,
    RefK,
    ScalarK,
    SharedMemory,
    StaticK,
    TupleK,
    parts,
    with_parts,
    without_spare,
)
from pullback.frontend.kinds.sum_kinds import alternatives, may_be_memory
from pullback.frontend.kinds.widening import loses_ints
from pullback.frontend.python.container_bases import held_by, holds_value, order_of
from pullback.frontend.python.object_classes import NAMESPACES, hook_of, is_object_class, is_written
from pullback.frontend.signals import RegionsMeetError
from pullback.frontend.store.always_set import initialised
from pullback.frontend.store.reference_classes import reference_class

MEMORY = (list, dict, set, defaultdict, Counter, OrderedDict, np.ndarray)
"""The classes of lists, dicts and arrays that may have several owners."""

ITEMS = "items"
"""The name of the column of a region of lists."""

_MOST_RUNS = 50
"""A program is refused after so many runs that have learnt something."""


_MOST_DEEPER = 3
"""It is refused, too, if what a field holds is found so often to be inside of itself: tuples in
tuples, of a type that is larger in each run."""


class StoreGrewError(Exception):
    """More is known of the fields of shared objects: the program is compiled anew."""


@dataclass(eq=False)
class Group:
    """Classes whose objects lie in one region, with the class of the references to them."""

    name: str
    base: type
    classes: list[type] = field(default_factory=list)
    reference: type = object
    fields: dict[str, Kind] = field(default_factory=dict)
    always: frozenset[str] = frozenset()
    """The fields that ``__init__`` of all classes sets whatever happens, before anybody may read
    them."""
    mixed: set[str] = field(default_factory=set)
    """The arguments of exceptions that some do not have, or that have several types."""
    outside: set[str] = field(default_factory=set)
    """The fields of objects of the caller that hold lists or arrays: where another one is put there
    the caller must know."""

    one_type: bool = False
    """Whether lists of ints and floats are indexed at run time: all their items are floats."""
    has_ints: bool = False
    """Whether ints that only the run knows have been put into lists beside floats."""

    removed: set[str] = field(default_factory=set)
    """The fields that some object loses."""

    @property
    def unset(self) -> frozenset[str]:
        """The fields that an object may not have: a column of bools says which ones have it."""
        always = self.always - self.removed
        return frozenset(n for n in self.fields if n not in always and not n.startswith("."))

    def has_always(self, cls: type, name: str) -> bool:
        """Whether all objects of a class, or of one derived from it, have a field."""
        those = [c for c in self.classes if issubclass(c, cls)]
        return name not in self.removed and bool(those) and all(
            name in initialised(order_of(c))[0] for c in those
        )

    @property
    def of(self) -> type:
        """The class of what lies in the region, if that is lists, dicts, arrays or tuples."""
        found = self.reference
        return found.of if issubclass(found, SharedMemory) else object

    @property
    def assigns_by_methods(self) -> bool:
        """Whether a class says itself what becomes of an attribute that is assigned."""
        return any(is_written(c, "__setattr__") for c in self.classes)

    def column(self, name: str) -> str:
        """Return the name of the variable that holds the column of a field."""
        return f"{COLUMN}{self.name}{COLUMN}{name}"

    @property
    def tags(self) -> str:
        """The name of the column that tells the class of each object."""
        return f"{COLUMN}{self.name}"

    def put(self, name: str) -> str:
        """Return the name of the column that tells where a field is assigned (``outside``)."""
        return f"{self.told(name)}{COLUMN}"

    def told(self, name: str) -> str:
        """Return the name of the column that tells which objects have a field."""
        return f"{COLUMN}{self.name}{COLUMN}{name}{COLUMN}"


@dataclass(eq=False)
class Facts:
    """The groups of classes whose objects are shared."""

    payloads: bool = False
    """Whether what exceptions are made of is kept (``interpret.payloads``)."""
    early: bool = False
    """Whether an argument of an exception is a value of the program as soon as it is read."""
    together: bool = False
    """Whether all classes are one group."""
    memory: tuple[type, ...] = ()
    """The classes of lists, dicts and arrays that may have several owners (``shared_memory``)."""
    given: bool = False
    """Whether what the function gets and updates may have several owners, too (``own_copies``)."""
    met: bool = False
    """Whether the program has made a generator."""
    asks: bool = False
    """Whether it has asked for what an exception is made of."""
    trees: bool = False
    """Whether tuples that are put into tuples lie in regions (``tuple_rows``)."""
    iterators: bool = False
    """Whether iterators that are advanced from outside are objects (``iterator_rows``)."""
    groups: dict[type, Group] = field(default_factory=dict)
    made_at: dict[tuple[Hashable, type], Group] = field(default_factory=dict)
    """The regions of the lists, dicts and arrays that an expression makes, or that are copies of
    arguments (``own_copies``); those of the iterators of a generator."""
    values: set[tuple[Hashable, type]] = field(default_factory=set)
    """Where lists and dicts are made that hold functions: they stay values."""
    united: dict[type, type] = field(default_factory=dict)
    """For the references to a region that has become a part of another one, those to that."""
    deeper: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often a field was found to hold what it held before inside of something else."""
    grown: int = 0
    grew: bool = False
    """Whether this run has learnt something."""

    def asking(self, of_tuples: bool) -> list[Facts]:
        """Return what a program is compiled with next if it has asked for what exceptions are made
        of, or for trees of tuples (``of_tuples``), which nobody did where it was refused first."""
        payloads = self.payloads or self.asks
        if payloads == self.payloads and (self.trees or not of_tuples):
            return []
        trees = self.trees or of_tuples
        return [Facts(
            payloads, memory=self.memory, given=self.given, iterators=self.iterators, trees=trees
        )]  # fmt: skip

    def fields(self) -> Iterator[Kind]:
        """Iterate over what the fields of all objects hold."""
        for group in self.groups.values():
            yield from group.fields.values()

    def begin_anew(self) -> None:
        """Begin with what another program has learnt, but for the functions that were its own."""
        self.grown, self.grew = 0, False
        self.deeper.clear()
        if any(holds_functions(k) for g in self.groups.values() for k in g.fields.values()):
            self._begin_fields()

    def begin_run(self) -> None:
        """Begin a run of the program, or refuse it if that has no end."""
        self.grown += self.grew
        self.grew = False
        if self.grown > _MOST_RUNS or max(self.deeper.values(), default=0) > _MOST_DEEPER:
            raise EndlessError(
                "the types of what shared objects hold do not settle",
                "let attributes hold numbers, arrays, lists and objects, no functions of objects",
            )

    def let_be_trees(self) -> None:
        """Begin anew with tuples in tuples in regions, if they are values so far."""
        if not self.trees:
            self.trees = True
            self.again()

    def again(self) -> NoReturn:
        """Let the program be run anew at once."""
        self.grew = True
        raise StoreGrewError

    def add(self, cls: type) -> None:
        """Let the objects of a class be shared."""
        if self.enter(cls):
            self.again()
        self.grew = True

    def enter(self, cls: type) -> bool:
        """Let the objects of a class be shared. Classes with a base class in common (or all of
        them, ``together``) are one group; return whether the class joins others."""
        base = object if self.together else _base(cls)
        group = next((g for g in self.groups.values() if g.base is base), None)
        if group is None:
            name = cls.__name__ if base is object else base.__name__
            while any(g.name == name for g in self.groups.values()):
                name += "_"
            group = Group(name, base)
        group.classes.append(cls)
        before = group.reference
        group.reference = reference_class(tuple(group.classes), group.base)
        self._rename(before, group.reference)
        always = [initialised(order_of(c))[0].union(held_by(c)) for c in group.classes]
        group.always = frozenset[str].intersection(*always)
        self.groups[cls] = group
        return len(group.classes) > 1

    def begin(self, made: Iterable[tuple[Hashable, type]], copies: bool) -> bool:
        """Begin with the lists, dicts and arrays that a program makes; return whether there are
        some that only this form knows. ``copies``: it also copies what it gets and updates."""
        new = [(node, cls) for node, cls in made if self.is_shared(node, cls)]
        self.add_memory(new)
        if self.given:
            return copies
        return any(self.memory != MEMORY or cls is not list for _, cls in new)

    def is_shared(self, node: Hashable, cls: type) -> bool:
        """Whether the lists, dicts or arrays that an expression makes may have several owners."""
        return cls in self.memory and (node, cls) not in self.values

    def dissolve(self, group: Group) -> NoReturn:
        """Let the lists or dicts of a region, which hold functions, be values, and begin anew."""
        self._into_values(group)
        self.again()

    def _into_values(self, group: Group) -> None:
        self.values |= {made for made, g in self.made_at.items() if g is group}
        self.made_at = {made: g for made, g in self.made_at.items() if g is not group}
        self.groups = {cls: g for cls, g in self.groups.items() if g is not group}
        self._begin_fields()

    def _begin_fields(self) -> None:
        """Learn all fields anew: they may hold references that are of another class now."""
        for group in self.groups.values():
            group.fields.clear()

    def add_memory(self, made: Iterable[tuple[Hashable, type]]) -> None:
        """Give the lists, dicts or arrays that these expressions make a region each."""
        for node, cls in made:
            name = f"{cls.__name__}{len(self.made_at)}"
            group = Group(name, SharedMemory, always=frozenset({ITEMS}))
            fields = partial(group.fields.get, ITEMS)
            held = {"__slots__": (), "held": staticmethod(fields), "of": cls}
            group.reference = type(cls.__name__, (SharedMemory,), held)
            if issubclass(cls, list):  # a pattern for a sequence looks at its items
                Sequence.register(group.reference)
            group.classes.append(group.reference)
            self.groups[group.reference] = self.made_at[node, cls] = group

    def iterators_of(
        self, made_by: Hashable, name: str, always: frozenset[str]
    ) -> Group:
        """Return the region of the iterators of a generator; ``always``: the attributes that are
        set before they are read."""
        key = made_by, Iterator
        if key not in self.made_at:
            cls = type(name, (), {})
            known = f"{name}{len(self.made_at)}"
            group = Group(known, cls, [cls], cls, always=always)
            self.groups[cls] = self.made_at[key] = group
            self.grew = True
        return self.made_at[key]

    def region_of(self, node: Hashable, cls: type) -> Group:
        """Return the region of the lists, dicts or arrays that an expression makes."""
        if (node, cls) not in self.made_at:
            self.add_memory(((node, cls),))
            self.grew = True
        return self.made_at[node, cls]

    def removed(self, group: Group, name: str) -> None:
        """Note that some object loses a field."""
        if name not in group.removed:
            group.removed.add(name)
            self.again()

    def unite(self, one: type, other: type) -> None:
        """Let the lists of two regions have one. What these hold may have to have one, too."""
        meeting = [(one, other)]
        while meeting:
            pair = meeting.pop()
            kept, gone = map(self._region, pair)
            if kept is not None and pair[1] is SharedMemory:  # one meets lists that hold functions
                self._into_values(kept)
            if kept is None or gone is None or kept is gone:
                continue
            self._rename(gone.reference, kept.reference)
            kept.one_type |= gone.one_type
            kept.has_ints |= gone.has_ints
            del self.groups[gone.reference]
            self.united[gone.reference] = kept.reference
            self.made_at = {n: kept if g is gone else g for n, g in self.made_at.items()}
            for name, kind in gone.fields.items():
                try:
                    both = join(kept.fields.get(name, kind), kind)
                except RegionsMeetError as e:
                    meeting.append((e.one, e.other))
                    continue
                if both is None:
                    del kept.fields[name]
                else:
                    kept.fields[name] = generalise(both)
        self.grew = True

    def _region(self, reference: type) -> Group | None:
        """Return the region to which references of a class lead now; None: its lists are values."""
        while reference in self.united:
            reference = self.united[reference]
        return self.groups.get(reference)

    def _rename(self, old: type, new: type) -> None:
        """Let references to one region be references to another one. Of functions it is learnt anew
        what they have."""
        groups = self.groups.values()
        if old is new:
            return
        if any(holds_functions(k) for g in groups for k in g.fields.values()):
            self._begin_fields()
        for group in groups:
            group.fields.update({n: _renamed(k, old, new) for n, k in group.fields.items()})

    def learn(self, group: Group, name: str, kind: Kind) -> bool:
        """Note that a field holds a value of this kind, if it is new. Return whether the kind meets
        those that are known."""
        kind = without_spare(generalise(kind))
        known = group.fields.get(name)
        wide = kind if known is None else join(known, kind)
        if wide is None or not all(_keeps_bools(k, wide) for k in (known or kind, kind)):
            return False
        if group.has_ints and isinstance(wide, ListK) and loses_ints(TupleK((_INT,)), wide.elem):
            return False
        wide = generalise(wide)
        if wide != known:
            if self.grew and may_be_memory(wide) and not (known and may_be_memory(known)):
                self.again()  # what is meant may be in the list: it was not known what it holds
            if known is not None and _deepens(known, wide):
                self.deeper[group.name, name] += 1
            if holds_functions(wide) and self.grew:
                self.again()
            group.fields[name] = wide
            self.grew = True
            if holds_functions(wide):
                self.again()
        return True

    def group_of(self, column: str) -> tuple[Group, str] | None:
        """Return the group and the field whose column has this name."""
        _, group, *rest = column.split(COLUMN)
        found = next((g for g in self.groups.values() if g.name == group), None)
        return None if found is None or len(rest) != 1 else (found, rest[0])


def forms(payloads: bool, trees: bool = False) -> list[Facts]:
    """Return what a program is compiled with, if it is refused: references to its objects, in one
    region for each class or for all, then to its lists too, then to its dicts and arrays, then to
    what it gets and updates. ``trees``: to tuples in tuples, in any case."""
    new = partial(Facts, payloads, trees=trees)
    lists, memory = partial(new, memory=(list,)), partial(new, memory=MEMORY)
    made = new(), new(together=True), lists(), memory(), memory(given=True)
    iterators = new(iterators=True), lists(iterators=True), memory(iterators=True)
    early = (new(early=True),) if payloads else ()
    return [*made, *early, *iterators]


def _deepens(before: Kind, after: Kind) -> bool:
    """Whether what a place holds now has inside of it what it held before. A function that is now
    one of several does not lie deeper, nor does an empty list that is also somewhere inside."""
    if before == after or not parts(before):
        return False
    if isinstance(after, ClosureK):
        mine = before.alternatives if isinstance(before, ClosureK) else (before,)
        return any(_is_inside(b, a) for b in mine for a in after.alternatives)
    if isinstance(after, OptionalK):
        forms = [k for k in alternatives(before) if parts(k)]
        return any(_is_inside(b, a) for b in forms for a in alternatives(after))
    return _is_inside(before, after) or any(map(_deepens, parts(before), parts(after)))


def _is_inside(kind: Kind, whole: Kind) -> bool:
    return any(k == kind or _is_inside(kind, k) for k in parts(whole))


def _renamed(kind: Kind, old: type, new: type) -> Kind:
    """Return the kind of a value in which references are to another region."""
    if isinstance(kind, RefK):
        return replace(kind, cls=new) if kind.cls is old else kind
    inside = parts(kind)
    return with_parts(kind, tuple(_renamed(k, old, new) for k in inside)) if inside else kind


def holds_functions(kind: Kind) -> bool:
    """Whether there may be functions in a value of this kind."""
    found = isinstance(kind, (FunctionK, ClosureK, LambdaSetK, OperatorK, GeneratorK))
    return found or any(map(holds_functions, parts(kind)))


_INT = ScalarK(I64, True)


def _keeps_bools(kind: Kind, joined: Kind) -> bool:
    """Whether the bools in a value are bools where kinds have met: True beside 1.5 is not 1.0."""
    if _is_bool(kind):
        return _is_bool(joined.inner if isinstance(joined, OptionalK) else joined)
    ours, theirs = parts(kind), parts(joined)
    return len(ours) != len(theirs) or all(map(_keeps_bools, ours, theirs))


def _is_bool(kind: Kind) -> bool:
    match kind:
        case StaticK(_, value):
            return isinstance(value, bool)
        case ScalarK(t):
            return isinstance(t, Bool)
        case _:
            return False


def can_be_shared(cls: type) -> bool:
    """Whether objects of a class can lie in a region."""
    own = {n for c in order_of(cls)[:-1] for n in vars(c)}
    return (
        is_object_class(cls)
        and cls not in NAMESPACES
        and not holds_value(cls)
        and not hook_of(cls)
        and own.isdisjoint({"__del__", "__copy__", "__deepcopy__"})
        and not getattr(cls, "__abstractmethods__", None)
    )


def _base(cls: type) -> type:
    """The class that a user wrote furthest up, or the class itself."""
    own = [c for c in cls.__mro__ if is_object_class(c)]
    return own[-1] if own else cls


__all__ = [
    "ITEMS", "MEMORY", "Facts", "Group", "StoreGrewError", "can_be_shared", "forms",
    "holds_functions",
]  # fmt: skip
