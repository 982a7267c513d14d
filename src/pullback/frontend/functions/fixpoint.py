"""What functions give that call each other: Kleene iteration.

Kinds are a lattice (``kinds/join``) with a bottom: a function that never returns gives nothing at
all. The functions of a recursion are run round after round, beginning there. What calls a function
of which no result is known so far is left out of a round, like a path that always raises; and when
a round adds nothing to what is known, all is settled.

    head      the function of a recursion that was met first; it goes through the rounds
    member    a function that calls the head, or what is between it and the head, and that was met
              while the head was run: in each round it is run once, with what is known by then

A refusal counts in the last round only: until then what is used may be known in part.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from pullback.errors import EndlessError, PullbackError
from pullback.frontend.interpret.endings import always_fails
from pullback.frontend.kinds.kinds import FunctionK, Kind, leaf_types
from pullback.frontend.signals import AlwaysRaises, Anew, Unreachable
from pullback.frontend.state import ResultOwner, Spec

if TYPE_CHECKING:
    from pullback.frontend.run import Run

Key = tuple[FunctionK, tuple[Kind, ...]]
Round = Callable[[], tuple[Kind | None, list[ResultOwner]]]

_MAX_ROUNDS = 32
_FEW_ROUNDS, _MAX_SIZE = 7, 100
"""A result of more parts than this that still grows after some rounds may double in each."""


def _size(kind: Kind | None) -> int:
    return 0 if kind is None else len(leaf_types(kind))


def _run(once: Round) -> tuple[Kind | None, list[ResultOwner]]:
    """Run a round, and begin it anew as long as it finds more facts that it must know from the
    start."""
    while True:
        try:
            return once()
        except Anew:
            continue


class Fixpoint:
    """The specialisations of a program, settled or not. ``active``: those being run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.settled: dict[Key, Spec] = {}
        self.members: dict[Key, Spec] = {}
        self.active: list[Spec] = []
        self.clock = 0

    # --- what is known ----------------------------------------------------------------------------

    def known(self, key: Key) -> Spec | None:
        """Return the specialisation for these kinds, if it is settled or was run in this round."""
        spec = self.settled.get(key)
        if spec is None:
            spec = self.members.get(key)
            if spec is None or spec in self.active or not self._is_of_this_round(spec):
                return None
            self.lean_on(spec)
        return spec

    def _is_of_this_round(self, spec: Spec) -> bool:
        return spec.head in self.active and spec.head.began < spec.began

    def call(self, s: Spec) -> None:
        """Call a function that is being run. The code after the call is not reached if the call is
        for more kinds than the function is being run for."""
        s.used = True
        self._open(s, s.wider is not None or s.result is None)
        if s.wider is not None:
            raise Unreachable

    def lean_on(self, spec: Spec) -> None:
        """Note the call of a function that was run: if it is not settled, its caller is not
        either."""
        if spec.head is not None:
            self._open(spec.head, spec.result is None)

    def _open(self, head: Spec, bottom: bool) -> None:
        """Begin a round in which code inside of ``head`` uses the result of the round before; with
        ``bottom``, no result."""
        around = self.active.index(head)
        for spec in self.active[around:]:
            spec.waits = True
            spec.incomplete = spec.incomplete or bottom
        for spec in self.active[around + 1 :]:
            if spec.head is None or self.active.index(spec.head) > around:
                spec.head = head

    @property
    def incomplete(self) -> bool:
        """Whether the function being run has left out a path for want of a result."""
        return bool(self.active) and self.active[-1].incomplete

    def waits(self, refusal: PullbackError) -> bool:
        """Whether a path that is refused may be left out of this round. If the round adds nothing,
        it is refused then."""
        if not self.active or not self.active[-1].waits:
            return False
        self.active[-1].refusal = self.active[-1].refusal or refusal
        return True

    # --- rounds -----------------------------------------------------------------------------------

    def settle(self, spec: Spec, key: Key, once: Round, node: ast.AST) -> Spec:
        """Run a function until all is settled; a member of a recursion once. What serves the call
        then is given: another one, if the recursion needs more that is settled already."""
        self.active.append(spec)
        try:
            for k in range(_MAX_ROUNDS):
                before = spec.state()
                self._round(spec, once)
                changed = spec.state() != before
                if changed and k >= _FEW_ROUNDS and _size(spec.result) > _MAX_SIZE:
                    break
                wide = self.settled.get((spec.function, spec.args))
                if wide is not None:
                    self.settled[key] = wide
                    return wide
                if spec.head is not None:
                    self._leave_member(spec, key, changed)
                    return spec
                if not spec.used or not (changed or spec.moved):
                    self._check(spec, node)
                    self._leave_head(spec, key)
                    return spec
        finally:
            self.active.pop()
        self.run.refuse(
            node,
            f"the types in the recursion of {spec.definition.name!r} do not settle",
            "return values of one type",
            error=EndlessError,
        )

    def _round(self, spec: Spec, once: Round) -> None:
        self.clock += 1
        spec.began = self.clock
        spec.used = spec.waits = spec.incomplete = spec.moved = False
        spec.head = spec.refusal = spec.wider = None
        arrives = True
        try:
            kind, owned = _run(once)
            arrives = kind is not None
            if arrives:
                spec.result, spec.owned = kind, owned
            if arrives or spec.result is None:  # else ``result`` is of a round with other updates
                spec.handed = tuple(sorted(spec.updates))
        except PullbackError as refusal:
            if not spec.waits:
                raise
            spec.refusal = spec.refusal or refusal
        if spec.wider is not None:
            spec.function, spec.args = spec.wider
            # From the bottom again: the parts of other kinds have other numbers.
            spec.result, spec.owned, spec.touched = None, [], frozenset()
        elif not arrives and not spec.incomplete:
            spec.result, spec.owned = None, []
            spec.handed = tuple(sorted(spec.updates))

    def _leave_member(self, spec: Spec, key: Key, changed: bool) -> None:
        """Go on in the head with the present result of a member."""
        assert spec.head is not None
        for s in self.active[self.active.index(spec.head) : -1]:
            s.moved = s.moved or changed
            s.refusal = s.refusal or spec.refusal
        self.members[key] = self.members[spec.function, spec.args] = spec
        for other in self.members.values():
            if other.head is spec:
                other.head = spec.head

    def _leave_head(self, spec: Spec, key: Key) -> None:
        """Settle all members with the head; drop the functions that the last round did not call."""
        self.settled[key] = self.settled[spec.function, spec.args] = spec
        own = {k: member for k, member in self.members.items() if member.head is spec}
        for k, member in own.items():
            del self.members[k]
            if member.began > spec.began:
                self.settled[k] = member
        for member in own.values():
            member.head = None

    def _raises(self, spec: Spec) -> bool:
        """Whether a function always raises, without being called again."""
        others = {n: f for n, f in self.run.functions.items() if n != spec.name}
        made = self.run.functions.get(spec.name)
        return made is not None and always_fails(made.body, others)

    def _check(self, spec: Spec, node: ast.AST) -> None:
        """End the iteration: a refusal, or code that is not reached, is final now."""
        endless = spec.result is None and spec.used and not self._raises(spec)
        if spec.refusal is not None and not (endless and isinstance(spec.refusal, AlwaysRaises)):
            raise spec.refusal
        if endless:
            self.run.refuse(
                node,
                f"every path through {spec.definition.name!r} calls it again or raises: what it "
                "returns is not known",
                "give the recursion a base case (an 'if' that returns without a call)",
                error=EndlessError,
            )
