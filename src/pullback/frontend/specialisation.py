"""What the front end makes of a function and the types of its arguments, and when it may be used.

A program depends on more than the types: on what global variables and closure cells hold, and on
numbers that had to be known when it was compiled. ``Specialised.valid`` says whether they are as
they were.
"""

from __future__ import annotations

from pullback.core.frozen import dataclass, field
from pullback.core.terms import Program, Site
from pullback.core.traverse import calls_python
from pullback.frontend.functions.scopes import Path
from pullback.frontend.kinds.kinds import ArgType, Kind, StaticK, static_kind
from pullback.frontend.python.guards import Guard, holds
from pullback.frontend.python.paths import MISSING, read
from pullback.frontend.python.pytypes import type_of
from pullback.frontend.python.records import Union
from pullback.frontend.python.source import Used


@dataclass(frozen=True, slots=True)
class HiddenArgument:
    """A number or array in a global variable or closure cell: read anew at every call.

    ``read(function, args)`` reads it; its ``type_of`` must equal ``kind``."""

    path: Path
    kind: Kind

    def read(self, function: object, args: tuple[object, ...]) -> object:
        return read(self.path, function, args)


@dataclass(frozen=True, slots=True)
class StaticArgument:
    """A number that was compiled in, because it is needed at compile time (an axis, ...)."""

    path: Path
    kind: StaticK


@dataclass(frozen=True, slots=True, eq=False)
class Specialised:
    """The result of the front end for one function and one tuple of argument types.

    ``args`` are the kinds of the Python arguments: their leaves, in order, are the first
    parameters of ``program.main``, then come the leaves of ``hidden``. ``result`` says how to
    rebuild the Python result from main's results. ``guards`` and ``statics`` must hold (``valid``)
    for the program to be used for a call."""

    program: Program
    args: tuple[ArgType, ...]
    result: Kind
    hidden: tuple[HiddenArgument, ...]
    guards: tuple[Guard, ...]
    statics: tuple[StaticArgument, ...]
    unions: dict[str, Union] = field(default_factory=dict)
    site: Site | None = None
    always_raises: bool = False
    one_home: bool = False
    """Whether an object in an argument may belong to one union only (``homes``)."""
    used: tuple[Used, ...] = ()
    """The code of all functions that the program was made of."""
    asks_lapack: bool = False
    """Whether the program depends on ``lapack``."""
    assumes: bool = False
    """Whether the program depends on ``assume_equal``."""
    catches_extents: bool = False
    """Whether the program catches the error of extents that do not fit."""
    contexts: bool = False
    """Whether what the program raises may have a context, which it does not note itself."""
    loses: bool = False
    """Whether the program changes something that is seen outside where it raises only: it does
    not do it."""

    @property
    def may_assume(self) -> bool:
        """Whether extents may be assumed to be equal: where they are not, the caller sees the error
        and runs another program, so nothing may have caught it, and nothing is printed twice. A
        program in which no extents meet assumes nothing."""
        if not self.assumes:
            return True
        return not self.catches_extents and not calls_python(self.program)

    def valid(self, function: object, args: tuple[object, ...]) -> bool:
        """Whether the program may be used for this call, whose argument types are equal."""
        for g in self.guards:
            if not holds(g, read(g.path, function, args)):
                return False
        for s in self.statics:
            if static_kind(read(s.path, function, args)) != s.kind:
                return False
        for h in self.hidden:
            value = read(h.path, function, args)
            if value is MISSING or type_of(value) != h.kind:
                return False
        return True

    def hidden_values(self, function: object, args: tuple[object, ...]) -> list[object]:
        """The hidden arguments, in order."""
        return [h.read(function, args) for h in self.hidden]


__all__ = ["HiddenArgument", "Specialised", "StaticArgument"]
