"""The operators of the interface, as it tells the front end about them."""

from __future__ import annotations

from collections.abc import Hashable
from types import FunctionType

from pullback.frontend.kinds.values import WRITTEN

OPERATORS: dict[Hashable, str] = {}
"""The callables that make operators, and their names; ``derivative_calls`` compiles their calls."""


def register_operators(**makers: Hashable) -> None:
    """Tell the front end which callables ``grad``, ``value_and_grad``, ``vjp`` and ``jvp`` are.

    ``register_operators(grad=pb.grad, vjp=pb.vjp, ...)``; other names are refused in compiled code
    with a message of their own."""
    OPERATORS.update((maker, name) for name, maker in makers.items())


def register_text(operator: object, text: object) -> None:
    """Tell the front end that an operator is derived: a text in Python over the others, compiled
    like a user's function."""
    assert isinstance(text, FunctionType)
    WRITTEN[operator] = text


__all__ = ["OPERATORS", "register_operators", "register_text"]
