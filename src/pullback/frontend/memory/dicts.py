"""Dicts with constant keys: records whose class is ``dict`` and whose fields are the keys.

Keys are strings, ints and members of enums that are known when the function is compiled, so a dict
costs nothing: what is in it is found at compile time, and loops over it are unrolled. A dict that
the function made may be updated, by the ownership rule of lists. One that gets a key that only the
run knows becomes a hash table (``hash_tables``).
"""

from __future__ import annotations

import ast
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeGuard, cast

from pullback.core.messages import of_key
from pullback.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    MutationError,
    StaticKeyError,
    brief,
)
from pullback.frontend.functions import choices, noted
from pullback.frontend.interpret import comprehensions
from pullback.frontend.kinds.values import (
    HashV,
    Items,
    Owner,
    RecordV,
    Specialiser,
    Static,
    TupleV,
    Unrolled,
    Value,
    method,
    register,
)
from pullback.frontend.memory import (
    chosen_keys,
    counters,
    hash_changes,
    hash_methods,
    hash_sets,
    hash_tables,
    loose_dicts,
)
from pullback.frontend.memory.container_objects import as_mapping
from pullback.frontend.memory.keys_by_methods import check_shared
from pullback.frontend.python.memo import by_node
from pullback.frontend.python.records import is_key
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run

Args = Sequence[Value]
Kwargs = dict[str, Value]
Change = tuple["RecordV | HashV", Value]
_NONE = Static(None)


def made(fields: dict[str, Value]) -> RecordV:
    """Return a new dict."""
    return RecordV(dict, fields, None, frozenset({Owner("a dict")}), True)


def only_read(fields: dict[str, Value]) -> RecordV:
    """Return a dict that nobody can update: to have it twice is to have two of them."""
    return RecordV(dict, fields)


def is_dict(value: Value) -> bool:
    return isinstance(value, RecordV) and value.cls is dict


def has_names(value: Value) -> TypeGuard[RecordV]:
    """Whether a value is a dict whose keys are known strings: names of arguments."""
    return is_dict(value) and all(isinstance(n, str) for n in cast("RecordV", value).fields)


def key_of(run: Specialiser, value: Value, node: ast.AST) -> str:
    """Return a key, which must be known. Keys that are no strings stand in the place of names as
    they are."""
    rewrite = "loop over the dict itself (d.items(), d.values()), or use a list or an array"
    check_shared(cast("Run", run), value, node)
    key = run.static(value, node, "the key of a dict", rewrite)
    if not is_key(key):
        run.refuse(
            node,
            f"a dict with the key {brief(key)}",
            "use strings, ints or members of an enum as keys",
            error=ArgumentTypeError,
        )
    return cast("str", key)


def display(run: Run, node: ast.Dict) -> Value:
    """Compile ``{k: v, **d}``."""

    result: RecordV | HashV = made({})
    known: RecordV | None = made({})  # the same, as long as all keys are known
    for k, v in zip(node.keys, node.values, strict=False):
        with run.holding(result):
            if k is None:
                more = _contents(run, opened(run, run.evaluate(v), v), v)
                result = _merged(run, result, more, v)
                known = result if isinstance(result, RecordV) else None
                continue
            key = run.evaluate(k)
            with run.holding(key):
                value = run.generators.in_a_place(run.evaluate(v))
        if known is not None:
            known = _with_known(known, key, value)
        if known is not None and isinstance(result, RecordV) and not is_run_time(key):
            result = known
            continue
        try:
            result = _put(run, result, key, value, k)
        except ArgumentTypeError:  # its keys or values are of several types, or no keys of tables
            if known is None:
                raise
            result = known
    return result


def _put(run: Run, d: RecordV | HashV, key: Value, value: Value, node: ast.AST) -> HashV:
    """Return the dict with an item, as a table."""
    if isinstance(d, RecordV):
        d = hash_changes.table_for(run, d, key, value, node)
    return hash_changes.put(run, d, key, value, node)


def known_key(value: Value) -> Static | None:
    """Return a key that is known, and that a dict with known keys can have; None: it is another
    one."""
    match value:
        case Static(key) if is_key(key):
            return value
        case TupleV(items, False):
            parts = [known_key(v) for v in items]
            found = tuple(p.value for p in parts if p is not None)
            return Static(found) if len(found) == len(parts) else None
        case _:
            return None


def _with_known(d: RecordV, key: Value, value: Value) -> RecordV | None:
    found = known_key(key)
    if found is None:
        return None
    return replace(d, fields={**d.fields, cast("str", found.value): value})


def needs_table(d: RecordV, key: Value) -> bool:
    """Whether a dict with known keys becomes a table where this key is put in."""
    found = known_key(key)
    return is_run_time(key) and (found is None or found.value not in d.fields)


