"""Constants are folded, identities applied, views composed, extents traced to where they come from.

One walk forwards. A let becomes an atom (and disappears), another op, or several lets:

    Prim of literals                 ->  its value, by the table's NumPy meaning
    Prim                             ->  by the first identity of ``rules.RULES`` that fits
    dim(a)                           ->  the extent that a was made with; for an array that comes
                                         from elsewhere, one ``dim`` where it enters
    Index, AccAdd, ... of a view     ->  the same of the array, by index arithmetic
    a view that shows all of a       ->  a
    If, Case of a known choice       ->  the block taken
    loops of no or one iteration     ->  the initial values, the body (of a sum: 0.0 + the body)
    a carried value that stays       ->  its initial value
"""

from __future__ import annotations

from collections.abc import Iterable

from pullback.core.build import lit, prim_types
from pullback.core.prims import REQUIRE
from pullback.core.rows import Static
from pullback.core.terms import (
    AccAdd,
    AccRead,
    AccTake,
    Atom,
    Block,
    Build,
    Case,
    CaseArm,
    Function,
    If,
    Index,
    Inject,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Program,
    Site,
    Sum_,
    Update,
    Var,
    While,
)
from pullback.core.traverse import map_children, uses
from pullback.core.types import BOOL, I64, Array, Handle, Type
from pullback.opt.arrays.shapes import Extents, Shapes, is_shaped, same, stable_arrays
from pullback.opt.arrays.storage import updated_arrays
from pullback.opt.arrays.views import base_index
from pullback.opt.scalar.match import compared_as_ints, fold, instance, is_scalar, match
from pullback.opt.scalar.ranges import COMPARED
from pullback.opt.scalar.rewrite_rules import by_head

_RULES = by_head()
_TRUE, _FALSE = Lit(True, BOOL), Lit(False, BOOL)


def simplify(program: Program) -> Program:
    """Return the program with all ops replaced that have a simpler form."""
    stable, updated = stable_arrays(program), updated_arrays(program)
    functions = {
        name: _Simplifier(stable, updated).function(f) for name, f in program.functions.items()
    }
    return Program(functions, program.decls, program.main)


