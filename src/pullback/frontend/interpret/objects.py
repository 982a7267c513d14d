"""Reading data: truth, elements of lists, subscripts; making records."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pullback.core.build import i64
from pullback.core.terms import Atom, Lit
from pullback.errors import ArgumentTypeError, PullbackError, StaticIndexError
from pullback.frontend.functions import choices
from pullback.frontend.interpret import (
    complex_values,
    fallbacks,
    frozen_objects,
    items_of_several,
    made_texts,
    payloads,
    range_items,
    scalars,
    small_ints,
    symbol_values,
)
from pullback.frontend.interpret.classes_apart import differ, has_special
from pullback.frontend.interpret.indices import as_parts, index_atom, is_int, place
from pullback.frontend.interpret.iteration import iterate
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.coerce import coerce, copied
from pullback.frontend.kinds.complex_pairs import is_complex
from pullback.frontend.kinds.flatten import kind_of, rebuild
from pullback.frontend.kinds.function_kinds import is_function
from pullback.frontend.kinds.kinds import ArrayK, RecordK, UnionK
from pullback.frontend.kinds.plain_kinds import may_change
from pullback.frontend.kinds.values import (
    ArrayV,
    CaughtV,
    ClosureV,
    EnumerateV,
    FunctionV,
    GeneratorV,
    HashV,
    Indexed,
    LambdaSetV,
    ListV,
    OperatorV,
    OptionalV,
    RangeV,
    RecordV,
    RefV,
    ReversedV,
    Scalar,
    SliceV,
    SmallV,
    Static,
    SymbolV,
    TupleV,
    UnionV,
    Value,
    ZipV,
)
from pullback.frontend.library.arguments import is_none
from pullback.frontend.library.arrays_as_numbers import only_element
from pullback.frontend.library.numpy import array_methods, arrays, brackets, indices, subscripts
from pullback.frontend.memory import dicts, hash_methods
from pullback.frontend.memory.container_objects import indexed
from pullback.frontend.memory.dict_views import is_view, seen_by
from pullback.frontend.memory.long_tuples import as_class
from pullback.frontend.memory.object_dicts import is_object_dict
from pullback.frontend.python import generics, records, special_methods
from pullback.frontend.python.container_bases import is_tuple_class
from pullback.frontend.python.libraries import is_used_in_brackets
from pullback.frontend.python.object_classes import LooseDict, are_dicts, is_object_class, maker_of
from pullback.frontend.python.syntax import updated
from pullback.frontend.python.unions import declared_unions
from pullback.frontend.store.shared_memory import in_region, is_shared, opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def as_tuple(value: Value) -> Value:
    """Return a NamedTuple as the plain tuple that it is, and any other value itself."""
    if isinstance(value, RecordV) and is_tuple_class(value.cls):
        return TupleV(tuple(value.fields.values()))
    return value


_TRUTH = ("__bool__", "__len__")


def truth(run: Run, value: Value, node: ast.AST) -> bool | Atom:
    """Return Python's truth of a value."""
    match value:
        case Static(v) if may_change(v) and any(hasattr(type(v), n) for n in _TRUTH):
            return truth(run, made_texts.of_python(run, bool, (value,), node, bool), node)
        case Static(v) | Scalar(Lit(v)):
            return bool(v)
        case Scalar():
            return scalars.truth(run, value)
        case TupleV(items):
            return choices.truth(run, value, node) if choices.is_choice(value) else bool(items)
        case RecordV() if is_view(value):
            return truth(run, seen_by(value), node)
        case RecordV() if is_object_dict(value):
            return truth(run, opened(run, value, node), node)
        case ListV(n) | HashV(live=n):
            return run.b.prim("ne", n, i64(0)) if not isinstance(n, Lit) else bool(n.value)
        case RangeV():
            n = range_items.parts(run, value, node)[1]
            return run.b.prim("ne", n, i64(0)) if not isinstance(n, Lit) else bool(n.value)
        case RecordV(cls, fields):
            by_method = special_methods.truth(run, value, node)
            if by_method is not None:
                return by_method
            return bool(fields) or not (is_tuple_class(cls) or are_dicts(cls))
        case RefV() if is_shared(value):
            return truth(run, opened(run, value, node), node)
        case RefV():
            return special_methods.truth_of_reference(run, value, node)
        case UnionV():
            return special_methods.truth_of_union(run, value, node)
        case OptionalV(there, inner, other):
            inside = run.branch(
                there, lambda: _as_bool(run.truth(inner, node)),
                lambda: _as_bool(run.truth(other, node)), node,
            )  # fmt: skip
            return run.truth(inside, node)
        case SmallV():
            return truth(run, small_ints.wide(run, value, node), node)
        case SymbolV():
            return symbol_values.truth(run, value, node)
        case ArrayV():
            return truth(run, only_element(run, value, node, "use np.any(a) or np.all(a)"), node)
        case CaughtV():
            return run.truth(made_texts.of_python(run, bool, (value,), node, bool), node)
        case FunctionV() | ClosureV() | LambdaSetV() | OperatorV() | ZipV():
            return True
        case EnumerateV() | GeneratorV() | ReversedV() | SliceV():
            return True
        case _:
            run.refuse(node, f"{run.describe(value)} has no truth value")


