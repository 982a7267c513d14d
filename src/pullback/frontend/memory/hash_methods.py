"""What Python does with hash tables: ``d[k]``, ``d[k] = v``, ``in``, iteration, and the methods of
``dict``, ``set``, ``defaultdict``, ``Counter`` and ``OrderedDict``."""

from __future__ import annotations

import ast
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from pullback.core.build import Builder, i64
from pullback.core.messages import of_key
from pullback.core.terms import Atom, Lit
from pullback.errors import ArgumentTypeError, StaticKeyError
from pullback.frontend.functions import noted
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.flatten import kind_of
from pullback.frontend.kinds.key_numbers import differs_by_process
from pullback.frontend.kinds.table_keys import key_kind
from pullback.frontend.kinds.undefined import any_of_kind
from pullback.frontend.kinds.values import (
    HashV,
    Items,
    ListV,
    RecordV,
    RefV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Unrolled,
    Value,
    method,
    register,
)
from pullback.frontend.library.arguments import MISSING, bind
from pullback.frontend.memory import hash_changes as changes
from pullback.frontend.memory import hash_tables as tables
from pullback.frontend.memory import holding, loose_dicts, places
from pullback.frontend.memory.chosen_keys import known_item
from pullback.frontend.memory.container_objects import as_mapping
from pullback.frontend.memory.dict_views import CLASSES, seen_by, view_of, word_of
from pullback.frontend.memory.hash_tables import is_set
from pullback.frontend.memory.keys_by_methods import hashed, own_key
from pullback.frontend.signals import NotCarriedError, Unreachable
from pullback.frontend.store.shared_memory import has_references, in_region, opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run

Args = Sequence[Value]
Kwargs = dict[str, Value]
Change = tuple[HashV, Value]
_NONE = Static(None)
_NUMBERS = Counter
"""The class whose missing items are 0."""


# --- reading --------------------------------------------------------------------------------------


def contains(run: Run, d: HashV, key: Value, node: ast.AST) -> Value:
    """Compile ``key in d``."""
    entry = tables.lookup(run, d, key, node)
    return Static(False) if isinstance(entry, Lit) else Scalar(tables.is_found(run, entry), True, 1)


def get_item(run: Run, d: HashV, key: Value, node: ast.AST) -> Value:
    """Compile ``d[key]``; the value for a missing key is not put in."""
    if is_set(d):
        run.refuse(node, "'set' object is not subscriptable", error=ArgumentTypeError)
    default = _default(run, d, node)
    if default is not None:
        return _value_or(run, d, key, default, node)
    if not d.elem.items and not tables.is_no_key(run, d, key, node):
        own_key(run, key, node)
        shown = of_key(key.value) if isinstance(key, Static) else "a key of an empty dict"
        run.never("KeyError", shown, node, StaticKeyError)
    entry = tables.lookup(run, d, key, node)
    tables.check_key(run, key, tables.is_found(run, entry), node)
    made = tables.value_at(run, d, entry, node)
    places.note(run, d, key, made)
    return made


def _default(run: Run, d: HashV, node: ast.AST) -> Callable[[], Value] | None:
    """Return the function that makes the value of a missing item, unless that is an error."""
    if d.cls is Counter:
        return lambda: Static(0)
    if d.cls is defaultdict and d.factory is not _NONE and not _is_none(d.factory):
        return lambda: in_region(run, run.call(d.factory, (), node), node, node)
    return None


def _is_none(value: Value) -> bool:
    return isinstance(value, Static) and value.value is None


def _value_or(
    run: Run, d: HashV, key: Value, default: Callable[[], Value], node: ast.AST
) -> Value:
    entry = tables.lookup(run, d, key, node)
    if isinstance(entry, Lit):
        return default()
    found = tables.is_found(run, entry)
    return run.branch(found, lambda: tables.value_at(run, d, entry, node), default, node)


def size(value: Value) -> Atom | None:
    """Return the number of items of a dict or set."""
    match value:
        case HashV():
            return value.live
        case RecordV(cls, fields) if cls is dict:
            return i64(len(fields))
        case _:
            return None


def items_of(run: Run, value: Value, node: ast.AST) -> Items:
    """What a loop over a dict or set, or a view of it, runs over."""
    d, word = opened(run, seen_by(value), node), word_of(value)
    if isinstance(d, HashV):
        return iterate(run, d, word, node)
    assert isinstance(d, RecordV)
    if loose_dicts.is_loose(d):
        loose_dicts.refuse(run, node)
    if word == "keys":
        return Unrolled(tuple(map(known_item, d.fields)))
    for name, part in d.fields.items():
        places.note(run, d, Static(name), part)
    if word == "values":
        return Unrolled(tuple(d.fields.values()))
    return pairs_of(run, d, node)


