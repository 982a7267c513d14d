"""A table that is a list of equal rows becomes one array, and its rows numbers in it.

    t = build i < n. (build j < m. e)          T = build i < n, j < m. e;  p = build i < n. i
    ... t[i] ...                         ==>   p[i]
    ... t[i][j] ...                            T[p[i], j]
    t[i][j] := v                               T[p[i], j] := v
    t[i] := t[k]                               p[i] := p[k]

So exchanging two rows takes the time of two numbers, as before, but an element is found without
reading where its row is, and all elements have one accumulator. What is true of rows is true of
their numbers: they are in one place each where an element is updated (``convert/roots.py``).
"""

from __future__ import annotations

from pullback.core.build import Builder
from pullback.core.consumption import is_inside
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Case,
    CaseArm,
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
    Update,
    Var,
    While,
)
from pullback.core.traverse import map_blocks, map_functions, refresh
from pullback.core.types import I64, Array
from pullback.opt.arrays.table_uses import Table, steps, tables_of


def number_rows(program: Program) -> Program:
    """Return the program with one array, and row numbers, instead of each table."""
    return map_functions(program, _function)


def _function(f: Function) -> Function:
    while (table := next(tables_of(f), None)) is not None:
        f = Function(f.name, f.params, _Rows(table).block(f.body), f.results)
    return f