def _as_bool(value: bool | Atom) -> Value:
    return Static(value) if isinstance(value, bool) else Scalar(value, True, 1)


def element(run: Run, items: ListV, at: Atom, node: ast.AST, checked: bool, of: str = "") -> Value:
    """Return one item of a list or tuple."""
    of = of or ("tuple" if items.cls is tuple else "list")
    if checked and (items.spare or not items.atoms):
        at, checked = place(run, items, at, f"{of} index out of range", node), False
    site = replace(run.site(node), of=of)
    parts = [run.b.index(a, (at,), checked, site) for a in items.atoms]
    return rebuild(items.elem, iter(parts), lambda: (items.inner, False))


def subscript(run: Run, value: Value, index: Value, node: ast.AST) -> Value:
    """Compile ``value[index]``."""
    if choices.is_choice(value):
        run.refuse(node, "a function or iterator cannot be indexed", error=ArgumentTypeError)
    if choices.is_choice(index):
        return choices.call(run, index, lambda k: subscript(run, value, k, node), node)
    index = small_ints.wide(run, index, node)
    match value:
        case SmallV():
            return small_ints.subscript(run, value, index, node)
        case _ if optionals.may_be_nothing(value):
            return items_of_several.subscript(run, value, index, node)
        case ArrayV():
            return arrays.subscript(run, value, index, node)
        case TupleV(items, is_list):
            return _of_tuple(run, items, is_list, value, index, node)
        case RecordV(cls) if cls in (dict, LooseDict):
            return dicts.get_item(run, value, index, node)
        case RecordV() if is_complex(value):
            return complex_values.subscript(run, value, index, node)
        case HashV():
            return hash_methods.get_item(run, value, index, node)
        case _ if is_shared(value) or is_object_dict(value):
            return subscript(run, opened(run, value, node), index, node)
        case RecordV() | RefV() if (held := indexed(run, value, node)) is not value:
            return run.subscript(held, index, node)
        case _ if differ(value, run, "__getitem__"):
            return run.case_value(value, lambda v: run.subscript(v, index, node), node)
        case RecordV() | RefV() if has_special(value, "__getitem__"):
            parts = (as_parts(value.cls, index),)
            return run.call(run.attribute(value, "__getitem__", node), parts, node)
        case RecordV(cls, fields) if is_tuple_class(cls):
            items = tuple(fields.values())
            return _of_tuple(run, items, False, TupleV(items), index, node)
        case ListV():
            if isinstance(index, SliceV):
                return _slice_list(run, value, index, node)
            at = index_atom(run, index, node, "list")
            return run.element(value, at, node, True)
        case CaughtV(atom, steps) if isinstance(index, Static) and isinstance(index.value, int):
            return payloads.argument(run, CaughtV(atom, (*steps, index.value)), node)
        case RangeV():
            return _of_range(run, value, index, node)
        case Static(type() as cls) if records.parameters(cls) and (
            records.is_record_class(cls) or is_object_class(cls)
        ):
            given = run.static(index, node, f"what {cls.__name__} is made of")
            return Static(cls[given])  # type: ignore[index]  # a generic class
        case SymbolV() | Static(str()) if made_texts.is_late_part(run, value, index):
            return made_texts.part(run, value, index, node)
        case SymbolV(_, cls) if cls is str:
            atom = index_atom(run, index, node, "string")
            return made_texts.character(run, value, atom, node)
        case Static(str(text)) if is_int(index) and not isinstance(index, Static):
            characters = TupleV(tuple(map(Static, text)))
            atom = index_atom(run, index, node, "string")
            if not text:
                run.never("IndexError", "string index out of range", node, StaticIndexError)
            return element(run, run.to_list(characters, node), atom, node, True, "string")
        case Static(str() | bytes() as text):
            key: Any = run.static(index, node, "the index of a string")
            try:
                return Static(text[key])
            except IndexError as e:
                run.never("IndexError", str(e), node, StaticIndexError)
            except TypeError as e:
                run.never("TypeError", str(e), node, ArgumentTypeError)
        case Static(known) if is_used_in_brackets(known):
            return brackets.subscript(run, known, index, node)
        case Scalar(py=False):
            return array_methods.number_at(run, value, index, node)
        case _:
            return fallbacks.item_of_class(run, value, index, node)


