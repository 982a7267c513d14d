"""Sets, large dicts and containers of the standard library that are arguments or results.

Plain data crosses (a list of the items of a set, a dict in place of a Counter), of which the entry
makes the container (``given``). It is the caller's: an update of it is refused, or seen there
(``frontend.seen_outside``). Of a result that is an object of a class which the library has as text
the plain data leaves (``leaving``)."""

from __future__ import annotations

import ast
import json
import sys
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pullback.core.later import Later
from pullback.frontend.functions.scopes import Path
from pullback.frontend.kinds.given_tables import NO_ITEMS
from pullback.frontend.kinds.kinds import (
    Kind,
    RecordK,
    ScalarK,
    SharedMemory,
    StaticK,
    TableK,
    TupleK,
    WrappedK,
    static_kind,
)
from pullback.frontend.kinds.scipy_objects import held_attributes, is_row
from pullback.frontend.kinds.table_keys import item_kind
from pullback.frontend.kinds.values import (
    WRITTEN_CLASSES,
    HashV,
    RangeV,
    RecordV,
    RefV,
    SliceV,
    Static,
    TupleV,
    Value,
    WrappedV,
)
from pullback.frontend.kinds.wrapped import (
    ARRAYS,
    GENERATORS,
    MASKED,
    ROTATION,
    SERIES,
    SPARSE,
    SPARSE_BASES,
    TURNS,
    is_met,
)
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import masked_arrays, rotations, sparse_entries, sparse_matrices
from pullback.frontend.memory import hash_tables as tables
from pullback.frontend.memory.hash_methods import with_items, with_pairs
from pullback.frontend.memory.made_sets import laid_out
from pullback.frontend.python.guards import Guard
from pullback.frontend.python.object_classes import is_container_class
from pullback.frontend.python.objects_outside import fields_of
from pullback.frontend.python.pytypes import type_of
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run

scipys = Later("pullback.frontend.library.text.made_outside")


def given(run: Run, value: Value, kind: Kind, node: ast.AST) -> Value:
    """Return the container that is an argument, of the data that has crossed; what holds none as
    it is."""
    match value, kind:
        case _, TableK():
            return replace(_table(run, value, kind, node), owners=frozenset(), fresh=False)
        case TupleV((held,)), WrappedK(cls=cls) if is_row(cls):
            assert isinstance(kind.extra, StaticK)
            inside = given(run, held, kind.held, node)
            assert isinstance(inside, TupleV)
            return _made_outside(run, cls, json.loads(str(kind.extra.value)), inside.items, node)
        case TupleV((held,)), WrappedK(cls=cls) if is_met(cls):
            return _of_scipy(run, cls, held, node)
        case TupleV((held,)), WrappedK(cls=cls, extra=StaticK(value=str(names))) if (
            cls not in _CONTAINERS
        ):
            inside = given(run, held, kind.held, node)
            assert isinstance(inside, TupleV)
            return RecordV(cls, dict(zip(names.split("\0"), inside.items, strict=True)))
        case TupleV((held,)), WrappedK(cls=cls, extra=StaticK(value=extra)):
            inside = given(run, held, kind.held, node)
            return _CONTAINERS[cls](run, cls, inside, Static(extra), node)
        case TupleV(items), TupleK(kinds):
            each = (given(run, v, k, node) for v, k in zip(items, kinds, strict=True))
            return replace(value, items=tuple(each))
        case RecordV(fields=fields), RecordK(fields=of):
            return replace(value, fields={n: given(run, fields[n], k, node) for n, k in of})
        case _:
            return value


def leaving(run: Run, value: Value, node: ast.AST) -> Value:
    """Return a result in which the plain data of containers stands in their places."""
    cls = _container(run, value)
    if cls is not None and is_container_class(cls):
        return _of_users(run, cls, value, node)
    if cls is not None:
        held = _LEAVING[cls](run, value, node)
        name = _NAMES.get(cls)
        extra = None
        if name is not None:
            extra = str(run.static(run.attribute(value, name, node), node, name))
        return value if held is None else WrappedV((held,), cls=cls, extra=extra)
    match value:
        case TupleV(items):
            return replace(value, items=tuple(leaving(run, v, node) for v in items))
        case RecordV(fields=fields):
            return replace(value, fields={n: leaving(run, v, node) for n, v in fields.items()})
        case HashV(elem=TupleK((RecordK(_, (_, (_, listed))) as key, *rest))) if item_kind(key):
            elem = TupleK((listed, *rest))  # tuples of any length, without their numbers
            return replace(value, elem=elem, atoms=value.atoms[1:])
        case _:
            return value


def _container(run: Run, value: Value) -> type | None:
    match value:
        case RecordV(cls):
            return cls if is_container_class(cls) else library_class(cls)
        case RefV(cls=region) if not issubclass(region, SharedMemory):
            classes = run.rows.classes(value)
            cls = classes[0]
            known = cls if is_container_class(cls) else library_class(cls)
            return known if len(classes) == 1 else None
        case _:
            return None


