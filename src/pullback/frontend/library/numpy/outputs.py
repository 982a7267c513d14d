"""The arguments ``out=``, ``where=`` and ``dtype=`` that every ufunc of NumPy takes, and ``out=``
of other functions: the function is called without them, and its result put into the array."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from types import FunctionType

import numpy as np

from pullback.core.types import BOOL, Real
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.dtypes import DTYPES, parse_dtype
from pullback.frontend.kinds.values import ArrayV, Scalar, Specialiser, Static, TupleV, Value
from pullback.frontend.library.arguments import NONE, Kwargs, is_none
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import into
from pullback.frontend.python.python_values import with_defaults

TRUE = Static(True)


def is_array(value: Value) -> bool:
    """Whether a value is an array, perhaps one without axes."""
    return isinstance(value, ArrayV) or (isinstance(value, Scalar) and value.rank0)


_NAMED = 1 << 30
"""The place of an argument that has none."""


@cache
def _place(function: Hashable) -> int | None:
    """Return the place of the argument ``out`` of a function, ``_NAMED`` if it must be named; None:
    it has none."""
    try:
        parameters = inspect.signature(function).parameters  # type: ignore[arg-type]  # a function
    except (TypeError, ValueError):
        return None
    if "out" not in parameters:
        return None
    named = parameters["out"].kind is inspect.Parameter.KEYWORD_ONLY
    return _NAMED if named else list(parameters).index("out")


def has_output(function: Hashable, args: Sequence[Value], kwargs: Kwargs) -> bool:
    """Whether a call has one of these arguments."""
    if isinstance(function, np.ufunc):
        if len(args) > function.nin:
            return True
        return any(n in kwargs and not is_none(kwargs[n]) for n in ("out", "where", "dtype"))
    if not str(getattr(function, "__module__", "")).startswith("numpy"):
        return False
    place = _place(function)
    if place is None:
        return False
    return not is_none(_without(place, args, kwargs)[0])


def _without(
    place: int, args: Sequence[Value], kwargs: Kwargs
) -> tuple[Value, Sequence[Value], Kwargs]:
    """Return the argument ``out``, which stands at this place or is named, and the others."""
    left = {k: v for k, v in kwargs.items() if k != "out"}
    if "out" in kwargs or len(args) <= place:
        return kwargs.get("out", NONE), args, left
    before, out, behind = args[:place], args[place], args[place + 1 :]
    return out, [*before, NONE, *behind] if behind else before, left


def called(
    sp: Specialiser, function: Hashable, args: Sequence[Value], kwargs: Kwargs, node: ast.AST
) -> Value:
    """Return the result of a call that has one of these arguments."""
    kwargs = {k: v for k, v in kwargs.items() if k not in ("casting", "subok", "order")}
    if isinstance(function, np.ufunc):
        out, args, kwargs = _without(function.nin, args, kwargs)
        return _ufunc(sp, function, args, kwargs, out, node)
    place = _place(function)
    assert place is not None
    out, args, kwargs = _without(place, args, kwargs)
    made = sp.call(Static(function), args, node, kwargs)
    return _put(sp, into.into, made, out, TRUE, node)


def method(
    sp: Specialiser, text: FunctionType, ufunc: np.ufunc, args: Sequence[Value], kwargs: Kwargs,
    node: ast.AST,
) -> Value:  # fmt: skip
    """Return the result of a method of a ufunc, by its text, which has the ufunc before."""
    out: Value = NONE
    if (place := _place(text)) is not None:
        out, args, kwargs = _without(place - 1, args, kwargs)
    made = sp.call(with_defaults(text), (Static(ufunc), *args), node, kwargs)
    return made if is_none(out) else _put(sp, into.into, made, out, TRUE, node)


def _ufunc(
    sp: Specialiser, function: np.ufunc, args: Sequence[Value], kwargs: Kwargs, out: Value,
    node: ast.AST,
) -> Value:  # fmt: skip
    """Return the result of a ufunc: where a condition holds, in a type, in an array."""
    if isinstance(out, TupleV) and len(out.items) == 1:
        (out,) = out.items
    where, dtype = kwargs.pop("where", TRUE), kwargs.pop("dtype", NONE)
    name = function.__name__
    if function.nout != 1 and not is_none(out):
        sp.refuse(node, f"the argument out= of np.{name} is not supported", "use the results")
    if not is_none(dtype):
        args = _in_type(sp, function, args, dtype, node)
    everywhere = isinstance(where, Static) and where.value is True
    if is_none(out):
        if not everywhere:
            reason = f"np.{name} with where= but without out=, whose other items are not set,"
            sp.refuse(node, f"{reason} is not supported", "give it out=np.zeros_like(x)")
        return sp.call(Static(function), args, node, kwargs)
    if not is_array(out):
        reason = f"the argument out= of np.{name} that is {sp.describe(out)}"
        sp.refuse(node, f"{reason} is not supported", "use the result", error=ArgumentTypeError)
    made = sp.call(Static(function), args, node, kwargs)
    return _put(sp, into.where_so, made, out, where, node)


def _in_type(
    sp: Specialiser, function: np.ufunc, args: Sequence[Value], dtype: Value, node: ast.AST
) -> Sequence[Value]:
    """Return the operands in the type in which the function is to compute."""
    t = parse_dtype(sp, dtype, node)
    truth = any(types.endswith("?") and types[0] == "d" for types in function.types)
    if truth and t == BOOL:
        return args
    if t is None or t == BOOL:
        reason = f"the argument dtype= of np.{function.__name__}"
        sp.refuse(node, f"{reason} is not supported here", "convert the operands: x.astype(...)")
    signature = DTYPES[t].char * function.nin + "->" + DTYPES[t].char
    if signature not in function.types:
        reason = "No loop matching the specified signature and casting was found for ufunc "
        sp.refuse(node, reason + function.__name__, "convert the operands: x.astype(...)",
                  error=ArgumentTypeError)  # fmt: skip
    made = []
    for v in args:
        array = sp.call(Static(np.asarray), (v,), node)
        own = array.elem if isinstance(array, ArrayV) else sp.scalar(array, node).type
        if isinstance(own, Real) and not isinstance(t, Real):
            reason = f"np.{function.__name__} of floats with dtype= of ints"
            sp.refuse(node, f"{reason} is not supported", "convert the operands: x.astype(int)",
                      error=ArgumentTypeError)  # fmt: skip
        astype = {"dtype": dtype}
        made.append(sp.call(Static(np.asarray), (v,), node, astype))
    return made


def _put(
    sp: Specialiser, text: Callable[..., object], made: Value, out: Value, where: Value,
    node: ast.AST,
) -> Value:  # fmt: skip
    """Put a result into the array ``out``, and return the array."""
    if not is_array(out):
        sp.refuse(node, f"out= that is {sp.describe(out)} is not supported", "use the result")
    return run_program(sp, text, (made, out, where), node)
