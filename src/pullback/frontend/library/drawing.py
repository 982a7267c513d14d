"""Compile draws of random numbers: calls of Python functions from a state to numbers and the next
state (``core.draws``). The texts of generators (``text/random_generators.py``) make them."""

from __future__ import annotations

import ast
import random
from typing import Any

import numpy as np

from pullback.core import called_python
from pullback.core.build import i64
from pullback.core.draws import METHODS, NUMBERS
from pullback.core.terms import Prim
from pullback.core.types import F64, I64, Array
from pullback.frontend.interpret.iteration import as_run
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import (
    WRITTEN_CLASSES,
    ArrayV,
    RecordV,
    RefV,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import NONE, Args, Kwargs
from pullback.frontend.library.numpy.sequences import display, filled
from pullback.frontend.python.libraries import name_of
from pullback.frontend.python.paths import Attribute
from pullback.frontend.store.shared_memory import opened


def drawn(method: str, state: Any, reals: Any, ints: Any, count: int) -> Any:
    """Return 0 or the number of an error, ``count`` reals that a method draws, and the words of the
    state that follows; ``reals`` and ``ints`` are what the method needs."""
    raise NotImplementedError


@register(drawn)
def _drawn(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    method, state, reals, ints, count = args
    state = opened(as_run(sp), state, node)
    assert isinstance(method, Static) and isinstance(state, ArrayV)
    name, words = str(method.value), ext.extents(sp, state)[0]
    n = sp.convert(sp.scalar(count, node), I64, node)
    head = display(sp, [n, i64(NUMBERS[name]), words], node)
    parts = TupleV((head, state, vector(sp, ints, I64, node)))
    sent = sp.call(Static(np.concatenate), (parts,), node)
    numbers = vector(sp, reals, F64, node)
    assert isinstance(sent, ArrayV) and isinstance(numbers, ArrayV)
    total = ext.add(sp, ext.add(sp, n, words), i64(1))
    title = f"{name_of(METHODS[name].cls)}.{name.rpartition('.')[2]}"
    op = Prim("callback", (numbers.atom, sent.atom, total), (called_python.DRAWS, title))
    (atom,) = sp.b.let(op, (Array(F64, 1),), sp.site(node))
    if isinstance(reals, TupleV) and not reals.items:  # they depend on nothing with a derivative
        atom = sp.b.prim("copy", sp.b.prim("stop_gradient", atom))
    return ext.note(sp, sp.fresh(atom, node), (total,))


@register(np.random.default_rng)
def _default_rng(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = args[0] if args else kwargs.get("seed", NONE)
    generator = WRITTEN_CLASSES[np.random.Generator]
    if isinstance(given, (RecordV, RefV)):
        if as_run(sp).is_instance(given, (generator,), node) == Static(True):
            return given
    else:
        given = sp.call(Static(WRITTEN_CLASSES[np.random.PCG64]), (given,), node)
    return sp.call(Static(generator), (given,), node)


def errors_of(method: str) -> tuple[str, ...]:
    """Return the texts of the errors of a method."""
    return METHODS[method].errors


@register(errors_of)
def _errors_of(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (method,) = args
    assert isinstance(method, Static)
    return TupleV(tuple(map(Static, errors_of(str(method.value)))))


def shared(library: str) -> Any:
    """Return the generator that the functions of ``numpy.random`` or ``random`` draw from."""
    return _SHARED[library].value


@register(shared)
def _shared(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (library,) = args
    assert isinstance(library, Static)
    place = _SHARED[str(library.value)]
    return as_run(sp).from_python(place.value, place.path, node)


_SHARED = {"numpy": Attribute(np.random.mtrand, "_rand"), "random": Attribute(random, "_inst")}


def vector(sp: Specialiser, value: Value, t: Any, node: ast.AST) -> Value:
    """Return numbers, given in a tuple, or an array of any rank, as a vector."""
    if isinstance(value, TupleV):
        if not value.items:
            return filled(sp, (ext.ZERO,), Static(0), t, node)
        items = [sp.convert(sp.scalar(v, node), t, node) for v in value.items]
        return display(sp, items, node)
    return sp.call(Static(np.ravel), (value,), node)


__all__ = ["drawn", "errors_of", "shared", "vector"]