def _of_tuple(
    run: Run, items: tuple[Value, ...], is_list: bool, value: Value, index: Value, node: ast.AST
) -> Value:
    word = "list" if is_list else "tuple"
    match index:
        case SliceV() if all(isinstance(v, Static) for v in index.bounds):
            key = run.static(index, node, "a slice")
            assert isinstance(key, slice)
            return TupleV(items[key], is_list)
        case SliceV() if not items and is_none(index.step):
            return TupleV((), is_list)
        case SliceV():
            listed = as_class(run.to_list(value, node), list if is_list else tuple)
            return _slice_list(run, listed, index, node)
        case Static(int(i)):
            if not -len(items) <= i < len(items):
                run.never("IndexError", f"{word} index out of range", node, StaticIndexError)
            return items[i]
        case _:
            atom = index_atom(run, index, node, word)
            if not items:
                run.never("IndexError", f"{word} index out of range", node, StaticIndexError)
            for v in items:
                if isinstance(v, GeneratorV):
                    run.generators.advance(v)
            function = choices.item(run, items, atom, node)
            if function is not None:
                return function
            return element(run, run.to_list(value, node), atom, node, True, word)


def _slice_list(run: Run, items: ListV, index: SliceV, node: ast.AST) -> ListV:
    if all(map(is_none, index.bounds)):
        return items if items.cls is tuple else copied(run, items)  # xs[:] copies a list
    part = subscripts.slice_part(run, index, items.length, node)
    return as_class(part_of_list(run, items, part.start, part.count, part.step), items.cls)


def part_of_list(run: Run, items: ListV, start: Atom, count: Atom, step: int = 1) -> ListV:
    """Return ``count`` items from ``start`` (all in range) as a new list."""
    atoms = tuple(
        run.b.prim("slice", a, start, count, i64(step), static=(0,)) for a in items.atoms
    )
    view = ListV(count, items.elem, atoms, items.owners, False, items.inner)
    # Of a list that may be updated: a list of its own, as in Python. Else a view will do, unless
    # the part is updated (``own_part``).
    if items.fresh:
        return copied(run, view)
    run.parts.add(view)
    return view


def own_part(run: Run, part: ListV, name: str) -> ListV:
    """Return a part of a list for a name: a copy, as in Python, if that can be observed."""
    definition = run.frame.definition
    if part.fresh or definition is None or isinstance(definition.node, ast.Lambda):
        return part
    return run.copied(part) if name in updated(definition.node.body) else part


