"""Derived operators: texts in plain Python over other operators, compiled like a user's function.

The same text serves outside, where ``pb.hessian(f)(x)`` is one compiled call, and inside compiled
and differentiated code.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pickle import PicklingError
from typing import Any, TypeVar, cast

from pullback.api.operator_objects import (
    Operator,
    by_position,
    check_pure,
    inner_function,
    positional,
    with_updates,
)
from pullback.call.binding import register_text
from pullback.call.leaving import public
from pullback.call.misuse import require_function
from pullback.call.pickled import Call
from pullback.call.request import Request, What
from pullback.errors import ArgumentTypeError, StructureError

_VALUE = Request(What.VALUE)
BY_PASSES: dict[str, Callable[..., Any]] = {}
"""Texts that can do without being compiled: where data is of a form that only the run knows, they
run as plain Python, and each pass of ``vjp`` or ``jvp`` is compiled. By the operators' names."""


Operation = TypeVar("Operation", bound=Callable[..., Any])


def derived(text: Operation) -> Operation:
    """Return the public operator that a text means: of a function, it gives a compiled function."""
    name = text.__name__

    @functools.wraps(text)
    def operator(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., Any]:
        require_function(f, name, f"pb.{name}(f)(x), not pb.{name}(f(x))")
        made = DerivedOperator(name, f, text(inner_function(f), *args, **kwargs))
        made._again = operator, args, kwargs
        if name in BY_PASSES:
            made._passes = lambda: BY_PASSES[name](inner_function(f), *args, **kwargs)
        return made

    register_text(operator, text)
    return cast("Operation", operator)


def _first(given: Sequence[Any], *others: object) -> Sequence[Any]:
    return given


def product(
    text: Callable[..., Any], name: str = "",
    primals: Callable[..., Sequence[Any]] | None = _first,
) -> Callable[..., Any]:
    """Return the public operator that a text means which takes the arguments together with the
    function: ``pb.hvp(f, primals, vectors)``. ``name`` is the name of the operator if the text has
    another one; ``primals`` gives the arguments of the function among those of the operator, unless
    it may not update them."""
    name = name or text.__name__
    run = Text(name, text)

    @public
    @functools.wraps(text)
    def operator(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        require_function(f, name, f"pb.{name}(f, ...), not pb.{name}(f(x), ...)")
        if kwargs or len(args) < 2:
            _, *given = positional(text, (f, *args), kwargs)
            args, kwargs = tuple(given), {}

        def of(f: Callable[..., Any]) -> Any:
            return run(inner_function(f), *args, **kwargs)

        return of(f) if primals is None else with_updates(of, f, primals(*args))

    operator.__name__ = operator.__qualname__ = name
    register_text(operator, text)
    return operator


class Text(Operator):
    """A text, called from outside."""

    __slots__ = ("_name",)

    def __init__(self, name: str, text: Callable[..., Any]) -> None:
        super().__init__(text, _VALUE, ("jit",))
        self._name = name

    @property
    def name(self) -> str:
        return self._name


class DerivedOperator(Text):
    """A function made by a derived operator. Inside compiled code it is the function that the text
    has made of f."""

    __slots__ = ("_again", "_of", "_passes")

    def __init__(self, name: str, f: Callable[..., Any], made: Callable[..., Any]) -> None:
        functools.update_wrapper(made, f, updated=())
        super().__init__(name, made)
        self._of = f
        self._passes: Callable[[], Callable[..., Any]] | None = None
        self._again: Call | None = None

    def _by_position(self, names: tuple[str, ...]) -> Callable[..., Any]:
        if self._again is None:
            raise ArgumentTypeError(f"arguments by name to what pb.{self._name} returned")
        again, args, kwargs = self._again
        made: Callable[..., Any] = again(by_position(self._of, names), *args, **kwargs)
        return made

    def call_that_made_it(self) -> Call:
        if self._again is None:
            raise PicklingError(f"Can't pickle or copy what pb.{self._name} returned")
        again, args, kwargs = self._again
        return again, (self._of, *args), kwargs

    def _slow(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self._again is None or self._name == "vmap":
            return self._compiled(args, kwargs)
        again, said, options = self._again

        def of(f: Callable[..., Any]) -> Any:
            if f is self._of:
                return self._compiled(args, kwargs)
            return again(f, *said, **options)(*args, **kwargs)

        return with_updates(of, self._of, args)

    def _compiled(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            return super()._slow(args, kwargs)
        except StructureError:
            if self._passes is None:
                raise
        values = positional(self._f, args, kwargs)
        check_pure(self._of, values)
        return self._passes()(*values)

    def __repr__(self) -> str:
        return f"<pb.{self._name} of {self._of!r}>"


__all__ = ["DerivedOperator", "Text", "derived", "product"]
