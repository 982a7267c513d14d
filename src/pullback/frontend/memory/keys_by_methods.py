"""Keys of hash tables that functions of their classes compare: ``__hash__`` and ``__eq__``.

As in CPython, ``__hash__`` is called once for each look-up, the table keeps the number beside the
object, and ``__eq__`` is called for an object with the same number that is not the same object.
What ``hash(...)`` gives inside of a ``__hash__`` is a number of our own (Python's of a string is
another one in each process), so it is nowhere else a value of the program.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from types import FunctionType
from typing import TYPE_CHECKING, NoReturn, cast

from pullback.core.build import f64, i64
from pullback.core.messages import Limit
from pullback.core.terms import Atom
from pullback.core.types import F64, I64, Bool, Int, Real
from pullback.errors import ArgumentTypeError, TypesDoNotMeetError
from pullback.frontend.interpret.attributes import written
from pullback.frontend.interpret.class_functions import check_hash
from pullback.frontend.interpret.indices import told_int
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.flatten import flatten, kind_of, rebuild
from pullback.frontend.kinds.join import generalise
from pullback.frontend.kinds.key_numbers import ROUND, mixed, number_of
from pullback.frontend.kinds.kinds import Kind, RecordK, TupleK, leaf_types
from pullback.frontend.kinds.table_keys import (
    Hashed,
    has_methods,
    is_by_methods,
    is_unhashable,
    is_value_by_methods,
    key_kind,
)
from pullback.frontend.kinds.undefined import dummy_atom
from pullback.frontend.kinds.values import (
    ListV,
    OptionalV,
    RecordV,
    RefV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import tuple_numbers
from pullback.frontend.python.container_bases import is_tuple_class
from pullback.frontend.python.object_classes import is_object_class
from pullback.frontend.python.source import definition_of

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_BITS = 31
"""The numbers that ``hash`` gives are this short, so that one can compute with them."""


LEAST = -(2**63)
"""An int of the run that is no literal: its absolute value is no int of the run."""


def own_key(run: Run, value: Value, node: ast.AST) -> Value:
    """Return a key as a value that only the run knows; refused if it cannot be one."""
    value = hashed(run, _of_ints(run, of_run(value), node), node)
    known = run.kind(value, node)
    kind = key_kind(known)
    if kind is None:
        _check_class(run, value, node)
        is_float = any(isinstance(t, Real) for t in leaf_types(known))
        run.refuse(
            node,
            f"{run.describe(value)} as a key" + (
                ": two equal floats may have different derivatives" if is_float else ""
            ),
            "use ints, bools, strings, members of an enum, or tuples or frozen dataclasses of them",
            error=ArgumentTypeError,
        )
    if has_methods(kind):
        kind = generalise(kind)
    return plain(run, coerce(run, value, kind, node))


def _of_ints(run: Run, value: Value, node: ast.AST) -> Value:
    """Return a key whose numbers that may be ints are ints: a float is refused by the run."""
    match value:
        case Scalar(is_int=is_int) if is_int is not None:
            return told_int(run, value, Limit("NotImplementedError"), "a float as a key", node)
        case TupleV(items, False):
            return replace(value, items=tuple(_of_ints(run, v, node) for v in items))
        case _:
            return value


def fitted(run: Run, key: Value, kind: Kind, node: ast.AST) -> Value:
    """Return a key in the form of those of a table, which may be of more kinds."""
    if kind_of(key) == kind:
        return key
    return plain(run, coerce(run, key, kind, node))


def _check_class(run: Run, value: Value, node: ast.AST) -> None:
    """Refuse an object that is no key because of its class."""
    if not isinstance(value, (RecordV, RefV)) or value.cls is dict:
        return
    if is_unhashable(value.cls):
        reason = f"unhashable type: {value.cls.__name__!r}"
        run.never("TypeError", reason, node, ArgumentTypeError, rewrite="write __hash__, too")
    check_shared(run, value, node)


def check_shared(run: Run, value: Value, node: ast.AST) -> None:
    """Refuse an object that can be a key where objects may have several names: as one in a table
    it has another one."""
    if isinstance(value, RecordV) and is_by_methods(value.cls) and is_object_class(value.cls):
        try:
            run.refuse(node, f"{run.describe(value)} as a key", error=ArgumentTypeError)
        except ArgumentTypeError as e:
            e.shares = True
            raise


def of_run(value: Value) -> Value:
    """Return a key that is known as a value of the run, if it is no literal there."""
    is_least = isinstance(value, Static) and type(value.value) is int and value.value == LEAST
    return Scalar(i64(LEAST), True) if is_least else value


def plain(run: Run, value: Value) -> Value:
    """Return a key in which what may be None has the same leaves wherever it is (an object the
    number of none): keys are compared leaf by leaf."""
    match value:
        case OptionalV(there, RefV(row, cls)):
            made = RefV(run.b.prim("select", there, row, i64(-1)), cls)
            return OptionalV(there, made, value.other)
        case OptionalV(there, inner, other):
            instead = run.b.prim("not", there)
            return OptionalV(there, _if(run, there, inner), _if(run, instead, other))
        case TupleV(items, False):
            return replace(value, items=tuple(plain(run, v) for v in items))
        case RecordV(fields=named):
            return replace(value, fields={n: plain(run, v) for n, v in named.items()})
        case _:
            return value


def _if(run: Run, there: Atom, value: Value) -> Value:
    """Return what a key may be, with the same leaves wherever it is something else."""
    flat = flatten(plain(run, value))
    each = zip(flat.atoms, leaf_types(flat.kind), strict=True)
    return rebuild(
        flat.kind, (run.b.prim("select", there, atom, dummy_atom(run, t)) for atom, t in each)
    )


def hashed(run: Run, value: Value, node: ast.AST) -> Value:
    """Return a key with the numbers of the objects in it that methods compare."""
    match value:
        case RecordV(cls) if cls is Hashed:
            return value
        case RefV(cls=cls) if is_by_methods(cls):
            return _with_number(run, value, node)
        case OptionalV(there, RefV(cls=cls) as inner, Static(None)) if is_by_methods(cls):
            code = run.branch(
                there, lambda: Scalar(_number(run, inner, node), True), lambda: Static(0), node
            )
            return RecordV(Hashed, {"code": code, "held": value})
        case ListV() if key_kind(kind_of(value)) is not None:
            code = run_program(run, tuple_numbers.of_items, (value,), node)
            return RecordV(Hashed, {"code": code, "held": value})
        case RecordV(cls) if is_value_by_methods(cls):
            return _with_number(run, value, node)
        case TupleV(items, False):
            return replace(value, items=tuple(hashed(run, v, node) for v in items))
        case RecordV(cls, named) if key_kind(kind_of(value)) is not None:
            return replace(value, fields={n: hashed(run, v, node) for n, v in named.items()})
        case _:
            return value


def held(key: Value) -> Value:
    """Return a key of a table as the value that was put in."""
    match key:
        case RecordV(cls, named) if cls is Hashed:
            return named["held"]
        case TupleV(items):
            return replace(key, items=tuple(map(held, items)))
        case RecordV(_, named):
            return replace(key, fields={n: held(v) for n, v in named.items()})
        case _:
            return key


def _with_number(run: Run, value: RecordV | RefV, node: ast.AST) -> RecordV:
    return RecordV(Hashed, {"code": Scalar(_number(run, value, node), True), "held": value})


# --- numbers of keys ------------------------------------------------------------------------------


def _number(run: Run, value: RecordV | RefV, node: ast.AST) -> Atom:
    """Return what the ``__hash__`` of an object gives."""
    classes = run.rows.group(value).classes if isinstance(value, RefV) else [value.cls]
    by_user = [written(c, "__hash__") for c in classes]
    if any(by_user):
        for f in by_user:
            if f is not None:
                _check_function(run, f, node)
        return _number_of(run, run.call(run.attribute(value, "__hash__", node), (), node), node)
    if len(classes) > 1:
        reason = "objects of several classes as keys, whose __hash__ @dataclass made"
        run.refuse(node, reason, "write __hash__ and __eq__ in their base class")
    (cls,) = classes
    assert is_dataclass(cls)
    named = [f.name for f in fields(cls) if (f.compare if f.hash is None else f.hash)]
    return _code_of(run, TupleV(tuple(run.attribute(value, n, node) for n in named)), node)


def _number_of(run: Run, found: Value, node: ast.AST) -> Atom:
    match found:
        case Static(int(known)):
            return i64(hash(known))
        case Scalar(atom, True) if isinstance(atom.type, (Int, Bool)):
            return run.convert(found, I64, node)
        case _:
            run.refuse(node, "__hash__ method should return an integer", error=ArgumentTypeError)


def _check_function(run: Run, function: FunctionType, node: ast.AST) -> None:
    """Refuse a ``__hash__`` that keeps what ``hash`` gives."""
    definition = definition_of(function)
    for part in ast.walk(definition.node):
        kept = isinstance(part, (ast.Attribute, ast.Subscript)) and not isinstance(
            part.ctx, ast.Load
        )
        if kept or isinstance(part, (ast.Global, ast.Nonlocal)):
            run.refuse(
                node, f"{definition.name} of a key keeps a number: those of hash() are others "
                "in compiled code",
                "return hash((self.a, self.b))",
            )  # fmt: skip


@register(hash)
def _hash(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """``hash(v)`` inside of a ``__hash__``."""
    run = cast("Run", sp)
    check_hash(run, node)
    if len(args) != 1 or kwargs:
        run.refuse(node, "hash() takes exactly one argument", error=ArgumentTypeError)
    return Scalar(_code_of(run, args[0], node), True, _BITS)


def _code_of(run: Run, value: Value, node: ast.AST) -> Atom:
    """Return a short number that follows from what ``hash`` is given."""
    code = mixed(run, _numbers(run, value, node), node)
    return run.b.prim("shr", code, i64(64 - _BITS))


def _code_of_other(run: Run, other: Value, node: ast.AST) -> Value:
    none = isinstance(other, Static) and other.value is None
    return Static(0) if none else Scalar(_code_of(run, other, node), True)


def _numbers(run: Run, value: Value, node: ast.AST) -> list[Atom]:
    """Return the ints that a number is made of."""
    match value:
        case Static(None):
            return [i64(0)]
        case OptionalV(there, inner, other):
            code = run.branch(
                there,
                lambda: Scalar(_code_of(run, inner, node), True),
                lambda: _code_of_other(run, other, node),
                node,
            )
            return [run.scalar(code, node).atom]
        case TupleV(items, False):
            return [number for v in items for number in _numbers(run, v, node)]
    value = hashed(run, of_run(value), node)
    kind = key_kind(run.kind(value, node), floats=True)
    if kind is None:
        own_key(run, value, node)  # says why it is none
        run.refuse(node, f"hash of {run.describe(value)}", error=ArgumentTypeError)
    key = plain(run, coerce(run, value, generalise(kind), node))
    return [_whole_or_bits(run, leaf, node) for leaf in leaves(key)]


def _whole_or_bits(run: Run, leaf: Atom, node: ast.AST) -> Atom:
    """Return an int for a number: the same for 1 and 1.0."""
    if not isinstance(leaf.type, Real):
        return leaf
    x = run.convert(Scalar(leaf, True), F64, node)
    whole = run.b.prim("to_int", x, static=(I64,))
    rest = run.b.prim("sub", x, run.b.prim("to_real", whole, static=(F64,)))
    bits = run.b.prim("to_int", run.b.prim("mul", rest, f64(2.0**52)), static=(I64,))
    return run.b.prim("xor", whole, run.b.prim("mul", bits, i64(ROUND)))


def leaves(key: Value) -> Iterator[Atom]:
    """Return what is alike in keys that are equal: of an object, the number that it gave."""
    if not has_methods(kind_of(key)):
        yield from flatten(key).atoms
        return
    match key:
        case RecordV(cls, named) if cls is Hashed:
            yield from flatten(named["code"]).atoms
        case TupleV(items):
            for v in items:
                yield from leaves(v)
        case RecordV(_, named):
            for v in named.values():
                yield from leaves(v)
        case _:
            raise AssertionError(key)


# --- keys that are equal --------------------------------------------------------------------------


def pairs(a: Value, b: Value) -> Iterator[tuple[Value, Value]]:
    """Return the objects in two keys of one kind that methods compare."""
    match a, b:
        case RecordV(cls, xs), RecordV(_, ys) if cls is Hashed:
            yield xs["held"], ys["held"]
        case TupleV(xs), TupleV(ys):
            for x, y in zip(xs, ys, strict=True):
                yield from pairs(x, y)
        case RecordV(_, xs), RecordV(_, ys):
            for n in xs:
                yield from pairs(xs[n], ys[n])
        case _:
            return


def equal(run: Run, a: Value, b: Value, node: ast.AST) -> Value:
    """Whether two objects are one, or their class says that they are equal."""

    def asked() -> Value:
        same = run.truth(run.compare("==", a, b, node), node)
        return Static(same) if isinstance(same, bool) else Scalar(same, True, 1)

    if not isinstance(a, (RefV, OptionalV)):
        return asked()
    one = run.truth(run.compare("is", a, b, node), node)
    return run.branch(one, lambda: Static(True), asked, node)


def as_tuple_of(value: Value, kind: Kind) -> Value:
    """Return a NamedTuple that is looked for among tuples as a tuple, and the other way round."""
    match value, kind:
        case RecordV(cls, named), TupleK() if is_tuple_class(cls):
            return TupleV(tuple(named.values()))
        case TupleV(items, False), RecordK(cls, held) if is_tuple_class(cls):
            return RecordV(cls, {n: v for (n, _), v in zip(held, items, strict=True)})
        case _:
            return value


def items_of(kind: Kind) -> TupleK | None:
    """Return the kind of a tuple, or of a NamedTuple as that of the tuple that it is."""
    match kind:
        case TupleK():
            return kind
        case RecordK(cls, held) if is_tuple_class(cls):
            return TupleK(tuple(k for _, k in held))
        case _:
            return None


def refuse_others(run: Run, a: Kind, b: Kind, node: ast.AST) -> NoReturn:
    """Refuse a key of another kind than those of a table, where methods compare some of them."""
    run.refuse(
        node, f"{describe(a)} as a key beside {describe(b)}, which __eq__ compares",
        "use keys of one class", error=TypesDoNotMeetError,
    )  # fmt: skip


__all__ = [
    "Hashed", "as_tuple_of", "equal", "fitted", "hashed", "held", "items_of", "leaves",
    "number_of", "own_key", "pairs", "plain", "refuse_others",
]  # fmt: skip
