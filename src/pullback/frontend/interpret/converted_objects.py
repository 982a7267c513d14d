"""Calls of library functions that depend on what their arguments are: small ints, complex numbers,
and objects. Conversions ask methods of objects (``float(x)`` asks ``__float__``), and functions of
numbers take what an object of ``class Metres(float)`` holds.
"""

from __future__ import annotations

import ast
import functools
import math
import operator
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pullback.frontend.interpret import classes_apart, optional_arguments, small_ints
from pullback.frontend.interpret.classes_apart import differ, has_special
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.complex_pairs import is_complex
from pullback.frontend.kinds.values import RecordV, RefV, Static, Value
from pullback.frontend.library import complex_calls
from pullback.frontend.memory.container_objects import contents
from pullback.frontend.python.container_bases import holds_value

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_METHODS: dict[Hashable, tuple[str, ...]] = {
    float: ("__float__", "__index__"), int: ("__int__", "__index__", "__trunc__"),
    abs: ("__abs__",), round: ("__round__",), math.floor: ("__floor__", "__float__"),
    math.ceil: ("__ceil__", "__float__"), math.trunc: ("__trunc__",),
    operator.index: ("__index__",), divmod: ("__divmod__",),
}  # fmt: skip
"""The functions that ask a method of what they are given: the first that its class has."""

_AGAIN = frozenset({float, int, math.floor, math.ceil})
"""Those that convert what the method gives."""

_OF_TEXTS: dict[Hashable, str] = {
    **{getattr(np, name): name for name in (
        "sum", "mean", "std", "var", "prod", "max", "min", "any", "all", "ptp", "ravel", "reshape",
        "transpose",
    )},
    np.abs: "__abs__", np.negative: "__neg__", np.sqrt: "_sqrt", np.log: "_log",
    **dict.fromkeys((
        np.exp, np.sin, np.cos, np.tan, np.tanh, np.sinh, np.cosh, np.arctan, np.square, np.floor,
        np.ceil, np.expm1,
    ), "_mapped"),
}  # fmt: skip
"""Functions of NumPy that ask a method of an object of a class that the library has as text."""

_OF_NUMBERS = frozenset({
    float, int, complex, abs, round, pow, divmod, range, chr, ord, bin, hex, oct, operator.index,
})  # fmt: skip
_MODULES = ("math", "cmath", "numpy", "scipy", "statistics", "random")


def called(
    run: Run, obj: Hashable, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    """Return the result of a library function of such arguments; None if there is none of them."""
    made = _of_objects(run, obj, args, kwargs, node)
    made = made or small_ints.called(run, obj, args, kwargs, node)
    if made is None and any(map(is_complex, args)) and optional_arguments.are_apart(obj, args):
        whole = functools.partial(run.call, Static(obj), node=node, kwargs=kwargs)
        return optional_arguments.apart(run, obj, args, whole, node)
    return made or complex_calls.called(run, obj, args, kwargs, node)


def _of_objects(
    run: Run, obj: Hashable, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    first = args[0] if args else None
    if obj in _METHODS and first is not None and differ(first, run, *_METHODS[obj]):
        return run.case_value(
            first, lambda v: run.call(Static(obj), (v, *args[1:]), node, kwargs), node
        )
    if isinstance(first, (RecordV, RefV)) and obj in _METHODS:
        name = next((n for n in _METHODS[obj] if has_special(first, n)), None)
        if name is not None:
            made = run.call(run.attribute(first, name, node), args[1:], node, kwargs)
            again = obj in _AGAIN and name not in ("__floor__", "__ceil__")
            return run.call(Static(obj), (made,), node) if again else made
    told = optionals.told_of_nothing(obj)
    if obj in _METHODS and first is not None and told is not None and not _holds(first):
        classes_apart.require(run, first, _METHODS[obj], told("{}"), node)
    text = _OF_TEXTS.get(obj)
    if text is not None and isinstance(first, (RecordV, RefV)) and _is_text(first.cls, text):
        more = (Static(obj),) if text == "_mapped" else ()
        return run.call(run.attribute(first, text, node), (*more, *args[1:]), node, kwargs)
    if not any(map(_holds, (*args, *kwargs.values()))) or not _takes_numbers(obj):
        return None
    plain = [contents(run, v, node) if _holds(v) else v for v in args]
    named = {n: contents(run, v, node) if _holds(v) else v for n, v in kwargs.items()}
    return run.call(Static(obj), plain, node, named)


def _is_text(cls: type, name: str) -> bool:
    """Whether a class is one of the library that has a method."""
    return cls.__module__.startswith("pullback.frontend.library.text.") and hasattr(cls, name)


def _holds(value: Value) -> bool:
    return isinstance(value, (RecordV, RefV)) and holds_value(value.cls)


def _takes_numbers(obj: Hashable) -> bool:
    module = str(getattr(obj, "__module__", "")).partition(".")[0]
    return obj in _OF_NUMBERS or isinstance(obj, np.ufunc) or module in _MODULES


__all__ = ["called"]
