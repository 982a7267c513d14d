"""What ``for`` accepts: its items, its length, and it as a list."""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from types import FunctionType

from pullback.core.build import Builder, i64, lit
from pullback.core.terms import Atom, Build, If, Lit, Loop, Update, Var
from pullback.core.types import F64, I64, Array
from pullback.errors import ArgumentTypeError
from pullback.frontend.functions import iterator_lifetimes
from pullback.frontend.functions.choices import definitions, is_choice
from pullback.frontend.functions.stepped_form import is_step
from pullback.frontend.interface import Specialiser
from pullback.frontend.interpret import (
    complex_values,
    late_items,
    made_texts,
    range_items,
    small_ints,
    unrolling,
)
from pullback.frontend.interpret.classes_apart import GONE_THROUGH, require_items
from pullback.frontend.interpret.endings import without_rounds
from pullback.frontend.interpret.items_of_several import whatever_it_is
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.coerce import coerce, list_of
from pullback.frontend.kinds.complex_pairs import is_complex_array
from pullback.frontend.kinds.flatten import flatten
from pullback.frontend.kinds.join import as_list, generalise
from pullback.frontend.kinds.kinds import Kind, ListK, ScalarK, TupleK, leaf_types, without_spare
from pullback.frontend.kinds.sum_kinds import mixes
from pullback.frontend.kinds.undefined import dummy
from pullback.frontend.kinds.values import (
    ArrayV,
    ClosureV,
    Driven,
    EnumerateV,
    FunctionV,
    GeneratorV,
    HashV,
    Indexed,
    Items,
    LambdaSetV,
    Late,
    ListV,
    Owner,
    RangeV,
    RecordV,
    RefV,
    ReversedV,
    Scalar,
    SmallV,
    Static,
    SymbolV,
    TupleV,
    Unrolled,
    Value,
    ZipV,
)
from pullback.frontend.kinds.widening import has_ints, loses_ints
from pullback.frontend.library.numpy import arrays
from pullback.frontend.library.text import iterators
from pullback.frontend.memory import hash_methods, lists, made_sets, places
from pullback.frontend.memory.container_objects import gone_through as through
from pullback.frontend.memory.dict_views import is_view, seen_by
from pullback.frontend.memory.object_dicts import is_object_dict
from pullback.frontend.memory.ownership import is_unshared
from pullback.frontend.python import special_methods, symbols
from pullback.frontend.python.container_bases import is_tuple_class
from pullback.frontend.python.python_values import is_library
from pullback.frontend.python.source import definition_of
from pullback.frontend.run import Run
from pullback.frontend.signals import AlwaysRaises
from pullback.frontend.store.shared_memory import is_shared, let_be_list, opened