def comprehension(run: Run, node: ast.DictComp) -> Value:
    """Compile ``{k: v for ...}`` over items that are known one by one."""
    items = comprehensions.put_in(run, node, _pair(node))
    return _of_items(run, items, node)


@by_node
def _pair(node: ast.DictComp) -> ast.expr:
    return ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node.value)


def set_of(run: Run, node: ast.SetComp) -> Value:
    """Compile ``{v for ...}``."""
    items = comprehensions.put_in(run, node, node.elt)
    return hash_methods.with_items(run, hash_tables.empty(run, set), items, node)


def _of_items(run: Run, items: Items, node: ast.AST) -> RecordV | HashV:
    """Return a dict of pairs: a hash table, if only the run knows the keys."""
    if isinstance(items, Unrolled):
        pairs = [run.iterate(pair, node) for pair in items.items]
        known = [p.items for p in pairs if isinstance(p, Unrolled) and len(p.items) == 2]
        if len(known) < len(pairs):
            run.refuse(node, "a dict is made of pairs", error=ArgumentValueError)
        if not any(is_run_time(key) for key, _ in known):
            return made({key_of(run, key, node): value for key, value in known})
    return hash_methods.with_pairs(run, hash_tables.empty(run, dict), items, node)


def is_run_time(key: Value) -> bool:
    """Whether a key makes a dict a hash table."""
    return chosen_keys.is_chosen(key) or hash_methods.is_table_key(key)


def _contents(run: Run, value: Value, node: ast.AST) -> RecordV | HashV:
    """Return the items of a mapping, or of an iterable of pairs, as a new dict."""
    value = opened(run, as_mapping(run, value, node), node)
    if isinstance(value, RecordV) and value.cls is dict:
        return made(dict(value.fields))
    if isinstance(value, HashV) and not hash_tables.is_set(value):
        return replace(hash_tables.copied(run, value), cls=dict, factory=_NONE)
    return _of_items(run, run.iterate(value, node), node)


def _merged(
    run: Run, left: RecordV | HashV, right: RecordV | HashV, node: ast.AST
) -> RecordV | HashV:
    """Return ``left`` with the items of ``right`` put in."""
    if isinstance(left, RecordV) and isinstance(right, RecordV):
        return replace(left, fields={**left.fields, **right.fields})
    if isinstance(left, RecordV):
        left = hash_changes.table_for(run, left, _NONE, None, node)
    return hash_methods.with_pairs(run, left, hash_methods.pairs_of(run, right, node), node)


@register(dict)
def dict_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if len(args) > 1:
        sp.refuse(node, "dict expected at most 1 argument", error=ArgumentTypeError)
    run = cast("Run", sp)
    given = _contents(run, args[0], node) if args else made({})
    return _merged(run, given, made(kwargs), node)


def get_item(run: Run, value: RecordV, index: Value, node: ast.AST) -> Value:
    """Compile ``d[k]``."""
    if loose_dicts.is_loose(value):
        return loose_dicts.get_item(run, value, index, node)
    if known_key(index) is None and is_run_time(index):
        missing = partial(chosen_keys.missing_key, run, value, index, node)
        return chosen_keys.item(run, value, index, missing, node)
    key = key_of(run, index, node)
    if key not in value.fields:
        run.never("KeyError", of_key(key), node, StaticKeyError)
    return value.fields[key]


def combined(
    run: Run, op: str, left: RecordV | HashV, right: RecordV | HashV, node: ast.AST
) -> Value | None:
    """Compile ``d | e``, and the operators of sets."""
    sets = [isinstance(v, HashV) and hash_tables.is_set(v) for v in (left, right)]
    if all(sets):
        assert isinstance(left, HashV) and isinstance(right, HashV)
        return hash_sets.combined(run, op, left, right, node)
    if counters.both(left, right) and op in counters.IN_PLACE:
        return counters.combined(run, op, left, right, node)
    if op != "|" or any(sets) or not all(is_dict(v) or isinstance(v, HashV) for v in (left, right)):
        return None
    return union(run, left, right, node)


def equal(run: Run, a: Value, b: Value, node: ast.AST) -> Value:
    """Compile ``d == e`` if one of them at least is a hash table."""
    both = [_table(run, v, node) if isinstance(v, RecordV) and is_dict(v) else v for v in (a, b)]
    x, y = both
    if not isinstance(x, HashV) or not isinstance(y, HashV):
        return Static(False)
    return counters.equal(run, x, y, node) or hash_sets.equal(run, x, y, node)


def union(run: Run, left: RecordV | HashV, right: RecordV | HashV, node: ast.AST) -> Value:
    """Compile ``d | e``, which is of the class of the first of them that is no plain dict."""
    made = _merged(run, _contents(run, left, node), right, node)
    for d in (left, right):
        if isinstance(d, HashV) and isinstance(made, HashV) and d.cls in (defaultdict, OrderedDict):
            return replace(made, cls=d.cls, factory=d.factory)
    return made


