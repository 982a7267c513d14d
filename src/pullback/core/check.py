"""Check that a Core program is well formed in the dialect that the pass before promises.

Checked are the types of everything, scoping, that a variable is bound once in the whole program,
the constructors and types of the dialect, and consumption: an array that an Update consumed is not
used afterwards, and neither is a view of it, on any path:

    - after a branch of which one arm consumed it (unless that arm raises in any case);
    - after a loop into which it was carried, if the loop's body consumes the carried variable;
      that body must not see the array under its old name, nor keep the version that the next
      iteration updates;
    - a loop body consumes only what it made itself or what the loop carries;
    - main consumes none of its parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from pullback.core.build import prim_types
from pullback.core.consumption import misuses
from pullback.core.pretty import show_let, show_type
from pullback.core.prims import EXCEPTIONS, REQUIRE
from pullback.core.prims_discrete import AGAIN
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
    Dialect,
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
    Program,
    Project,
    Pulls,
    Pushes,
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
    atoms,
)
from pullback.core.types import (
    BOOL,
    F64,
    I64,
    Array,
    Bool,
    Handle,
    Int,
    Named,
    Real,
    Sum,
    Tuple,
    Type,
    Variant,
    has_reals,
    variants_of,
)


class CheckError(Exception):
    """A pass returned an ill-formed program. It is the compiler's mistake, never the user's."""


def check(program: Program, dialect: Dialect, owned: bool = True) -> None:
    """Raise CheckError, which names the function and prints the let, if anything is wrong.

    ``owned``: also check that no array is used after an update has consumed it. Before
    ``convert/ownership`` has inserted copies, updates are of values.
    """
    checker = _Checker(program, dialect)
    checker.program_()
    if owned:
        checker.uses()


_STRUCTURED = (MakeTuple, Project)
_DERIVATIVES = (Vjp, Jvp, Ruled)
_ACCUMULATORS = (
    AccNew, AccAdd, AccRead, AccTake, TapeRoom, TapePush, TapeWrite, TapeRead
)
_FORBIDDEN: dict[Dialect, tuple[type, ...]] = {
    Dialect.SOURCE: (*_ACCUMULATORS, Handle),
    Dialect.FLAT: (*_STRUCTURED, *_ACCUMULATORS, Handle, Tuple),
    Dialect.ACCUMULATING: (*_STRUCTURED, *_DERIVATIVES, Tuple),
}


class _Checker:
    def __init__(self, program: Program, dialect: Dialect) -> None:
        self.p = program
        self.dialect = dialect
        self.forbidden = _FORBIDDEN[dialect]
        self.bound: set[Var] = set()
        self.scope: set[Var] = set()
        self.known_types: set[Type] = set()
        self.function = ""

    def fail(self, message: str) -> None:
        where = f"function {self.function}: " if self.function else ""
        raise CheckError(f"[{self.dialect.value}] {where}{message}")

    def need(self, ok: bool, message: str) -> None:
        if not ok:
            self.fail(message)

    # --- program, types ---------------------------------------------------------------------------

    def program_(self) -> None:
        self.need(self.p.main in self.p.functions, f"no function {self.p.main!r} to be main")
        for name, decl in self.p.decls.items():
            self.need(name == decl.name, f"declaration {decl.name!r} under the name {name!r}")
            for v in decl.variants:
                for t in v.fields:
                    self.type(t)
        for name, fn in self.p.functions.items():
            self.need(name == fn.name, f"function {fn.name!r} under the name {name!r}")
            for t in fn.results:
                self.type(t)
        for fn in self.p.functions.values():
            self.function_(fn)

    def uses(self) -> None:
        """Check that no array is used after it was consumed."""
        for fn, x, message in misuses(self.p):
            self.function = fn.name
            self.fail(message + (_shown(x) if x else " in a result"))

    def type(self, t: Type) -> None:
        """Check that a type is well formed and allowed in this dialect."""
        if t in self.known_types:
            return
        self.need(not isinstance(t, self.forbidden), f"no {show_type(t)} in this dialect")
        match t:
            case Real(bits):
                self.need(bits in (32, 64), f"a number of {bits} bits")
            case Int(bits):
                self.need(bits in (8, 16, 32, 64), f"an integer of {bits} bits")
            case Bool():
                pass
            case Array(elem, rank):
                self.need(rank >= 1, f"an array of rank {rank}")
                self.type(elem)
            case Tuple(items, names, _):
                self.need(not names or len(names) == len(items), f"names of {show_type(t)}")
                for i in items:
                    self.type(i)
            case Sum(variants):
                for v in variants:
                    for f in v.fields:
                        self.type(f)
            case Named(name):
                self.need(name in self.p.decls, f"no declaration {name!r}")
            case Handle(rank):
                self.need(rank >= 0, f"a handle of rank {rank}")
            case _:
                assert_never(t)
        self.known_types.add(t)

    def function_(self, fn: Function) -> None:
        self.function = fn.name
        self.scope = set()
        self.bind(fn.params)
        got = self.block(fn.body, ())
        self.equal(got, fn.results, "results")

    def bind(self, vs: Sequence[Var]) -> None:
        for v in vs:
            self.need(v not in self.bound, f"variable {v.name} (id {v.id}) is bound twice")
            self.type(v.type)
            self.bound.add(v)
            self.scope.add(v)

    def equal(self, got: Sequence[Type], want: Sequence[Type], what: str) -> None:
        if tuple(got) != tuple(want):
            shown = [", ".join(show_type(t) for t in ts) for ts in (got, want)]
            self.fail(f"{what}: ({shown[0]}) where ({shown[1]}) is wanted")

    # --- blocks -----------------------------------------------------------------------------------

    def block(self, b: Block, params: Sequence[Var]) -> tuple[Type, ...]:
        """Return the types of the results; the variables of the block then go out of scope."""
        self.bind(params)
        local = list(params)
        for x in b.lets:
            try:
                self.let(x)
            except CheckError as e:
                if "\n" in str(e):  # the message already shows the innermost let
                    raise
                raise CheckError(f"{e}{_shown(x)}") from None
            local.extend(x.vars)
        for a in b.results:
            self.atom(a)
        self.scope.difference_update(local)
        return tuple(a.type for a in b.results)

    def let(self, x: Let) -> None:
        op = x.op
        self.need(not isinstance(op, self.forbidden), f"{type(op).__name__} not in this dialect")
        for a in atoms(op):
            self.atom(a)
        types = self.op(op, tuple(v.type for v in x.vars))
        self.equal(tuple(v.type for v in x.vars), types, "variables")
        self.bind(x.vars)

    def atom(self, a: Atom) -> None:
        match a:
            case Var():
                self.need(a in self.scope, f"variable {a.name} (id {a.id}) is not in scope")
            case Lit(value, t):
                ok = {
                    Real: isinstance(value, (float, int)) and not isinstance(value, bool),
                    Int: isinstance(value, int) and not isinstance(value, bool),
                    Bool: isinstance(value, bool),
                }.get(type(t), False)
                self.need(ok, f"literal {value!r} of type {show_type(t)}")
            case _:
                assert_never(a)

    # --- ops --------------------------------------------------------------------------------------

    def op(self, op: Op, out: tuple[Type, ...]) -> tuple[Type, ...]:
        """Return the result types; ``out`` (the types of the variables) decides where the op leaves
        them open."""
        match op:
            case Prim(name, args, static):
                return self.prim(name, args, static)
            case MakeTuple(t, items):
                self.type(t)
                self.need(isinstance(t, Tuple), "not a tuple type")
                assert isinstance(t, Tuple)
                self.equal(_types(items), t.items, "items")
                return (t,)
            case Project(a, i):
                match a.type:
                    case Tuple(components) if 0 <= i < len(components):
                        return (components[i],)
                    case _:
                        self.fail(f"no component {i} in {show_type(a.type)}")
                        return ()
            case Inject(t, tag, fields):
                self.type(t)
                variants = self.variants(t)
                self.need(0 <= tag < len(variants), f"no variant {tag} in {show_type(t)}")
                self.equal(_types(fields), variants[tag].fields, "fields")
                return (t,)
            case Case() | If():
                return self.branches(op)
            case Call(f, args):
                fn = self.callee(f)
                self.equal(_types(args), _types(fn.params), f"arguments of {f}")
                return fn.results
            case Build(extents, indices, body):
                self.ints((*extents, *indices), "extents and indices")
                self.need(len(extents) == len(indices) > 0, "one index per extent")
                return tuple(Array(t, len(extents)) for t in self.block(body, indices))
            case Sum_(extents, indices, body):
                self.ints((*extents, *indices), "extents and indices")
                self.need(len(extents) == len(indices) > 0, "one index per extent")
                types = self.block(body, indices)
                self.need(all(isinstance(t, Real) for t in types), "sums of reals only")
                return types
            case Loop(n, i, carried, inits, body):
                self.ints((n, i), "count and index")
                return self.carry(carried, inits, body, (i,))
            case While(carried, inits, cond, body):
                self.equal(self.block(cond, carried), (BOOL,), "condition")
                self.bound -= set(carried)  # bound once for both blocks
                return self.carry(carried, inits, body, ())
            case Index(a, idx, _):
                return (self.element(a, idx),)
            case Update(a, idx, v, checked):
                self.equal((v.type,), (self.updated(a, idx, checked),), "value")
                self.need(isinstance(a, Var), "update of a literal")
                return (a.type,)
            case Ruled():
                return self.ruled(op)
            case Vjp() | Jvp():
                return self.derivative(op, out)
            case AccNew(extents):
                self.ints(extents, "extents")
                return (Handle(len(extents)),)
            case AccAdd(h, idx, v):
                self.cell(h, idx)
                self.need(isinstance(v.type, Real), "an accumulator takes reals")
                return ()
            case AccRead(h, idx, bits) | AccTake(h, idx, bits):
                self.cell(h, idx)
                return (Real(bits),)
            case TapeRoom() | TapePush() | TapeWrite() | TapeRead():
                return self.tape(op)
            case _:
                assert_never(op)

    def tape(self, op: TapeRoom | TapePush | TapeWrite | TapeRead) -> tuple[Type, ...]:
        match op:
            case TapeRoom(n):
                self.ints((n,), "room")
                return (I64,)
            case TapePush(words, count, room):
                self.ints([a for sizes in (*count, *room) for a in sizes], "room")
                self.words(_types(words))
                return (I64, I64)
            case TapeWrite(at, word):
                self.ints((at,), "the number of a word")
                self.words(_types((word,)))
                return ()
            case TapeRead(last):
                self.ints((last,), "the last row")
                return (Array(I64, 1), Array(F64, 1), I64)

    def words(self, types: Sequence[Type]) -> None:
        self.need(all(t in (I64, F64) for t in types), "words are int64 or float64")

    def prim(
        self, name: str, args: tuple[Atom, ...], static: Static
    ) -> tuple[Type, ...]:
        try:
            types = prim_types(name, args, static)
        except TypeError as e:
            self.fail(str(e))
            return ()
        if name in REQUIRE:
            raised = static[0]
            known = isinstance(raised, type) or raised in EXCEPTIONS or raised == AGAIN
            self.need(known, f"no built-in exception {raised!r}")
        return types

    def callee(self, f: str) -> Function:
        self.need(f in self.p.functions, f"no function {f!r}")
        return self.p.functions[f]

    def variants(self, t: Type, arms: int = 0) -> tuple[Variant, ...]:
        if isinstance(t, Int) and self.dialect is Dialect.ACCUMULATING:
            return tuple(Variant(str(k), ()) for k in range(arms))
        self.need(isinstance(t, (Sum, Named)), f"{show_type(t)} is not a sum")
        return variants_of(t, self.p.decls)

    def branches(self, op: Case | If) -> tuple[Type, ...]:
        match op:
            case If(c, then, orelse):
                self.equal((c.type,), (BOOL,), "condition")
                types = [self.block(then, ()), self.block(orelse, ())]
            case Case(a, arms):
                variants = self.variants(a.type, len(arms))
                self.need(len(arms) == len(variants), f"{len(arms)} arms, {len(variants)} variants")
                self.need(len(arms) > 0, "no arms")
                for arm, v in zip(arms, variants, strict=True):
                    self.equal(_types(arm.fields), v.fields, f"fields of {v.name}")
                types = [self.block(arm.body, arm.fields) for arm in arms]
            case _:
                assert_never(op)
        for other in types[1:]:
            self.equal(other, types[0], "results of one branch")
        return types[0]

    def carry(
        self, carried: Sequence[Var], inits: Sequence[Atom], body: Block, index: Sequence[Var]
    ) -> tuple[Type, ...]:
        self.equal(_types(inits), _types(carried), "initial values")
        types = self.block(body, (*index, *carried))
        n = len(carried)
        self.equal(types[:n], _types(carried), "next values")
        return types[:n] + tuple(Array(t, 1) for t in types[n:])

    def derivative(self, op: Vjp | Jvp, out: tuple[Type, ...]) -> tuple[Type, ...]:
        """Check a derivative term: cotangents and tangents have the types of their primals. Those
        of records and other data are decided by flatten, so before it only numbers and arrays are
        compared."""
        fn = self.callee(op.function)
        self.equal(_types(op.args), _types(fn.params), f"arguments of {fn.name}")
        self.need(all(0 <= i < len(op.args) for i in op.wrt), "wrt out of range")
        wrt = tuple(op.args[i].type for i in op.wrt)
        real = tuple(t for t in fn.results if has_reals(t, self.p.decls))
        flat = all(not isinstance(t, Tuple) for t in (*fn.results, *wrt))
        match op:
            case Vjp():
                given, wanted, more = op.seeds, real, wrt
            case Jvp():
                order = max(1, len(op.tangents) // max(1, len(wrt)))
                given, wanted, more = op.tangents, wrt * order, real * order
            case _:
                assert_never(op)
        if not flat:
            return fn.results + out[len(fn.results) :]
        self.equal(_types(given), wanted, "seeds or tangents")
        return fn.results + more

    def ruled(self, op: Ruled) -> tuple[Type, ...]:
        """Check a call of a function with a rule, and the signatures of the rule's functions."""
        fn = self.callee(op.function)
        self.equal(_types(op.args), _types(fn.params), f"arguments of {fn.name}")
        self.need(len(op.names) == len(op.args), "a name for each argument")
        self.need(all(0 <= i < len(op.args) for i in op.wrt), "wrt out of range")
        wrt = tuple(op.args[i].type for i in op.wrt)
        real = tuple(t for t in fn.results if has_reals(t, self.p.decls))
        if any(isinstance(t, Tuple) for t in (*fn.results, *_types(op.args))):
            return fn.results
        match op.rule:
            case Pushes(_, tangent):
                rule = self.callee(tangent)
                self.equal(_types(rule.params), (*_types(op.args), *wrt), "primals and tangents")
                self.equal(rule.results, (*fn.results, *real), "results and their tangents")
            case Pulls(_, forward, backward):
                first, second, n = self.callee(forward), self.callee(backward), len(fn.results)
                self.equal(_types(first.params), _types(op.args), f"arguments of {forward}")
                self.equal(first.results[:n], fn.results, f"results of {forward}")
                given = (*first.results[n:], *real)
                self.equal(_types(second.params), given, "residuals and seeds")
                self.equal(second.results, wrt, f"results of {backward}")
            case _:
                assert_never(op.rule)
        return fn.results

    def ints(self, xs: Sequence[Atom], what: str) -> None:
        self.need(all(x.type == I64 for x in xs), f"{what} must be i64")

    def element(self, a: Atom, idx: Sequence[Atom]) -> Type:
        self.ints(idx, "indices")
        match a.type:
            case Array(elem, rank) if rank == len(idx):
                return elem
            case _:
                self.fail(f"{len(idx)} indices into {show_type(a.type)}")
                return a.type

    def updated(self, a: Atom, idx: Sequence[Atom], checked: bool) -> Type:
        """Return the type of the value that an update replaces: an element, or one inside of it."""
        t = a.type
        self.ints(idx, "indices")
        rest = len(idx)
        while isinstance(t, Array) and rest >= t.rank:
            rest, t = rest - t.rank, t.elem
            if rest == 0:
                return t
            self.need(not checked, "a checked update inside of an element")
        self.fail(f"{len(idx)} indices into {show_type(a.type)}")
        return t

    def cell(self, h: Atom, idx: Sequence[Atom]) -> None:
        self.ints(idx, "indices")
        self.need(h.type == Handle(len(idx)), f"{len(idx)} indices into {show_type(h.type)}")


def _types(xs: Sequence[Atom]) -> tuple[Type, ...]:
    return tuple(x.type for x in xs)


def _shown(x: Let) -> str:
    site = f"\n  at {x.site.file}:{x.site.line}" if x.site else ""
    return f" in\n{show_let(x)}{site}"
