"""Convert a value to a more general kind; ``join`` promises that this is possible."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from pullback.core.build import boolean, i64
from pullback.core.messages import Limit
from pullback.core.terms import Atom, Inject
from pullback.core.types import I64, Array, Bool, Int, Named, Real
from pullback.errors import TypesDoNotMeetError
from pullback.frontend.derivatives.identity import is_one
from pullback.frontend.functions import choices, eta
from pullback.frontend.functions.scopes import Outside
from pullback.frontend.kinds import chosen, key_numbers, of_functions, one_of
from pullback.frontend.kinds.bare_marks import as_mark
from pullback.frontend.kinds.complex_pairs import is_met, pair_of
from pullback.frontend.kinds.descriptions import describe, describe_both
from pullback.frontend.kinds.flatten import NoKindError, flatten, kind_of
from pullback.frontend.kinds.join import generalise, join, widen
from pullback.frontend.kinds.kinds import (
    ClosureK,
    FunctionK,
    HashK,
    Kind,
    LambdaSetK,
    ListK,
    MaybeK,
    OperatorK,
    OptionalK,
    RangeK,
    RecordK,
    RefK,
    ScalarK,
    StaleK,
    StaticK,
    SymbolK,
    TupleK,
    UnionK,
    are_memory,
    leaf_types,
    without_spare,
)
from pullback.frontend.kinds.number_kinds import fits, of_kind
from pullback.frontend.kinds.sum_kinds import mark_of
from pullback.frontend.kinds.table_keys import Hashed, item_kind
from pullback.frontend.kinds.undefined import dummy_atom, unset
from pullback.frontend.kinds.values import (
    ClosureV,
    FunctionV,
    HashV,
    LambdaSetV,
    ListV,
    MaybeV,
    OperatorV,
    OptionalV,
    Owner,
    RangeV,
    RecordV,
    RefV,
    Scalar,
    SliceV,
    Stale,
    Static,
    SymbolV,
    TupleV,
    UnionV,
    Value,
)
from pullback.frontend.library.numpy import sequences
from pullback.frontend.memory import holding, ownership
from pullback.frontend.python.object_classes import LooseDict, may_lack
from pullback.frontend.python.objects_outside import with_attributes
from pullback.frontend.python.symbols import number_of, symbol_class
from pullback.frontend.signals import MEETING

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def coerce(
    run: Run, value: Value, kind: Kind, node: ast.AST, known: Kind | None = None
) -> Value:
    """Return ``value`` as a value of ``kind``. Raise TypesDoNotMeetError if that cannot be.
    ``known``: the kind that it has, if it has been asked for."""
    if isinstance(kind, StaleK):
        return Stale(kind.reason, kind.node, unset=kind.unset)
    own = kind_of(value) if known is None else known
    if own == kind:
        return value
    match value, kind:
        case RefV(row, one, among), RefK(other, wide) if one is other and (
            not wide or (among and {*among} <= {*wide})
        ):
            return RefV(row, other, wide)
        case RefV(row, one), RefK(other) if MEETING.get() and are_memory(one, other):
            return RefV(row, other)
        case MaybeV(bound, inner), MaybeK(inner_kind):
            return MaybeV(bound, coerce(run, inner, inner_kind, node))
        case _, MaybeK(inner_kind):
            return MaybeV(boolean(True), coerce(run, value, inner_kind, node))
        case OptionalV(), UnionK(union) if type(None) in union.classes:
            inside, instead = value.value, value.other
            return run.branch(
                value.there,
                lambda: coerce(run, inside, kind, node),
                lambda: coerce(run, instead, kind, node),
                node,
            )
        case _, OptionalK():
            made = one_of.into(run, value, kind, node, own, coerce)
            return mismatch(run, value, kind, node) if made is None else made
        case RecordV(), StaticK() if mark_of(own) == kind:
            return as_mark(run, value)
        case RecordV(outside=Outside()), RecordK(outside=None):
            return coerce(run, with_attributes(run, value, node), kind, node)
        case Static(constant), SymbolK(cls) if symbol_class(constant) is cls:
            run.lambda_sets.symbols[constant] = None
            return SymbolV(i64(number_of(constant)), cls)
        case SymbolV(_, cls), ScalarK(t, py, bits, may_be_int):
            of_ints = boolean(issubclass(cls, int)) if may_be_int else None
            return Scalar(run.convert(value, t, node), py, bits, of_ints)
        case (Static() | Scalar()), ScalarK(t, rank0=rank0) if fits(value, t):
            if isinstance(value, Scalar) and not rank0:
                run.as_numbers |= value.owners
            return of_kind(value, kind, run.convert(value, t, node))
        case (Static() | TupleV()), TupleK() if of := chosen.constants(kind):
            made = choices.among(run, value, of, node)
            return mismatch(run, value, kind, node) if made is None else made
        case TupleV(items), TupleK(kinds, is_list) if len(items) == len(kinds):
            parts = tuple(coerce(run, v, k, node) for v, k in zip(items, kinds, strict=True))
            return replace(value, items=parts, is_list=is_list)
        case (TupleV() | ListV()), ListK(cls=cls) if cls not in (value.cls, Sequence):
            mismatch(run, value, kind, node)
        case TupleV(items, _, owners, fresh), ListK(elem, spare):
            listed = [coerce(run, v, elem, node) for v in items]
            made = list_of(run, listed, elem, node)
            outside = ownership.given_with(run, owners)
            sole = made.sole or ownership.is_unshared(TupleV(tuple(listed)), outside)
            return replace(made, owners=owners, fresh=fresh, spare=spare, sole=sole, cls=kind.cls)
        case ListV(), ListK():
            return _coerce_list(run, value, kind, node)
        case HashV(), HashK() if value.cls is kind.cls:
            return _coerce_table(run, value, kind, node)
        case RecordV(builtins.dict, fields), HashK():
            return run.hash_table(value, kind, node)
        case OptionalV(there, one, other), RecordK() if item_kind(kind) is not None:
            first, second = (partial(coerce, run, v, kind, node) for v in (one, other))
            return run.branch(there, first, second, node)
        case TupleV(_, False), RecordK(_, (_, (_, listed))) if item_kind(kind) is not None:
            code = Scalar(key_numbers.number_of(run, value, node), True)
            return RecordV(Hashed, {"code": code, "held": coerce(run, value, listed, node)})
        case RecordV(cls, fields), RecordK(other, kinds) if (
            cls is other or (cls is dict and other is LooseDict)
        ) and (
            fields.keys() == dict(kinds).keys()
            or (may_lack(other) and fields.keys() <= dict(kinds).keys())
        ):
            have = dict(own.fields) if isinstance(own, RecordK) else {}
            converted = {n: _attribute(run, fields.get(n), k, node, have.get(n)) for n, k in kinds}
            return replace(value, cls=other, fields=converted)
        case (Static() | Scalar() | RecordV()), RecordK(cls) if is_met(value, cls):
            return coerce(run, pair_of(run, value, cls, node), kind, node)
        case (RecordV() | UnionV() | Static()), UnionK():
            return _into_union(run, value, kind, node)
        case (Static() | OperatorV()), (FunctionK() | ClosureK() | LambdaSetK()):
            return coerce(run, eta.wrapped(value), kind, node)
        case RecordV(cls), (FunctionK() | ClosureK() | LambdaSetK()) if _is_callable(cls):
            return coerce(run, run.attribute(value, "__call__", node), kind, node)
        case (FunctionV() | ClosureV() | LambdaSetV()), (FunctionK() | ClosureK() | LambdaSetK()):
            made = of_functions.into(run, value, kind, node, coerce)
            return mismatch(run, value, kind, node) if made is None else made
        case (RangeV() | SliceV()), RangeK(kinds):
            bounds = (value.start, value.stop, value.step)
            a, b, c = (coerce(run, v, k, node) for v, k in zip(bounds, kinds, strict=True))
            return replace(value, start=a, stop=b, step=c)
        case OperatorV(name, f, options, args), OperatorK(again, fk, _, ks) if name == again:
            given = tuple(coerce(run, v, k, node) for v, k in zip(args, ks, strict=True))
            return OperatorV(name, coerce(run, f, fk, node), options, given)
        case _:
            mismatch(run, value, kind, node)


def _attribute(
    run: Run, value: Value | None, kind: Kind, node: ast.AST, known: Kind | None
) -> Value:
    """Return an attribute of an object as one of this kind; None: the object does not have it."""
    if value is not None:
        return coerce(run, value, kind, node, known)
    assert isinstance(kind, MaybeK)
    return unset(run, kind.inner)


def _is(run: Run, value: UnionV, classes: tuple[type, ...], node: ast.AST) -> Atom:
    return run.bool_atom(run.truth(run.is_instance(value, classes, node), node))


def tightened(run: Run, value: Value, node: ast.AST) -> Value:
    """Return the value with lists whose arrays are exactly as long as the lists, without
    capacity."""
    try:
        kind = kind_of(value)
    except NoKindError:
        return value
    return coerce(run, value, without_spare(kind), node)


def _coerce_list(run: Run, value: ListV, kind: ListK, node: ast.AST) -> ListV:
    """Return the same list in another kind; its arrays are shared if they need not change."""
    if _same_leaves(value.elem, kind.elem):
        atoms = value.atoms
        if value.spare and not kind.spare:
            args = i64(0), value.length, i64(1)
            atoms = tuple(run.b.prim("slice", a, *args, static=(0,)) for a in atoms)
        return replace(value, elem=kind.elem, atoms=atoms, spare=kind.spare, cls=kind.cls)
    made = run.sequence(
        value.length,
        lambda i: coerce(run, run.element(value, i, node, False), kind.elem, node),
        node,
    )
    inner = value.inner | made.inner
    return replace(
        made, elem=kind.elem, owners=value.owners, fresh=value.fresh, inner=inner, spare=kind.spare,
        sole=value.sole, cls=kind.cls,
    )  # fmt: skip


def _entries(d: HashV) -> ListV:
    own = frozenset[Owner](), True
    return ListV(d.length, d.elem, d.atoms, *own, d.inner, d.spare, d.sole)


def _coerce_table(run: Run, value: HashV, kind: HashK, node: ast.AST) -> HashV:
    """Return the same hash table in another kind. The index says where entries are: it stays."""
    factory = coerce(run, value.factory, kind.factory, node)
    counts = value.counts
    if kind.holes and not value.holes:
        counts = value.length, value.length, i64(0)
    if kind.typed and not value.elem.items:
        atoms = tuple(dummy_atom(run, Array(t, 1)) for t in leaf_types(kind.elem))
        made = replace(_entries(value), elem=kind.elem, atoms=atoms, spare=kind.spare, sole=True)
        run.declare_kind(kind.elem)
    elif kind.holes and not value.holes:

        def entry(i: Atom) -> Value:
            old = run.element(_entries(value), i, node, False)
            assert isinstance(old, TupleV)
            return coerce(run, TupleV((*old.items, Static(True))), kind.elem, node)

        made = run.sequence(value.length, entry, node)
        made = replace(made, elem=kind.elem, inner=made.inner | value.inner, sole=value.sole)
    else:
        made = _coerce_list(run, _entries(value), ListK(kind.elem, kind.spare), node)
    return replace(
        value, elem=kind.elem, counts=counts, atoms=made.atoms, inner=made.inner, sole=made.sole,
        spare=kind.spare, factory=factory,
    )  # fmt: skip


def _same_leaves(a: Kind, b: Kind) -> bool:
    """Whether the kinds have the same leaves, and differ at most in what is known of numbers."""
    match a, b:
        case ScalarK(), ScalarK():
            return replace(a, py=b.py, bits=b.bits) == b
        case TupleK(xs, p), TupleK(ys, q):
            return p == q and len(xs) == len(ys) and all(map(_same_leaves, xs, ys))
        case ListK(x, p), ListK(y, q):
            return b.cls in (a.cls, Sequence) and (q or not p) and _same_leaves(x, y)
        case HashK(_, x, p), HashK(_, y, q):
            same = a.cls is b.cls and a.factory == b.factory
            return same and (q or not p) and _same_leaves(x, y)
        case RecordK(c, xs), RecordK(d, ys):
            return c is d and len(xs) == len(ys) and all(
                n == m and _same_leaves(x, y) for (n, x), (m, y) in zip(xs, ys, strict=True)
            )
        case _:
            return a == b


def mismatch(run: Run, value: Value, kind: Kind, node: ast.AST) -> NoReturn:
    cut = isinstance(value, Scalar) and isinstance(kind, ScalarK) and kind.type == I64
    reason = f"{run.describe(value)} where {describe(kind)} is needed"
    rewrite = "use floats from the start (0.0 in place of 0; a field declared float)" if cut else ""
    run.refuse(node, reason, rewrite, error=TypesDoNotMeetError)


def _is_callable(cls: type) -> bool:
    return any("__call__" in vars(c) for c in cls.__mro__)


def list_of(run: Run, items: list[Value], elem: Kind, node: ast.AST) -> ListV:
    """Return a list of these items, which are known one by one and are all of one kind."""
    length = i64(len(items))
    run.declare_kind(elem)
    types = list(leaf_types(elem))
    owners = frozenset(o for v in items for owned, _ in flatten(v).owned for o in owned)
    sole = ownership.is_unshared(TupleV(tuple(items)))
    if not items:
        empty = tuple(dummy_atom(run, Array(t, 1)) for t in types)
        return ListV(length, elem, empty, *new_owner(), sole=True)
    if all(isinstance(t, (Real, Int, Bool)) for t in types):
        columns = zip(*(flatten(v).atoms for v in items), strict=True)
        atoms = tuple(sequences.display(run, column, node).atom for column in columns)
        return ListV(length, elem, atoms, *new_owner(), owners, sole=sole)

    def pick(i: Atom, low: int, high: int) -> Value:
        if high - low == 1:
            return items[low]
        middle = (low + high) // 2
        below = run.b.prim("lt", i, i64(middle))
        return run.branch(
            below, lambda: pick(i, low, middle), lambda: pick(i, middle, high), node
        )

    made = run.sequence(length, lambda i: pick(i, 0, len(items)), node)
    return ListV(length, elem, made.atoms, *new_owner(), owners, sole=sole)


_NOWHERE = ast.Pass()
"""Where a copy is made that no expression of the user asks for: one place in all runs."""


def copied(run: Run, items: ListV) -> ListV:
    """Return a new list with the same items; of a tuple, a tuple."""
    whole = run.coerce_list(items, ListK(items.elem, cls=items.cls), _NOWHERE)
    atoms = tuple(run.b.prim("copy", a) for a in whole.atoms)
    new = replace(whole, atoms=atoms, owners=new_owner()[0], fresh=True)
    holds = holding.holds_memory(whole.elem)
    return replace(new, sole=False) if holds else replace(new, inner=frozenset())


def new_owner() -> tuple[frozenset[Owner], bool]:
    """Return the ownership of a new list."""
    return frozenset({Owner("a list")}), True


def _into_union(run: Run, value: Value, kind: UnionK, node: ast.AST) -> Value:
    union = kind.union
    if isinstance(value, RecordV) and value.node is not None and value.node.union is union:
        value = value.node
    if isinstance(value, UnionV) and value.union is union:
        return _narrowed(run, value, kind, node)
    if isinstance(value, UnionV):
        return _other_union(run, value, kind, node)
    if isinstance(value, RecordV) and value.cls in union.classes:
        cls: type = value.cls
    elif isinstance(value, Static) and value.value is None and type(None) in union.classes:
        cls = type(None)
    else:
        mismatch(run, value, kind, node)
    if cls in kind.absent:
        mismatch(run, value, kind, node)
    known = run.boxed.get((value, union)) if isinstance(value, RecordV) else None
    if known is not None and any(known[0] is b for b in run.builders):  # one object is one node
        return replace(known[1], absent=kind.absent)
    if isinstance(value, RecordV) and value.fields:
        here = run.frame.spec.name if run.frame.spec is not None else "main"
        if known or not is_one(run, value):
            run.splits.add(here)
        if run.homes.setdefault(value, union) is not union:
            run.several.add(here)
    fields = coerce(run, value, union.variant_kind(cls), node)
    run.declare(union)
    named = Named(union.name)
    flat = flatten(fields)
    (atom,) = run.b.let(Inject(named, union.tag(cls), tuple(flat.atoms)), (named,))
    owned = frozenset(o for owners, _ in flat.owned for o in owners)
    made = UnionV(atom, union, owned, kind.absent)
    if isinstance(value, RecordV):
        run.boxed[value, union] = run.b, made
    return made


def _other_union(run: Run, value: UnionV, kind: UnionK, node: ast.AST) -> Value:
    """Return a value of one union as a node of another one. The check that the other union has its
    class is made at run time."""

    shared = set(kind.union.classes) - kind.absent
    if shared.isdisjoint(value.possible):
        mismatch(run, value, kind, node)
    if not value.union.agrees(kind.union):
        mismatch(run, value, kind, node)
    if kind.union.primal is not None:  # a gradient has None where a value has something
        mismatch(run, value, kind, node)
    declared = UnionK(value.union, frozenset(value.union.classes) - shared)
    narrowed = _narrowed(run, value, declared, node)
    return run.case_value(narrowed, lambda v: coerce(run, v, kind, node), node)


def _narrowed(run: Run, value: UnionV, kind: UnionK, node: ast.AST) -> UnionV:
    """Return the same node, with a check at run time that it is none of the alternatives that the
    kind excludes."""
    more = kind.absent - value.absent
    if more:
        ordered = tuple(c for c in value.union.classes if c in more)
        wrong = _is(run, value, ordered, node)
        names = " or ".join("None" if c is type(None) else c.__name__ for c in ordered)
        message = f"{names} where {describe(kind)} is declared"
        run.require(run.b.prim("not", wrong), Limit("TypeError"), message, node)
    return UnionV(value.atom, value.union, value.owners, kind.absent)


def covering(
    run: Run, value: Value, end: Kind, named: tuple[str, str], node: ast.AST
) -> Value:
    """Return what a variable holds as a value of a kind that covers what the variable becomes; the
    value itself, if it is one. ``named``: the variable, and what happens before it becomes that."""
    kind = kind_of(value)
    both = join(kind, end)
    if both is None:
        (name, what), (was, becomes) = named, describe_both(kind, end)
        reason = f"{name!r} is {was} before {what} and {becomes} after it"
        run.refuse(node, reason, "let it have one type from the start", TypesDoNotMeetError)
    wide = widen(generalise(kind), generalise(both))
    return value if wide == kind else coerce(run, value, wide, node)