def iterate(run: Run, value: Value, node: ast.AST) -> Items:
    """Return the items of a value. Refuse it like a TypeError if it has none."""
    match value:
        case _ if optionals.may_be_nothing(value):
            return iterate(run, whatever_it_is(run, value, node), node)
        case RefV() | RecordV() if is_shared(value):
            return iterate(run, opened(run, value, node), node)
        case FunctionV() | TupleV() | ClosureV() | LambdaSetV() if is_iterator(value):
            return text_over(run, iterators.rows, {"source": value})
        case SmallV():
            return small_ints.iterate(run, value, node)
        case ArrayV():
            return places.noted(run, value, arrays.iterate(run, value, node))
        case ListV(length):
            return Indexed(length, lambda i: run.element(value, i, node, checked=False))
        case TupleV(items) if not is_choice(value):
            return places.noted(run, value, Unrolled(items))
        case HashV():
            return hash_methods.items_of(run, value, node)
        case RecordV() if is_complex_array(value):
            return places.noted(run, value, complex_values.iterate(run, value, node))
        case RecordV() | RefV() if (held := through(run, value, node)) is not value:
            return iterate(run, held, node)
        case _ if special_methods.is_iterable(value):
            return iterate(run, special_methods.iterator(run, value, node), node)
        case RecordV(cls) if issubclass(cls, dict) or is_view(value) or is_object_dict(value):
            return hash_methods.items_of(run, value, node)
        case RecordV(cls, fields) if is_tuple_class(cls):
            return Unrolled(tuple(fields.values()))
        case Static(enum.EnumType() as cls) if type(cls).__iter__ is enum.EnumType.__iter__:
            return Unrolled(tuple(map(Static, symbols.members(cls))))
        case RangeV():
            return range_items.items_of(run, value, node)
        case GeneratorV(_, items):
            run.generators.begin(value, node)
            return items() if callable(items) else items
        case ZipV(items):
            return _zip(run, [iterate(run, v, node) for v in items], node)
        case EnumerateV(items, start):
            return _enumerate(run, iterate(run, items, node), start, node)
        case ReversedV(items):
            return _reversed(run, iterate(run, items, node), node)
        case Static(set() | frozenset()):
            return iterate(run, made_sets.known_as_table(run, value, node), node)
        case SymbolV(_, cls) if cls is str:
            return made_texts.items(run, value, node)
        case Static(str() | bytes() as known):
            return Unrolled(tuple(map(Static, known)))
        case _:
            if not isinstance(node, ast.Starred):  # that tells of the function
                require_items(run, value, GONE_THROUGH, "'{}' object is not iterable", node)
            run.refuse(node, f"{run.describe(value)} has no items", error=ArgumentTypeError)


def is_driven(value: Value) -> bool:
    """Whether the items of a value come one after the other only."""
    return is_iterator(value) or (
        isinstance(value, GeneratorV) and isinstance(value.items, Driven)
    )


def listed(run: Run, value: Value, node: ast.AST) -> Value:
    """Return the items of an iterator, or of what makes one, as a list; all else as it is."""
    if not is_driven(value) and not special_methods.is_iterable(value):
        return value
    return collect(run, iterate(run, value, node), node)


def given_to_view(value: Value) -> tuple[Value, ...] | None:
    """Return the arguments that a zip, enumerate or reversed was made of; None of anything else."""
    match value:
        case ZipV(items):
            return items
        case EnumerateV(items, start):
            return items, start
        case ReversedV(items):
            return (items,)
        case _:
            return None


def is_iterator(value: Value) -> bool:
    """Whether a value is an iterator that is advanced from outside (``advancing``), or one of
    several."""
    found = definitions(value)
    return bool(found) and all(d is not None and is_step(d.node) for d in found)


def called(run: Run, function: Value, node: ast.Call) -> Value:
    """Return what a user calls by its name; an iterator is a function here only."""
    by_user = isinstance(node.func, ast.Name) and node.func.id.isidentifier()
    here = run.frame.definition
    if by_user and is_iterator(function) and here is not None and not is_library(here.globals):
        run.never("TypeError", "an iterator is not callable", node, ArgumentTypeError)
    return function


def known(items: Items) -> tuple[Value, ...] | None:
    """Return the items if they are known one by one."""
    return items.items if isinstance(items, Unrolled) else None


def stepped(items: Items) -> tuple[Value, ...] | Late | None:
    """Return the same, each to be made where it is taken."""
    return items.each if isinstance(items, Unrolled) else None


def indexed(items: Items) -> Indexed | None:
    """Return the items if each can be asked for by its position."""
    if isinstance(items, Indexed) and items.keep is None and items.nested is None:
        return items
    return None


def iterator(items: Items, node: ast.AST) -> Value:
    """Return the items as a value that can be used once."""
    if isinstance(items, Unrolled) and not isinstance(items.each, Late):
        return once(TupleV(items.each), items, node)
    return GeneratorV(node, items)


def text_over(run: Run, function: Callable[..., object], args: dict[str, Value]) -> Driven:
    """Return the items that a text yields."""
    return Driven(run.within(_text(function)), args)


