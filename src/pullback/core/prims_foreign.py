"""The row for calls of Python functions: what cannot be compiled.

    callback(reals, words, n; number, name)    the n reals of the result (``called_python``)

A call has an effect, an error that it may raise: so it happens once, where it stands, and in
order. It has no derivative; a rule of the user's own gives it one."""

from __future__ import annotations

from pullback.core.called_python import called
from pullback.core.rows import NOT_DIFFERENTIABLE, ZERO, Row, Static, Table
from pullback.core.types import F64, I64, Array, Type

FOREIGN = Table()


def _callback_rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    match types, static:
        case [(first, second, third), (int(), str())] if (
            first == Array(F64, 1) and second == Array(I64, 1) and third == I64
        ):
            return (first,)
        case _:
            raise TypeError(f"takes two vectors and the size of the result, not {types}")


FOREIGN.add(Row(
    "callback", 3, _callback_rule, called, (NOT_DIFFERENTIABLE, ZERO, ZERO),
    {"array": "lower"}, effect=True, cost="size",
))  # fmt: skip

__all__ = ["FOREIGN"]
