"""What a function hands back where it raises what is caught: what its variables hold there
(``noted``), as values of the kinds that it hands back at its end."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pullback.core.build import Builder
from pullback.core.terms import Atom, Block, Case, If, Let, Loop, Var, While, sub_blocks
from pullback.core.traverse import free_variables
from pullback.core.types import Type
from pullback.errors import PullbackError
from pullback.frontend.functions.caught_functions import (
    CaughtFunctions,
    Exit,
    Exits,
    leaves,
    may_raise,
)
from pullback.frontend.functions.stepped_form import AT, is_step
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.flatten import Flat, NoKindError, flatten
from pullback.frontend.kinds.join import has_function
from pullback.frontend.kinds.kinds import Kind, TupleK, leaf_types
from pullback.frontend.kinds.values import UNSET, PlaceV, Stale, Static, Value
from pullback.frontend.python.source import Definition

if TYPE_CHECKING:
    from pullback.frontend.run import Run
    from pullback.frontend.state import Frame, Noted, Spec
@dataclass(eq=False)
class HandedBack:
    """What a function hands back where it raises. ``whole``: its results, which end with what it
    hands back."""

    run: Run
    spec: Spec
    frame: Frame
    block: Block
    kinds: Mapping[str, Kind]
    own: Sequence[Type]
    """The types of the results before."""
    made: dict[int, Exit | None] = field(default_factory=dict)
    unseen: frozenset[int] | None = None

    def exits(self) -> Exits:
        """Return the ends of all results, where they are known."""
        found: dict[int, Exit] = {}
        if not self.kinds:
            return found
        for let in leaves(self.block):
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
            params = self.run.functions[self.spec.name].params
            self.unseen = frozenset(
                _out_of_sight(self.block, params, self.kinds, self.frame, self.run.caught)
            )
        if key not in self.made:
            place = self.frame.raising.get(key)
            self.made[key] = None if place is None or key in self.unseen else self._exit(place)
        return self.made[key]

    def _exit(self, place: Noted) -> Exit | None:
        atoms: list[Atom] = []
        definition = self.spec.definition
        if is_step(definition.node) and is_of_library(definition):
            return None  # Python's own iterators go on with the next item
        if place.midway or place.unsure & self.kinds.keys():
            return None
        with self.run.building(Builder()) as b, _as_in(self.run, self.frame, place):
            for n, kind in self.kinds.items():
                value = place.names.get(n, self.frame.starts.get(n, UNSET))
                if n == AT and is_step(definition.node):
                    value = Static(0)  # a generator that raises is at its end
                if value is UNSET or isinstance(value, Stale | PlaceV) or has_function(kind):
                    return None
                try:
                    same = coerce(self.run, value, kind, definition.node)
                    atoms += flatten(same).atoms
                except (PullbackError, NoKindError):
                    return None
        if any(may_raise(let.op) for let in b.lets):
            return None
        return Exit((*place.lets, *b.lets), (*self.own, *atoms))


@contextmanager
def _as_in(run: Run, frame: Frame, place: Noted) -> Iterator[None]:
    """Let names mean what they mean at a place of a function that has been run."""
    names = frame.scope.names
    frame.scope.names = {**names, **place.names}
    run.frames.append(frame)
    try:
        yield
    finally:
        run.frames.pop()
        frame.scope.names = names


def _out_of_sight(
    block: Block, params: Sequence[Var], names: Collection[str], frame: Frame,
    caught: CaughtFunctions,
) -> Iterator[int]:  # fmt: skip
    """Iterate over the ops at which variables of these names hold what is made elsewhere in the
    block, or in code that has been rewritten since."""
    outside = {*params, *free_variables(block, params)}

    def look(inner: Block, seen: set[Var]) -> Iterator[int]:
        for let in inner.lets:
            for bound, body in sub_blocks(let.op):
                if isinstance(let.op, If | Case | Loop | While):
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

    yield from look(block, set())


def _variables(value: Value) -> Iterator[Var]:
    if value is UNSET or isinstance(value, Stale):
        return
    try:
        yield from (a for a in flatten(value).atoms if isinstance(a, Var))
    except NoKindError:
        return


def is_of_library(definition: Definition) -> bool:
    """Whether a function is a text of the package's own library."""
    return str(definition.globals.get("__name__", "")).startswith("pullback.frontend.library.")


def handed_back(run: Run, spec: Spec, frame: Frame, block: Block, flat: Flat) -> HandedBack:
    """Return what a function, which has been run, hands back where it raises. ``flat``: all that it
    gives, which ends with what it hands back."""
    names = sorted(spec.updates)
    kinds: dict[str, Kind] = {}
    if names:
        assert isinstance(flat.kind, TupleK)
        kinds = dict(zip(names, flat.kind.items[1:], strict=True))
    count = sum(len(leaf_types(kind)) for kind in kinds.values())
    own = tuple(a.type for a in flat.atoms[: len(flat.atoms) - count])
    return HandedBack(run, spec, frame, block, kinds, own)


__all__ = ["HandedBack", "handed_back"]
