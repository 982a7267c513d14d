"""The reverse sweep of CHAD, rule by rule (Efficient CHAD, figures 6 and 8, with resident state).

Branches are in ``reverse_branches``, loops in ``reverse_loops``.
"""

from __future__ import annotations

from typing import assert_never

from pullback.ad.cells import add_all, array_type, gather, indices, real_type, scatter, seeded
from pullback.ad.contributions import regular
from pullback.ad.frames import Frame, Plan
from pullback.ad.increments import increments
from pullback.ad.partials import TWICE, divided, is_square
from pullback.ad.reverse_branches import branches
from pullback.ad.reverse_loops import parallel, sequential
from pullback.ad.sweep import (
    Cts,
    DerivativeError,
    Got,
    Sweep,
    has_effect,
    keys_of,
    leaf_type,
    or_zero,
    refuse_callback,
    refuse_composite,
    refuse_data,
)
from pullback.core.build import Builder, i64, lit
from pullback.core.consumption import is_inside
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
    If,
    Index,
    Inject,
    Jvp,
    Let,
    Loop,
    MakeTuple,
    Prim,
    Project,
    Pulls,
    Ruled,
    Sum_,
    TapePush,
    TapeRead,
    TapeRoom,
    TapeWrite,
    Update,
    Var,
    Vjp,
    While,
    sub_blocks,
)
from pullback.core.trails import is_followed, mark_reverse
from pullback.core.types import Array, Bool, Handle, Int, Named, Real, Type, levels


