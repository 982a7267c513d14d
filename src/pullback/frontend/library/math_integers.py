"""Compile the functions of ``math`` on ints and on sequences (``text.integers``). Their ints are
checked to 64 bits like all Python ints."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from pullback.core.types import I64, Int
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.kinds import static_scalar
from pullback.frontend.kinds.values import Scalar, Specialiser, Static, TupleV, Value, register
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import integers as programs


def _register(
    function: Callable[..., object], program: Callable[..., object], sizes: tuple[int, ...]
) -> None:
    name = f"math.{function.__name__}"

    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        if kwargs or len(args) not in sizes:
            sp.refuse(
                node,
                f"{name} takes {' or '.join(map(str, sizes))} arguments, not {len(args)}",
                error=ArgumentTypeError,
            )
        if all(isinstance(v, Static) for v in args):
            try:
                found = function(*(v.value for v in args if isinstance(v, Static)))
            except (TypeError, ValueError):
                pass  # it raises at run time
            else:
                if static_scalar(found) is not None:
                    return Static(found)
        ints = []
        for v in args:
            number = sp.scalar(v, node)
            ints.append(Scalar(sp.convert(v, I64, node), True, number.bits))
            if not isinstance(number.type, Int):
                sp.refuse(
                    node,
                    f"{name} needs ints, not {sp.describe(v)}",
                    "convert with int(...)",
                    error=ArgumentTypeError,
                )
        return run_program(sp, program, ints, node)


_register(math.factorial, programs.factorial, (1,))
_register(math.comb, programs.comb, (2,))
_register(math.perm, programs.perm, (2,))
_register(math.gcd, programs.gcd, (2,))
_register(math.lcm, programs.lcm, (2,))
_register(math.isqrt, programs.isqrt, (1,))


def _register_pair(function: object, program: Callable[..., object]) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        if kwargs or len(args) != 2:
            sp.refuse(node, "two sequences are needed", error=ArgumentTypeError)
        points = [sp.to_list(v, node) if isinstance(v, TupleV) else v for v in args]
        return run_program(sp, program, points, node)


_register_pair(math.dist, programs.dist)
if hasattr(math, "sumprod"):  # from Python 3.12
    _register_pair(math.sumprod, programs.sumprod)
