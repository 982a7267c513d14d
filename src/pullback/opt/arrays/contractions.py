"""Sums of products over two free indices are matrix products, which BLAS multiplies above a size.

    build i < n, j < m.                    if n m k is large and x is n by k, y k by m
      s = sum l < k. x[i, l] y[l, j]  ==>    then c = product x y; build i < n, j < m. e(c[i, j])
      e(s)                                   else build i < n, j < m. ... sum l < k. ...

It does not matter how the product was written: ``@``, ``einsum``, loops and comprehensions have
become builds and sums; the factors may be slices. Their adjoints are products again
(``core/prims_linear.py``). Every block is looked at, of functions, sequential loops and branches,
but none inside of a parallel loop: many small products side by side run in lanes. Where each of
those of a nest is large, they are a stack. The directions of a Jacobian or a Hessian run in lanes
too: where derivatives are taken in a parallel loop, only the straight code of main is looked at.

A register tile and a blocked cache make a product of 512 by 512 twenty times as fast as lanes over
its columns; below ``Limits.product`` multiplications the call and the copies cost more than they
gain. What the program makes of the elements one by one (``tanh(x @ w + b)``) stands in both arms,
so that it is fused with the sums of small matrices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from pullback.core.build import Builder, lit
from pullback.core.effects import Effect, EffectsOf, may_duplicate
from pullback.core.frozen import dataclass, field
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    Function,
    If,
    Index,
    Jvp,
    Let,
    Op,
    Prim,
    Program,
    Sum_,
    Var,
    Vjp,
)
from pullback.core.thresholds import LIMITS
from pullback.core.traverse import (
    all_lets,
    defined,
    free_variables_of,
    map_blocks,
    map_functions,
    refresh,
    uses,
)
from pullback.core.types import F64, I64, Array
from pullback.opt.arrays.shapes import same

MOST = 1 << 22
"""A product that is no array of the program takes at most so many elements."""

LEAST = 600
"""The elements of the smaller matrix of each product of a stack: below, loops that make no arrays
of the factors take less time."""

MOST_TWICE = 60
"""So many lets may stand in both arms."""

_MATRIX = Array(F64, 2)

Axes = dict[Var, Atom]
"""The indices of the loops around a place, outer ones first, and their extents."""

Shifts = dict[Var, tuple[Var, Atom]]
"""Variables that are an index and a number that is the same in the whole nest: the index of a
slice."""


def contract(program: Program) -> Program:
    """Return the program with products of large matrices made by BLAS."""
    walk = _Walk(EffectsOf(program), not has_directions(program))

    def function(f: Function) -> Function:
        if walk.deep or f.name == program.main:
            walk.defs = {v: let.op for let in all_lets(f.body) for v in let.vars}
            return Function(f.name, f.params, walk.block(f.body), f.results)
        return f

    return map_functions(program, function)


def has_directions(program: Program) -> bool:
    """Whether derivatives are taken in the rounds of a parallel loop."""
    bodies = [list(all_lets(f.body)) for f in program.functions.values()]
    rounds = (x.op for lets in bodies for let in lets if isinstance(let.op, (Build, Sum_))
              for x in all_lets(let.op.body))  # fmt: skip
    inside = {
        f.name for f, lets in zip(program.functions.values(), bodies, strict=True)
        if any(isinstance(let.op, (Vjp, Jvp)) for let in lets)
    }  # fmt: skip
    return any(
        isinstance(op, (Vjp, Jvp)) or (isinstance(op, Call) and op.function in inside)
        for op in rounds
    )


# --- what is a product ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Factor:
    """A matrix, as it is read: an array, and on each axis an index, and the number from which it
    counts, if there is one; ``rows`` and ``columns`` are the axes of the matrix."""

    array: Atom
    at: tuple[tuple[Atom, Atom | None], ...]
    rows: int
    columns: int

    def view(self, b: Builder, of: Product, rows: Atom, columns: Atom, now: Axes) -> Atom:
        """Emit the matrix, of which the product has so many rows and columns. ``now``: what the
        indices of the other axes are."""
        view = self.array
        for axis, count in ((self.rows, rows), (self.columns, columns)):
            start = self.at[axis][1]
            if start is not None or not of.whole(self.array, axis, count):
                first = lit(0, I64) if start is None else start
                view = b.prim("slice", view, first, count, lit(1, I64), static=(axis,))
        for axis, (i, start) in reversed([*enumerate(self.at)]):
            if axis not in (self.rows, self.columns):
                i = now.get(i, i) if isinstance(i, Var) else i
                i = i if start is None else b.prim("add", i, start)
                view = b.prim("pick", view, i, static=(axis,))
        return b.prim("transpose", view, static=(1, 0)) if self.rows > self.columns else view

    @property
    def turned(self) -> _Factor:
        return _Factor(self.array, self.at, self.columns, self.rows)


@dataclass(frozen=True, slots=True)
class _Contraction:
    """The sum over k of ``left[i, k] right[k, j]``; one for each index of ``batch``."""

    batch: tuple[Var, ...]
    i: Var
    j: Var
    inner: Atom
    left: _Factor
    right: _Factor


@dataclass(frozen=True, slots=True)
class Product:
    """A product, the variable of its matrix, and how it is built where it is small; ``most``: the
    number of elements above which it is not made (0: it is an array of the program anyway)."""

    matrix: Var
    of: _Contraction
    small: Build
    whole: Callable[[Atom, int, Atom], bool]
    most: int = 0

    def tests(self, b: Builder) -> tuple[Var, Var]:
        """Emit the tests whether BLAS may multiply, and whether that is worth while."""
        (*others, n, m), k = self.small.extents, self.of.inner
        size = b.prim("mul", n, m)
        large = b.prim("ge", b.prim("mul", size, k), lit(LIMITS.product, I64))
        if others:
            matrix = b.prim("mul", k, b.prim("min", n, m))
            enough = b.prim("ge", matrix, lit(min(LEAST, LIMITS.product), I64))
            large = b.prim("and", large, enough)
        for count in others:
            size = b.prim("mul", size, count)
        tests = [b.prim("le", size, lit(self.most, I64))] if self.most else []
        tests += [b.prim("gt", extent, lit(0, I64)) for extent in (*others, n, m, k)]
        return joined(b, "and", tests), large

    def multiply(self, b: Builder) -> None:
        """Bind the matrix to the product by BLAS, or to a stack of products: the elements that are
        read are there."""
        if not self.of.batch:
            b.lets.append(Let((self.matrix,), self.product(b, {})))
            return
        now = {v: Var(v.name, I64) for v in self.of.batch}
        each, made = Builder(), Var("c", _MATRIX)
        each.lets.append(Let((made,), self.product(each, {**now})))
        every = Build(self.small.extents[:-2], tuple(now.values()), each.block((made,)))
        many = Var("c", Array(_MATRIX, len(now)))
        b.lets.append(Let((many,), every))
        b.lets.append(Let((self.matrix,), Prim("stack", (many,))))

    def product(self, b: Builder, now: Axes) -> Prim:
        """Emit the factors, and return the product."""
        (*_, n, m), k = self.small.extents, self.of.inner
        left, right = self.of.left, self.of.right
        return Prim("product", (left.view(b, self, n, k, now), right.view(b, self, k, m, now)))

    def either(self, b: Builder, large: Atom) -> None:
        """Bind the matrix to the product by BLAS, or to the build."""
        then, out = Builder(), (self.matrix,)
        self.multiply(then)
        arms = refresh(then.block(out)), refresh(Block((Let(out, self.small),), out))
        b.lets.append(Let(out, If(large, *arms)))


@dataclass
class Nest:
    """A nest of independent loops, which bind the variables ``inside``. ``op`` is the nest that
    reads the matrices of the products, None if it is nothing but the one product. ``defs``: the
    ops of the variables of the function."""

    let: Let
    defs: dict[Var, Op]
    inside: set[Var] = field(default_factory=set)
    shifts: Shifts = field(default_factory=dict)
    products: list[Product] = field(default_factory=list)
    op: Op | None = None

    def __post_init__(self) -> None:
        nest = Block((self.let,), ())
        self.inside = defined(nest)
        for let in all_lets(nest):
            match let.op:
                case Prim("add", (a, c)) if let.vars[0].type == I64:
                    for v, start in ((a, c), (c, a)):
                        if isinstance(v, Var) and v in self.inside and start not in self.inside:
                            self.shifts[let.vars[0]] = v, start
        match self.let.op:
            case Build(extents, indices, Block((*lets, Let((s,), inner)), (r,))) as op if r is s:
                found = self.contraction(inner, dict(zip(indices, extents, strict=True)))
                in_order = found is not None and (*found.batch, found.i, found.j) == indices
                if found and in_order and all(self.shifts.keys() & {*x.vars} for x in lets):
                    self.products.append(Product(self.let.vars[0], found, op, self.whole))
                    return
        assert isinstance(self.let.op, (Build, Sum_))
        self.op = self.loop(self.let.op, {})

    def loop(self, op: Build | Sum_, around: Axes) -> Build | Sum_:
        axes = around | dict(zip(op.indices, op.extents, strict=True))
        lets = tuple(self.inner(let, axes) for let in op.body.lets)
        return type(op)(op.extents, op.indices, Block(lets, op.body.results))

    def inner(self, let: Let, axes: Axes) -> Let:
        found = self.contraction(let.op, axes)
        if found is not None:
            own = (*found.batch, found.i, found.j)
            now = {v: Var(v.name, I64) for v in own}
            c = Var("c", Array(F64, len(own)))
            body = refresh(Block((let,), let.vars), dict(now))
            small = Build(tuple(axes[v] for v in own), tuple(now.values()), body)
            self.products.append(Product(c, found, small, self.whole, MOST))
            return Let(let.vars, Index(c, own, False))
        if isinstance(let.op, (Build, Sum_)):
            return Let(let.vars, self.loop(let.op, axes), let.site)
        return let

    def contraction(self, op: Op, axes: Axes) -> _Contraction | None:
        """Return what a sum contracts, if that is matrices from outside of the nest."""
        if not isinstance(op, Sum_):
            return None
        lets = tuple(x for x in op.body.lets if not self.shifts.keys() & {*x.vars})
        match op.extents, op.indices, lets, op.body.results:
            case (inner,), (k,), (
                Let((x,), Index(_, _, False) as one), Let((y,), Index(_, _, False) as other),
                Let((p,), Prim("mul", factors)),
            ), (r,) if r is p and set(factors) == {x, y} and x is not y:  # fmt: skip
                if x.type != F64 or y.type != F64 or inner in self.inside:
                    return None
                return self.found(inner, one, other, k, axes)
            case _:
                return None

    def found(
        self, inner: Atom, one: Index, other: Index, k: Var, axes: Axes
    ) -> _Contraction | None:
        """Return the contraction over ``k`` of two reads; None if one of them has no index of its
        own, or an index that is neither k nor of a loop around."""
        at = [[self.place(x) for x in read.indices] for read in (one, other)]
        a, c = ({v: axis for axis, (v, _) in enumerate(x) if v in self.inside} for x in at)
        free = [v for v in axes if v in a or v in c]
        rows = [v for v in free if v in a and v not in c]
        columns = [v for v in free if v in c and v not in a]
        once = len(a) + len(c) == sum(v in self.inside for x in at for v, _ in x)
        outside = (one.array, other.array, *(axes[v] for v in free))
        if not (
            once and k in a and k in c and rows and columns and {k, *free} >= {*a, *c}
            and self.inside.isdisjoint(outside)
        ):  # fmt: skip
            return None
        i, j = rows[-1], columns[-1]
        batch = tuple(v for v in free if v not in (i, j))
        left = _Factor(one.array, tuple(at[0]), a[i], a[k])
        right = _Factor(other.array, tuple(at[1]), c[k], c[j])
        if free.index(i) < free.index(j):
            return _Contraction(batch, i, j, inner, left, right)
        return _Contraction(batch, j, i, inner, right.turned, left.turned)

    def place(self, a: Atom) -> tuple[Atom, Atom | None]:
        """Return an index and the number from which it counts."""
        return self.shifts.get(a, (a, None)) if isinstance(a, Var) else (a, None)

    def whole(self, array: Atom, axis: int, count: Atom) -> bool:
        """Whether an axis of an array certainly has so many elements."""
        if isinstance(count, Var) and self.defs.get(count) == Prim("dim", (array,), (axis,)):
            return True
        made = self.defs.get(array) if isinstance(array, Var) else None
        return isinstance(made, Build) and same(made.extents[axis], count)


# --- where it stands ------------------------------------------------------------------------------


@dataclass
class _Walk:
    """``deep``: whether to look into loops and functions, too."""

    effects: EffectsOf
    deep: bool
    defs: dict[Var, Op] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        """Return a block with its products, and those of the blocks inside."""
        block = Block(tuple(x for let in block.lets for x in _lifted(let)), block.results)
        nests = {
            k: nest for k, let in enumerate(block.lets)
            if isinstance(let.op, (Build, Sum_)) and (nest := Nest(let, self.defs)).products
        }  # fmt: skip
        groups = self.groups(block, nests)
        moved = {k for members in groups.values() for k in members}
        b = Builder()
        for k, let in enumerate(block.lets):
            if k in groups:
                self.emit(b, [block.lets[m] for m in groups[k]], [nests.get(m) for m in groups[k]])
            elif k not in moved:
                within = isinstance(let.op, If) or (
                    self.deep and not isinstance(let.op, (Build, Sum_))
                )
                op = map_blocks(let.op, self.block) if within else let.op
                b.lets.append(Let(let.vars, op, let.site))
        return b.block(block.results)

    def groups(self, block: Block, nests: dict[int, Nest]) -> dict[int, list[int]]:
        """Return the places of lets that stand in the same arms, by the last one of each group,
        where they may all stand: nests with products, and builds that read the elements of the
        matrix before them one by one. With a stack of products go the builds that nothing else
        reads, and those that read nothing else of it: where its matrices are small, all these are
        one loop."""
        groups: dict[int, list[int]] = {}
        if not nests:
            return groups
        counts = uses(block)
        made = {v: k for k, let in enumerate(block.lets) for v in let.vars}
        ends: dict[Var, int] = {}
        for k, let in enumerate(block.lets):
            members = [k] if k in nests else []
            may_join = self.may_be_twice([let])
            if members and may_join and any(p.of.batch for p in nests[k].products):
                members = self.with_sources(block, k, made, counts)
            for v in _alone(let.op, counts, ends, nests, groups) if may_join else ():
                together = [*groups[ends[v]], *(members or [k])]
                between = block.lets[min(together) : k]
                if self.may_be_twice([block.lets[m] for m in together]) and not any(
                    Effect.CONSUME in self.effects(x.op) for x in between
                ):
                    del groups[ends[v]]
                    members = sorted(together)
            if members:
                groups[k] = members
                if may_join and len(let.vars) == 1:
                    ends[let.vars[0]] = k
        return groups

    def with_sources(
        self, block: Block, k: int, made: dict[Var, int], counts: Counter[Var]
    ) -> list[int]:
        """The place of a nest, and those of the builds that nothing else reads."""
        members = [k]
        for at in members:
            inside = uses(Block((block.lets[at],), ()))
            for v, n in inside.items():
                source = made.get(v)
                if source is None or n < counts[v] or source in members:
                    continue
                together = [block.lets[m] for m in (*members, source)]
                consumed = any(
                    Effect.CONSUME in self.effects(x.op) for x in block.lets[source:k]
                )
                if isinstance(block.lets[source].op, Build) and not consumed and (
                    self.may_be_twice(together)
                ):
                    members.append(source)
        return sorted(members)

    def may_be_twice(self, lets: list[Let]) -> bool:
        """Whether lets may stand in both arms, and later than they do. (A sum that is the whole
        nest does not: in a branch it would not be merged with its reverse sweep.)"""
        size = sum(1 for _ in all_lets(Block(tuple(lets), ())))
        builds = all(isinstance(let.op, Build) for let in lets)
        return builds and size <= MOST_TWICE and all(self.effects.is_pure(let.op) for let in lets)

    def emit(self, b: Builder, lets: list[Let], nests: list[Nest | None]) -> None:
        """Emit the lets of a group: with products where one of them is large, or as they are."""
        products = [p for nest in nests if nest is not None for p in nest.products]
        tests = [p.tests(b) for p in products]
        out = lets[-1].vars
        twice = self.may_be_twice(lets)
        large = Builder() if twice else b
        for let, nest in zip(lets, nests, strict=True):
            for p in nest.products if nest is not None else ():
                if twice:
                    p.multiply(large)
                else:
                    p.either(large, joined(large, "and", tests[products.index(p)]))
            op = let.op if nest is None else nest.op
            if op is not None:
                large.lets.append(Let(let.vars, op, let.site))
        if twice:
            fit, size = zip(*tests, strict=True)
            test = b.prim("and", joined(b, "or", size), joined(b, "and", fit))
            arms = refresh(large.block(out)), refresh(Block(tuple(lets), out))
            b.lets.append(Let(out, If(test, *arms), lets[-1].site))


def _lifted(let: Let) -> tuple[Let, ...]:
    """Return a nest of parallel loops without the integers that are the same in all its rounds,
    such as the smaller of two extents (``zip``), and before it these integers."""
    if not isinstance(let.op, (Build, Sum_)):
        return (let,)
    inside = defined(Block((let,), ()))
    lifted: list[Let] = []

    def block(old: Block) -> Block:
        kept: list[Let] = []
        for x in old.lets:
            number = isinstance(x.op, Prim) and len(x.vars) == 1 and x.vars[0].type == I64
            if number and may_duplicate(x.op) and inside.isdisjoint(free_variables_of(x.op)):
                lifted.append(x)
                inside.difference_update(x.vars)
            elif isinstance(x.op, (Build, Sum_)):
                kept.append(Let(x.vars, map_blocks(x.op, block), x.site))
            else:
                kept.append(x)
        return Block(tuple(kept), old.results)

    op = map_blocks(let.op, block)
    return (*lifted, Let(let.vars, op, let.site))


def joined(b: Builder, name: str, tests: Sequence[Var]) -> Var:
    """Emit "and" or "or" of tests."""
    out = tests[0]
    for test in tests[1:]:
        out = b.prim(name, out, test)
    return out


def _alone(
    op: Op, counts: Counter[Var], ends: dict[Var, int], nests: dict[int, Nest],
    groups: dict[int, list[int]],
) -> list[Var]:  # fmt: skip
    """Return the matrices at the ends of groups of which nothing but the one element of each round
    of a build is read, or of stacks anything, and that have no other use."""
    assert isinstance(op, Build)
    found: dict[Var, tuple[Atom, ...]] = {}
    reads: dict[Var, int] = {}
    for let in op.body.lets:
        match let.op:
            case Index(Var() as a, at, False) if set(at) == set(op.indices) and len(at) > 1:
                if found.setdefault(a, at) == at:
                    reads[a] = reads.get(a, 0) + 1
            case _:
                pass
    inside = uses(Block((Let((), op),), ()))
    for a in ends.keys() & inside.keys():
        members = (nests[m] for m in groups.get(ends[a], ()) if m in nests)
        if any(p.of.batch for nest in members for p in nest.products):
            reads[a] = inside[a]
    return [a for a, n in reads.items() if a in ends and counts[a] == n]


__all__ = ["MOST", "Nest", "Product", "contract", "has_directions", "joined"]