def own_parts(run: Run, target: ast.expr, source: ast.expr, value: Value) -> Value:
    """Return the assigned values as the target needs them: slices as such, under no other name."""
    match target, source, value:
        case ast.Name(name), ast.Subscript(), ListV() if value in run.parts:
            return own_part(run, value, name)
        case ast.Tuple(names) | ast.List(names), ast.Tuple(given), TupleV(items) if (
            len(names) == len(given) == len(items)
        ):
            made = (own_parts(run, *each) for each in zip(names, given, items, strict=True))
            return replace(value, items=tuple(made))
        case _:
            return value


def _of_range(run: Run, value: RangeV, index: Value, node: ast.AST) -> Value:
    if isinstance(index, SliceV):
        return _slice_range(run, value, index, node)
    n = range_items.parts(run, value, node)[1]
    at = index_atom(run, index, node, "range")
    i = indices.in_range(run, at, n, node, "range object index out of range")
    items = iterate(run, value, node)
    assert isinstance(items, Indexed)
    item = items.at(i)
    assert isinstance(item, Scalar)
    return replace(item, bits=64)  # what is indexed may be longer than any loop


def _slice_range(run: Run, value: RangeV, index: SliceV, node: ast.AST) -> Value:
    """Return a slice of a range, which is a range; its ends are those that Python gives it."""
    b, site = run.b, run.site(node)
    first, count, by = range_items.parts(run, value, node)
    start, stop, step = subscripts.slice_bounds(run, index, count, node)

    def item(i: Atom) -> Value:
        return Scalar(b.prim("add.ck", first, b.prim("mul.ck", i, by, site=site), site=site), True)

    return RangeV(item(start), item(stop), Scalar(b.prim("mul.ck", by, i64(step), site=site), True))


# --- records --------------------------------------------------------------------------------------


def construct(
    run: Run,
    cls: type,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    node: ast.AST,
    declared: object = None,
    methods: dict[str, Value] | None = None,
) -> Value:
    """Compile ``cls(...)`` for a frozen dataclass or a NamedTuple. The object of a recursive class
    becomes a node of its union at once, so that recursion over it has one type. ``declared`` is the
    class with its type arguments, ``Cons[float]``."""
    if not records.is_frozen(cls):
        run.refuse(
            node,
            f"{cls.__name__} is a dataclass that is not frozen",
            "declare it with @dataclass(frozen=True)",
        )
    if not _plain_init(cls) or maker_of(cls) is not None:
        run.refuse(
            node,
            f"{cls.__name__} runs code of its own when it is made",
            "leave out __init__ and write a function that makes the object",
        )
    given, late = given_fields(run, cls, args, kwargs, node)
    record = frozen_objects.complete(run, RecordV(cls, (methods or {}) | given), late, node)
    run.made[record] = run.b
    return in_its_union(run, record, declared, node)


def in_its_union(run: Run, record: RecordV, declared: object, node: ast.AST) -> Value:
    """A new object of a frozen class: as a node, if its class is recursive."""
    cls = record.cls
    group = records.home_group(cls) if dataclasses.is_dataclass(cls) else None
    if group is None:
        return record
    kind = node_kind(run, group, record, declared, node)
    return record if kind is None else coerce(run, record, kind, node)


