"""The types of gradients, for type checkers.

``pb.grad(f)`` has the parameters of ``f`` and returns what its first parameter is. The type system
cannot take the first parameter out of a list of parameters and keep its name: so it is given by
position, or the whole call is by names, and then of type ``Any``.
"""

from typing import Any, ParamSpec, Protocol, TypeVar, overload

First = TypeVar("First", contravariant=True)
Rest = ParamSpec("Rest")
Result = TypeVar("Result", covariant=True)


class ByFirst(Protocol[First, Rest, Result]):
    """A function of a first argument and others."""

    @overload
    def __call__(self, x: First, /, *args: Rest.args, **kwargs: Rest.kwargs) -> Result: ...
    @overload
    def __call__(self, **kwargs: Any) -> Any: ...


__all__ = ["ByFirst"]
