"""Where paths merge: the least kind that both kinds can be converted to."""

from __future__ import annotations

from dataclasses import is_dataclass

from pullback.core.types import I64, Bool, Int, Real
from pullback.errors import ArgumentTypeError
from pullback.frontend import records
from pullback.frontend.kinds import (
    ArrayK,
    ClosureK,
    FunctionK,
    FunctionRefK,
    Kind,
    ListK,
    Number,
    OperatorK,
    RangeK,
    RecordK,
    ScalarK,
    ScopeK,
    StaleK,
    StaticK,
    TupleK,
    UnionK,
    static_scalar,
)


def join(a: Kind, b: Kind) -> Kind | None:
    """The common kind of two values, or None: bool < int < float, Python < NumPy, a list of known
    length < a list, a dataclass < a union that has it, a function < a choice of functions."""
    if a == b:
        return a
    match a, b:
        case (ScalarK() | StaticK()), (ScalarK() | StaticK()):
            return _numbers(a, b)
        case TupleK(xs, is_list), TupleK(ys, also):
            if is_list == also and len(xs) == len(ys):
                items = [join(x, y) for x, y in zip(xs, ys)]
                known = [k for k in items if k is not None]
                if len(known) == len(items):
                    return TupleK(tuple(known), is_list)
            return _as_lists(a, b) if is_list and also else None
        case (TupleK(), ListK()) | (ListK(), TupleK()):
            return _as_lists(a, b)
        case ListK(x), ListK(y):
            elem = join(x, y)
            return None if elem is None else ListK(elem)
        case RecordK(cls, xs), RecordK(other, ys) if cls is other:
            fields = [(n, join(x, y)) for (n, x), (_, y) in zip(xs, ys)]
            known_fields = tuple((n, k) for n, k in fields if k is not None)
            return RecordK(cls, known_fields) if len(known_fields) == len(fields) else None
        case (RecordK() | UnionK() | StaticK()), (RecordK() | UnionK() | StaticK()):
            return _in_union(a, b)
        case (FunctionK() | ClosureK()), (FunctionK() | ClosureK()):
            return _functions(a, b)
        case RangeK(xs), RangeK(ys):
            items = [join(x, y) for x, y in zip(xs, ys)]
            known = [k for k in items if k is not None]
            return RangeK(tuple(known)) if len(known) == len(items) else None
        case OperatorK(name, f, options, xs), OperatorK(other_name, g, other_options, ys):
            if (name, options, xs) == (other_name, other_options, ys):
                function = join(f, g)
                return None if function is None else OperatorK(name, function, options, xs)
            return None
        case _:
            return None


def generalise(kind: Kind) -> Kind:
    """The kind with literals (numbers) as run-time numbers, of unknown size."""
    match kind:
        case StaticK(_, value):
            return static_scalar(value) or kind
        case TupleK(items, is_list):
            return TupleK(tuple(map(generalise, items)), is_list)
        case RecordK(cls, fields):
            return RecordK(cls, tuple((n, generalise(k)) for n, k in fields))
        case RangeK(items):
            return RangeK(tuple(map(generalise, items)))
        case _:
            return kind


def widen(old: Kind, new: Kind) -> Kind:
    """``new``, but an int whose size bound has grown is unbounded: loops reach a fixpoint."""
    match old, new:
        case ScalarK(_, _, old_bits), ScalarK(t, py, bits):
            return ScalarK(t, py, old_bits if bits <= old_bits else 64)
        case TupleK(xs), TupleK(ys, is_list) if len(xs) == len(ys):
            return TupleK(tuple(widen(x, y) for x, y in zip(xs, ys)), is_list)
        case RecordK(_, xs), RecordK(cls, ys) if len(xs) == len(ys):
            return RecordK(cls, tuple((n, widen(x, y)) for (_, x), (n, y) in zip(xs, ys)))
        case ListK(x), ListK(y):
            return ListK(widen(x, y))
        case RangeK(xs), RangeK(ys):
            return RangeK(tuple(widen(x, y) for x, y in zip(xs, ys)))
        case _:
            return new


def _numbers(a: ScalarK | StaticK, b: ScalarK | StaticK) -> Kind | None:
    x = static_scalar(a.value) if isinstance(a, StaticK) else a
    y = static_scalar(b.value) if isinstance(b, StaticK) else b
    if x is None or y is None:
        return None if x is not None or y is not None else _in_union(a, b)
    t = _number(x, y, isinstance(a, StaticK), isinstance(b, StaticK))
    return ScalarK(t, x.py and y.py, 64 if isinstance(t, Real) else max(x.bits, y.bits))


def _number(x: ScalarK, y: ScalarK, x_literal: bool, y_literal: bool) -> Number:
    match x.type, y.type:
        case Real(p), Real(q):
            if x_literal and not y.py:  # a literal takes the precision of the NumPy scalar
                return Real(q)
            return Real(p) if y_literal and not x.py else Real(max(p, q))
        case Real(p), Int() | Bool():
            return x.type
        case Int() | Bool(), Real():
            return y.type
        case Int(p), Int(q):
            if x_literal and not y.py:
                return Int(q)
            return Int(p) if y_literal and not x.py else Int(max(p, q))
        case Int(), Bool():
            return x.type
        case Bool(), Int():
            return y.type
        case _:
            return Bool() if x.type == y.type else I64


