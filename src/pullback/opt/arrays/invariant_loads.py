"""Read before a loop the elements that the loop does not update, although it updates others.

    loop i < n with s = a.                     r = build k < m. a[p, k + 1]
      loop k < m with t = s.             ==>   loop i < n with s = a.
        t[p + 1 + i, k] := f(t[p, k + 1])        loop k < m with t = s.
                                                   t[p + 1 + i, k] := f(r[k])

A step of elimination reads the row of the pivot once for each of the rows below it. A value that is
read from an array which is updated later must be kept for the reverse sweep, once for each read; a
value from ``r``, which is never updated, is read again.

The pass moves reads in the body of a loop at a place that is the same in all iterations, and reads
in an inner loop at places that depend on the index of the inner loop alone. On some axis all
updates must be elsewhere: by linear arithmetic (``ranges.Ranges``), or because the two indices are
different elements of an array of different numbers (``distinct``). The elements must certainly
exist, since the loop may end before it reads them; if the loop has no iterations, the rows are
empty.
"""

from __future__ import annotations

from functools import partial

from pullback.core.build import Builder, i64
from pullback.core.effects import Work, may_duplicate
from pullback.core.frozen import dataclass
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Case,
    If,
    Index,
    Let,
    Loop,
    Op,
    Prim,
    Program,
    Sum_,
    Update,
    Var,
    While,
    sub_blocks,
)
from pullback.core.traverse import defined, map_blocks, substitute
from pullback.core.types import I64, Array, Bool, Int, Real
from pullback.opt.arrays.shapes import same, stable_arrays
from pullback.opt.scalar.bounds import Checks, loop_indices
from pullback.opt.scalar.ranges import Form

DEEPEST = 8
"""Indices of at most this depth are computed anew before the loop."""


def load_invariants(program: Program) -> Program:
    """Return the program with such reads before their loops."""
    stable = stable_arrays(program)
    functions = {name: _Reader(stable).function(f) for name, f in program.functions.items()}
    return Program(functions, program.decls, program.main)


@dataclass(frozen=True, slots=True)
class _Line:
    """The versions of a carried array in the body of a loop, and the updates between them."""

    versions: set[Var]
    updates: list[Update]

    def follow(self, block: Block) -> bool:
        """Follow the versions through a block; return False if one of them has a use that is not
        understood."""
        return all(self.let(let) for let in block.lets)

    def let(self, let: Let) -> bool:
        versions = self.versions
        match let.op:
            case Update(array, _, _, _) if array in versions:
                self.updates.append(let.op)
                versions.add(let.vars[0])
                return True
            case If() | Case():
                blocks = [block for _, block in sub_blocks(let.op)]
                known = all(map(self.follow, blocks))
                for k, v in enumerate(let.vars):
                    if all(block.results[k] in versions for block in blocks):
                        versions.add(v)
                return known
            case Loop(_, _, carried, inits, body) | While(carried, inits, _, body):
                mine = [k for k, a in enumerate(inits) if a in versions]
                versions.update(carried[k] for k in mine)
                known = all(self.follow(block) for _, block in sub_blocks(let.op))
                versions.update(let.vars[k] for k in mine)
                return known and all(body.results[k] in versions for k in mine)
            case _:
                return all(self.follow(block) for _, block in sub_blocks(let.op))


