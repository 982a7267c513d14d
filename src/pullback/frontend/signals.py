"""How specialisation starts over: exceptions that never reach the user."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pullback.core.terms import Block, Site
from pullback.errors import PullbackError, UnsupportedError

if TYPE_CHECKING:
    from pullback.frontend.functions.bodies import Spec
    from pullback.frontend.kinds.kinds import Kind


class Unresolved(Exception):
    """The result of a recursive call is not known yet: leave this path out for now."""

    def __init__(self, spec: Spec, node: ast.AST) -> None:
        self.spec = spec
        self.node = node
        self.in_loop = False  # in a body that may run zero times
        super().__init__(spec.name)

    def leave_out(self) -> None:
        """Go on as if the loop with the call never ran, if no path goes without such a loop. (The
        specialisation is marked, so everything is run again.)"""
        assert self.spec.unresolved
        if not self.spec.no_rounds:
            self.in_loop = True
            raise self


class FollowUp(PullbackError):
    """The use of a value whose statement has been refused: no problem of its own."""


class Unreachable(Exception):
    """This path always raises: there is no value. ``refusal``: how to say so before it runs."""

    refusal: PullbackError | None = None


class AlwaysRaises(UnsupportedError):
    """A block whose value is wanted always raises: it ends like ``block``. A loop that need not go
    round can do without the value; else it is refused."""

    def __init__(self, reason: str, site: Site | None, block: Block) -> None:
        super().__init__(reason, "", site)
        self.block = block


class Widen(Exception):
    """A recursive call has more general arguments: specialise the function for those."""

    def __init__(self, spec: Spec, function: Kind, args: tuple[Kind, ...]) -> None:
        self.spec = spec
        self.function = function
        self.kinds = args
        super().__init__(spec.name)


class NeedStatic(Exception):
    """A parameter turned out to be needed at compile time: specialise by its value. ``refusal``:
    what is refused if that cannot be."""

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
