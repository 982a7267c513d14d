"""Compute what depends on a few indices of a nest of loops once for these, in front of the nest.

    sum i < n. ... sum r < d. ... sum c < r. let p = c * (2 * d - c - 1) / 2 + r - c ... l[p] ...
        ==>   table = build r < d, c < d. if c < r then c * (2 * d - c - 1) / 2 + r - c else 0
              sum i < n. ... sum r < d. ... sum c < r. ... l[table[r, c]] ...

The outer loop is parallel, and repeats the table. A value is worth a table if it costs more than a
few steps (``WORTH``) and depends on one index, or on two: then only if an array of this size is
there (the nest reads one by both indices), or if the value is an index. So a table is no larger
than the data.

**Checks.** What does not depend on the outer loop fails in its first round or never, so this round
is run once for its errors, in the order of the program; in the loop, and in the tables, such checks
are left out. (The number of rounds of a loop in between may depend on indices of the nest only, and
nothing in branches is looked at.)
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from pullback.core.build import Builder, boolean, i64, lit
from pullback.core.effects import Effect, EffectsOf, Work, is_total, work_of
from pullback.core.frozen import dataclass
from pullback.core.prims import REQUIRE
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
    Sum_,
    Var,
    atoms,
)
from pullback.core.traverse import (
    defined,
    free_variables_of,
    map_blocks,
    refresh,
    substitute,
)
from pullback.core.types import I64, Array, Bool, Int, Real
from pullback.opt.arrays.storage import updated_arrays
from pullback.opt.dce import drop_dead
from pullback.opt.scalar.bounds import loop_indices

WORTH = 6
"""A table is worth a value of so many steps; a division of ints counts ``LONG``, a function of a
number ``FUNCTION``."""

LONG, FUNCTION = 4, 20
MOST_INDICES = 2
SCALARS = Real | Int | Bool
_DIVIDES = frozenset({"floordiv", "mod"})
Depends = frozenset[Var] | None
"""The indices of the nest that a value depends on; None: on anything else that changes."""


def make_tables(program: Program) -> Program:
    """Return the program with such tables."""
    effects, updated = EffectsOf(program), updated_arrays(program)
    tables = _Tables(effects, updated)
    functions = {
        name: Function(f.name, f.params, tables.block(f.body), f.results)
        for name, f in program.functions.items()
    }
    if not tables.found:
        return program
    return drop_dead(Program(functions, program.decls, program.main))


class _Tables:
    """The walk over one function, as far as the outermost parallel loops."""

    def __init__(self, effects: EffectsOf, updated: frozenset[Var]) -> None:
        self.effects = effects
        self.updated = updated
        self.found = False

    def block(self, block: Block) -> Block:
        out: list[Let] = []
        for let in block.lets:
            op = let.op
            if isinstance(op, (Build, Sum_)) and Effect.CALL not in self.effects(op):
                op = _Nest(op, self.updated).with_tables(out)
                self.found = self.found or op is not let.op
            else:
                op = map_blocks(op, self.block)
            out.append(Let(let.vars, op, let.site))
        return Block(tuple(out), block.results)


@dataclass(frozen=True, slots=True)
class _Table:
    """The lets that make it, the array, and where its element is read."""

    lets: list[Let]
    read: Index


class _Nest:
    """One outermost parallel loop: for each variable inside what it depends on, its let, and the
    steps that it costs with all that it needs."""

    def __init__(self, op: Build | Sum_, updated: frozenset[Var]) -> None:
        self.op = op
        self.updated = updated
        self.inside = defined(op.body) | set(op.indices)
        self.depends: dict[Var, Depends] = {}
        self.home: dict[Var, Let] = {}
        self.path: dict[Var, tuple[Var, ...]] = {}
        self.steps: dict[Var, int] = {}
        self.rounds: dict[Var, Atom] = {}
        self.fixed: set[Op] = set()  # what does not depend on the outer loop
        self.wanted: dict[Var, None] = {}
        self.matrices: set[frozenset[Atom]] = set()  # indices by which arrays from outside are read

    def with_tables(self, out: list[Let]) -> Op:
        """The loop that reads tables; the tables, and the first round, go to ``out``."""
        self.look(self.op.body, ())
        if not self.rounds:
            return self.op
        self.choose(self.op.body)
        tables = {v: t for v in self.wanted if (t := self.table(v)) is not None}
        if not tables:
            return self.op
        if not all(map(is_total, self.fixed)):
            out.append(self.first_round(out))
        for table in tables.values():
            out += table.lets
        reads = {v: table.read for v, table in tables.items()}
        return map_blocks(self.op, lambda body: self.rest(body, reads))

    # --- what depends on what ---------------------------------------------------------------------

    def of(self, a: Atom) -> Depends:
        """The indices that an atom depends on."""
        return self.depends.get(a) if isinstance(a, Var) and a in self.inside else frozenset()

    def together(self, some: Iterable[Atom]) -> Depends:
        found: frozenset[Var] = frozenset()
        for a in some:
            one = self.of(a)
            if one is None:
                return None
            found |= one
        return found

    def look(self, block: Block, path: tuple[Var, ...]) -> None:
        """Note what the variables depend on that every round of the loops of the path computes."""
        for let in block.lets:
            op = let.op
            if isinstance(op, (Build, Sum_, Loop)):
                rounds = dict(loop_indices(op))
                if self.together(rounds.values()) is not None:
                    self.rounds.update(rounds)
                    self.depends.update((i, frozenset({i})) for i in rounds)
                    self.look(op.body, (*path, *rounds))
                continue
            if isinstance(op, Index) and op.array not in self.inside:
                self.matrices.add(frozenset(op.indices))
            found = self.together(atoms(op)) if self.may_be_in_table(op) else None
            if found is None:
                continue
            self.fixed.add(op)
            for v in let.vars:
                self.depends[v], self.home[v], self.path[v] = found, let, path
                self.steps[v] = _steps(op) + sum(self.steps.get(a, 0) for a in _variables(op))

    def may_be_in_table(self, op: Op) -> bool:
        match op:
            case Index(Var() as array, _, _):
                elem = array.type.elem if isinstance(array.type, Array) else None
                return isinstance(elem, SCALARS) and self.updated.isdisjoint((array,))
            case Prim(name, args, _):
                scalar = all(isinstance(a.type, SCALARS) for a in args)
                known = is_total(op) or name in _CHECKED or name in REQUIRE
                return scalar and known and work_of(op) is not Work.MORE
            case _:
                return False

    def indices(self, v: Var) -> list[Var] | None:
        """The indices of a table of the value: those that it depends on, and those on which the
        numbers of rounds of these loops depend, the outer first."""
        found = self.depends.get(v)
        if found is None:
            return None
        size = -1
        while size != len(found):
            size = len(found)
            more = self.together(self.rounds[i] for i in found)
            if more is None:
                return None
            found |= more
        if size == 1 or (
            size == MOST_INDICES and (isinstance(v.type, Int) or frozenset(found) in self.matrices)
        ):
            return [i for i in self.path[v] if i in found]
        return None

    def choose(self, block: Block) -> None:
        """Note the values that are worth a table, and are read by what cannot be in one."""
        read: list[Atom] = list(block.results)
        for let in block.lets:
            if let.op in self.fixed:
                tabled = bool(let.vars) and self.indices(let.vars[0]) is not None
                read += () if tabled or not let.vars else atoms(let.op)
            elif isinstance(let.op, (Build, Sum_, Loop)):
                self.choose(let.op.body)
            else:
                read += free_variables_of(let.op)
        for a in read:
            if isinstance(a, Var) and self.steps.get(a, 0) >= WORTH and self.indices(a):
                self.wanted[a] = None

    # --- tables -----------------------------------------------------------------------------------

    def table(self, v: Var) -> _Table | None:
        indices = self.indices(v)
        assert indices is not None
        bounds = [self.upper(self.rounds[i]) for i in indices]
        others = [self.rounds[i] for i in self.path[v] if i not in indices]
        if None in bounds or any(n in self.inside for n in others):
            return None
        before, inner, guarded = Builder(), Builder(), Builder()
        fresh = {i: Var(i.name, I64) for i in indices}
        extents = [n for n in bounds if n is not None]
        for n in (*self.op.extents, *others):
            if not isinstance(n, Lit):
                some = before.prim("gt", n, i64(0))
                extents[0] = before.prim("select", some, extents[0], i64(0))
        done: dict[Var, Atom] = dict(fresh)
        conds = [
            inner.prim("lt", fresh[i], self.copied(self.rounds[i], done, inner))
            for i in indices if self.rounds[i] in self.inside
        ]  # fmt: skip
        b = guarded if conds else inner
        result = self.copied(v, done, b)
        if conds:
            cond = conds[0]
            for other in conds[1:]:
                cond = inner.prim("and", cond, other)
            nothing = Block((), (lit(0, v.type),))
            (result,) = inner.let(If(cond, guarded.block((result,)), nothing), (v.type,))
        build = Build(tuple(extents), tuple(fresh.values()), inner.block((result,)))
        (array,) = before.let(build, (Array(v.type, len(indices)),), self.home[v].site, ("table",))
        return _Table(before.lets, Index(array, tuple(indices), False))

    def upper(self, n: Atom) -> Atom | None:
        """A number of rounds that exists before the nest, and is not smaller."""
        if not isinstance(n, Var) or n not in self.inside:
            return n
        if n in self.rounds:
            return self.upper(self.rounds[n])
        match self.home[n].op if n in self.home else None:
            case Prim("add", (Var() as i, one)) if i in self.rounds and one == i64(1):
                return self.upper(self.rounds[i])
            case Prim("sub", (whole, part)) if whole not in self.inside and self.natural(part):
                return whole
            case _:
                return None

    def natural(self, a: Atom) -> bool:
        """Whether it is an index, or one more."""
        if a in self.rounds:
            return True
        op = self.home[a].op if isinstance(a, Var) and a in self.home else None
        match op:
            case Prim("add", (i, one)):
                return i in self.rounds and one == i64(1)
            case _:
                return False

    def copied(self, a: Atom, done: dict[Var, Atom], b: Builder) -> Atom:
        """The value once more, without checks."""
        if not isinstance(a, Var) or a not in self.inside:
            return a
        if a not in done:
            let = self.home[a]
            names = {x: self.copied(x, done, b) for x in _variables(let.op)}
            (found,) = _unchecked(let, names, b, [done.get(i, i) for i in self.rounds])
            done[a] = found
        return done[a]

    # --- the loop ---------------------------------------------------------------------------------

    def first_round(self, out: list[Let]) -> Let:
        """The first round, for its errors."""
        b = Builder()
        cond: Atom = boolean(True)
        for n in self.op.extents:
            cond = b.prim("and", cond, b.prim("gt", n, i64(0)))
        out += b.lets
        body = refresh(self.op.body, dict.fromkeys(self.op.indices, i64(0)))
        return Let((), If(cond, Block(body.lets, ()), Block((), ())))

    def rest(self, block: Block, reads: dict[Var, Index]) -> Block:
        """The body without what is in tables, and without the checks of the first round."""
        b = Builder()
        names: dict[Var, Atom] = {}
        for let in block.lets:
            if let.vars and let.vars[0] in reads:
                b.lets.append(Let(let.vars, reads[let.vars[0]], let.site))
            elif let.op not in self.fixed:
                op = map_blocks(let.op, lambda inner: self.rest(inner, reads))
                b.lets.append(Let(let.vars, op, let.site))
            elif is_total(let.op):
                b.lets.append(let)
            elif let.vars:
                (names[let.vars[0]],) = _unchecked(let, {}, b, self.rounds)
        return substitute(b.block(block.results), names)


_CHECKED = frozenset({"add.ck", "sub.ck", "mul.ck", "neg.ck"})


def _variables(op: Op) -> list[Var]:
    return [a for a in atoms(op) if isinstance(a, Var)]


def _steps(op: Op) -> int:
    if isinstance(op, Prim) and op.name in _DIVIDES:
        return LONG
    return FUNCTION if work_of(op) is Work.FUNCTION else 1


def _unchecked(
    let: Let, names: dict[Var, Atom], b: Builder, natural: Container[Atom]
) -> tuple[Atom, ...]:
    """The results of a let that does not fail; indices that are ``natural`` are no distances from
    the end."""

    def now(a: Atom) -> Atom:
        return names.get(a, a) if isinstance(a, Var) else a

    match let.op:
        case Index(array, indices, checked):
            at: list[Atom] = []
            for k, i in enumerate(map(now, indices)):
                if checked and not (isinstance(i, Lit) and i.value >= 0) and i not in natural:
                    wrapped = b.prim("add", i, b.dim(array, k))
                    i = b.prim("select", b.prim("lt", i, i64(0)), wrapped, i)
                at.append(i)
            return (b.index(array, tuple(at), False, let.site),)
        case Prim(name, args, static):
            args = tuple(now(a) for a in args)
            return (b.prim(name.removesuffix(".ck"), *args, static=static, site=let.site),)
        case _:
            raise TypeError(type(let.op))
