"""Compute the join of two kinds: the least kind to which both can be converted, where paths
meet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import is_dataclass, replace

from pullback.errors import ArgumentTypeError, UnsupportedError
from pullback.frontend.functions import eta
from pullback.frontend.functions.captures import Captures
from pullback.frontend.functions.scopes import AnyScope, Scope
from pullback.frontend.kinds import sum_kinds
from pullback.frontend.kinds.complex_pairs import has_axes, meeting
from pullback.frontend.kinds.flatten import example, kind_of
from pullback.frontend.kinds.function_kinds import has_function, is_function, joined_classes
from pullback.frontend.kinds.joined_fields import is_plain, joined_fields, loose
from pullback.frontend.kinds.kinds import (
    ArrayK,
    ClosureK,
    FunctionK,
    HashK,
    Kind,
    LambdaSetK,
    ListK,
    MaybeK,
    OperatorK,
    RangeK,
    RecordK,
    RefK,
    ScalarK,
    SharedMemory,
    StaticK,
    SymbolK,
    TupleK,
    UnionK,
    parts,
    static_kind,
    static_scalar,
    with_parts,
    without_spare,
)
from pullback.frontend.kinds.number_kinds import joined_numbers, of_members
from pullback.frontend.kinds.outside_objects import joined_outside
from pullback.frontend.kinds.table_keys import key_kind, met
from pullback.frontend.kinds.values import (
    FunctionV,
    OperatorV,
    Stale,
    Static,
    Value,
)
from pullback.frontend.kinds.widening import generalise, is_none, keeps_classes, loses_ints, widen
from pullback.frontend.python import records
from pullback.frontend.python.container_bases import is_tuple_class
from pullback.frontend.python.object_classes import (
    are_dicts,
    is_object_class,
    is_tree_class,
    may_lack,
)
from pullback.frontend.python.source import Definition, site_of
from pullback.frontend.python.symbols import symbol_class
from pullback.frontend.python.unions import declared_unions
from pullback.frontend.signals import regions_meet


def join(a: Kind, b: Kind) -> Kind | None:
    """Return the join of two kinds, or None: bool < int < float, Python < NumPy, a list of known
    length < a list, a dataclass < a union that has it, a function < a choice of functions, a
    constant < a symbol, None and a value < an optional one (``sum_kinds``)."""
    if a == b:
        return a
    if isinstance(a, MaybeK) or isinstance(b, MaybeK):
        x, y = (k.inner if isinstance(k, MaybeK) else k for k in (a, b))
        both = join(x, y)
        return None if both is None else MaybeK(both)
    return _one_of(a, b) if (found := _join(a, b)) is None else found


def _join(a: Kind, b: Kind) -> Kind | None:
    match a, b:
        case OperatorK(name, f, options, xs), OperatorK(again, g, same, ys):
            if (name, options, len(xs)) == (again, same, len(ys)):
                joined = _all((f, *xs), (g, *ys)) if _as_many(f, g) else None
                return _functions(a, b) if joined is None else with_parts(a, joined)
            return _functions(a, b)
        case _ if is_function(a) and is_function(b):
            return _functions(a, b)
        case (StaticK() | TupleK()), (StaticK() | TupleK()) if of := joined_classes(a, b):
            return of
        case (SymbolK() | StaticK()), (SymbolK() | StaticK()) if _symbols(a, b) is not None:
            return _symbols(a, b)
        case (ScalarK() | StaticK()), (ScalarK() | StaticK()):
            return _numbers(a, b)
        case SymbolK(cls), (ScalarK() | StaticK()) if issubclass(cls, (int, float)):
            return _numbers(of_members(cls), b)
        case (ScalarK() | StaticK()), SymbolK(cls) if issubclass(cls, (int, float)):
            return _numbers(a, of_members(cls))
        case RefK(one), RefK(other) if one is other:
            return RefK(one)
        case RefK(one), RefK(other) if (
            issubclass(one, SharedMemory) and issubclass(other, SharedMemory)
        ):
            held, there = one.held(), other.held()
            if held is None or there is None or _meet(one, other, held, there):
                regions_meet(one, other)
                return a
            return None
        case (RefK(one), held) | (held, RefK(one)) if (
            issubclass(one, SharedMemory) and isinstance(held, (TupleK, ListK, HashK, RecordK))
            and has_function(held)
        ):  # fmt: skip
            regions_meet(one, SharedMemory)  # what holds functions is a value
            return a
        case TupleK(xs, is_list), TupleK(ys, also):
            as_long, apart = is_list == also and len(xs) == len(ys), sum_kinds.differ_by_tag(a, b)
            items = _all(xs, ys) if as_long and not (apart and sum_kinds.are_tagged()) else None
            if items is not None:
                return TupleK(items, is_list)
            if as_long and apart:
                sum_kinds.ask_for_tags()
            nothing = is_list != also and not (ys if is_list else xs)  # xs if c else ()
            return _as_lists(a, b) if nothing or (is_list and also) else None
        case (TupleK(), ListK()) | (ListK(), TupleK()):
            return _as_lists(a, b)
        case ListK(x, p), ListK(y, q):
            elem = join(x, y)
            cls = a.cls if a.cls is b.cls else Sequence
            return None if elem is None else ListK(elem, p or q, cls)
        case RecordK(_, _, here), RecordK(_, _, there) if here != there:
            return joined_outside(a, b, join)
        case HashK(), HashK():
            return _hash_tables(a, b)
        case (RecordK(cls) as record, HashK() as table) | (
            HashK() as table, RecordK(cls) as record,
        ):  # fmt: skip
            own = hashed(record) if cls is table.cls is dict else None
            return None if own is None else join(own, table)
        case RecordK(), RecordK() if has_axes(a) != has_axes(b):
            return None  # a complex number and an array of them
        case RecordK(one), RecordK(other) if one is not other and are_dicts(one, other):
            return joined_fields(loose(a), loose(b), join)
        case RecordK(cls, xs), RecordK(other, ys) if cls is other:
            if may_lack(cls):
                return joined_fields(a, b, join)
            if [n for n, _ in xs] != [n for n, _ in ys]:  # the keys of dicts
                return _dicts(a, b) if cls is dict else None
            items = _all([k for _, k in xs], [k for _, k in ys])
            return None if items is None else with_parts(a, items)
        case RecordK(one), RecordK(other) if one is not other and (
            is_tree_class(one) and is_tree_class(other)
        ):
            values = not (sum_kinds.are_tagged() or is_tuple_class(one) or is_tuple_class(other))
            found = _in_union(a, b) if values else None
            if found is None:
                sum_kinds.ask_for_tags()
            return found
        case _ if both := meeting(a, b):
            return join(*both)
        case (RecordK() | UnionK() | StaticK()), (RecordK() | UnionK() | StaticK()):
            return _in_union(a, b)
        case RangeK(xs, cls), RangeK(ys, other) if cls is other:
            items = _all(xs, ys)
            return None if items is None else RangeK(items, cls)
        case _:
            return None


_MEETING: ContextVar[frozenset[tuple[type, type]]] = ContextVar("_MEETING", default=frozenset())
"""The references to regions that are being joined: what is in them may lead to them."""


def _meet(one: type, other: type, held: Kind, there: Kind) -> bool:
    """Whether what is in two regions has a join: lists of lists and lists of numbers have none."""
    if (one, other) in _MEETING.get():
        return True
    token = _MEETING.set(_MEETING.get() | {(one, other)})
    try:
        both = join(held, there)
        each = (as_list(k) or k for k in (held, there))
        mixed = sum_kinds.may_be_memory
        return both is not None and (not mixed(both) or any(map(mixed, each)))
    finally:
        _MEETING.reset(token)


def _dicts(a: RecordK, b: RecordK) -> Kind | None:
    """Return the join of two kinds of dicts with other constant keys: a table if it can be one, of
    values of one type, or of numbers and texts; what else there is keeps its type by its key."""
    first, second = hashed(a), hashed(b)
    table = None if first is None or second is None else join(first, second)
    plain = all(is_plain(k) for _, k in a.fields + b.fields)
    several = table is not None and (sum_kinds.mixes(table) or sum_kinds.may_be_memory(table))
    if table is not None and (plain or not several):
        return table
    return joined_fields(loose(a), loose(b), join) or table


def hashed(kind: RecordK) -> HashK | None:
    """Return the kind of a dict with known keys as that of a hash table."""
    made: HashK | None = HashK(dict, TupleK(()), False, StaticK((type(None), None), None))
    for name, k in kind.fields:
        key = key_kind(static_kind(name))
        if key is None or made is None:
            return None
        entry = TupleK((key, without_spare(generalise(k))))
        made = _hash_tables(made, replace(made, elem=entry))
    return made


def _hash_tables(a: HashK, b: HashK) -> HashK | None:
    """Keys keep their classes: 1 and True are one key, but the first of them is kept."""
    factory = join(a.factory, b.factory)
    if a.cls is not b.cls or factory is None:
        return None
    if not a.typed or not b.typed:
        return HashK(a.cls, (a if a.typed else b).elem, a.spare or b.spare, factory)
    (one, mine), (other, theirs) = a.elem.items[:2], b.elem.items[:2]
    key, value = met(one, other, join), join(mine, theirs)
    if key is None or value is None or key_kind(key) is None:
        return None
    if not all(keeps_classes(k.elem.items[0], key) for k in (a, b)):
        return None
    alive = next((k.elem.items[2:] for k in (a, b) if k.holes), ())
    return HashK(a.cls, TupleK((key, value, *alive)), a.spare or b.spare, factory)


def _as_many(f: Kind, g: Kind) -> bool:
    """Whether what operators are of are not tuples of several lengths: a function and its rule."""
    both = isinstance(f, TupleK) and isinstance(g, TupleK)
    return not both or len(parts(f)) == len(parts(g))


def _all(xs: Sequence[Kind], ys: Sequence[Kind]) -> tuple[Kind, ...] | None:
    joined = [join(x, y) for x, y in zip(xs, ys, strict=True)]
    known = tuple(k for k in joined if k is not None)
    return known if len(known) == len(joined) else None


def _symbols(a: SymbolK | StaticK, b: SymbolK | StaticK) -> SymbolK | None:
    x, y = (k.cls if isinstance(k, SymbolK) else symbol_class(k.value) for k in (a, b))
    return None if x is None or x is not y else SymbolK(x)


def _one_of(a: Kind, b: Kind) -> Kind | None:
    """Return the kind of what may be a value or something that stands for none."""
    return sum_kinds.joined(a, b, join, _as_value)


def _as_value(kind: Kind) -> Kind:
    """Return the kind of a value beside which something else may stand."""
    kind = generalise(kind)
    if isinstance(kind, StaticK) and (cls := symbol_class(kind.value)) is not None:
        return SymbolK(cls)
    if is_function(kind) and isinstance(kind, (StaticK, OperatorK)):
        (kind,) = _alternatives(kind)
    return kind


def _numbers(a: ScalarK | StaticK, b: ScalarK | StaticK) -> Kind | None:
    x = static_scalar(a.value) if isinstance(a, StaticK) else a
    y = static_scalar(b.value) if isinstance(b, StaticK) else b
    if x is None or y is None:
        return None if x is not None or y is not None else _in_union(a, b)
    return joined_numbers(x, y, isinstance(a, StaticK), isinstance(b, StaticK))


def _as_lists(a: Kind, b: Kind) -> ListK | None:
    x, y = as_list(a), as_list(b)
    both = None if x is None or y is None else join(x, y)
    if not parts(a) or not parts(b):  # a list of no items, of which nothing more is known
        both = x or y
    classes = {k.cls for k in (a, b) if isinstance(k, (TupleK, ListK))}
    cls = Sequence if len(classes) > 1 else classes.pop()
    return replace(both, cls=cls) if isinstance(both, ListK) else None


def as_list(kind: Kind) -> ListK | None:
    """Return the kind of a list or tuple of known length as that of one of any length."""
    match kind:
        case ListK():
            return kind
        case TupleK((first, *others)):
            elem: Kind | None = generalise(first)
            for k in others:
                elem = join(elem, generalise(k)) if elem is not None else None
            return None if elem is None else ListK(elem, cls=kind.cls)
        case _:
            return None


def of_one_type(kind: Kind) -> ListK | None:
    """Return the kind of a list as that of one of any length, if its items are of one type."""
    listed = as_list(kind)
    unlike = listed is None or loses_ints(kind, listed.elem) or sum_kinds.mixes(listed.elem)
    return None if unlike else listed


def _classes(kind: Kind) -> set[type] | None:
    match kind:
        case RecordK(cls) if is_object_class(cls):
            return None
        case RecordK(cls):
            return {cls}
        case UnionK(union, absent):
            return set(union.classes) - absent
        case StaticK(_, None):
            return {type(None)}
        case _:
            return None


def _in_union(a: Kind, b: Kind) -> Kind | None:
    """Return the kind of the union that has both classes: one of the two unions, or the smallest
    one of the program, or a new one."""
    x, y = _classes(a), _classes(b)
    if x is None or y is None or x == y == {type(None)}:
        return None
    if isinstance(a, UnionK) and isinstance(b, UnionK) and not a.union.agrees(b.union):
        return None
    for kind, other in ((a, y), (b, x)):
        if isinstance(kind, UnionK) and other <= set(kind.union.classes):
            return UnionK(kind.union, kind.absent - other)
    if (isinstance(a, UnionK) or isinstance(b, UnionK)) and type(None) in x | y:
        return None  # a union and None is an optional union
    if any(map(records.parameters, x | y)):
        from pullback.frontend.python import generics

        return generics.meet(a, b, x | y)
    found = _fitting(x | y, (a, b))
    if found is None:
        return None
    held = [u for u in declared_unions() if x | y <= set(u.classes)]
    held = [u for u in held if records.suits(u, found.arrays)]
    union = min(held, key=lambda u: len(u.classes)) if held else found
    return UnionK(union, frozenset(union.classes) - x - y)


def _fitting(classes: set[type], kinds: tuple[Kind, Kind]) -> records.Union | None:
    """Return the union of classes that the program declares nowhere, together with all classes that
    the unions in their fields bring in."""
    if not all(c is type(None) or (is_dataclass(c) and records.is_frozen(c)) for c in classes):
        return None
    records_of = [
        variant
        for k in kinds
        for variant in (k.union.variant_kinds() if isinstance(k, UnionK) else (k,))
    ]
    arrays = [
        (k.cls, name, part)
        for k in records_of
        if isinstance(k, RecordK)
        for name, part in k.fields
        if isinstance(part, ArrayK)
    ]
    try:
        return records.union_for(records.canonical(classes), tuple(arrays))
    except ArgumentTypeError:
        return None


# --- functions ------------------------------------------------------------------------------------


def _alternatives(kind: Kind) -> tuple[FunctionK, ...]:
    match kind:
        case FunctionK():
            return (kind,)
        case ClosureK(alternatives):
            return alternatives
        case _:
            value = example(kind)
            assert isinstance(value, (Static, OperatorV))
            wrapped = kind_of(eta.wrapped(value))
            assert isinstance(wrapped, FunctionK)
            return (wrapped,)


def _functions(a: Kind, b: Kind) -> Kind:
    """Return the join of two kinds of functions. Alternatives that stand at the same place in the
    source become one, with joined captures. A recursive lambda set takes in all functions."""
    match a, b:
        case LambdaSetK(s), LambdaSetK(t):
            return LambdaSetK(s.store.merge(s, t))
        case (LambdaSetK(s), other) | (other, LambdaSetK(s)):
            for k in _alternatives(other):
                s.tag(k)
            return LambdaSetK(s)
    versions: dict[Definition, list[FunctionK]] = {}
    for f in (*_alternatives(a), *_alternatives(b)):
        of_place = versions.setdefault(f.root.definition, [])
        for i, g in enumerate(of_place):
            both = same_function(g, f)
            if both is not None:
                of_place[i] = both
                break
        else:
            of_place.append(f)
    found = [f for of_place in versions.values() for f in of_place]
    if len(found) == 1:
        return found[0]
    places = Counter(map(_place, found))

    def key(f: FunctionK) -> tuple[object, ...]:
        place = _place(f)
        return *place, repr(f) if places[place] > 1 else ""

    return ClosureK(tuple(sorted(found, key=key)))


def _place(f: FunctionK) -> tuple[str, int, int, str]:
    definition = f.root.definition
    line, col = getattr(definition.node, "lineno", 0), getattr(definition.node, "col_offset", 0)
    return definition.file, line, col, definition.name


def same_function(f: FunctionK, g: FunctionK) -> FunctionK | None:
    """Return the join of two functions from one place in the source, with joined captures; None if
    these do not meet."""
    if f == g:
        return f
    if f.root.definition is not g.root.definition:
        return None
    a, b = example(f), example(g)
    assert isinstance(a, FunctionV) and isinstance(b, FunctionV)
    around = _JOINED.get()
    if around.count(f.root.definition) == _MOST_INSIDE:
        raise UnsupportedError(
            "a function that captures an object, put into that object in each round",
            site=site_of(f.root.definition, f.root.definition.node),
        )
    token = _JOINED.set((*around, f.root.definition))
    try:
        made = kind_of(_Joined().function(a, b))
    except _DoNotMeetError:
        return None
    finally:
        _JOINED.reset(token)
    assert isinstance(made, FunctionK)
    return made


_MOST_INSIDE = 8
_JOINED: ContextVar[tuple[Definition, ...]] = ContextVar("_JOINED", default=())
"""The functions that are being joined, one inside of the captures of another."""


class _DoNotMeetError(Exception):
    pass


class _Joined(Captures):
    """Captures that are joined. A function from one place on both sides remains known; so the walk
    over functions that capture each other ends."""

    def function(self, f: FunctionV, g: FunctionV) -> FunctionV:
        counts = len(f.defaults), len(f.bound)
        if f.definition is not g.definition or counts != (len(g.defaults), len(g.bound)):
            raise _DoNotMeetError
        return super().function(f, g)

    def outside(self, a: AnyScope, b: AnyScope) -> AnyScope:
        if a != b:
            raise _DoNotMeetError
        return a

    def fill(self, made: Scope, a: Scope, b: Scope) -> None:
        for name in a.names:
            if name in b.names:  # other names are needed by functions of one side only
                made.names[name] = self.value(a.names[name], b.names[name])

    def value(self, x: Value, y: Value) -> Value:
        match x, y:
            case (Stale() as none, other) | (other, Stale() as none):
                known = none.unset and not (isinstance(other, Stale) and other.unset)
                return Stale(none.reason, none.node) if known else none
            case FunctionV(), FunctionV() if x.definition is y.definition:
                return self.function(x, y)
            case OperatorV(name, f, options, xs), OperatorV(again, g, same, ys) if (
                (name, options) == (again, same)  # which their wrappers captured: one place
            ):
                both = kind_of(f), kind_of(g)
                if len(xs) != len(ys) or not _as_many(*both) or join(*both) is None:
                    raise _DoNotMeetError
                return OperatorV(name, self.value(f, g), options, tuple(map(self.value, xs, ys)))
            case _:
                joined = join(kind_of(x), kind_of(y))
                if joined is None:
                    raise _DoNotMeetError
                return example(joined)


__all__ = ["as_list", "generalise", "hashed", "is_none", "join", "keeps_classes", "same_function",
           "widen"]  # fmt: skip
