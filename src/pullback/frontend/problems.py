"""Collect all problems of a function, so that they are shown together.

The first refusal ends specialisation. Then the function is run once more, only to find other
refusals: a statement that is refused gives its names an unknown value, whose use is not another
problem, and the run goes on with the next statement. Its result is thrown away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import CodeType, FunctionType

from pullback.core.terms import Site
from pullback.errors import EndlessError, PullbackError, excerpt
from pullback.frontend.kinds.values import (
    ADVANCED,
    ORDERED,
    SEQUENTIAL,
    WRITTEN,
    WRITTEN_CLASSES,
)
from pullback.frontend.python.libraries import OWN, name_of, package_of
from pullback.frontend.python.source import Definition, definition_of, site_of
from pullback.frontend.signals import FollowUp

MOST = 12
"""The number of problems that are shown."""


class Problems:
    """The problems found so far, one for each place."""

    def __init__(self) -> None:
        self.found: list[PullbackError] = []
        self.places: set[tuple[str, int]] = set()
        self.steps = 0

    def add(self, error: PullbackError) -> None:
        """Note a refusal, unless it follows from another one."""
        if isinstance(error, FollowUp) or error.site is None:
            return
        if isinstance(error, EndlessError) and self.found:
            return  # its base case has been refused
        place = error.site.file, error.site.line
        if place not in self.places and len(self.found) < MOST:
            self.places.add(place)
            self.found.append(error)

    def merged(self, first: PullbackError) -> PullbackError:
        """Return the first problem with the others attached to it."""
        if first.site is not None:
            self.places.add((first.site.file, first.site.line))
            here = first.site.file, first.site.line
            others = [e for e in self.found if e.site and (e.site.file, e.site.line) != here]
        else:
            others = list(self.found)
        first.also(sorted(others, key=_place))
        return first


def outside(
    error: PullbackError, function: object, args: Sequence[object]
) -> PullbackError:
    """Return the refusal of a call with all its places in the user's code. A place in a text of
    this package becomes the name of the operator, and the function that it was called for."""
    shown = [_outside(e, function, args) for e in (error, *error.others)]
    if shown == [error, *error.others]:
        return error
    first, *others = {(e.reason, e.site): e for e in shown}.values()
    if others:
        first.also(others)
    return first


def _outside(error: PullbackError, function: object, args: Sequence[object]) -> PullbackError:
    if error.site is None or package_of(error.site.file) != OWN:
        return error
    name, site = _called([*reversed(args), function])
    reason = f"{name}: {error.reason}" if name else error.reason
    return error.elsewhere(reason, error.rewrite, site)


def _called(todo: list[object]) -> tuple[str, Site | None]:
    """Return the name of the operator that was called, and the place of the first function of the
    user's that it, or an argument, is or captures. ``todo``: the operator last."""
    name, seen = "", set[object]()
    while todo:
        f = todo.pop()
        if (operator := getattr(f, "__pullback_operator__", None)) is not None:
            name = name or f"pb.{getattr(f, 'name', operator[0])}"
            f = operator[1][0] if isinstance(operator[1], tuple) else operator[1]
        if not isinstance(f, FunctionType) or f in seen:
            continue
        seen.add(f)
        definition = definition_of(f)
        if package_of(definition.file) != OWN:
            return name, site_of(definition, definition.node)
        name = name or _operator(definition)
        todo += [cell.cell_contents for cell in reversed(f.__closure__ or ())]
    return name, None


def _operator(definition: Definition) -> str:
    """Return the name of the library function that the text means, or that it helps; "" if there
    is none."""
    outermost, _, method = definition.qualname.partition(".")
    where = definition.globals.get("__name__"), outermost
    for cls, written in WRITTEN_CLASSES.items():
        if where == (written.__module__, written.__name__):
            return f"{name_of(cls)}.{method}"
        if where in [(c.__module__, c.__name__) for c in written.__mro__]:  # of several classes
            return f"{name_of(cls).rpartition('.')[0]}.{outermost}.{method}"
    tables = (WRITTEN, SEQUENTIAL, ADVANCED, ORDERED)
    texts = [(f, t) for table in tables for f, t in table.items()]
    here = [(f, t) for f, t in texts if t.__globals__ is definition.globals]
    meant = next((f for f, t in here if t.__name__ == outermost), None)
    if meant is None:
        meant = next((f for f, t in here if _calls(t, outermost)), None)
    if meant is None and here:  # a text that stands for its namesake in some calls
        meant = next((f for f, _ in here if getattr(f, "__name__", "") == outermost), None)
    return "" if meant is None else name_of(meant)


def _calls(text: Callable[..., object], name: str) -> bool:
    """Whether a text calls a function of its module, also through others of them."""
    met, waiting = set[str](), [text.__name__]
    while waiting:
        called = waiting.pop()
        f = text.__globals__.get(called)
        if called in met or not isinstance(f, FunctionType):
            continue
        if called == name:
            return True
        met.add(called)
        codes = [f.__code__]
        for code in codes:
            waiting += code.co_names
            codes += [c for c in code.co_consts if isinstance(c, CodeType)]
    return False


def public_name(definition: Definition) -> str:
    """Return the name of a package's function, or of the library function that the text means."""
    return _operator(definition) or f"{definition.globals.get('__name__')}.{definition.qualname}"


def _place(error: PullbackError) -> tuple[str, int]:
    return ("", 0) if error.site is None else (error.site.file, error.site.line)


_BUT = "objects may have several names, and lead to each other, but "


def also(found: PullbackError, but: str = _BUT) -> str:
    """Return what is said of the refusal of a program in another form: with references."""
    where = "" if found.site is None else "\n" + excerpt(found.site)
    instead = f"\n  Instead: {found.rewrite}" if found.rewrite else ""
    return but + found.reason + where + instead
