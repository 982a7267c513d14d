"""Dual-numbers reverse mode in its final form (Smeding and Vakar, section 8.3), forward code only.

An active real is a pair of its value and an *id*, its position on the tape; an array of reals is
an array and an array of ids, and data has ids inside. Control flow, calls and updates are those of
the program, with ids moving along (so this is forward mode with ids for tangents); what computes a
real pushes a row of (id of the argument, partial) pairs, one row for a whole cone of straight-line
code (``cones``). Id 0 stands for everything inactive. ``ad/tape.py`` numbers the inputs and goes
through the tape backwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from pullback.ad.activity import Facts
from pullback.ad.cells import zeros, zeros_like
from pullback.ad.cones import Cones, cones_of
from pullback.ad.forward import Forward
from pullback.ad.spaces import Spaces
from pullback.ad.sweep import DerivativeError
from pullback.core.build import Builder, f64, i64, lit, partial, scale
from pullback.core.prims import TABLE
from pullback.core.rows import Mark
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Atom,
    Block,
    Function,
    If,
    Index,
    Let,
    Lit,
    Loop,
    Prim,
    Sum_,
    TapePush,
    TapeSum,
    Var,
    atoms,
)
from pullback.core.traverse import all_lets
from pullback.core.types import F64, I64, Handle, Real, Type

if TYPE_CHECKING:
    from pullback.ad.functions import Functions

NOBODY = i64(0)
"""The id of everything inactive: what is added to its cotangent nobody reads."""

MOST_SUMS = 4
"""A sum of so many reals becomes as many sums of one real, each with one row."""


class IdSpaces(Spaces):
    """D(Real) = Real, Int: the dual space with ids for tangents. The accumulators of an inner
    derivative are pairs as well: D(Handle) = Handle, Handle (ids are exact as float64)."""

    dual_suffix = ".ids"
    leaves = (Real, Handle)

    def dual(self, t: Type, active: bool = True) -> tuple[Type, ...]:
        return (t, t) if isinstance(t, Handle) else super().dual(t, active)

    def beside(self, t: Real) -> Type:
        return I64


def lasting(b: Builder, array: Atom) -> Atom:
    """An array of ids beside one that is an argument: in memory from which nothing is moved, so
    that it may become part of any number of nodes (if it is only read, it is never made)."""
    return b.prim("copy", array, static=("residual",))


def ids_of(functions: Functions, spaces: IdSpaces, name: str, mask: tuple[bool, ...]) -> str:
    """The name of f with ids for these active parameters, made when first asked for."""
    out = f"{name}.ids_" + "".join("1" if on else "0" for on in mask)
    if out in functions.functions:
        return out
    functions.expand_jvps(name)
    f = functions.functions[name]
    on_results = functions.result_on(name, mask)
    results = tuple(
        d for t, on in zip(f.results, on_results, strict=True) for d in spaces.dual(t, on)
    )
    functions.functions[out] = Function(out, (), Block((), ()), results)  # for recursive calls
    run = Dual(functions, spaces, functions.analysed(name, mask, False))
    b = Builder()
    params: list[Var] = []
    for p, on in zip(f.params, mask, strict=True):
        given = len(spaces.dual(p.type, on))
        params.extend(run.fresh(p)[:given])
        if not on and run.on(p):  # it is updated with active values
            run.env[p] = (params[-1], run.zeros(b, params[-1]))
    body = b.block(run.block(f.body, b, on_results))
    functions.functions[out] = Function(out, tuple(params), body, results)
    return out


class Dual(Forward):
    """The translation of one function."""

    def __init__(self, functions: Functions, spaces: IdSpaces, facts: Facts) -> None:
        super().__init__(functions, facts)
        self.spaces: IdSpaces = spaces
        self.active = set(facts.active)
        self.cones = Cones({}, set())

    # -- what stands beside a real --------------------------------------------------------------

    def zero(self, t: Real) -> Atom:
        return NOBODY

    def zeros_like(self, b: Builder, array: Atom) -> Atom:
        return zeros_like(b, array, I64, lambda one: lasting(b, one))

    def zeros(self, b: Builder, array: Atom) -> Atom:
        return zeros(b, array, I64)

    def target(self, name: str, mask: tuple[bool, ...]) -> str:
        return ids_of(self.functions, self.spaces, name, mask)

    def on(self, a: Atom) -> bool:
        return isinstance(a, Var) and a in self.active

    def id(self, a: Atom) -> Atom:
        """The id of a real."""
        return self.look(a)[1] if self.on(a) else NOBODY

    # -- blocks ---------------------------------------------------------------------------------

    def block(self, block: Block, b: Builder, on: tuple[bool, ...]) -> tuple[Atom, ...]:
        wanted = {r for r, active in zip(block.results, on) if active and isinstance(r, Var)}
        outer, self.cones = self.cones, cones_of(block, wanted, self.on)
        out = super().block(block, b, on)
        self.cones = outer
        return out

    def let(self, let: Let, b: Builder) -> None:
        match let.op:
            case Sum_() if any(self.on(v) for v in let.vars):
                self.sum(let, let.op, b)
            case AccNew() | AccAdd() | AccRead() | AccTake():
                self.accumulator(let, let.op, b)
            case _:
                super().let(let, b)

    # -- rows -----------------------------------------------------------------------------------

    def prim(
        self, let: Let, name: str, args: tuple[Atom, ...],
        static: tuple[int | str | Type, ...], b: Builder,
    ) -> None:
        (*_, out) = (None, *let.vars)
        if out is None or not self.on(out) or not isinstance(out.type, Real):
            super().prim(let, name, args, static, b)
            return
        primal = Var(out.name, out.type)
        values = self.values(args)
        b.lets.append(Let((primal,), Prim(name, values, static), let.site))
        self.env[out] = (primal,)
        if TABLE[name].product == "gate":
            self.env[out] = (primal, self.chosen(let, name, args, primal, b))
        elif out in self.cones.of:
            self.env[out] = (primal, self.push(out, b))

    def chosen(
        self, let: Let, name: str, args: tuple[Atom, ...], primal: Atom, b: Builder
    ) -> Atom:
        """The id of the argument whose partial is 1."""
        row, values = TABLE[name], self.values(args)
        if name == "select":
            return b.prim("select", values[0], self.id(args[1]), self.id(args[2]))
        found: Atom = NOBODY
        for i, a in reversed(list(enumerate(args))):
            p = partial(b, row, i, values, primal) if isinstance(a.type, Real) else Mark.ZERO
            if not isinstance(p, Mark):
                passes = b.prim("ne", p, lit(0.0, p.type))
                found = b.prim("select", passes, self.id(a), found)
        return found

    def push(self, root: Var, b: Builder) -> Atom:
        """The id of a new row for a cone, or of the only thing that it passes on unchanged."""
        entries = self.entries(root, b)
        match entries:
            case []:
                return NOBODY
            case [(parent, Lit(1.0, _))]:
                return parent
        parents, partials = zip(*entries)
        return b.let(TapePush(parents, partials), (I64,), names=("id",))[0]

    def entries(self, root: Atom, b: Builder) -> list[tuple[Atom, Atom]]:
        """The ids that a real comes from, with its partials: reverse mode through its cone."""
        lets = self.cones.of.get(root, []) if isinstance(root, Var) else []
        if not lets:
            return [(self.id(root), f64(1.0))] if self.on(root) else []
        inner = {let.vars[0] for let in lets}
        ct: dict[Var, Atom] = {}
        for let in reversed(lets):
            assert isinstance(let.op, Prim)
            (v,) = let.vars
            unit = v is root
            if not unit and v not in ct:
                continue
            row, values = TABLE[let.op.name], self.values(let.op.args)
            for i, a in enumerate(let.op.args):
                if not isinstance(a, Var) or not self.on(a):
                    continue
                p = partial(b, row, i, values, self.value(v))
                if p is Mark.NOT_DIFFERENTIABLE:
                    raise DerivativeError(f"{let.op.name!r} has no derivative here", let)
                if isinstance(p, Mark):
                    continue
                term = p if unit else scale(b, row, p, ct[v], a.type)
                ct[a] = b.prim("add", ct[a], term) if a in ct else term
        leaves = [a for a in ct if a not in inner]
        return [(self.id(a), self.wide(ct[a], b)) for a in leaves]

    def wide(self, x: Atom, b: Builder) -> Atom:
        """A partial as the tape has it."""
        if x.type == F64:
            return x
        if isinstance(x, Lit):
            return f64(float(x.value))
        return b.prim("to_real", x, static=(F64,))

    # -- sums -----------------------------------------------------------------------------------

    def sum(self, let: Let, op: Sum_, b: Builder) -> None:
        """A sum whose body leaves nothing on the tape has one row; else it is a loop, with a row
        for every addition."""
        active = [k for k, v in enumerate(let.vars) if self.on(v)]
        if len(active) > MOST_SUMS or not all(self.plain(op.body, k) for k in active):
            self.as_loop(let, op, b)
            return
        rest = [k for k in range(len(let.vars)) if k not in active]
        if rest:
            body = Block(op.body.lets, tuple(op.body.results[k] for k in rest))
            same = Sum_(op.extents, op.indices, body)
            super().let(Let(tuple(let.vars[k] for k in rest), same, let.site), b)
        for k in active:
            self.row_of_sum(let, op, k, b)

    def plain(self, body: Block, k: int) -> bool:
        """Whether the body has no row but that of its result ``k``."""
        r = body.results[k]
        for x in body.lets:
            if not isinstance(x.op, Prim | Index) and any(
                self.on(v) for y in all_lets(Block((x,), ())) for v in (*y.vars, *atoms(y.op))
            ):
                return False
        return not self.wanting(body, r).escaping and len(self.wanting(body, r).of) <= 1

    def wanting(self, body: Block, r: Atom) -> Cones:
        """The cones of a body of which one result is wanted."""
        return cones_of(body, {r} if isinstance(r, Var) else set(), self.on)

    def row_of_sum(self, let: Let, op: Sum_, k: int, b: Builder) -> None:
        indices = tuple(v for x in op.indices for v in self.fresh(x))
        result = op.body.results[k]
        inner = Builder()
        outer, self.cones = self.cones, self.wanting(op.body, result)
        own = self.cones.of.pop(result, None) if isinstance(result, Var) else None
        for x in op.body.lets:
            self.let(x, inner)
        if own is not None and isinstance(result, Var):
            self.cones.of[result] = own
        entries = self.entries(result, inner)
        self.cones = outer
        results = (self.value(result), *(a for entry in entries for a in entry))
        v = let.vars[k]
        pair = Var(v.name, v.type), Var("id", I64)
        made = TapeSum(self.values(op.extents), indices, inner.block(results))
        b.lets.append(Let(pair, made, let.site))
        self.env[v] = pair

    def as_loop(self, let: Let, op: Sum_, b: Builder) -> None:
        """The sum as loops that carry the totals, translated like any other loop."""

        def level(axis: int, totals: tuple[Var, ...]) -> tuple[tuple[Let, ...], tuple[Var, ...]]:
            """Lets that continue the totals over the axes from this one on."""
            if axis == len(op.extents):
                nexts = self.like(let.vars)
                adds = tuple(
                    Let((n,), Prim("add", (t, r)))
                    for n, t, r in zip(nexts, totals, op.body.results, strict=True)
                )
                return (*op.body.lets, *adds), nexts
            inner, outs = self.like(let.vars), self.like(let.vars)
            lets, nexts = level(axis + 1, inner)
            loop = Loop(op.extents[axis], op.indices[axis], inner, totals, Block(lets, nexts))
            return (Let(outs, loop, let.site),), outs

        zeros_: tuple[Atom, ...] = tuple(lit(0.0, v.type) for v in let.vars)
        inner = self.like(let.vars)
        lets, nexts = level(1, inner)
        loop = Loop(op.extents[0], op.indices[0], inner, zeros_, Block(lets, nexts))
        super().let(Let(let.vars, loop, let.site), b)

    def like(self, variables: tuple[Var, ...]) -> tuple[Var, ...]:
        """Fresh variables, as active as these."""
        out = tuple(Var(v.name, v.type) for v in variables)
        self.active.update(n for n, v in zip(out, variables) if self.on(v))
        return out

    # -- the accumulators of inner derivatives ----------------------------------------------------

    def accumulator(self, let: Let, op: AccNew | AccAdd | AccRead | AccTake, b: Builder) -> None:
        """A cell has a value and an id. Adding to it is an addition like any other."""
        match op:
            case AccNew(extents):
                for made in self.fresh(let.vars[0]):
                    b.lets.append(Let((made,), AccNew(self.values(extents)), let.site))
            case AccAdd(handle, idx, value):
                h, ids = self.look(handle)
                where = self.values(idx)
                if self.on(value):
                    self.add_id(ids, where, self.id(value), b)
                b.lets.append(Let((), AccAdd(h, where, self.value(value)), let.site))
            case AccRead(handle, idx, bits) | AccTake(handle, idx, bits):
                h, ids = self.look(handle)
                where, v = self.values(idx), let.vars[0]
                primal = Var(v.name, v.type)
                b.lets.append(Let((primal,), type(op)(h, where, bits), let.site))
                (own,) = b.let(type(op)(ids, where), (F64,))
                self.env[v] = (primal, b.prim("to_int", own, static=(I64,)))
            case _:
                assert_never(op)

    def add_id(self, ids: Atom, where: tuple[Atom, ...], own: Atom, b: Builder) -> None:
        (old,) = b.let(AccTake(ids, where), (F64,))
        before = b.prim("to_int", old, static=(I64,))
        both = Builder()
        row = both.let(TapePush((before, own), (f64(1.0), f64(1.0))), (I64,), names=("id",))
        fresh = b.prim("eq", before, NOBODY)
        (new,) = b.let(If(fresh, Block((), (own,)), both.block(row)), (I64,))
        b.lets.append(Let((), AccAdd(ids, where, b.prim("to_real", new, static=(F64,)))))


__all__ = ["NOBODY", "Dual", "IdSpaces", "ids_of"]
