"""What an operator makes of a function: an object that compiles when it is first called."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any, TypeVar

from pullback.call import data_types, deferred, recent
from pullback.call.binding import bind
from pullback.call.first_errors import first_error, in_its_context
from pullback.call.leaving import leaving
from pullback.call.methods import CHAD
from pullback.call.misuse import may_broadcast, require_function
from pullback.call.outside import forget, is_known, learnt, on_copies, updating
from pullback.call.pickled import Call, Remade
from pullback.call.request import Request, What
from pullback.errors import ArgumentTypeError, MutationError, PullbackError
from pullback.structures import Numbers, chosen

Argnums = int | str | Sequence[int | str] | Numbers
Made = TypeVar("Made")


PUBLIC: dict[str, Callable[..., Any]] = {}
"""The public functions that make operators, by name."""


def _may_be_deep(value: object) -> bool:
    """Whether a value is an object, or a list of objects."""
    first = value[0] if isinstance(value, list) and value else value
    return hasattr(type(first), "__weakref__") or hasattr(type(first), "__slots__")


def _nothing(*args: object) -> object:
    """Stand in for the fast call before the first call: it fits no arguments."""
    return NotImplemented


MOST_OTHERS = 4
"""An operator goes through so many compiled calls before it asks the driver."""


class Operator(Remade):
    """A function made by an operator. Compiled when it is first called, for the types of the
    arguments; ``_fast`` is the compiled call of the last types seen, ``_others`` of some before."""

    __slots__ = ("__dict__", "__weakref__", "_f", "_fast", "_others", "_request")

    def __init__(self, f: Callable[..., Any], request: Request, said: tuple[object, ...]) -> None:
        if not callable(f):
            require_function(f, str(said[0]), f"pb.{said[0]}(f)(x), not pb.{said[0]}(f(x))")
        if isinstance(f, FunctionType):
            self.__dict__ = _wrapping(f)
        else:
            functools.update_wrapper(self, f)
        self._f = inner_function(f)
        self._fast: Callable[..., Any] = _nothing
        self._others: tuple[Callable[..., Any], ...] = ()
        self._request = request
        self.__pullback_operator__ = (said[0], self._f, *said[1:])

    @property
    def name(self) -> str:
        """The operator's name."""
        return str(self.__pullback_operator__[0])

    @property
    def given(self) -> Callable[..., Any]:
        """The function that the user has given."""
        found: Callable[..., Any] = vars(self).get("__wrapped__", self._f)
        return found

    def _repr_html_(self) -> str:
        """Return what notebooks show: the programs that were compiled."""
        return str(deferred.notebook_tables.table(self.name, inner_function(self.given)))

    def call_that_made_it(self) -> Call:
        name, _, *said = self.__pullback_operator__
        options = dict(zip(("argnums", "has_aux"), said, strict=False))
        if self._request.method != CHAD:
            options["method"] = self._request.method
        return PUBLIC[str(name)], (self.given,), options

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            try:
                result = self._fast(*args)
            except Exception as error:
                if not may_broadcast(error):
                    first = leaving(first_error(error, self._f, args), self._f)
                    with in_its_context(first):
                        raise first  # noqa: B904  # it has its cause
                result = NotImplemented
            if result is not NotImplemented:
                return result
        try:
            return self._slow(args, kwargs)
        except Exception as error:
            raise leaving(error, self._f)  # noqa: B904  # it has its cause

    def _slow(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the operator for other types of arguments than those of the last call, or with
        keyword arguments."""
        if self._fast is _nothing and not kwargs:  # it may have been made for this call only
            result = self._tried(recent.calls(self._f, len(args), self._request), args)
            if result is not NotImplemented:
                return result
        read = data_types.read((*args, *kwargs.values()))
        values, names = bound_arguments(self._f, args, kwargs)
        if read is not None and not names:
            return self._written(values, self(*data_types.read(values) or values))
        if names:
            return self._called_with(len(values) - len(names), names)(*values)
        result = self._tried((self._fast, *self._others), values)
        if result is NotImplemented:
            request = for_count(self._request, len(values))
            known = updating(self._f, request)
            if known is not None:
                try:
                    result = known(*values)
                except MutationError:
                    forget(self._f)
                else:
                    self._keep(known)
                    return result
            if any(map(_may_be_deep, values)) and deferred.graphs.is_deep(values):
                fast, result = self._of_objects(request, values, False)
                if result is not NotImplemented:
                    self._keep(fast)
                    return result
            refusal: PullbackError | None = None
            try:
                fast, result = bind(self._f, values, request)
            except PullbackError as error:
                refusal = error
            except Exception as error:
                first = first_error(error, self._f, values)
                with in_its_context(first):
                    raise first  # noqa: B904  # it has its cause
            if refusal is not None:  # it is the context of nothing
                try:
                    fast, result = self._with_objects(request, refusal, values)
                finally:
                    refusal = None  # whose traceback has this frame
            self._keep(fast)
        return result

    def _written(self, args: tuple[Any, ...], result: Any) -> Any:
        """Return a result whose gradients have the form of arguments of other libraries."""
        what, numbers = self._request.what, self._request.argnums
        if what not in (What.GRADIENT, What.VALUE_AND_GRADIENT):
            return result
        pair = what is What.VALUE_AND_GRADIENT
        first, second = result if pair or self._request.has_aux else (None, result)
        if not pair and self._request.has_aux:
            first, second = second, first
        given = [args[i] if -len(args) <= i < len(args) else None for i in numbers]
        if self._request.alone:
            made = data_types.written(given[0], second)
        else:
            made = tuple(map(data_types.written, given, second))
        if pair:
            return first, made
        return (made, first) if self._request.has_aux else made

    def _with_objects(
        self, request: Request, refusal: PullbackError, values: tuple[Any, ...]
    ) -> tuple[Callable[..., Any], Any]:
        """Return the call of a function that updates what it is given, or gets or gives objects
        that lead to each other, and its result; or raise the refusal."""
        try:
            try:
                if isinstance(refusal, MutationError) and isinstance(self._f, Operator):
                    said = self.name, *self.__pullback_operator__[2:]
                    return _nothing, _on_copies(
                        lambda f: Operator(f, self._request, said)(*values),
                        self._f, values, refusal,
                    )  # fmt: skip
                if isinstance(refusal, MutationError):
                    return learnt(self._f, request, refusal, values)
            except PullbackError as error:
                refusal = error
            if refusal.iterates and request.what is What.VALUE:
                made: tuple[Callable[..., Any], Any]
                made = deferred.given_iterators.iterating(self._f, values)
                return made
            call, found = self._of_objects(request, values, refusal.makes_objects)
            if found is NotImplemented:
                raise refusal
            return call, found
        finally:
            del refusal

    def _of_objects(
        self, request: Request, values: tuple[Any, ...], makes_objects: bool
    ) -> tuple[Callable[..., Any], Any]:
        """Return the call of a function that gets or gives objects which lead to each other, and
        its result; NotImplemented: it is none."""
        call = deferred.graphs.graph_call(self._f, request, values, makes_objects)
        return (_nothing, NotImplemented) if call is None else (call, call(*values))

    def _tried(self, calls: Iterable[Callable[..., Any]], args: tuple[Any, ...]) -> Any:
        """Return the result of the first of some compiled calls that takes the arguments, which is
        the first to be tried from now on; NotImplemented if none does."""
        for fast in calls:
            try:
                result = fast(*args)
            except Exception as error:
                if not may_broadcast(error):
                    first = first_error(error, self._f, args)
                    with in_its_context(first):
                        raise first  # noqa: B904  # it has its cause
                continue
            if result is not NotImplemented:
                self._keep(fast)
                return result
        return NotImplemented

    def _keep(self, fast: Callable[..., Any]) -> None:
        if self._fast is _nothing:
            self._fast = fast
            return
        before = (self._fast, *self._others)
        self._others = tuple(x for x in before if x is not fast)[:MOST_OTHERS]
        self._fast = fast

    def _called_with(self, count: int, names: tuple[str, ...]) -> Callable[..., Any]:
        """Return this operator of the function that takes the arguments of these names, which can
        only be given by name, behind ``count`` others."""
        known: dict[object, Callable[..., Any]] = self.__dict__.setdefault("_by_names", {})
        if (count, names) not in known:
            known[count, names] = self._by_position(names)
        return known[count, names]

    def _by_position(self, names: tuple[str, ...]) -> Callable[..., Any]:
        """Return this operator of the function that takes these arguments by position, as the last
        ones."""
        made = by_position(self._f, names)
        return Operator(made, self._request, (self.name, *self.__pullback_operator__[2:]))

    def __repr__(self) -> str:
        return f"<pb.{self.name} of {self._f!r}>"


def _wrapping(f: FunctionType) -> dict[str, Any]:
    """Return what ``functools.update_wrapper`` gives an object that wraps a function."""
    return {
        "__module__": f.__module__, "__name__": f.__name__, "__qualname__": f.__qualname__,
        "__doc__": f.__doc__, "__annotations__": f.__annotations__, **f.__dict__, "__wrapped__": f,
    }  # fmt: skip


class MethodOperator(Operator):
    """A gradient by a method of the papers: run by the reference evaluator, never compiled."""

    __slots__ = ("_method",)

    def __init__(
        self, f: Callable[..., Any], request: Request, said: tuple[object, ...], method: str
    ) -> None:
        super().__init__(f, request, said)
        self._method = method

    def call_that_made_it(self) -> Call:
        make, args, options = super().call_that_made_it()
        return make, args, {**options, "method": self._method}

    def _made_of(self, f: Callable[..., Any]) -> Callable[..., Any]:
        said = self.name, *self.__pullback_operator__[2:]
        return MethodOperator(f, self._request, said, self._method)

    def _slow(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        values, names = bound_arguments(self._f, args, kwargs)
        if names:
            return self._called_with(len(values) - len(names), names)(*values)
        return with_updates(lambda f: self._derived(f, values), self._f, values)

    def _derived(self, f: Callable[..., Any], values: tuple[Any, ...]) -> Any:
        request = for_count(self._request, len(values))
        found = by_method(f, values, request, self._method, deferred.by_method.derive)
        gradient = found.gradients[0] if request.alone else found.gradients
        if request.what is What.VALUE_AND_GRADIENT:
            return found.value, gradient
        if not request.has_aux:
            return gradient
        assert isinstance(found.value, tuple)
        return gradient, found.value[1]


def by_method(
    f: Callable[..., Any], args: Sequence[Any], request: Request, method: str,
    make: Callable[..., Made],
) -> Made:  # fmt: skip
    """Return the result of ``make`` for f and a method of the papers; an error of the program shows
    its values."""
    try:
        return deferred.driver.by_method(f, args, request, method, make)
    except PullbackError:
        raise
    except Exception as error:
        first = first_error(error, f, args, True)
        with in_its_context(first):
            raise first  # noqa: B904  # it has its cause


def for_count(request: Request, count: int) -> Request:
    """Return the request with negative argument numbers counted from the end."""
    if not request.argnums or min(request.argnums) >= 0:
        return request
    argnums = tuple(i + count if i < 0 else i for i in request.argnums)
    if min(argnums) < 0:
        raise ArgumentTypeError(
            f"argnums={request.argnums} with {count} arguments given: a differentiated argument "
            "must be given",
            "count from 0: argnums=0 is the first argument",
        )
    return replace(request, argnums=argnums)


def positional(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """Return all arguments by position, as Python binds them. Raise a TypeError as Python does if
    they do not fit, or if one can only be given by its name."""
    values, names = bound_arguments(f, args, kwargs)
    if names:
        raise ArgumentTypeError(
            f"the keyword-only arguments {', '.join(names)} are not supported in this call",
            "make them ordinary parameters, or fix them with a lambda",
        )
    return values


def bound_arguments(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """Return all arguments as Python binds them, and the names of the last ones, which can be given
    by name only. Raise a TypeError as Python does if they do not fit."""
    signature = _signature(f)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as e:
        name = getattr(f, "__qualname__", None) or repr(f)
        raise ArgumentTypeError(f"{name}{signature}: {e}") from None
    named = bool(bound.kwargs)
    if kwargs:
        bound.apply_defaults()
    if not named or not any(map(_by_name_only, signature.parameters.values())):
        return bound.args, ()
    return (*bound.args, *bound.kwargs.values()), tuple(bound.kwargs)


def by_position(f: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    """Return ``f`` as a function whose last arguments are those of these names."""

    def call(*args: Any) -> Any:
        count = len(args) - len(names)
        return f(*args[:count], **dict(zip(names, args[count:], strict=True)))

    functools.update_wrapper(call, f, ("__name__", "__qualname__"), ())
    held = vars(call)
    del held["__wrapped__"]
    parameters = _signature(f).parameters.values()
    if not any(p.kind in _ANY_NUMBER for p in parameters):
        some = [p.replace(kind=p.POSITIONAL_OR_KEYWORD, default=p.empty) for p in parameters]
        held["__signature__"] = inspect.Signature(some)
    return call


_ANY_NUMBER = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _by_name_only(parameter: inspect.Parameter) -> bool:
    return parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD)


def _signature(f: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(f)
    except ValueError:  # a builtin that does not tell
        return inspect.signature(lambda *args: None)


def with_updates(
    operate: Callable[[Callable[..., Any]], Made], f: Callable[..., Any], args: Sequence[Any],
    writes: bool = True,
) -> Made:  # fmt: skip
    """Return what an operator gives of ``f``. If that updates its arguments, the derivatives are
    those by the values that they have now; afterwards they are what a run of ``f`` leaves, if the
    operator ``writes``."""
    inner = inner_function(f)
    if not isinstance(inner, Operator) and is_known(inner):
        return _on_copies(operate, f, args, None, writes)
    try:
        return operate(f)
    except MutationError as error:
        refusal = error
    try:
        return _on_copies(operate, f, args, refusal, writes)
    finally:
        del refusal


def _on_copies(
    operate: Callable[[Callable[..., Any]], Made], f: Callable[..., Any], args: Sequence[Any],
    refusal: MutationError | None, writes: bool = True,
) -> Made:  # fmt: skip
    """Return the same of a function, or an operator of one, that has been refused since it updates
    what others see, or is known to."""
    if not isinstance(f, Operator):
        return on_copies(f, args, refusal, operate, writes)
    make, (given, *said), options = f.call_that_made_it()

    def of(pure: Callable[..., Any]) -> Made:
        return operate(make(pure, *said, **options))

    return on_copies(given, args, refusal, of, writes)


def check_pure(f: Callable[..., Any], args: Sequence[Any]) -> None:
    """Raise the refusal of a function that updates its arguments, for an operator that would run it
    several times."""
    try:
        deferred.driver.found(inner_function(f), args, Request(What.VALUE))
    except MutationError:
        raise
    except PullbackError:
        pass  # the operator says it better


def argument_numbers(f: Callable[..., Any], argnums: Argnums) -> tuple[tuple[int, ...], bool]:
    """Return the argument numbers, and whether they were given as one number."""
    numbers = chosen(f, argnums)
    return numbers.positions, numbers.alone


def inner_function(f: Callable[..., Any]) -> Callable[..., Any]:
    return f._f if isinstance(f, Operator) and f.name == "jit" else f


__all__ = [
    "PUBLIC", "Argnums", "MethodOperator", "Operator", "argument_numbers", "by_method",
    "by_position", "check_pure", "for_count", "inner_function", "positional", "with_updates",
]  # fmt: skip
