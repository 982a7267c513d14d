"""What a ``for`` statement runs over, while its body may update it.

An item is taken when its round begins: where the body updates what is in a list, the rounds that
follow see that, as in Python. A list that gets another length meanwhile is refused.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pullback.core.build import boolean, i64
from pullback.core.terms import Atom
from pullback.errors import MutationError
from pullback.frontend.functions import choices
from pullback.frontend.interpret import late_items
from pullback.frontend.interpret.iteration import collect, is_driven
from pullback.frontend.kinds.flatten import NoKindError, kind_of
from pullback.frontend.kinds.values import (
    Driven,
    EnumerateV,
    GeneratorV,
    HashV,
    Indexed,
    Items,
    Late,
    PlaceV,
    RecordV,
    ReversedV,
    Stale,
    Static,
    TupleV,
    Unrolled,
    Value,
    ZipV,
)
from pullback.frontend.memory import hash_methods, hash_tables, made_sets, places
from pullback.frontend.memory.container_objects import gone_through
from pullback.frontend.memory.dict_views import OF, is_view, seen_by
from pullback.frontend.memory.object_dicts import attributes_now, is_object_dict
from pullback.frontend.signals import Anew
from pullback.frontend.store import shared_memory

if TYPE_CHECKING:
    from pullback.frontend.run import Run


class Source:
    """The lists and arrays that a loop runs over: they have hidden names while it runs, so that
    updates of them are noticed."""

    def __init__(self, run: Run, s: ast.For) -> None:
        self.run, self.node, self.loop = run, s.iter, s
        with shared_memory.followed(run, s in run.followed):
            found = gone_through(run, made_sets.gone_through(run, s.iter), s.iter)
            self.value = shared_memory.source(run, found, s.iter)
        self.prefix = prefix = hidden_name(places.LOOP, s)
        self.names = [f"{prefix}.{k}" for k, _ in enumerate(_parts(self.value))]
        self.begun = [hash_methods.size(part) for part in _parts(self.value)]
        self.attributes = _attributes(run, self.value, s.iter)
        for name, part in zip(self.names, _parts(self.value), strict=True):
            run.scope.names[name] = places.named(run, run.scope, name, part, whole=True)

    def check_size(self) -> None:
        """At the end of a round: a dict must have as many items as when the loop began."""
        run, scope = self.run, self.run.scope
        if self.attributes is not None:
            now = _attributes(run, places.renewed(run, self.value, self.node), self.node)
            if now != self.attributes:
                message = "dictionary changed size during iteration"
                run.require(boolean(False), "RuntimeError", message, self.node)
        for name, begun in zip(self.names, self.begun, strict=False):
            held = scope.names.get(name)
            if isinstance(held, PlaceV):
                held = places.current(run, held, self.node)
            size = hash_methods.size(held) if held is not None else None
            if begun is None or size is None or size is begun or size == begun:
                continue
            same = run.b.prim("eq", size, begun)
            if "$exit" in scope.names:
                left = run.compare("!=", scope.names["$exit"], Static(0), self.node)
                same = run.b.prim("or", same, run.bool_atom(run.truth(left, self.node)))
            what = "Set" if isinstance(held, HashV) and hash_tables.is_set(held) else "dictionary"
            message = f"{what} changed size during iteration"
            run.require(same, "RuntimeError", message, self.node)

    def hold(self, value: Value) -> None:
        """Add another value that the body may not change while the loop runs."""
        self.names.append(f"{self.names[0] if self.names else self.prefix}.held")
        self.run.scope.names[self.names[-1]] = value

    def check(self, what: str = "an array or list that its body updates") -> None:
        """Refuse the loop if its body changes what it runs over."""
        if any(isinstance(self.run.scope.names.get(n), Stale) for n in self.names):
            if self.run.store is not None and self.loop not in self.run.followed:
                self.run.followed.add(self.loop)
                raise Anew
            self.run.refuse(
                self.node,
                f"the loop runs over {what}",
                "loop over a copy, or use while",
                error=MutationError,
            )

    def close(self) -> None:
        self.check()
        for n in self.names:
            del self.run.scope.names[n]

    def indexed(self, source: Value, items: Items) -> Indexed:
        """Return the items by number."""
        run, node = self.run, self.node
        if isinstance(items, Unrolled) and isinstance(items.each, Late):
            return late_items.by_number(run, items.each, node)
        if isinstance(items, Unrolled):
            known = items.items
            if choices.all_of(run, known) is not None:
                return Indexed(i64(len(known)), lambda i: self._function(known, i))
            listed = run.iterate(run.to_list(TupleV(items.items), node), node)
            items = places.noted(run, source, listed)
        assert isinstance(items, Indexed)
        if items.keep is not None or items.nested is not None:
            items = run.iterate(collect(run, items, node), node)
            assert isinstance(items, Indexed)
        return items

    def _function(self, functions: tuple[Value, ...], index: Atom) -> Value:
        made = choices.item(self.run, functions, index, self.node)
        assert made is not None
        return made

    def at(self, found: Indexed, index: Atom) -> Value:
        """Return an item as it is now; ``found`` are those at the start."""
        self.check()
        now = places.renewed(self.run, self.value, self.node)
        if now is self.value:
            return found.at(index)
        return self.indexed(now, self.run.iterate(now, self.node)).at(index)

    def item(self, k: int, found: Value) -> Value:
        """Return an item whose number is known, as it is now."""
        self.check()
        now = places.renewed(self.run, self.value, self.node)
        if now is self.value:
            return found
        items = self.run.iterate(now, self.node)
        if isinstance(items, Unrolled):
            return items.each[k]
        return self.indexed(now, items).at(i64(k))


def _attributes(run: Run, value: Value, node: ast.AST) -> int | None:
    """Return how many attributes an object has, if a loop runs over its dict."""
    seen = seen_by(value)
    return len(attributes_now(run, seen, node).fields) if is_object_dict(seen) else None


def hidden_name(word: str, s: ast.stmt) -> str:
    """Return a name that belongs to one loop statement."""
    return f"{word}:{s.lineno}:{s.col_offset}"


def _parts(value: Value) -> list[Value]:
    match value:
        case ZipV(items):
            return [p for v in items for p in _parts(v)]
        case EnumerateV(items, _) | ReversedV(items):
            return _parts(items)
        case RecordV() if is_view(value):
            return _parts(seen_by(value))
        case RecordV() if is_object_dict(value):
            return _parts(value.fields[OF])
        case GeneratorV(body=Driven()) if not is_driven(value):
            return [value]
        case _:
            try:
                kind_of(value)
            except NoKindError:
                return []
            return [value]
