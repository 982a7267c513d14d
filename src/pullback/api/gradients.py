"""``pb.grad`` and ``pb.value_and_grad``."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Literal, ParamSpec, TypeVar, overload

import numpy as np

from pullback.api.holomorphic import real_part
from pullback.api.operator_objects import (
    PUBLIC,
    Argnums,
    MethodOperator,
    Operator,
    argument_numbers,
)
from pullback.api.operator_types import OfFirst, OfSecond
from pullback.call.binding import register_operators
from pullback.call.deferred import require_method
from pullback.call.methods import CHAD, NATIVE
from pullback.call.request import Request, What
from pullback.structures import chosen

P = ParamSpec("P")
Rest = ParamSpec("Rest")
X = TypeVar("X", bound=Any)
Number = TypeVar("Number", bound=float | np.floating[Any] | np.ndarray[Any, Any])
Aux = TypeVar("Aux")


@overload
def grad(
    f: OfFirst[P, X, Rest, Number], argnums: Literal[0] = 0,
    has_aux: Literal[False] = False, method: str = "chad",
) -> OfFirst[P, X, Rest, X]: ...
@overload
def grad(
    f: OfSecond[P, X, Rest, Number], argnums: Literal[1], has_aux: Literal[False] = False,
    method: str = "chad",
) -> Callable[P, X]: ...
@overload
def grad(
    f: Callable[P, Number], argnums: int | str = 0, has_aux: Literal[False] = False,
    method: str = "chad",
) -> Callable[P, Any]: ...
@overload
def grad(
    f: Callable[P, Number], argnums: Sequence[int | str], has_aux: Literal[False] = False,
    method: str = "chad",
) -> Callable[P, tuple[Any, ...]]: ...
@overload
def grad(
    f: OfFirst[P, X, Rest, tuple[Number, Aux]], argnums: Literal[0] = 0, *,
    has_aux: Literal[True], method: str = "chad",
) -> OfFirst[P, X, Rest, tuple[X, Aux]]: ...
@overload
def grad(
    f: Callable[P, tuple[Number, Aux]], argnums: Argnums = 0, *, has_aux: Literal[True],
    method: str = "chad",
) -> Callable[P, tuple[Any, Aux]]: ...
@overload
def grad(
    f: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, method: str = "chad",
    holomorphic: bool = False,
) -> Callable[P, Any]: ...
def grad(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, method: str = "chad",
    holomorphic: bool = False,
) -> Callable[..., Any]:
    """Return the gradient of ``f``, a function that returns one real number.

    Args:
        f: a function that returns a float, or an array without axes; with ``has_aux`` a pair of
            such a number and anything else.
        argnums: the arguments to differentiate by: a position, counted from 0, or a name, or a
            tuple of positions and names.
        has_aux: whether ``f`` returns ``(value, aux)``.
        method: ``"chad"``, the default, or ``"dual"`` (dual-numbers reverse mode); both are
            compiled. The stages of the papers (``"chad.monadic"``, ``"dual.tape"``, ...) are run
            step by step by the reference evaluator; ``pb.grad(f, method="?")`` raises an error that
            lists them.
        holomorphic: whether ``f`` is a holomorphic function: it takes and returns complex numbers,
            and its complex derivative is returned.

    Returns:
        A function of the same arguments. It returns the gradient, which has the form of the
        argument: a float for a float, for an array an array of its shape and dtype, for a list,
        dict or object one of the same kind, and for a complex number x + iy the complex number
        du/dx - i du/dy (as in JAX: a step against its conjugate goes down). An int, a bool or a
        text has ``None`` in its place. Where ``argnums`` is a tuple, a tuple of gradients is
        returned; with ``has_aux``, ``(gradient, aux)``.

    Raises:
        TypeError: ``f`` does not return one real number, or the argument has no real number in it.
        ValueError: no argument has that name, or there is no such method.
        PullbackError: ``f`` is outside the language (or, for a stage of a paper, outside the
            language of the paper).

    Source:
        Smeding and Vákár, *Efficient CHAD*, figures 6 and 8. ``"dual"``: Smeding and Vákár,
        *Efficient Dual-Numbers Reverse AD via Well-Known Program Transformations*, figures 11 and
        12 and section 8.3.

    Example:
        >>> import pullback as pb
        >>> def square(x):
        ...     return x * x
        >>> pb.grad(square)(3.0)
        6.0
    """
    if holomorphic:
        return _gradient(
            real_part(f, has_aux), What.GRADIENT, chosen(f, argnums), has_aux, method
        )
    return _gradient(f, What.GRADIENT, argnums, has_aux, method)


@overload
def value_and_grad(
    f: OfFirst[P, X, Rest, Number], argnums: Literal[0] = 0,
    has_aux: Literal[False] = False, method: str = "chad",
) -> OfFirst[P, X, Rest, tuple[Number, X]]: ...
@overload
def value_and_grad(
    f: OfSecond[P, X, Rest, Number], argnums: Literal[1], has_aux: Literal[False] = False,
    method: str = "chad",
) -> Callable[P, tuple[Number, X]]: ...
@overload
def value_and_grad(
    f: Callable[P, Number], argnums: int | str = 0, has_aux: Literal[False] = False,
    method: str = "chad",
) -> Callable[P, tuple[Number, Any]]: ...
@overload
def value_and_grad(
    f: Callable[P, Number], argnums: Sequence[int | str], has_aux: Literal[False] = False,
    method: str = "chad",
) -> Callable[P, tuple[Number, tuple[Any, ...]]]: ...
@overload
def value_and_grad(
    f: OfFirst[P, X, Rest, tuple[Number, Aux]], argnums: Literal[0] = 0, *,
    has_aux: Literal[True], method: str = "chad",
) -> OfFirst[P, X, Rest, tuple[tuple[Number, Aux], X]]: ...
@overload
def value_and_grad(
    f: Callable[P, tuple[Number, Aux]], argnums: Argnums = 0, *, has_aux: Literal[True],
    method: str = "chad",
) -> Callable[P, tuple[tuple[Number, Aux], Any]]: ...
@overload
def value_and_grad(
    f: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, method: str = "chad"
) -> Callable[P, Any]: ...
def value_and_grad(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, method: str = "chad"
) -> Callable[..., Any]:
    """Return a function that returns the value of ``f`` and its gradient, ``(value, gradient)``.

    That is what ``scipy.optimize.minimize(..., jac=True)`` wants. ``f`` runs once for both.

    Args:
        f: a function that returns one real number; with ``has_aux`` a pair of it and anything else.
        argnums: the arguments to differentiate by: a position, counted from 0, or a name, or a
            tuple of positions and names.
        has_aux: whether ``f`` returns ``(value, aux)``.
        method: as for ``grad``.

    Returns:
        A function of the same arguments that returns ``(value, gradient)``; with ``has_aux``,
        ``((value, aux), gradient)``. The gradient has the form of the argument, as for ``grad``.

    Raises:
        TypeError: ``f`` does not return one real number, or the argument has no real number in it.
        ValueError: no argument has that name, or there is no such method.
        PullbackError: ``f`` is outside the language.

    Source:
        Smeding and Vákár, *Efficient CHAD*, figures 6 and 8.

    Example:
        >>> import pullback as pb
        >>> def square(x):
        ...     return x * x
        >>> pb.value_and_grad(square)(3.0)
        (9.0, 6.0)
    """
    return _gradient(f, What.VALUE_AND_GRADIENT, argnums, has_aux, method)


def _gradient(
    f: Callable[..., Any], what: What, argnums: Argnums, has_aux: bool, method: str
) -> Operator:
    """Return the operator ``grad`` or ``value_and_grad`` by a method."""
    made = _asked(what, argnums, has_aux, method) if type(argnums) is int else None
    if made is None:
        made = _request(what, *argument_numbers(f, argnums), argnums, has_aux, method)
    request, said = made
    if method in NATIVE:
        return Operator(f, request, said)
    return MethodOperator(f, request, said, method)


Asked = tuple[Request, tuple[object, ...]]
"""A request, and how the user has written it."""


def _request(
    what: What, wanted: tuple[int, ...], alone: bool, argnums: Argnums, has_aux: bool, method: str
) -> Asked:
    require_method(method)
    native = method if method in NATIVE else CHAD
    said = ("grad" if what is What.GRADIENT else "value_and_grad", argnums, has_aux)
    return Request(what, wanted, alone, has_aux, native), said


@cache
def _asked(what: What, argnum: int, has_aux: bool, method: str) -> Asked:
    """Return the same for one number: the objects are made once."""
    return _request(what, (argnum,), True, argnum, has_aux, method)


register_operators(grad=grad, value_and_grad=value_and_grad)
PUBLIC["grad"] = grad
PUBLIC["value_and_grad"] = value_and_grad


__all__ = ["grad", "value_and_grad"]
