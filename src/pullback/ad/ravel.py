"""Data as a vector: its reals in one array, and its structure in another, of whole numbers.

    layout    x         -> words, n     the structure of x, and the number of its reals
    along     words, y  -> v            the reals of y, which must have this structure
    unravel   words, v  -> x            data of this structure, with these reals

All three go through data in one order, field after field. A number or truth value is a word, an
array its extents (and then its elements, if these are no reals); a choice is the tag of its
variant, and so is a node that is met first. A node that is met again is -1, -2, ... for the first,
second, ... of all nodes with fields: what is shared stays shared. Reals leave no words.

Derivatives by data thereby become derivatives by vectors (``by_data``). What is written here is
ordinary code, and is differentiated as such where it stands in a differentiated function.
"""

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
    from_word,
    one_more,
    read,
    stored,
    taken_apart,
    types_of,
)
from pullback.ad.structure import Structures
from pullback.core.build import Builder, i64, lit
from pullback.core.frozen import dataclass
from pullback.core.terms import Atom, Build, Inject, Site, Var
from pullback.core.types import (
    F64,
    I64,
    Array,
    Bool,
    Int,
    Named,
    Real,
    Sum,
    Type,
)

VECTOR = Array(F64, 1)
_OTHER = "a (co)tangent of another structure than the data that it is for"
_TWO = "two different (co)tangents for one node that is shared"

@dataclass(frozen=True, slots=True)
class Along(State):
    """The state while reals are read: the next word, the vector and its length. ``met``: for each
    node of the structure the address of the node that stands for it here, and how many were met."""

    at: Atom
    v: Atom
    n: Atom
    met: Atom
    nodes: Atom


@dataclass(frozen=True, slots=True)
class Making(State):
    """The state while data is built: the next word, the next real, the number of nodes, and the
    nodes built so far, in an array for each declaration."""

    at: Atom
    n: Atom
    nodes: Atom
    made: tuple[Atom, ...]

    def atoms(self) -> tuple[Atom, ...]:
        return (self.at, self.n, self.nodes, *self.made)

    def of(self, atoms: Sequence[Atom]) -> Making:
        return Making(atoms[0], atoms[1], atoms[2], tuple(atoms[3:]))


