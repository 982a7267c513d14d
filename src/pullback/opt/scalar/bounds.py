"""Remove checks that cannot fail (of indices, of integer overflow, of requirements), and
comparisons of integers whose outcome can be proved.

``a[i]`` needs no check if ``i`` runs over an extent of ``a``, over the extent with which ``a`` was
built, or over one that the program has required to be equal. ``a[i + 1]``, ``a[n - 1 - i]`` and
triangular loops follow by linear arithmetic (``ranges.Ranges``). ``a[p[i]]`` needs no check if
``p`` holds the numbers of the elements in some order (``distinct``).
"""

from __future__ import annotations

from pullback.core.prims import REQUIRE
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Function,
    If,
    Index,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Program,
    Sum_,
    Update,
    Var,
    While,
)
from pullback.core.traverse import map_blocks, map_children
from pullback.core.types import BOOL, I64, Array, Handle
from pullback.opt.arrays.distinct import distinct_arrays
from pullback.opt.arrays.shapes import Extents, Shapes, stable_arrays
from pullback.opt.scalar.ranges import COMPARED, Ranges

_CHECKED = {"add.ck": "add", "sub.ck": "sub", "mul.ck": "mul", "neg.ck": "neg"}


def remove_checks(program: Program) -> Program:
    """Return the program without the checks that certainly succeed."""
    stable = stable_arrays(program)
    functions = {name: Checks(stable).function(f) for name, f in program.functions.items()}
    return Program(functions, program.decls, program.main)


