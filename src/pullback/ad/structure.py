"""Write the structure of data down as whole numbers (see ``ravel``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pullback.ad.parts import (
    WORDS,
    State,
    branch,
    each,
    filled,
    flattened,
    found,
    one_more,
    pushed,
    read,
    stored,
    taken_apart,
    types_of,
    word,
)
from pullback.core.build import Builder, i64, lit
from pullback.core.frozen import dataclass, field
from pullback.core.terms import Atom, Block, Build, Call, Function, Inject, Site, Var
from pullback.core.types import (
    BOOL,
    I64,
    Array,
    Bool,
    Decl,
    Int,
    Named,
    Real,
    Sum,
    Type,
    variants_of,
)

_FIRST = 16

Body = Callable[[Builder, tuple[Var, ...]], Sequence[Atom]]


@dataclass(frozen=True, slots=True)
class Layout(State):
    """The state while the structure is written: the words and their number, the number of reals,
    the table of nodes (addresses, numbers) and their number."""

    words: Atom
    at: Atom
    reals: Atom
    keys: Atom
    numbers: Atom
    nodes: Atom


@dataclass(slots=True)
class Structures:
    """The functions for the data of one program; they are added to ``functions``."""

    functions: dict[str, Function]
    decls: dict[str, Decl]
    made: dict[tuple[str, Type, Site | None], str] = field(default_factory=dict)

    def call(
        self, b: Builder, what: str, t: Type, args: Sequence[Atom], results: Sequence[Type],
        body: Body, site: Site | None = None,
    ) -> tuple[Var, ...]:
        """Emit a call of the function ``what`` for type ``t``, which is written at its first call;
        it may recur."""
        key = what, t, site
        if key not in self.made:
            n = len(self.functions)
            plain = what.partition(":")[0]
            while (name := f"{plain}.data.{n}") in self.functions:
                n += 1
            self.made[key] = name
            # its body follows
            self.functions[name] = Function(name, (), Block((), ()), tuple(results))
            given = tuple(Var("x", a) for a in types_of(args))
            inner = Builder()
            block = inner.block(tuple(body(inner, given)))
            self.functions[name] = Function(name, given, block, tuple(results))
        return b.let(Call(self.made[key], tuple(args)), tuple(results), site)

    def variants(self, t: Type) -> list[tuple[Type, ...]]:
        return [v.fields for v in variants_of(t, self.decls)]

    def nodes_in(self, t: Type) -> tuple[str, ...]:
        """Return the declarations of the nodes that data of this type can hold."""
        found_: set[str] = set()
        todo = [t]
        while todo:
            match todo.pop():
                case Array(elem, _):
                    todo.append(elem)
                case Sum() as sum_:
                    todo.extend(f for fields in self.variants(sum_) for f in fields)
                case Named(name) as node if name not in found_:
                    found_.add(name)
                    todo.extend(f for fields in self.variants(node) for f in fields)
                case _:
                    pass
        return tuple(sorted(found_))

    # -- the structure --------------------------------------------------------------------------

    def layout(self, b: Builder, x: Atom) -> tuple[Atom, Atom]:
        """Emit the words of data, and the number of its reals. Word 0 is the number of its nodes.
        """

        def body(b: Builder, given: tuple[Var, ...]) -> Sequence[Atom]:
            words, keys, numbers = (filled(b, i64(_FIRST), i64(0)) for _ in range(3))
            s = Layout(words, i64(1), i64(0), keys, numbers, i64(0))
            s = self._layout(b, given[0], s)
            return stored(b, s.words, i64(0), s.nodes), s.reals

        words, n = self.call(b, "structure", x.type, (x,), (WORDS, I64), body)
        return words, n

    def _layout(self, b: Builder, x: Atom, s: Layout) -> Layout:
        match x.type:
            case Real():
                return replace(s, reals=one_more(b, s.reals))
            case Int() | Bool():
                return self._push(b, s, word(b, x))
            case Array(elem, rank):
                size: Atom = i64(1)
                for axis in range(rank):
                    extent = b.dim(x, axis)
                    s, size = self._push(b, s, extent), b.prim("mul", size, extent)
                if isinstance(elem, Real):
                    return replace(s, reals=b.prim("add", s.reals, size))
                flat = flattened(b, x, size)

                def item(i: Var, b: Builder, s: Layout) -> tuple[Layout, Sequence[Atom]]:
                    return self._layout(b, read(b, flat, i), s), ()

                return each(b, size, s, item)[0]
            case Sum() as sum_:

                def arm(tag: int, fields: tuple[Var, ...], b: Builder) -> Sequence[Atom]:
                    return self._layouts(b, fields, self._push(b, s, i64(tag))).atoms()

                return s.of(taken_apart(b, x, self.variants(sum_), arm))
            case t:
                types = types_of(s.atoms())
                return s.of(self.call(b, "layout", t, (x, *s.atoms()), types, self._layout_node))

    def _layouts(self, b: Builder, fields: Sequence[Atom], s: Layout) -> Layout:
        for x in fields:
            s = self._layout(b, x, s)
        return s

    def _layout_node(self, b: Builder, given: tuple[Var, ...]) -> Sequence[Atom]:
        node, s = given[0], Layout(*given[1:])

        def arm(tag: int, fields: tuple[Var, ...], b: Builder) -> Sequence[Atom]:
            if not fields:
                return self._push(b, s, i64(tag)).atoms()
            args = b.prim("address", node), s.keys, s.numbers, s.nodes
            known, number, *table = self.call(
                b, "find", I64, args, (BOOL, I64, WORDS, WORDS, I64), found
            )
            now = Layout(s.words, s.at, s.reals, *table)

            def again(b: Builder) -> Sequence[Atom]:
                return self._push(b, now, b.prim("sub", i64(-1), number)).atoms()

            def first(b: Builder) -> Sequence[Atom]:
                return self._layouts(b, fields, self._push(b, now, i64(tag))).atoms()

            return branch(b, known, again, first)

        return taken_apart(b, node, self.variants(node.type), arm)

    def _push(self, b: Builder, s: Layout, value: Atom) -> Layout:
        (words,) = self.call(b, "push", WORDS, (s.words, s.at, value), (WORDS,), pushed)
        return replace(s, words=words, at=one_more(b, s.at))

    # -- some value -----------------------------------------------------------------------------

    def nothing(self, b: Builder, t: Type, rank: int = 1) -> Var:
        """Emit an array without elements."""
        inner = Builder()
        one = self._never(inner, t)
        index = tuple(Var("i", I64) for _ in range(rank))
        made = Build((i64(0),) * rank, index, inner.block((one,)))
        return b.let(made, (Array(t, rank),))[0]

    def dummy(self, b: Builder, t: Type, inside: frozenset[Type] = frozenset()) -> Atom:
        """Emit some value of a type that nobody reads."""
        match t:
            case Array(elem, rank):
                return self.nothing(b, elem, rank)
            case Sum() | Named():
                within = inside | {t}
                tag, fields = min(
                    enumerate(self.variants(t)), key=lambda v: self._depth(v[1], within)
                )
                parts = tuple(self.dummy(b, f, within) for f in fields)
                return b.let(Inject(t, tag, parts), (t,))[0]
            case _:
                return lit(0, t)

    def _depth(self, fields: Sequence[Type], inside: frozenset[Type]) -> int:
        """Return the depth of the smallest value of these fields; a large number if there is none.
        """
        deepest = 0
        for f in fields:
            if isinstance(f, (Sum, Named)):
                if f in inside:
                    return 1_000_000
                best = min(self._depth(v, inside | {f}) for v in self.variants(f))
                deepest = max(deepest, best + 1)
        return deepest

    def _never(self, b: Builder, t: Type) -> Atom:
        """Emit an element of an empty array, for code that never runs."""
        if isinstance(t, (Real, Int, Bool)):
            return lit(0, t)

        def body(b: Builder, given: tuple[Var, ...]) -> Sequence[Atom]:
            return self.call(b, "never", t, (), (t,), body)

        return self.call(b, "never", t, (), (t,), body)[0]


__all__ = ["Structures"]
