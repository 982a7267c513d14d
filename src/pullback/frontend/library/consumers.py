"""Compile builtins that consume an iteration: ``sum``, ``min``, ``max``, ``any``, ``all``,
``next``.

``sum`` of reals over a range, an array, a list or a generator is one ``Sum_`` with the body inside:
the loop that becomes lanes. ``min`` and ``max`` find the place of the winner and read it.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from pullback.core.build import boolean, lit
from pullback.core.terms import Atom, Lit, Loop, Sum_, Var
from pullback.core.types import BOOL, F32, F64, I64, Int, Real
from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.frontend.interpret import made_texts
from pullback.frontend.interpret.classes_apart import has_special
from pullback.frontend.interpret.endings import without_rounds
from pullback.frontend.interpret.iteration import (
    indexed,
    is_iterator,
    known,
    once,
    placeholder,
    stepped,
)
from pullback.frontend.kinds import dtypes
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.flatten import rebuild
from pullback.frontend.kinds.kinds import ScalarK
from pullback.frontend.kinds.number_kinds import tells_int
from pullback.frontend.kinds.values import (
    ArrayV,
    Driven,
    EnumerateV,
    GeneratorV,
    Indexed,
    Items,
    RecordV,
    RefV,
    ReversedV,
    Scalar,
    Specialiser,
    Static,
    Value,
    ZipV,
    register,
)
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind, is_none
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.numpy.reduce import extremum
from pullback.frontend.library.numpy.reductions import place_of
from pullback.frontend.library.numpy.sequences import to_array
from pullback.frontend.library.text import iterators
from pullback.frontend.python import special_methods
from pullback.frontend.signals import AlwaysRaises

# --- sum -----------------------------------------------------------------------------------------


@register(sum)
def sum_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """sum(items, start=0)"""
    values, start = bind(sp, "sum", args, kwargs, node, iterable=MISSING, start=Static(0))
    if made_texts.is_text(start):
        message = "sum() can't sum strings [use ''.join(seq) instead]"
        sp.never("TypeError", message, node, ArgumentTypeError)
    items = sp.iterate(values, node)
    total = None if _is_negative_zero(start) else sum_items(sp, items, node)
    if (
        total is not None
        and isinstance(total.type, Real)
        and isinstance(start, Static)
        and start.value == 0
    ):
        return total if type(start.value) is int else replace(total, is_int=None)
    if total is not None and isinstance(total.type, Real) and not _widens(start, total):
        return sp.binop("+", start, total, node)

    def step(state: Sequence[Value], item: Value) -> Sequence[Value]:
        return [sp.binop("+", state[0], item, node)]

    if total is not None and not total.py and isinstance(start, Static) and start.value == 0:
        return total
    by_position = indexed(items)
    if by_position is not None and total is None:
        arrays = _sum_arrays(sp, by_position, start, node)
        if arrays is not None:
            return arrays
    return sp.fold(items, [start], step, node)[0]


def _has_items(items: Items) -> bool:
    """Whether there is certainly an item."""
    match items:
        case Indexed(length=Lit(n), keep=None, nested=None):
            return n > 0
        case _:
            return False


def _widens(start: Value, total: Scalar) -> bool:
    """Whether numbers of float32 are added to a float64, in float64."""
    return isinstance(start, Scalar) and not start.py and (start.type, total.type) == (F64, F32)


def _is_negative_zero(start: Value) -> bool:
    """Whether the start is -0.0: a ``Sum_`` starts from 0.0, which changes a sum of nothing but
    -0.0."""
    return isinstance(start, Static) and str(start.value) == "-0.0"


def sum_items(sp: Specialiser, items: Items, node: ast.AST) -> Scalar | None:
    """Return the sum of items that are reals (or NumPy ints, which wrap), all of one type; else
    None.

    If the result is None, nothing has been emitted."""
    if not isinstance(items, Indexed):
        return None
    index = Var("i", I64)
    seen: list[Scalar | None] = []

    def body() -> Sequence[Atom]:
        value = _term(sp, items, index, node)
        seen.append(value)
        if value is None:
            return ()
        if not isinstance(value.type, Real) or value.is_int is None:
            return (value.atom,)
        one, zero = lit(1.0, F64), lit(0.0, F64)
        return value.atom, sp.b.prim("select", value.is_int, zero, one)

    try:
        block = sp.block(body)
    except AlwaysRaises as e:
        without_rounds(sp.b, items.length, index, e)
        return Scalar(lit(0, I64), py=True)
    value = seen[0]
    if value is None:
        return None
    t = value.type
    if isinstance(t, Real):
        op = Sum_((items.length,), (index,), block)
        atom, *floats = sp.b.let(
            op, tuple(a.type for a in block.results), names=("s", "floats")[: len(block.results)]
        )
        if not value.py or (not floats and isinstance(items.length, Lit) and items.length.value):
            return Scalar(atom, value.py)
        count, none = (floats[0], lit(0.0, F64)) if floats else (items.length, ext.ZERO)
        return Scalar(atom, True, is_int=sp.b.prim("eq", count, none))
    if value.py or not isinstance(t, Int):
        return None
    state = Var("s", t)
    with_sum = sp.block(lambda: [sp.b.prim("add", state, *sp.b.extend(block))])
    loop = Loop(items.length, index, (state,), (lit(0, t),), with_sum)
    return Scalar(sp.b.let(loop, (t,))[0], py=False)


def _term(sp: Specialiser, items: Indexed, index: Atom, node: ast.AST) -> Scalar | None:
    """Return the number that item ``index`` adds to the sum, or None if it is no number."""
    found: list[Value | None] = []
    zero = Static(0)

    def item() -> Value:
        if items.nested is not None:
            inner = items.nested(index)
            value: Value | None = _sum_inner(sp, inner, node)
        else:
            value = items.at(index)
        found.append(value)
        return value if isinstance(value, (Scalar, Static)) else zero

    if items.keep is None:
        item()
    else:
        found.append(sp.branch(items.keep(index), item, lambda: zero, node))
        if not isinstance(found[0], (Scalar, Static)):
            return None
    value = found[-1]
    if isinstance(value, (Scalar, Static)):
        return sp.scalar(value, node)
    return None


def _sum_arrays(sp: Specialiser, items: Indexed, start: Value, node: ast.AST) -> Value | None:
    """Return the elementwise sum of the start and of items that are arrays of one shape; else
    None."""
    seen: list[Value] = []

    def probe() -> Sequence[Atom]:
        seen.append(items.at(Var("i", I64)))
        return ()

    sp.block(probe)
    if not isinstance(seen[0], ArrayV):
        return None
    some = sp.b.prim("gt", items.length, ext.ZERO)

    def total() -> Value:
        rows = to_array(sp, sp.sequence(items.length, items.at, node), node, temporary=True)
        t = dtypes.promote(sp, (start, rows), node)  # np.sum would add int32 as int64
        dtype = NONE if t == BOOL else dtypes.dtype_value(t)
        return sp.binop("+", start, sp.call(Static(np.sum), (rows, Static(0), dtype), node), node)

    if isinstance(start, ArrayV):  # the sum of no items is the start
        first = seen[0]
        if start.rank >= first.rank and dtypes.join(start.elem, first.elem) == start.elem:
            return sp.branch(some, total, lambda: start, node)
    message = "the sum of no arrays is a number: give sum(xs, start) an array of their shape"
    sp.require(some, "ValueError", message, node)
    return total()


def _sum_inner(sp: Specialiser, items: Items, node: ast.AST) -> Value | None:
    values = known(items)
    if values is None:
        return sum_items(sp, items, node)
    total: Value = Static(0)
    for item in values:
        if not isinstance(item, (Scalar, Static)):
            return None
        total = sp.binop("+", total, item, node)
    return total


# --- min and max ---------------------------------------------------------------------------------


def _register_extremum(function: Callable[..., object], largest: bool) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        kwargs = dict(kwargs)
        key, default = kwargs.pop("key", NONE), kwargs.pop("default", MISSING)
        name = function.__name__
        if kwargs:
            sp.refuse(node, f"the arguments {', '.join(kwargs)} of {name} are not supported")
        if not args:
            sp.refuse(node, f"{name} expected at least 1 argument", error=ArgumentTypeError)
        if len(args) > 1:
            return _of_several(sp, args, key, largest, node)
        items = sp.iterate(args[0], node)
        values = stepped(items)
        if values:
            return _of_several(sp, values, key, largest, node)
        empty = f"{name}() arg is an empty sequence"
        if values is not None:
            if default is not MISSING:
                return default
            sp.refuse(node, empty, error=ArgumentValueError)
        found = indexed(items)
        if found is None:
            return _one_by_one(sp, items, key, largest, empty, node, default)
        if default is not MISSING:
            some = sp.b.prim("gt", found.length, ext.ZERO)
            return sp.branch(
                some, lambda: _of_items(sp, found, key, largest, empty, node), lambda: default, node
            )
        if isinstance(args[0], ArrayV) and args[0].rank == 1 and is_none(key):
            return extremum(sp, args[0], NONE, Static(False), node, largest, python=True)
        return _of_items(sp, found, key, largest, empty, node)


_register_extremum(max, True)
_register_extremum(min, False)


def _of_several(sp: Specialiser, items: Args, key: Value, largest: bool, node: ast.AST) -> Value:
    """Return max(a, b, ...): from the left, b if b > a, else a."""
    best = items[0]
    for item in items[1:]:
        best = _better(sp, best, item, key, largest, node)
    return best


def _better(sp: Specialiser, a: Value, b: Value, key: Value, largest: bool, node: ast.AST) -> Value:
    if is_none(key) and _is_number(a) and _is_number(b) and not _both_static(a, b):
        x, y = sp.scalar(a, node), sp.scalar(b, node)
        if x.type == y.type != BOOL:
            atom = sp.b.prim("max" if largest else "min", x.atom, y.atom)
            told: Atom | None = None
            if x.py and y.py and (x.is_int is not None or y.is_int is not None):
                second = sp.b.prim("gt" if largest else "lt", y.atom, x.atom)
                told = sp.b.prim("select", second, tells_int(y), tells_int(x))
            return Scalar(atom, x.py and y.py, max(x.bits, y.bits), told)
    p, q = (v if is_none(key) else sp.call(key, (v,), node) for v in (a, b))
    if isinstance(p, ArrayV) or isinstance(q, ArrayV):
        name = "np.maximum" if largest else "np.minimum"
        reason = "the truth value of an array is ambiguous"
        sp.refuse(node, reason, f"use {name}(a, b)", error=ArgumentValueError)
    wins = sp.truth(sp.compare(">" if largest else "<", q, p, node), node)
    return sp.select(wins, b, a, node)


def _is_number(value: Value) -> bool:
    return isinstance(value, Scalar) or (
        isinstance(value, Static) and isinstance(value.value, (int, float))
    )


def _both_static(a: Value, b: Value) -> bool:
    return isinstance(a, Static) and isinstance(b, Static)


def _of_items(
    sp: Specialiser, items: Indexed, key: Value, largest: bool, message: str, node: ast.AST
) -> Value:
    sp.require(sp.b.prim("gt", items.length, ext.ZERO), "ValueError", message, node)

    def keyed(i: Atom) -> Value:
        item = items.at(i)
        return item if is_none(key) else sp.call(key, (item,), node)

    keys = sp.sequence(items.length, keyed, node)
    if not isinstance(keys.elem, ScalarK):
        if not keys.atoms:  # all keys are the same literal
            return items.at(ext.ZERO)
        return _one_by_one(sp, items, key, largest, message, node)
    array = keys.atoms[0]

    def read(indices: tuple[Atom, ...]) -> Atom:
        x = sp.b.index(array, indices, checked=False)
        return sp.b.prim("to_int", x, static=(I64,)) if x.type == BOOL else x

    (place,) = place_of(sp, (keys.length,), read, largest, python=True)
    if not is_none(key):
        return items.at(place)
    best = (sp.b.index(a, (place,), checked=False) for a in keys.atoms)
    return rebuild(keys.elem, best)


def _one_by_one(
    sp: Specialiser,
    items: Items,
    key: Value,
    largest: bool,
    message: str,
    node: ast.AST,
    default: Value = MISSING,
) -> Value:
    """Return the best item, found by going through all of them with the best so far, and a truth
    value that says whether there is one."""

    def step(state: Sequence[Value], item: Value) -> Sequence[Value]:
        found, best = state
        some = sp.truth(found, node)
        new = sp.branch(
            bool_atom(some),
            lambda: _better(sp, best, item, key, largest, node),
            lambda: item,
            node,
        )
        return [Scalar(boolean(True), py=True, bits=1), new]

    first = Scalar(boolean(False), py=True, bits=1)
    found, best = sp.fold(items, [first, placeholder(sp, items, node)], step, node)
    some = sp.truth(found, node)
    if default is not MISSING:
        return sp.branch(bool_atom(some), lambda: best, lambda: default, node)
    sp.require(bool_atom(some), "ValueError", message, node)
    return best


def bool_atom(value: bool | Atom) -> Atom:
    return boolean(value) if isinstance(value, bool) else value


@register(iter)
def iter_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return iter(items): an iterator itself, or one over data; iter(function, sentinel)."""
    if len(args) == 2 and not kwargs:
        return _until(sp, args[0], args[1], node)
    (values,) = bind(sp, "iter", args, kwargs, node, iterable=MISSING)
    if isinstance(values, (GeneratorV, ZipV, EnumerateV, ReversedV)) or is_iterator(values):
        return values
    if isinstance(values, (RecordV, RefV)) and has_special(values, "__iter__"):
        made = sp.call(sp.attribute(values, "__iter__", node), (), node)
        if special_methods.has_next(made):
            return made
    items = sp.iterate(values, node)
    if isinstance(items, Driven):
        return GeneratorV(node, items, items)
    return once(values, items, node)


