"""Calls of functions that update their arguments, as the caller sees them.

The compiled entry (``frontend.seen_outside``) updates copies, and says what has become of them;
here that is written into the objects that were given, once, after the call. Compiled code takes
arguments for different objects. So where two of them share memory that is updated, or one is
read-only, and where the function raises, its plain Python run decides what the objects are then:
compiled code has changed nothing.
"""

from __future__ import annotations

import contextlib
import copy
import io
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MethodType
from typing import Any

import numpy as np

from pullback.call.binding import bind
from pullback.call.deferred import driver
from pullback.call.leaving import on_purpose
from pullback.call.request import Request, What
from pullback.errors import MutationError, PullbackError
from pullback.frontend.seen_outside import CHANGED, Outside
from pullback.settings import config

_DIRECTLY = What.VALUE, What.GRADIENT, What.VALUE_AND_GRADIENT
"""The operators whose entries may say what has changed."""


_known: dict[object, tuple[tuple[int, ...], bool]] = {}
"""What functions have been found to update, by their code."""


def _code(f: object) -> object:
    return getattr(getattr(f, "__func__", f), "__code__", f)


def updating(f: Callable[..., Any], request: Request) -> Updating | None:
    """Return the call for a function that is known to update arguments."""
    if not _known or request.what not in _DIRECTLY or _code(f) not in _known:
        return None
    return Updating(f, request)


def learnt(
    f: Callable[..., Any], request: Request, refusal: MutationError, args: Sequence[Any]
) -> tuple[Updating, Any]:
    """Return the call for a function that has been refused since it updates arguments, and its
    result; or raise the refusal."""
    if request.what not in _DIRECTLY or not (refusal.arguments or isinstance(f, MethodType)):
        raise refusal
    made = Updating(f, request)
    if refusal.arguments:
        made.learn(refusal)
    try:
        return made, made(*args)
    except MutationError as other:
        raise other from None


Fast = Callable[..., Any]
Beside = Callable[[Sequence[Any]], Sequence[Any]]

_MOST_CALLS = 4
"""So many compiled calls are tried, for as many types of arguments."""


class Updating:
    """An operator of a function that updates arguments: called as a compiled entry is. A method is
    called as the function that it is, with its object before the arguments."""

    def __init__(self, f: Callable[..., Any], request: Request) -> None:
        self.first: tuple[Any, ...] = ()
        if isinstance(f, MethodType):
            self.first, f = (f.__self__,), f.__func__
        self.f, n = f, len(self.first)
        self.request = replace(request, argnums=tuple(k + n for k in request.argnums))
        derived = request.what is not What.VALUE
        arguments, deep = _known.get(_code(self.f), ((), False))
        self.outside = Outside(arguments, deep, derived and request.has_aux, derived)
        self.calls: tuple[tuple[Fast, Beside], ...] = ()

    def learn(self, error: MutationError) -> None:
        """Have the arguments of this refusal updated, or what is in them; raise it if they are
        already."""
        known = {*self.outside.arguments}
        if not known.issuperset(error.arguments):
            both = tuple(sorted(known.union(error.arguments)))
            self.outside = replace(self.outside, arguments=both)
        elif known and not self.outside.deep:
            self.outside = replace(self.outside, deep=True)
        else:
            raise error
        _known[_code(self.f)] = self.outside.arguments, self.outside.deep
        while len(_known) > config.cache_size:
            _known.pop(next(iter(_known)), None)

    def __call__(self, *given: Any) -> Any:
        args = (*self.first, *given)
        try:
            found = self._found(args)
            if found is NotImplemented:
                return self._in_python(args)
        except MutationError as error:
            self.learn(error)
            return self(*given)
        except PullbackError:
            raise
        except Exception as error:
            raise self._replayed(args, error)  # noqa: B904  # it has its cause
        return self._written(found, args)

    def _found(self, args: Sequence[Any]) -> Any:
        """What the entry gives; NotImplemented where it is not to be used."""
        for fast, beside in self.calls:
            if not self._apart(args, beside(args)):
                return NotImplemented
            found = fast(*args)
            if found is not NotImplemented:
                return found
        return self._anew(args)

    def _anew(self, args: Sequence[Any]) -> Any:
        """Compile the entry for other types of arguments, and call it."""
        request = replace(
            self.request, outside=self.outside,
            has_aux=self.request.has_aux or self.request.what is not What.VALUE,
        )  # fmt: skip
        function, unit = driver.found(self.f, args, request)
        special = unit.special.special

        def beside(args: Sequence[Any]) -> Sequence[Any]:
            """What the function reads beside its arguments."""
            found: Sequence[Any] = special.hidden_values(function, tuple(args))
            return found

        if not self._apart(args, beside(args)):
            return NotImplemented
        fast, found = bind(self.f, args, request)
        self.calls = ((fast, beside), *self.calls)[:_MOST_CALLS]
        return found

    def _apart(self, args: Sequence[Any], beside: Sequence[Any]) -> bool:
        """Whether nothing that is updated is read-only, or also in something else."""
        mine = self.outside.arguments
        others = [a for i, a in enumerate(args) if i not in mine]
        return _apart([args[i] for i in mine], [*others, *beside])

    def _written(self, found: Any, args: Sequence[Any]) -> Any:
        """Write what has changed; return what the operator gives."""
        what, value, grads = self.request.what, None, None
        match what:
            case What.VALUE:
                result, (told, places) = found
            case What.GRADIENT:
                grads, aux = found
            case _:
                (value, aux), grads = found
        if what is not What.VALUE:
            result, (told, places) = aux if self.request.has_aux else (None, aux)
        for i, news in zip(self.outside.arguments, told, strict=True):
            _write(args[i], news)
        for path, i in places:
            result = _put(result, path, args[i])
        if what is What.VALUE:
            return result
        if what is What.GRADIENT:
            return (grads, result) if self.request.has_aux else grads
        return ((value, result) if self.request.has_aux else value), grads

    def _in_python(self, args: Sequence[Any]) -> Any:
        """The plain run, where arguments share what is updated, or are read-only."""
        if self.request.what is not What.VALUE:
            raise MutationError(
                "this function updates an argument that is read-only, or shares memory with what "
                "the function has by another name",
                "pass copies: f(a.copy())",
            )
        try:
            return self.f(*args)
        except Exception as error:
            raise on_purpose(error)  # noqa: B904  # it is the user's

    def _replayed(self, args: Sequence[Any], error: Exception) -> Exception:
        """Return the exception of the plain run, which leaves the arguments as Python does: if it
        is the same one for copies of them."""
        try:
            tried = copy.deepcopy(tuple(args))
        except Exception:
            return error
        with _silence():
            first = _raised(self.f, tried)
            if type(first) is not type(error) or repr(first) != repr(error):
                return error
            again = _raised(self.f, args)
        return error if again is None else on_purpose(again)


