"""Keep, for all iterations of a loop that builds or sums, what is the same for all iterations of
the loop around it.

    build i < n. build j < m. exp(x[j]) * h(i, j)
        ==>   e = build j < m. exp(x[j]);  build i < n. build j < m. e[j] * h(i, j)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from pullback.core.build import Builder
from pullback.core.effects import EffectsOf
from pullback.core.frozen import dataclass
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Index,
    Let,
    Op,
    Prim,
    Site,
    Sum_,
    Var,
)
from pullback.core.traverse import free_variables_of, refresh
from pullback.core.types import Array, Bool, Int, Real, Type

Inner = Build | Sum_

MOST_CHEAP = 16
"""At most so many cheap operations are done for each element of a row, instead of for each row."""


def may_be_kept(t: Type) -> bool:
    """Whether it is a number, or an array of numbers or of such arrays."""
    while isinstance(t, Array):
        t = t.elem
    return isinstance(t, (Real, Int, Bool))


def rows_of(
    let: Let, op: Inner, body: Parts, effects: EffectsOf, updated: Collection[Var]
) -> Sequence[Let] | None:
    """The loops that keep what is the same, and the rest; None: there are none that are worth it.
    ``updated``: what the iterations do not share."""
    results = op.body.results
    fixed = [not (isinstance(a, Var) and a in body.depends) for a in results]
    worth = [
        k for k, a in enumerate(results)
        if fixed[k] and isinstance(a, Var)
    ]  # fmt: skip
    rest = [k for k in range(len(results)) if k not in worth]
    heavy = body.heavy(effects)
    read = body.read_by_the_rest().union(a for k in rest if isinstance(a := results[k], Var))
    kept = [
        v for let in body.lets for v in let.vars
        if v in read and v in heavy and v not in updated and may_be_kept(v.type)
    ]  # fmt: skip
    if not kept and not worth:
        return None
    out: list[Let] = []
    done = {let.vars[k]: results[k] for k in worth}
    if worth and isinstance(op, Sum_):
        wanted = tuple(done.values())
        first = body.first(wanted) if body.checks(effects) else body.slice_block(wanted)
        out.append(Let(tuple(done), refresh_loop(Sum_(op.extents, op.indices, first)), let.site))
        done = {}
    reads: list[Let] = []
    for rows in body.rows(op, kept, done, body.checks(effects) and not out):
        out.append(rows.let(let.site))
        reads.extend(rows.reads)
    wanted = tuple(results[k] for k in rest)
    lets = (*reads, *body.rest(wanted, set(kept)))
    if rest or any(not effects.is_pure(x.op) for x in lets):
        second = type(op)(op.extents, op.indices, Block(lets, wanted))
        out.append(Let(tuple(let.vars[k] for k in rest), refresh_loop(second), let.site))
    return out


class _Rows:
    """The loop that keeps values of all iterations of ``op``, and how they are read there."""

    def __init__(
        self, op: Inner, values: Sequence[Var], loop: Build, arrays: Sequence[Var] = ()
    ) -> None:
        self.loop = loop
        self.arrays = list(arrays)
        self.reads: list[Let] = []
        for v, r in zip(values, loop.body.results[len(arrays) :], strict=True):
            array = Var(v.name, Array(r.type, len(loop.extents)))
            self.arrays.append(array)
            if r.type == v.type:
                self.reads.append(Let((v,), Index(array, op.indices, False)))
                continue
            b = Builder()
            row: Atom = array
            for i in op.indices[:-1]:
                row = b.prim("pick", row, i, static=(0,))
            self.reads += (*b.lets, Let((v,), Prim("pick", (row, op.indices[-1]), (0,))))

    def let(self, site: Site | None) -> Let:
        return Let(tuple(self.arrays), refresh_loop(self.loop), site)


@dataclass
class Parts:
    """The lets of a block: which are the ``same`` whatever some variables are, and what ``depends``
    on these. ``is_heavy``: whether an op costs more than a read of an array."""

    lets: list[Let]
    same: list[bool]
    depends: set[Var]
    is_heavy: Callable[[Op], bool]

    def first(self, results: Sequence[Atom]) -> Block:
        """The part that does not depend."""
        marked = zip(self.lets, self.same, strict=True)
        return Block(tuple(let for let, same in marked if same), tuple(results))

    def worth(self) -> bool:
        """Whether this part has anything that costs more than a read."""
        marked = zip(self.lets, self.same, strict=True)
        return any(same and self.is_heavy(let.op) for let, same in marked)

    def heavy(self, effects: EffectsOf) -> set[Atom]:
        """The variables that do not depend, and cost more than a read, or come from a check."""
        found: set[Atom] = set()
        for let, same in zip(self.lets, self.same, strict=False):
            if same and (
                self.is_heavy(let.op) or effects(let.op)
                or not found.isdisjoint(free_variables_of(let.op))
            ):  # fmt: skip
                found.update(let.vars)
        return found

    def checks(self, effects: EffectsOf) -> bool:
        """Whether the first part can raise."""
        marked = zip(self.lets, self.same, strict=True)
        return any(same and effects(let.op) for let, same in marked)

    def read_by_the_rest(self) -> set[Var]:
        """What the lets that depend read."""
        marked = zip(self.lets, self.same, strict=True)
        return {v for let, same in marked if not same for v in free_variables_of(let.op)}

    def slice(self, wanted: Sequence[Atom]) -> list[Let]:
        """The invariant lets that these are computed by."""
        need = {a for a in wanted if isinstance(a, Var)}
        marks = [not need.isdisjoint(let.vars) for let in self.lets]
        return [
            let for let, goes in zip(self.lets, needed(self.lets, marks), strict=True) if goes
        ]

    def slice_block(self, wanted: Sequence[Atom]) -> Block:
        return Block(tuple(self.slice(wanted)), tuple(wanted))

    def rows(
        self, op: Inner, kept: Sequence[Var], done: dict[Var, Atom], everything: bool
    ) -> Iterator[_Rows]:
        """What keeps these values for all iterations: numbers, and arrays of one extent in all
        iterations as one array of higher rank. ``done``: results of the loop that are kept anyway;
        ``everything``: all that does not depend is done in one loop, as it stands."""
        whole = list(kept)
        for let, same in () if everything else zip(self.lets, self.same, strict=True):
            found = [v for v in let.vars if v in kept]
            if same and found and isinstance(let.op, Build):
                made = self.in_one(op, let.op)
                if made is not None:
                    whole = [v for v in whole if v not in found]
                    results = tuple(made.body.results[let.vars.index(v)] for v in found)
                    body = Block(made.body.lets, results)
                    yield _Rows(op, found, Build(made.extents, made.indices, body))
        if whole or done:
            wanted = (*done.values(), *whole)
            block = self.first(wanted) if everything else self.slice_block(wanted)
            yield _Rows(op, whole, Build(op.extents, op.indices, block), tuple(done))

    def in_one(self, op: Inner, inner: Build) -> Build | None:
        """The elements of the arrays that all iterations build, as one loop; None: they have
        different extents, or share work."""
        bound = {v for let in self.lets for v in let.vars}.union(op.indices)
        if not bound.isdisjoint(inner.extents):
            return None
        before = self.slice([v for v in free_variables_of(inner) if v in bound])
        if any(self.is_heavy(let.op) for let in before) or len(before) > MOST_CHEAP:
            return None
        body = Block((*before, *inner.body.lets), inner.body.results)
        return Build((*op.extents, *inner.extents), (*op.indices, *inner.indices), body)

    def rest(self, results: Sequence[Atom], kept: set[Var]) -> list[Let]:
        """The lets that depend, and of the others those that they need, which were not kept."""
        need = {a for a in results if isinstance(a, Var)} - kept
        marks = [
            not same or not need.isdisjoint(let.vars)
            for let, same in zip(self.lets, self.same, strict=True)
        ]
        goes = needed(self.lets, marks, kept)
        return [let for let, stays in zip(self.lets, goes, strict=False) if stays]


def two_builds(
    let: Let, some: set[Var], effects: EffectsOf, is_heavy: Callable[[Op], bool]
) -> tuple[Let, Let] | None:
    """Two loops instead of one, the second for some of its results; None: not without doing
    anything twice that costs more than a read."""
    op = let.op
    if not isinstance(op, Build) or effects(op) or not some < set(let.vars) or not some:
        return None
    sides = [tuple(v for v in let.vars if (v in some) is on) for on in (False, True)]
    found: list[Let] = []
    slices: list[list[bool]] = []
    for vs in sides:
        results = tuple(op.body.results[let.vars.index(v)] for v in vs)
        slices.append(needed(op.body.lets, [not set(x.vars).isdisjoint(results)
                                            for x in op.body.lets]))  # fmt: skip
        own = tuple(x for x, on in zip(op.body.lets, slices[-1], strict=True) if on)
        part = Build(op.extents, op.indices, Block(own, results))
        found.append(Let(vs, refresh_loop(part), let.site))
    both = zip(op.body.lets, *slices, strict=True)
    if any(one and two and is_heavy(x.op) for x, one, two in both):
        return None
    return found[0], found[1]


def read_by(lets: Sequence[Let]) -> set[Var]:
    """The variables that the lets read."""
    return {v for let in lets for v in free_variables_of(let.op)}


def needed(
    lets: Sequence[Let], marks: Sequence[bool], without: set[Var] | None = None
) -> list[bool]:
    """Those that are marked, and those before that they need; ``without``: what is there."""
    found, need = list(marks), set[Var]()
    for k in reversed(range(len(lets))):
        if found[k] or not need.isdisjoint(lets[k].vars):
            found[k] = not without or not lets[k].vars or not set(lets[k].vars) <= without
        if found[k]:
            need.update(v for v in free_variables_of(lets[k].op) if v not in (without or ()))
    return found


def refresh_loop(op: Inner) -> Op:
    """The loop with new names for all that is bound in it."""
    fresh = tuple(Var(i.name, i.type) for i in op.indices)
    body = refresh(op.body, dict(zip(op.indices, fresh, strict=False)))
    return type(op)(op.extents, fresh, body)


__all__ = ["Inner", "Parts", "may_be_kept", "needed", "read_by", "refresh_loop", "rows_of",
           "two_builds"]  # fmt: skip
