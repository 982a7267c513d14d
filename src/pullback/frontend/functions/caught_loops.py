"""Loops whose rounds may raise what is caught: they end with the number of the clause."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pullback.core.build import Builder, boolean, i64
from pullback.core.frozen import dataclass, field
from pullback.core.terms import Atom, Block, Build, If, Let, Lit, Loop, Prim, Update, Var, While
from pullback.core.types import BOOL, I64, Array, Type

Tagged = Callable[[Block], Block]
"""Gives a block that gives the number before its results."""
AnyOf = Callable[[Builder, Type], Atom]
"""Any value of a type, made by a builder."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """Loops made by a builder. Beside their own variables they carry what is to be known where a
    round raises: arrays that it updates before (``kept``, with their names inside), and ``more`` of
    these types."""

    tagged: Tagged
    any_of: AnyOf
    b: Builder
    kept: Mapping[Var, Var] = field(default_factory=dict)
    more: Sequence[Type] = ()
    renamed: Callable[[Block, dict[Var, Var]], Block] = lambda block, names: block
    """Gives a block with other variables."""

    def build(
        self, extents: tuple[Atom, ...], indices: tuple[Var, ...], body: Block,
        types: Sequence[Type],
    ) -> tuple[Atom, ...]:  # fmt: skip
        """Return the results of a ``Build``, which is filled point by point."""
        starts = self._blank(extents, types)
        arrays = tuple(Var("a", t) for t in types)

        def put(each: Builder, values: Sequence[Atom]) -> list[Atom]:
            return _put(each, arrays, indices, values)

        return self.points(extents, indices, arrays, starts, body, put)

    def loop(self, loop: Loop, types: Sequence[Type]) -> tuple[Atom, ...]:
        """Return the results of a counted loop, of these types; what it emits is put into
        arrays."""
        count = len(loop.carried)
        emitted = types[count : len(loop.body.results)]
        starts = self._blank((loop.count,), emitted)
        arrays = tuple(Var("a", t) for t in emitted)
        each = Builder()
        each.lets += loop.body.lets
        new, points = loop.body.results[:count], loop.body.results[count:]
        body = each.block((*new, *_put(each, arrays, (loop.index,), points)))
        state, inits = (*loop.carried, *arrays), (*loop.inits, *starts)
        return self.rounds(loop.count, loop.index, state, inits, body)

    def _blank(self, extents: tuple[Atom, ...], types: Sequence[Type]) -> list[Atom]:
        """Return arrays of these types, with anything in them."""
        made: list[Atom] = []
        for t in types:
            assert isinstance(t, Array)
            at, blank = tuple(Var("i", I64) for _ in extents), Builder()
            block = blank.block((self.any_of(blank, t.elem),))
            made += self.b.let(Build(extents, at, block), (t,))
        return made

    def points(
        self, extents: Sequence[Atom], indices: Sequence[Var], state: tuple[Var, ...],
        starts: Sequence[Atom], body: Block,
        take: Callable[[Builder, Sequence[Atom]], Sequence[Atom]],
    ) -> tuple[Atom, ...]:  # fmt: skip
        """Return the points of a ``Build`` or a sum one after the other."""
        b = self.b
        total: Atom = i64(1)
        for n in extents:
            total = b.prim("mul", total, n)
        point = indices[0] if len(indices) == 1 else Var("k", I64)
        each = Builder()
        if len(indices) != 1:
            left: Atom = point
            for i, n in list(zip(indices, extents, strict=True))[::-1]:
                each.lets.append(Let((i,), Prim("mod", (left, n))))
                left = each.prim("floordiv", left, n)
        each.lets += body.lets
        new = take(each, body.results)
        return self.rounds(total, point, state, starts, each.block(tuple(new)))

    def _beside(self) -> tuple[tuple[Var, ...], list[Atom]]:
        """Return what is carried beside the loop's own variables, and what that is at first."""
        more = (Var("end", t) for t in self.more)
        blank = (self.any_of(self.b, t) for t in self.more)
        return (*self.kept.values(), *more), [*self.kept, *blank]

    def _inside(self, block: Block, beside: Sequence[Var]) -> Block:
        """Return a block of a round, with what is carried beside its own results."""
        return self.renamed(Block(block.lets, (*block.results, *beside)), dict(self.kept))

    def rounds(
        self, n: Atom, i: Var, own: tuple[Var, ...], starts: Sequence[Atom], body: Block
    ) -> tuple[Atom, ...]:
        """Return a counted loop that ends when something is caught."""
        beside, blank = self._beside()
        carried, inits = (*own, *beside), (*starts, *blank)
        types = tuple(v.type for v in carried)
        tag = Var("caught", I64)
        test, step = Builder(), Builder()
        fine = test.prim("eq", tag, i64(0))
        cond = test.block((test.prim("and", test.prim("lt", i, n), fine),))
        results = step.extend(self.tagged(self._inside(body, beside)))
        again = step.block((step.prim("add", i, i64(1)), *results))
        loop = While((i, tag, *carried), (i64(0), i64(0), *inits), cond, again)
        _, *made = self.b.let(loop, (I64, I64, *types))
        return tuple(made)

    def while_(
        self, own: tuple[Var, ...], starts: Sequence[Atom], cond: Block, body: Block,
        tested: Tagged,
    ) -> tuple[Atom, ...]:  # fmt: skip
        """Return ``while cond: body`` as ``go = True; while go: go = cond; if go: body``.
        ``tested`` is for the condition, which gives a flag and what is carried."""
        beside, blank = self._beside()
        carried, inits = (*own, *beside), (*starts, *blank)
        types = tuple(v.type for v in carried)
        tag, go = Var("caught", I64), Var("go", BOOL)
        step, ends = Builder(), (I64, BOOL, *types)
        head = tested(self._inside(cond, carried))
        state = carried
        if isinstance(head.results[0], Lit):  # the condition raises nothing
            number, on, *_ = step.extend(head)
        else:
            state = tuple(Var(v.name, v.type) for v in carried)
            number, on = Var("caught", I64), Var("on", BOOL)
            bind(step, self.renamed(head, dict(zip(carried, state, strict=True))),
                 (number, on, *carried))  # fmt: skip
        then, stop = Builder(), Builder()
        first, *new = then.extend(self.tagged(self._inside(body, beside)))
        fine = then.prim("eq", first, i64(0))
        again = then.block((first, fine, *new))
        left = stop.block((number, boolean(False), *carried))
        goes = step.prim("and", step.prim("eq", number, i64(0)), on)
        end = step.block(tuple(step.let(If(goes, again, left), ends)))
        loop = While(
            (tag, go, *state), (i64(0), boolean(True), *inits), Builder().block((go,)), end
        )
        made, _, *values = self.b.let(loop, ends)
        return (made, *values)


def bind(b: Builder, block: Block, results: Sequence[Var]) -> None:
    """Run a block whose results its last op gives, bound to these variables."""
    *before, last = block.lets
    names = dict(zip(block.results, results, strict=True))
    b.lets += before
    b.lets.append(Let(tuple(names.get(v, v) for v in last.vars), last.op, last.site))


def _put(
    each: Builder, arrays: Sequence[Var], indices: tuple[Atom, ...], values: Sequence[Atom]
) -> list[Atom]:
    """Return the arrays with these values at an index."""
    return [
        each.let(Update(a, indices, v, False), (a.type,))[0]
        for a, v in zip(arrays, values, strict=True)
    ]
