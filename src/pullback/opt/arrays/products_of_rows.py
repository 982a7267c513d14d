"""A matrix times a row that each round of a parallel loop makes: a product of matrices.

    sum i < n.                                      p = build i < n, k < l. f(i, k)
      ... build j < m.                              r = product p y
        e(sum k < l. f(i, k) y[k, j])        ==>    sum i < n. ... build j < m. e(r[i, j])

The loop is divided: before the product stands what makes the rows, behind it the rest. (Attention
of one query after the other, the second layer of a network for each example.) The program has both
forms, as for the products of ``contractions.py``: at run time the product must be large, the matrix
not tiny, and the rows must fit. Numbers and rows that the rest reads too are kept beside the rows.
Nothing is divided where both parts may raise, since another error could come first.
"""

from __future__ import annotations

from pullback.core.build import Builder, i64, lit
from pullback.core.effects import Effect, EffectsOf, may_duplicate
from pullback.core.frozen import dataclass, field
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Function,
    If,
    Index,
    Let,
    Op,
    Prim,
    Program,
    Sum_,
    Var,
)
from pullback.core.thresholds import LIMITS
from pullback.core.traverse import (
    all_lets,
    defined,
    free_variables_of,
    map_blocks,
    map_functions,
    refresh,
)
from pullback.core.types import F64, I64, Array, Bool, Int, Real
from pullback.opt.arrays.build_flattening import flattened
from pullback.opt.arrays.contractions import MOST, Nest, Product, has_directions, joined

MOST_LETS = 120
"""A loop with more lets does not stand in two forms."""

MOST_PRODUCTS = 3
"""So many products are taken out of one loop."""

MOST_KEPT = 3
"""So many values of each round are kept beside the rows."""

LEAST = 400
"""The elements of a matrix that is worth while: smaller ones stay in registers and lanes."""


def multiply_rows(program: Program) -> Program:
    """Return the program with such loops divided at products of matrices."""
    walk = _Walk(EffectsOf(program), not has_directions(program))

    def function(f: Function) -> Function:
        if walk.deep or f.name == program.main:
            walk.defs = {v: let.op for let in all_lets(f.body) for v in let.vars}
            return Function(f.name, f.params, walk.block(f.body), f.results)
        return f

    return map_functions(program, function)


@dataclass(frozen=True, slots=True)
class _Place:
    """The sum over k in a build or sum over j that contracts a row and a matrix. ``row``: the lets
    that make an element of the row; ``rest``: the read of the matrix and the product."""

    at: int  # of the build or sum, among the lets of the loop
    inside: int  # of the sum, among its lets
    total: Let
    k: Var
    j: Var
    count: Atom
    width: Atom
    factor: Var
    row: tuple[Let, ...]
    rest: tuple[Let, ...]


@dataclass(frozen=True, slots=True)
class _Parts:
    """The places of the lets of a round that go before the product, and of those that stay; what is
    done in both, and what the rest reads of the first part."""

    before: list[int]
    stay: list[int]
    again: list[int]
    kept: list[Var]