class _Rows:
    """The walk over a function.

    now      the array, as it is at this place
    numbers  for each version of the table, the numbers of its rows
    row      for each row, its number
    known    numbers that were read in this block or around it
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        made = table.made.vars[table.at]
        assert isinstance(made.type, Array) and isinstance(made.type.elem, Array)
        self.now = Var(made.name, Array(made.type.elem.elem, 2))
        self.numbers: dict[Atom, Var] = {}
        self.row: dict[Atom, Var] = {}
        self.known: dict[tuple[Var, Var | int], Var] = {}

    def block(self, block: Block, parts: tuple[bool, bool] = (False, False)) -> Block:
        """Return the block, in which the results that are versions are replaced by array and
        numbers."""
        outer, self.known = self.known, dict(self.known)
        b = Builder()
        for let in block.lets:
            self.let(let, b)
        self.known = outer
        out: list[Atom] = []
        for r in block.results:
            out.extend(self.parts(r, parts) if r in self.numbers else (r,))
        return b.block(tuple(out))

    def parts(self, version: Atom, parts: tuple[bool, bool]) -> tuple[Var, ...]:
        """Return the present array and the numbers, those of the two that are asked for."""
        both = (self.now, self.numbers[version])
        return tuple(v for v, wanted in zip(both, parts, strict=True) if wanted)

    def let(self, let: Let, b: Builder) -> None:
        if let is self.table.made:
            self.make(let, b)
            return
        versions, rows = self.table.versions, self.table.rows
        op = let.op
        match op:
            case Index(a, (i,), checked) if a in versions:
                self.row[let.vars[0]] = self.number(a, i, checked, let.site, b)
                return
            case Index(a, idx, checked) if a in rows:
                op = Index(self.now, (self.row[a], *idx), checked)
            case Prim("dim", (a,), static) if a in versions:
                op = Prim("dim", (self.numbers[a],), static)
            case Prim("dim", (a,), _) if a in rows:
                op = Prim("dim", (self.now,), (1,))
            case Update(a, _, _, _) if a in versions:
                self.update(let, op, b)
                return
            case If() | Case() | Loop() | While() if any(v in versions for v in let.vars):
                self.handed_on(let, op, b)
                return
            case _:
                op = map_blocks(op, self.block)
        b.lets.append(Let(let.vars, op, let.site))

    def make(self, let: Let, b: Builder) -> None:
        """Emit the array, the numbers 0, 1, ..., and the other results of the build."""
        assert isinstance(let.op, Build)
        (n,), (i,), body = let.op.extents, let.op.indices, let.op.body
        table, at = let.vars[self.table.at], self.table.at
        row = next(x for x in body.lets if body.results[at] in x.vars)
        assert isinstance(row.op, Build)
        outside = steps(body, row.op.extents) or ()  # of the extent of the rows
        b.lets.extend(outside)
        body = Block(tuple(x for x in body.lets if x not in outside), body.results)
        rest = tuple(v for v in let.vars if v is not table)
        if rest:
            k = Var(i.name, I64)
            results = tuple(r for j, r in enumerate(body.results) if j != at)
            others = refresh(Block(steps(body, results) or (), results), {i: k})
            b.lets.append(Let(rest, Build((n,), (k,), others), let.site))
        rows = Var(table.name, table.type)
        made = Build((n,), (i,), Block(body.lets, (body.results[at],)))
        b.lets.append(Let((rows,), made, let.site))
        b.lets.append(Let((self.now,), Prim("stack", (rows,))))
        k = Var("i", I64)
        (self.numbers[table],) = b.let(
            Build((n,), (k,), Block((), (k,))), (Array(I64, 1),), names=("p",)
        )

    def number(
        self, version: Atom, i: Atom, checked: bool, site: Site | None, b: Builder
    ) -> Var:
        """Return the number of the row in a place."""
        p = self.numbers[version]
        key = (p, int(i.value) if isinstance(i, Lit) else i)
        if key not in self.known:
            (self.known[key],) = b.let(Index(p, (i,), checked), (I64,), site, ("r",))
        return self.known[key]

    def update(self, let: Let, op: Update, b: Builder) -> None:
        """Update an element of a row, or replace a row by the number of another one."""
        if is_inside(op):
            i, j = op.indices
            r = self.number(op.array, i, False, let.site, b)
            (self.now,) = b.let(
                Update(self.now, (r, j), op.value, op.checked), (self.now.type,), let.site
            )
            self.numbers[let.vars[0]] = self.numbers[op.array]
        else:
            p = self.numbers[op.array]
            given = Update(p, op.indices, self.row[op.value], op.checked)
            (self.numbers[let.vars[0]],) = b.let(given, (p.type,), let.site, ("p",))

    def handed_on(self, let: Let, op: If | Case | Loop | While, b: Builder) -> None:
        """Rewrite a branch or loop with versions among its results: it returns the parts that
        change in it."""
        at = next(k for k, v in enumerate(let.vars) if v in self.table.versions)
        parts = (self.table.inside(let), self.table.exchanged(let))
        before = self.now
        new: Op
        match op:
            case If(cond, then, orelse):
                first = self.arm(then, before, parts)
                new = If(cond, first, self.arm(orelse, before, parts))
                old = self.numbers[then.results[at]]
            case Case(scrutinee, arms):
                done = [CaseArm(a.fields, self.arm(a.body, before, parts)) for a in arms]
                new = Case(scrutinee, tuple(done))
                old = self.numbers[arms[0].body.results[at]]
            case Loop(_, _, carried, inits, _) | While(carried, inits, _, _):
                old = self.numbers[inits[at]]
                start = self.parts(inits[at], parts)
                mine = self.fresh(parts, carried[at], old)
                some = (*carried[:at], *mine, *carried[at + 1 :])
                given = (*inits[:at], *start, *inits[at + 1 :])
                new = self.loop(op, some, given, parts)
        self.now = before
        out = self.fresh(parts, let.vars[at], old)
        b.lets.append(Let((*let.vars[:at], *out, *let.vars[at + 1 :]), new, let.site))

    def arm(self, block: Block, before: Var, parts: tuple[bool, bool]) -> Block:
        """Return an arm of a branch, rewritten."""
        self.now = before
        return self.block(block, parts)

    def fresh(self, parts: tuple[bool, bool], version: Var, old: Var) -> tuple[Var, ...]:
        """Bind fresh names for the parts that change, which belong to a version from here on."""
        self.numbers[version] = Var("p", Array(I64, 1)) if parts[1] else old
        self.now = Var(self.now.name, self.now.type) if parts[0] else self.now
        return self.parts(version, parts)

    def loop(
        self, op: Loop | While, carried: tuple[Var, ...], inits: tuple[Atom, ...],
        parts: tuple[bool, bool],
    ) -> Loop | While:
        if isinstance(op, Loop):
            return Loop(op.count, op.index, carried, inits, self.block(op.body, parts))
        cond = self.block(op.cond)
        return While(carried, inits, cond, self.block(op.body, parts))