def _raised(f: Callable[..., Any], args: Sequence[Any]) -> Exception | None:
    try:
        f(*args)
    except Exception as error:
        return error
    return None


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Run something that has been run before: what it prints has been printed."""
    nowhere = io.StringIO()
    with (
        contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere),
        warnings.catch_warnings(),
    ):  # fmt: skip
        warnings.simplefilter("ignore")
        yield


# --- writing --------------------------------------------------------------------------------------


def _write(old: Any, told: Any) -> None:
    """Write what is told of an object (``seen_outside.Updates``) into it."""
    match old:
        case np.ndarray():
            old[...] = told
        case list():
            old[:] = told
        case dict():
            parts, keys = told
            new = {k: _part(old.get(k), parts[k]) if k in parts else old[k] for k in keys}
            old.clear()
            old.update(new)
        case _:
            for name, part in told.items():
                before = getattr(old, name, None)
                after = _part(before, part)
                if after is not before or after is None:
                    setattr(old, name, after)


def _put(result: Any, path: Sequence[int], x: Any) -> Any:
    """Return a result with an argument at a place."""
    if not path:
        return x
    at, *rest = path
    items = [_put(v, rest, x) if k == at else v for k, v in enumerate(result)]
    return type(result)(items)


def _part(old: Any, told: tuple[int, Any]) -> Any:
    """What is in a part of an object now: the same if it is equal, or was updated itself."""
    how, new = told
    if how == CHANGED:
        _write(old, new)
        return old
    equal = isinstance(old, np.generic) and type(new) is type(old.item()) and new == old
    return old if equal else new


# --- sharing --------------------------------------------------------------------------------------

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type, np.generic)


_MANY = 64


def _parts(x: Any) -> Iterator[Any]:
    match x:
        case list() | tuple() | Mapping():
            items = x.values() if isinstance(x, Mapping) else x
            if len(x) > _MANY and isinstance(next(iter(items)), _PLAIN):
                return  # so many items are of one kind
            yield from items
        case np.ndarray():
            return
        case _:
            yield from getattr(x, "__dict__", {}).values()
            for cls in type(x).__mro__:
                slots = vars(cls).get("__slots__", ())
                for name in (slots,) if isinstance(slots, str) else slots:
                    if hasattr(x, name):
                        yield getattr(x, name)


def _met(x: Any, seen: dict[int, int], arrays: list[np.ndarray[Any, Any]]) -> None:
    """Count how often each object is met, and collect arrays."""
    todo = [x]
    while todo:
        x = todo.pop()
        if isinstance(x, _PLAIN) or callable(x):
            continue
        seen[id(x)] = seen.get(id(x), 0) + 1
        if seen[id(x)] == 1:
            if isinstance(x, np.ndarray):
                arrays.append(x)
            todo += _parts(x)


def _apart(objects: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether nothing in the objects that are updated is read-only, or is or shares memory with
    something else that the function has."""
    seen: dict[int, int] = {}
    mine: list[np.ndarray[Any, Any]] = []
    for x in objects:
        _met(x, seen, mine)
    if any(n > 1 for n in seen.values()) or not all(a.flags.writeable for a in mine):
        return False
    there: dict[int, int] = {}
    theirs: list[np.ndarray[Any, Any]] = []
    for x in others:
        _met(x, there, theirs)
    if seen.keys() & there.keys():
        return False
    pairs = ((a, b) for k, a in enumerate(mine) for b in (*mine[k + 1 :], *theirs))
    return not any(np.may_share_memory(a, b) for a, b in pairs)


__all__ = ["Updating", "learnt", "updating"]