class _Reader(Checks):
    """The walk over one function, inner loops first."""

    def loop(self, op: Build | Sum_ | Loop) -> Op:
        done = super().loop(op)
        if isinstance(done, Loop):
            for k, c in enumerate(done.carried):
                if isinstance(c.type, Array) and isinstance(c.type.elem, (Real, Int, Bool)):
                    line = _Line({c}, [])
                    if line.follow(done.body) and done.body.results[k] in line.versions:
                        done = self.reread(done, done.inits[k], line)
        return done

    def reread(self, loop: Loop, array: Atom, line: _Line) -> Loop:
        """Return the loop in which invariant elements of an array are read before it."""
        inside = defined(loop.body) | {loop.index, *loop.carried}
        names: dict[Var, Atom] = {}

        def block(old: Block, inner: Loop | Sum_ | Build | None = None) -> Block:
            lets = []
            for let in old.lets:
                op = let.op
                match op:
                    case Index(a, _, False) if a in line.versions:
                        new = self.before(loop, inner, inside, array, line, let)
                        if isinstance(new, Index):
                            op = new
                        elif new is not None:
                            names[let.vars[0]] = new
                            continue
                    case Loop() | Sum_() | Build() if inner is None:
                        if len(loop_indices(op)) == 1:
                            op = map_blocks(op, partial(block, inner=op))
                    case _:
                        pass
                lets.append(let if op is let.op else Let(let.vars, op, let.site))
            return Block(tuple(lets), old.results)

        body = block(loop.body)
        body = substitute(body, names) if names else body
        return Loop(loop.count, loop.index, loop.carried, loop.inits, body)

    def before(
        self, loop: Loop, inner: Loop | Sum_ | Build | None, inside: set[Var], array: Atom,
        line: _Line, let: Let,
    ) -> Atom | Index | None:
        """Return the replacement of a read in the loop, or in an ``inner`` one; None if the read
        stays."""
        assert isinstance(let.op, Index)
        idx = let.op.indices
        again = _Again(self, inside, loop_indices(inner) if inner is not None else [])
        if not all(again.can(i, DEEPEST) for i in idx):
            return None
        if not all(self.apart(update, idx, again) for update in line.updates):
            return None
        b = Builder()
        if inner is None:
            made = self.defs.get(array) if isinstance(array, Var) else None
            where = tuple(again.make(i, b) for i in idx)
            if isinstance(made, Update) and all(map(self.equal, made.indices, where)):
                return made.value  # the update before has just stored it there
            found = self.element(array, where, b)
            self.emit(b if found is not None else Builder())
            return found
        n = self.extent_before(inner, again, b)
        if n is None:
            return None
        k, body = Var("k", I64), Builder()
        rounds = b.prim("gt", loop.count, i64(0))
        for step in b.lets:
            self.learn(step)
        mark = self.ranges.mark()
        self.ranges.assume(rounds, True)
        self.ranges.index(k, n)
        fresh = again.at(k)
        element = self.element(array, tuple(fresh.make(i, body) for i in idx), body)
        self.ranges.forget(mark)
        if element is None:
            return None
        extent = b.prim("select", rounds, b.prim("max", n, i64(0)), i64(0))
        made_of = Build((extent,), (k,), body.block((element,)))
        (row,) = b.let(made_of, (Array(let.vars[0].type, 1),), names=("row",))
        self.emit(b)
        return Index(row, (loop_indices(inner)[0][0],), False)

    def element(self, array: Atom, where: tuple[Atom, ...], b: Builder) -> Atom | None:
        """Emit the element, if it and all elements that ``b`` reads for it certainly exist."""
        for let in b.lets:
            if isinstance(let.op, Index) and not self.in_range(let.op.array, let.op.indices):
                return None
            self.learn(let)
        return b.index(array, where, checked=False) if self.in_range(array, where) else None

    def extent_before(
        self, inner: Loop | Sum_ | Build, again: _Again, b: Builder
    ) -> Atom | None:
        """Return the extent of an inner loop, if it is the same in all iterations."""
        ((_, n),) = loop_indices(inner)
        alone = _Again(self, again.inside, [])
        return alone.make(n, b) if alone.can(n, DEEPEST) and not alone.reads(n) else None

    def emit(self, b: Builder) -> None:
        """Append these lets in front of the loop."""
        for let in b.lets:
            self.add(let)

    # --- which elements are apart ---------------------------------------------------------------

    def apart(self, update: Update, idx: tuple[Atom, ...], again: _Again) -> bool:
        """Whether the update, in any iteration, certainly changes another element."""
        return any(
            not again.varies(i) and self.differ(u, i, update.checked)
            for u, i in zip(update.indices, idx, strict=True)
        )

    def differ(self, u: Atom, i: Atom, checked: bool) -> bool:
        """Whether two integers certainly differ; ``checked``: a negative one may count from the
        end, and so name the same element."""
        x, y = self.ranges.form(u), self.ranges.form(i)
        if not (checked and not self.ranges.not_negative(x)):
            one = Form(1, {})
            above, below = x.plus(y, -1).plus(one, -1), y.plus(x, -1).plus(one, -1)
            if self.ranges.not_negative(above) or self.ranges.not_negative(below):
                return True
        match self.defs.get(u) if isinstance(u, Var) else None, (
            self.defs.get(i) if isinstance(i, Var) else None
        ):
            case Index(p, (a,), False), Index(q, (b,), False) if p is q and p in self.distinct:
                return self.differ(a, b, False)
            case _:
                return False

    def equal(self, u: Atom, i: Atom) -> bool:
        """Whether two integers certainly are the same."""
        if same(u, i):
            return True
        match self.defs.get(u) if isinstance(u, Var) else None, (
            self.defs.get(i) if isinstance(i, Var) else None
        ):
            case Index(p, (a,), _), Index(q, (b,), _):
                return p is q and self.equal(a, b)
            case _:
                return self.ranges.compares("eq", u, i)


