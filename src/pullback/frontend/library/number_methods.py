"""``x.is_integer()``, ``n.bit_length()`` and ``n.bit_count()`` of Python's numbers."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

from pullback.core.types import Real
from pullback.errors import UnknownAttributeError
from pullback.frontend.kinds.values import Scalar, Specialiser, Static, Value, method
from pullback.frontend.library.arguments import Args, Kwargs, bind
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import bits


def _called(
    text: Callable[..., object], of: tuple[type, ...], sp: Specialiser, value: Value, args: Args,
    kwargs: Kwargs, node: ast.AST,
) -> Value:  # fmt: skip
    """Return the call of a method that numbers of these classes have."""
    name = text.__name__
    bind(sp, name, args, kwargs, node)
    if isinstance(value, Static):
        cls = type(value.value)
    else:
        number = sp.scalar(value, node)
        cls = float if isinstance(number.type, Real) else int
        of = of if number.is_int is None else ()
    if cls not in of:
        reason = f"{sp.describe(value)} has no attribute {name!r} that is supported"
        sp.refuse(node, reason, error=UnknownAttributeError)
    if isinstance(value, Static):
        return Static(getattr(value.value, name)())
    return run_program(sp, text, (Scalar(number.atom, True),), node)


for _text, *_of in ((bits.is_integer, float), (bits.bit_length, int), (bits.bit_count, int)):
    method("number", _text.__name__)(partial(_called, _text, tuple(_of)))
