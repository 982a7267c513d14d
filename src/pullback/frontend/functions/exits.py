"""What a function hands back where it raises what is caught: what its variables hold there
(``noted``), as values of the kinds that it hands back at its end."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pullback.core.build import Builder
from pullback.core.frozen import dataclass, field
from pullback.core.terms import Block, Case, Function, If, Let, Loop, Var, While, sub_blocks
from pullback.core.traverse import free_variables
from pullback.core.types import BOOL, Type
from pullback.errors import PullbackError
from pullback.frontend.functions.caught_functions import (
    CaughtFunctions,
    End,
    Exit,
    Exits,
    leaves,
    may_raise,
)
from pullback.frontend.functions.generator_blocks import AT
from pullback.frontend.functions.stepped_form import is_step
from pullback.frontend.functions.threads import put
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.flatten import Flat, NoKindError, flatten
from pullback.frontend.kinds.function_kinds import has_function
from pullback.frontend.kinds.kinds import Kind, ThreadK, TupleK, leaf_types
from pullback.frontend.kinds.values import UNSET, PlaceV, Stale, Static, ThreadV, Value
from pullback.frontend.python.source import Definition
from pullback.frontend.python.syntax import CONSUMER, STATE

if TYPE_CHECKING:
    from pullback.frontend.run import Run
    from pullback.frontend.state import Frame, Noted, Spec


@dataclass(eq=False)
class HandedBack:
    """What a function hands back where it raises: of these kinds, by the names of its variables.
    ``own`` and ``last`` are the types of its results before and behind."""

    run: Run
    name: str
    definition: Definition
    frame: Frame
    kinds: Mapping[str, Kind]
    own: Sequence[Type] = ()
    last: Sequence[Type] = ()
    made: dict[int, Exit | None] = field(default_factory=dict)
    unseen: frozenset[int] | None = None

    def exits(self) -> Exits:
        """Return the ends of all results, where they are known."""
        found: dict[int, Exit] = {}
        if not self.kinds:
            return found
        for let in leaves(self.run.functions[self.name].body):
            if may_raise(let.op):
                key = self.run.caught.key(let)
                made = self.at(key)
                if made is not None:
                    found[key] = made
        return found

    def known(self, let: Let, caught: CaughtFunctions) -> bool:
        """Whether it is known what is handed back where an op raises."""
        return self.at(caught.key(let)) is not None

    def called(self, let: Let) -> str | None:
        """Return the function whose updates are handed on where an op raises."""
        place = self.frame.raising.get(self.run.caught.key(let))
        return None if place is None or not place.handed & self.kinds.keys() else place.called

    def at(self, key: int) -> Exit | None:
        """Return the ends where the op of this number raises; None: they are not known."""
        if self.unseen is None:
            function = self.run.functions[self.name]
            self.unseen = frozenset(
                _out_of_sight(function, self.kinds, self.frame, self.run.caught)
            )
        if key not in self.made:
            place = self.frame.raising.get(key)
            self.made[key] = None if place is None or key in self.unseen else self._exit(place)
        return self.made[key]

    def _exit(self, place: Noted) -> Exit | None:
        if is_step(self.definition.node) and is_of_library(self.definition):
            return None  # Python's own iterators go on with the next item
        if place.midway or place.unsure & self.kinds.keys():
            return None
        with self.run.building(Builder()) as b, _as_in(self.run, self.frame, place):
            try:
                ends = self._ends(place)
            except (PullbackError, NoKindError):
                return None
        if ends is None or any(may_raise(let.op) for let in b.lets):
            return None
        return Exit((*place.lets, *b.lets), (*self.own, *ends, *self.last))

    def _ends(self, place: Noted) -> Sequence[End] | None:
        atoms: list[End] = []
        for n, kind in self.kinds.items():
            if not place.whole and n not in place.names and n not in self.frame.starts:
                atoms += leaf_types(kind)  # a variable of its own, which nobody sees outside
                continue
            value = place.names.get(n, self.frame.starts.get(n, UNSET))
            if n == AT and is_step(self.definition.node):
                value = Static(0)  # a generator that raises is at its end
            if value is UNSET or isinstance(value, (Stale, PlaceV)) or has_function(kind):
                return None
            atoms += flatten(coerce(self.run, value, kind, self.definition.node)).atoms
        return atoms


class OfGenerator(HandedBack):
    """The function of a generator, which gives the state of its consumer as that is where something
    is raised."""

    def _ends(self, place: Noted) -> Sequence[End] | None:
        state = place.names.get(STATE, self.frame.starts.get(STATE))
        if not isinstance(state, ThreadV):
            return None
        return put(self.run, state, self.definition.node)


@contextmanager
def _as_in(run: Run, frame: Frame, place: Noted) -> Iterator[None]:
    """Let names mean what they mean at a place of a function that has been run."""
    names = frame.scope.names
    frame.scope.names = {**names, **frame.starts, **place.names}
    run.frames.append(frame)
    try:
        yield
    finally:
        run.frames.pop()
        frame.scope.names = names


def _out_of_sight(
    function: Function, names: Collection[str], frame: Frame, caught: CaughtFunctions
) -> Iterator[int]:
    """Iterate over the ops at which variables of these names hold what is made elsewhere in the
    function, or in code that has been rewritten since."""
    outside = {*function.params, *free_variables(function.body, function.params)}

    def look(inner: Block, seen: set[Var]) -> Iterator[int]:
        for let in inner.lets:
            for bound, body in sub_blocks(let.op):
                if isinstance(let.op, (If, Case, Loop, While)):
                    yield from look(body, seen | set(bound))
            seen |= set(let.vars)
            first = caught.origin(let)
            place = frame.raising.get(id(first))
            if place is not None:
                mine = {v for x in (first, *place.lets) for v in x.vars}
                held = (place.names[n] for n in names if n in place.names)
                used = {v for value in held for v in _variables(value)}
                used |= set(free_variables(Block(place.lets, ())))
                if used - mine - seen - outside:
                    yield id(first)

    yield from look(function.body, set())


def _variables(value: Value) -> Iterator[Var]:
    if value is UNSET or isinstance(value, Stale):
        return
    try:
        yield from (a for a in flatten(value).atoms if isinstance(a, Var))
    except NoKindError:
        return


def is_of_library(definition: Definition | None) -> bool:
    """Whether a function is a text of the package's own library."""
    return definition is not None and str(definition.globals.get("__name__", "")).startswith(
        "pullback.frontend.library."
    )


