"""Exceptions of the specialiser that never reach the user."""

from __future__ import annotations

import ast

from pullback.core.terms import Block, Site
from pullback.errors import MutationError, PullbackError, UnsupportedError


class FollowUp(PullbackError):
    """The use of a value whose statement has been refused: no problem of its own."""


class Unreachable(Exception):
    """No value arrives here: the path always raises, or goes through a recursive call of which no
    result is known so far (``Functions.bottom``). ``refusal``: how to say so before it runs."""

    refusal: PullbackError | None = None


class AlwaysRaises(UnsupportedError):
    """A block whose value is wanted always raises: it ends like ``block``. A loop that need not go
    round can do without the value; else it is refused."""

    def __init__(self, reason: str, site: Site | None, block: Block) -> None:
        super().__init__(reason, "", site)
        self.block = block


class NotCarriedError(MutationError):
    """A change of a variable in something that has no order of rounds to carry it through."""


class Anew(Exception):
    """More is known of the syntax of the function being run: its body is run anew."""


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
