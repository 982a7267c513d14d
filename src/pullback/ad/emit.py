"""The forward sweep of CHAD: the program again, with handles beside its arrays, every compound
let yielding the residuals that the reverse sweep asked for (``frames.Plan``).

The same code recomputes a region inside the reverse sweep (``trusted``: it has run before, so
nothing in it can raise) and runs a region forward only (no plan: nothing is kept)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from pullback.ad.cells import extents_of, null_handle
from pullback.ad.frames import Frame, Plan
from pullback.ad.sweep import Callees
from pullback.core.build import Builder, i64
from pullback.core.prims import TABLE
from pullback.core.rows import Mark
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Atom,
    Block,
    Build,
    Call,
    Case,
    CaseArm,
    If,
    Index,
    Inject,
    Jvp,
    Let,
    Loop,
    MakeTuple,
    Op,
    Prim,
    Project,
    Pulls,
    Ruled,
    Static,
    Sum_,
    TapePush,
    TapeRead,
    TapeRoom,
    TapeWrite,
    Update,
    Var,
    Vjp,
    While,
)
from pullback.core.types import I64, Array, Named, Sum, Type


class Emit:
    """The forward sweep of one frame."""

    def __init__(self, callees: Callees, frame: Frame, trusted: bool = False) -> None:
        self.callees = callees
        self.f = frame
        self.trusted = trusted

    def lets(self, block: Block, b: Builder) -> None:
        """Emit all lets of a block, and those that only the reverse sweep needs."""
        for let in block.lets:
            self.let(let, b)
        b.lets.extend(self.f.extra)

    def block(self, block: Block, b: Builder, on: tuple[bool, ...]) -> tuple[Atom, ...]:
        """Emit a block; its results come in their spaces, active where ``on`` says so."""
        self.lets(block, b)
        return tuple(
            a for r, active in zip(block.results, on, strict=True)
            for a in self.coerce(r, active, b)
        )

    def yields(
        self, atoms: tuple[Atom, ...], targets: tuple[Var, ...], b: Builder
    ) -> tuple[Atom, ...]:
        """Return the atoms that become the forward variables of ``targets``, which belong to this
        block or to one around it."""
        out: list[Atom] = []
        for a, v in zip(atoms, targets, strict=True):
            n = len(self.f.spaces.primal(v.type, self.f.active(v))) - len(self.f.shared(v))
            out.extend(self.coerce(a, self.f.active(v), b)[:n])
        return tuple(out)

    def inside(self, frame: Frame) -> Emit:
        return Emit(self.callees, frame, self.trusted)

    def coerce(self, a: Atom, active: bool, b: Builder) -> tuple[Atom, ...]:
        """Return the forward variables of an atom where an active, or an inactive, value is
        expected."""
        f = self.f
        mine = f.look(a)
        if not active:
            return mine[: len(f.spaces.primal(a.type, False))]
        if isinstance(a.type, Array) and f.spaces.bears(a.type) and not f.active(a):
            return (*mine, null_handle(b, mine[0]))
        return mine

    def let(self, let: Let, b: Builder) -> None:
        f = self.f
        match let.op:
            case Prim(name, args, static):
                self.prim(let, name, args, static, b)
            case Index(array, idx, checked):
                where = self.where(array, idx, checked, b)
                for part, v in zip(f.look(array), f.look(let.vars[0]), strict=False):
                    op: Op = Index(part, where, checked and not self.trusted)
                    self._emit(let, op, (_var(v),), b)
            case Update(array, idx, value, checked):
                where = self.where(array, idx, checked, b)
                on = f.active(let.vars[0])
                values = self.coerce(value, on, b)
                plan = f.plans.get(let)
                if plan is not None:
                    old = Index(f.value(array), where, checked and not self.trusted)
                    self._emit(let, old, plan.kept, b)
                b.lets += f.inside[let][0] if let in f.inside else []
                parts = zip(f.look(array), f.look(let.vars[0]), values, strict=False)
                for part, v, x in parts:
                    op = Update(part, where, x, checked and not self.trusted)
                    self._emit(let, op, (_var(v),), b)
            case Inject(t, tag, fields):
                self.inject(let, t, tag, fields, b)
            case If(cond, then, orelse):
                blocks = self.branches(let, (then, orelse), ((), ()))
                op_if = If(f.value(cond), blocks[0].body, blocks[1].body)
                self._emit(let, op_if, self._results(let), b)
            case Case(scrutinee, arms):
                fields_of = tuple(arm.fields for arm in arms)
                case_arms = self.branches(let, tuple(arm.body for arm in arms), fields_of)
                self._emit(let, Case(f.value(scrutinee), case_arms), self._results(let), b)
            case Build(extents, indices, body) | Sum_(extents, indices, body):
                self.parallel(let, let.op, extents, indices, body, b)
            case Loop() | While():
                self.sequential(let, let.op, b)
            case Call(name, args):
                self.call(let, name, args, b)
            case Vjp(name, args, wrt, seeds):
                self.copies(let, [a for a in (*args, *seeds) if isinstance(a, Var)], b)
                op_vjp = Vjp(name, self._values(args), wrt, self._values(seeds))
                self._emit(let, op_vjp, self._first(let), b)
                self.handles(let, b)
            case Ruled():
                self.ruled(let, let.op, b)
            case (
                MakeTuple() | Project() | Jvp()
                | AccNew() | AccAdd() | AccRead() | AccTake()
                | TapeRoom() | TapePush() | TapeWrite() | TapeRead()
            ):
                raise AssertionError(f"not in the dialect that chad reads: {let.op}")
            case _:
                assert_never(let.op)

    # -- pieces -------------------------------------------------------------------------------

    def _emit(self, let: Let, op: Op, vars_: tuple[Var, ...], b: Builder) -> None:
        b.lets.append(Let(vars_, op, let.site))

    def _values(self, atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
        return tuple(self.f.value(a) for a in atoms)

    def _first(self, let: Let) -> tuple[Var, ...]:
        return tuple(_var(self.f.look(v)[0]) for v in let.vars)

    def _results(self, let: Let) -> tuple[Var, ...]:
        """Return all forward variables of the results, and after them the residuals."""
        plan = self.f.plans.get(let)
        kept = plan.kept if plan is not None else ()
        return (*(_var(a) for v in let.vars for a in self.f.parts(v)), *kept)

    def handles(self, let: Let, b: Builder) -> None:
        """Allocate accumulators for the arrays that the let has built, and bind their handles."""
        for v in let.vars:
            handles = self.f.handles(v)
            if handles and (self.trusted or v not in self.f.facts.reverse_only):
                dims: tuple[Atom, ...] = self.f.extents.get(v, ())
                b.lets += (Let((n,), self.f.defs[n]) for n in self.f.extents.get(v, ()))
                dims = dims or extents_of(b, self.f.value(v))
                for h in handles:
                    b.lets.append(Let((_var(h),), AccNew(dims)))

    def copies(self, let: Let, arrays: Sequence[Var], b: Builder) -> None:
        """Copy the arrays that the reverse sweep of the let needs with their present elements."""
        plan = self.f.plans.get(let)
        for a in dict.fromkeys(arrays):
            if plan is not None and a in plan.copied:
                self._emit(let, Prim("copy", (self.f.value(a),)), (plan.copied[a],), b)

    def where(
        self, array: Atom, idx: tuple[Atom, ...], checked: bool, b: Builder
    ) -> tuple[Atom, ...]:
        """Return the indices; where they are not checked again, negative ones are counted from the
        end here."""
        if checked and self.trusted:
            return self.f.places(array, idx, checked, b)
        return self._values(idx)

    def prim(
        self, let: Let, name: str, args: tuple[Atom, ...],
        static: Static, b: Builder,
    ) -> None:
        f = self.f
        if not let.vars:
            if not self.trusted:
                self._emit(let, Prim(name, self._values(args), static), (), b)
            return
        if self.trusted and name.endswith(".ck") and name != "ipow.ck":
            name, static = name.removesuffix(".ck"), ()
        out = f.look(let.vars[0])
        if name == "undefined":
            b.lets += (Let((v,), Prim(name, (), (v.type,))) for v in map(_var, out))
            return
        row = TABLE[name]
        if row.partial(0) is Mark.WHOLE:
            self.copies(let, [a for a in args if isinstance(a, Var)], b)
            self._emit(let, Prim(name, self._values(args), static), (_var(out[0]),), b)
            self.copies(let, let.vars, b)
            self.handles(let, b)
            return
        if not isinstance(let.vars[0].type, Array):
            self._emit(let, Prim(name, self._values(args), static), (f.variable(let.vars[0]),), b)
            return
        if row.partial(0) is Mark.VIEW:
            rest = self._values(args[1:])
            out = out if self.trusted or let.vars[0] not in f.facts.reverse_only else out[:1]
            for part, v in zip(f.look(args[0]), out, strict=False):
                self._emit(let, Prim(name, (part, *rest), static), (_var(v),), b)
        else:
            # copy, reshape, stack: new memory, so a new accumulator (not of the arrays in it)
            arrays = len(out) - len(f.handles(let.vars[0]))
            rest = self._values(args[1:])
            for part, v in zip(f.look(args[0])[:arrays], out[:arrays], strict=True):
                self._emit(let, Prim(name, (part, *rest), static), (_var(v),), b)
            self.handles(let, b)

    def inject(
        self, let: Let, t: Type, tag: int, fields: tuple[Atom, ...], b: Builder
    ) -> None:
        f = self.f
        out = _var(f.look(let.vars[0])[0])
        if not f.spaces.bears(t):
            self._emit(let, Inject(t, tag, self._values(fields)), (out,), b)
            return
        parts = tuple(a for x in fields for a in self.coerce(x, True, b))
        if isinstance(t, Named):
            cells = f.spaces.cells(f.spaces.decl(t.name).variants[tag])
            if cells:
                h = f.cells(let)
                b.lets.append(Let((h,), AccNew((i64(cells),))))
                parts = (*parts, h)
        self._emit(let, Inject(out.type, tag, parts), (out,), b)

    def branches(
        self, let: Let, bodies: tuple[Block, ...], fields: tuple[tuple[Var, ...], ...]
    ) -> tuple[CaseArm, ...]:
        f = self.f
        plan = f.plans.get(let) or self._forward_only(bodies, fields)
        arms = []
        for i, (body, bound, g) in enumerate(zip(bodies, fields, plan.frames, strict=True)):
            gb = Builder()
            emit = self.inside(g)
            emit.lets(body, gb)
            results = emit.yields(body.results, let.vars, gb)
            if plan.only is not None:
                dead = tuple(gb.unread(v.type) for v in plan.kept) if i != plan.only else ()
                results += dead or plan.residuals[i]
            elif plan.kept:
                kind = plan.kept[0].type
                assert isinstance(kind, Sum)
                results += gb.let(Inject(kind, i, plan.residuals[i]), (kind,))
            arms.append(CaseArm(self._arm_fields(let, g, bound, i), gb.block(results)))
        return tuple(arms)

    def _arm_fields(
        self, let: Let, g: Frame, bound: tuple[Var, ...], tag: int
    ) -> tuple[Var, ...]:
        out = tuple(_var(a) for v in bound for a in g.look(v))
        if isinstance(let.op, Case) and isinstance(let.op.scrutinee.type, Named):
            name = let.op.scrutinee.type.name
            if g.spaces.bears(let.op.scrutinee.type) and g.spaces.cells(
                g.spaces.decl(name).variants[tag]
            ):
                return (*out, g.cells(let))
        return out

    def _forward_only(
        self, bodies: tuple[Block, ...], bound: tuple[tuple[Var, ...], ...]
    ) -> Plan:
        frames = []
        for body, vs in zip(bodies, bound, strict=True):
            g = self.f.child()
            for v in vs:
                g.fresh(v)
            frames.append(g.open(body))
        return Plan(tuple(frames))

    def ruled(self, let: Let, op: Ruled, b: Builder) -> None:
        """Emit a call of the forward rule, if the reverse sweep calls the backward one. What it
        keeps is copied where arrays that it may be part of are updated later."""
        plan, args = self.f.plans.get(let), self._values(op.args)
        if plan is None or not isinstance(op.rule, Pulls):
            if let.vars:
                again = Ruled(op.function, args, op.wrt, op.rule, op.names)
                self._emit(let, again, self._first(let), b)
        else:
            updated = any(a in self.f.facts.consumed for a in (*op.args, *let.vars))
            kept = tuple(
                Var(v.name, v.type) if updated and isinstance(v.type, Array) else v
                for v in plan.kept
            )
            self._emit(let, Call(op.rule.forward, args), (*self._first(let), *kept), b)
            for v, made in zip(plan.kept, kept, strict=True):
                if made is not v:
                    self._emit(let, Prim("copy", (made,)), (v,), b)
        self.handles(let, b)

    # -- loops --------------------------------------------------------------------------------

    def parallel(
        self, let: Let, op: Build | Sum_, extents: tuple[Atom, ...],
        indices: tuple[Var, ...], body: Block, b: Builder,
    ) -> None:
        f = self.f
        plan = f.plans.get(let) or self._forward_only((body,), (indices,))
        (g,) = plan.frames
        bb = Builder()
        results = self.inside(g).block(body, bb, tuple(f.active(v) for v in let.vars))
        where = tuple(_var(g.value(i)) for i in indices)
        ns = self._values(extents)
        if isinstance(op, Build):
            out = (*self._elements(let), *plan.kept)
            built = bb.block((*results, *(plan.residuals[0] if plan.residuals else ())))
            self._emit(let, Build(ns, where, built), out, b)
            self.handles(let, b)
        elif not plan.stored:
            self._emit(let, Sum_(ns, where, bb.block(results)), self._first(let), b)
        else:
            parts = tuple(Var("part", Array(r.type, len(ns))) for r in results)
            built = bb.block((*results, *plan.residuals[0]))
            self._emit(let, Build(ns, where, built), (*parts, *plan.kept), b)
            again = tuple(Var(i.name, i.type) for i in where)
            sb = Builder()
            sums = tuple(sb.index(p, again, checked=False) for p in parts)
            self._emit(let, Sum_(ns, again, sb.block(sums)), self._first(let), b)

    def _elements(self, let: Let) -> tuple[Var, ...]:
        """Return the forward variables that a loop yields element by element (not their handles).
        """
        out: list[Var] = []
        for v in let.vars:
            parts = self.f.look(v)
            n = len(parts) - len(self.f.handles(v))
            out.extend(_var(a) for a in parts[:n])
        return tuple(out)

    def sequential(self, let: Let, op: Loop | While, b: Builder) -> None:
        f = self.f
        plan = f.plans.get(let) or self._loop_forward_only(op)
        (g,) = plan.frames
        n = len(op.carried)
        carried = tuple(_var(a) for c in op.carried for a in g.parts(c))
        inits = self.yields(op.inits, op.carried, b)
        bb = Builder()
        emit = self.inside(g)
        emit.lets(op.body, bb)
        state = emit.yields(op.body.results[:n], op.carried, bb)
        emitted = tuple(
            a for r, v in zip(op.body.results[n:], let.vars[n:], strict=True)
            for a in emit.coerce(r, f.active(v), bb)
        )
        kept = plan.residuals[0] if plan.residuals else ()
        out = tuple(_var(a) for v in let.vars[:n] for a in f.parts(v))
        arrays = self._elements(Let(let.vars[n:], op))
        index = g.iteration()
        if isinstance(op, Loop):
            loop = Loop(
                f.value(op.count), index, carried, inits, bb.block((*state, *emitted, *kept))
            )
            self._emit(let, loop, (*out, *arrays, *plan.kept), b)
        else:
            next_ = bb.prim("add", index, i64(1))
            cond_frame = g.child().open(op.cond)
            cb = Builder()
            cond = self.inside(cond_frame).block(op.cond, cb, (False,))
            trips = plan.trips or Var("trips", I64)
            loop_w = While(
                (index, *carried), (i64(0), *inits), cb.block(cond),
                bb.block((next_, *state, *emitted, *kept)),
            )
            self._emit(let, loop_w, (trips, *out, *arrays, *plan.kept), b)
        self.handles(Let(let.vars[n:], op), b)

    def _loop_forward_only(self, op: Loop | While) -> Plan:
        g = self.f.loop_child(op)
        return Plan((g.open(op.body),))

    # -- calls --------------------------------------------------------------------------------

    def call(self, let: Let, name: str, args: tuple[Atom, ...], b: Builder) -> None:
        f = self.f
        plan = f.plans.get(let)
        composite = any(f.spaces.composite(a.type) for a in (*args, *let.vars))
        if plan is None and not composite:
            self._emit(let, Call(name, self._values(args)), self._first(let), b)
            self.handles(let, b)
            return
        mask = tuple(f.active(a) for a in args)
        pair = self.callees.reverse_of(name, mask, f.volatile(let, args))
        kept = plan.kept if plan is not None else tuple(Var("kept", t) for t in pair.residuals)
        parts = tuple(
            a for x, down in zip(args, pair.given, strict=True)
            for a in f.look(x)[: 1 if down else None]
        )
        out: list[Var] = []
        unnamed: list[Var] = []
        for v, on in zip(let.vars, pair.result_on, strict=True):
            given = len(f.spaces.primal(v.type, on))
            out.extend(_var(a) for a in f.look(v)[:given])
            if f.active(v) and not on:  # active only because it is updated later
                unnamed.append(v)
        self._emit(let, Call(pair.forward, parts), (*out, *kept), b)
        self.handles(Let(tuple(unnamed), let.op), b)


def _var(a: Atom) -> Var:
    assert isinstance(a, Var), a
    return a