def _as_lists(a: Kind, b: Kind) -> Kind | None:
    x, y = as_list(a), as_list(b)
    if isinstance(a, TupleK) and not a.items:
        return y
    if isinstance(b, TupleK) and not b.items:
        return x
    return None if x is None or y is None else join(x, y)


def as_list(kind: Kind) -> ListK | None:
    """A list of known length as a list of any length."""
    match kind:
        case ListK():
            return kind
        case TupleK((first, *others)):
            elem: Kind | None = generalise(first)
            for k in others:
                elem = join(elem, generalise(k)) if elem is not None else None
            return None if elem is None else ListK(elem)
        case _:
            return None


def _classes(kind: Kind) -> set[type] | None:
    match kind:
        case RecordK(cls):
            return {cls}
        case UnionK(union):
            return set(union.classes)
        case StaticK(_, None):
            return {type(None)}
        case _:
            return None


def _in_union(a: Kind, b: Kind) -> Kind | None:
    """The union that has both; the smallest one, if several do."""
    if isinstance(a, UnionK) and isinstance(b, UnionK):
        return None
    x, y = _classes(a), _classes(b)
    if x is None or y is None or x == y == {type(None)}:
        return None
    for kind, other in ((a, y), (b, x)):
        if isinstance(kind, UnionK):
            return kind if other <= set(kind.union.classes) else None
    found = records.unions_holding(x | y)
    if found:
        return UnionK(min(found, key=lambda u: len(u.classes)))
    return _new_union(x | y, (a, b))


def _new_union(classes: set[type], kinds: tuple[Kind, Kind]) -> Kind | None:
    """The union of classes that no annotation has brought together."""
    if not all(c is type(None) or (is_dataclass(c) and records.is_frozen(c)) for c in classes):
        return None
    arrays = [
        (k.cls, name, part)
        for k in kinds
        if isinstance(k, RecordK)
        for name, part in k.fields
        if isinstance(part, ArrayK)
    ]
    ordered = sorted(classes, key=lambda c: (c is type(None), c.__qualname__))
    try:
        return UnionK(records.union_for(ordered, tuple(arrays)))
    except ArgumentTypeError:
        return None


def _functions(a: FunctionK | ClosureK, b: FunctionK | ClosureK) -> Kind | None:
    """Alternatives with the same place in the source are one, with joined captures."""
    found: list[FunctionK] = []
    for kind in (a, b):
        for f in (kind,) if isinstance(kind, FunctionK) else kind.alternatives:
            for i, g in enumerate(found):
                both = _same_function(f, g)
                if both is not None:
                    found[i] = both
                    break
            else:
                found.append(f)
    if len(found) == 1:
        return found[0]
    return ClosureK(tuple(sorted(found, key=_place)))


def _place(f: FunctionK) -> tuple[str, int, int, str]:
    node = f.root.definition.node
    return f.root.definition.file, node.lineno, node.col_offset, repr(f)


def _same_function(f: FunctionK, g: FunctionK) -> FunctionK | None:
    if f.root.definition is not g.root.definition or len(f.scopes) != len(g.scopes):
        return None
    scopes = []
    for s, t in zip(f.scopes, g.scopes):
        if (s.parent, s.external) != (t.parent, t.external):
            return None
        if [n for n, _ in s.names] != [n for n, _ in t.names]:
            return None
        names = [(n, _captured(x, y)) for (n, x), (_, y) in zip(s.names, t.names)]
        known = tuple((n, k) for n, k in names if k is not None)
        if len(known) < len(names):
            return None
        scopes.append(ScopeK(s.parent, known, s.external))
    root = _same_ref(f.root, g.root)
    return None if root is None else FunctionK(tuple(scopes), root)


def _captured(x: Kind, y: Kind) -> Kind | None:
    if isinstance(x, StaleK) or isinstance(y, StaleK):
        return x if isinstance(x, StaleK) else y
    if isinstance(x, FunctionRefK) and isinstance(y, FunctionRefK):
        return _same_ref(x, y)
    return join(x, y)


def _same_ref(f: FunctionRefK, g: FunctionRefK) -> FunctionRefK | None:
    if (f.definition, f.scope) != (g.definition, g.scope):
        return None
    pairs = [
        *zip(f.defaults, g.defaults),
        *((x, y) for (_, x), (_, y) in zip(f.kw_defaults, g.kw_defaults)),
        *zip(f.bound, g.bound),
    ]
    joined = [k for k in (join(x, y) for x, y in pairs) if k is not None]
    if len(joined) < len(pairs) or len(f.bound) != len(g.bound):
        return None
    n, m = len(f.defaults), len(f.kw_defaults)
    keywords = tuple((name, k) for (name, _), k in zip(f.kw_defaults, joined[n : n + m]))
    return FunctionRefK(
        f.definition, f.scope, tuple(joined[:n]), keywords, tuple(joined[n + m :])
    )
