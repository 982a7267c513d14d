"""Updates at a path of indices in a list whose length only the run knows.

An item of an inner list is one of the buffers around it, at a longer path: its update is one of
these (``Update`` with more indices than the outer array has). So nothing is taken out, and nothing
is copied. What costs as much as the inner list is long in Python too, like ``insert``, is done on a
copy that takes its place.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from pullback.core.terms import Atom, Lit, Update, Var
from pullback.core.types import Bool
from pullback.errors import TypesDoNotMeetError
from pullback.frontend.interpret import indices
from pullback.frontend.interpret.indices import index_atom
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.flatten import flatten, rebuild
from pullback.frontend.kinds.join import as_list, generalise, join
from pullback.frontend.kinds.kinds import (
    HashK,
    Kind,
    ListK,
    ScalarK,
    TupleK,
    leaf_types,
    parts,
    with_parts,
    without_spare,
)
from pullback.frontend.kinds.parted import met_kind
from pullback.frontend.kinds.values import (
    ArrayV,
    HashV,
    ListV,
    MaybeV,
    RecordV,
    SliceV,
    Static,
    TupleV,
    Unrolled,
    Value,
)
from pullback.frontend.library.numpy.broadcasting import scalars
from pullback.frontend.library.numpy.subscripts import store_within
from pullback.frontend.memory import (
    dicts,
    hash_changes,
    hash_tables,
    holding,
    lists,
    ownership,
)
from pullback.frontend.memory.holding import has_defaults
from pullback.frontend.memory.keys_by_methods import fitted, own_key
from pullback.frontend.memory.owners import kept_owners
from pullback.frontend.memory.places import Step
from pullback.frontend.memory.updates import (
    Method,
    Op,
    Store,
    apply,
    combined,
    field_of,
    known,
    refuse_step,
)
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run

Path = tuple[Atom | int, ...]
"""Where in the items of a list: indices into lists, and numbers of parts of tuples and records."""

_NONE = Static(None)


class Inside:
    """One update inside of a list."""

    def __init__(self, run: Run, node: ast.AST) -> None:
        self.run, self.node = run, node
        self.of_array = False

    def change(self, items: ListV, steps: list[Step], op: Op) -> tuple[ListV, Value]:
        """Return the list after the update of the value at the steps, and the value of the call."""
        if isinstance(op, Store):  # Python evaluates the value before it looks at the list
            found: list[tuple[ListV, Path, Value, list[Step]]] = []

            def old() -> Value:
                found.append(self.found(items, steps))
                _, _, container, rest = found[0]
                inner = combined(self.run, container, op, rest, self.node)
                assert isinstance(inner, Store)
                if isinstance(inner.index, str):
                    return self.run.attribute(container, inner.index, self.node)
                return self.run.subscript(container, inner.index, self.node)

            new = op.value(old)
            items, path, container, rest = found[0] if found else self.found(items, steps)
            known_value = Store(op.index, lambda _: new, op.by)
            op = combined(self.run, container, known_value, rest, self.node)
            return self.stored(items, path, container, op, new, bool(found))
        items, path, container, rest = self.found(items, steps)
        assert not rest
        if isinstance(op, Method) and isinstance(container, (HashV, RecordV)):
            made = self.by_method(items, path, container, op)
            if made is not None:
                return made
        if isinstance(op, Method) and isinstance(container, (ListV, TupleV)):
            if op.name == "append" and len(op.args) == 1 and not op.kwargs:
                return self.appended(items, path, op.args[0]), _NONE
            if op.name == "extend" and len(op.args) == 1 and not op.kwargs:
                return self.extended(items, path, op.args[0]), _NONE
            if op.name == "pop" and not op.args and not op.kwargs and isinstance(container, ListV):
                return self.popped(items, path, container)
        return self.replaced(items, path, container, op)

    def found(
        self, items: ListV, steps: list[Step]
    ) -> tuple[ListV, Path, Value, list[Step]]:
        """Return the list, with the keys in defaultdicts on the way, and what ``locate`` does."""
        for n in range(1, len(steps)) if has_defaults(items.elem) else ():
            path, value, rest = self.locate(items, steps[:n])
            key = steps[n]
            if rest or isinstance(key, str) or not isinstance(value, HashV):
                continue
            if value.cls is defaultdict:
                made = self.by_method(items, path, value, Method("__getitem__", (key,), {}))
                assert made is not None
                items = made[0]
        return items, *self.locate(items, steps)

    def locate(self, items: ListV, steps: list[Step]) -> tuple[Path, Value, list[Step]]:
        """Return the place to which the steps lead, the value there, and the steps into an array
        that are left."""
        run, node = self.run, self.node
        path: list[Atom | int] = []
        value: Value = items
        for n, step in enumerate(steps):
            match value:
                case ArrayV():
                    return tuple(path), value, steps[n:]
                case TupleV(inside, is_list):
                    k = known(step, len(inside))
                    if k is None and is_list and inside and not isinstance(step, (str, SliceV)):
                        listed = run.to_list(value, node)
                        place = self.place(listed, step)
                        path.append(place)
                        value = run.element(listed, place, node, False)
                        continue
                    if k is None:
                        refuse_step(run, value, step, node)
                    path.append(k)
                    value = inside[k]
                case RecordV(_, fields):
                    name = field_of(run, value, step, node)
                    path.append(list(fields).index(name))
                    value = fields[name]
                    if isinstance(value, MaybeV):
                        refuse_step(run, value, step, node)
                case HashV() if not isinstance(step, str):
                    entry = hash_tables.lookup(run, value, step, node)
                    hash_tables.check_key(run, step, hash_tables.is_found(run, entry), node)
                    path += [entry, 1]
                    value = hash_tables.value_at(run, value, entry, node)
                case ListV() if not isinstance(step, (str, SliceV)):
                    at = self.place(value, step)
                    path.append(at)
                    value = run.element(value, at, node, False)
                case _:
                    refuse_step(run, value, step, node)
        if isinstance(value, RecordV) and value.outside is not None:
            ownership.refuse_shared(run, value, node)  # its fields are not in the list
        return tuple(path), value, []

    def place(self, items: ListV, index: Value, word: str = "list index out of range") -> Atom:
        atom = index_atom(self.run, index, self.node, "list")
        return indices.place(self.run, items, atom, word, self.node)

    def stored(
        self, items: ListV, path: Path, container: Value, op: Op, value: Value, checked: bool
    ) -> tuple[ListV, Value]:
        """Compile ``container[index] = value``."""
        assert isinstance(op, Store)
        run, node = self.run, self.node
        if isinstance(op.index, str):
            return lists.with_item(self.replaced(items, path, container, op)[0], value), _NONE
        if isinstance(container, (HashV, RecordV)) and _is_table(container, op.index):
            put = self.in_table(items, path, container, op.index, value, "put", hash_changes.store)
            return put[0], _NONE
        if isinstance(container, ArrayV):
            self.of_array = True
            at = _Leaves(run, items, path, node)
            value = _as_scalars(run, value, node)
            atom = store_within(run, container, op.index, value, node, at.here(0), op.by)
            return at.changed({0: atom}), _NONE
        if (
            isinstance(container, TupleV)
            and container.is_list
            and container.items
            and known(op.index, len(container.items)) is None
        ):
            container = run.to_list(container, node)
        in_list = isinstance(container, ListV) and not holding.is_tuple(container)
        if isinstance(op.index, SliceV):
            return self.replaced(items, path, container, op)
        if not isinstance(container, ListV) or not in_list:
            return lists.with_item(self.replaced(items, path, container, op)[0], value), _NONE
        run.check_captured_in_loop(value, node)
        word = "list index out of range" if checked else "list assignment index out of range"
        index = self.place(container, op.index, word)
        items = self.fitting(items, path, run.kind(value, node), None)
        leaves = _Leaves(run, items, path, node)
        assert isinstance(leaves.kind, ListK)
        flat = flatten(coerce(run, value, leaves.kind.elem, node))
        new = {k + 1: leaves.put(k + 1, leaf, index) for k, leaf in enumerate(flat.atoms)}
        return lists.with_item(leaves.changed(new), value), _NONE

    def in_table(
        self, items: ListV, path: Path, container: HashV | RecordV, key: Value, value: Value,
        name: str, change: hash_changes.Change, holes: bool = False,
    ) -> tuple[ListV, Value]:  # fmt: skip
        """Return the change of a hash table by an item, and the value that the key has then."""
        run, node = self.run, self.node
        run.check_captured_in_loop(value, node)
        own = own_key(run, key, node)
        factory = container.factory if isinstance(container, HashV) else _NONE
        entry = run.kind(own, node), without_spare(generalise(run.kind(value, node)))
        there = (ScalarK(Bool(), True),) if holes else ()
        new = HashK(container.cls, TupleK((*entry, *there)), True, run.kind(factory, node))
        joined = join(_kind_at(items.elem, path[1:]), new)
        if not isinstance(joined, HashK):
            refuse_kinds(run, new, _kind_at(items.elem, path[1:]), node)
        wanted = ListK(_with_kind(items.elem, path[1:], joined), items.spare, items.cls)
        leaves = _Leaves(run, run.coerce_list(items, wanted, node), path, node)
        assert isinstance(leaves.kind, HashK)
        count = len(list(leaf_types(leaves.kind))) - len(list(leaf_types(leaves.kind.factory)))
        table = hash_changes.Table(run, leaves.kind, leaves.whole(0)[:count], leaves.at, node)
        kinds = leaves.kind.elem.items
        given = fitted(run, own, kinds[0], node), coerce(run, value, kinds[1], node)
        at = hash_changes.changed(run, name, table, given, change)
        made = leaves.changed(dict(enumerate(table.atoms)))
        result = hash_tables.value_at(run, table.view(), at, node) if name == "ensure" else _NONE
        return lists.with_item(made, value), result

    def by_method(
        self, items: ListV, path: Path, container: HashV | RecordV, op: Method
    ) -> tuple[ListV, Value] | None:
        """Run a method of a hash table that need not copy it."""
        run, node, ensure = self.run, self.node, hash_changes.ensure
        match op:
            case Method("setdefault", [key, *default], {}) if _is_table(container, key):
                value = default[0] if default else _NONE
                return self.in_table(items, path, container, key, value, "ensure", ensure)
            case Method("add", [key], {}) if isinstance(container, HashV):
                made, _ = self.in_table(items, path, container, key, _NONE, "ensure", ensure)
                return made, _NONE
            case Method("__getitem__", [key], {}) if isinstance(container, HashV):
                value = run.call(container.factory, (), node)
                return self.in_table(items, path, container, key, value, "ensure", ensure)
            case _:
                return None

    def appended(self, items: ListV, path: Path, value: Value) -> ListV:
        run, node = self.run, self.node
        run.check_captured_in_loop(value, node)
        items = self.fitting(items, path, run.kind(value, node), True)
        leaves = _Leaves(run, items, path, node)
        kind = leaves.kind
        assert isinstance(kind, ListK)
        row = leaves.read()
        assert isinstance(row, ListV)
        flat = flatten(coerce(run, value, kind.elem, node))
        room = lists.with_room(run, row.length, row.atoms, flat.atoms, leaves.whole(1), leaves.at)
        new = {k + 1: a for k, a in enumerate(room)}
        leaves = _Leaves(run, leaves.changed(new), path, node)
        new = {k + 1: leaves.put(k + 1, leaf, row.length) for k, leaf in enumerate(flat.atoms)}
        new[0] = leaves.put(0, run.b.prim("add", row.length, lists.ONE))
        return lists.with_item(leaves.changed(new), value)

    def extended(self, items: ListV, path: Path, more: Value) -> ListV:
        """Append one item after the other: the whole list is carried."""
        run, node = self.run, self.node
        values = run.iterate(more, node)
        if isinstance(values, Unrolled):
            for v in values.items:
                items = self.appended(items, path, v)
            return items

        def step(state: Sequence[Value], value: Value) -> Sequence[Value]:
            (so_far,) = state
            assert isinstance(so_far, ListV)
            return [self.appended(so_far, path, value)]

        (made,) = run.fold(values, [items], step, node)
        assert isinstance(made, ListV)
        return made

    def popped(self, items: ListV, path: Path, row: ListV) -> tuple[ListV, Value]:
        run, node = self.run, self.node
        some = run.b.prim("gt", row.length, lists.ZERO)
        run.require(some, "IndexError", "pop from empty list", node)
        last = run.b.prim("sub", row.length, lists.ONE)
        value = run.element(row, last, node, False)
        items = self.fitting(items, path, None, True)
        leaves = _Leaves(run, items, path, node)
        return leaves.changed({0: leaves.put(0, last)}), value

    def replaced(
        self, items: ListV, path: Path, container: Value, op: Op
    ) -> tuple[ListV, Value]:
        """Apply the operation to a copy, which takes the place of the container."""
        run, node = self.run, self.node
        before = flatten(container).atoms
        own = run.copied(container) if isinstance(container, ListV) else container
        made, result = apply(run, own, op, node)
        if isinstance(made, (ListV, TupleV)):
            made = lists.tight(run, made, node)
        items = self.fitting(items, path, run.kind(made, node), False)
        leaves = _Leaves(run, items, path, node)
        atoms = flatten(coerce(run, made, leaves.kind, node)).atoms
        same = len(atoms) == len(before)
        new = {
            k: leaves.put(k, a) for k, a in enumerate(atoms) if not (same and a is before[k])
        }
        out = leaves.changed(new)
        if isinstance(op, Store) and not isinstance(op.index, SliceV):
            return out, result  # the caller looks at what is put there
        if not any(map(holding.holds_memory, parts(run.kind(made, node)))):
            return out, result
        return replace(out, sole=False, inner=out.inner | kept_owners(made)), result

    def fitting(self, items: ListV, path: Path, new: Kind | None, grows: bool | None) -> ListV:
        """Return the list, converted so that at the path there can be a list with items of the kind
        ``new`` (with room to grow), or (``grows`` is false) a value of that kind itself."""
        run, node = self.run, self.node
        here = _kind_at(items.elem, path[1:])
        if grows is False:
            assert new is not None
            new = without_spare(generalise(new))
            joined = met_kind(here, new, join)
        else:
            row = as_list(here)
            spare = bool(grows) or (row is not None and row.spare)
            given = None if new is None else without_spare(generalise(new))
            if row is None:
                joined = None if given is None else ListK(given, spare)
                if not (isinstance(here, TupleK) and here.is_list and not here.items):
                    joined = None
            else:
                elem = row.elem if given is None else join(row.elem, given)
                joined = None if elem is None else replace(row, elem=generalise(elem), spare=spare)
        if joined is None:
            assert new is not None
            refuse_kinds(run, new, here, node)
        wanted = ListK(_with_kind(items.elem, path[1:], joined), items.spare, items.cls)
        return run.coerce_list(items, wanted, node)


def _is_table(container: HashV | RecordV, key: Value) -> bool:
    if isinstance(container, HashV):
        return True
    return container.cls is dict and dicts.needs_table(container, key)


def refuse_kinds(run: Run, new: Kind, here: Kind, node: ast.AST) -> NoReturn:
    run.refuse(
        node,
        f"{describe(new)} put into {describe(here)}: the items of a list that changes at "
        "run time must be of one type",
        "use a tuple or a dataclass",
        error=TypesDoNotMeetError,
    )


class _Leaves:
    """The leaves of what is at a path in the items of a list."""

    def __init__(self, run: Run, items: ListV, path: Path, node: ast.AST) -> None:
        first, *rest = path
        assert isinstance(first, (Var, Lit))
        self.run, self.items, self.node = run, items, node
        self.at: tuple[Atom, ...] = (first,)
        self.low, self.kind = 0, items.elem
        for p in rest:
            if isinstance(p, int):
                inside = parts(self.kind)
                self.low += sum(len(list(leaf_types(k))) for k in inside[:p])
                self.kind = inside[p]
            else:
                assert isinstance(self.kind, (ListK, HashK))
                first = 1 if isinstance(self.kind, ListK) else self.kind.heads
                self.at, self.low, self.kind = (*self.at, p), self.low + first, self.kind.elem

    def whole(self, k: int) -> list[Atom]:
        """Return the buffers of the leaves from the k-th on."""
        count = len(list(leaf_types(self.kind)))
        return list(self.items.atoms[self.low + k : self.low + count])

    def here(self, k: int) -> tuple[Atom, tuple[Atom, ...]]:
        """Return the buffer of a leaf, and where in it."""
        return self.items.atoms[self.low + k], self.at

    def read(self) -> Value:
        leaves = []
        for a in self.whole(0):
            for i in self.at:
                a = self.run.b.index(a, (i,), False)
            leaves.append(a)
        return rebuild(self.kind, iter(leaves), lambda: (self.items.inner, False))

    def put(self, k: int, leaf: Atom, *index: Atom) -> Atom:
        """Return the buffer of a leaf with this in its place (or in an item of it)."""
        old, at = self.here(k)
        op = Update(old, (*at, *index), leaf, False)
        return self.run.b.let(op, (old.type,), self.run.site(self.node))[0]

    def changed(self, new: dict[int, Atom]) -> ListV:
        atoms = list(self.items.atoms)
        for k, atom in new.items():
            atoms[self.low + k] = atom
        return replace(self.items, atoms=tuple(atoms))


def _as_scalars(run: Run, value: Value, node: ast.AST) -> Value:
    return scalars(run, opened(run, value, node), node)


def _kind_at(kind: Kind, path: Path) -> Kind:
    for p in path:
        if isinstance(p, int):
            kind = parts(kind)[p]
        elif isinstance(kind, HashK):
            kind = kind.elem
        else:
            row = as_list(kind)
            assert row is not None
            kind = row.elem
    return kind


def _with_kind(kind: Kind, path: Path, new: Kind) -> Kind:
    """Return the kind with another one at the path."""
    if not path:
        return new
    first, rest = path[0], path[1:]
    if isinstance(first, int):
        inside = list(parts(kind))
        inside[first] = _with_kind(inside[first], rest, new)
        return with_parts(kind, tuple(inside))
    if isinstance(kind, HashK):
        return with_parts(kind, (_with_kind(kind.elem, rest, new), kind.factory))
    row = as_list(kind)
    assert row is not None
    return replace(row, elem=_with_kind(row.elem, rest, new))
