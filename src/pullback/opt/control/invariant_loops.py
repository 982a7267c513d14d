"""Run a loop that is the same in every iteration of the loop around it once, before that one.

    build i < n. let a = build j < m. f(j) in g(a, i)
        ==>   a = if 0 < n then build j < m. f(j) else ...;  build i < n. g(a, i)

Of an inner loop that computes both, the part that is the same is divided from the part that is not:

    build i < n. build j < m. exp(x[j]) * h(i, j)
        ==>   e = build j < m. exp(x[j]);  build i < n. build j < m. e[j] * h(i, j)

    build i < n. let s, t = sum j < m. (f(j), h(i, j)) in g(s, t)
        ==>   s = sum j < m. f(j);  build i < n. let t = sum j < m. h(i, j) in g(s, t)

So the rows of a Jacobian, and of a Hessian, share the work that does not depend on the direction.
What moves is pure, ends, and is run by the first iteration, so no program does more work than
before; what is kept in an array costs more than a read: a loop or a call of a function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pullback.core.build import Builder, i64, lit
from pullback.core.effects import Effect, EffectsOf, Work, work_of
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Function,
    If,
    Index,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Program,
    Site,
    Sum_,
    Var,
    sub_blocks,
)
from pullback.core.traverse import free_variables_of, map_blocks, refresh
from pullback.core.types import I64, Array, Bool, Int, Real, Type
from pullback.opt.arrays.storage import updated_arrays
from pullback.opt.scalar.bounds import loop_indices

Inner = Build | Sum_
SCALARS = Real | Int | Bool

MOST_CHEAP = 16
"""At most so many cheap operations are done for each element of a row, instead of for each row."""


def hoist_loops(program: Program) -> Program:
    """Return the program with loops before the loops in which they are invariant, and with loops
    divided into the part that is invariant and the rest."""
    hoister = _Hoister(EffectsOf(program), updated_arrays(program))
    functions = {
        name: Function(f.name, f.params, hoister.block(f.body), f.results)
        for name, f in program.functions.items()
    }
    return Program(functions, program.decls, program.main)


def _may_be_kept(t: Type) -> bool:
    """Whether it is a number, or an array of numbers or of such arrays."""
    while isinstance(t, Array):
        t = t.elem
    return isinstance(t, SCALARS)


class _Hoister:
    """The walk over one function, inner loops first."""

    def __init__(self, effects: EffectsOf, updated: frozenset[Var]) -> None:
        self.effects = effects
        self.updated = updated

    def block(self, block: Block) -> Block:
        out: list[Let] = []
        for let in block.lets:
            op = map_blocks(let.op, self.block)
            if isinstance(op, Build | Sum_ | Loop):
                op = self.outer(op, out)
            out.append(let if op is let.op else Let(let.vars, op, let.site))
        return Block(tuple(out), block.results)

    def outer(self, op: Build | Sum_ | Loop, out: list[Let]) -> Op:
        """Return the loop without the loops that are the same in all iterations; these go to
        ``out``."""
        ((bound, body),) = sub_blocks(op)
        if not any(isinstance(let.op, Build | Sum_ | Loop) for let in body.lets):
            return op
        varying, lets = set(bound), list[Let]()
        invariant: list[bool] = []
        reached = True  # by every run of the first iteration
        for let in body.lets:
            for part in self.divided(let, varying) if reached else (let,):
                same = reached and self.same(part, varying)
                invariant.append(same)
                lets.append(part)
                if not same:
                    varying.update(part.vars)
            reached = reached and Effect.RAISE not in self.effects(let.op)
        moved = _needed(lets, [
            same and isinstance(let.op, Build | Sum_ | Loop)
            for let, same in zip(lets, invariant, strict=True)
        ])  # fmt: skip
        if not any(moved) and not any(isinstance(let.op, Loop) for let in lets):
            return op
        before = [let for let, goes in zip(lets, moved, strict=False) if goes]
        stay = [let for let, goes in zip(lets, moved, strict=False) if not goes]
        rest = Block(tuple(stay), body.results)
        if before:
            self.if_any(op, before, rest, out)
        return map_blocks(op, lambda _: rest)

    def same(self, let: Let, varying: set[Var]) -> bool:
        """Whether the let gives the same in every iteration, and may run before them."""
        return (
            varying.isdisjoint(free_variables_of(let.op))
            and self.effects.is_pure(let.op)
            and all(_may_be_kept(v.type) for v in let.vars)
            and self.updated.isdisjoint(let.vars)  # each iteration needs one of its own
        )

    def if_any(
        self, op: Build | Sum_ | Loop, before: list[Let], rest: Block, out: list[Let]
    ) -> None:
        """Emit the lets if the loop has a first iteration; otherwise nothing that is read, of the
        same extents where these are known."""
        extents = [n for _, n in loop_indices(op)]
        unsure = [n for n in extents if not (isinstance(n, Lit) and int(n.value) > 0)]
        if not unsure:
            out.extend(before)
            return
        b = Builder()
        conds = [b.prim("gt", n, i64(0)) for n in unsure]
        cond = conds[0]
        for other in conds[1:]:
            cond = b.prim("and", cond, other)
        used = _read_by(rest.lets) | {a for a in rest.results if isinstance(a, Var)}
        found = tuple(v for let in before for v in let.vars if v in used)
        then = refresh(Block(tuple(before), found))
        otherwise = Builder()
        inside = {v for let in before for v in let.vars}
        known = {
            v: let.op.extents for let in before for v in let.vars
            if isinstance(let.op, Build) and inside.isdisjoint(let.op.extents)
        }  # fmt: skip
        nothing = tuple(_unread(otherwise, v.type, known.get(v)) for v in found)
        out.extend(b.lets)
        out.append(Let(found, If(cond, then, otherwise.block(nothing))))

    # --- loops of which a part is the same ----------------------------------------------------

    def divided(self, let: Let, varying: set[Var]) -> Sequence[Let]:
        """Return the loop as one whose results do not depend on ``varying`` variables, and the
        rest."""
        op = let.op
        if isinstance(op, Loop):
            return (Let(let.vars, self.inside(op, varying), let.site),)
        if not isinstance(op, Inner) or not self.is_fixed(op, varying):
            return (let,)
        if varying.isdisjoint(free_variables_of(op)):
            return (let,)
        depends = set(varying)
        lets: list[Let] = []
        same: list[bool] = []
        for x in op.body.lets:
            for part in self.divided(x, depends):
                here = self.same(part, depends)
                lets.append(part)
                same.append(here)
                if not here:
                    depends.update(part.vars)
        return self.parts(let, op, _Body(lets, same, depends)) or (let,)

    def inside(self, op: Loop, varying: set[Var]) -> Loop:
        """Return a sequential loop in which loops are divided: the part that is the same in all
        lanes is then done once (``lower/lanes.py``)."""
        depends = set(varying)
        carried = _varying_states(op, depends)
        if len(carried) == len(op.carried):
            return op
        depends.update(carried)
        lets: list[Let] = []
        for x in op.body.lets:
            for part in self.divided(x, depends):
                lets.append(part)
                _spread((part,), depends)
        body = Block(tuple(lets), op.body.results)
        return Loop(op.count, op.index, op.carried, op.inits, body)

    def is_fixed(self, op: Inner, varying: set[Var]) -> bool:
        """Whether its iterations are the same."""
        return varying.isdisjoint(a for a in op.extents if isinstance(a, Var))

    def parts(self, let: Let, op: Inner, body: _Body) -> Sequence[Let] | None:
        """The invariant loops, and the rest; None: there are none that are worth it."""
        results = op.body.results
        fixed = [not (isinstance(a, Var) and a in body.depends) for a in results]
        worth = [
            k for k, a in enumerate(results)
            if fixed[k] and isinstance(a, Var) and let.vars[k] not in self.updated
        ]  # fmt: skip
        rest = [k for k in range(len(results)) if k not in worth]
        heavy = body.heavy()
        kept = [
            v for v in body.read_by_the_rest([results[k] for k in rest])
            if v in heavy and v not in self.updated and _may_be_kept(v.type)
        ]  # fmt: skip
        if not kept and not worth:
            return None
        out: list[Let] = []
        done = {let.vars[k]: results[k] for k in worth}
        if worth and isinstance(op, Sum_):
            wanted = tuple(done.values())
            out.append(Let(tuple(done), _same_loop(op, body.slice(wanted), wanted), let.site))
            done = {}
        reads: list[Let] = []
        for rows in body.rows(op, kept, done):
            out.append(rows.let(let.site))
            reads.extend(rows.reads)
        wanted = tuple(results[k] for k in rest)
        lets = (*reads, *body.rest(wanted, set(kept)))
        if rest or any(not self.effects.is_pure(x.op) for x in lets):
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


class _Body:
    """The lets of a loop: which are ``same`` in all iterations of the loop around it, and what
    ``depends`` on these."""

    def __init__(self, lets: list[Let], same: list[bool], depends: set[Var]) -> None:
        self.lets = lets
        self.same = same
        self.depends = depends

    def heavy(self) -> set[Atom]:
        """The variables that do not depend, and cost more than a read."""
        found: set[Atom] = set()
        for let, same in zip(self.lets, self.same, strict=False):
            if same and (_is_heavy(let.op) or not found.isdisjoint(free_variables_of(let.op))):
                found.update(let.vars)
        return found

    def read_by_the_rest(self, results: Sequence[Atom]) -> list[Var]:
        """The invariant variables that the others read, or that are among these results."""
        marked = zip(self.lets, self.same, strict=True)
        fixed = [v for let, same in marked if same for v in let.vars]
        read = _read_by([let for let, same in zip(self.lets, self.same, strict=False) if not same])
        return [v for v in fixed if v in read or v in results]

    def slice(self, wanted: Sequence[Atom]) -> list[Let]:
        """The invariant lets that these are computed by."""
        need = {a for a in wanted if isinstance(a, Var)}
        marks = [not need.isdisjoint(let.vars) for let in self.lets]
        needed = zip(self.lets, _needed(self.lets, marks), strict=True)
        return [let for let, goes in needed if goes]

    def slice_block(self, wanted: Sequence[Atom]) -> Block:
        return Block(tuple(self.slice(wanted)), tuple(wanted))

    def rows(
        self, op: Inner, kept: Sequence[Var], done: dict[Var, Atom]
    ) -> Iterator[_Rows]:
        """What keeps these values for all iterations: numbers, and arrays of one extent in all
        iterations as one array of higher rank. ``done``: results of the loop that are kept anyway.
        """
        whole = list(kept)
        for let, same in zip(self.lets, self.same, strict=True):
            found = [v for v in let.vars if v in kept]
            if same and found and isinstance(let.op, Build):
                made = self.in_one(op, let.op)
                if made is not None:
                    whole = [v for v in whole if v not in found]
                    results = tuple(made.body.results[let.vars.index(v)] for v in found)
                    body = Block(made.body.lets, results)
                    yield _Rows(op, found, Build(made.extents, made.indices, body))
        if whole or done:
            block = self.slice_block((*done.values(), *whole))
            yield _Rows(op, whole, Build(op.extents, op.indices, block), tuple(done))

    def in_one(self, op: Inner, inner: Build) -> Build | None:
        """The elements of the arrays that all iterations build, as one loop; None: they have
        different extents, or share work."""
        bound = {v for let in self.lets for v in let.vars}.union(op.indices)
        if not bound.isdisjoint(inner.extents):
            return None
        before = self.slice([v for v in free_variables_of(inner) if v in bound])
        if any(_is_heavy(let.op) for let in before) or len(before) > MOST_CHEAP:
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
        goes = _needed(self.lets, marks, kept)
        return [let for let, stays in zip(self.lets, goes, strict=False) if stays]


def _spread(lets: Sequence[Let], depends: set[Var]) -> None:
    """Add the variables that depend on those of the set."""
    for let in lets:
        op = let.op
        extents = op.extents if isinstance(op, Inner) else ()
        if isinstance(op, Inner) and depends.isdisjoint(a for a in extents if isinstance(a, Var)):
            _spread(op.body.lets, depends)
            results = zip(let.vars, op.body.results, strict=True)
            depends.update(v for v, a in results if a in depends)
        elif not depends.isdisjoint(free_variables_of(op)):
            depends.update(let.vars)


def _varying_states(op: Loop, varying: set[Var]) -> set[Var]:
    """The carried variables that depend on these."""
    found = {c for c, a in zip(op.carried, op.inits, strict=True) if a in varying}
    size = -1
    while size != len(found):
        size = len(found)
        depends = varying | found
        _spread(op.body.lets, depends)
        pairs = zip(op.carried, op.body.results, strict=False)
        found.update(c for c, a in pairs if a in depends)
    return found


def _is_heavy(op: Op) -> bool:
    """Whether the op is worth an array: a loop, or a call of a function of a number."""
    return isinstance(op, Build | Sum_ | Loop) or (
        isinstance(op, Prim) and (work_of(op) is Work.FUNCTION or op.name in LONG)
    )


LONG = frozenset({"div", "sqrt"})
"""Single instructions that take several times as long as a read."""


def _read_by(lets: Sequence[Let]) -> set[Var]:
    return {v for let in lets for v in free_variables_of(let.op)}


def _needed(
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


def _same_loop(op: Inner, lets: Sequence[Let], results: Sequence[Atom]) -> Op:
    """A loop of the same kind and extents with another body."""
    return refresh_loop(type(op)(op.extents, op.indices, Block(tuple(lets), tuple(results))))


def refresh_loop(op: Inner) -> Op:
    """The loop with new names for all that is bound in it."""
    fresh = tuple(Var(i.name, i.type) for i in op.indices)
    body = refresh(op.body, dict(zip(op.indices, fresh, strict=False)))
    return type(op)(op.extents, fresh, body)


def _unread(b: Builder, t: Type, extents: tuple[Atom, ...] | None) -> Atom:
    """Zero, or an array of a single cell with these extents, or of no elements."""
    if not isinstance(t, Array):
        return lit(0, t)
    count = i64(1 if extents else 0)
    indices = tuple(Var("i", I64) for _ in range(t.rank))
    body = Builder()
    zeros = body.block((_unread(body, t.elem, None),))
    (made,) = b.let(Build(tuple(count for _ in indices), indices, zeros), (t,))
    return b.prim("broadcast", made, *extents) if extents else made


__all__ = ["hoist_loops"]
