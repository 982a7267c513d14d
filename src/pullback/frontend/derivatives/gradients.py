"""The kinds of gradients: as those of what they are gradients of, but what is discrete is None.

A gradient by a tree is a tree of nodes of the same declaration, in which numbers without a
derivative stand where they stood. Its union is another one, though (``Union.primal``), and when a
node of it is opened these parts are None, as they are in the gradient that the caller gets.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pullback.core.types import Real, has_reals
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.kinds import (
    ArrayK,
    HashK,
    Kind,
    ListK,
    OptionalK,
    RecordK,
    ScalarK,
    StaticK,
    TupleK,
    UnionK,
    UnreadK,
    leaf_types,
    parts,
    static_kind,
    unions_in,
    with_parts,
)
from pullback.frontend.kinds.parted import check_parted
from pullback.frontend.kinds.placeholders import check_placeholders
from pullback.frontend.kinds.table_keys import has_methods
from pullback.frontend.kinds.values import WRITTEN_CLASSES
from pullback.frontend.memory.dict_views import DictView
from pullback.frontend.memory.object_dicts import ObjectDict
from pullback.frontend.python.object_classes import LooseDict
from pullback.frontend.python.records import Union, holds_functions

if TYPE_CHECKING:
    from pullback.frontend.run import Run

Reduced = tuple[Kind, list[bool]]


def bears(run: Run, kind: Kind) -> bool:
    """Whether there can be a real in a value of this kind."""
    run.declare_kind(kind)
    return any(has_reals(t, run.decls) for t in leaf_types(kind))


def reduced(run: Run, kind: Kind) -> Reduced:
    """Return the kind of gradients by values of this kind, and which of the leaves they have."""
    count = len(list(leaf_types(kind)))
    match kind:
        case ScalarK(Real() as t, py, may_be_int=may_be_int):
            return ScalarK(t, py), [True, False] if may_be_int else [True]
        case ArrayK(Real()):
            return kind, [True]
        case UnionK(union, absent) if bears(run, kind):
            return UnionK(gradient_of(run, union), absent), [True]
        case TupleK() | RecordK():
            inner = [_of_part(run, kind, k) for k in parts(kind)]
            whole = with_parts(kind, tuple(k for k, _ in inner))
            return whole, [on for _, mask in inner for on in mask]
        case ListK(elem) if bears(run, elem):
            part, mask = reduced(run, elem)
            return with_parts(kind, (part,)), [True, *mask]
        case OptionalK(inner, other) if bears(run, kind):
            part, mask = reduced(run, inner)
            instead, more = reduced(run, other)
            return OptionalK(part, instead), [True, *mask, *more]
        case HashK(_, TupleK((key, value, *alive))) if bears(run, kind):
            part, mask = reduced(run, value)
            none = static_kind(None)
            table = HashK(dict, TupleK((key, part, *alive)), kind.spare, none)
            heads = [True] * kind.heads
            keys, still = ([True] * len([*leaf_types(TupleK(tuple(k)))]) for k in ((key,), alive))
            factory = [False] * len([*leaf_types(kind.factory)])
            return table, [*heads, *keys, *mask, *still, *factory]
        case _:
            return static_kind(None), [False] * count


def _of_part(run: Run, whole: TupleK | RecordK, kind: Kind) -> Reduced:
    """Return the gradients by a part. What an object of the library counts with (where a deque
    begins) is as it is: the gradient is such an object, too."""
    if whole.cls in WRITTEN_CLASSES.values() and not bears(run, kind):
        return kind, [True] * len(list(leaf_types(kind)))
    return reduced(run, kind)


def gradient_of(run: Run, union: Union) -> Union:
    """Return the union of gradients by values of a union: the same one, if nothing in it is
    discrete."""
    if union.primal is not None or not _has_discrete(run, union, set()):
        return union
    if union.gradient is None:
        made = union.gradient = Union(
            union.name, union.classes, arguments=union.arguments, primal=union
        )
        for cls, fields in union.fields.items():
            made.fields[cls] = tuple((n, _with_gradients(run, k)) for n, k in fields)
    return union.gradient


def _with_gradients(run: Run, kind: Kind) -> Kind:
    match kind:
        case UnionK(union, absent) if bears(run, kind):
            return UnionK(gradient_of(run, union), absent)
        case _:
            return with_parts(kind, tuple(_with_gradients(run, k) for k in parts(kind)))


def _has_discrete(run: Run, union: Union, seen: set[Union]) -> bool:
    """Whether a gradient by it has None where the value has something."""
    seen.add(union)

    def inside(kind: Kind) -> bool:
        match kind:
            case UnionK(other) if bears(run, kind):
                return other not in seen and _has_discrete(run, other, seen)
            case ScalarK(Real()) | ArrayK(Real()):
                return False
            case ListK(elem):
                return not bears(run, elem) or inside(elem)
            case OptionalK(inner, StaticK(_, None)):
                return not bears(run, inner) or inside(inner)
            case TupleK() | RecordK():
                return any(map(inside, parts(kind)))
            case _:
                return kind != static_kind(None)

    return any(inside(k) for fields in union.fields.values() for _, k in fields)


def _factories(kind: Kind) -> Iterator[Kind]:
    """Iterate over the factories of the hash tables in a kind."""
    if isinstance(kind, HashK):
        yield kind.factory
    for part in parts(kind):
        yield from _factories(part)


def _has_view(kind: Kind) -> bool:
    """Whether there is a view of a dict in a kind."""
    own = isinstance(kind, RecordK) and issubclass(kind.cls, (DictView, ObjectDict))
    return own or any(map(_has_view, parts(kind)))


def _met(kind: Kind) -> bool:
    """Whether there is something in a kind that may be a list or a tuple."""
    own = isinstance(kind, ListK) and kind.cls is Sequence
    return own or any(map(_met, parts(kind)))


def unread_in(kind: Kind) -> Iterator[tuple[type, str]]:
    """The attributes in a result that came in an argument and are themselves no arguments."""
    if isinstance(kind, RecordK):
        yield from ((kind.cls, n) for n, k in kind.fields if isinstance(k, UnreadK))
    for part in parts(kind):
        yield from unread_in(part)


def refuse_unread(run: Run, kind: Kind, node: ast.AST, fields: Iterable[Kind] = ()) -> None:
    """Refuse a result in which there is such an attribute (or, in one of the ``fields`` of objects
    that callers see, an array of None)."""
    fields = tuple(fields)
    check_placeholders(run, fields, node)
    check_parted(run, fields, node)
    for cls, name in unread_in(kind):
        reason = f"the attribute {name!r} of a {cls.__name__}, which is no argument, as a result"
        run.refuse(node, reason, "return what is computed from the object")


def _is_loose(kind: Kind) -> bool:
    """Whether there is a dict in a value of this kind of which the keys are not known."""
    own = isinstance(kind, RecordK) and kind.cls is LooseDict
    return own or any(map(_is_loose, parts(kind)))


def refuse_results(run: Run, kind: Kind, node: ast.AST) -> None:
    """Refuse results of compiled code that are, or have in them, functions in nodes, or a gradient
    in which a part is missing."""
    check_placeholders(run, (kind,), node)
    check_parted(run, (kind,), node)
    if _has_view(kind):
        reason = "a view of a dict as a result"
        run.refuse(node, reason, "make a list of it: return list(d.values())")
    if has_methods(kind):
        reason = "a dict or set, whose keys __eq__ compares, as a result"
        run.refuse(node, reason, "return lists: list(d), list(d.values())")
    if _met(kind):
        reason = "a list and a tuple have met here: which of the two this is, only the run knows"
        run.refuse(node, reason, "use lists on all paths, or tuples: list(x), tuple(x)")
    for factory in _factories(kind):
        if not isinstance(factory, StaticK):
            reason = "a defaultdict with a function as its factory is returned"
            run.refuse(node, reason, "return dict(d), or let a class be the factory")
    if _is_loose(kind):
        reason = "a dict of which only the run knows which keys it has, as a result"
        run.refuse(node, reason, "return its values, or give the dicts the same keys")
    for union in unions_in(kind):
        if holds_functions(UnionK(union)):
            run.refuse(
                node,
                f"{describe(UnionK(union))} as a result: there are functions in it",
                "return numbers that are computed from it",
            )
        if union.primal is not None:
            run.refuse(
                node,
                f"a gradient by {describe(UnionK(union))} as a result: it has None where these "
                "have something discrete",
                "use it inside, or let the function that is called outside be pb.grad(...)",
            )


__all__ = ["bears", "gradient_of", "reduced", "refuse_results", "refuse_unread", "unread_in"]
