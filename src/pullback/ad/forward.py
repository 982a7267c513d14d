"""Forward mode: dual numbers on Core (Krawiec et al., figures 3 and 4), one pass, pure Core out.

f : A -> B becomes f.dual : D(A) -> D(B), where D puts a tangent beside every active real and a
tangent array beside every active array (``spaces.Spaces.dual``). ``tangent_function`` wraps it as
(arguments, tangents) -> (results, tangents of the real results), the meaning of the Jvp term.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, assert_never

from pullback.ad.activity import Facts
from pullback.ad.cells import zeros, zeros_like
from pullback.ad.contributions import Contributions, flushed, handed_on, is_short
from pullback.ad.forward_over_reverse import values_and_tangents
from pullback.ad.partials import TWICE, Partials, divided, is_square
from pullback.ad.rules import tangent_of_rule
from pullback.ad.spaces import Spaces
from pullback.ad.sweep import DerivativeError, refuse_callback, refuse_composite, refuse_data
from pullback.core.build import Builder, i64, lit, partial
from pullback.core.prims import TABLE
from pullback.core.rows import Mark, Row
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
    Function,
    If,
    Index,
    Inject,
    Jvp,
    Let,
    Lit,
    Loop,
    MakeTuple,
    Op,
    Prim,
    Project,
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
from pullback.core.types import Array, Handle, Real

if TYPE_CHECKING:
    from pullback.ad.function_halves import Functions

Env = dict[Var, tuple[Atom, ...]]


def tangent_function(functions: Functions, name: str, wrt: tuple[int, ...]) -> str:
    """Return the name of a function (args, tangents of wrt) -> (results, tangents of the real
    results).

    Sums and nodes among the arguments come in their dual space, with tangents inside.
    """
    f = functions.functions[name]
    out = f"{name}.jvp" + "".join(f"_{i}" for i in wrt)
    if out in functions.functions:
        return out
    spaces = functions.spaces
    mask = tuple(i in wrt or spaces.composite(p.type) for i, p in enumerate(f.params))
    dual = dual_of(functions, name, mask)
    b = Builder()
    given: list[Var] = []
    tangents: list[Var] = []
    args: list[Atom] = []
    for p, on in zip(f.params, mask, strict=True):
        types = spaces.dual(p.type, on)
        vs = tuple(Var(p.name, t) for t in types)
        args.extend(vs)
        given.append(vs[0])
        tangents.extend(vs[1:])
    target = functions.functions[dual]
    outs = b.let(Call(dual, tuple(args)), target.results)
    primals: list[Atom] = []
    derivatives: list[Atom] = []
    k = 0
    on_results = functions.result_on(name, mask)
    for t, on in zip(f.results, on_results, strict=True):
        parts = outs[k : k + len(spaces.dual(t, on))]
        k += len(parts)
        primals.append(parts[0])
        if spaces.bears(t) and not on:
            zero = lit(0.0, t) if isinstance(t, Real) else zeros_like(b, parts[0])
            derivatives.append(zero)
        derivatives.extend(parts[1:])
    body = b.block((*primals, *derivatives))
    functions.functions[out] = Function(
        out, (*given, *tangents), body, tuple(a.type for a in body.results)
    )
    return out


def dual_of(functions: Functions, name: str, mask: tuple[bool, ...]) -> str:
    """Return the name of f.dual for these active parameters; the function is written at the first
    request."""
    return translated(functions, name, mask, "dual", lambda facts: Forward(functions, facts))


def translated(
    functions: Functions, name: str, mask: tuple[bool, ...], suffix: str,
    translation: Callable[[Facts], Forward],
) -> str:  # fmt: skip
    """Return the name of a translation of f for these active parameters; the function is written at
    the first request."""
    out = f"{name}.{suffix}_" + "".join("1" if on else "0" for on in mask)
    if out in functions.functions:
        return out
    functions.expand_jvps(name)
    f = functions.functions[name]
    run = translation(functions.analysed(name, mask, False))
    on_results = functions.result_on(name, mask)
    results = tuple(
        d for t, on in zip(f.results, on_results, strict=True) for d in run.spaces.dual(t, on)
    )
    functions.functions[out] = Function(out, (), Block((), ()), results)  # for recursive calls
    try:
        made = _body(functions, f, mask, run, on_results)
    except DerivativeError:
        del functions.functions[out]  # another translation may be tried
        raise
    functions.functions[out] = Function(out, *made, results)
    return out


def _body(
    functions: Functions, f: Function, mask: tuple[bool, ...], run: Forward,
    on_results: tuple[bool, ...],
) -> tuple[tuple[Var, ...], Block]:
    """Return the parameters and the body of a translation."""
    b = Builder()
    params: list[Var] = []
    for p, on in zip(f.params, mask, strict=True):
        given = len(run.spaces.dual(p.type, on))
        params.extend(run.fresh(p)[:given])
        if not on and run.on(p):  # it is updated with active values
            run.env[p] = (params[-1], *run.still(b, params[-1]))
    params += run.further(f.params, b)
    if functions.recursive(f.name):
        run.env = {v: (parts[0], *(flushed(b, t) for t in parts[1:]))
                   for v, parts in run.env.items()}  # fmt: skip
    found = list(run.block(f.body, b, on_results))
    if functions.recursive(f.name):
        for k in tangents(run.spaces, f.body.results, on_results):
            found[k] = flushed(b, found[k])
    return tuple(params), b.block(tuple(found))


class Forward:
    """Forward mode over one function.

    ``handed``: the arrays that iterations of sequential loops pass to the next one, as far as the
    translation has come.
    """

    def __init__(self, functions: Functions, facts: Facts) -> None:
        self.functions = functions
        self.spaces = functions.spaces
        self.facts = facts
        self.env: Env = {}
        self.rounds = 0  # the number of long sequential loops around the present place
        self.handed: set[Atom] = set()
        self.sums = Contributions()
        self.partials = Partials()

    # -- the parts beside a real -----------------------------------------------------------------

    def zero(self, t: Real) -> Atom:
        """Return the tangent of an inactive real."""
        return lit(0.0, t)

    def zeros_like(self, b: Builder, array: Atom) -> Atom:
        """Return the tangent of an inactive array: zeros in one cell."""
        return zeros_like(b, array)

    def zeros(self, b: Builder, array: Atom) -> Atom:
        """Return the tangent of an inactive array, in memory of its own."""
        return zeros(b, array)

    def still(self, b: Builder, array: Atom) -> tuple[Atom, ...]:
        """Return what stands beside an inactive array, in memory of its own."""
        return tuple(self.zeros(b, array) for _ in range(self.spaces.copies))

    def further(self, params: tuple[Var, ...], b: Builder) -> list[Var]:
        """Return the parameters that a translation adds after those of the function."""
        return []

    def target(self, name: str, mask: tuple[bool, ...]) -> str:
        """Return the name of the translation of a function."""
        return dual_of(self.functions, name, mask)

    # -- values -------------------------------------------------------------------------------

    def on(self, a: Atom) -> bool:
        return isinstance(a, Var) and a in self.facts.active

    def look(self, a: Atom) -> tuple[Atom, ...]:
        return self.env[a] if isinstance(a, Var) else (a,)

    def value(self, a: Atom) -> Atom:
        return self.look(a)[0]

    def values(self, atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
        return tuple(self.value(a) for a in atoms)

    def fresh(self, v: Var) -> tuple[Var, ...]:
        """Bind a variable to fresh dual variables."""
        out = tuple(Var(v.name, t) for t in self.spaces.dual(v.type, self.on(v)))
        self.env[v] = out
        return out

    def dual(self, a: Atom, active: bool, b: Builder) -> tuple[Atom, ...]:
        """Return the dual of an atom where an active value is expected (with a zero tangent if it
        is inactive), or an inactive one (without the tangent)."""
        mine = self.look(a)
        if not active:
            return mine[: len(self.spaces.dual(a.type, False))]
        if self.on(a) or not self.spaces.bears(a.type):
            return mine
        if isinstance(a.type, Real):
            return (*mine, *(self.zero(a.type),) * self.spaces.copies)
        return (*mine, *(self.zeros_like(b, mine[0]) for _ in range(self.spaces.copies)))

    def tangent(self, a: Atom, b: Builder) -> Atom:
        """Return the tangent of a real or of an array of reals."""
        return self.dual(a, True, b)[1]

    def block(self, block: Block, b: Builder, on: tuple[bool, ...]) -> tuple[Atom, ...]:
        """Translate all lets; return the results, dual where ``on`` says so."""
        for let in block.lets:
            self.let(let, b)
        return tuple(
            d for r, active in zip(block.results, on, strict=True)
            for d in self.dual(r, active, b)
        )

    def inside(self, block: Block, on: tuple[bool, ...]) -> Block:
        b = Builder()
        with self.partials.inside():
            return b.block(self.block(block, b, on))

    def elements(self, let: Let, block: Block, on: tuple[bool, ...]) -> Block:
        """Translate the body that computes elements of arrays. In arrays that iterations pass on,
        subnormal tangents are flushed."""
        inner = self.inside(block, on)
        if self.handed.isdisjoint(let.vars):
            return inner
        b, results = Builder(), list(inner.results)
        b.lets.extend(inner.lets)
        for k in tangents(self.spaces, block.results, on):
            results[k] = flushed(b, results[k])
        return b.block(tuple(results))

    def round(self, loop: Loop | While, state: tuple[Var, ...], on: tuple[bool, ...]) -> Block:
        """Translate the body of a sequential loop that carries ``state``."""
        block, count = loop.body, loop.count if isinstance(loop, Loop) else None
        long = not is_short(count)
        if long:
            self.handed.update(r for r in block.results if isinstance(r.type, Array))
        self.rounds += long
        b = Builder()
        with self.partials.inside():
            results = list(self.block(block, b, on))
        self.rounds -= long
        at = [k for k in tangents(self.spaces, block.results, on) if k < len(state)]
        ends = handed_on(b, count, [state[k] for k in at], [results[k] for k in at])
        for k, end in zip(at, ends, strict=True):
            results[k] = end
        return b.block(tuple(results))

    # -- lets ---------------------------------------------------------------------------------

    def let(self, let: Let, b: Builder) -> None:
        on = tuple(self.on(v) for v in let.vars)
        match let.op:
            case Prim(name, args, static):
                self.prim(let, name, args, static, b)
            case Index(array, idx, checked):
                where = self.values(idx)
                for part, v in zip(self.look(array), self.fresh(let.vars[0]), strict=False):
                    b.lets.append(Let((v,), Index(part, where, checked), let.site))
                    where, checked = self.counted(part, where, checked, b)
            case Update(array, idx, value, checked):
                where = self.values(idx)
                parts = self.dual(array, on[0], b)
                values = self.dual(value, on[0], b)
                if self.rounds:
                    values = (values[0], *(flushed(b, t) for t in values[1:]))
                for part, v, x in zip(parts, self.fresh(let.vars[0]), values, strict=True):
                    now = where, checked
                    where, checked = self.counted(part, *now, b)
                    b.lets.append(Let((v,), Update(part, now[0], x, now[1]), let.site))
            case Inject(t, tag, fields):
                parts = tuple(d for x in fields for d in self.dual(x, self.spaces.bears(t), b))
                (new,) = self.spaces.dual(t)
                self.bind(let, Inject(new, tag, parts), b)
            case If(cond, then, orelse):
                for v, x, y in zip(let.vars, then.results, orelse.results, strict=True):
                    self.handed.update({x, y} if v in self.handed else ())
                op: Op = If(self.value(cond), self.inside(then, on), self.inside(orelse, on))
                self.bind(let, op, b)
            case Case(scrutinee, arms):
                new_arms = tuple(
                    CaseArm(
                        tuple(v for x in arm.fields for v in self.fresh(x)),
                        self.inside(arm.body, on),
                    )
                    for arm in arms
                )
                self.bind(let, Case(self.value(scrutinee), new_arms), b)
            case Build(extents, indices, body):
                i = tuple(v for x in indices for v in self.fresh(x))
                self.bind(let, Build(self.values(extents), i, self.elements(let, body, on)), b)
            case Sum_(extents, indices, body):
                i = tuple(v for x in indices for v in self.fresh(x))
                self.bind(let, Sum_(self.values(extents), i, self.inside(body, on)), b)
            case Loop(count, index, carried, inits, body):
                (i0,) = self.fresh(index)
                state = tuple(v for c in carried for v in self.fresh(c))
                first = self.inits(inits, on, b)
                self.bind(
                    let, Loop(self.value(count), i0, state, first, self.round(let.op, state, on)), b
                )
            case While(carried, inits, cond, body):
                state = tuple(v for c in carried for v in self.fresh(c))
                first = self.inits(inits, on, b)
                test = self.inside(cond, (False,))
                self.bind(let, While(state, first, test, self.round(let.op, state, on)), b)
            case Call(name, args):
                self.call(let, name, args, b)
            case Vjp():
                self.vjp(let, let.op, b)
            case Ruled():
                self.ruled(let, let.op, b)
            case (
                MakeTuple() | Project() | Jvp()
                | AccNew() | AccAdd() | AccRead() | AccTake()
                | TapeRoom() | TapePush() | TapeWrite() | TapeRead()
            ):
                raise AssertionError(f"not in the dialect that forward mode reads: {let.op}")
            case _:
                assert_never(let.op)

    def counted(
        self, array: Atom, where: tuple[Atom, ...], checked: bool, b: Builder
    ) -> tuple[tuple[Atom, ...], bool]:
        """The indices for the tangent, whose extents are those of the array: they were checked."""
        if not checked:
            return where, False
        found: list[Atom] = []
        for axis, i in enumerate(where):
            if isinstance(i, Lit) and i.value >= 0:
                found.append(i)
                continue
            below = b.prim("lt", i, i64(0))
            found.append(b.prim("select", below, b.prim("add", i, b.dim(array, axis)), i))
        return tuple(found), False

    def bind(self, let: Let, op: Op, b: Builder) -> None:
        b.lets.append(Let(tuple(v for x in let.vars for v in self.fresh(x)), op, let.site))

    def call(self, let: Let, name: str, args: tuple[Atom, ...], b: Builder) -> None:
        mask = tuple(self.on(a) for a in args)
        target = self.target(name, mask)
        parts = tuple(d for a in args for d in self.look(a))
        outs: list[Var] = []
        still: list[Var] = []
        for v, on in zip(let.vars, self.functions.result_on(name, mask), strict=True):
            outs.extend(self.fresh(v)[: len(self.spaces.dual(v.type, on))])
            if self.on(v) and not on:  # active only because it is updated later
                still.append(v)
        b.lets.append(Let(tuple(outs), Call(target, parts), let.site))
        for v in still:
            self.env[v] = (self.value(v), *self.still(b, self.value(v)))

    def inits(self, inits: tuple[Atom, ...], on: tuple[bool, ...], b: Builder) -> tuple[Atom, ...]:
        return tuple(
            d for a, active in zip(inits, on, strict=False) for d in self.dual(a, active, b)
        )

    def prim(
        self, let: Let, name: str, args: tuple[Atom, ...],
        static: Static, b: Builder,
    ) -> None:
        """D(op(t...)): the sum of each partial times its tangent; of rows on whole arrays, part by
        part."""
        values = self.values(args)
        if not let.vars or not self.on(let.vars[0]):
            outs = tuple(v for x in let.vars for v in self.fresh(x))
            b.lets.append(Let(outs, Prim(name, values, static), let.site))
            self.partials.note(Prim(name, values, static), outs)
            return
        refuse_callback(let)
        (out,) = let.vars
        if name == "undefined":
            self.env[out] = tuple(b.unread(v.type) for v in self.fresh(out))
            return
        if name == "stop_gradient":  # (of a real or an array of reals the result is not active)
            raise DerivativeError("stop_gradient of data", let)
        whole = TABLE[name].whole
        if whole is not None:
            result = Var(out.name, out.type)
            b.lets.append(Let((result,), Prim(name, values, static), let.site))
            given = tuple(self.look(a)[1] if self.on(a) else None for a in args)
            self.env[out] = (result, whole.tangent(b, values, given, result, static))
            return
        if isinstance(out.type, (Array, Handle)):
            parts = self.dual(args[0], True, b)
            for part, v in zip(parts, self.fresh(out), strict=True):
                b.lets.append(Let((v,), Prim(name, (part, *values[1:]), static), let.site))
            return
        primal = Var(out.name, out.type)
        b.lets.append(Let((primal,), Prim(name, values, static), let.site))
        self.partials.note(Prim(name, values, static), (primal,))
        row = TABLE[name]
        if row.product == "gate":
            self.env[out] = (primal, self.tangent_chosen(row, args, primal, b))
            return
        total: Atom | None = None
        if is_square(name, args):  # 2 (x dx), where x or dx alone could be too large for 2
            total = self.sums.product(b, row, values[0], self.look(args[0])[1], out.type)
            total, args = self.sums.product(b, TWICE, lit(2.0, out.type), total, out.type), ()
        factor, row = divided(row, [self.on(a) for a in args])
        for i, a in enumerate(args):
            if self.on(a):
                p = self.partials.of(b, row, i, values, primal, write=True)
                if p is Mark.NOT_DIFFERENTIABLE:
                    raise DerivativeError(f"{name!r} has no derivative here", let)
                if not isinstance(p, Mark):
                    term = self.sums.product(b, row, p, self.look(a)[1], out.type)
                    total = term if total is None else self.sums.sum(b, total, term)
        if factor is not None and total is not None:
            p = self.partials.shared(b, factor, values, primal, write=True)
            total = self.sums.product(b, row, p, total, out.type)
        self.env[out] = (primal, total if total is not None else lit(0.0, out.type))

    def tangent_chosen(self, row: Row, args: tuple[Atom, ...], primal: Var, b: Builder) -> Atom:
        """Return the tangent of the real argument that a gate chooses, whatever the tangent of the
        other one is."""
        first, second = (i for i, a in enumerate(args) if isinstance(a.type, Real))
        p = partial(b, row, first, self.values(args), primal)
        assert not isinstance(p, Mark)
        return b.prim("select", p, self.tangent(args[first], b), self.tangent(args[second], b))

    def vjp(self, let: Let, op: Vjp, b: Builder) -> None:
        """D(f x, vjp f x u): a derivative term again (``forward_over_reverse``)."""
        refuse_data(self.spaces, (a.type for a in op.args), let)
        if not any(self.on(v) for v in let.vars):
            same = Vjp(op.function, self.values(op.args), op.wrt, self.values(op.seeds))
            self.bind(let, same, b)
            return
        values, tangents = values_and_tangents(self, let, op, b)
        rest = iter(tangents)
        for v, value in zip(let.vars, values, strict=True):
            parts = (value, next(rest)) if self.spaces.bears(v.type) else (value,)
            self.env[v] = parts if self.on(v) else parts[:1]

    def ruled(self, let: Let, op: Ruled, b: Builder) -> None:
        """D(f x) where f has a rule: what the rule gives."""
        args = self.values(op.args)
        if not any(self.on(v) for v in let.vars):
            self.bind(let, Ruled(op.function, args, op.wrt, op.rule, op.names), b)
            return
        refuse_composite(self.spaces, let, op)
        tangents = tuple(self.tangent(op.args[i], b) for i in op.wrt)
        updated = any(a in self.facts.consumed for a in (*op.args, *let.vars))
        made = tangent_of_rule(self.functions, let, op, args, tangents, b, updated=updated)
        rest = iter(made[len(let.vars) :])
        for v, value in zip(let.vars, made, strict=False):
            self.env[v] = (value, next(rest)) if self.spaces.bears(v.type) else (value,)


def tangents(spaces: Spaces, results: tuple[Atom, ...], on: tuple[bool, ...]) -> list[int]:
    """Return the positions of the tangents among the results of a translated block."""
    out: list[int] = []
    n = 0
    for r, active in zip(results, on, strict=True):
        parts = len(spaces.dual(r.type, active))
        out.extend(range(n + 1, n + parts))
        n += parts
    return out

