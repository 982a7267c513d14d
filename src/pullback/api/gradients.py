"""``pb.grad`` and ``pb.value_and_grad``."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from pullback.api.operator_objects import (
    PUBLIC,
    Argnums,
    MethodOperator,
    Operator,
    argument_numbers,
)
from pullback.call.binding import register_operators
from pullback.call.deferred import require_method
from pullback.call.methods import CHAD, NATIVE
from pullback.call.request import Request, What


def grad(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, method: str = "chad"
) -> Callable[..., Any]:
    """Return the gradient of ``f``, a function that returns one real number.

    Returns a function of the same arguments. Its result has the form of argument ``argnums`` (of a
    tuple of arguments where ``argnums`` is a tuple): an array has an array of its dtype, a record
    an instance of its class, and what is discrete ``None``. With ``has_aux`` the function returns
    ``(value, aux)`` and its gradient ``(gradient, aux)``. Raises ``TypeError`` where ``f`` does not
    return a real number or the argument has none.

    Reverse mode: Smeding and Vákár, Efficient CHAD (2022). Any other ``method`` is one of the
    papers' (``pullback.papers``), run step by step by the reference evaluator; a ``ValueError``
    lists them, and a function outside the source language of a paper is refused.

    >>> grad(_square)(3.0)
    6.0
    """
    return _gradient(f, What.GRADIENT, argnums, has_aux, method)


def value_and_grad(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, method: str = "chad"
) -> Callable[..., Any]:
    """Return a function that returns ``(value, gradient)`` of ``f``, as
    ``scipy.optimize.minimize(..., jac=True)`` wants it.

    With ``has_aux`` it returns ``((value, aux), gradient)``. Forms, methods and errors are those of
    ``grad``, and so is the algorithm.

    >>> value_and_grad(_square)(3.0)
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


def _square(x: float) -> float:
    """For the examples above."""
    return x * x


register_operators(grad=grad, value_and_grad=value_and_grad)
PUBLIC |= {"grad": grad, "value_and_grad": value_and_grad}


__all__ = ["grad", "value_and_grad"]