@method("dict", "get")
def get(sp: Specialiser, d: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    assert isinstance(d, RecordV)
    if kwargs or not 1 <= len(args) <= 2:
        sp.refuse(node, "get takes a key and a default", error=ArgumentTypeError)
    default = args[1] if len(args) == 2 else _NONE
    if choices.is_choice(args[0]):
        run = cast("Run", sp)
        return choices.call(run, args[0], lambda k: get(sp, d, (k, default), {}, node), node)
    if known_key(args[0]) is None and is_run_time(args[0]):
        return chosen_keys.item(cast("Run", sp), d, args[0], lambda: default, node)
    return d.fields.get(key_of(sp, args[0], node), default)


@method("dict", "copy")
def copy(sp: Specialiser, d: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    assert isinstance(d, RecordV)
    if args or kwargs:
        sp.refuse(node, "copy takes no arguments", error=ArgumentTypeError)
    return made(dict(d.fields))


# --- updates -------------------------------------------------------------------------------------


def store_at(
    run: Run,
    d: RecordV,
    index: Value,
    value: Callable[[Callable[[], Value]], Value],
    node: ast.AST,
) -> RecordV | HashV:
    """Compile ``d[k] = v``; ``value`` may ask for the old value."""
    if hash_methods.is_table_key(index) and needs_table(d, index):
        new = value(lambda: get_item(run, d, index, node))
        known = _with_known(d, index, new)
        try:
            return _put(run, d, index, new, node)
        except ArgumentTypeError:  # its keys or values are of several types, or no keys of tables
            if known is None:
                raise
            return known
    if chosen_keys.is_chosen(index):
        return _stored_by_choice(run, d, index, value, node)
    key = key_of(run, index, node)
    new = value(lambda: get_item(run, d, index, node))
    return replace(d, fields={**d.fields, key: new})


def _stored_by_choice(
    run: Run,
    d: RecordV,
    index: Value,
    value: Callable[[Callable[[], Value]], Value],
    node: ast.AST,
) -> RecordV | HashV:
    was_read = False

    def old() -> Value:
        nonlocal was_read
        was_read = True
        return get_item(run, d, index, node)

    new = value(old)
    fields = chosen_keys.stored(run, d, index, new, was_read, node)
    return _put(run, d, index, new, node) if fields is None else replace(d, fields=fields)


def pop(run: Run, d: RecordV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    if kwargs or not 1 <= len(args) <= 2:
        run.refuse(node, "pop takes a key and a default", error=ArgumentTypeError)
    if needs_table(d, args[0]) and known_key(args[0]) is None and d.fields:
        return hash_methods.pop(run, _table(run, d, node), args, kwargs, node)
    if known_key(args[0]) is None and is_run_time(args[0]):
        return d, args[1] if len(args) == 2 else get_item(run, d, args[0], node)
    key = key_of(run, args[0], node)
    if key not in d.fields and len(args) == 2:
        return d, args[1]
    value = get_item(run, d, args[0], node)
    return replace(d, fields={k: v for k, v in d.fields.items() if k != key}), value


def update(run: Run, d: RecordV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    if len(args) > 1:
        run.refuse(node, "update takes one dict", error=ArgumentTypeError)
    with noted.midway(run.frame):
        more = _contents(run, args[0], node) if args else made({})
        both = _merged(run, d, more, node)
    return _merged(run, both, made(kwargs), node), _NONE


def _table(run: Run, d: RecordV, node: ast.AST) -> HashV:
    return hash_changes.table_for(run, d, _NONE, None, node)


def setdefault(run: Run, d: RecordV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    if kwargs or not 1 <= len(args) <= 2:
        run.refuse(node, "setdefault takes a key and a default", error=ArgumentTypeError)
    if needs_table(d, args[0]):
        default = args[1] if len(args) == 2 else _NONE
        table = hash_changes.table_for(run, d, args[0], default, node)
        return hash_methods.setdefault(run, table, args, kwargs, node)
    key = key_of(run, args[0], node)
    if key in d.fields:
        return d, d.fields[key]
    value = args[1] if len(args) == 2 else _NONE
    return replace(d, fields={**d.fields, key: value}), value


def clear(run: Run, d: RecordV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    if args or kwargs:
        run.refuse(node, "clear takes no arguments", error=ArgumentTypeError)
    return replace(d, fields={}), _NONE


UPDATES: dict[str, Callable[[Run, RecordV, Args, Kwargs, ast.AST], Change]] = {
    "pop": pop, "update": update, "setdefault": setdefault, "clear": clear,
}  # fmt: skip

__all__ = [
    "UPDATES", "MutationError", "combined", "comprehension", "display", "equal", "get_item",
    "store_at",
]  # fmt: skip