def once(value: Value, items: Items | Callable[[], Items], node: ast.AST) -> GeneratorV:
    """Return an iterator over data, which can be used once only."""
    return GeneratorV(node, items, Driven(_text(iterators.each), {"iterable": value}))


def _text(function: Callable[..., object]) -> FunctionV:
    assert isinstance(function, FunctionType)
    return FunctionV(definition_of(function), None)


def nameable(run: Run, value: Value, key: object, node: ast.AST) -> Value:
    """Return a value for a name or an item (``key``): an iterator can be used once, or advanced."""
    if isinstance(value, (ZipV, EnumerateV, ReversedV)):
        value = once(value, partial(run.iterate, value, node), node)
    if iterator_lifetimes.is_ending(value):
        iterator_lifetimes.again(run, value, key, node)
    if not isinstance(value, GeneratorV):
        return value
    if value.body is None:
        run.refuse(
            node,
            f"{run.describe(value)} given a name: an iterator can be used only once",
            "use it where it is made, or make a list of it: [... for ...]",
        )
    return run.generators.name(value, key, node)


def mapped(
    sp: Specialiser, items: Items, f: Callable[[Value], Value], at_once: bool, node: ast.AST
) -> Items:
    """Return ``f`` of each item; ``at_once``: nobody can tell when it is called, if it is of plain
    numbers and does not raise."""
    match items:
        case Unrolled(values):
            return late_items.mapped(as_run(sp), values, f, at_once)
        case Indexed(n, at, keep, nested):
            if nested is None:
                return Indexed(n, lambda i: f(at(i)), keep)
            inside = nested
            return Indexed(n, at, keep, lambda i: mapped(sp, inside(i), f, at_once, node))
        case Driven():
            sp.refuse(node, "a generator inside of what is mapped", "use a comprehension")


def as_run(sp: Specialiser) -> Run:
    """Return the specialiser that handlers ask as the front end knows it."""
    assert isinstance(sp, Run)
    return sp


def placeholder(sp: Specialiser, items: Items, node: ast.AST) -> Value:
    """Return a value of the kind of the items, not to be looked at."""
    return dummy(as_run(sp), item_kind(as_run(sp), items, node))


def item_kind(run: Run, items: Items, node: ast.AST) -> Kind:
    """Return the kind of the items (of known ones: of the first)."""
    match items:
        case Unrolled(each):
            with run.building(Builder()):
                return generalise(run.kind(each[0], node)) if each else ScalarK(I64, True)
        case Driven():
            return run.generators.item_kind(items, node) or ScalarK(I64, True)
        case Indexed(_, at, _, nested):
            with run.building(Builder()):
                index = Var("i", I64)
                if nested is not None:
                    return item_kind(run, nested(index), node)
                return generalise(run.kind(at(index), node))


def _as_indexed(run: Run, items: Items, node: ast.AST) -> Indexed:
    match items:
        case Unrolled(Late() as late):
            return late_items.by_number(run, late, node)
        case Unrolled():
            made = to_list(run, TupleV(items.items), node)
            return Indexed(made.length, lambda i: run.element(made, i, node, checked=False))
        case Indexed(_, _, None, None):
            return items
        case Driven():
            run.refuse(
                node,
                "the items of a generator come one after the other, and not beside others",
                "make a list of it: list(...)",
            )
        case Indexed():
            made = collect(run, items, node)
            return Indexed(made.length, lambda i: run.element(made, i, node, checked=False))


def _zip(run: Run, columns: Sequence[Items], node: ast.AST) -> Items:
    if not columns:
        return Unrolled(())
    known = [c.each for c in columns if isinstance(c, Unrolled)]
    if len(known) == len(columns):
        return late_items.zipped(run, known, node)
    if any(len(each) == 0 for each in known):
        return Unrolled(())
    indexed = [_as_indexed(run, c, node) for c in columns]
    length = indexed[0].length
    for c in indexed[1:]:
        if not ext.same(run, length, c.length):
            length = ext.smaller(run, length, c.length)
    return Indexed(length, lambda i: TupleV(tuple(c.at(i) for c in indexed)))