@dataclass
class _Walk:
    """``deep``: whether to look into loops and functions, too."""

    effects: EffectsOf
    deep: bool
    defs: dict[Var, Op] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        b = Builder()
        for let in block.lets:
            if isinstance(let.op, (Build, Sum_)):
                b.lets += self.loop(let, let.op)
            elif self.deep or isinstance(let.op, If):
                b.lets.append(Let(let.vars, map_blocks(let.op, self.block), let.site))
            else:
                b.lets.append(let)
        return b.block(block.results)

    def loop(self, let: Let, op: Build | Sum_) -> list[Let]:
        """Return the loop in both forms, or as it is."""
        if not _may_have(op) or sum(1 for _ in all_lets(op.body)) > MOST_LETS:
            return [let]
        b, large = Builder(), Builder()
        now, tests = op, list[Var]()
        for _ in range(MOST_PRODUCTS):
            divided = self.divided(now, large)
            if divided is None:
                break
            now, product, place = divided
            tests += self.tests(b, product, place, op.extents)
        if not tests:
            return [let]
        large.lets.append(Let(let.vars, now, let.site))
        arms = refresh(flattened(large.block(let.vars))), refresh(Block((let,), let.vars))
        b.lets.append(Let(let.vars, If(joined(b, "and", tests), *arms), let.site))
        return b.lets

    def tests(
        self, b: Builder, product: Product, place: _Place, extents: tuple[Atom, ...]
    ) -> list[Var]:
        """Emit the tests whether the product is worth while."""
        fit, size = product.tests(b)
        rounds = extents[0]
        for n in extents[1:]:
            rounds = b.prim("mul", rounds, n)
        matrix = b.prim("mul", place.count, place.width)
        kept = b.prim("mul", rounds, b.prim("max", place.count, place.width))
        most = b.prim("le", kept, i64(MOST))
        least = min(LEAST, LIMITS.product)
        return [fit, size, b.prim("ge", matrix, i64(least)), most]

    def divided(
        self, op: Build | Sum_, b: Builder
    ) -> tuple[Build | Sum_, Product, _Place] | None:
        """Emit the first part of a loop and the product; return the rest and the product. Nothing
        is emitted where it is None."""
        inside = defined(op.body) | {*op.indices}
        if not inside.isdisjoint(op.extents):
            return None
        for place in _places(op, inside):
            parts = self.parts(op, place)
            if parts is None:
                continue
            rows = Var("p", Array(F64, len(op.indices) + 1))
            product = self.product(op, place, rows)
            if product is not None:
                kept = self.first(op, place, parts, rows, b)
                product.multiply(b)
                return self.last(op, place, parts, product.matrix, kept), product, place
        return None

    def parts(self, op: Build | Sum_, place: _Place) -> _Parts | None:
        """Divide the lets of a round; None if that cannot be done."""
        lets = op.body.lets
        if any(not self.effects(let.op) <= {Effect.RAISE} for let in lets) or any(
            self.effects(let.op) for let in place.row
        ):
            return None
        before = self.before(lets, place)
        stay = [k for k in range(len(lets)) if k not in before]
        raising = [Effect.RAISE in self.effects(let.op) for let in lets]
        if place.at in before or (
            any(raising[k] for k in before) and any(raising[k] for k in stay)
        ):
            return None
        made = {v: k for k, let in enumerate(lets) for v in let.vars}
        again, kept = self.crossing(op, place, before, stay)
        fits = all(_may_be_kept(v, lets[made[v]].op, made) for v in kept)
        if not fits or len(kept) > MOST_KEPT:
            return None
        return _Parts(sorted(before), stay, again, kept)

    def before(self, lets: tuple[Let, ...], place: _Place) -> set[int]:
        """What the row reads, and what may raise before; what may raise behind it too, as far as it
        reads nothing that is made of the product."""
        made = {v: k for k, let in enumerate(lets) for v in let.vars}
        raising = [k for k, let in enumerate(lets) if Effect.RAISE in self.effects(let.op)]

        def read(found: set[int], wanted: set[Var]) -> set[int]:
            """The places of what makes these variables."""
            found = {*found}
            while wanted:
                k = made.get(wanted.pop())
                if k is not None and k not in found:
                    found.add(k)
                    wanted |= {*free_variables_of(lets[k].op)}
            return found

        before = read(set(), {v for let in place.row for v in free_variables_of(let.op)})
        last = max(before, default=-1)
        early = [k for k in raising if k < last]
        for k in raising if early or any(k in before for k in raising) else ():
            more = read({*before, k}, {*free_variables_of(lets[k].op)})
            if k in early or place.at not in more:
                before = more
        return before

    def crossing(
        self, op: Build | Sum_, place: _Place, before: set[int], stay: list[int]
    ) -> tuple[list[int], list[Var]]:
        """What the rest does again, as it is cheap, and the other values that it reads."""
        lets = op.body.lets
        made = {v: k for k in before for v in lets[k].vars}
        read = [v for k in stay if k != place.at for v in free_variables_of(lets[k].op)]
        x = lets[place.at].op
        assert isinstance(x, (Build, Sum_))
        read += [v for v in free_variables_of(_without_row(x, place)) if v in made]
        read += [v for v in op.body.results if isinstance(v, Var)]
        again: set[int] = set()
        kept: dict[Var, None] = {}
        while read:
            v = read.pop()
            if v not in made or made[v] in again:
                continue
            if may_duplicate(lets[made[v]].op):
                again.add(made[v])
                read += free_variables_of(lets[made[v]].op)
            else:
                kept[v] = None
        return sorted(again), list(kept)

    def product(self, op: Build | Sum_, place: _Place, rows: Var) -> Product | None:
        """The product of the rows and the matrix, if it is one."""
        lets = (Let((place.factor,), Index(rows, (*op.indices, place.k), False)), *place.rest)
        body = Block(lets, (place.rest[-1].vars[0],))
        total = Let(place.total.vars, Sum_((place.count,), (place.k,), body))
        indices = {v: Var(v.name, I64) for v in (*op.indices, place.j)}
        all_rounds = refresh(Block((total,), total.vars), dict(indices))
        build = Build((*op.extents, place.width), tuple(indices.values()), all_rounds)
        nest = Nest(Let((Var("c", Array(F64, len(indices))),), build), self.defs)
        return nest.products[0] if nest.op is None else None

    def first(
        self, op: Build | Sum_, place: _Place, parts: _Parts, rows: Var, b: Builder
    ) -> dict[Var, Var]:
        """Emit the loop that makes the rows, and what is kept beside them, as arrays."""
        lets = [op.body.lets[k] for k in parts.before]
        row = Var("row", Array(F64, 1))
        element = refresh(Block(place.row, (place.factor,)), {place.k: (k := Var("k", I64))})
        lets.append(Let((row,), Build((place.count,), (k,), element)))
        out = (row, *parts.kept)
        indices = {v: Var(v.name, I64) for v in op.indices}
        body = refresh(Block(tuple(lets), out), dict(indices))
        arrays = tuple(Var(v.name, Array(v.type, len(op.indices))) for v in out)
        b.lets.append(Let(arrays, Build(op.extents, tuple(indices.values()), body)))
        b.lets.append(Let((rows,), Prim("stack", (arrays[0], place.count))))
        kept: dict[Var, Var] = {}
        for v, a in zip(parts.kept, arrays[1:], strict=True):
            if isinstance(v.type, Array):
                made = next(let.op for let in lets if v in let.vars)
                assert isinstance(made, Build)
                a = b.prim("stack", a, *made.extents)
            kept[v] = a
        return kept

    def last(
        self, op: Build | Sum_, place: _Place, parts: _Parts, matrix: Var, kept: dict[Var, Var]
    ) -> Build | Sum_:
        """The rest of the loop, which reads the product."""
        b = Builder()
        for v, a in kept.items():
            if not isinstance(v.type, Array):
                b.lets.append(Let((v,), Index(a, op.indices, False)))
                continue
            for i in op.indices[:-1]:
                a = b.prim("pick", a, i, static=(0,))
            b.lets.append(Let((v,), Prim("pick", (a, op.indices[-1]), (0,))))
        for k in sorted((*parts.again, *parts.stay)):
            let = op.body.lets[k]
            if k == place.at:
                assert isinstance(let.op, (Build, Sum_))
                read = Index(matrix, (*op.indices, place.j), False)
                body = list(let.op.body.lets)
                body[place.inside] = Let(place.total.vars, read, place.total.site)
                inner = Block(tuple(body), let.op.body.results)
                let = Let(let.vars, type(let.op)(let.op.extents, let.op.indices, inner), let.site)
            b.lets.append(let)
        return type(op)(op.extents, op.indices, b.block(op.body.results))