class Checks:
    """The walk over one function, with the facts that hold at each place. ``names``: the new names
    of variables."""

    def __init__(self, stable: frozenset[Var]) -> None:
        self.names: dict[Var, Atom] = {}
        self.out: list[Let] = []  # the block that is being written
        self.defs: dict[Var, Op] = {}
        self.ranges = Ranges(self.defs)
        self.invented: set[Atom] = set()  # extents that are no variables of the program
        self.shapes = Shapes(stable, self.unknown)
        self.distinct: dict[Var, Atom] = {}

    def atom(self, a: Atom) -> Atom:
        return self.names.get(a, a) if isinstance(a, Var) else a

    def unknown(self, v: Var) -> Extents:
        """Return names for the extents of an array that comes from elsewhere."""
        assert isinstance(v.type, (Array, Handle))
        extents: Extents = [Var("n", I64) for _ in range(v.type.rank)]
        for n in extents:
            assert isinstance(n, Var)
            self.invented.add(n)
            self.shapes.array_of[n] = v
            self.ranges.extents.add(n)  # whatever happens
        return extents

    def function(self, f: Function) -> Function:
        self.distinct = distinct_arrays(f)
        return Function(f.name, f.params, self.block(f.body), f.results)

    def block(self, block: Block) -> Block:
        mark = self.ranges.mark()
        outer, self.out = self.out, []
        for let in block.lets:
            op = self.op(let, self.renamed(let.op))
            if op is not None:
                self.add(Let(let.vars, op, let.site))
        out, self.out = self.out, outer
        self.ranges.forget(mark)
        return Block(tuple(out), tuple(self.atom(a) for a in block.results))

    def add(self, let: Let) -> None:
        self.out.append(let)
        self.learn(let)

    def renamed(self, op: Op) -> Op:
        """Return the op with the present names of its own operands."""
        return map_children(op, self.atom, lambda block: block) if self.names else op

    def learn(self, let: Let) -> None:
        """Add the facts that hold after the let."""
        for v in let.vars:
            self.defs[v] = let.op
        self.shapes.bind(let)
        match let.op:
            case Prim("dim", (a,), (int(axis),)):
                extents = self.shapes.of(a)
                n = extents[axis]
                assert n is not None
                if n in self.invented:  # from here on it has a name in the program
                    extents[axis] = n = let.vars[0]
                    self.ranges.extents.add(n)
                else:
                    self.ranges.given[let.vars[0]] = self.ranges.form(n)
                    self.ranges.extent(let.vars[0])
            case Prim("require" | "require.early", (cond,), _):
                self.ranges.assume(cond, True)
            case Build(extents, _, _):
                for n in extents:
                    self.ranges.extent(n)
            case _:
                return

    def op(self, let: Let, op: Op) -> Op | None:
        """Return the op without needless checks; None if nothing of it remains."""
        match op:
            case Index(a, idx, True):
                return Index(a, idx, False) if self.in_range(a, idx) else op
            case Update(a, idx, value, True):
                return Update(a, idx, value, False) if self.in_range(a, idx) else op
            case Prim(name, args, _):
                return self.prim(let, op, name, args)
            case If(cond, then, orelse):
                mark = self.ranges.mark()
                self.ranges.assume(cond, True)
                first = self.block(then)
                self.ranges.forget(mark)
                self.ranges.assume(cond, False)
                second = self.block(orelse)
                self.ranges.forget(mark)
                return If(cond, first, second)
            case Build() | Sum_() | Loop():
                return self.loop(op)
            case While(carried, inits, cond, body):
                self.shapes.enter(op)
                test = self.block(cond)
                mark = self.ranges.mark()
                self.ranges.assume(test.results[0], True)
                new = While(carried, inits, test, self.block(body))
                self.ranges.forget(mark)
                return new
            case _:
                return map_blocks(op, self.block)

    def loop(self, op: Build | Sum_ | Loop) -> Op:
        """Return the loop with its block rewritten, in which its indices are in range."""
        mark = self.ranges.mark()
        for i, n in loop_indices(op):
            self.ranges.index(i, n)
        self.shapes.enter(op)
        new = map_blocks(op, self.block)
        self.ranges.forget(mark)
        return new

    def prim(self, let: Let, op: Prim, name: str, args: tuple[Atom, ...]) -> Op | None:
        if name in _CHECKED:
            self.defs[let.vars[0]] = op
            return Prim(_CHECKED[name], args) if self.ranges.fits(let.vars[0]) else op
        if name in REQUIRE:
            return None if self.ranges.holds(args[0]) else op
        known: Atom | None = None
        if name in COMPARED and args[0].type == I64:
            if self.ranges.compares(name, *args):
                known = Lit(True, BOOL)
            elif self.ranges.compares(COMPARED[name], *args):
                known = Lit(False, BOOL)
        elif name in ("and", "or") and any(isinstance(a, Lit) for a in args):
            known = _of_literal(name, args)
        elif name == "select" and isinstance(args[0], Lit):
            known = args[1] if args[0].value else args[2]
        elif name in ("max", "min") and args[0].type == I64:
            known = self.larger(*args) if name == "max" else self.larger(args[1], args[0])
            if name == "min" and known is not None:
                known = args[0] if known is args[1] else args[1]
        elif name == "sub" and args[0].type == I64:
            known = self.summand(*args)
        if known is None:
            return op
        self.names[let.vars[0]] = known
        return None

    def larger(self, x: Atom, y: Atom) -> Atom | None:
        """Return the one of two integers that is certainly at least as large as the other."""
        if self.ranges.compares("ge", x, y):
            return x
        return y if self.ranges.compares("le", x, y) else None

    def summand(self, x: Atom, y: Atom) -> Atom | None:
        """Return ``z`` if ``x`` is ``y + z``: so long is ``a[y : y + z]`` where it is in range."""
        match self.defs.get(x) if isinstance(x, Var) else None:
            case Prim("add", (u, v)) if y in (u, v):
                return v if u == y else u
            case _:
                return None

    def in_range(self, a: Atom, idx: tuple[Atom, ...]) -> bool:
        """Whether the indices certainly belong to an element."""
        return all(
            n is not None and (self.ranges.inside(i, n) or self.is_number(i, n))
            for i, n in zip(idx, self.shapes.of(a), strict=False)
        )

    def is_number(self, i: Atom, n: Atom) -> bool:
        """Whether the integer is an element of an array whose numbers are all below ``n``."""
        op = self.defs.get(i) if isinstance(i, Var) else None
        if not isinstance(op, Index) or not isinstance(op.array, Var):
            return False
        limit = self.distinct.get(op.array)
        return limit is not None and self.ranges.compares("eq", limit, n)


def _of_literal(name: str, args: tuple[Atom, ...]) -> Atom | None:
    """Simplify ``a and b`` or ``a or b`` of truth values of which one is a literal."""
    for a, other in (args, args[::-1]):
        if isinstance(a, Lit) and a.type == BOOL:
            return other if a.value == (name == "and") else a
    return None


def loop_indices(op: Build | Sum_ | Loop) -> list[tuple[Var, Atom]]:
    """The indices of a counted loop, with their extents."""
    match op:
        case Build(extents, indices, _) | Sum_(extents, indices, _):
            return list(zip(indices, extents, strict=True))
        case Loop(n, i, _, _, _):
            return [(i, n)]