class _Simplifier:
    """The walk over one function.

    names   the new names of variables
    defs    the new op of every variable
    out     the lets of the block that is being written
    """

    def __init__(self, stable: frozenset[Var], updated: frozenset[Var]) -> None:
        self.updated = updated
        self.shapes = Shapes(stable, self.unknown)
        self.names: dict[Var, Atom] = {}
        self.decided: dict[Var, Lit] = {}  # conditions, inside their branches
        self.defs: dict[Var, Op] = {}
        self.out: list[Let] = []
        self.axis_of: dict[Var, int] = {}  # extent that depends on the run -> its axis
        self.asked: dict[Var, dict[int, Var]] = {}  # array -> axis -> the extent that is used

    # --- names and extents --------------------------------------------------------------------

    def atom(self, a: Atom) -> Atom:
        if isinstance(a, Var):
            a = self.names.get(a, a)
        return self.decided.get(a, a) if isinstance(a, Var) else a

    def unknown(self, v: Var) -> Extents:
        """Return variables for the extents of ``v``, which are bound beside ``v`` if they are used.
        """
        assert isinstance(v.type, (Array, Handle))
        extents: Extents = []
        for axis in range(v.type.rank):
            n = Var("n", I64)
            self.axis_of[n], self.shapes.array_of[n] = axis, v
            extents.append(n)
        return extents

    def extent(self, a: Atom, axis: int) -> Atom:
        """Return the extent as an atom that may be used wherever ``a`` may be."""
        n = self.shapes.of(a)[axis]
        assert n is not None
        self.want(n)
        return n

    def want(self, n: Atom) -> None:
        if isinstance(n, Var) and n in self.axis_of:
            self.asked.setdefault(self.shapes.array_of[n], {})[self.axis_of[n]] = n

    def name_extents(self, a: Atom) -> None:
        """Bind the extents of an array that is accessed with a check, which depends on them."""
        for n in self.shapes.of(a):
            if n is not None:
                self.want(n)

    def asked_of(self, variables: Iterable[Var]) -> list[Let]:
        """The ``dim`` lets to bind right after ``variables``."""
        return [
            Let((n,), Prim("dim", (v,), (axis,)))
            for v in variables
            if v in self.asked
            for axis, n in sorted(self.asked[v].items())
        ]

    # --- functions, blocks, lets --------------------------------------------------------------

    def function(self, f: Function) -> Function:
        return Function(f.name, f.params, self.block(f.body, f.params), f.results)

    def block(self, block: Block, bound: tuple[Var, ...] = ()) -> Block:
        """The simplified block, in which ``bound`` come into scope."""
        outer, self.out = self.out, []
        for let in block.lets:
            self.let(let)
        results = tuple(self.atom(a) for a in block.results)
        lets, self.out = self.out, outer
        if self.asked:
            lets = self.asked_of(bound) + [
                new for let in lets for new in (let, *self.asked_of(let.vars))
            ]
        return Block(tuple(lets), results)

    def emit(self, variables: tuple[Var, ...], op: Op, site: Site | None) -> None:
        let = Let(variables, op, site)
        self.out.append(let)
        for v in variables:
            self.defs[v] = op
        self.shapes.bind(let)

    def splice(self, variables: tuple[Var, ...], block: Block) -> None:
        """Emit the lets of the block here, and bind ``variables`` to its results."""
        for let in block.lets:
            self.let(let)
        self.rename(variables, block.results)

    def rename(self, variables: tuple[Var, ...], values: tuple[Atom, ...]) -> None:
        for v, a in zip(variables, values, strict=True):
            self.names[v] = self.atom(a)

    def let(self, let: Let) -> None:
        op = let.op
        match op:
            case Prim(name, args, static):
                args = tuple(self.atom(a) for a in args)
                self.prim_let(let, Prim(name, args, static))
            case Index() | AccAdd() | AccRead() | AccTake():
                self.access(let, map_children(op, self.atom, _same_block))
            case If(cond, then, orelse):
                self.if_(let, self.atom(cond), then, orelse)
            case Case(scrutinee, arms):
                self.case(let, self.atom(scrutinee), arms)
            case Build(extents, indices, body):
                new = tuple(self.atom(n) for n in extents)
                self.emit(let.vars, Build(new, indices, self.block(body, indices)), let.site)
            case Sum_(extents, indices, body):
                self.sum(let, tuple(self.atom(n) for n in extents), indices, body)
            case Loop():
                self.loop(let, op)
            case While():
                self.while_(let, op)
            case Update(a, _, _, True):
                self.name_extents(self.atom(a))
                self.emit(let.vars, map_children(op, self.atom, _same_block), let.site)
            case _:
                self.emit(let.vars, map_children(op, self.atom, _same_block), let.site)

    # --- primitives ---------------------------------------------------------------------------

    def prim_let(self, let: Let, op: Prim) -> None:
        if not let.vars:
            if op.name not in REQUIRE or not same(op.args[0], _TRUE):
                self.emit((), op, let.site)
            return
        found = self.known(op.name, op.args, op.static, let.vars[0].type, let.site)
        if found is None:
            self.emit(let.vars, op, let.site)
        else:
            self.names[let.vars[0]] = found

    def prim(
        self, name: str, args: tuple[Atom, ...], site: Site | None, static: Static = ()
    ) -> Atom:
        """Emit a primitive that the simplifier itself needs."""
        (t,) = prim_types(name, args, static)
        found = self.known(name, args, static, t, site)
        if found is not None:
            return found
        v = Var("t", t)
        self.emit((v,), Prim(name, args, static), site)
        return v

    def known(
        self, name: str, args: tuple[Atom, ...], static: Static, t: Type, site: Site | None
    ) -> Atom | None:
        """Return a simpler form of the primitive, if there is one."""
        if name == "dim" and isinstance(static[0], int):
            return self.extent(args[0], static[0])
        if args and is_shaped(args[0]):
            return self.whole_view(name, args, static)
        if all(isinstance(a, Lit) for a in args):
            value = fold(name, args, static, t)
            if value is not None:
                return value
        if name in ("to_real", "to_int") and args[0].type == t:
            return args[0]
        if name in COMPARED:
            ints = compared_as_ints(args, self.defs)
            if ints is not None:
                return self.prim(name, ints, site)
        for rule in _RULES.get(name, ()):
            binding = match(rule, Prim(name, args, static), self.defs)
            if binding is not None:
                return instance(rule.result, binding, lambda n, *xs: self.prim(n, xs, site))
        return None

    # --- arrays -------------------------------------------------------------------------------

    def whole_view(self, name: str, args: tuple[Atom, ...], static: Static) -> Atom | None:
        """Return the array itself if the view shows all of it unchanged."""
        a = args[0]
        have = self.shapes.of(a)
        match name:
            case "reshape" | "broadcast":
                if len(args) - 1 == len(have) and all(map(same, args[1:], have)):
                    return None if name == "reshape" and a in self.updated else a
            case "transpose":
                if static == tuple(range(len(have))):
                    return a
            case "slice":
                axis = static[0]
                assert isinstance(axis, int)
                whole = same(args[1], Lit(0, I64)) and same(args[3], Lit(1, I64))
                if whole and same(args[2], have[axis]):
                    return a
            case "pick":
                op = self.defs.get(a) if isinstance(a, Var) else None
                if isinstance(op, Prim) and op.name == "expand" and op.static == static:
                    return op.args[0]
            case _:
                return None
        return None

    def access(self, let: Let, op: Op) -> None:
        """Replace an access of a view by one of the array behind it."""
        match op:
            case Index(a, _, True):
                self.name_extents(a)
            case Index(a, idx, False):
                a, idx = self.behind(a, idx, let.site)
                source = self.defs.get(a) if isinstance(a, Var) else None
                if isinstance(source, Prim) and source.name == "stop_gradient":
                    v = Var(let.vars[0].name, let.vars[0].type)
                    self.access(Let((v,), op, let.site), Index(source.args[0], idx, False))
                    self.emit(let.vars, Prim("stop_gradient", (self.atom(v),)), let.site)
                    return
                op = Index(a, idx, False)
            case AccAdd(h, idx, value):
                h, idx = self.behind(h, idx, let.site)
                op = AccAdd(h, idx, value)
            case AccRead(h, idx, bits):
                h, idx = self.behind(h, idx, let.site)
                op = AccRead(h, idx, bits)
            case AccTake(h, idx, bits):
                h, idx = self.behind(h, idx, let.site)
                op = AccTake(h, idx, bits)
            case _:
                pass
        self.emit(let.vars, op, let.site)

    def behind(
        self, a: Atom, idx: tuple[Atom, ...], site: Site | None
    ) -> tuple[Atom, tuple[Atom, ...]]:
        """Return the array of which ``a`` is a view, and the place of the element ``a[idx]`` in it.
        """
        while isinstance(a, Var):
            op = self.defs.get(a)
            if not isinstance(op, Prim):
                break
            if op.name == "copy" and a not in self.updated and op.args[0] not in self.updated:
                a = op.args[0]
                continue
            there = base_index(
                op, idx, self.shapes, lambda name, *args: self.prim(name, args, site)
            )
            if there is None:
                break
            a, idx = op.args[0], there
        return a, idx

    # --- branches -----------------------------------------------------------------------------

    def if_(self, let: Let, cond: Atom, then: Block, orelse: Block) -> None:
        if isinstance(cond, Lit):
            self.splice(let.vars, then if cond.value else orelse)
            return
        negated = self.defs.get(cond) if isinstance(cond, Var) else None
        if isinstance(negated, Prim) and negated.name == "not":
            self.if_(let, self.atom(negated.args[0]), orelse, then)
            return
        op = If(cond, self.given(cond, _TRUE, then), self.given(cond, _FALSE, orelse))
        kept = []
        for k, v in enumerate(let.vars):
            x, y = op.then.results[k], op.orelse.results[k]
            if same(x, y):
                self.names[v] = x
            elif not op.then.lets and not op.orelse.lets and is_scalar(v.type):
                self.names[v] = self.prim("select", (cond, x, y), let.site)
            else:
                kept.append(k)
        if len(kept) < len(let.vars):
            op = If(cond, _results(op.then, kept), _results(op.orelse, kept))
        if kept or op.then.lets or op.orelse.lets:
            self.emit(tuple(let.vars[k] for k in kept), op, let.site)

    def given(self, cond: Atom, value: Lit, block: Block) -> Block:
        """Return the block simplified under the assumption that ``cond`` has this value."""
        assert isinstance(cond, Var)
        self.decided[cond] = value
        new = self.block(block)
        del self.decided[cond]
        return new

    def case(self, let: Let, scrutinee: Atom, arms: tuple[CaseArm, ...]) -> None:
        source = self.defs.get(scrutinee) if isinstance(scrutinee, Var) else None
        if isinstance(source, Inject) and scrutinee not in self.updated:
            arm = arms[source.tag]
            self.rename(arm.fields, source.fields)
            self.splice(let.vars, arm.body)
            return
        new = tuple(CaseArm(arm.fields, self.block(arm.body, arm.fields)) for arm in arms)
        self.emit(let.vars, Case(scrutinee, new), let.site)

    # --- loops --------------------------------------------------------------------------------

    def sum(
        self, let: Let, extents: tuple[Atom, ...], indices: tuple[Var, ...], body: Block
    ) -> None:
        zero = Lit(0, I64)
        if any(same(n, zero) for n in extents):
            for v in let.vars:
                self.names[v] = lit(0.0, v.type)
        elif all(same(n, Lit(1, I64)) for n in extents):
            self.rename(indices, (zero,) * len(indices))
            self.splice(let.vars, body)
            for v in let.vars:  # a sum begins with 0.0, to which -0.0 is added
                args = self.names[v], lit(0.0, v.type)
                self.names[v] = self.prim("add", args, let.site)
        else:
            self.emit(let.vars, Sum_(extents, indices, self.block(body, indices)), let.site)

    def loop(self, let: Let, op: Loop) -> None:
        count, width = self.atom(op.count), len(op.carried)
        if isinstance(count, Lit) and count.value <= 1 and len(let.vars) == width:
            if count.value <= 0:
                self.rename(let.vars, op.inits)
                return
            self.rename((op.index, *op.carried), (Lit(0, I64), *op.inits))
            self.splice(let.vars, op.body)
            return
        found, op = self.without_constants(let, op, count)
        carried, inits, kept, body = self.moving(found, op)
        self.shapes.enter(Loop(count, op.index, carried, inits, body))
        new = Loop(count, op.index, carried, inits, self.block(body, (op.index, *carried)))
        self.emit(kept, new, let.site)

    def without_constants(
        self, let: Let, op: Loop, count: Atom
    ) -> tuple[tuple[Var, ...], Loop]:
        """Return results and loop without the numbers that the body does not read and that every
        round makes the same literal: they are that one if there is a round."""
        ends = op.body.results
        last = {
            k for k, c in enumerate(op.carried)
            if isinstance(ends[k], Lit) and not is_shaped(c)
        }  # fmt: skip
        read = uses(op.body) if last else {}
        last = {k for k in last if not read.get(op.carried[k])}
        if not last:
            return let.vars, op
        some = self.prim("gt", (count, Lit(0, I64)), let.site)
        for k in last:
            args = some, ends[k], self.atom(op.inits[k])
            self.names[let.vars[k]] = self.prim("select", args, let.site)
        stay = [k for k in range(len(op.carried)) if k not in last]
        kept = (*stay, *range(len(op.carried), len(let.vars)))
        rest = Loop(
            op.count, op.index, tuple(op.carried[k] for k in stay),
            tuple(op.inits[k] for k in stay), _results(op.body, kept),
        )  # fmt: skip
        return tuple(let.vars[k] for k in kept), rest

    def while_(self, let: Let, op: While) -> None:
        width = len(op.carried)
        if not op.cond.lets and len(let.vars) == width and same(op.cond.results[0], _FALSE):
            self.rename(let.vars, op.inits)
            return
        carried, inits, kept, body = self.moving(let.vars, op)
        self.shapes.enter(While(carried, inits, op.cond, body))
        cond = self.block(op.cond, carried)
        # Both blocks bind the extents of carried variables, to different variables.
        for v in carried:
            self.asked.pop(v, None)
            if is_shaped(v) and v not in self.shapes.stable:
                self.shapes.known.pop(v, None)
        new = While(carried, inits, cond, self.block(body, carried))
        self.emit(kept, new, let.site)

    def moving(
        self, results: tuple[Var, ...], op: Loop | While
    ) -> tuple[tuple[Var, ...], tuple[Atom, ...], tuple[Var, ...], Block]:
        """Return carried variables, initial values, results and body of a loop, without the
        variables that the body does not change: these are replaced by their initial values."""
        moving = []
        for k, c in enumerate(op.carried):
            if op.body.results[k] is c or same(
                self.atom(op.body.results[k]), self.atom(op.inits[k])
            ):
                self.rename((c, results[k]), (op.inits[k], op.inits[k]))
            else:
                moving.append(k)
        carried = tuple(op.carried[k] for k in moving)
        inits = tuple(self.atom(op.inits[k]) for k in moving)
        kept = (*moving, *range(len(op.carried), len(results)))
        return carried, inits, tuple(results[k] for k in kept), _results(op.body, kept)


def _same_block(block: Block) -> Block:
    return block


def _results(block: Block, kept: Iterable[int]) -> Block:
    return Block(block.lets, tuple(block.results[k] for k in kept))
