"""Exceptions of the specialiser that never reach the user."""

from __future__ import annotations

import ast
from contextvars import ContextVar
from typing import cast

from pullback.core.terms import Block
from pullback.errors import MutationError, PullbackError


class FollowUp(PullbackError):
    """The use of a value whose statement has been refused, which is no problem of its own."""


class Unreachable(Exception):
    """No value arrives here: the path always raises, or goes through a recursive call whose result
    is not known yet (``Functions.bottom``). ``refusal`` is the error to show if it is refused at
    compile time."""

    refusal: PullbackError | None = None


class AlwaysRaises(PullbackError):
    """A block whose value is needed always raises; ``block`` is its code. A loop whose body need
    not run can do without the value; elsewhere the program is refused, for the reason of an error
    whose class this is, too (``always_raises``)."""

    block: Block


def always_raises(refusal: PullbackError, block: Block) -> AlwaysRaises:
    """Return the signal that a block always raises; shown, it is the refusal."""
    cls = type(refusal)
    both = type(cls.__name__, (cls, AlwaysRaises), {})
    made = both(refusal.reason, refusal.rewrite, refusal.site)
    made.block = block
    return cast("AlwaysRaises", made)


class NotCarriedError(MutationError):
    """A change of a variable in something that has no order of rounds to carry it through."""


class Anew(Exception):
    """More is known of the syntax of the function being run: its body is run anew."""


class RegionsMeetError(Exception):
    """Lists of two regions of the store meet: they must have one (``store.shared_memory``). If
    ``other`` is no region but the class of all of them, those of ``one`` must be values."""

    def __init__(self, one: type, other: type) -> None:
        super().__init__(one, other)
        self.one, self.other = one, other


MEETING: ContextVar[list[RegionsMeetError] | None] = ContextVar("MEETING", default=None)
"""In a run that learns of the store: the regions that have met. It goes on, with any values, as if
they were one, to meet all that must be united before the next run."""


def regions_meet(one: type, other: type) -> None:
    """Note that two regions must be united; if this run does not learn, that ends it."""
    met, signal = MEETING.get(), RegionsMeetError(one, other)
    if met is None:
        raise signal
    met.append(signal)


class ContextsWanted(Exception):
    """The program looks at the context of an exception: it must say what it handles. ``returned``:
    an exception is a result, so all that is in it counts."""

    def __init__(self, returned: bool = False) -> None:
        super().__init__(returned)
        self.returned = returned


class NeedStatic(Exception):
    """A parameter is needed at compile time, so the function must be specialised for its value.
    ``refusal`` is the error if that cannot be."""

    def __init__(
        self,
        origin: tuple[object, str],
        node: ast.AST,
        what: str,
        refusal: PullbackError | None = None,
    ) -> None:
        self.origin = origin
        self.node = node
        self.what = what
        self.refusal = refusal
        super().__init__(what)
