"""Calls of functions that return iterators: generators, ``map``, ``itertools.count()``, ...

What is compiled gives a list of the first items (``callee.first_items``); the caller gets a
generator that asks for them. Nothing that the function does is seen from outside (else it is
refused), so it may be run again from its beginning, for more items than before: twice as many each
time, so all runs together take a few times what the last one does. Items that nobody has asked for
may take for ever, or raise: such a run has a limit of time, and where it is given up or raises, the
next run is for the one item that is wanted.

Python reads arguments when it comes to them. So each item is given only if all that the function
reads is still what it was when the first one was asked for (``Watch``). An item that may change is
compared with a copy of what it was when it was yielded: the generator may not go on with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, NoReturn

from pullback.call.callee import first_copies, first_items
from pullback.call.deferred import driver
from pullback.call.leaving import leaving
from pullback.call.misuse import may_broadcast
from pullback.call.request import Request, What
from pullback.call.specialised import bound, kinds_of
from pullback.call.watched_values import Watch, are_alike
from pullback.core.interrupts import TooLongError, within
from pullback.core.traverse import calls_python
from pullback.errors import MutationError, UnsupportedError

if TYPE_CHECKING:
    from types import FunctionType

    from pullback.call.driver import Unit

_REQUEST = Request(What.VALUE, in_order=True)
_LEAST_SECONDS = 0.01
"""A run for items that nobody has asked for may take so long at least."""

Items = list[Any]


class Iterating:
    """The call of a function that returns an iterator, for arguments of one kind each."""

    def __init__(self, f: Callable[..., Any], args: Sequence[Any]) -> None:
        self.f = f
        self.items = _Entry(self, first_items(f), args)
        self.copies: _Entry | None = None

    def refuse(self, why: str) -> NoReturn:
        """Refuse a function that does more than to give items."""
        name = getattr(self.f, "__name__", "the function")
        reason = f"the result of {name!r} is an iterator: {why}"
        raise UnsupportedError(reason, "return a list of the items") from None

    def __call__(self, *args: Any) -> Any:
        """Run what comes before the iterator is made, and return that; NotImplemented for arguments
        of other kinds."""
        if self.items.run(0, args) is NotImplemented:
            return NotImplemented
        made = self._items(args)
        for name in ("__name__", "__qualname__"):
            setattr(made, name, getattr(self.f, name, getattr(made, name)))
        return made

    def _items(self, args: Sequence[Any]) -> Iterator[Any]:
        """Yield the items."""
        course = _Course(lambda count: self._first(count, args))
        try:
            watch = Watch(args, *self.items.reads(args))
            while items := course.more():
                for item in items:
                    try:
                        yield item
                    except GeneratorExit:
                        raise
                    except BaseException as thrown:
                        raise UnsupportedError(
                            "throw() into an iterator of compiled code", "close it"
                        ) from thrown
                    if watch.has_changed():
                        raise _changed()
        except GeneratorExit:
            raise
        except Exception as error:
            raise leaving(error, self.f)  # noqa: B904  # it has its cause

    def _first(self, count: int, args: Sequence[Any]) -> Items:
        """Return the first items."""
        found = self.items.run(count, args)
        if found is NotImplemented:
            raise _changed()
        if found and not Watch(found).is_empty:
            if self.copies is None:
                self.copies = _Entry(self, first_copies(self.f), args)
            if not are_alike(found, self.copies.run(count, args)):
                self.refuse("it goes on with what it has yielded, and changes that")
        return [*found]


def _changed() -> MutationError:
    return MutationError(
        "what an iterator of compiled code reads has changed between two items",
        "make a list of its items before that",
    )


class _Entry:
    """A compiled function of a count and the arguments of the function that returns an iterator."""

    def __init__(self, of: Iterating, call: FunctionType, args: Sequence[Any]) -> None:
        self.of, self.call = of, call
        self._bind(0, args)

    def _bind(self, count: int, args: Sequence[Any]) -> Any:
        """Compile it; return its result."""
        given = (count, *args)

        def use(function: FunctionType, unit: Unit) -> tuple[Callable[..., Any], Any]:
            self.function, self.unit = function, unit
            special = unit.special.special
            if special.loses or calls_python(special.program):
                self.of.refuse("it prints, or calls Python, where Python takes an item")
            return bound(function, unit, given)

        try:
            self.fast, found = driver.using(self.call, given, _REQUEST, use)
        except MutationError as error:
            self.of.refuse(error.reason)
        return found

    def run(self, count: int, args: Sequence[Any]) -> Any:
        """Return the result; NotImplemented for arguments of other kinds, or where what was
        compiled in has changed."""
        try:
            found = self.fast(count, *args)
        except ValueError as error:
            if not (self.unit.special.equal and may_broadcast(error)):
                raise
            return self._bind(count, args)
        if found is not NotImplemented:
            return found
        given, special = (count, *args), self.unit.special
        if kinds_of(given) != special.kinds or not special.fits(self.function, given):
            return NotImplemented
        return bound(self.function, self.unit, given)[1]

    def reads(self, args: Sequence[Any]) -> tuple[FunctionType, Sequence[Any], Sequence[Any]]:
        """Return what it reads beside the arguments: from a function, and by which paths."""
        special = self.unit.special.special
        guards = [g.path for g in special.guards] + [s.path for s in special.statics]
        return self.function, [h.path for h in special.hidden], guards


class _Course:
    """How far an iterator has come. ``first(count)`` gives its first ``count`` items."""

    def __init__(self, first: Callable[[int], Items]) -> None:
        self.first = first
        self.done, self.ahead, self.raising = 0, 0, 0
        self.useful, self.wasted = 0.0, 0.0

    def more(self) -> Items:
        """Return the next items, at least one; none at the end."""
        found, since = None, perf_counter()
        if self.ahead and self.useful >= self.wasted:
            found = self._further(self.done + 1 + self.ahead)
            if found is None:
                self.wasted, since = self.wasted + perf_counter() - since, perf_counter()
        if found is None:
            found = self.first(self.done + 1)
        self.useful += perf_counter() - since
        new = found[self.done :]
        self.done = self.ahead = len(found)
        return new

    def _further(self, count: int) -> Items | None:
        """Return more items than were asked for; None where that takes too long, or raises."""
        if self.raising:
            count = min(count, (self.done + 1 + self.raising) // 2)
        try:
            with within(max(_LEAST_SECONDS, 2 * self.useful)) as limited:
                return self.first(count) if limited else None
        except TooLongError:
            return None
        except Exception:  # it is raised where Python comes to it
            self.raising = count
            return None


def iterating(
    f: Callable[..., Any], args: Sequence[Any]
) -> tuple[Callable[..., Any], Iterator[Any]]:
    """Return the call of a function that returns an iterator, and its result."""
    made = Iterating(f, args)
    return made, made(*args)


__all__ = ["iterating"]