def iterate(run: Run, d: HashV, what: str, node: ast.AST) -> Items:
    """Return the keys, values or items of a table, in the order in which they were put in; those of
    a set in Python's."""
    if not d.elem.items:
        return Unrolled(())
    if is_set(d) and not (tables.has_order(d) or differs_by_process(d.elem.items[0])):
        run.refuse(
            node,
            "the order of objects in a set follows from what their __hash__ gives",
            "loop over a sorted list, or use a dict with the value None for each key",
        )

    def at(i: Atom) -> Value:
        if what == "keys":
            return tables.key_at(run, d, i, node)
        value = tables.value_at(run, d, i, node)
        if what == "values" and not places.is_part(value):
            return value
        own = tables.own_key_at(run, d, i, node)
        places.note(run, d, own, value)
        return value if what == "values" else TupleV((tables.key_at(run, d, i, node), value))

    return tables.seen(run, d, at)


def as_dict(d: HashV) -> HashV:
    return replace(d, cls=dict)


# --- updates --------------------------------------------------------------------------------------


def store_at(
    run: Run,
    d: HashV,
    index: Value,
    value: Callable[[Callable[[], Value]], Value],
    node: ast.AST,
) -> HashV:
    """Compile ``d[k] = v``; ``value`` may ask for the old value."""
    if is_set(d):
        run.refuse(node, "'set' object does not support item assignment", error=ArgumentTypeError)
    new = value(lambda: get_item(run, d, index, node))
    return changes.put(run, d, index, new, node)


def ensured(run: Run, d: HashV, key: Value, node: ast.AST) -> tuple[HashV, Atom]:
    """Return the table with an entry for the key, as reading ``d[key]`` leaves it, and the
    entry."""
    default = _default(run, d, node) if d.cls is defaultdict else None
    if default is None:
        if not d.elem.items:
            get_item(run, d, key, node)
        entry = tables.known(d, key)
        if entry is None:
            entry = tables.lookup(run, d, key, node)
            tables.check_key(run, key, tables.is_found(run, entry), node)
        return d, entry
    return changes.with_key(run, d, key, _missing(run, d, key, default, node), node)


def _missing(
    run: Run, d: HashV, key: Value, default: Callable[[], Value], node: ast.AST
) -> Value:
    """Return what is put in if there is no such key. A number that is known without any code is
    made in either case; else the function that makes it is called only where Python calls it."""
    if not d.elem.items:
        return default()
    try:
        with run.building(Builder()) as code, run.sealed():
            known = not (holding.may_hold(made := default()) or has_references(made) or code.lets)
    except (NotCarriedError, Unreachable):
        known = False
    found = tables.is_found(run, tables.lookup(run, d, key, node))
    if known or isinstance(found, Lit):
        return default()
    return run.branch(found, lambda: any_of_kind(run, d.elem.items[1]), default, node)