def handed_back(run: Run, spec: Spec, frame: Frame, flat: Flat) -> HandedBack:
    """Return what a function, which has been run, hands back where it raises. ``flat``: all that it
    gives, which ends with what it hands back."""
    names = sorted(spec.updates)
    kinds: dict[str, Kind] = {}
    if names:
        assert isinstance(flat.kind, TupleK)
        kinds = dict(zip(names, flat.kind.items[1:], strict=True))
    count = sum(len(leaf_types(kind)) for kind in kinds.values())
    own = tuple(a.type for a in flat.atoms[: len(flat.atoms) - count])
    return HandedBack(run, spec.name, spec.definition, frame, kinds, own)


def of_generator(run: Run, spec: Spec, frame: Frame, kind: Kind) -> HandedBack:
    """Return what the function of a generator, which has been run, gives where it raises; it gives
    something of this kind."""
    kinds: dict[str, Kind] = dict.fromkeys((STATE, *frame.slots), ThreadK(()))
    consumer = frame.scope.names[CONSUMER]
    stops = isinstance(consumer, Static) and bool(getattr(consumer.value, "stops", False))
    last: tuple[Type, ...] = (BOOL,) * stops
    if isinstance(kind, TupleK):  # with what the generator returns
        last = (*last, *leaf_types(kind.items[1]))
    return OfGenerator(run, spec.name, spec.definition, frame, kinds, (), last)


def of_consumer(
    run: Run, function: Function, names: Sequence[str], kinds: Sequence[Kind], stops: bool
) -> HandedBack:
    """Return what the consumer of a generator gives where it raises: what the variables in its
    state are there. ("" names what is no variable.)"""
    definition = run.frame.definition
    assert definition is not None
    first = next((k for k, n in enumerate(names) if n), len(names))
    own = tuple(t for kind in kinds[:first] for t in leaf_types(kind))
    mine = dict(zip(names[first:], kinds[first:], strict=True))
    return HandedBack(run, function.name, definition, run.frame, mine, own, (BOOL,) * stops)


__all__ = ["HandedBack", "handed_back", "of_consumer", "of_generator"]
