"""Updates of lists that the function created: ``append``, ``pop``, ``xs[i] = v`` and the like.

A list that grows is a buffer and a length: its arrays may be longer than the list (``spare``).
Appending writes behind the last item; a full buffer is first copied into one of twice the size, so
that n appends cost O(n), and so does their reverse sweep. A list of known length that is changed
outside of loops stays a list of known length.

Every function here takes the list as it is and gives it as it is afterwards; whose list it is, and
which names may still be used, is the business of ``ownership`` and of ``assignment``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.core.build import i64
from pullback.core.terms import Atom, Build, If, Loop, Update, Var
from pullback.core.thresholds import LIMITS
from pullback.core.types import I64, Array
from pullback.errors import (
    ArgumentTypeError,
    MutationError,
    StaticIndexError,
    TypesDoNotMeetError,
)
from pullback.frontend.functions import noted
from pullback.frontend.interpret import indices
from pullback.frontend.interpret.indices import index_atom
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.flatten import flatten, kind_of
from pullback.frontend.kinds.join import generalise, join
from pullback.frontend.kinds.kinds import Kind, ListK, without_spare
from pullback.frontend.kinds.parted import met_kind
from pullback.frontend.kinds.undefined import dummy_atom
from pullback.frontend.kinds.values import (
    Indexed,
    Items,
    ListV,
    Scalar,
    SliceV,
    Static,
    TupleV,
    Unrolled,
    Value,
)
from pullback.frontend.library import list_methods
from pullback.frontend.library.numpy.subscripts import slice_part
from pullback.frontend.memory import holding, ownership
from pullback.frontend.memory.owners import kept_owners

if TYPE_CHECKING:
    from pullback.frontend.run import Run

AnyList = ListV | TupleV
Args = Sequence[Value]
Kwargs = dict[str, Value]
Change = tuple[AnyList, Value]
"""A list after an update, and the value of the call that made it."""

ZERO, ONE = i64(0), i64(1)
_NONE = Static(None)


def _known_index(value: Value) -> int | None:
    return value.value if isinstance(value, Static) and isinstance(value.value, int) else None


def _of(run: Run, items: AnyList, elem: Kind | None, node: ast.AST) -> ListV:
    """Return the list as a buffer whose items can be of kind ``elem`` too."""
    if isinstance(items, TupleV) and not items.items:
        assert elem is not None
        kind = ListK(without_spare(generalise(elem)), True)
        return run.coerce_list(items, kind, node)
    own = kind_of(items if isinstance(items, ListV) else run.to_list(items, node))
    assert isinstance(own, ListK)
    known = own.elem
    if elem is not None:
        new = without_spare(generalise(elem))
        both = met_kind(known, new, join)
        if both is None:
            run.refuse(
                node,
                f"{describe(elem)} put into a list of {describe(known)}: the items of a list that "
                "changes at run time must be of one type",
                "use a tuple or a dataclass",
                error=TypesDoNotMeetError,
            )
        known = generalise(both)
    return run.coerce_list(items, ListK(known, True), node)


def growing(run: Run, items: AnyList, node: ast.AST) -> ListV:
    """Return a list of known length as one that changes at run time."""
    return _of(run, items, None, node)


def tight(run: Run, items: AnyList, node: ast.AST) -> AnyList:
    """Return the list without room for more."""
    return run.to_list(items, node) if isinstance(items, ListV) and items.spare else items


def with_item(items: ListV, value: Value) -> ListV:
    """Return the list with this item somewhere in it."""
    mine = kept_owners(value)
    apart = not mine & items.inner or not holding.may_hold(value)
    sole = items.sole and apart and ownership.is_unshared(value)
    return replace(items, inner=items.inner | mine, sole=sole)


def _written(
    run: Run, items: ListV, at: Atom, value: Value, length: Atom, node: ast.AST
) -> ListV:
    """Return the list with ``value`` at a place that its buffers have, and a new length."""
    flat = flatten(coerce(run, value, items.elem, node))
    site = run.site(node)
    atoms = []
    for old, leaf in zip(items.atoms, flat.atoms, strict=True):
        (new,) = run.b.let(Update(old, (at,), leaf, False), (old.type,), site)
        atoms.append(new)
    return with_item(replace(items, length=length, atoms=tuple(atoms)), value)


def _room(run: Run, items: ListV, value: Value, node: ast.AST) -> ListV:
    """Return the list with room for one more item."""
    fill = flatten(coerce(run, value, items.elem, node)).atoms
    made = with_room(run, items.length, items.atoms, fill, items.atoms, ())
    return replace(items, atoms=tuple(made))


def with_room(
    run: Run,
    n: Atom,
    buffers: Sequence[Atom],
    fill: Sequence[Atom],
    outer: Sequence[Atom],
    at: tuple[Atom, ...],
) -> Sequence[Atom]:
    """Return buffers with ``n`` items, with room for one more. They stand in ``outer`` at the path
    ``at`` (or are these themselves), which is returned as it is then. New room has arbitrary
    contents."""
    if not buffers:
        return outer
    full = run.b.prim("eq", n, run.b.dim(buffers[0], 0))

    def filler(a: Atom) -> Atom:
        return dummy_atom(run, a.type) if isinstance(a.type, Array) else a

    def grown() -> Sequence[Atom]:
        larger = run.b.prim("max", run.b.prim("mul", n, i64(2)), i64(LIMITS.buffer))
        index = Var("i", I64)

        def item() -> Sequence[Atom]:
            inside = run.b.prim("lt", index, n)
            then = run.block(lambda: [run.b.index(a, (index,), False) for a in buffers])
            orelse = run.block(lambda: [filler(a) for a in fill])
            return run.b.let(If(inside, then, orelse), tuple(a.type for a in fill))

        types = tuple(a.type for a in buffers)
        made = run.b.let(Build((larger,), (index,), run.block(item)), types)
        if not at:
            return made
        return [
            run.b.let(Update(whole, at, a, False), (whole.type,))[0]
            for whole, a in zip(outer, made, strict=False)
        ]

    types = tuple(a.type for a in outer)
    return run.b.let(If(full, run.block(grown), run.block(lambda: outer)), types)


def append(run: Run, items: AnyList, args: Args, node: ast.AST) -> Change:
    (value,) = _take(run, "append", args, 1, 1, node)
    if isinstance(items, TupleV):
        return replace(items, items=(*items.items, value)), _NONE
    run.check_captured_in_loop(value, node)
    buffer = _of(run, items, run.kind(value, node), node)
    buffer = _room(run, buffer, value, node)
    after = run.b.prim("add", buffer.length, i64(1))
    return _written(run, buffer, buffer.length, value, after, node), _NONE


def extend(run: Run, items: AnyList, args: Args, node: ast.AST) -> Change:
    """Compile ``xs.extend(ys)`` and ``xs += ys``."""
    (values,) = _take(run, "extend", args, 1, 1, node)
    with noted.midway(run.frame):
        return extend_by(run, items, run.iterate(values, node), node)


def extend_by(run: Run, items: AnyList, more: Items, node: ast.AST) -> Change:
    if isinstance(more, Unrolled):
        for value in more.items:
            items, _ = append(run, items, (value,), node)
        return items, _NONE

    def step(state: Sequence[Value], value: Value) -> Sequence[Value]:
        (so_far,) = state
        assert isinstance(so_far, (ListV, TupleV))
        if isinstance(so_far, TupleV):  # of unknown length from now on
            so_far = _of(run, so_far, run.kind(value, node), node)
        return [append(run, so_far, (value,), node)[0]]

    (made,) = run.fold(more, [items], step, node)
    assert isinstance(made, (ListV, TupleV))
    return made, _NONE


def _moved(
    run: Run, items: ListV, count: Atom, places: Callable[[Atom], tuple[Atom, Atom]]
) -> ListV:
    """Move items one after the other: ``places(k)`` returns the new and the old place."""
    if not items.atoms:
        return items
    index = Var("i", I64)
    state = tuple(Var("a", a.type) for a in items.atoms)

    def body() -> Sequence[Atom]:
        to, at = places(index)
        made = []
        for a in state:
            value = run.b.index(a, (at,), False)
            (new,) = run.b.let(Update(a, (to,), value, False), (a.type,))
            made.append(new)
        return made

    loop = Loop(count, index, state, items.atoms, run.block(body))
    made = run.b.let(loop, tuple(v.type for v in state))
    return replace(items, atoms=tuple(made))


def pop(run: Run, items: AnyList, args: Args, node: ast.AST) -> Change:
    given = _take(run, "pop", args, 0, 1, node)
    deleted = isinstance(node, ast.Delete)
    outside = "list assignment index out of range" if deleted else "pop index out of range"
    empty = outside if deleted else "pop from empty list"
    if isinstance(items, TupleV):
        k = _known_index(given[0]) if given else -1
        n = len(items.items)
        if n == 0:
            run.never("IndexError", empty, node, StaticIndexError)
        if k is not None:
            if not -n <= k < n:
                run.never("IndexError", outside, node, StaticIndexError)
            rest = (*items.items[: k % n], *items.items[k % n + 1 :])
            return replace(items, items=rest), items.items[k]
    buffer = _of(run, items, None, node)
    some = run.b.prim("gt", buffer.length, i64(0))
    run.require(some, "IndexError", empty, node)
    last = run.b.prim("sub", buffer.length, i64(1))
    shorter = replace(buffer, length=last)
    if not given or _known_index(given[0]) == -1:
        return shorter, run.element(buffer, last, node, False)
    index = index_atom(run, given[0], node, "list")
    at = indices.place(run, buffer, index, outside, node)
    value = run.element(buffer, at, node, False)

    def places(k: Atom) -> tuple[Atom, Atom]:
        to = run.b.prim("add", at, k)
        return to, run.b.prim("add", to, i64(1))

    return _moved(run, shorter, run.b.prim("sub", last, at), places), value


def insert(run: Run, items: AnyList, args: Args, node: ast.AST) -> Change:
    index, value = _take(run, "insert", args, 2, 2, node)
    k = _known_index(index)
    if isinstance(items, TupleV) and k is not None:
        known = list(items.items)
        known.insert(k, value)
        return replace(items, items=tuple(known)), _NONE
    old = _of(run, items, run.kind(value, node), node)
    atom, zero = index_atom(run, index, node, "list"), i64(0)
    from_end = run.b.prim("max", run.b.prim("add", atom, old.length), zero)
    inside = run.b.prim("min", atom, old.length)
    at = run.b.prim("select", run.b.prim("lt", atom, zero), from_end, inside)
    longer, _ = append(run, old, (value,), node)
    assert isinstance(longer, ListV)

    def places(k: Atom) -> tuple[Atom, Atom]:
        to = run.b.prim("sub", old.length, k)
        return to, run.b.prim("sub", to, i64(1))

    moved = _moved(run, longer, run.b.prim("sub", old.length, at), places)
    return _written(run, moved, at, value, longer.length, node), _NONE


def clear(run: Run, items: AnyList, args: Args, node: ast.AST) -> Change:
    _take(run, "clear", args, 0, 0, node)
    return TupleV((), True, items.owners, items.fresh), _NONE


def reverse(run: Run, items: AnyList, args: Args, node: ast.AST) -> Change:
    _take(run, "reverse", args, 0, 0, node)
    if isinstance(items, TupleV):
        return replace(items, items=items.items[::-1]), _NONE
    whole, last = items, run.b.prim("sub", items.length, i64(1))
    made = run.sequence(
        items.length,
        lambda i: run.element(whole, run.b.prim("sub", last, i), node, False),
        node,
    )
    return _in_place_of(items, replace(made, sole=items.sole)), _NONE


def remove(run: Run, items: AnyList, args: Args, node: ast.AST) -> Change:
    (value,) = _take(run, "remove", args, 1, 1, node)
    text: list_methods.Text = "list.remove(x): x not in list", []
    at = list_methods.found_at(run, items, value, text, node)
    return pop(run, items, (at,), node)[0], _NONE


def sort(run: Run, items: AnyList, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    _take(run, "sort", args, 0, 0, node)
    made = run.call(Static(sorted), (items,), node, kwargs)
    assert isinstance(made, (ListV, TupleV))
    if isinstance(made, ListV) and isinstance(items, ListV):
        made = replace(made, sole=items.sole)
    return _in_place_of(items, made), _NONE


def _in_place_of(old: AnyList, new: Value) -> AnyList:
    """Return new contents of the same list."""
    assert isinstance(new, (ListV, TupleV))
    return replace(new, owners=old.owners, fresh=old.fresh)


def store_at(
    run: Run,
    items: AnyList,
    index: Value,
    value: Callable[[Callable[[], Value]], Value],
    node: ast.AST,
) -> AnyList:
    """Compile ``xs[i] = v`` and ``xs[a:b] = ys``; ``value`` may ask for the old item."""
    new = value(lambda: run.subscript(items, index, node))
    if isinstance(index, SliceV):
        return splice(run, items, index, new, node)
    return store(run, items, index, new, node)


def splice(run: Run, items: AnyList, index: SliceV, value: Value, node: ast.AST) -> AnyList:
    """Compile ``xs[a:b] = ys``; for ``del xs[a:b]``, ys is empty.

    As in Python, what lies behind the slice moves if the new items are more or fewer, and nothing
    else does."""
    if not isinstance(index.step, Static) or index.step.value not in (None, 1):
        run.refuse(
            node,
            "a slice with a step is assigned or deleted",
            "assign the items one by one, or make a new list: [... for ...]",
            error=MutationError,
        )
    more = run.iterate(value, node)
    if (
        isinstance(items, TupleV)
        and isinstance(more, Unrolled)
        and isinstance(index.start, Static)
        and isinstance(index.stop, Static)
    ):
        bounds = run.static(index, node, "a slice")
        assert isinstance(bounds, slice)
        known = list(items.items)
        known[bounds] = more.items
        return replace(items, items=tuple(known))
    new = TupleV(more.items) if isinstance(more, Unrolled) else run.to_list(value, node)
    elem = None
    if isinstance(new, ListV):
        elem = new.elem
    for v in new.items if isinstance(new, TupleV) else ():
        elem = run.kind(v, node) if elem is None else join(elem, generalise(run.kind(v, node)))
    if isinstance(items, TupleV) and not items.items and elem is None:
        return items
    old = _of(run, items, elem, node)
    if elem is None:
        new = run.coerce_list(TupleV((), is_list=True), ListK(old.elem), node)
    else:
        new = run.coerce_list(new, ListK(old.elem), node)
    part = slice_part(run, index, old.length, node)
    change = run.b.prim("sub", new.length, part.count)
    room = Indexed(run.b.prim("max", change, ZERO), lambda i: run.element(new, i, node, False))
    longer, _ = extend_by(run, old, room, node)
    assert isinstance(longer, ListV)
    end = run.b.prim("add", part.start, part.count)
    behind = run.b.prim("sub", old.length, end)
    count = run.b.prim("select", run.b.prim("eq", change, ZERO), ZERO, behind)
    last, grows = run.b.prim("sub", old.length, ONE), run.b.prim("gt", change, ZERO)

    def places(k: Atom) -> tuple[Atom, Atom]:
        """What lies behind moves to the end from the last item on, to the front from the first."""
        down, up = run.b.prim("sub", last, k), run.b.prim("add", end, k)
        at = run.b.prim("select", grows, down, up)
        return run.b.prim("add", at, change), at

    moved = _moved(run, longer, count, places)
    length = run.b.prim("add", old.length, change)

    def step(state: Sequence[Value], item: Value) -> Sequence[Value]:
        so_far, at = state
        assert isinstance(so_far, ListV) and isinstance(at, Scalar)
        after = Scalar(run.b.prim("add", at.atom, ONE), True)
        return [_written(run, so_far, at.atom, item, length, node), after]

    start = Scalar(part.start, True)
    made, _ = run.fold(run.iterate(new, node), [replace(moved, length=length), start], step, node)
    return _in_place_of(items, made)


def store(run: Run, items: AnyList, index: Value, value: Value, node: ast.AST) -> AnyList:
    """Return the list after ``xs[i] = v``."""
    k = _known_index(index)
    if isinstance(items, TupleV) and k is not None:
        n = len(items.items)
        if not -n <= k < n:
            reason = "list assignment index out of range"
            run.never("IndexError", reason, node, StaticIndexError)
        k %= n
        return replace(items, items=(*items.items[:k], value, *items.items[k + 1 :]))
    if isinstance(items, TupleV) and not items.items:
        run.never("IndexError", "list assignment index out of range", node, StaticIndexError)
    run.check_captured_in_loop(value, node)
    buffer = _of(run, items, run.kind(value, node), node)
    atom = index_atom(run, index, node, "list")
    at = indices.place(run, buffer, atom, "list assignment index out of range", node)
    return _written(run, buffer, at, value, buffer.length, node)


def _take(run: Run, name: str, args: Args, least: int, most: int, node: ast.AST) -> Args:
    if not least <= len(args) <= most:
        expected = f"{least}" if least == most else f"{least} to {most}"
        run.refuse(
            node,
            f"{name}() takes {expected} argument{'' if most == 1 else 's'}, {len(args)} were given",
            error=ArgumentTypeError,
        )
    return args


UPDATES: dict[str, Callable[[Run, AnyList, Args, ast.AST], Change]] = {
    "append": append, "extend": extend, "pop": pop, "insert": insert, "clear": clear,
    "reverse": reverse, "remove": remove,
}  # fmt: skip


__all__ = ["UPDATES", "growing", "splice", "store_at", "tight", "with_item", "with_room"]