def _enumerate(run: Run, items: Items, start: Value, node: ast.AST) -> Items:
    if isinstance(items, Unrolled):
        each = items.each

        def numbered(k: int) -> Value:
            return TupleV((run.binop("+", start, Static(k), node), each[k]))

        return late_items.like(each, len(each), numbered)
    indexed = _as_indexed(run, items, node)

    def at(i: Atom) -> Value:
        number = Scalar(i, True, 31)
        zero = isinstance(start, Static) and start.value == 0
        return TupleV((number if zero else run.binop("+", start, number, node), indexed.at(i)))

    return Indexed(indexed.length, at)


def _reversed(run: Run, items: Items, node: ast.AST) -> Items:
    if isinstance(items, Unrolled):
        return Unrolled(items.items[::-1])
    indexed = _as_indexed(run, items, node)

    def at(i: Atom) -> Value:
        last = ext.sub(run, indexed.length, i64(1))
        return indexed.at(run.b.prim("sub", last, i))

    return Indexed(indexed.length, at)


def length(run: Run, value: Value, node: ast.AST) -> Value:
    """Compile ``len(value)``."""
    value = opened(run, value, node)
    if (by_method := special_methods.length(run, value, node)) is not None:
        return by_method
    match value:
        case (ArrayV() as array) | SmallV(ArrayV() as array):
            return ext.int_value(ext.extents(run, array)[0])
        case HashV():
            return ext.int_value(value.live)
        case RecordV() if is_view(value):
            return length(run, seen_by(value), node)
        case ListV(n):
            return ext.int_value(n)
        case TupleV(items) | Static(set() | frozenset() as items):
            return Static(len(items))
        case RecordV(cls, fields) if issubclass(cls, dict) or is_tuple_class(cls):
            return Static(len(fields))
        case RangeV():
            count = range_items.parts(run, value, node)[1]
            return ext.int_value(count) if isinstance(count, Lit) else Scalar(count, True, 64)
        case Static(str()) | SymbolV() if made_texts.is_text(value):
            return made_texts.length(run, value, node)
        case Static(enum.EnumType() as cls) if type(cls).__len__ is enum.EnumType.__len__:
            return Static(len(symbols.members(cls)))
        case _:
            require_items(run, value, ("__len__",), "object of type '{}' has no len()", node)
            run.refuse(node, f"{run.describe(value)} has no len()", error=ArgumentTypeError)


def to_list(run: Run, value: Value, node: ast.AST) -> ListV:
    """Return the items of anything that can be iterated over as a list of items of one kind."""
    value = opened(run, value, node)
    match value:
        case ListV(_, elem, _, _, _, _, spare):
            is_it = not spare and value.cls is list
            return value if is_it else run.coerce_list(value, ListK(elem), node)
        case ArrayV(atom, owners) if value.rank == 1:
            n = ext.extents(run, value)[0]
            return ListV(n, ScalarK(value.elem, False), (atom,), owners)
        case TupleV(items) if not is_choice(value):
            if not items:
                return ListV(i64(0), TupleK(()), ())
            as_one = as_list(kind := run.kind(value, node))
            if as_one is None or has_ints(kind, as_one.elem) or mixes(as_one.elem):
                unrolling.begin_anew(run, node)  # each item keeps its type
            if as_one is None or loses_ints(kind, as_one.elem):
                let_be_list(run, value)
                reason = "a list that is indexed or looped over at run time needs items of one type"
                rewrite = "use a tuple with literal indices, a dataclass, or float(k) for an int"
                run.refuse(node, reason, rewrite)
            return run.coerce_list(value, replace(as_one, cls=list), node)
        case _:
            return collect(run, iterate(run, value, node), node)


ENDLESS = 1 << 62
"""How many items ``itertools.count()``, ``cycle(xs)`` and ``repeat(x)`` have."""