def _may_have(op: Build | Sum_) -> bool:
    """Whether there is a sum in a loop in the loop."""
    return any(
        isinstance(y.op, Sum_)
        for x in op.body.lets if isinstance(x.op, (Build, Sum_)) for y in x.op.body.lets
    )  # fmt: skip


def _places(op: Build | Sum_, inside: set[Var]) -> list[_Place]:
    """The sums that may contract a row of the round and a matrix from outside."""
    found: list[_Place] = []
    for at, x in enumerate(op.body.lets):
        if not isinstance(x.op, (Build, Sum_)) or len(x.op.indices) != 1:
            continue
        (j,), (width,) = x.op.indices, x.op.extents
        own = defined(x.op.body) | {j}
        for k, let in enumerate(x.op.body.lets):
            shifts = [y for y in x.op.body.lets[:k] if _shifts(y)]
            place = _place(at, k, let, (j, width), own, inside, shifts)
            if place is not None:
                found.append(place)
    return found


def _place(
    at: int, k: int, let: Let, axis: tuple[Var, Atom], own: set[Var], inside: set[Var],
    shifts: list[Let],
) -> _Place | None:  # fmt: skip
    """The sum as such a place; ``own``: what each round of the loop over j binds, ``shifts``: what
    it adds to indices."""
    match let.op:
        case Sum_((count,), (index,), Block((*lets, Let((p,), Prim("mul", factors))), (r,))) if (
            r is p and p.type == F64
        ):
            x, y = factors
        case _:
            return None
    if not inside.isdisjoint((count, axis[1])):
        return None
    depends = {*own} - defined(Block((let,), ()))
    row: list[Let] = []
    rest: list[Let] = []
    matrix: Var | None = None
    for one in lets:
        match one.op:
            case Index(Var() as a, at_, False) if matrix is None and a not in inside and not (
                depends.isdisjoint(at_)
            ):
                (matrix,) = one.vars
                rest.append(one)
            case _ if depends.isdisjoint(free_variables_of(one.op)):
                row.append(one)
                continue
            case _ if _shifts(one):
                rest.append(one)
            case _:
                return None
        depends.update(one.vars)
    made = {v for one in row for v in one.vars}
    factor = y if x is matrix else x
    if matrix not in (x, y) or not isinstance(factor, Var) or factor not in made:
        return None
    read = {v for one in rest for v in free_variables_of(one.op)}
    shifts = [one for one in (*shifts, *row) if _shifts(one) and one.vars[0] in read]
    if not made.isdisjoint(read - {one.vars[0] for one in shifts}):
        return None
    rest = [*shifts, *rest, Let((p,), Prim("mul", (x, y)))]
    j, width = axis
    return _Place(at, k, let, index, j, count, width, factor, tuple(row), tuple(rest))


def _shifts(let: Let) -> bool:
    """Whether it may be the index of a slice."""
    return isinstance(let.op, Prim) and let.op.name == "add" and let.vars[0].type == I64


def _without_row(op: Build | Sum_, place: _Place) -> Op:
    """The loop over j as it is when the sum has become a read."""
    body = list(op.body.lets)
    body[place.inside] = Let(place.total.vars, Prim("to_real", (lit(0, I64),), (F64,)))
    return type(op)(op.extents, op.indices, Block(tuple(body), op.body.results))


def _may_be_kept(v: Var, op: Op, made: dict[Var, int]) -> bool:
    """Whether each round may keep the value: a number, or a row of known extent."""
    if isinstance(v.type, (Real, Int, Bool)):
        return True
    is_row = v.type == Array(F64, 1) and isinstance(op, Build)
    return is_row and isinstance(op, Build) and not any(n in made for n in op.extents)


__all__ = ["multiply_rows"]
