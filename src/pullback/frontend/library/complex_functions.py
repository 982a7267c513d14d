"""Compile ``complex(...)``, ``abs`` and methods of complex numbers, and the functions of ``cmath``:
their texts are in ``text.complex_numbers``."""

from __future__ import annotations

import ast
import cmath
from collections.abc import Callable
from functools import partial

import numpy as np

from pullback.core.types import Real
from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.frontend.interpret.complex_values import is_of_numpy, of_parts, of_real, parts
from pullback.frontend.interpret.scalars import is_number
from pullback.frontend.kinds.complex_pairs import is_complex
from pullback.frontend.kinds.values import (
    CALLS,
    RecordV,
    Specialiser,
    Static,
    TupleV,
    Value,
    attribute,
    method,
    register,
)
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind, is_none
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.complex_calls import OF_COMPLEX, holds_complex
from pullback.frontend.library.text import complex_numbers as texts

_PAIRS = (
    texts.exp, texts.log, texts.log10, texts.sqrt, texts.rect, texts.sin, texts.cos, texts.tan,
    texts.sinh, texts.cosh, texts.tanh, texts.asin, texts.acos, texts.atan, texts.asinh,
    texts.acosh, texts.atanh,
)  # fmt: skip
"""Functions of ``cmath`` whose results are complex; of those others they are real."""
_OTHERS = (
    texts.phase, texts.polar, texts.isnan, texts.isinf, texts.isfinite, texts.isclose,
)  # fmt: skip


def _number(sp: Specialiser, value: Value, name: str, node: ast.AST) -> Value:
    if not is_number(value) and not is_complex(value):
        reason = f"{name} needs a number, not {sp.describe(value)}"
        sp.refuse(node, reason, error=ArgumentTypeError)
    return value


def _call(
    text: Callable[..., object], is_pair: bool, sp: Specialiser, args: Args, kwargs: Kwargs,
    node: ast.AST,
) -> Value:  # fmt: skip
    """Compile a function of ``cmath``."""
    name = f"cmath.{text.__name__}"
    more: list[Value] = []
    if text is texts.isclose:
        x, y, *more = bind(
            sp, name, args, kwargs, node, a=MISSING, b=MISSING, rel_tol=Static(1e-9),
            abs_tol=Static(0.0),
        )  # fmt: skip
        args = (x, y)
    elif text is texts.rect:
        given = bind(sp, name, args, kwargs, node, r=MISSING, phi=MISSING)
        sizes = [of_real(sp, _number(sp, v, name, node), node) for v in given]
        return of_parts(sp, run_program(sp, text, sizes, node), node)
    elif text is texts.log and len(args) == 1:
        more = [NONE]
    elif kwargs or len(args) != 1 + (text is texts.log):
        reason = f"{name} takes one argument, not {len(args) + len(kwargs)}"
        sp.refuse(node, reason, error=ArgumentTypeError)
    pairs = [parts(sp, _number(sp, v, name, node), node) for v in args]
    found = run_program(sp, text, [*pairs, *more], node)
    return of_parts(sp, found, node) if is_pair else found


for _is_pair, _texts in ((True, _PAIRS), (False, _OTHERS)):
    for _text in _texts:
        register(getattr(cmath, _text.__name__))(partial(_call, _text, _is_pair))


@register(complex)
def complex_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return ``complex(real, imag)``."""
    real, imag = bind(sp, "complex", args, kwargs, node, real=Static(0), imag=NONE)
    if isinstance(real, Static) and isinstance(real.value, str):
        try:
            known = complex(real.value)
        except ValueError as e:
            sp.never("ValueError", str(e), node, ArgumentValueError)
        return of_parts(sp, TupleV((Static(known.real), Static(known.imag))), node)
    x = parts(sp, _number(sp, real, "complex", node), node)
    if is_none(imag):
        return of_parts(sp, x, node)
    y = parts(sp, _number(sp, imag, "complex", node), node)
    if not is_complex(real) and not is_complex(imag):
        return of_parts(sp, TupleV((x.items[0], y.items[0])), node)
    return of_parts(sp, run_program(sp, texts.of_two, (x, y), node), node)


@method("complex", "conjugate")
def conjugate(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    bind(sp, "conjugate", args, kwargs, node)
    found = run_program(sp, texts.conjugate, (parts(sp, receiver, node),), node)
    return of_parts(sp, found, node)


@method("number", "conjugate")
def conjugate_of_real(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    bind(sp, "conjugate", args, kwargs, node)
    return receiver


@attribute("number", "imag")
def imag_of_real(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    if isinstance(receiver, Static):
        return Static(0.0 if isinstance(receiver.value, float) else 0)
    return Static(0.0 if isinstance(sp.scalar(receiver, node).type, Real) else 0)


def absolute(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (z,) = bind(sp, "abs", args, kwargs, node, x=MISSING)
    if not is_complex(z):  # a list of them
        return CALLS[abs](sp, args, kwargs, node)
    if is_of_numpy(z):
        return sp.call(Static(np.abs), (z,), node)
    return run_program(sp, texts.absolute, (parts(sp, z, node),), node)


def power(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    base, exp, mod = bind(sp, "pow", args, kwargs, node, base=MISSING, exp=MISSING, mod=NONE)
    if not is_none(mod):
        sp.never("ValueError", "complex modulo", node, ArgumentValueError)
    return sp.binop("**", base, exp, node)


def _of_real_part(
    function: Callable[..., object], sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """Compile a function of shapes alone."""
    x, *rest = args
    if not isinstance(x, RecordV):  # a list of complex numbers
        if function is len:
            return CALLS[len](sp, args, kwargs, node)
        x = sp.call(Static(np.real), (x,), node)
    else:
        x = x.fields["real"]
    return sp.call(Static(function), (x, *rest), node, kwargs)


OF_COMPLEX.update({abs: absolute, pow: power, complex: complex_})
OF_COMPLEX.update({f: partial(_of_real_part, f) for f in (np.shape, np.ndim, np.size, len)})


@register(np.isrealobj)
def is_real_object(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (x,) = bind(sp, "isrealobj", args, kwargs, node, x=MISSING)
    return Static(not holds_complex(x))


OF_COMPLEX[np.isrealobj] = is_real_object