def library_class(text: type) -> type | None:
    """Return the container of the library that a class is the text of."""
    if issubclass(text, sparse_matrices.Sparse):
        cls: type = getattr(_scipy_sparse, text.__name__)
        is_met(cls)
        _LEAVING[cls] = _of_sparse
        return cls
    if text is masked_arrays.MaskedArray:
        masked: type = _masked.MaskedArray
        is_met(masked)
        _LEAVING[masked] = _of_masked
        return masked
    if text is rotations.Rotation:
        turn: type = _transform.Rotation
        is_met(turn)
        _LEAVING[turn] = lambda run, r, node: TupleV((run.attribute(r, "_quat", node),))
        return turn
    return next((c for c in _LEAVING if WRITTEN_CLASSES.get(c) is text), None)


def _of_users(run: Run, cls: type, value: Value, node: ast.AST) -> Value:
    """Return what an object of a class derived from a container holds, and its attributes."""
    if isinstance(value, RefV):
        held = run.rows.group(value)
        if held.unset:
            reason = f"a {cls.__name__} as a result of which {min(held.unset)!r} may be missing"
            run.refuse(node, reason, "give it all attributes in __init__")
        names = [*held.fields]
    else:
        assert isinstance(value, RecordV)
        names = [*fields_of(run, value, node)]
    if any(n.startswith(".") for n in names):
        reason = f"a {cls.__name__}, whose methods use variables around it, as a result"
        run.refuse(node, reason, "return what is in it")
    each = tuple(leaving(run, run.attribute(value, n, node), node) for n in names)
    return WrappedV((TupleV(each),), cls=cls, extra="\0".join(names))


def _of_deque(run: Run, d: Value, node: ast.AST) -> Value:
    return TupleV((run.to_list(d, node), run.attribute(d, "maxlen", node)))


def _of_chain(run: Run, chain: Value, node: ast.AST) -> Value | None:
    maps = opened(run, run.attribute(chain, "maps", node), node)
    if not isinstance(maps, TupleV):
        return None  # only the run knows how many there are
    return TupleV(tuple(leaving(run, v, node) for v in maps.items))


def _of_generator(run: Run, generator: Value, node: ast.AST) -> Value:
    return run.attribute(generator, "_state", node)


def _of_sparse(run: Run, matrix: Value, node: ast.AST) -> Value:
    format_ = run.attribute(matrix, "format", node)
    assert isinstance(format_, Static)
    names = ARRAYS[str(format_.value)]
    held = (run.attribute(matrix, name, node) for name in (*names, "shape"))
    return TupleV(tuple(held))


def _of_masked(run: Run, m: Value, node: ast.AST) -> Value:
    return TupleV(tuple(run.attribute(m, name, node) for name in _MASKED))


_MASKED = ("data", "_mask", "_fill")
_scipy_sparse, _transform = Later("scipy.sparse"), Later("scipy.spatial.transform")
_masked = Later("numpy.ma")


def _of_series(run: Run, p: Value, node: ast.AST) -> Value:
    return TupleV(tuple(run.attribute(p, n, node) for n in ("coef", "domain", "window")))


def _of_poly1d(run: Run, p: Value, node: ast.AST) -> Value:
    return run.attribute(p, "coeffs", node)


_NAMES: dict[type, str] = {**dict.fromkeys(SERIES, "symbol"), np.poly1d: "variable"}
"""The attributes that say how the variable of a polynomial is called."""

_Leaving = Callable[["Run", Value, ast.AST], Value | None]

_LEAVING: dict[type, _Leaving] = {
    deque: _of_deque, ChainMap: _of_chain, **dict.fromkeys(GENERATORS, _of_generator),
    **dict.fromkeys(SERIES, _of_series), np.poly1d: _of_poly1d,
}  # fmt: skip


def _table(run: Run, items: Value, kind: TableK, node: ast.AST) -> HashV:
    made = tables.empty(run, kind.cls)
    if kind.cls is dict:
        return with_pairs(run, made, run.iterate(items, node), node)
    if kind.placed:
        flat = isinstance(kind.elem, ScalarK)
        return laid_out(run, kind.cls, run.iterate(items, node), node, flat)
    return made if kind.elem == NO_ITEMS else with_items(run, made, run.iterate(items, node), node)


def _dict(run: Run, cls: type, held: Value, extra: Value, node: ast.AST) -> Value:
    table = held if isinstance(held, HashV) else tables.empty(run, cls, extra)
    return replace(table, cls=cls, factory=extra, owners=frozenset(), fresh=False)


def _deque(run: Run, cls: type, held: Value, extra: Value, node: ast.AST) -> Value:
    none, empty = Static(0), TupleV((), True, frozenset(), False)
    assert isinstance(held, TupleV)
    back, most = held.items
    fields = {"_front": empty, "_back": back, "_first": none, "_last": none, "_changes": none}
    return RecordV(WRITTEN_CLASSES[cls], {**fields, "_most": most})


def _chain(run: Run, cls: type, held: Value, extra: Value, node: ast.AST) -> Value:
    assert isinstance(held, TupleV)
    return RecordV(WRITTEN_CLASSES[cls], {"maps": replace(held, is_list=True)})


