"""Compile the functions of ``math`` that are texts. Their ints are checked to 64 bits like all
Python ints."""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable
from itertools import cycle

from pullback.core.types import I64, Int
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.values import Scalar, Specialiser, Static, TupleV, Value, register
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.math_functions import folded, python, to_float
from pullback.frontend.library.text import exact_sum, floats, integers

Argument = Callable[[Specialiser, Value, str, ast.AST], Value]
"""How an argument is made what the text takes; the text is the function's name."""


def _float(sp: Specialiser, value: Value, name: str, node: ast.AST) -> Value:
    return python(to_float(sp, value, node))


def _int(sp: Specialiser, value: Value, name: str, node: ast.AST) -> Value:
    number = sp.scalar(value, node)
    if not isinstance(number.type, Int):
        reason = f"{name} needs ints, not {sp.describe(value)}"
        sp.refuse(node, reason, "convert with int(...)", error=ArgumentTypeError)
    return Scalar(sp.convert(value, I64, node), True, number.bits)


def _sequence(sp: Specialiser, value: Value, name: str, node: ast.AST) -> Value:
    return sp.to_list(value, node) if isinstance(value, TupleV) else value


def _list(sp: Specialiser, value: Value, name: str, node: ast.AST) -> Value:
    return sp.call(Static(list), (value,), node)


def _register(text: Callable[..., object], *arguments: Argument) -> None:
    """Register a text whose arguments are made in these ways (one way is for all of them)."""
    function, name = getattr(math, text.__name__), f"math.{text.__name__}"
    count = len(inspect.signature(text).parameters)

    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        if kwargs or len(args) != count:
            reason = f"{name} takes {count} arguments, not {len(args) + len(kwargs)}"
            sp.refuse(node, reason, error=ArgumentTypeError)
        known = folded(function, args)
        made = [make(sp, v, name, node) for make, v in zip(cycle(arguments), args, strict=False)]
        return known or run_program(sp, text, made, node)


for _text, *_arguments in (
    (floats.modf, _float), (floats.frexp, _float), (floats.remainder, _float),
    (floats.ldexp, _float, _int),
    (integers.factorial, _int), (integers.comb, _int), (integers.perm, _int),
    (integers.gcd, _int), (integers.lcm, _int), (integers.isqrt, _int),
    (integers.dist, _sequence), (integers.sumprod, _sequence), (exact_sum.fsum, _list),
):  # fmt: skip
    if hasattr(math, _text.__name__):  # sumprod: from Python 3.12
        _register(_text, *_arguments)
