"""The state of lowering one function, and of the lanes that its code may be running in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice

from pullback.core.frozen import dataclass, field
from pullback.core.terms import Atom, Block, Lit, Op, Program, Site, Var
from pullback.core.types import Type
from pullback.lower.chunks import Plan
from pullback.lower.emit import Emitter
from pullback.lower.folds import Fold
from pullback.lower.forms import Form
from pullback.lower.layouts import Layouts
from pullback.lower.loopcode import (
    LANES,
    Arith,
    Imm,
    Instr,
    LoopFunction,
    RaiseIf,
    Reg,
    Ty,
    Value,
)
from pullback.lower.notes import Notes
from pullback.lower.separate import Rounds, Separate
from pullback.lower.stacks import Stack
from pullback.lower.values import ONE, ZERO, NotInLanes, Scalar, Val, View, lanes_of, machine

NEAR = 64
"""A condition is looked for among so many instructions before the check of it."""


class Retry(Exception):
    """A carried value is less regular than assumed: the loop must be lowered again."""


@dataclass(eq=False)
class Mask:
    """The lanes that run some code; at least one does. ``leader``: the first of them."""

    lanes: Value
    leader: Reg = field(default_factory=lambda: Reg("leader", Ty.I64))
    used: bool = False


@dataclass(eq=False)
class Shadow:
    """Lane-private cells for an accumulator from outside the lanes, if they are worth it.

    There are 8 times as many as the accumulator spans. They are worth it if at least as many
    additions go there; these are counted as products of trip counts (one for each place in the
    code).
    """

    root: View
    worth: Reg
    cells: Reg
    low: Reg
    additions: list[list[Value]]


@dataclass(frozen=True, slots=True)
class Shape:
    """How a loop carries a value: its form and which of its parts change (by position)."""

    form: Form
    loose: frozenset[int]


@dataclass(eq=False)
class Lanes:
    """A loop that runs 8 iterations at a time.

    first    registers with smaller ids are from outside the loop
    alive    lanes whose effects count: the last block overlaps the one before
    mask     within a branch that only some lanes took
    units    strides from outside that were taken to be 1 (tested before the loop)
    assumed  conditions from outside that were taken to have this value (tested likewise)
    trips    trip counts of the loops around the place at hand, this one first
    own      accumulators in which every iteration has cells of its own"""

    first: int
    alive: Value
    mask: Mask | None = None
    units: dict[Value, None] = field(default_factory=dict)
    assumed: dict[Value, bool] = field(default_factory=dict)
    shadows: dict[tuple[Value, ...], Shadow] = field(default_factory=dict)
    read: set[tuple[Value, ...]] = field(default_factory=set)
    shapes: dict[Var, Shape] = field(default_factory=dict)
    trips: list[Value] = field(default_factory=list)
    own: frozenset[Atom] = frozenset()

    def older(self, v: Value) -> bool:
        """Whether ``v`` is computed before the loop."""
        return isinstance(v, Imm) or v.id < self.first


@dataclass(eq=False)
class Unit:
    """The module under construction.

    in_order   without lanes, so that errors come in the order of the program
    early      whether all errors are looked at again, by another run
    flushing   the loops that compute cotangents only
    repeated   the functions that run many times
    passed_on  the reads of cells that are only added to other cells
    chunked    how loops may run in chunks, or why not
    notes      how loops run
    own        how many results of main may have memory of their own (``own_memory``)
    """

    program: Program
    layouts: Layouts
    lasting: frozenset[Var] = frozenset()
    filled: frozenset[Var] = frozenset()
    separate: dict[Op, Separate] = field(default_factory=dict)
    stacks: dict[Var, Stack] = field(default_factory=dict)
    chunked: dict[Op, Plan | str] = field(default_factory=dict)
    notes: Notes = field(default_factory=dict)
    functions: dict[str, LoopFunction] = field(default_factory=dict)
    helpers: dict[tuple[str, Type], str] = field(default_factory=dict)
    in_order: bool = False
    early: bool = False
    flushing: frozenset[Op] = frozenset()
    repeated: frozenset[str] = frozenset()
    passed_on: frozenset[Op] = frozenset()
    folds: dict[Op, Fold] = field(default_factory=dict)
    places: dict[Instr, Site] = field(default_factory=dict)
    own: int = 0
    rounds: Rounds = field(default_factory=Rounds)

    def arena_of(self, made: Iterable[Var]) -> str:
        """Return the arena for arrays: those that may end up in data go where data is (``escape``).
        """
        return "temp" if self.lasting.isdisjoint(made) else "residual"


class Lowering(Emitter):
    """One function under construction. ``block`` lowers a block and returns its results."""

    def __init__(
        self, unit: Unit, block: Callable[[Lowering, Block], list[Val]], again: bool = False
    ) -> None:
        super().__init__()
        self.unit = unit
        self.env: dict[Var, Val] = {}
        self.lane: Lanes | None = None
        self.shapes: dict[Var, Shape] = {}
        self.likely_units: set[Value] = set()
        self.copies = 0  # the number of scalar copies of loops in lanes around this place
        self.whole = False  # loops here do not run in chunks
        self.again = again  # this code runs many times: cells that it reads are flushed
        self.flushing = False  # the control register makes zeros of subnormal numbers here
        self.here: Site | None = None  # the line from which the code comes, if it is followed
        self.outermost = self.code
        self.equal: dict[Value, Value] = {}  # numbers that are known to be equal to others
        self.known: dict[Var, bool] = {}  # comparisons that hold, or not, in this piece of a loop
        self._block = block

    def block(self, b: Block) -> list[Val]:
        """Lower a block here."""
        return self._block(self, b)

    def emit(self, instr: Instr) -> None:
        """Append an instruction; an error of one lane may come before that of another."""
        if isinstance(instr, RaiseIf) and (self.lane is not None or self.unit.early):
            instr = replace(instr, early=True)
        if self.here is not None:
            self.unit.places[instr] = self.here
        super().emit(instr)

    # --- atoms ------------------------------------------------------------------------------------

    def atom(self, a: Atom) -> Val:
        """The value of an atom."""
        if isinstance(a, Lit):
            ty = machine(a.type)
            natural = ty is Ty.I64 and a.value >= 0
            return Scalar(a.type, Imm(a.value, ty), natural=natural)
        return self.env[a]

    def scalar(self, a: Atom) -> Scalar:
        """The value of a scalar atom."""
        v = self.atom(a)
        assert isinstance(v, Scalar), a
        return v

    def view(self, a: Atom) -> View:
        """The value of an array or handle."""
        v = self.atom(a)
        assert isinstance(v, View), a
        return v

    def value(self, s: Scalar) -> Value:
        """The register of a scalar; an affine one becomes a vector."""
        if s.value is not None:
            return s.value
        assert s.base is not None and s.step is not None
        return self.add(s.base, self.mul(self.iota(), s.step))

    def uniform(self, s: Scalar) -> Value:
        """The register of a scalar that must be the same in all lanes."""
        if s.value is None or lanes_of(s.value) > 1:
            raise NotInLanes("a number of rounds or an extent inside differs from round to round")
        return s.value

    def extent(self, a: Atom) -> Value:
        """Return a count: not negative, the same in all lanes."""
        return self.extent_of(self.scalar(a))

    def extent_of(self, s: Scalar) -> Value:
        """The same of a value."""
        v = self.uniform(s)
        return v if s.natural else self.arith("max", Ty.I64, v, ZERO)

    # --- equal numbers ----------------------------------------------------------------------------

    def know(self, holds: Value) -> None:
        """Remember that two numbers are equal, if that is what holds from here on: an error is
        raised where it does not. (Within a loop or a branch nothing is remembered.)"""
        if self.code is not self.outermost:
            return
        for instr in islice(reversed(self.code), NEAR):
            if isinstance(instr, Arith) and instr.dst == holds:
                numbers = all(isinstance(a, Reg) and a.ty is Ty.I64 for a in instr.args)
                if instr.name == "eq" and numbers:
                    a, b = map(self._known_as, instr.args)
                    if a != b:
                        self.equal[b] = a
                return

    def same(self, a: Value, b: Value) -> bool:
        """Whether two numbers are known to be equal."""
        return a == b or self._known_as(a) == self._known_as(b)

    def _known_as(self, a: Value) -> Value:
        while a in self.equal:
            a = self.equal[a]
        return a

    # --- lanes ------------------------------------------------------------------------------------

    def mask(self) -> Mask | None:
        """The lanes that run this code, if not all do."""
        return self.lane.mask if self.lane else None

    def leader(self) -> Value:
        """The number of a lane that runs this code."""
        m = self.mask()
        assert m is not None
        m.used = True
        return m.leader

    def is_one(self, stride: Value) -> bool:
        """Whether a stride is 1, or may be assumed to be (then the lanes test it first)."""
        if isinstance(stride, Imm) or self.lane is None:
            return isinstance(stride, Imm) and stride.value == 1
        if stride in self.likely_units and self.lane.older(stride):
            self.lane.units[stride] = None
            return True
        return False

    def is_likely_one(self, stride: Value) -> bool:
        """Whether a stride is 1 or the last one of some array."""
        return stride == ONE or stride in self.likely_units

    @contextmanager
    def masked(self, mask: Mask | None) -> Iterator[None]:
        """Emit code that only some lanes run (None: all)."""
        if self.lane is None:
            yield
            return
        saved, self.lane.mask = self.lane.mask, mask
        try:
            yield
        finally:
            self.lane.mask = saved

    @contextmanager
    def trip(self, count: Value) -> Iterator[None]:
        """Emit code inside of a loop of that many iterations."""
        if self.lane is None:
            yield
            return
        self.lane.trips.append(count)
        try:
            yield
        finally:
            self.lane.trips.pop()

    @contextmanager
    def as_a_whole(self) -> Iterator[None]:
        """Emit code in which no loop runs in chunks."""
        saved, self.whole = self.whole, True
        try:
            yield
        finally:
            self.whole = saved

    @contextmanager
    def rounds(self) -> Iterator[None]:
        """Emit code that a sequential loop runs again and again."""
        saved, self.again = self.again, True
        try:
            yield
        finally:
            self.again = saved

    def find_leader(self, mask: Mask) -> list[Instr]:
        """Return the code that finds the leader of a mask, if the leader is used."""
        if not mask.used:
            return []

        def find() -> None:
            numbers = self.select(mask.lanes, self.iota(), Imm(LANES - 1, Ty.I64))
            self.emit(Arith(mask.leader, "lane_min", (numbers,)))

        code, _ = self.record(find)
        return code