@dataclass(frozen=True, slots=True)
class _Again:
    """Integers of the body of a loop, computed again in front of it; ``bound``: the index of an
    inner loop, which is available there too."""

    facts: Checks
    inside: set[Var]
    bound: list[tuple[Var, Atom]]
    now: Var | None = None

    def at(self, k: Var) -> _Again:
        """Return the same with ``k`` for the index of the inner loop."""
        return _Again(self.facts, self.inside, self.bound, k)

    def can(self, a: Atom, depth: int) -> bool:
        """Whether the integer depends on nothing else of the loop."""
        if not isinstance(a, Var) or a not in self.inside or any(a is v for v, _ in self.bound):
            return True
        match self.facts.defs.get(a):
            case Prim(_, args, _) as op:
                return (
                    depth > 0
                    and isinstance(a.type, (Bool, Int))
                    and may_duplicate(op, Work.FUNCTION)
                    and all(self.can(x, depth - 1) for x in args)
                )
            case Index(array, idx, False):
                return (
                    depth > 0
                    and isinstance(a.type, (Bool, Int))
                    and array not in self.inside
                    and all(self.can(x, depth - 1) for x in idx)
                )
            case _:
                return False

    def varies(self, a: Atom) -> bool:
        """Whether it depends on the index of the inner loop."""
        if not isinstance(a, Var) or a not in self.inside:
            return False
        if any(a is v for v, _ in self.bound):
            return True
        op = self.facts.defs[a]
        assert isinstance(op, (Prim, Index))
        return any(map(self.varies, op.args if isinstance(op, Prim) else op.indices))

    def reads(self, a: Atom) -> bool:
        """Whether it is computed from an element of an array."""
        if not isinstance(a, Var) or a not in self.inside:
            return False
        op = self.facts.defs[a]
        return not isinstance(op, Prim) or any(map(self.reads, op.args))

    def make(self, a: Atom, b: Builder) -> Atom:
        """Emit its computation."""
        if not isinstance(a, Var) or a not in self.inside:
            return a
        if any(a is v for v, _ in self.bound):
            assert self.now is not None
            return self.now
        match self.facts.defs[a]:
            case Prim(name, args, static):
                return b.prim(name, *(self.make(x, b) for x in args), static=static)
            case Index(array, idx, _):
                return b.index(array, tuple(self.make(i, b) for i in idx), checked=False)
            case _:
                raise AssertionError("cannot be made again")
