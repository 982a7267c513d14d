"""Compile ``math.modf``, ``math.frexp`` and ``math.remainder`` (``text.floats``)."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.values import Specialiser, Value, register
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.math_functions import python, to_float
from pullback.frontend.library.text import floats as programs


def _register(function: Callable[..., object], program: object, count: int) -> None:
    name = f"math.{function.__name__}"

    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        if kwargs or len(args) != count:
            sp.refuse(
                node, f"{name} takes {count} numbers, not {len(args)}", error=ArgumentTypeError
            )
        numbers = [python(to_float(sp, v, node)) for v in args]
        return run_program(sp, program, numbers, node)


_register(math.modf, programs.modf, 1)
_register(math.frexp, programs.frexp, 1)
_register(math.remainder, programs.remainder, 2)
