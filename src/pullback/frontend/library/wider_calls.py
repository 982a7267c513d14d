"""Calls of library functions that go to a text in Python although the function has a handler: the
handler takes the usual arguments, the text the others.

    np.sum(x, axis)          the handler
    np.sum(x, where=c)       the text, which calls np.sum(np.where(c, x, 0))

A text stands in ``WIDER`` with the condition under which it is called. The usual one is that an
argument is given which is keyword-only in the text. Texts call the function itself, in a way that
its handler takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import BuiltinMethodType, FunctionType, ModuleType

import numpy as np

from pullback.core.types import F32
from pullback.frontend.kinds.values import ArrayV, ListV, Static, TupleV, Value
from pullback.frontend.library.arguments import Kwargs, is_none
from pullback.frontend.library.text import (
    matrix_stacks,
    ufunc_methods,
    wider_arrays,
    wider_reductions,
)

Condition = Callable[[FunctionType, Sequence[Value], Kwargs], bool]


def _named(text: FunctionType, args: Sequence[Value], kwargs: Kwargs) -> bool:
    """Whether an argument is given that is keyword-only in the text."""
    names = text.__kwdefaults__ or {}
    return any(k in names and not is_none(v) for k, v in kwargs.items())


def _stack(text: FunctionType, args: Sequence[Value], kwargs: Kwargs) -> bool:
    """Whether an argument is an array of more axes than a matrix has."""
    return any(isinstance(v, ArrayV) and v.rank > 2 for v in args) or _named(text, args, kwargs)


def _several(text: FunctionType, args: Sequence[Value], kwargs: Kwargs) -> bool:
    """Whether one of the first two arguments is an array or a list, or one is keyword-only."""
    given = any(isinstance(v, (ArrayV, ListV, TupleV)) for v in args[:2])
    return given or _named(text, args, kwargs)


def _axes(text: FunctionType, args: Sequence[Value], kwargs: Kwargs) -> bool:
    """Whether the axis is a tuple, or an argument is keyword-only."""
    place = text.__code__.co_varnames.index("axis")
    axis = kwargs.get("axis", args[place] if len(args) > place else None)
    return isinstance(axis, TupleV) or _named(text, args, kwargs)


def _more(count: int) -> Condition:
    """Whether more arguments are given than the first ones, which the handler takes."""

    def condition(text: FunctionType, args: Sequence[Value], kwargs: Kwargs) -> bool:
        code = text.__code__
        names = code.co_varnames[count : code.co_argcount + code.co_kwonlyargcount]
        return len(args) > count or any(k in names and not is_none(v) for k, v in kwargs.items())

    return condition


def _given(*names: str) -> Condition:
    """Whether one of these arguments is given by its name, or one is keyword-only."""

    def condition(text: FunctionType, args: Sequence[Value], kwargs: Kwargs) -> bool:
        given = any(n in kwargs and not is_none(kwargs[n]) for n in names)
        return given or _named(text, args, kwargs)

    return condition


def _counts(text: FunctionType, args: Sequence[Value], kwargs: Kwargs) -> bool:
    """Whether items are repeated in several numbers."""
    counts = kwargs.get("repeats", args[1] if len(args) > 1 else None)
    return isinstance(counts, (ArrayV, ListV, TupleV))


def _one_vector(text: FunctionType, args: Sequence[Value], kwargs: Kwargs) -> bool:
    """Whether the parts to join are the items of a vector."""
    whole = len(args) == 1 and isinstance(args[0], ArrayV) and args[0].rank == 1
    return whole or _named(text, args, kwargs)


def _not_linear(text: FunctionType, args: Sequence[Value], kwargs: Kwargs) -> bool:
    """Whether quantiles follow another rule, have several axes, or are several of a matrix or of
    float32."""
    rule = kwargs.get("method")
    other = isinstance(rule, Static) and rule.value != "linear"
    q = kwargs.get("q", args[1] if len(args) > 1 else None)
    array = args[0] if args and isinstance(args[0], ArrayV) else None
    by_text = array is not None and (array.rank > 1 or array.elem == F32)
    several = isinstance(q, (ArrayV, TupleV, ListV)) and by_text
    return other or several or _axes(text, args, kwargs)


_CONDITIONS: dict[str, Condition] = {
    **dict.fromkeys(("mean", "var", "std"), _given("dtype")),
    "meshgrid": lambda text, args, kwargs: "sparse" in kwargs or "copy" in kwargs,
    "median": _axes, "quantile": _not_linear, "percentile": _not_linear, "linspace": _several,
    **dict.fromkeys(("vstack", "hstack", "column_stack"), _one_vector),
    "diag": _more(1), "size": _more(1), "cross": _more(2), "repeat": _counts,
    "roll": lambda text, args, kwargs: False, "norm": lambda text, args, kwargs: False,
    "diagonal": lambda text, args, kwargs: (
        _stack(text, args, kwargs) or _more(1)(text, args, kwargs)
    ),
}  # fmt: skip
"""The conditions of texts that have another than the usual one of their file."""


def _texts(
    library: ModuleType, file: ModuleType, usual: Condition
) -> dict[object, tuple[FunctionType, Condition]]:
    """Return the functions of a file with their conditions, by the functions of the library."""
    return {
        getattr(library, name): (text, _CONDITIONS.get(name, usual))
        for name, text in vars(file).items()
        if isinstance(text, FunctionType)
        and text.__module__ == file.__name__
        and hasattr(library, name)
    }


WIDER = (
    _texts(np, wider_reductions, _named)
    | _texts(np, wider_arrays, _named)
    | _texts(np.linalg, matrix_stacks, _stack)
)
"""The texts, by the functions, with their conditions."""


def text_for(function: object, args: Sequence[Value], kwargs: Kwargs) -> FunctionType | None:
    """Return the text that is compiled for this call in place of the handler, if there is one."""
    known = WIDER.get(function)
    if known is None:
        return None
    text, condition = known
    return text if condition(text, args, kwargs) else None


_METHODS = {
    name: text
    for name, text in vars(ufunc_methods).items()
    if isinstance(text, FunctionType) and hasattr(np.ufunc, name)
}


def method_of_ufunc(function: object) -> tuple[FunctionType, np.ufunc] | None:
    """Return the text of ``np.add.reduce`` and its like, and the ufunc, its first argument."""
    ufunc = getattr(function, "__self__", None)
    if not isinstance(function, BuiltinMethodType) or not isinstance(ufunc, np.ufunc):
        return None
    text = _METHODS.get(function.__name__)
    return None if text is None else (text, ufunc)