def read(run: Run, d: HashV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    """Compile ``d[key]`` of a defaultdict: a missing item is put in."""
    made, entry = ensured(run, d, args[0], node)
    return made, tables.value_at(run, made, entry, node)


def setdefault(run: Run, d: HashV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    key, default = arguments(run, "setdefault", args, kwargs, 1, 2, node)
    made, entry = changes.with_key(run, d, key, default or _NONE, node)
    return made, tables.value_at(run, made, entry, node)


def pop(run: Run, d: HashV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    if is_set(d):
        arguments(run, "pop", args, kwargs, 0, 0, node)
        if d.elem.items and not (tables.has_order(d) or differs_by_process(d.elem.items[0])):
            reason = "set.pop() takes the object that comes first by what their __hash__ gives"
            run.refuse(node, reason, "use a list, or a dict and popitem()")
        made, item = _end(run, d, True, "pop from an empty set", node)
        assert isinstance(item, TupleV)
        return made, item.items[0]
    return taken_out(run, d, args, kwargs, node)


def taken_out(run: Run, d: HashV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    """Return the table without a key, and its value (or what stands for that)."""
    given, default = arguments(run, "pop", args, kwargs, 1, 2, node)
    key = hashed(run, given, node)
    if not d.elem.items:
        return d, get_item(run, replace(d, cls=dict), key, node) if default is None else default
    wide = tables.with_holes(run, d, node)
    entry = tables.lookup(run, wide, key, node)
    found = tables.is_found(run, entry)
    if default is None:
        tables.check_key(run, given, found, node)
        value = tables.value_at(run, wide, entry, node)
    else:
        value = run.branch(
            found, lambda: tables.value_at(run, wide, entry, node), lambda: default, node
        )
    return changes.deleted(run, wide, key, node), value


def popitem(run: Run, d: HashV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    last = args[0] if args else kwargs.get("last", Static(True))
    is_last = d.cls is not OrderedDict or bool(run.static(last, node, "last"))
    message = "dictionary is empty" if d.cls is OrderedDict else "popitem(): dictionary is empty"
    return _end(run, d, is_last, message, node)


def _end(run: Run, d: HashV, last: bool, message: str, node: ast.AST) -> Change:
    """Return the table without the entry that was put in last (or first), and that entry."""
    if not d.elem.items:
        run.never("KeyError", of_key(message), node, StaticKeyError)
    wide = tables.with_holes(run, d, node)
    run.require(run.b.prim("gt", wide.live, i64(0)), "KeyError", of_key(message), node)
    made, entry = changes.without_end(run, wide, last, node)
    # read where it still lies, behind the end: another version of the table would be a copy of it
    key, value = tables.key_at(run, made, entry, node), tables.value_at(run, made, entry, node)
    return made, TupleV((key, value))


def clear(run: Run, d: HashV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    arguments(run, "clear", args, kwargs, 0, 0, node)
    made = tables.empty(run, d.cls, d.factory)
    return replace(made, owners=d.owners, fresh=d.fresh), _NONE


def update(run: Run, d: HashV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    with noted.midway(run.frame):
        for more in args:
            if d.cls is Counter:
                d = counted(run, d, more, node)
            else:
                d = with_pairs(run, d, pairs_of(run, more, node), node)
    for name, value in kwargs.items():
        d = changes.put(run, d, Static(name), value, node)
    return d, _NONE


def move_to_end(run: Run, d: HashV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    (key, last) = bind(run, "move_to_end", args, kwargs, node, key=MISSING, last=Static(True))
    if not run.static(last, node, "last"):
        again = "make another dict: {key: d.pop(key), **d}"
        run.refuse(node, "move_to_end(key, last=False)", again)
    made, value = pop(run, d, (key,), {}, node)
    return changes.put(run, made, key, value, node), _NONE


def arguments(
    run: Run, name: str, args: Args, kwargs: Kwargs, least: int, most: int, node: ast.AST
) -> tuple[Value, Value | None]:
    if kwargs or not least <= len(args) <= most:
        run.refuse(node, f"wrong arguments of {name}", error=ArgumentTypeError)
    given = [*args, None, None]
    return cast("Value", given[0]), given[1]


UPDATES: dict[str, Callable[[Run, HashV, Args, Kwargs, ast.AST], Change]] = {
    "pop": pop, "update": update, "setdefault": setdefault, "clear": clear, "popitem": popitem,
    "__getitem__": read, "move_to_end": move_to_end,
}  # fmt: skip


# --- making them ----------------------------------------------------------------------------------


def pairs_of(run: Run, value: Value, node: ast.AST) -> Items:
    """Return the items of a mapping, or of an iterable of pairs."""
    match opened(run, as_mapping(run, value, node), node):
        case HashV() as d if not tables.is_set(d):
            return iterate(run, d, "items", node)
        case RecordV(cls, fields) if cls is dict:
            return Unrolled(tuple(TupleV((known_item(k), v)) for k, v in fields.items()))
        case other:
            return run.iterate(other, node)


def with_pairs(run: Run, d: HashV, items: Items, node: ast.AST) -> HashV:
    """Return the table with more items."""

    def one(d: HashV, pair: Value) -> HashV:
        return changes.put(run, d, *pair_of(run, pair, node), node)

    return folded(run, d, items, one, node)


def pair_of(run: Run, pair: Value, node: ast.AST) -> tuple[Value, Value]:
    """Return the key and the value of an item that is put into a dict."""
    both = run.iterate(pair, node)
    if not isinstance(both, Unrolled) or len(both.items) != 2:
        run.refuse(node, "a dict is made of pairs", error=ArgumentTypeError)
    return both.items[0], both.items[1]


def with_items(run: Run, d: HashV, items: Items, node: ast.AST) -> HashV:
    """Return the set with more items."""
    return folded(run, d, items, lambda d, v: changes.with_key(run, d, v, _NONE, node)[0], node)


def folded(
    run: Run, d: HashV, items: Items, one: Callable[[HashV, Value], HashV], node: ast.AST
) -> HashV:
    if isinstance(items, Unrolled):
        for item in items.items:
            d = one(d, item)
        return d

    def step(state: Sequence[Value], item: Value) -> Sequence[Value]:
        (so_far,) = state
        assert isinstance(so_far, HashV)
        return [one(so_far, item)]

    (made,) = run.fold(items, [d], step, node)
    assert isinstance(made, HashV)
    return replace(made, owners=d.owners, fresh=d.fresh)


def counted(run: Run, d: HashV, items: Value, node: ast.AST) -> HashV:
    """Return the counter with the numbers of some items added."""
    items = opened(run, as_mapping(run, items, node), node)
    is_table = isinstance(items, HashV) and not is_set(items)
    if is_table or (isinstance(items, RecordV) and items.cls is dict):

        def more(d: HashV, pair: Value) -> HashV:
            assert isinstance(pair, TupleV)
            key, n = pair.items
            both = run.binop("+", get_item(run, d, key, node), n, node)
            return changes.put(run, d, key, both, node)

        return folded(run, d, pairs_of(run, items, node), more, node)

    def one(d: HashV, key: Value) -> HashV:
        before = get_item(run, d, key, node)
        return changes.put(run, d, key, run.binop("+", before, Static(1), node), node)

    return folded(run, d, run.iterate(as_items(items), node), one, node)


def as_items(value: Value) -> Value:
    """Return a set as a value whose items can be gone through, in an order of our own if Python's
    is not known."""
    is_other = isinstance(value, HashV) and is_set(value) and not tables.has_order(value)
    return as_dict(value) if isinstance(value, HashV) and is_other else value


def items_of_set(run: Run, value: Value, node: ast.AST) -> Items:
    return run.iterate(as_items(value), node)


# --- methods that change nothing ------------------------------------------------------------------


@method("table", "get")
def _get(sp: Specialiser, d: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    assert isinstance(d, HashV)
    run = cast("Run", sp)
    key, default = arguments(run, "get", args, kwargs, 1, 2, node)
    return _value_or(run, d, key, lambda: default or _NONE, node)


def _view(
    word: str, sp: Specialiser, d: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    arguments(cast("Run", sp), word, args, kwargs, 0, 0, node)
    return view_of(d, word)


for _word in CLASSES:
    method("dict", _word)(partial(_view, _word))
    method("table", _word)(partial(_view, _word))


@method("table", "copy")
def _copy(sp: Specialiser, d: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    assert isinstance(d, HashV)
    return tables.copied(cast("Run", sp), d)


# --- constructors ---------------------------------------------------------------------------------


@register(defaultdict)
def _defaultdict(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    run = cast("Run", sp)
    factory, *more = args or (_NONE,)
    made = tables.empty(run, defaultdict, factory)
    return update(run, made, more, kwargs, node)[0]


@register(Counter)
def _counter(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return update(cast("Run", sp), tables.empty(cast("Run", sp), Counter), args, kwargs, node)[0]


@register(OrderedDict)
def _ordered(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    run = cast("Run", sp)
    return update(run, tables.empty(run, OrderedDict), args, kwargs, node)[0]


def unordered(run: Run, value: Value, node: ast.AST) -> Value:
    """Return a set as a list of its items, for a function to which their order does not matter."""
    if not isinstance(value, HashV) or not is_set(value):
        return value
    return run.to_list(as_items(value), node) if value.elem.items else TupleV((), is_list=True)


def entries_of_set(run: Run, value: HashV, node: ast.AST) -> Value:
    """Return the items of a set as a list, in the order in which they were put in, as far as the
    table still shows it."""
    return run.to_list(as_dict(value), node) if value.elem.items else TupleV((), is_list=True)


def is_table_key(value: Value) -> bool:
    """Whether a dict with known keys cannot have this key, but a hash table can."""
    inner = optionals.innermost(value)
    compound = isinstance(inner, RefV) or (isinstance(inner, TupleV) and not inner.is_list)
    compound = compound or (isinstance(inner, RecordV) and inner.cls is not dict)
    compound = compound or (isinstance(inner, ListV) and inner.cls is tuple)
    compound = compound or (isinstance(inner, Static) and type(inner.value) is bool)
    return compound and key_kind(kind_of(value)) is not None


