"""Cotangents and tangents of values: which leaves have one, and in what shape they are given."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.core.build import i64, lit
from pullback.core.terms import Atom
from pullback.core.types import Array, Real, Type, has_reals
from pullback.errors import ArgumentTypeError
from pullback.frontend.derivatives.gradients import bears, gradient_of, reduced
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.complex_pairs import Pair, holds_pairs
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.flatten import kind_of, rebuild
from pullback.frontend.kinds.kinds import (
    ArrayK,
    HashK,
    Kind,
    ListK,
    RecordK,
    ScalarK,
    StaticK,
    TupleK,
    UnionK,
    leaf_types,
    parts,
    without_spare,
)
from pullback.frontend.kinds.values import (
    ArrayV,
    HashV,
    ListV,
    Owner,
    RecordV,
    Static,
    TupleV,
    UnionV,
    Value,
)
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import keyed_tangents
from pullback.frontend.memory.chosen_keys import known_item
from pullback.frontend.memory.dict_views import view_of
from pullback.frontend.memory.hash_methods import get_item
from pullback.frontend.python.objects_outside import with_attributes
from pullback.frontend.python.records import Union
from pullback.structures import REALS, no_motion

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def is_real(t: Type) -> bool:
    """Whether a type is that of a real number or an array of them, which have cotangents of their
    own."""
    return isinstance(t, Real) or (isinstance(t, Array) and isinstance(t.elem, Real))


def cotangent(run: Run, kind: Kind, primal: Iterator[Atom], cts: Iterator[Atom]) -> Value:
    """Return a gradient in the shape of its argument: discrete leaves are None."""
    leaves = [
        next(cts) if has_reals(t, run.decls) else a
        for t, a in zip(leaf_types(kind), primal, strict=False)
    ]
    shape, kept = reduced(run, kind)
    return rebuild(
        shape,
        (a for a, on in zip(leaves, kept, strict=False) if on),
        lambda: (frozenset({Owner()}), True),
    )


def of_result(value: Value, tangent: Value) -> Value:
    """Return the tangent of a result. A float in it that is known has no leaf: its tangent is 0."""
    match value, tangent:
        case Static(float() | complex() as known), Static(None):
            return Static(type(known)(0.0))
        case TupleV(items), TupleV(along):
            return replace(tangent, items=tuple(map(of_result, items, along)))
        case RecordV(fields=fields), RecordV(fields=along):
            return replace(tangent, fields={n: of_result(fields[n], t) for n, t in along.items()})
        case _:
            return tangent


def adjoint(run: Run, value: Value, node: ast.AST) -> Value:
    """Return a cotangent with the conjugates of its complex numbers: that of the real parts of what
    the user sees, and the other way round (``call.shapes.complex_pair``)."""
    match value:
        case RecordV(cls, fields) if issubclass(cls, Pair):
            imag = fields["imag"]
            known = isinstance(imag, Static) and imag.value is None
            turned = imag if known else run.unary("-", imag, node)
            return replace(value, fields={**fields, "imag": turned})
        case TupleV(items):
            return replace(value, items=tuple(adjoint(run, v, node) for v in items))
        case RecordV(fields=fields):
            return replace(value, fields={n: adjoint(run, v, node) for n, v in fields.items()})
        case ListV(length, elem) if holds_pairs(elem):
            return run.sequence(
                length, lambda i: adjoint(run, run.element(value, i, node, False), node), node
            )
        case HashV(elem=elem) if holds_pairs(elem):
            reason = "a derivative by complex numbers in a dict whose keys only the run knows"
            run.refuse(node, reason, "use a list, or constant keys")
        case _:
            return value


def extents(run: Run, leaves: Iterable[Atom]) -> list[Atom]:
    """Return the extents of all arrays of real numbers among the leaves."""
    return [
        run.b.prim("dim", a, static=(axis,))
        for a in leaves
        if isinstance(a.type, Array) and is_real(a.type)
        for axis in range(a.type.rank)
    ]


def check_shapes(
    run: Run, given: Iterable[Atom], wanted: Sequence[Atom], node: ast.AST,
    message: str = "a (co)tangent of another shape than its array",
) -> None:  # fmt: skip
    """Require that (co)tangents have the shapes of their primals: memory is read by these."""
    for a, b in zip(extents(run, given), wanted, strict=True):
        fits = run.b.prim("eq", a, b)
        run.require(fits, "ValueError", message, node)


def with_zeros(
    run: Run, kind: Kind, given: Sequence[Atom | None], shape: Sequence[Atom], node: ast.AST
) -> list[Atom]:
    """Return the atoms of a cotangent with zeros in the place of None. ``shape`` has the extents of
    all arrays of real numbers among the leaves of the primal."""
    types = [t for t in leaf_types(kind) if has_reals(t, run.decls)]
    rest, found = iter(shape), list[Atom]()
    for t, atom in zip(types, given, strict=True):
        rank = t.rank if isinstance(t, Array) and is_real(t) else 0
        own = [next(rest) for _ in range(rank)]
        found.append(_zero(run, t, own, node) if atom is None else atom)
    return found


def _zero(run: Run, t: Type, extents: Sequence[Atom], node: ast.AST) -> Atom:
    """Return zero as a number, or an array of zeros."""
    zero = lit(0.0, t.elem if isinstance(t, Array) else t)
    return run.array(extents, lambda _: zero, node).atom if extents else zero


def require_still(run: Run, kind: Kind, tangent: Value, node: ast.AST) -> None:
    """Refuse a direction in which an argument that is discrete would move."""
    match kind:
        case StaticK(_, value) if not isinstance(value, float):
            pass
        case ScalarK(t) | ArrayK(t) if not isinstance(t, Real):
            pass
        case _:
            return
    given = tangent.value if isinstance(tangent, Static) else tangent
    if given is not None and not (isinstance(given, (int, float)) and given == 0):
        run.refuse(node, no_motion(describe(kind)), REALS, error=ArgumentTypeError)


def matching(
    run: Run, kind: Kind, value: Value, node: ast.AST, tables: Sequence[Value] = ()
) -> Iterator[Atom | None]:
    """Return the atoms of a (co)tangent for the real leaves of a value of ``kind``; None for a leaf
    that is given as None, which stands for zero. ``tables``: the dicts whose entries are where
    those of the value are (``aligned``); others are refused."""
    match kind, value:
        case (ScalarK() | ArrayK() | TupleK() | RecordK()), Static(None):
            types = [t for t in leaf_types(kind) if has_reals(t, run.decls)]
            if not all(map(is_real, types)):
                run.refuse(node, f"None as a (co)tangent of {describe(kind)}")
            yield from (None for _ in types)
        case ScalarK(t), _:
            if isinstance(t, Real):
                yield run.convert(value, t, node)
        case ArrayK(elem), ArrayV(atom):
            if isinstance(elem, Real):
                if value.elem != elem:
                    run.refuse(
                        node,
                        f"{run.describe(value)} as a (co)tangent of {describe(kind)}",
                        error=ArgumentTypeError,
                    )
                yield atom
        case ArrayK(elem), _ if not isinstance(elem, Real):
            return
        case TupleK(kinds), TupleV(items) if len(kinds) == len(items):
            for k, v in zip(kinds, items, strict=False):
                yield from matching(run, k, v, node, tables)
        case RecordK(cls, fields), RecordV(other, given) if (
            cls is other and (cls is not dict or {n for n, _ in fields} == given.keys())
        ):
            whole = with_attributes(run, value, node)
            assert isinstance(whole, RecordV)
            for n, k in fields:
                if n not in whole.fields:
                    reason = f"a (co)tangent without the {n!r} of {describe(kind)}"
                    run.refuse(node, reason, "give it the same structure", error=ArgumentTypeError)
                yield from matching(run, k, whole.fields[n], node, tables)
        case ListK(elem, cls=cls), (ListV() | TupleV()) if cls in (value.cls, Sequence):
            yield from _of_list(run, elem, value, node)
        case RecordK(builtins.dict, fields), HashV(cls=builtins.dict):
            same = run.b.prim("eq", value.live, i64(len(fields)))
            run.require(same, "ValueError", "the tangent of a dict has other keys", node)
            for n, k in fields:
                yield from matching(run, k, get_item(run, value, known_item(n), node), node)
        case HashK(elem=TupleK((_, held, *_))), HashV() if any(value is t for t in tables):
            values = run.to_list(view_of(value, "values"), node)
            assert isinstance(values, (ListV, TupleV))
            yield from _of_list(run, held, values, node)
        case UnionK(union), (RecordV() | UnionV()) if bears(run, kind):
            yield _of_union(run, union, value, node)
        case UnionK(), _ if not bears(run, kind):
            return
        case StaticK(), _:
            return
        case _:
            run.refuse(
                node,
                f"{run.describe(value)} as a (co)tangent of {describe(kind)}",
                "give it the same structure",
                error=ArgumentTypeError,
            )


def aligned(
    run: Run, primal: Value, tangent: Value, node: ast.AST, tables: list[Value]
) -> tuple[Value, Value]:
    """Return an argument and its tangent with the entries of their dicts (those with keys that only
    the run knows) at the same places of equal columns; these dicts of the tangent go to
    ``tables``."""
    match primal, tangent:
        case HashV(cls=builtins.dict), HashV(cls=builtins.dict):
            own = run_program(run, keyed_tangents.plain, (primal,), node)
            along = run_program(run, keyed_tangents.in_order, (own, tangent), node)
            tables.append(_trimmed(run, along, node))
            return _trimmed(run, own, node), tables[-1]
        case TupleV(items), TupleV(others) if len(items) == len(others):
            pairs = [aligned(run, *both, node, tables) for both in zip(items, others, strict=True)]
            if all(a is x and b is y for (a, b), x, y in zip(pairs, items, others, strict=True)):
                return primal, tangent
            return (
                replace(primal, items=tuple(a for a, _ in pairs)),
                replace(tangent, items=tuple(b for _, b in pairs)),
            )
        case RecordV(cls, fields), RecordV(other, given) if (
            cls is other and fields.keys() == given.keys()
        ):
            found = {n: aligned(run, v, given[n], node, tables) for n, v in fields.items()}
            if all(a is fields[n] and b is given[n] for n, (a, b) in found.items()):
                return primal, tangent
            return (
                replace(primal, fields={n: a for n, (a, _) in found.items()}),
                replace(tangent, fields={n: b for n, (_, b) in found.items()}),
            )
        case _:
            return primal, tangent


def _holds_tables(kind: Kind) -> bool:
    return isinstance(kind, HashK) or any(map(_holds_tables, parts(kind)))


def _trimmed(run: Run, value: Value, node: ast.AST) -> Value:
    return coerce(run, value, without_spare(kind_of(value)), node)


def _of_list(
    run: Run, elem: Kind, value: ListV | TupleV, node: ast.AST
) -> Iterator[Atom]:
    """Return the atoms of a list; it may be a gradient, in which discrete items are missing."""
    types = list(leaf_types(elem))
    if not any(has_reals(t, run.decls) for t in types):
        return
    if _holds_tables(elem):
        what = f"a (co)tangent of a list of {describe(elem)}"
        run.refuse(node, what, "differentiate by one dict", error=ArgumentTypeError)
    shape, kept = reduced(run, elem)
    given = without_spare(kind_of(value))
    gradient = isinstance(given, ListK) and given.elem == shape
    made = coerce(run, value, ListK(shape if gradient else elem, cls=value.cls), node)
    assert isinstance(made, ListV)
    leaves = iter(made.atoms)
    for t, on in zip(types, kept, strict=False):
        atom = next(leaves) if on or not gradient else None
        if atom is not None and has_reals(t, run.decls):
            yield atom


def _of_union(run: Run, union: Union, value: RecordV | UnionV, node: ast.AST) -> Atom:
    """Return a node of the union, or of the union of its gradients."""
    known = value.node if isinstance(value, RecordV) else value
    gradient = gradient_of(run, union)
    wanted = gradient if known is not None and known.union is gradient else union
    made = coerce(run, value, UnionK(wanted), node)
    assert isinstance(made, UnionV)
    return made.atom
