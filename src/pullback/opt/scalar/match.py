"""Match ops with the patterns of ``rules`` and instantiate patterns; evaluate primitives of
literals."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

import numpy as np

from pullback.core.build import lit
from pullback.core.libm import Number, library_call
from pullback.core.prims import SHOW, TABLE
from pullback.core.rows import Static, kind_of
from pullback.core.scipy_functions import ARITIES
from pullback.core.terms import Atom, Lit, Op, Prim, Var, same_number
from pullback.core.types import BOOL, F64, I64, Bool, Int, Real, Type
from pullback.core.values import boxer
from pullback.opt.arrays.shapes import same
from pullback.opt.scalar.rewrite_rules import (
    COMMUTATIVE,
    LITERALS,
    Apply_,
    Binding,
    Const,
    Pattern,
    Rule,
    Var_,
)

Defs = dict[Var, Op]
"""The op that binds each variable."""


def match(rule: Rule, op: Prim, defs: Defs) -> Binding | None:
    """Return the atoms for which the variables of the rule stand in ``op``; None if the rule does
    not apply."""
    binding: Binding = {}
    if not _matches(rule.pattern, op, binding, defs):
        return None
    if kind_of(binding["x"].type) not in rule.kinds:
        return None
    return binding if rule.when is None or rule.when(binding) else None


def _matches(pattern: Apply_, op: Op | None, binding: Binding, defs: Defs) -> bool:
    """Whether ``op`` is an instance of the pattern; ``binding`` then holds the atoms of its
    variables."""
    if not isinstance(op, Prim) or op.name != pattern.name or op.static:
        return False
    if _fit(pattern, op.args, binding, defs):
        return True
    return op.name in COMMUTATIVE and _fit(pattern, op.args[::-1], binding, defs)


def _fit(pattern: Apply_, args: tuple[Atom, ...], binding: Binding, defs: Defs) -> bool:
    trial = dict(binding)
    for p, a in zip(pattern.args, args, strict=True):
        if not _fits(p, a, trial, defs):
            return False
    binding.update(trial)
    return True


def _fits(pattern: Pattern, a: Atom, binding: Binding, defs: Defs) -> bool:
    match pattern:
        case Var_(name):
            if name in LITERALS and not isinstance(a, Lit):
                return False
            return same(binding.setdefault(name, a), a)
        case Const(value):
            if not isinstance(a, Lit) or isinstance(value, bool) != isinstance(a.type, Bool):
                return False
            return same_number(a.value, float(value) if isinstance(a.type, Real) else value)
        case Apply_():
            return _matches(pattern, defs.get(a) if isinstance(a, Var) else None, binding, defs)
        case _:
            assert_never(pattern)


def instance(pattern: Pattern, binding: Binding, prim: Callable[..., Atom]) -> Atom:
    """Return the atom of an instance of the pattern; ``prim(name, *args)`` emits a primitive."""
    match pattern:
        case Var_(name):
            return binding[name]
        case Const(value):
            return lit(value, BOOL if isinstance(value, bool) else binding["x"].type)
        case Apply_(name, args):
            return prim(name, *(instance(p, binding, prim) for p in args))
        case _:
            assert_never(pattern)


def fold(name: str, args: tuple[Atom, ...], static: Static, t: Type) -> Lit | None:
    """The value of a primitive of literals, or None where it raises, calls Python or is no scalar.
    A function is called in the library that compiled code calls: NumPy's own may round
    otherwise."""
    if name in ("stop_gradient", SHOW) or not is_scalar(t):
        return None
    values = tuple(_value(a) for a in args if isinstance(a, Lit))
    function = TABLE[name].function
    try:
        with np.errstate(all="ignore"):
            if function in ARITIES:  # of doubles; libm has others by some of these names
                value = boxer(t)(TABLE[name].numpy(*map(float, values)))
            elif function is not None:
                value = boxer(t)(library_call(function, values))
            else:
                value = boxer(t)(TABLE[name].numpy(*values, *static))
    except (ArithmeticError, AttributeError, ValueError):
        return None
    if isinstance(value, np.float32):
        return Lit(float(value), t)
    return Lit(value, t) if isinstance(value, (float, int, bool)) else None


EXACT = 1 << 53
"""Below this number an int and its float are the same."""


def compared_as_ints(args: tuple[Atom, ...], defs: Defs) -> tuple[Atom, ...] | None:
    """The operands of a comparison of the float of an int with a literal, as ints: of floats too,
    a larger int is not smaller. None if it is another comparison."""
    for k, a in enumerate(args):
        made = defs.get(a) if isinstance(a, Var) else None
        match made, args[1 - k]:
            case Prim("to_real", (n,), _), Lit(float() as value) if (
                made is not None and a.type == F64 and n.type == I64
                and value.is_integer() and abs(value) < EXACT
            ):  # fmt: skip
                other = Lit(int(value), I64)
                return (n, other) if k == 0 else (other, n)
            case _:
                pass
    return None


def is_scalar(t: Type) -> bool:
    """Whether a value of the type is one number or truth value."""
    return isinstance(t, (Real, Int, Bool))


def _value(a: Lit) -> Number:
    return np.float32(a.value) if a.type == Real(32) else a.value
