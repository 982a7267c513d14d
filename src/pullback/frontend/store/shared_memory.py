"""Lists, dicts and arrays that may have several owners: two lists, two objects, a list and a name.

Such a list, dict, set or array is an object of the store as any other one: a reference, the number
of a row of a region whose one column has the lists themselves. Which ones these are follows from
where they are made (what is said of lists here holds of dicts, sets and arrays):

    row = [0.0] * 3          the list is put into the column; row is its number
    m[0] = m[1] = row        the number is stored
    m[0][1] += x             the list in the column is updated, in its place
    sum(row)                 what only looks at a list gets what is in the column

Each expression that makes lists has a region of its own at first. Where lists of two of them meet,
in a variable or a list, they have one (``RegionsMeetError``), and the program is compiled anew.
(Points-to analysis by unification: Steensgaard, Points-to Analysis in Almost Linear Time, 1996.)
"""

from __future__ import annotations

import ast
import copy
import functools
import itertools
import operator
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, cast

import numpy as np

from pullback.core.terms import Atom
from pullback.errors import MutationError, UnsupportedError
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.flatten import NoKindError, kind_of
from pullback.frontend.kinds.join import of_one_type
from pullback.frontend.kinds.kinds import (
    Kind,
    OptionalK,
    RefK,
    SharedMemory,
    holds_references,
    parts,
)
from pullback.frontend.kinds.values import (
    ArrayV,
    Driven,
    FunctionV,
    GeneratorV,
    HashV,
    ListV,
    OptionalV,
    RecordV,
    RefV,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.kinds.widening import has_ints, has_literal_ints
from pullback.frontend.library.text import iterators
from pullback.frontend.memory import holding, places
from pullback.frontend.memory.container_objects import gone_through
from pullback.frontend.memory.dict_views import is_view, seen_by, view_of, word_of
from pullback.frontend.memory.object_dicts import attributes_now, is_object_dict
from pullback.frontend.memory.owners import owners_of
from pullback.frontend.python.memo import Remembered
from pullback.frontend.python.object_classes import LooseDict
from pullback.frontend.python.python_values import is_library
from pullback.frontend.python.source import definition_of
from pullback.frontend.store import shared_views
from pullback.frontend.store.facts import ITEMS, Group, holds_functions

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_PARENTS = Remembered[dict[ast.AST, ast.AST]]()


def is_shared(value: object) -> bool:
    """Whether a value is a reference to a list, dict or array, or a view of such an array."""
    is_reference = isinstance(value, RefV) and issubclass(value.cls, SharedMemory)
    return is_reference or shared_views.is_view(value)


def opened(run: Run, value: Value, node: ast.AST) -> Value:
    """Return the list, dict or array that a value refers to, or the value itself."""
    if isinstance(value, RefV) and issubclass(value.cls, SharedMemory):
        return run.rows.item(value, ITEMS, node)
    if isinstance(value, RecordV) and shared_views.is_view(value):
        whole = opened(run, value.fields["whole"], node)
        assert isinstance(whole, ArrayV)
        return shared_views.part(run, value, whole, node)
    return attributes_now(run, value, node) if is_object_dict(value) else value


@contextmanager
def followed(run: Run, follow: bool) -> Iterator[None]:
    """Evaluate what a loop runs over: whether the lists in it change in its rounds. (Functions that
    are called there go through lists of their own.)"""
    before, run.follows = run.follows, run.frame if follow else None
    try:
        yield
    finally:
        run.follows = before


def source(run: Run, value: Value, node: ast.AST) -> Value:
    """Return the list that a value refers to, for somebody who goes through it."""
    if is_object_dict(seen_by(value)):
        return value
    if is_view(value):
        return view_of(opened(run, seen_by(value), node), word_of(value))
    contents = opened(run, value, node)
    changes = run.follows is run.frame and is_shared(value)
    if not (changes and isinstance(contents, (ListV, ArrayV))):
        return contents
    written = iterators.followed
    assert isinstance(written, FunctionType)
    text = FunctionV(definition_of(written), None)
    items = Driven(run.within(text), {"items": value})
    return GeneratorV(node, items, items)


def _are_arrays(reference: type) -> bool:
    return issubclass(reference, SharedMemory) and reference.of is np.ndarray


def closed(run: Run, value: Value, node: ast.AST) -> Value:
    """Return the reference to a list that was read of its column, or the value itself; refused, if
    it may be a list of the store and it is not known which one."""
    if run.store is None or not run.store.facts.memory or memory_class(value) is None:
        return value
    place = run.frame.places.get(value)
    group = None if place is None else run.store.region(place.root)
    if group is not None and place is not None and place.steps:
        row, *rest = places.as_steps(place)
        ref = RefV(run.scalar(cast("Value", row), node).atom, group.reference)
        if rest and isinstance(value, ArrayV) and _are_arrays(ref.cls):
            found = shared_views.of(run, ref, rest, node)
            if found is not None:
                return found
        if not rest:
            return ref
    is_old = isinstance(value, (ListV, HashV)) and not value.fresh
    if is_old and run.store.are_in_regions(owners_of(value)):
        reason = "which list this is, of those that have several owners, is not known here"
        run.refuse(node, reason, "give it a name where it is taken", error=MutationError)
    return value


def kept(run: Run, value: Value, node: ast.expr) -> Value:
    """Return the value of an expression that may have made a list, dict or array: the reference to
    it, if what this expression makes may have several owners."""
    if not isinstance(node, _MAKING):
        return value
    is_part = isinstance(node, ast.Subscript) and value in run.parts
    if isinstance(value, ArrayV) and is_only_read(run, node):
        return value
    if not is_part:
        value = closed(run, value, node)
    cls = memory_class(value)
    if cls is None or not (is_part or (holding.is_updated_in_place(value) and value.fresh)):
        return value
    definition = run.frame.definition
    if definition is None or is_library(definition.globals) or is_only_read(run, node):
        return value
    return in_region(run, value, node, node, is_part)


def in_region(
    run: Run, value: Value, made_at: Hashable, node: ast.AST, is_part: bool = False
) -> Value:
    """Return the reference to a list, dict or array that is made here, if what is made at this
    place may have several owners; or the value itself."""
    cls = memory_class(value)
    kind = _kind(value)
    store = run.store
    if cls is None or kind is None or holds_functions(kind):
        return value
    run.new_memory[made_at, cls] = None
    if store is None or not store.facts.is_shared(made_at, cls):
        return value
    if not is_part and not store.temporaries((value,)):
        return value
    return store.new_memory(value, cls, made_at, node)


_MAKING = (
    ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call, ast.Subscript, ast.List, ast.ListComp, ast.Dict,
    ast.DictComp, ast.Set, ast.SetComp,
)  # fmt: skip
"""Expressions whose value may be a new list, dict or array."""


def memory_class(value: Value) -> type | None:
    """Return the class of a list, dict or array; None of another value."""
    match value:
        case ListV() | TupleV(is_list=True):
            return list
        case ArrayV():
            return np.ndarray
        case HashV(cls):
            return cls
        case RecordV(cls) if cls in (dict, LooseDict):
            return dict
        case _:
            return None


def _kind(value: Value) -> Kind | None:
    try:
        return kind_of(value)
    except NoKindError:
        return None


def kept_kind(kind: Kind, group: Group) -> Kind:
    """Return the kind that a new list, dict or array has in its region: a list is one of any
    length, unless its items have several types."""
    listed = of_one_type(kind)
    if listed is None:
        return kind
    group.has_ints |= has_ints(kind, listed.elem)
    optional = isinstance(listed.elem, OptionalK) and kind != listed
    unlike = optional or group.has_ints or has_literal_ints(kind, listed.elem)
    return kind if unlike and not group.one_type else listed


def let_be_list(run: Run, value: Value) -> None:
    """Begin anew if a list of several types may have several owners, and can be one of floats."""
    if run.store is not None:
        run.store.let_be_lists(run.frame.places.get(value))


def in_full(run: Run, value: Value, node: ast.AST) -> Value:
    """Return a value in which lists, dicts and arrays stand where references to them were."""
    try:
        if not refers_to_memory(kind_of(value)):
            return value
    except NoKindError:
        return value
    return _plain(run, value, node, ())


def in_full_each(
    run: Run, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> tuple[Sequence[Value], dict[str, Value]]:
    """Return the arguments of a call ``in_full``."""
    named = {n: in_full(run, v, node) for n, v in kwargs.items()}
    return [in_full(run, v, node) for v in args], named


def _plain(run: Run, value: Value, node: ast.AST, inside: tuple[type, ...]) -> Value:
    match value:
        case RefV(_, cls) if issubclass(cls, SharedMemory):
            if cls in inside and cls.of is tuple:
                reason = "a tuple that has tuples in it, as deep as the run goes, is needed in full"
                run.refuse(node, reason, "take the numbers out of it: a list of its leaves")
            if cls in inside:
                run.refuse(node, "a list that may have itself inside", "copy what is needed")
            return _plain(run, opened(run, value, node), node, (*inside, cls))
        case RecordV() if shared_views.is_view(value):
            return opened(run, value, node)
        case ListV(length, elem) as items if refers_to_memory(elem):
            whole = items
            made = run.sequence(
                length,
                lambda i: _plain(run, run.element(whole, i, node, checked=False), node, inside),
                node,
            )
            return replace(made, fresh=False, cls=whole.cls)  # an update of it would be lost
        case TupleV(items):
            each = tuple(_plain(run, v, node, inside) for v in items)
            return replace(value, items=each, owners=TupleV(()).owners, fresh=False)
        case RecordV(cls, fields):
            named = {n: _plain(run, v, node, inside) for n, v in fields.items()}
            return RecordV(cls, named, None, value.owners)
        case OptionalV():
            return run.case_value(value, lambda v: _plain(run, v, node, inside), node)
        case _:
            return value


def as_number(run: Run, value: Value, node: ast.AST) -> Value:
    """Return the result of a program, of which outside it must be known that it is a number."""
    if not isinstance(value, OptionalV) or isinstance(optionals.innermost(value), TupleV):
        return value
    return _without_memory(run, value, None, node)


def _without_memory(
    run: Run, value: OptionalV, is_here: Atom | None, node: ast.AST
) -> Value:
    """Return what may be a number, or a list, dict or tree in its place, as the number: there is no
    kind for both. ``is_here``: whether it is none of what may be in its place further out."""
    here = value.there if is_here is None else run.b.prim("and", is_here, value.there)
    inner = value.value
    if isinstance(inner, OptionalV):
        inner = _without_memory(run, inner, here, node)
    if not has_references(value.other):
        return OptionalV(value.there, inner, value.other)
    is_it = value.there if is_here is None else run.b.prim("or", run.b.prim("not", is_here), here)
    other = "a tuple" if isinstance(value.other, TupleV) else "a list or dict"
    reason = f"what may be {run.describe(value.value)} is {other}"
    run.require(is_it, UnsupportedError, reason, node)
    return inner


def refuse_second_names(run: Run, f: Value, args: Sequence[Value], node: ast.AST) -> None:
    """Refuse the derivative of a function that updates what it gets, if that may be in two of its
    arguments, or in one and in what it gets or captures as references: it is given them apart."""
    found = [group for v in args for group in _read_of(run, v)]
    if len(set(found)) < len(found) or (found and any(map(has_references, (f, *args)))):
        reason = "a function that is differentiated updates what it may have by another name, too"
        run.refuse(node, reason, "pass it once, or a copy", error=MutationError)


def _read_of(run: Run, value: Value) -> Iterator[Group]:
    """Return the regions whose column a value, or what it consists of, was read of."""
    place = run.frame.places.get(value)
    group = None if place is None or run.store is None else run.store.region(place.root)
    if group is not None:
        yield group
        return
    match value:
        case TupleV(items):
            inside: Iterable[Value] = items
        case RecordV(_, fields):
            inside = fields.values()
        case OptionalV(_, inner, other):
            inside = (inner, other)
        case _:
            inside = ()
    for v in inside:
        yield from _read_of(run, v)


def has_references(value: Value) -> bool:
    """Whether there are references in a value, or may be."""
    try:
        return holds_references(kind_of(value))
    except NoKindError:
        return True


def refers_to_memory(kind: Kind) -> bool:
    """Whether there may be references to lists, dicts or arrays in a value of this kind."""
    if isinstance(kind, RefK):
        return issubclass(kind.cls, SharedMemory)
    return any(map(refers_to_memory, parts(kind)))


def _parent_of(run: Run, node: ast.AST) -> ast.AST | None:
    """Return the statement or expression that an expression is a part of, in the function that is
    being run."""
    assert run.frame.definition is not None
    whole = run.frame.definition.node
    return _PARENTS.of(whole, None, lambda: _parents(whole)).get(node)


def is_only_read(run: Run, node: ast.AST) -> bool:
    """Whether nobody gets the list that an expression makes: what is around it reads its items."""
    parent = _parent_of(run, node)
    match parent:
        case ast.BinOp() | ast.UnaryOp() | ast.Starred() | ast.AugAssign() | ast.Attribute():
            return True
        case ast.FormattedValue() | ast.Expr():
            return True
        case ast.keyword():
            return _parent_of(run, parent) in run.reads
        case ast.Compare(ops=ops):
            return not any(isinstance(op, (ast.Is, ast.IsNot)) for op in ops)
        case ast.Subscript(value):
            return value is node
        case ast.For(iter=source) | ast.comprehension(iter=source):
            return source is node
        case ast.Call(args=args):
            return parent in run.reads and node in args
        case _:
            return False


def _parents(whole: ast.AST) -> dict[ast.AST, ast.AST]:
    return {child: n for n in ast.walk(whole) for child in ast.iter_child_nodes(n)}


_READING = frozenset({
    abs, float, int, round, dict, iter, list, tuple, set, frozenset, sorted, len, sum, any, all,
    enumerate, reversed, zip, map, filter, deque, isinstance, bool, type, copy.copy, copy.deepcopy,
    operator.contains, operator.getitem, operator.add, operator.mul, functools.reduce,
    itertools.chain, itertools.islice, itertools.pairwise, itertools.cycle, itertools.product,
    itertools.compress, itertools.combinations, itertools.permutations, itertools.takewhile,
    itertools.dropwhile,
    itertools.starmap, itertools.accumulate,
})  # fmt: skip
"""Functions that do not keep a list that they are given, but perhaps its items."""


_OVER = frozenset({enumerate, zip, map, filter})


def takes_arrays(function: object) -> bool:
    """Whether a function is one of a library of numbers, which takes lists for arrays."""
    module = "numpy" if isinstance(function, np.ufunc) else getattr(function, "__module__", "")
    return isinstance(module, str) and module.partition(".")[0] in ("numpy", "scipy", "math")


def only_reads(function: Value) -> bool:
    """Whether a function keeps no list that it is given."""
    if not isinstance(function, Static):
        return False
    known = function.value
    return (isinstance(known, Hashable) and known in _READING) or takes_arrays(known)


def given_memory(
    run: Run, function: object, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> tuple[Sequence[Value], dict[str, Value]]:
    """Return the arguments of a function of the library, which knows no references to lists."""
    args = [opened(run, v, node) if is_object_dict(v) else v for v in args]
    if takes_arrays(function) or function in _OVER:
        args = [gone_through(run, v, node) for v in args]
    if run.store is None:
        return args, kwargs
    if takes_arrays(function):
        return in_full_each(run, args, kwargs, node)
    if function in _READING:
        return [source(run, v, node) for v in args], kwargs
    return args, kwargs


__all__ = [
    "as_number", "closed", "followed", "given_memory", "has_references", "in_full", "in_region",
    "is_only_read", "is_shared", "kept", "kept_kind", "let_be_list", "only_reads", "opened",
    "refers_to_memory", "refuse_second_names", "source", "takes_arrays",
]  # fmt: skip
