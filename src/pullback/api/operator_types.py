"""The types of gradients, for type checkers.

``pb.grad(f)`` has the parameters of ``f`` and returns what one parameter of ``f`` is. The type
system can take the first parameter out of a list of parameters, but the parameter has lost its name
then. So the function is looked at twice: an overloaded call with two forms, and both forms are
compared with the same function. One form has the whole list, with all names; the other one has the
type of the parameter in question.
"""

from typing import Any, ParamSpec, Protocol, TypeVar, overload

First = TypeVar("First", contravariant=True)
Second = TypeVar("Second", contravariant=True)
Result = TypeVar("Result", covariant=True)
Rest = ParamSpec("Rest")
All = ParamSpec("All")


class OfFirst(Protocol[All, First, Rest, Result]):
    """A function of the parameters ``All``, of which the first one is a ``First``."""

    @overload
    def __call__(self, x: First, /, *args: Rest.args, **kwargs: Rest.kwargs) -> Result: ...
    @overload
    def __call__(self, *args: All.args, **kwargs: All.kwargs) -> Result: ...


class OfSecond(Protocol[All, Second, Rest, Result]):
    """A function of the parameters ``All``, of which the second one is a ``Second``."""

    @overload
    def __call__(self, a: Any, x: Second, /, *args: Rest.args, **kwargs: Rest.kwargs) -> Result: ...
    @overload
    def __call__(self, *args: All.args, **kwargs: All.kwargs) -> Result: ...


__all__ = ["OfFirst", "OfSecond"]
