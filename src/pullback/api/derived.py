"""Derived operators: texts in plain Python over other operators, compiled like a user's function.

The same text serves outside, where ``pb.hessian(f)(x)`` is one compiled call, and inside compiled
and differentiated code.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pullback.api.operator_objects import Operator, inner_function
from pullback.call import driver
from pullback.call.misuse import require_function
from pullback.call.request import Request, What


def derived(text: Callable[..., Any]) -> Callable[..., Any]:
    """Return the public operator that a text means: of a function, it gives a compiled function."""
    name = text.__name__

    @functools.wraps(text)
    def operator(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., Any]:
        require_function(f, name, f"pb.{name}(f)(x), not pb.{name}(f(x))")
        return DerivedOperator(name, f, text(inner_function(f), *args, **kwargs))

    driver.register_text(operator, text)
    return operator


def product(text: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """Return the public operator that a text means which takes the arguments together with the
    function: ``pb.hvp(f, primals, vectors)``. ``name`` is the name of the operator if the text has
    another one."""
    name = name or text.__name__
    run = Text(name, text)

    @functools.wraps(text)
    def operator(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        require_function(f, name, f"pb.{name}(f, ...), not pb.{name}(f(x), ...)")
        return run(inner_function(f), *args, **kwargs)

    operator.__name__ = operator.__qualname__ = name
    driver.register_text(operator, text)
    return operator


class Text(Operator):
    """A text, called from outside."""

    __slots__ = ("_name",)

    def __init__(self, name: str, text: Callable[..., Any]) -> None:
        super().__init__(text, Request(What.VALUE), ("jit",))
        self._name = name

    @property
    def name(self) -> str:
        return self._name


class DerivedOperator(Text):
    """A function made by a derived operator. Inside compiled code it is the function that the text
    has made of f."""

    __slots__ = ("_of",)

    def __init__(self, name: str, f: Callable[..., Any], made: Callable[..., Any]) -> None:
        functools.update_wrapper(made, f, updated=())
        super().__init__(name, made)
        self._of = f

    def __repr__(self) -> str:
        return f"<pb.{self._name} of {self._of!r}>"


__all__ = ["DerivedOperator", "Text", "derived", "product"]