class Ravel(Structures):
    """The functions for the data of one program; they are added to ``functions``."""

    # -- the reals ------------------------------------------------------------------------------

    giver = ""
    """Who gives the data whose reals are read now, for messages."""

    def along(
        self, b: Builder, words: Atom, n: Atom, y: Atom, site: Site | None, giver: str = ""
    ) -> Atom:
        """Emit the vector of the ``n`` reals of data, which must have this structure (else
        ValueError). ``giver``: who gives it, for messages."""

        def body(b: Builder, given: tuple[Var, ...]) -> Sequence[Atom]:
            words, n, y = given
            met = filled(b, read(b, words, i64(0)), i64(0))
            s = Along(i64(1), filled(b, n, lit(0.0, F64)), i64(0), met, i64(0))
            return (self._along(b, words, y, s, site).v,)

        before, self.giver = self.giver, giver
        made = self.call(b, f"along:{giver}", y.type, (words, n, y), (VECTOR,), body, site)[0]
        self.giver = before
        return made

    def _along(self, b: Builder, words: Atom, y: Atom, s: Along, site: Site | None) -> Along:
        match y.type:
            case Real():
                v = stored(b, s.v, s.n, b.prim("to_real", y, static=(F64,)))
                return replace(s, v=v, n=one_more(b, s.n))
            case Int() | Bool():
                return replace(s, at=one_more(b, s.at))
            case Array(elem, rank):
                size: Atom = i64(1)
                for axis in range(rank):
                    extent = b.dim(y, axis)
                    self._same(b, read(b, words, s.at), extent, site)
                    s, size = replace(s, at=one_more(b, s.at)), b.prim("mul", size, extent)
                if isinstance(elem, (Int, Bool)):
                    return replace(s, at=b.prim("add", s.at, size))
                flat = flattened(b, y, size)

                def item(i: Var, b: Builder, s: Along) -> tuple[Along, Sequence[Atom]]:
                    return self._along(b, words, read(b, flat, i), s, site), ()

                return each(b, size, s, item)[0]
            case Sum() as sum_:
                tag, at = read(b, words, s.at), one_more(b, s.at)

                def arm(k: int, fields: tuple[Var, ...], b: Builder) -> Sequence[Atom]:
                    self._same(b, tag, i64(k), site)
                    return self._alongs(b, words, fields, replace(s, at=at), site).atoms()

                return s.of(taken_apart(b, y, self.variants(sum_), arm))
            case t:
                types = types_of(s.atoms())

                def body(b: Builder, given: tuple[Var, ...]) -> Sequence[Atom]:
                    return self._along_node(b, given, site)

                args = (words, y, *s.atoms())
                return s.of(self.call(b, f"reals:{self.giver}", t, args, types, body, site))

    def _alongs(
        self, b: Builder, words: Atom, fields: Sequence[Atom], s: Along, site: Site | None
    ) -> Along:
        for y in fields:
            s = self._along(b, words, y, s, site)
        return s

    def _along_node(
        self, b: Builder, given: tuple[Var, ...], site: Site | None
    ) -> Sequence[Atom]:
        words, node = given[:2]
        start = Along(*given[2:])
        w = read(b, words, start.at)
        s = replace(start, at=one_more(b, start.at))

        def arm(tag: int, fields: tuple[Var, ...], b: Builder) -> Sequence[Atom]:
            if not fields:
                self._same(b, w, i64(tag), site)
                return s.atoms()
            address = b.prim("address", node)

            def again(b: Builder) -> Sequence[Atom]:
                first = read(b, s.met, b.prim("sub", i64(-1), w))
                b.require(b.prim("eq", first, address), "ValueError", self.giver + _TWO, site)
                return s.atoms()

            def first(b: Builder) -> Sequence[Atom]:
                self._same(b, w, i64(tag), site)
                met = stored(b, s.met, s.nodes, address)
                now = replace(s, met=met, nodes=one_more(b, s.nodes))
                return self._alongs(b, words, fields, now, site).atoms()

            return branch(b, b.prim("lt", w, i64(0)), again, first)

        return taken_apart(b, node, self.variants(node.type), arm)

    def _same(self, b: Builder, a: Atom, c: Atom, site: Site | None) -> None:
        b.require(b.prim("eq", a, c), "ValueError", self.giver + _OTHER, site)

    # -- and back -------------------------------------------------------------------------------

    def unravel(self, b: Builder, words: Atom, v: Atom, t: Type) -> Atom:
        """Emit data of this structure and type with these reals."""

        def body(b: Builder, given: tuple[Var, ...]) -> Sequence[Atom]:
            words, v = given
            count = read(b, words, i64(0))
            nodes = tuple(
                filled(b, count, self.dummy(b, Named(name))) for name in self.nodes_in(t)
            )
            return (self._make(b, words, v, t, Making(i64(1), i64(0), i64(0), nodes))[0],)

        return self.call(b, "unravel", t, (words, v), (t,), body)[0]

    def _make(self, b: Builder, words: Atom, v: Atom, t: Type, s: Making) -> tuple[Atom, Making]:
        match t:
            case Real():
                return self._real(b, v, s.n, t), replace(s, n=one_more(b, s.n))
            case Int() | Bool():
                x = from_word(b, read(b, words, s.at), t)
                return x, replace(s, at=one_more(b, s.at))
            case Array(elem, rank):
                extents: list[Atom] = []
                for _ in range(rank):
                    extents.append(read(b, words, s.at))
                    s = replace(s, at=one_more(b, s.at))
                if isinstance(elem, (Real, Int, Bool)):
                    return self._make_array(b, words, v, elem, extents, s)

                def item(i: Var, b: Builder, s: Making) -> tuple[Making, Sequence[Atom]]:
                    made, after = self._make(b, words, v, elem, s)
                    return after, (made,)

                size = _product(b, extents)
                s, (flat,) = each(b, size, s, item)
                return (flat if rank == 1 else b.prim("reshape", flat, *extents)), s
            case Sum():
                tag, s = read(b, words, s.at), replace(s, at=one_more(b, s.at))

                def arm(k: int, b: Builder) -> Sequence[Atom]:
                    x, after = self._made(b, words, v, t, k, s)
                    return (x, *after.atoms())

                x, *after = _by_tag(b, tag, len(self.variants(t)), arm)
                return x, s.of(after)
            case _:
                return self._make_node(b, words, v, t, s)

    def _real(self, b: Builder, v: Atom, at: Atom, t: Real) -> Atom:
        x = read(b, v, at)
        return x if t == F64 else b.prim("to_real", x, static=(t,))

    def _make_array(
        self, b: Builder, words: Atom, v: Atom, elem: Real | Int | Bool, extents: list[Atom],
        s: Making,
    ) -> tuple[Atom, Making]:
        """Emit an array of scalars, from consecutive words or reals."""
        first = s.n if isinstance(elem, Real) else s.at
        index, inner = tuple(Var("i", I64) for _ in extents), Builder()
        k: Atom = index[0]
        for i, extent in zip(index[1:], extents[1:], strict=True):
            k = inner.prim("add", inner.prim("mul", k, extent), i)
        at = inner.prim("add", first, k)
        if isinstance(elem, Real):
            x = self._real(inner, v, at, elem)
        else:
            x = from_word(inner, read(inner, words, at), elem)
        made = Build(tuple(extents), index, inner.block((x,)))
        (array,) = b.let(made, (Array(elem, len(extents)),))
        after = b.prim("add", first, _product(b, extents))
        return array, replace(s, n=after) if isinstance(elem, Real) else replace(s, at=after)

    def _made(
        self, b: Builder, words: Atom, v: Atom, t: Type, tag: int, s: Making
    ) -> tuple[Var, Making]:
        """Emit a value of one variant."""
        parts = []
        for f in self.variants(t)[tag]:
            x, s = self._make(b, words, v, f, s)
            parts.append(x)
        return b.let(Inject(t, tag, tuple(parts)), (t,))[0], s

    def _make_node(
        self, b: Builder, words: Atom, v: Atom, t: Type, outer: Making
    ) -> tuple[Atom, Making]:
        """Emit a node by a call of the function for its declaration, which has only the arrays of
        nodes that it needs."""
        every, mine = self._places(outer), self.nodes_in(t)
        given = Making(outer.at, outer.n, outer.nodes, tuple(every[name] for name in mine))
        which = mine.index(t.name) if isinstance(t, Named) else 0

        def body(b: Builder, xs: tuple[Var, ...]) -> Sequence[Atom]:
            words, v = xs[:2]
            start = given.of(xs[2:])
            w = read(b, words, start.at)
            s = replace(start, at=one_more(b, start.at))

            def again(b: Builder) -> Sequence[Atom]:
                return (read(b, s.made[which], b.prim("sub", i64(-1), w)), *s.atoms())

            def arm(tag: int, b: Builder) -> Sequence[Atom]:
                if not self.variants(t)[tag]:
                    x, after = self._made(b, words, v, t, tag, s)
                    return (x, *after.atoms())
                x, after = self._made(
                    b, words, v, t, tag, replace(s, nodes=one_more(b, s.nodes))
                )
                nodes = list(after.made)
                nodes[which] = stored(b, nodes[which], s.nodes, x)
                return (x, *replace(after, made=tuple(nodes)).atoms())

            def first(b: Builder) -> Sequence[Atom]:
                return _by_tag(b, w, len(self.variants(t)), arm)

            return branch(b, b.prim("lt", w, i64(0)), again, first)

        args = (words, v, *given.atoms())
        x, *rest = self.call(b, "make", t, args, (t, *types_of(given.atoms())), body)
        after = given.of(rest)
        every.update(zip(mine, after.made, strict=True))
        return x, Making(after.at, after.n, after.nodes, tuple(every.values()))

    def _places(self, s: Making) -> dict[str, Atom]:
        """The positions of the arrays of nodes, by declaration."""
        out = {}
        for a in s.made:
            assert isinstance(a.type, Array) and isinstance(a.type.elem, Named)
            out[a.type.elem.name] = a
        return out


def _product(b: Builder, extents: Sequence[Atom]) -> Atom:
    size = extents[0]
    for n in extents[1:]:
        size = b.prim("mul", size, n)
    return size


def _by_tag(
    b: Builder, tag: Atom, count: int, arm: Callable[[int, Builder], Sequence[Atom]], k: int = 0
) -> Sequence[Atom]:
    """Emit the choice of an arm by a tag."""
    if k == count - 1:
        return arm(k, b)
    return branch(
        b, b.prim("eq", tag, i64(k)), lambda b: arm(k, b),
        lambda b: _by_tag(b, tag, count, arm, k + 1),
    )


__all__ = ["VECTOR", "WORDS", "Ravel"]