def has_no_end(items: Items) -> bool:
    """Whether items come for ever, as far as is known."""
    return isinstance(items, Indexed) and items.length == i64(ENDLESS)


def require_end(run: Specialiser, items: Items, node: ast.AST) -> None:
    """Refuse items without an end where all of them would be kept."""
    if has_no_end(items):
        run.refuse(
            node,
            "items without an end would be kept in a list here",
            "take as many as are used first: itertools.islice(..., n), or zip(range(n), ...)",
        )


def collect(run: Run, items: Items, node: ast.AST) -> ListV:
    """Return the list of all items of a comprehension."""
    require_end(run, items, node)
    match items:
        case Unrolled():
            return to_list(run, TupleV(items.items), node)
        case Driven() | Indexed(nested=Callable()):
            made, _ = lists.extend_by(run, TupleV((), is_list=True), items, node)
            return made if isinstance(made, ListV) else to_list(run, made, node)
        case Indexed(n, at, None, _):
            return run.sequence(n, at, node)
        case Indexed(n, at, keep, _):
            assert keep is not None
            kept, count = _kept(run, n, keep)

            def item(k: Atom) -> Value:
                return at(run.b.index(kept, (k,), checked=False))

            return run.sequence(count, item, node)


def sequence(run: Run, length: Atom, fn: Callable[[Atom], Value], node: ast.AST) -> ListV:
    """Return the sequence as one Build; its results are the leaves of the item."""
    index = Var("i", I64)
    kinds: list[Kind] = []
    mine, items = Owner("a list"), Owner("an item of a list")
    start, shared, sole = mine.serial, set[Owner](), [True]

    def body() -> Sequence[Atom]:
        item = fn(index)
        run.check_captured_in_loop(item, node)
        kind = without_spare(generalise(run.kind(item, node)))
        kinds.append(kind)
        flat = flatten(coerce(run, item, kind, node))
        shared.update(o for owners, _ in flat.owned for o in owners if o.serial < start)
        if flat.owned:
            shared.add(items)
            sole[0] = len(shared) == 1 and is_unshared(item)
        return flat.atoms

    try:
        block = run.block(body)
    except AlwaysRaises as e:
        without_rounds(run.b, length, index, e)
        zeros = run.block(lambda: (lit(0.0, F64),))
        atoms = run.b.let(Build((i64(0),), (Var("i", I64),), zeros), (Array(F64, 1),))
        return ListV(i64(0), ScalarK(F64, True), tuple(atoms), frozenset({mine}), True)
    types = tuple(Array(t, 1) for t in leaf_types(kinds[0]))
    atoms = run.b.let(Build((length,), (index,), block), types) if types else ()
    own, inner = frozenset({mine}), frozenset(shared)
    return ListV(length, kinds[0], tuple(atoms), own, True, inner, sole=sole[0])


def _kept(run: Run, n: Atom, keep: Callable[[Atom], Atom]) -> Sequence[Atom]:
    """Return the indices that the ``if`` of a comprehension keeps, and their number."""
    i = Var("i", I64)
    (start,) = run.b.let(Build((n,), (i,), run.block(lambda: (i64(0),))), (Array(I64, 1),))
    index, found, count = Var("i", I64), Var("kept", Array(I64, 1)), Var("k", I64)

    def body() -> tuple[Atom, ...]:
        cond = keep(index)

        def store() -> tuple[Atom, ...]:
            (out,) = run.b.let(Update(found, (count,), index, False), (found.type,))
            return out, run.b.prim("add", count, i64(1))

        then, orelse = run.block(store), run.block(lambda: (found, count))
        return run.b.let(If(cond, then, orelse), (found.type, I64))

    try:
        block = run.block(body)
    except AlwaysRaises as e:
        without_rounds(run.b, n, index, e)
        return start, i64(0)
    loop = Loop(n, index, (found, count), (start, i64(0)), block)
    return run.b.let(loop, (found.type, I64))


__all__ = ["ListK", "collect", "flatten", "iterate", "length", "list_of", "to_list"]
