"""What a user calls values, by their kinds."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from pullback.core.types import Bool, Int, Real
from pullback.errors import brief, first_keys
from pullback.frontend.kinds.chosen import constants, is_choice_kind
from pullback.frontend.kinds.complex_pairs import Pair
from pullback.frontend.kinds.kinds import (
    ArrayK,
    CaughtK,
    ClosureK,
    FunctionK,
    FunctionRefK,
    GeneratorK,
    HashK,
    Kind,
    LambdaSetK,
    ListK,
    MaybeK,
    Number,
    OperatorK,
    OptionalK,
    RangeK,
    RecordK,
    RefK,
    ScalarK,
    SharedMemory,
    SmallK,
    StaticK,
    SymbolK,
    TableK,
    TupleK,
    UnionK,
    WrappedK,
)
from pullback.frontend.kinds.table_keys import Hashed
from pullback.frontend.python.object_classes import LooseDict

if TYPE_CHECKING:
    from pullback.frontend.python.records import Union


def describe(kind: Kind) -> str:
    """Return what a user calls a value of this kind, with an article."""
    match kind:
        case ScalarK(t, py):
            return f"{'an' if isinstance(t, Int) else 'a'} {_number(t, py)}"
        case StaticK(_, value):
            return brief(value)
        case ArrayK(elem, rank):
            return f"an array of {_number(elem, False)}, rank {rank}"
        case SmallK(held, dtype):
            more = f", rank {held.rank}" if isinstance(held, ArrayK) else ""
            return f"{'an array' if more else 'a number'} of {dtype}{more}"
        case TableK(elem=TupleK((key, held)), cls=builtins.dict):
            return f"a dict of {_plural(key).replace(' items', 's')} to {_plural(held)}"
        case TableK(elem=TupleK((key, _)), placed=True):
            return f"a {kind.word} of {_plural(key)}"
        case ListK(elem):
            return f"a {kind.word} of {_plural(elem)}"
        case HashK(cls, elem):
            if not elem.items:
                return f"an empty {cls.__name__}"
            values = "" if issubclass(cls, (set, frozenset)) else f" to {_plural(elem.items[1])}"
            return f"a {cls.__name__} of {_plural(elem.items[0]).replace(' items', 's')}{values}"
        case WrappedK(cls=cls):
            return f"a {cls.__name__}"
        case TupleK() if is_choice_kind(kind):
            return "a class chosen at run time" if constants(kind) else "one of several functions"
        case TupleK(items, is_list):
            word = "list" if is_list else "tuple"
            return f"a {word} of {len(items)} item{'' if len(items) == 1 else 's'}"
        case RecordK(cls) if issubclass(cls, Pair):
            part = kind.fields[0][1]
            if isinstance(part, ArrayK):
                return f"an array of complex numbers, rank {part.rank}"
            return "a complex number"
        case RecordK(cls, fields) if cls is Hashed:
            return describe(fields[1][1])
        case RecordK(cls, fields):
            if cls is dict:
                return f"a dict with the keys {first_keys([n for n, _ in fields])}"
            if cls is LooseDict:
                return "a dict of which only the run knows which keys it has"
            return f"a {cls.__name__}"
        case UnionK(union, absent):
            classes = zip(union.class_names(), union.classes, strict=True)
            names = (n + _arguments(union, c) for n, c in classes if c not in absent)
            return "a " + " or ".join(names)
        case OptionalK(inner, other):
            return f"{describe(inner)} or {describe(other)}"
        case MaybeK(inner):
            return f"{describe(inner)} or nothing yet"
        case RefK(cls) if issubclass(cls, SharedMemory):
            return "an array" if cls.__name__ == "ndarray" else f"a {cls.__name__}"
        case SymbolK(cls) | RefK(cls):
            return "a string" if cls is str else f"a {cls.__name__}"
        case CaughtK(steps):
            return f"{'what is in ' if steps else ''}a caught exception"
        case FunctionK() | FunctionRefK() | ClosureK() | LambdaSetK():
            return "a function"
        case OperatorK(name):
            return f"a function made by {name}"
        case RangeK() | GeneratorK():
            return f"a {kind.cls.__name__}" if isinstance(kind, RangeK) else "a generator"
    return "an unusable value"


def _arguments(union: Union, cls: type) -> str:
    """Return the type arguments of a generic class, in brackets."""
    words = [
        "..." if isinstance(k, UnionK) and k.union is union else describe(k)
        for k in union.arguments.get(cls, ())
    ]
    short = [w.removeprefix("an ").removeprefix("a ") for w in words]
    return f"[{', '.join(short)}]" if short else ""


def describe_both(a: Kind, b: Kind) -> tuple[str, str]:
    """Describe two kinds that do not meet; of tuples and records also their first parts that do
    not."""
    x, y = describe(a), describe(b)
    if x != y:
        return x, y
    match a, b:
        case RecordK(cls, xs), RecordK(other, ys) if cls is other:
            inside = [
                (repr(n) if cls is dict else n, p, q)
                for (n, p), (_, q) in zip(xs, ys, strict=False)
            ]
        case TupleK(ps), TupleK(qs):
            inside = [(f"item {k}", p, q) for k, (p, q) in enumerate(zip(ps, qs, strict=False))]
        case _:
            return x, y
    for name, p, q in inside:
        first, second = describe_both(p, q)
        if first != second:
            return f"{x} with {name}: {first}", f"{y} with {name}: {second}"
    return x, y


def _number(t: Number, py: bool) -> str:
    match t:
        case Real(bits):
            return "float" if py else f"float{bits}"
        case Int(bits):
            return "int" if py else f"int{bits}"
        case Bool():
            return "bool"


def _plural(kind: Kind) -> str:
    if isinstance(kind, RecordK) and kind.cls is Hashed:
        return _plural(kind.fields[1][1])
    if isinstance(kind, ListK):
        return f"{kind.word.replace(' or', 's or')}s of {_plural(kind.elem)}"
    called = describe(kind).removeprefix("an ").removeprefix("a ")
    if is_choice_kind(kind):
        return called.replace("class", "classes", 1)
    if isinstance(kind, (TupleK, ArrayK)):  # "tuples of 2 items", "arrays of float64, rank 1"
        return called.replace(" ", "s ", 1)
    return called + " items"


__all__ = ["describe", "describe_both"]