def given_fields(
    run: Run, cls: type, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> tuple[dict[str, Value], tuple[Value, ...]]:
    """The fields of a new record, given or by default; and what only ``__post_init__`` gets."""
    late = tuple(f.name for f in records.init_fields(cls) if records.is_init_var(f))
    names, given_names = (*records.field_names(cls), *late), _positional(cls)
    if len(args) > len(given_names):
        run.refuse(
            node,
            f"{cls.__name__} takes {len(given_names)} positional arguments, {len(args)} were "
            "given",
            error=ArgumentTypeError,
        )
    given = dict(zip(given_names, args, strict=False))
    unknown = {f.name for f in _fields(cls) if not f.init}
    for name, value in kwargs.items():
        if name not in names or name in given or name in unknown:
            run.refuse(
                node,
                f"{cls.__name__} got an unexpected argument {name!r}",
                error=ArgumentTypeError,
            )
        given[name] = value
    set_later = {f.name for f in _fields(cls) if records.is_set_later(f)}
    found = {
        n: given[n] if n in given else _default(run, cls, n, node)
        for n in names if n in given or n not in set_later
    }  # fmt: skip
    return {n: v for n, v in found.items() if n not in late}, tuple(found[n] for n in late)


def _fields(cls: type) -> tuple[dataclasses.Field[object], ...]:
    return dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()


def _positional(cls: type) -> tuple[str, ...]:
    """Return the fields that can be given by position."""
    if not dataclasses.is_dataclass(cls):
        return records.field_names(cls)
    return tuple(f.name for f in records.init_fields(cls) if f.init and not f.kw_only)


def _plain_init(cls: type) -> bool:
    if not dataclasses.is_dataclass(cls):
        return True
    init = vars(cls).get("__init__")
    return getattr(getattr(init, "__code__", None), "co_filename", "<").startswith("<")


def _default(run: Run, cls: type, name: str, node: ast.AST) -> Value:
    default: object = dataclasses.MISSING
    if dataclasses.is_dataclass(cls):
        (found,) = [f for f in records.init_fields(cls) if f.name == name]
        default = found.default
        if found.default_factory is not dataclasses.MISSING:
            path = (("class", cls), ("default_factory", name))
            factory = run.from_python(found.default_factory, path, node, guarded=False)
            return in_region(run, run.call(factory, (), node), path, node)
    else:
        defaults: dict[str, object] = getattr(cls, "_field_defaults", {})
        default = defaults.get(name, default)
    if default is dataclasses.MISSING:
        run.refuse(
            node,
            f"{cls.__name__} is missing the argument {name!r}",
            error=ArgumentTypeError,
        )
    return run.from_python(default, (("class", cls), ("field_default", name)), node)


def node_kind(
    run: Run, group: tuple[type, ...], record: RecordV, declared: object, node: ast.AST
) -> UnionK | None:
    """Return the kind of an object of a recursive class as a node; None if its type arguments are
    not known yet."""
    assert run.frame.definition is not None
    run.lambda_sets.here = run.frame.definition, node
    if not generics.is_generic(group):
        union = _union_of(group, record)
        return UnionK(union, frozenset(union.classes) - {record.cls})
    try:
        given = records.declared_arguments(declared) if declared is not None else None
        whole = kind_of(record)
        assert isinstance(whole, RecordK)
        kind = generics.node_kind(whole, group, given or records.NO_ARGUMENTS)
        if kind is None and any(map(is_function, (k for _, k in whole.fields))):
            raise ArgumentTypeError(
                f"what {records.parameters(record.cls)[0]} is in {record.cls.__name__} does not "
                "follow from its fields: a function does not show what it returns",
                f"write it: {record.cls.__name__}[float](...)",
            )
        return kind
    except PullbackError as e:
        run.refuse(node, e.reason, e.rewrite, type(e))


def _union_of(group: tuple[type, ...], record: RecordV) -> records.Union:
    """Return the union that the fields already belong to, or the one that fits them."""
    for value in record.fields.values():
        if isinstance(value, UnionV) and set(group) == set(value.union.classes):
            return value.union
    found: list[tuple[type, str, ArrayK]] = []
    todo = [record]
    while todo:
        r = todo.pop()
        for name, value in r.fields.items():
            kind = kind_of(value)
            if isinstance(kind, ArrayK) and records.has_rank_of_its_own(r.cls, name):
                found.append((r.cls, name, kind))
            elif isinstance(value, RecordV):
                todo.append(value)
    same = [u for u in declared_unions() if set(u.classes) == set(group)]
    known = [u for u in same if records.suits(u, tuple(found))]
    return known[-1] if known else records.union_for(group, tuple(found))


__all__ = ["construct", "element", "ext", "in_its_union", "is_int", "node_kind", "subscript",
           "truth"]  # fmt: skip
