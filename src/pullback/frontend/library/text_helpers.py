"""What library texts call besides NumPy and Python: ``unsupported``, ``known`` and ``each``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from pullback.frontend.kinds.values import ListV, Specialiser, Static, TupleV, Value, register
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.numpy.arrays import elementwise
from pullback.frontend.library.numpy.elementwise import strong


def unsupported(reason: str, rewrite: str) -> NoReturn:
    """Refuses a call at compile time, where a text does not mean all that the function can do."""
    raise NotImplementedError(f"{reason}: {rewrite}")


@register(unsupported)
def _unsupported(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    reason, rewrite = (str(sp.static(v, node, "a message")) for v in args)
    sp.refuse(node, f"{reason} is not supported", rewrite)


def known(number: int) -> int:
    """The number, of which a text needs the value at compile time."""
    return number


@register(known)
def _known(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (number,) = args
    return Static(sp.static_int(number, node, "the number"))


def each(f: Callable[[Any], Any], x: Any) -> Any:
    """``f`` of a number, or of every item of an array of any rank, in its shape."""
    items = np.asarray(x)
    return np.array([f(v) for v in items.ravel()]).reshape(items.shape) if items.ndim else f(x)


@register(each)
def _each(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    f, x = args
    array = sp.call(Static(np.asarray), (x,), node) if isinstance(x, ListV | TupleV) else x

    def one(items: Sequence[Value]) -> Value:
        return sp.call(f, [strong(sp, v, node) for v in items], node)

    return elementwise(sp, (array,), one, node)