class Reverse(Sweep):
    """The reverse sweep of one function."""

    def within(self, recomputing: bool) -> Reverse:
        inner = Reverse(self.callees, recomputing)
        inner.touched, inner.now, inner.added = self.touched, self.now, self.added
        inner.old = self.old
        inner.sums, inner.curved, inner.partials = self.sums, self.curved, self.partials
        return inner

    def block(self, f: Frame, block: Block, ct: Cts, b: Builder) -> None:
        self.added.update(increments(block))
        self.curved.update(v for x in block.lets if not isinstance(x.op, Index) for v in x.vars)
        with self.partials.inside():
            for let in block.lets:
                match let.op:
                    case Prim(name, args, static):
                        here = Prim(name, tuple(map(f.value, args)), static)
                        self.partials.note(here, tuple(map(f.value, let.vars)))
            for let in reversed(block.lets):
                got = [ct.pop(v, None) for v in let.vars]
                self.let(f, let, got, ct, b)

    def let(self, f: Frame, let: Let, got: Got, ct: Cts, b: Builder) -> None:
        """Reverse a let, given the cotangents of its results."""
        if not isinstance(let.op, (Prim, Index)):
            leaves = [c for each in got for c in each or () if c is not None]
            scalar = all(isinstance(v.type, (Real, Int, Bool)) for v in let.vars)
            here = self.sums.any(b, leaves) if scalar else None
            closed: Got = [
                None if each is None else
                [None if c is None else self.sums.closed(b, c) for c in each]
                for each in got
            ]
            if here is not None and not regular(let) and not self.updates(let):
                self.where(f, let, closed, ct, here, b)
                return
            got = closed
        start = len(b.lets)
        self.whole_let(f, let, got, ct, b)
        if is_followed():
            mark_reverse(b.lets[start:], let.site)

    def updates(self, let: Let) -> bool:
        """Whether a let updates arrays, so that going back through it may restore them."""
        match let.op:
            case Update():
                return True
            case Call(name):
                return bool(self.callees.summary(name).consumes)
            case _:
                return any(self.updates(x) for _, sub in sub_blocks(let.op) for x in sub.lets)

    def where(self, f: Frame, let: Let, got: Got, ct: Cts, here: Atom, b: Builder) -> None:
        """Emit the reverse of a loop, branch or call under the condition that its results have a
        cotangent."""
        inner, own = Builder(), Cts()
        self.whole_let(f, let, got, own, inner)
        keys = keys_of([own])
        block = inner.block(tuple(self.leaf(f, own, key, inner) for key in keys))
        if not keys and not has_effect(block):
            return
        zeros = Block((), tuple(lit(0.0, leaf_type(f, key)) for key in keys))
        outs = b.let(If(here, block, zeros), tuple(leaf_type(f, key) for key in keys))
        for (v, k), out in zip(keys, outs, strict=True):
            self.sums.where[out] = here
            self.add(f, ct, v, k, out, b)

    def whole_let(self, f: Frame, let: Let, got: Got, ct: Cts, b: Builder) -> None:
        """Apply the rule of the op."""
        match let.op:
            case Prim(name, args):
                self.prim(f, let, name, args, got, ct, b)
            case Index(array, idx, checked):
                where = f.places(array, idx, checked, b) if got[0] is not None else ()
                for h, c in zip(f.handles(array), got[0] or (), strict=False):
                    if c is not None:
                        self.accumulate(h, where, c, b)
                self.join(f.look(array)[1:], f.look(let.vars[0])[1:])
            case Update():
                self.update(f, let, let.op, ct, b)
            case Inject():
                self.inject(f, let, let.op, got[0], ct, b)
            case If(_, then, orelse):
                branches(self, f, let, ((), ()), (then, orelse), got, ct, b)
            case Case(_, arms):
                fields = tuple(arm.fields for arm in arms)
                branches(self, f, let, fields, tuple(arm.body for arm in arms), got, ct, b)
            case Build() | Sum_():
                parallel(self, f, let, let.op, got, ct, b)
            case Loop() | While():
                sequential(self, f, let, let.op, got, ct, b)
            case Call(name, args):
                self.call(f, let, name, args, got, ct, b)
            case Vjp():
                self.vjp(f, let, let.op, got, ct, b)
            case Ruled():
                self.ruled(f, let, let.op, got, ct, b)
            case (
                MakeTuple() | Project() | Jvp()
                | AccNew() | AccAdd() | AccRead() | AccTake()
                | TapeRoom() | TapePush() | TapeWrite() | TapeRead()
            ):
                raise AssertionError(f"not in the dialect that chad reads: {let.op}")
            case _:
                assert_never(let.op)

    # -- primitives -----------------------------------------------------------------------------

    def prim(
        self, f: Frame, let: Let, name: str, args: tuple[Atom, ...], got: Got, ct: Cts, b: Builder
    ) -> None:
        """C{op(t...)}: each partial of the row times the cotangent; views share their cells."""
        if not let.vars or not f.active(let.vars[0]):
            return
        refuse_callback(let)
        row = TABLE[name]
        if name == "stop_gradient" and f.spaces.composite(let.vars[0].type):
            raise DerivativeError("stop_gradient of data", let)
        if row.whole is not None:
            self.whole(f, let, args, got[0], ct, b)
            return
        if isinstance(let.vars[0].type, Array):
            if name != "stop_gradient" and self.is_touched(f.look(let.vars[0])[1:]):
                if row.partial(0) is not Mark.VIEW and f.active(args[0]):
                    self.rearranged(f, name, let.vars[0], args[0], b)
                self.touch(f.look(args[0])[1:])
            return
        c = got[0][0] if got[0] is not None else None
        if c is None:
            return
        values = tuple(f.value(a) for a in args)
        if is_square(name, args):
            once = self.sums.product(b, row, values[0], c, c.type)
            row, args, c = TWICE, args[:1], once
        elif name == "add" and args[0] is args[1] and (let, 0) not in self.old:
            row, args = TWICE, args[:1]
        factor, rest = divided(row, [f.active(a) for a in args])
        if factor is not None:
            once = self.partials.shared(b, factor, values, f.value(let.vars[0]), False)
            row, c = rest, self.sums.product(b, row, once, c, c.type)
        for i, a in enumerate(args):
            if f.active(a) and (let, i) not in self.old:
                p = self.partials.of(b, row, i, values, f.value(let.vars[0]), False)
                if p is Mark.NOT_DIFFERENTIABLE:
                    raise DerivativeError(f"{name!r} has no derivative here", let)
                if not isinstance(p, Mark):
                    self.add(f, ct, a, 0, self.sums.product(b, row, p, c, a.type), b)

    def whole(
        self, f: Frame, let: Let, args: tuple[Atom, ...], got: list[Atom | None] | None,
        ct: Cts, b: Builder,
    ) -> None:
        """Apply the rule of a row on whole arrays, to values from before any later update."""
        out = let.vars[0]
        if got is None and not self.is_touched(f.look(out)[1:]):
            return
        assert isinstance(let.op, Prim)
        rule = TABLE[let.op.name].whole
        assert rule is not None
        got = got and [c and self.sums.closed(b, c) for c in got]
        values = self._kept(f, let, (*args, out))
        given = self._whole(f, out, got, b)
        back = rule.cotangents(b, values[:-1], given, values[-1], let.op.static)
        for a, d in zip(args, back, strict=True):
            if d is not None and f.active(a):
                assert isinstance(d, Var)
                self._add_whole(f, ct, [a], (d,), b)

    def rearranged(self, f: Frame, name: str, out: Var, source: Atom, b: Builder) -> None:
        """copy, reshape, stack: each cell of the result belongs to one cell of the source."""
        elem = array_type(out.type).elem
        if name == "stack":
            (h,) = f.handles(out)
            many = f.look(source)[1]
            inner_handle = array_type(many.type).elem
            assert isinstance(h.type, Handle) and isinstance(inner_handle, Handle)
            outer = h.type.rank - inner_handle.rank
            idx = indices(outer)
            body = Builder()
            (hs,) = body.let(Index(many, idx, False), (inner_handle,))
            part: Atom = h
            for i in idx:
                part = body.prim("pick", part, i, static=(0,))
            add_all(body, part, hs, real_type(elem))
            extents = tuple(b.dim(h, axis) for axis in range(outer))
            b.lets.append(Let((), Sum_(extents, idx, body.block())))
            return
        # arrays of arrays have no cells of their own: the handles in them were copied
        for to, from_, real in zip(
            f.handles(source), f.handles(out), f.spaces.cotangent(elem), strict=True
        ):
            add_all(b, from_, to, real, flat=name == "reshape")

    def update(self, f: Frame, let: Let, op: Update, ct: Cts, b: Builder) -> None:
        """Take the cotangent of the new element out of its cell: the old element has none, unless
        the update adds to it."""
        if let.vars[0] in f.facts.restored.versions:
            self.put_back(f, let, op, b)
        if is_inside(op):
            handles: tuple[Atom, ...] = f.row_handles(let, op)
            where = tuple(f.value(i) for i in levels(op.array.type, op.indices)[-1])
            self.touch(f.look(op.array)[1:] if handles else ())
        else:
            handles = f.handles(let.vars[0])
            where = f.places(op.array, op.indices, op.checked, b) if handles else ()
        for k, h in enumerate(handles):
            t = f.spaces.cotangent(op.value.type)[k]
            added = self.added.get(let)
            d = self.read(h, where, t, b, take=added is None)
            if added is not None:
                self.old.add(added)
            self.touch((h,))
            self.add(f, ct, op.value, k, d, b)
        if f.active(let.vars[0]):
            self.touch(f.look(op.value))
            self.join(f.look(op.array)[1:], f.look(let.vars[0])[1:])

    def put_back(self, f: Frame, let: Let, op: Update, b: Builder) -> None:
        """Put the old element, which was kept, back into its place."""
        old = f.add("old", op.value.type)
        f.plans[let] = Plan((), ((),), (old,))
        array = self.restored(f, let.vars[0], b)
        where = f.places(let.vars[0], op.indices, op.checked, b)
        assert isinstance(op.array, Var)
        b.lets.append(Let((self.back_at(f, op.array),), Update(array, where, old, False)))

    def inject(
        self, f: Frame, let: Let, op: Inject, got: list[Atom | None] | None, ct: Cts, b: Builder
    ) -> None:
        """C{inj t}: a sum's cotangent has the leaves of all variants; a node's are its cells."""
        if not f.active(let.vars[0]):
            return
        for field in op.fields:
            self.touch(f.look(field)[1:])
        if isinstance(op.type, Named):
            k = 0
            for field in op.fields:
                for leaf, real in enumerate(f.spaces.cotangent(field.type)):
                    if f.active(field):
                        cell = self.read(f.cells(let), (i64(k),), real, b)
                        self.add(f, ct, field, leaf, cell, b)
                    k += 1
        elif got is not None:
            k = f.spaces.offset(op.type, op.tag)
            for field in op.fields:
                for leaf in range(len(f.spaces.cotangent(field.type))):
                    self.add(f, ct, field, leaf, got[k], b)
                    k += 1

    # -- calls ----------------------------------------------------------------------------------

    def call(
        self, f: Frame, let: Let, name: str, args: tuple[Atom, ...], got: Got, ct: Cts, b: Builder
    ) -> None:
        """C{f x}: call the reverse half of the callee with the residuals of its forward half."""
        mask = tuple(f.active(a) for a in args)
        if not any(mask) or not any(
            c is not None or self.is_touched(f.look(v)) or f.spaces.composite(v.type)
            for v, c in zip(let.vars, got, strict=True) if f.active(v)
        ):
            return
        pair = self.callees.reverse_of(name, mask, f.volatile(let, args))
        kept = tuple(f.add("kept", t) for t in pair.residuals)
        f.plans[let] = Plan((), ((),), kept)
        seeds: list[Atom] = []
        for v, c, on in zip(let.vars, got, pair.result_on, strict=True):
            if on:
                for k, t in enumerate(f.spaces.cotangent(v.type)):
                    seeds.append(or_zero(c[k] if c is not None else None, t))
        leaves = [
            (a, k) for a in args if f.active(a)
            for k in range(len(f.spaces.cotangent(a.type)))
        ]
        types = tuple(f.spaces.cotangent(a.type)[k] for a, k in leaves)
        given = (h for a, down in zip(args, pair.given, strict=True) if down for h in f.handles(a))
        outs = b.let(Call(pair.reverse, (*kept, *given, *seeds)), types)
        for (a, k), out in zip(leaves, outs, strict=True):
            self.add(f, ct, a, k, out, b)
        for a in args:
            self.touch(f.look(a)[1:])

    # -- derivative terms -----------------------------------------------------------------------

    def vjp(self, f: Frame, let: Let, op: Vjp, got: Got, ct: Cts, b: Builder) -> None:
        """Reverse over reverse: only pure Core is differentiated in reverse (design, section 7).

        The pullback of (x, u) -> (f x, vjp f x u) at (v, w) is
        (vjp f x v + vjp (x -> jvp f x w) x u,  jvp f x w)."""
        refuse_data(f.spaces, (a.type for a in op.args), let)
        asked = [
            c is not None or self.is_touched(f.look(v)[1:])
            for v, c in zip(let.vars, got, strict=True)
        ]
        if not any(f.active(v) for v in let.vars) or not any(asked):
            return
        args, u = self._inputs(f, let, op)
        again = self.callees.quiet(op.function)
        on = tuple(i for i, a in enumerate(op.args) if f.active(a))
        outs = self.callees.result_types(op.function)
        wrt = [op.args[i] for i in on]
        if wrt and any(asked[: len(outs)]):
            seeds = tuple(
                self._whole(f, v, c, b)
                for v, c in zip(let.vars, got, strict=True)
                if v in let.vars[: len(outs)] and seeded(v.type)
            )
            self._pull(f, ct, Vjp(again, args, on, seeds), wrt, outs, b)
        if any(asked[len(outs):]):
            w = tuple(
                self._whole(f, v, c, b)
                for v, c in zip(let.vars[len(outs):], got[len(outs):], strict=True)
            )
            tangent = self.callees.linearised(again, op.wrt)
            types = tuple(t for t in outs if seeded(t))
            back = self._pull(f, ct, Vjp(tangent, (*args, *w), on, u), wrt, types, b)
            self._add_whole(f, ct, list(op.seeds), back, b)

    def ruled(self, f: Frame, let: Let, op: Ruled, got: Got, ct: Cts, b: Builder) -> None:
        """Call the backward rule with the residuals of the forward rule; that of a checkpoint is a
        derivative term. (A rule for tangents has become code before: ``rules.for_one_sweep``.)"""
        if not any(f.active(v) for v in let.vars) or not any(
            c is not None or self.is_touched(f.look(v)[1:])
            for v, c in zip(let.vars, got, strict=True)
        ):
            return
        assert isinstance(op.rule, Pulls)
        refuse_composite(f.spaces, let, op)
        n = len(let.vars)
        kept = tuple(
            f.add("kept", t) for t in self.callees.result_types(op.rule.forward)[n:]
        )
        f.plans[let] = Plan((), ((),), kept)
        seeds = tuple(
            self._whole(f, v, c, b)
            for v, c in zip(let.vars, got, strict=True) if seeded(v.type)
        )
        again = self.callees.run_again(op)
        on = tuple(i for i in op.wrt if again is None or f.active(op.args[i]))
        wrt = [op.args[i] for i in on]
        if again is not None:
            outs = self.callees.result_types(again)
            self._pull(f, ct, Vjp(again, kept, on, seeds), wrt, outs, b)
        else:
            call = Call(op.rule.backward, (*kept, *seeds))
            self._add_whole(f, ct, wrt, b.let(call, tuple(a.type for a in wrt), let.site), b)

    def _pull(
        self, f: Frame, ct: Cts, op: Vjp, wrt: list[Atom], outs: tuple[Type, ...], b: Builder
    ) -> tuple[Var, ...]:
        """Emit a derivative term whose cotangents go to ``wrt``; return its results before these.

        The term gets the accumulators of arrays as further arguments, so that it builds no dense
        cotangents: it may stand in a loop.
        """
        arrays = [a for a in wrt if isinstance(a.type, Array)]
        into = tuple(f.handles(a)[0] for a in arrays)
        updated = self.callees.summary(op.function).consumes  # the term takes from its accumulators
        if updated & set(op.wrt) or not all(isinstance(h.type, Handle) for h in into):
            into = ()
        rest = [a for a in wrt if not into or not isinstance(a.type, Array)]
        given = Vjp(op.function, (*op.args, *into), op.wrt, op.seeds)
        made = b.let(given, (*outs, *(a.type for a in rest)))
        self._add_whole(f, ct, rest, made[len(outs):], b)
        for a in arrays if into else ():
            self.touch(f.handles(a))
        return made[: len(outs)]

    def _inputs(
        self, f: Frame, let: Let, op: Vjp
    ) -> tuple[tuple[Atom, ...], tuple[Atom, ...]]:
        """Return the arguments and seeds with the values that they had at the term."""
        values = self._kept(f, let, (*op.args, *op.seeds))
        return values[: len(op.args)], values[len(op.args) :]

    def _kept(self, f: Frame, let: Let, atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
        """Return atoms with the values that they had at the let: of arrays that are updated later,
        copies."""
        plan = Plan((), ((),), copied={})
        f.plans[let] = plan

        def value(a: Atom) -> Atom:
            if not (isinstance(a, Var) and a in f.facts.consumed):
                return f.value(a)
            if a not in plan.copied:
                plan.copied[a] = f.add("copy", a.type)
            return plan.copied[a]

        return tuple(map(value, atoms))

    def _whole(self, f: Frame, v: Var, c: list[Atom | None] | None, b: Builder) -> Atom:
        """Return the cotangent of a real or of an array as one value."""
        if isinstance(v.type, Real):
            return or_zero(c[0] if c is not None else None, v.type)
        # a derivative term has all its results active or none
        return gather(b, f.handles(v)[0], array_type(v.type))

    def _add_whole(
        self, f: Frame, ct: Cts, targets: list[Atom], values: tuple[Var, ...], b: Builder
    ) -> None:
        for a, d in zip(targets, values, strict=True):
            if not f.active(a):
                continue
            if isinstance(a.type, Real):
                self.add(f, ct, a, 0, d, b)
            else:
                scatter(b, d, f.handles(a)[0])
                self.touch(f.handles(a))


__all__ = ["DerivativeError", "Reverse"]
