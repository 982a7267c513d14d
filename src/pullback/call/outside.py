"""Calls of functions that update their arguments, as the caller sees them.

The compiled entry (``frontend.seen_outside``) updates copies, and says what has become of them;
here that is written into the objects that were given, once, after the call. Compiled code takes
arguments for different objects. So where two of them share memory that is updated, or one is
read-only, and where the function raises, its plain Python run decides what the objects are then:
compiled code has changed nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import lru_cache
from types import FunctionType, MethodType
from typing import Any, TypeVar

from pullback.call.apartness import NO_OBJECTS, are_apart, around, mutable
from pullback.call.binding import bind
from pullback.call.deferred import driver
from pullback.call.entries import is_own
from pullback.call.leaving import on_purpose
from pullback.call.plain_runs import run_again
from pullback.call.request import Request, What
from pullback.call.write_back import CODE, UnsaidError, Writing
from pullback.core.held import is_of_program
from pullback.errors import MutationError, PullbackError
from pullback.frontend.functions.ambient import may_be_assigned
from pullback.frontend.functions.scopes import Path
from pullback.frontend.python.paths import Attribute, Namespace, read
from pullback.frontend.seen_outside import (
    IMMUTABLE,
    Captured,
    How,
    Outside,
    UntoldError,
    variable,
    without_updates,
)
from pullback.native.runtime import is_limit
from pullback.settings import config

Found = TypeVar("Found")

_DIRECTLY = What.VALUE, What.GRADIENT, What.VALUE_AND_GRADIENT
"""The operators whose entries may say what has changed."""


_MOST_KNOWN = 256

_known: dict[object, Outside] = {}
"""What functions have been found to update, by their code."""


def _code(f: object) -> object:
    """Return what stands for the code of a function, a method or an object that can be called."""
    bound = _bound(f) if callable(f) else None
    code = getattr(f if bound is None else bound[1], "__code__", f)
    return code if isinstance(code, Hashable) else type(code)


def _file(f: object) -> str:
    return str(getattr(_code(f), "co_filename", ""))


def updating(f: Callable[..., Any], request: Request) -> Updating | None:
    """Return the call for a function whose code is known to update arguments."""
    if not _known or request.what not in _DIRECTLY or _code(f) not in _known:
        return None
    return Updating(f, request)


def forget(f: Callable[..., Any]) -> None:
    """Forget what the code of a function updates: another function of that code does not."""
    _known.pop(_code(f), None)


def learnt(
    f: Callable[..., Any], request: Request, refusal: MutationError, args: Sequence[Any]
) -> tuple[Updating, Any]:
    """Return the call for a function that has been refused since it updates arguments, and its
    result; or raise the refusal."""
    bound = _bound(f)
    made_up = bound is not None or bool(_defaults(f, args))
    known = bool(refusal.arguments or refusal.captured or refusal.attribute or made_up)
    known = known or bool(mutable(args) or around(f))
    if request.what not in _DIRECTLY or not known or is_own(_file(f)):
        try:
            raise refusal
        finally:
            del refusal  # whose traceback has this frame
    made = Updating(f, request)
    if not made_up and not made.knows(refusal):
        made.learn(refusal, args)  # else it is about the function that binds the object
    try:
        return made, made(*args)
    except MutationError as other:
        raise other from None


def is_known(f: Callable[..., Any]) -> bool:
    """Whether the code of a function is known to update what others see."""
    return bool(_known) and _code(f) in _known


def on_copies(
    f: Callable[..., Any], args: Sequence[Any], refusal: MutationError | None,
    operate: Callable[[Callable[..., Any]], Found], writes: bool = True,
) -> Found:  # fmt: skip
    """Return what an operator gives of a function that has been refused since it updates arguments:
    of one that updates copies. Afterwards the arguments are what the function leaves, if it
    ``writes``. A refusal that is about anything else is raised. Without one (the code ``is_known``)
    the operator is asked itself where it does not fit."""
    made, apart = _of_arguments(f, args)
    if refusal is None and not (made and apart):
        try:
            return operate(f)
        except MutationError:
            if made is None:
                raise
    if made is None:
        assert refusal is not None
        try:
            raise refusal
        finally:
            del refusal  # whose traceback has this frame
    if not apart:
        raise MutationError(*_SHARED)
    try:
        around = made.f if made.outside.captured else None
        result = operate(without_updates(made.f, _how(made.outside, around), made.first))
    except PullbackError:
        raise
    except Exception as error:
        if writes:
            run_again(made, args)
        raise error
    if writes:
        run_again(made, args)
    return result


def _of_arguments(
    f: Callable[..., Any], args: Sequence[Any]
) -> tuple[Updating | None, bool]:
    """Return the call of the value of a function that updates these arguments or what is around it
    (None: of another one), and whether that is apart from all else that it has."""
    if (not isinstance(f, (FunctionType, MethodType)) and _bound(f) is None) or is_own(_file(f)):
        return None, False
    made = Updating(f, Request(What.VALUE))
    try:
        apart = made.find((*made.first, *args))
    except PullbackError:
        return None, False
    known = made.outside.arguments or made.outside.captured
    return made if known else None, apart


@lru_cache(_MOST_KNOWN)
def _how(outside: Outside, around: Callable[..., Any] | None) -> type[How]:
    return type("How", (How,), {"outside": replace(outside, silent=True), "function": around})


_SHARED = (
    "this function updates an argument that is read-only, or shares memory with what "
    "the function has by another name",
    "pass copies: f(a.copy())",
)


def _bound(f: Callable[..., Any]) -> tuple[object, FunctionType] | None:
    """Return the object and the function of a method, or of an object that can be called."""
    if isinstance(f, MethodType):
        return (f.__self__, f.__func__) if isinstance(f.__func__, FunctionType) else None
    call = inspect.getattr_static(type(f), "__call__", None)
    return (f, call) if isinstance(call, FunctionType) else None


def _defaults(f: object, args: Sequence[Any]) -> tuple[Any, ...]:
    """Return the defaults of the arguments that are not given, if there is one that may be
    updated."""
    values = f.__defaults__ or () if isinstance(f, FunctionType) else ()
    missing = f.__code__.co_argcount - len(args) if isinstance(f, FunctionType) else 0
    used = values[-missing:] if 0 < missing <= len(values) else ()
    return used if any(not isinstance(x, (*IMMUTABLE, tuple, *CODE)) for x in used) else ()


def _of_module(names: object, name: str) -> Attribute | None:
    attribute = Attribute.of_global(names, name)
    return attribute if attribute is not None and may_be_assigned(attribute) else None


Fast = Callable[..., Any]
Beside = tuple[Sequence[Any], Sequence[Any]]

_MOST_CALLS = 4
"""So many compiled calls are tried, for as many types of arguments."""


class Updating:
    """An operator of a function that updates arguments: called as a compiled entry is. A method or
    an object is called as the function that it is, with the object before the arguments."""

    def __init__(self, f: Callable[..., Any], request: Request) -> None:
        bound = _bound(f)
        self.first: tuple[Any, ...] = () if bound is None else bound[:1]
        self.f, n = f if bound is None else bound[1], len(self.first)
        self.request = replace(request, argnums=tuple(k + n for k in request.argnums))
        derived = request.what is not What.VALUE
        known = _known.get(_code(self.f), Outside(()))
        self.outside = replace(known, aux=derived and request.has_aux, derived=derived)
        self.calls: tuple[tuple[Fast, Callable[[Sequence[Any]], Beside]], ...] = ()
        self.refusal: MutationError | None = None
        """Why all arguments are taken for updated: memory has two names, and nobody knows whose it
        is."""

    def learn(self, error: MutationError, args: Sequence[Any]) -> None:
        """Have the arguments or the variable of this refusal updated, or what is in them, at last
        all arguments; raise it if they are already."""
        known, captured = {*self.outside.arguments}, self.outside.captured
        untold = isinstance(error, UntoldError)
        name = self._variable(error)
        if not known.issuperset(error.arguments):
            both = tuple(sorted(known.union(error.arguments)))
            self.outside = replace(self.outside, arguments=both)
        elif name is not None and name not in captured:
            self.outside = replace(self.outside, captured=(*captured, name))
        elif isinstance(name, str) and (found := self._in_module(name)) is not None:
            others = (c for c in captured if c != name)
            self.outside = replace(self.outside, captured=(*others, found))
        elif (known or captured) and not self.outside.deep and not untold:
            self.outside = replace(self.outside, deep=True)
        elif untold:
            self.outside = replace(self.outside, silent=True)
        elif self.refusal is None and self._is_less(every := (mutable(args), around(self.f))):
            self.refusal = error
            more = tuple(n for n in every[1] if n not in captured)
            self.outside = replace(
                self.outside, arguments=every[0], captured=(*captured, *more), deep=True
            )
        else:
            raise self.refusal or error
        _known[_code(self.f)] = self.outside
        while len(_known) > config.cache_size:
            _known.pop(next(iter(_known)), None)

    def knows(self, error: MutationError) -> bool:
        """Whether another thread has learnt meanwhile what a refusal is about."""
        name, given = self._variable(error), {*error.arguments}
        mine = given.issubset(self.outside.arguments)
        return mine and (bool(given) if name is None else name in self.outside.captured)

    def _is_less(self, every: tuple[Sequence[int], Sequence[str]]) -> bool:
        """Whether something of this is not taken for updated."""
        now = *self.outside.arguments, *self.outside.captured
        return not {*now}.issuperset((*every[0], *every[1]))

    def find(self, args: Sequence[Any]) -> bool:
        """Find what the function updates of these arguments; return whether that is apart from all
        else that it has."""
        while True:
            request = Request(What.VALUE, outside=replace(self.outside, silent=True))
            try:
                beside = self._beside(args, request)
            except MutationError as error:
                self.learn(error, args)
            else:
                return self.apart(args, beside(args))

    def _variable(self, error: MutationError) -> Captured | None:
        """The variable around the function, or the attribute, that the refusal is about."""
        f = self.f
        if isinstance(error.attribute, Attribute):
            return error.attribute
        if error.captured is None or not isinstance(f, FunctionType):
            return None
        name, names = error.captured
        if names is f.__globals__:
            return name if name in f.__code__.co_freevars or name in names else None
        return _of_module(names, name)

    def _in_module(self, name: str) -> Attribute | None:
        """Return a global variable as an attribute of the module: what methods rebind."""
        f = self.f
        own = isinstance(f, FunctionType) and name not in f.__code__.co_freevars
        return _of_module(f.__globals__, name) if isinstance(f, FunctionType) and own else None

    def _objects(self, args: Sequence[Any]) -> list[Any]:
        """What is updated, as it is now."""
        found = [args[i] for i in self.outside.among(len(args))]
        if isinstance(self.f, FunctionType):
            found += (variable(self.f, n)[0] for n in self.outside.captured)
        return found

    def __call__(self, *given: Any) -> Any:
        args = (*self.first, *given)
        args += _defaults(self.f, args)
        try:
            found = self._found(args)
        except MutationError as error:
            stopped: Exception = error
        except PullbackError as error:
            raise self.refusal or error from None
        except Exception as error:
            stopped = error
        else:
            if found is NotImplemented:
                return self._in_python(args)
            return self._written(found, args)
        if isinstance(stopped, MutationError):  # it is the context of nothing
            self.learn(stopped, args)
            return self(*given)
        raise self._replayed(args, stopped)

    def _found(self, args: Sequence[Any]) -> Any:
        """What the entry gives; NotImplemented where it is not to be used."""
        if self.outside.silent and self.request.what is What.VALUE:
            return NotImplemented
        for fast, beside in self.calls:
            if not self.apart(args, beside(args)):
                return NotImplemented
            found = fast(*args)
            if found is not NotImplemented:
                return found
        return self._anew(args)

    def _anew(self, args: Sequence[Any]) -> Any:
        """Compile the entry for other types of arguments, and call it."""
        request = replace(
            self.request, outside=self.outside,
            has_aux=self.request.has_aux or self._tells_aside,
        )  # fmt: skip
        beside = self._beside(args, request)
        if not self.apart(args, beside(args)):
            return NotImplemented
        fast, found = bind(self.f, args, request)
        self.calls = ((fast, beside), *self.calls)[:_MOST_CALLS]
        return found

    def _beside(
        self, args: Sequence[Any], request: Request
    ) -> Callable[[Sequence[Any]], Beside]:
        """Return what tells what the function reads beside its arguments."""
        function, unit = driver.found(self.f, args, request)
        special = unit.special.special
        hidden = [h for h in special.hidden if not self._is_own(h.path)]
        known = [h.path for h in hidden] + [g.path for g in special.guards]
        paths = [p for p in known if not self._is_own(p)]
        through = {p[:k] for p in paths if p[0][0] != "arg" for k in range(1, len(p))}
        here = {p: read(p, function, tuple(args)) for p in through}
        changing = [p for p, held in here.items() if not isinstance(held, NO_OBJECTS)]

        def beside(args: Sequence[Any]) -> Beside:
            """What the function reads beside its arguments, and the objects in which it is."""
            held = [h.read(function, tuple(args)) for h in hidden]
            return held, [read(p, function, tuple(args)) for p in changing]

        return beside

    @property
    def _tells_aside(self) -> bool:
        """Whether the entry tells what has changed beside the value that it differentiates."""
        return self.request.what is not What.VALUE and not self.outside.silent

    def _is_own(self, path: Path) -> bool:
        """Whether a value is read from a variable that is updated."""
        f = self.f
        if any(isinstance(a, Attribute) and a.path == path[: len(a.path)]
               for a in self.outside.captured):
            return True
        if not isinstance(f, FunctionType):
            return False
        match path:
            case (("global", Namespace(names=names), name), *_):
                return name in self.outside.captured and names is f.__globals__
            case (("function",), ("cell", int(k)), *_):
                return f.__code__.co_freevars[k] in self.outside.captured
            case _:
                return False

    def apart(self, args: Sequence[Any], beside: Beside) -> bool:
        """Whether nothing that is updated is read-only, or also in something else."""
        others = [a for i, a in enumerate(args) if i not in self.outside.arguments]
        held, through = beside
        return are_apart(self._objects(args), [*others, *held], through)

    def _written(self, found: Any, args: Sequence[Any]) -> Any:
        """Write what has changed; return what the operator gives. Where it is not known which
        object is now where, the plain run changes the objects."""
        if self.outside.silent:
            run_again(self.f, args)
            return found
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
        objects, n = self._objects(args), len(self.outside.among(len(args)))
        writing = Writing()
        try:
            for x, news in zip(objects[:n], told[:n], strict=True):
                writing.into(x, news)
            for k, _ in enumerate(self.outside.captured, n):
                if told[k] is not None:
                    objects[k] = writing.part(objects[k], told[k])
        except UnsaidError:
            run_again(self.f, args)
            objects = self._objects(args)
        else:
            writing.done()
            for k, name in enumerate(self.outside.captured, n):
                if told[k] is not None:
                    _bind(self.f, name, objects[k])
        for path, k in places:
            result = _put(result, path, objects[k])
        if what is What.VALUE:
            return result
        if what is What.GRADIENT:
            return (grads, result) if self.request.has_aux else grads
        return ((value, result) if self.request.has_aux else value), grads

    def _in_python(self, args: Sequence[Any]) -> Any:
        """The plain run, where arguments share what is updated, or are read-only."""
        if self.request.what is not What.VALUE:
            raise MutationError(*_SHARED)
        try:
            return self.f(*args)
        except Exception as error:
            raise on_purpose(error)  # noqa: B904  # it is the user's

    def _replayed(self, args: Sequence[Any], error: Exception) -> Exception:
        """Return the exception of the plain run, which leaves the arguments as Python does."""
        if is_limit(error) or not is_of_program(error):
            return error  # of compiled code alone
        again = run_again(self.f, args)
        return error if again is None else on_purpose(again)


# --- writing ------------------------------------------------------------------------------------


def _bind(f: Callable[..., Any], name: Captured, x: Any) -> None:
    """Let a variable around a function, or an attribute, hold an object."""
    if isinstance(name, Attribute):
        if name.value is not x:
            setattr(name.holder, name.name, x)
        return
    assert isinstance(f, FunctionType)
    held, cell = variable(f, name)
    if held is x:
        return
    if cell is None:
        f.__globals__[name] = x
    else:
        cell.cell_contents = x


def _put(result: Any, path: Sequence[int], x: Any) -> Any:
    """Return a result with an argument at a place."""
    if not path:
        return x
    at, *rest = path
    items = [_put(v, rest, x) if k == at else v for k, v in enumerate(result)]
    return type(result)(items)


__all__ = ["Updating", "forget", "is_known", "learnt", "on_copies", "updating"]
