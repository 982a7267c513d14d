"""Code that goes through data part by part and passes a state along: branches, loops, small arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Self, TypeVar

from pullback.core.build import Builder, i64, lit
from pullback.core.frozen import dataclass
from pullback.core.terms import Atom, Build, Case, CaseArm, If, Loop, Update, Var, While
from pullback.core.types import I64, Array, Bool, Int, Type

WORDS = Array(I64, 1)
_GOLDEN = -7046029254386353131  # 2^64 over the golden ratio: it spreads the bits of an address


@dataclass(frozen=True, slots=True)
class State:
    """The state that is passed from one part of data to the next: the fields of a subclass."""

    def atoms(self) -> tuple[Atom, ...]:
        return tuple(getattr(self, f.name) for f in fields(self))

    def of(self, atoms: Sequence[Atom]) -> Self:
        """Return a state of the same class with these atoms."""
        return type(self)(*atoms)


S = TypeVar("S", bound=State)


def types_of(atoms: Sequence[Atom]) -> tuple[Type, ...]:
    return tuple(a.type for a in atoms)


def branch(
    b: Builder, cond: Atom, then: Callable[[Builder], Sequence[Atom]],
    orelse: Callable[[Builder], Sequence[Atom]],
) -> tuple[Var, ...]:
    """Emit an If; ``then`` and ``orelse`` write its blocks."""
    blocks = []
    for code in (then, orelse):
        inner = Builder()
        blocks.append(inner.block(tuple(code(inner))))
    return b.let(If(cond, blocks[0], blocks[1]), types_of(blocks[0].results))


def taken_apart(
    b: Builder, x: Atom, variants: Sequence[Sequence[Type]],
    arm: Callable[[int, tuple[Var, ...], Builder], Sequence[Atom]],
) -> tuple[Var, ...]:
    """Emit a Case; ``arm(tag, fields, builder)`` writes the block for a variant."""
    arms = []
    for tag, types in enumerate(variants):
        given, inner = tuple(Var("f", t) for t in types), Builder()
        arms.append(CaseArm(given, inner.block(tuple(arm(tag, given, inner)))))
    return b.let(Case(x, tuple(arms)), types_of(arms[0].body.results))


def each(
    b: Builder, count: Atom, s: S, item: Callable[[Var, Builder, S], tuple[S, Sequence[Atom]]]
) -> tuple[S, tuple[Var, ...]]:
    """Emit a loop over all items; return the state after it, and the arrays of the results of the
    items."""
    index, inner = Var("i", I64), Builder()
    carried = tuple(Var("s", a.type) for a in s.atoms())
    after, emitted = item(index, inner, s.of(carried))
    body = inner.block((*after.atoms(), *emitted))
    types = (*types_of(carried), *(Array(a.type, 1) for a in emitted))
    made = b.let(Loop(count, index, carried, s.atoms(), body), types)
    return s.of(made[: len(carried)]), made[len(carried) :]


def filled(b: Builder, count: Atom, value: Atom) -> Var:
    """Emit an array of ``count`` equal elements."""
    inner = Builder()
    (made,) = b.let(
        Build((count,), (Var("i", I64),), inner.block((value,))), (Array(value.type, 1),)
    )
    return made


def stored(b: Builder, array: Atom, at: Atom, value: Atom) -> Var:
    """Emit an update of one element of an array."""
    return b.let(Update(array, (at,), value, False), (array.type,))[0]


def read(b: Builder, array: Atom, at: Atom) -> Var:
    return b.index(array, (at,), False)


def flattened(b: Builder, array: Atom, size: Atom) -> Atom:
    """Emit the elements of an array in C order."""
    assert isinstance(array.type, Array)
    return array if array.type.rank == 1 else b.prim("reshape", array, size)


def word(b: Builder, x: Atom) -> Atom:
    """Emit a number or truth value as a word."""
    return x if x.type == I64 else b.prim("to_int", x, static=(I64,))


def from_word(b: Builder, w: Atom, t: Int | Bool) -> Atom:
    """Emit the number or truth value of a word."""
    if t == I64:
        return w
    if isinstance(t, Bool):
        return b.prim("ne", w, i64(0))
    return b.prim("to_int", w, static=(t,))


def one_more(b: Builder, n: Atom) -> Atom:
    return b.prim("add", n, i64(1))


def pushed(b: Builder, given: tuple[Var, ...]) -> Sequence[Atom]:
    """Return the name of a function (words, n, new) -> the words with a new one at place n, in an
    array that grows."""
    words, at, new = given
    size = b.dim(words, 0)

    def grown(b: Builder) -> Sequence[Atom]:
        i, inner = Var("i", I64), Builder()
        inside = inner.prim("lt", i, size)
        old = branch(inner, inside, lambda c: (read(c, words, i),), lambda _: (i64(0),))
        twice = b.prim("mul", size, i64(2))
        return b.let(Build((twice,), (i,), inner.block(old)), (WORDS,))

    (room,) = branch(b, b.prim("eq", at, size), grown, lambda _: (words,))
    return (stored(b, room, at, new),)


def found(b: Builder, given: tuple[Var, ...]) -> Sequence[Atom]:
    """Return the name of a function that looks a key up in a table with open addressing: (key,
    keys, numbers, n) -> whether the key was there, its number, and the table with the key, entered
    as number n if it is new."""
    key, keys0, numbers0, n = given
    size = b.dim(keys0, 0)
    full = b.prim("le", size, b.prim("mul", n, i64(2)))

    def larger(b: Builder) -> Sequence[Atom]:
        twice = b.prim("mul", size, i64(2))
        table = _Table(filled(b, twice, i64(0)), filled(b, twice, i64(0)))

        def item(i: Var, b: Builder, s: _Table) -> tuple[_Table, Sequence[Atom]]:
            k = read(b, keys0, i)

            def enter(b: Builder) -> Sequence[Atom]:
                at = _slot(b, k, s.keys)
                number = read(b, numbers0, i)
                return stored(b, s.keys, at, k), stored(b, s.numbers, at, number)

            free = b.prim("eq", k, i64(0))
            return s.of(branch(b, free, lambda _: s.atoms(), enter)), ()

        return each(b, size, table, item)[0].atoms()

    keys, numbers = branch(b, full, larger, lambda _: (keys0, numbers0))
    at = _slot(b, key, keys)
    known = b.prim("eq", read(b, keys, at), key)

    def old(b: Builder) -> Sequence[Atom]:
        return read(b, numbers, at), keys, numbers, n

    def new(b: Builder) -> Sequence[Atom]:
        return n, stored(b, keys, at, key), stored(b, numbers, at, n), one_more(b, n)

    return known, *branch(b, known, old, new)


@dataclass(frozen=True, slots=True)
class _Table(State):
    keys: Atom
    numbers: Atom


def _slot(b: Builder, key: Atom, keys: Atom) -> Atom:
    """Emit the search for the place of a key in the table."""
    mask = b.prim("sub", b.dim(keys, 0), i64(1))
    spread = b.prim("shr", b.prim("mul", key, lit(_GOLDEN, I64)), i64(32))
    i, test, step = Var("i", I64), Builder(), Builder()
    there = read(test, keys, i)
    taken = test.prim("ne", there, i64(0))
    go = test.block((test.prim("and", taken, test.prim("ne", there, key)),))
    on = step.block((step.prim("and", one_more(step, i), mask),))
    return b.let(While((i,), (b.prim("and", spread, mask),), go, on), (I64,))[0]


__all__ = ["WORDS", "State", "branch", "each", "filled", "flattened", "found",
           "from_word", "one_more", "pushed", "read", "stored", "taken_apart", "types_of",
           "word"]  # fmt: skip