def _until(sp: Specialiser, function: Value, sentinel: Value, node: ast.AST) -> Value:
    """Return an iterator over what a function gives, up to the sentinel."""
    value = sentinel.value if isinstance(sentinel, Static) else None
    if isinstance(value, float) and math.isnan(value):  # which Python finds by its identity
        sp.refuse(node, "iter() up to a NaN", "while True: v = f(); if math.isnan(v): break")
    return run_program(sp, iterators.until, (function, sentinel), node)


# --- any and all ---------------------------------------------------------------------------------


def _register_test(function: Callable[..., object], stop_at: bool) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        """Ask for item after item, up to the one that decides."""
        (values,) = bind(sp, function.__name__, args, kwargs, node, iterable=MISSING)

        def step(_: Sequence[Value], item: Value) -> Sequence[Value]:
            return [_truth_value(sp.truth(item, node))]

        def decided(state: Sequence[Value]) -> bool | Atom:
            truth = sp.truth(state[0], node)
            if isinstance(truth, bool):
                return truth == stop_at
            return truth if stop_at else sp.b.prim("not", truth)

        return sp.fold(sp.iterate(values, node), [Static(not stop_at)], step, node, decided)[0]


def _truth_value(truth: bool | Atom) -> Value:
    return Static(truth) if isinstance(truth, bool) else Scalar(truth, py=True, bits=1)


_register_test(any, True)
_register_test(all, False)
