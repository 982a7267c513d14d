"""Compile NumPy's questions about types: what is asked is known at compile time."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.frontend.kinds.dtypes import DTYPES, element
from pullback.frontend.kinds.values import (
    ArrayV,
    HashV,
    ListV,
    RangeV,
    Scalar,
    Specialiser,
    Static,
    SymbolV,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import MISSING, Args, Kwargs, bind


@register(np.isscalar)
def isscalar(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.isscalar(x): numbers and strings, but no arrays without axes."""
    (x,) = bind(sp, "np.isscalar", args, kwargs, node, element=MISSING)
    if isinstance(x, Static):
        return Static(np.isscalar(x.value))
    number = isinstance(x, Scalar) and not x.rank0
    return Static(number or (isinstance(x, SymbolV) and x.cls is str))


@register(np.iterable)
def iterable(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (y,) = bind(sp, "np.iterable", args, kwargs, node, y=MISSING)
    if isinstance(y, Static):
        return Static(np.iterable(y.value))
    if isinstance(y, Scalar):
        return Static(False)
    if isinstance(y, (ArrayV, HashV, ListV, RangeV, TupleV)):
        return Static(True)
    sp.refuse(node, f"np.iterable of {sp.describe(y)} is not supported")


_QUESTIONS: Sequence[Callable[..., Any]] = (
    np.result_type, np.promote_types, np.can_cast, np.issubdtype, np.isdtype, np.dtype,
)  # fmt: skip


def _register_question(function: Callable[..., Any]) -> None:
    """Register a function of types that NumPy answers at compile time; of a number or an array it
    is given the type."""

    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        given = [_asked(sp, v, node) for v in args]
        named = {k: _asked(sp, v, node) for k, v in kwargs.items()}
        try:
            return Static(function(*given, **named))
        except (TypeError, ValueError) as e:
            wrong = ArgumentTypeError if isinstance(e, TypeError) else ArgumentValueError
            sp.refuse(node, str(e), error=wrong)


def _asked(sp: Specialiser, value: Value, node: ast.AST) -> object:
    """Return a type, or an example of a number or an array of a type."""
    match value:
        case ArrayV():
            return np.empty(1, DTYPES[value.elem])
        case Scalar():
            example = DTYPES[element(sp, value, node)].type(0)
            return example.item() if value.py else example
        case TupleV(items):
            return tuple(_asked(sp, v, node) for v in items)
        case _:
            return sp.static(value, node, "a type")


for _function in _QUESTIONS:
    _register_question(_function)