def _range(run: Run, cls: type, held: Value, extra: Value, node: ast.AST) -> Value:
    assert isinstance(held, TupleV)
    return RangeV(*held.items)


def _slice(run: Run, cls: type, held: Value, extra: Value, node: ast.AST) -> Value:
    assert isinstance(held, TupleV) and isinstance(extra, Static)
    start, stop = held.items
    return SliceV(start, stop, Static(int(str(extra.value)) if extra.value else None))


def _generator(run: Run, cls: type, held: Value, extra: Value, node: ast.AST) -> Value:
    return RecordV(WRITTEN_CLASSES[cls], {"_state": held})


def _given_series(run: Run, cls: type, held: Value, extra: Value, node: ast.AST) -> Value:
    assert isinstance(held, TupleV)
    fields = dict(zip(("coef", "domain", "window"), held.items, strict=True))
    return RecordV(WRITTEN_CLASSES[cls], {**fields, "symbol": extra})


def _given_poly1d(run: Run, cls: type, held: Value, extra: Value, node: ast.AST) -> Value:
    return RecordV(WRITTEN_CLASSES[cls], {"coeffs": held, "variable": extra})


def text_class(cls: type) -> type | None:
    """Return the class of the library as text that is compiled in the place of a class; None: there
    is none. (The classes of SciPy are met here first.)"""
    name = cls.__module__, cls.__name__
    if name == MASKED:
        WRITTEN_CLASSES[cls] = masked_arrays.MaskedArray
    if name in SPARSE or name in SPARSE_BASES:
        WRITTEN_CLASSES[cls] = getattr(sparse_matrices, cls.__name__)
    if name in TURNS:
        WRITTEN_CLASSES[cls] = getattr(rotations, cls.__name__)
    return WRITTEN_CLASSES.get(cls)


def texts_within(classes: tuple[type, ...]) -> tuple[type, ...]:
    """Return the classes that are compiled in the place of classes derived from one of these."""
    masked = sys.modules.get("numpy.ma")
    if masked is not None:
        text_class(masked.MaskedArray)
    return tuple(text for cls, text in WRITTEN_CLASSES.items() if issubclass(cls, classes))


def _of_scipy(run: Run, cls: type, held: Value, node: ast.AST) -> Value:
    """Return the sparse matrix of the arrays of its format, or the rotations of quaternions."""
    text, name = text_class(cls), (cls.__module__, cls.__name__)
    assert isinstance(held, TupleV) and text is not None
    if name == ROTATION:
        return RecordV(text, {"_quat": held.items[0]})
    if name == MASKED:
        return RecordV(text, dict(zip(_MASKED, held.items, strict=True)))
    made = sparse_entries.MADE[SPARSE[name]]
    return run_program(run, made, (Static(text), *held.items), node)


def _made_outside(
    run: Run, cls: type, said: Sequence[object], parts: Sequence[Value], node: ast.AST
) -> Value:
    """Return what the library has as text for an object of SciPy: of what is known of it, and of
    its parts."""
    known = TupleV(tuple(map(Static, said)))
    return run_program(run, scipys.MADE[cls.__name__], (known, *parts), node)


def met(run: Run, obj: object, path: Path, node: ast.AST) -> Value:
    """Return what the library has as text for an object that is found at a path: a generator of
    random numbers, or one of SciPy's, which may hold functions; or a range, or a slice."""
    cls = type(obj)
    if isinstance(obj, (range, slice)):
        return _bounded(run, obj, path, node)
    if held_attributes(cls) is None:
        kind = type_of(obj)
        return given(run, run.hidden(path, kind), kind, node)
    run.guards.setdefault(path, Guard(path, StaticK(("class of", cls), obj)))
    parts = [
        run.from_python(getattr(obj, name), (*path, ("attr", name)), node)
        for name in held_attributes(cls) or ()
    ]
    return _made_outside(run, cls, (), parts, node)


def _bounded(run: Run, obj: range | slice, path: Path, node: ast.AST) -> Value:
    """Return a range, or a slice, whose step is known; their other numbers are the run's."""
    run.guards.setdefault(path, Guard(path, StaticK(("class of", type(obj)), obj)))
    at = [(*path, ("attr", name)) for name in ("start", "stop", "step")]
    start, stop = run.from_python(obj.start, at[0], node), run.from_python(obj.stop, at[1], node)
    if isinstance(obj, range):
        return RangeV(start, stop, run.from_python(obj.step, at[2], node))
    run.guards[at[2]] = Guard(at[2], static_kind(obj.step))
    return SliceV(start, stop, Static(obj.step))


_Maker = Callable[["Run", type, Value, Value, ast.AST], Value]

_CONTAINERS: dict[type, _Maker] = {
    deque: _deque, defaultdict: _dict, Counter: _dict, OrderedDict: _dict, ChainMap: _chain,
    range: _range, slice: _slice, **dict.fromkeys(GENERATORS, _generator),
    **dict.fromkeys(SERIES, _given_series), np.poly1d: _given_poly1d,
}  # fmt: skip
"""What makes the container of its plain data and of what else it has."""

__all__ = ["given", "leaving", "library_class", "met", "text_class", "texts_within"]
