"""Dual-numbers reverse mode in its final form (Smeding and Vakar, section 8.3), forward code only.

An active real is a pair of its value and an *id*, its position on the tape; an array of reals is an
array and an array of ids, and data has ids inside. Control flow, calls and updates are those of the
program, and ids move along with values: this is forward mode with ids for tangents. Code that
computes a real pushes a row, which says how to go backward through it (``rows``): one row for a
whole piece of straight-line code (``straight``), or for a whole loop of it (``dual_loops``). Id 0
stands for everything inactive. ``ad/tape.py`` numbers the inputs and goes through the tape
backwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, assert_never

from pullback.ad.activity import Facts
from pullback.ad.cells import array_type, extents_of, zeros, zeros_like
from pullback.ad.contributions import Contributions
from pullback.ad.dual_loops import loop_row
from pullback.ad.forward import Forward, translated
from pullback.ad.min_cut import fewest
from pullback.ad.numbered import Numbered
from pullback.ad.spaces import Spaces
from pullback.ad.straight import (
    Users,
    below,
    is_operation,
    product_of,
    same_id,
    sweep,
    users_of,
    wants,
)
from pullback.ad.sum_loops import loops_of_sum
from pullback.ad.tape_rows import Codes, Straight, Words
from pullback.core.build import Builder, i64, partial
from pullback.core.effects import done_again
from pullback.core.prims import TABLE, VIEWS
from pullback.core.rows import Mark
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Atom,
    Block,
    Build,
    If,
    Index,
    Let,
    Loop,
    Prim,
    Static,
    Sum_,
    TapePush,
    Var,
)
from pullback.core.types import F64, I64, Array, Bool, Handle, Int, Real, Type

if TYPE_CHECKING:
    from pullback.ad.function_halves import Functions

NOBODY = i64(0)
"""The id of everything inactive: what is added to its cotangent nobody reads."""

class IdSpaces(Spaces):
    """D(Real) = Real, Int: the dual space with ids for tangents. The accumulators of an inner
    derivative are pairs as well: D(Handle) = Handle, Handle (ids are exact as float64)."""

    leaves = (Real, Handle)

    @property
    def dual_suffix(self) -> str:
        return ".ids"

    def dual(self, t: Type, active: bool = True) -> tuple[Type, ...]:
        return (t, t) if isinstance(t, Handle) else super().dual(t, active)

    def beside(self, t: Real) -> Type:
        return I64

    def firsts(self, t: Array) -> Type | None:
        """Return the type of the first ids for an array of (arrays of) arrays of reals, each of
        which has consecutive ids; None if it contains no array of reals."""
        match t.elem:
            case Array(Real()):
                return Array(I64, t.rank)
            case Array():
                inner = self.firsts(t.elem)
                return None if inner is None else Array(inner, t.rank)
            case _:
                return None


def lasting(b: Builder, array: Atom) -> Atom:
    """Emit a copy of an array of ids that belongs to an argument, in memory from which nothing is
    moved, so that it may become part of any number of nodes. If the array is only read, the copy is
    never made."""
    return b.prim("copy", array, static=("residual",))


def ids_of(
    functions: Functions, spaces: IdSpaces, codes: Codes, name: str, mask: tuple[bool, ...],
    numbered: frozenset[int] = frozenset(),
) -> str:
    """Return the name of f with ids for these active parameters; the function is written at the
    first request. Its last parameters are the first ids of the arrays that have consecutive ones,
    or the arrays of first ids for arrays of such arrays."""
    suffix = "ids_numbered" if numbered else "ids"
    return translated(
        functions, name, mask, suffix, lambda facts: Dual(functions, spaces, facts, codes, numbered)
    )


class Dual(Forward):
    """The translation of one function."""

    def __init__(
        self, functions: Functions, spaces: IdSpaces, facts: Facts, codes: Codes,
        consecutive: frozenset[int] = frozenset(),
    ) -> None:
        super().__init__(functions, facts)
        self.spaces: IdSpaces = spaces
        self.active = set(facts.active)
        self.codes = codes
        self.waiting: dict[Var, Let] = {}
        self.users: Users = {}
        self.cheap: dict[Var, Let] = {}
        self.consecutive = consecutive
        self.numbered: dict[Atom, Numbered] = {}
        self.firsts: dict[Atom, Atom] = {}

    # -- the parts beside a real -----------------------------------------------------------------

    def zero(self, t: Real) -> Atom:
        return NOBODY

    def zeros_like(self, b: Builder, array: Atom) -> Atom:
        return zeros_like(b, array, I64, lambda one: lasting(b, one))

    def zeros(self, b: Builder, array: Atom) -> Atom:
        return zeros(b, array, I64)

    def target(self, name: str, mask: tuple[bool, ...]) -> str:
        return ids_of(self.functions, self.spaces, self.codes, name, mask)

    def further(self, params: tuple[Var, ...], b: Builder) -> list[Var]:
        """Return the first ids of the parameters whose ids are consecutive."""
        out: list[Var] = []
        for k in sorted(self.consecutive):
            out.append(Var("first", self.spaces.firsts(array_type(params[k].type)) or I64))
            self.number(params[k], out[-1], b)
        return out

    def number(self, array: Var, first: Atom, b: Builder) -> None:
        """Note that an array, or each array in it, has consecutive ids."""
        if isinstance(first.type, Array):
            self.firsts[array] = first
            return
        start = len(b.lets)
        self.numbered[array] = Numbered.dense(b, first, extents_of(b, self.value(array)))
        self.cheap_again(b, start)

    def on(self, a: Atom) -> bool:
        return isinstance(a, Var) and a in self.active

    def id(self, a: Atom) -> Atom:
        """Return the id of a real."""
        return self.look(a)[1] if self.on(a) else NOBODY

    # -- blocks ---------------------------------------------------------------------------------

    def block(self, block: Block, b: Builder, on: tuple[bool, ...]) -> tuple[Atom, ...]:
        pairs = list(zip(block.results, on, strict=True))
        wanted = [r for r, active in pairs if active and isinstance(r, Var)]
        outer = self.waiting, self.users
        self.waiting, self.users = {}, users_of(block, wanted, self.on)
        for let in block.lets:
            self.let(let, b)
        self.give_ids(wanted, b)
        out = tuple(d for r, active in pairs for d in self.dual(r, active, b))
        self.waiting, self.users = outer
        return out

    def let(self, let: Let, b: Builder) -> None:
        if is_operation(let, self.on):
            self.operation(let, b)
            self.waiting[let.vars[0]] = let
            return
        self.give_ids(wants(let, self.on), b)
        match let.op:
            case Loop() | Build() | Sum_() if loop_row(self, let, b):
                return
            case Sum_() if any(self.on(v) for v in let.vars):
                super().let(loops_of_sum(let, let.op, self.like), b)
            case Index(array, idx, False) if self.on(let.vars[0]) and array in self.numbered:
                self.read(let, array, self.values(idx), b)
            case Index(array, idx, checked) if array in self.firsts:
                super().let(let, b)
                index = Index(self.firsts[array], self.values(idx), checked)
                first = b.let(index, (array_type(index.array.type).elem,))[0]
                self.number(let.vars[0], first, b)
            case AccNew() | AccAdd() | AccRead() | AccTake():
                self.accumulator(let, let.op, b)
            case _:
                super().let(let, b)

    # -- rows -----------------------------------------------------------------------------------

    def operation(self, let: Let, b: Builder) -> None:
        """Emit the value of an operation; its id waits until other code needs it."""
        assert isinstance(let.op, Prim)
        v = let.vars[0]
        primal = Var(v.name, v.type)
        op = Prim(let.op.name, self.values(let.op.args), let.op.static)
        b.lets.append(Let((primal,), op, let.site))
        self.env[v] = (primal,)
        self.cheap_again(b)

    def prim(
        self, let: Let, name: str, args: tuple[Atom, ...],
        static: Static, b: Builder,
    ) -> None:
        gate = let.vars and self.on(let.vars[0]) and TABLE[name].product == "gate"
        if gate and isinstance(let.vars[0].type, Real):
            self.operation(let, b)
            (v,) = let.vars
            self.env[v] = (self.value(v), self.chosen(name, args, self.value(v), b))
            return
        super().prim(let, name, args, static, b)
        self.cheap_again(b)
        if let.vars and args and args[0] in self.numbered:
            start = len(b.lets)
            found = self.numbered[args[0]].view(b, name, self.values(args[1:]), static)
            self.cheap_again(b, start)
            if found is not None:
                self.numbered[let.vars[0]] = found
        elif let.vars and args and args[0] in self.firsts and name in {*VIEWS, "copy"}:
            first = b.prim(name, self.firsts[args[0]], *self.values(args[1:]), static=static)
            self.firsts[let.vars[0]] = first

    def read(self, let: Let, array: Atom, where: tuple[Atom, ...], b: Builder) -> None:
        """Emit the read of a real from an array whose ids can be computed from the index."""
        (v,) = let.vars
        primal = Var(v.name, v.type)
        b.lets.append(Let((primal,), Index(self.value(array), where, False), let.site))
        start = len(b.lets)
        self.env[v] = (primal, self.numbered[array].id(b, where))
        self.cheap_again(b, start)

    def cheap_again(self, b: Builder, start: int = -1) -> None:
        """Note which of the lets since ``start`` the reverse code may repeat."""
        scalars = (Real, Int, Bool)
        for let in b.lets[start:]:
            again = done_again(let.op)
            if isinstance(again, Prim) and all(isinstance(a.type, scalars) for a in again.args):
                (v,) = let.vars
                self.cheap[v] = Let((v,), again)

    def chosen(self, name: str, args: tuple[Atom, ...], primal: Atom, b: Builder) -> Atom:
        """Return the id of the argument whose partial is 1."""
        row, values = TABLE[name], self.values(args)
        if name == "select":
            return b.prim("select", values[0], self.id(args[1]), self.id(args[2]))
        found: Atom = NOBODY
        for i, a in reversed(list(enumerate(args))):
            p = partial(b, row, i, values, primal) if isinstance(a.type, Real) else Mark.ZERO
            if not isinstance(p, Mark):
                found = b.prim("select", p, self.id(a), found)
        return found

    def root(self, v: Var) -> Var:
        """Return the variable that has the id of ``v``: follow waiting operations that only add a
        constant."""
        while v in self.waiting:
            below_ = same_id(self.waiting[v], self.on)
            if below_ is None:
                break
            v = below_
        return v

    def give_ids(self, wanted: Sequence[Var], b: Builder) -> None:
        """Push one row for all waiting operations from which the wanted variables come."""
        named = [v for v in wanted if v in self.waiting]
        roots = [v for v in map(self.root, named) if v in self.waiting]
        here = below(roots, self.waiting, self.on)
        named += [v for v in here if any(u not in here for u in self.users.get(v, ()))]
        outputs = dict.fromkeys(v for v in map(self.root, named) if v in here)
        lets = [let for v, let in self.waiting.items() if v in here] if here else []
        first = self.row(lets, list(outputs), b) if here else NOBODY
        for k, v in enumerate(outputs):
            own = first if first == NOBODY else b.prim("add", first, i64(k))
            self.env[v] = (self.value(v), own)
        for v in named:
            self.env[v] = (self.value(v), self.id(self.root(v)))
        for v in here:
            del self.waiting[v]

    def row(self, lets: Sequence[Let], outputs: Sequence[Var], b: Builder) -> Atom:
        """Push the row of these operations; return the first of its ids, or id 0 if they come from
        nothing active."""
        seeds = tuple(Var("ct", v.type) for v in outputs)
        inside = {let.vars[0] for let in lets}
        ids: tuple[Atom, ...] = ()

        def backward(back: Builder, cts: Sequence[Atom]) -> tuple[Atom, ...]:
            nonlocal ids
            ct, sums = dict(zip(outputs, cts, strict=True)), Contributions()
            for x in cts if len(cts) > 1 else ():
                sums.nonzero(back, x)
            sweep(back, lets, ct, self.value, self.on, sums)
            left = {a: sums.closed(back, x) for a, x in ct.items() if a not in inside}
            found = self.by_id(back, left)
            ids = tuple(a for a, _ in found)
            return tuple(found.values())

        kept = fewest(backward, seeds, product_of(lets), self.cheap, lambda v: True)
        if not ids:
            return NOBODY
        b.lets.extend(kept.front)
        words = Words(kept.stored, (i64(self.codes.next), *ids))
        self.codes.all.append(Straight(words, seeds, kept.back))
        return self.push(b, words, len(outputs))

    def push(self, b: Builder, words: Words, count: int) -> Atom:
        """Push the words of a row that defines ``count`` ids; return the first of them."""
        op = TapePush(words.write(b), ((i64(count),),))
        return b.let(op, (I64, I64), names=("id", "at"))[0]

    def by_id(self, b: Builder, ct: dict[Var, Atom]) -> dict[tuple[Atom, Type], Atom]:
        """Return the cotangents of variables, by their ids (and types)."""
        out: dict[tuple[Atom, Type], Atom] = {}
        for v, x in ct.items():
            key = self.id(v), x.type
            if key[0] != NOBODY:
                out[key] = b.prim("add", out[key], x) if key in out else x
        return out

    # -- sums -----------------------------------------------------------------------------------

    def like(self, variables: tuple[Var, ...]) -> tuple[Var, ...]:
        """Return fresh variables that are as active as these."""
        out = tuple(Var(v.name, v.type) for v in variables)
        self.active.update(n for n, v in zip(out, variables, strict=False) if self.on(v))
        return out

    # -- the accumulators of inner derivatives ----------------------------------------------------

    def accumulator(self, let: Let, op: AccNew | AccAdd | AccRead | AccTake, b: Builder) -> None:
        """Translate an operation on an accumulator. A cell has a value and an id; adding to it is
        an addition like any other."""
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
        row = self.sum_of_two(before, own, both)
        fresh = b.prim("eq", before, NOBODY)
        (new,) = b.let(If(fresh, Block((), (own,)), both.block((row,))), (I64,))
        b.lets.append(Let((), AccAdd(ids, where, b.prim("to_real", new, static=(F64,)))))

    def sum_of_two(self, x: Atom, y: Atom, b: Builder) -> Atom:
        """Return the id of the sum of two reals, from their ids."""
        ct = Var("ct", F64)
        words = Words((), (i64(self.codes.next), x, y))
        self.codes.all.append(Straight(words, (ct,), Block((), (ct, ct))))
        return self.push(b, words, 1)


__all__ = ["NOBODY", "Dual", "IdSpaces", "ids_of"]
