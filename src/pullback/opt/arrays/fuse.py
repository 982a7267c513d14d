"""Compute an element of a built array where it is read, if that costs nothing. (Deforestation.)

    let a = build i. e[i];  ... a[j] ...   ==>   ... e[j] ...

in two cases:

1. ``e`` is an *index function*: a few cheap scalar steps and at most one read, or two of arrays of
   lower rank than ``a``. Then any read.
2. Every element is read at most once: the reads of ``a`` all stand in one block, at the same
   indices, and every loop between ``a`` and them has its variable alone in one of the indices
   (``j``, ``j + c``, ``c - j``, ``2 * j``). Then nothing is computed twice; in a branch that is not
   taken it is not computed at all.

The arrays that ``e`` reads must not be updated until then, because it reads them later now: never,
or (case 2) not before the loop of the reads has ended. A body that can
raise moves (case 2) only into a loop over the same extents that raises nothing itself, and past
nothing that raises: then the same errors come in the same order, and none if the loop has no
iterations. In case 2 the build is removed in the same step; otherwise it would run once more, at
every level of a recursion, for its errors.
"""

from __future__ import annotations

from pullback.core.effects import PURE, RAISE, Effect, EffectsOf, may_duplicate
from pullback.core.frozen import dataclass, field
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Case,
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
    Var,
    While,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import free_variables, map_children, refresh
from pullback.core.types import I64, Array
from pullback.opt.arrays.lane_axis import gains_outside
from pullback.opt.arrays.shapes import same
from pullback.opt.arrays.storage import updated_arrays

CHEAP_STEPS = 4
"""An index function has at most this many scalar operations."""

MOST_READS = 2
"""It has one read, or at most so many if all are of arrays of lower rank: a difference of all pairs
takes more memory than what it is computed from."""


def fuse(program: Program) -> Program:
    """Return the program with elements computed where they are read."""
    effects, updated = EffectsOf(program), updated_arrays(program)
    functions = {}
    for name, f in program.functions.items():
        reads = _Reads()
        reads.block(f.body, ())
        functions[name] = _Fuser(effects, updated, reads).function(f)
    return Program(functions, program.decls, program.main)


# --- who reads what -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Read:
    """One read of an element: the block where it stands, the ops around it, and itself."""

    block: Block
    around: tuple[Let, ...]
    op: Index

    @property
    def indices(self) -> tuple[Atom, ...]:
        return self.op.indices


@dataclass
class _Reads:
    """For every array its reads, or None if it has another use too; for every variable its op, if a
    let binds it, and the number of ops around it."""

    of: dict[Var, list[_Read] | None] = field(default_factory=dict)
    defs: dict[Var, Op] = field(default_factory=dict)
    depth: dict[Var, int] = field(default_factory=dict)

    def block(self, block: Block, around: tuple[Let, ...]) -> None:
        for let in block.lets:
            for v in let.vars:
                self.defs[v], self.depth[v] = let.op, len(around)
            others = atoms(let.op)
            if isinstance(let.op, Index) and isinstance(let.op.array, Var):
                found = self.of.setdefault(let.op.array, [])
                if found is not None and not let.op.checked:
                    found.append(_Read(block, around, let.op))
                    others = let.op.indices
            self.other(others)
            for bound, inner in sub_blocks(let.op):
                self.depth.update(dict.fromkeys(bound, len(around) + 1))
                self.block(inner, (*around, let))
        self.other(block.results)

    def other(self, some: tuple[Atom, ...]) -> None:
        for a in some:
            if isinstance(a, Var) and isinstance(a.type, Array):
                self.of[a] = None


def _has_lanes(op: Build) -> bool:
    """Whether the op builds numbers by loops that run in lanes side by side, and would not in a
    sequential loop (``opt/control/distribution.py``)."""
    numbers = not any(isinstance(r.type, Array) for r in op.body.results)
    loops = any(isinstance(x.op, (Sum_, Loop)) for x in op.body.lets)
    return numbers and loops and gains_outside(op)


# --- the walk -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Built:
    """A build that may be fused: its let (with the new body), its block, its position there."""

    let: Let
    op: Build
    depth: int
    position: int
    once: bool  # case 2 holds for all of its results
    raises: bool


class _Fuser:
    """The walk over one function. ``depth_of``: the number of ops around the let of a variable."""

    def __init__(self, effects: EffectsOf, updated: frozenset[Var], reads: _Reads) -> None:
        self.effects = effects
        self.updated = updated
        self.reads = reads
        self.names: dict[Var, Atom] = {}
        self.defs: dict[Var, Op] = {}
        self.depth_of: dict[Var, int] = {}
        self.built: dict[Var, tuple[_Built, int]] = {}
        self.depth = 0
        self.done: list[list[tuple[Let, tuple[Atom, ...], tuple[Atom, ...]]]] = []
        self.gone: set[Let] = set()  # builds whose body has moved

    def atom(self, a: Atom) -> Atom:
        return self.names.get(a, a) if isinstance(a, Var) else a

    def function(self, f: Function) -> Function:
        self.bind(f.params)
        return Function(f.name, f.params, self.block(f.body), f.results)

    def bind(self, variables: tuple[Var, ...]) -> None:
        for v in variables:
            self.depth_of[v] = self.depth

    def block(self, block: Block) -> Block:
        out: list[Let] = []
        self.done.append([])
        for position, let in enumerate(block.lets):
            if isinstance(let.op, Index) and self.read(let, let.op, out):
                continue
            self.depth += 1
            for bound, _ in sub_blocks(let.op):
                self.bind(bound)
            op = map_children(let.op, self.atom, self.block)
            self.depth -= 1
            new = Let(let.vars, op, let.site)
            self.add(new, out)
            if isinstance(op, Build):
                self.register(let, new, op, block, position)
        self.done.pop()
        stay = tuple(let for let in out if let not in self.gone)
        return Block(stay, tuple(self.atom(a) for a in block.results))

    def add(self, let: Let, out: list[Let]) -> None:
        out.append(let)
        self.bind(let.vars)
        for v in let.vars:
            self.defs[v] = let.op

    # --- which builds -------------------------------------------------------------------------

    def register(self, old: Let, new: Let, op: Build, block: Block, position: int) -> None:
        """Note that the build may be fused."""
        effects = self.effects.block(op.body)
        if not effects <= RAISE:
            return
        once = self.read_once(old, op, block, position, effects != PURE)
        moves = self.updated.isdisjoint(free_variables(op.body))
        if not moves and not (once and self.before_updates(old, block, position)):
            return
        built = _Built(new, op, self.depth, position, once, effects != PURE)
        for k, v in enumerate(new.vars):
            self.built[v] = built, k

    def read_once(
        self, let: Let, new: Build, block: Block, position: int, raises: bool
    ) -> bool:
        """Case 2, decided on the program before the walk, and what has been fused into the build
        since."""
        reads: list[_Read] = []
        for v in let.vars:
            mine = self.reads.of.get(v, [])
            if mine is None:
                return False
            reads.extend(mine)
        if not reads:
            return False
        first = reads[0]
        for read in reads[1:]:
            if read.block is not first.block or not all(map(same, read.indices, first.indices)):
                return False
        path = first.around[self.depth :]
        if raises and not self.may_raise_there(let, block, position, path, first.indices):
            return False
        if any(isinstance(x.op, Loop) for x in path) and _has_lanes(new):
            return False
        return self.path_is_injective(path, first.indices)

    def before_updates(self, let: Let, block: Block, position: int) -> bool:
        """Whether nothing is updated from a build that is read once until it has been read."""
        reads = [read for v in let.vars for read in self.reads.of.get(v) or ()]
        path = reads[0].around[self.depth :]
        there = [path[0].op] if path else [read.op for read in reads]
        left = len(there)
        for between in block.lets[position + 1 :]:
            if Effect.CONSUME in self.effects(between.op):
                return False
            left -= any(between.op is op for op in there)
            if not left:
                return True
        return False

    def may_raise_there(
        self,
        let: Let,
        block: Block,
        position: int,
        path: tuple[Let, ...],
        indices: tuple[Atom, ...],
    ) -> bool:
        """Whether a body that can raise may move into the one loop of the path."""
        if len(path) != 1 or not isinstance(path[0].op, (Build, Sum_)):
            return False
        loop, build = path[0].op, let.op
        assert isinstance(build, Build)
        if len(loop.extents) != len(build.extents) or not all(
            map(same, loop.extents, build.extents)
        ):
            return False
        if indices != loop.indices or not self.effects.is_pure(loop):
            return False
        for between in block.lets[position + 1 :]:
            if between is path[0]:
                return True
            if not self.effects.is_pure(between.op):
                return False
        return False

    def path_is_injective(self, path: tuple[Let, ...], indices: tuple[Atom, ...]) -> bool:
        """Whether the loops of the path visit each element at most once."""
        variables: set[Var] = set()
        for let in path:
            match let.op:
                case Build(_, own, _) | Sum_(_, own, _):
                    variables.update(own)
                case Loop(_, index, _, _, _):
                    variables.add(index)
                case While():
                    return False
                case If() | Case():
                    pass
                case _:
                    return False
        alone = {_only_variable(i, variables, self.reads, self.depth, 8) for i in indices}
        return variables <= alone

    # --- reads --------------------------------------------------------------------------------

    def read(self, let: Let, op: Index, out: list[Let]) -> bool:
        """Compute the element here if that is allowed; return False if it must be read."""
        array = self.atom(op.array)
        if op.checked or not isinstance(array, Var):
            return False
        idx = tuple(self.atom(i) for i in op.indices)
        source = self.defs.get(array)
        if isinstance(source, Prim) and source.name == "reshape":
            flat = source.args[0]
            if isinstance(flat, Var) and flat.type == _rank_one(flat) and flat in self.built:
                built, k = self.built[flat]
                body = _index_function(built.op.body, built.op.indices, k)
                if body is not None:
                    linear = self.linear(idx, source.args[1:], out)
                    self.instance(let, body, built.op.indices, (linear,), out)
                    return True
        if array not in self.built:
            return False
        built, k = self.built[array]
        if built.once:  # so all its other reads are in this block too
            self.gone.add(built.let)
        body = None if built.raises else _index_function(built.op.body, built.op.indices, k)
        if body is not None:
            self.instance(let, body, built.op.indices, idx, out)
            return True
        if not built.once:
            return False
        for other, at, results in self.done[-1]:
            if other is built.let and all(map(same, at, idx)):
                self.names[let.vars[0]] = results[k]
                return True
        results = self.place(built.op.body, built.op.indices, idx, out)
        self.done[-1].append((built.let, idx, results))
        self.names[let.vars[0]] = results[k]
        return True

    def instance(
        self,
        let: Let,
        body: Block,
        indices: tuple[Var, ...],
        idx: tuple[Atom, ...],
        out: list[Let],
    ) -> None:
        (self.names[let.vars[0]],) = self.place(body, indices, idx, out)

    def place(
        self, body: Block, indices: tuple[Var, ...], idx: tuple[Atom, ...], out: list[Let]
    ) -> tuple[Atom, ...]:
        """Emit the body here, at these indices; return its results."""
        new = refresh(body, dict(zip(indices, idx, strict=True)))
        for let in new.lets:
            self.add(let, out)
        return new.results

    def linear(
        self, idx: tuple[Atom, ...], extents: tuple[Atom, ...], out: list[Let]
    ) -> Atom:
        """The position in C order."""
        total: Atom = Lit(0, I64)
        for i, n in zip(idx, extents, strict=False):
            for name, other in (("mul", n), ("add", i)):
                v = Var("k", I64)
                self.add(Let((v,), Prim(name, (total, other))), out)
                total = v
        return total


def _rank_one(flat: Var) -> Array | None:
    return flat.type if isinstance(flat.type, Array) and flat.type.rank == 1 else None


def _index_function(body: Block, indices: tuple[Var, ...], k: int) -> Block | None:
    """Return the part of a build's body that computes result ``k``, if it is an index function."""
    smaller = True
    needed: set[Atom] = {body.results[k]}
    lets: list[Let] = []
    reads = steps = 0
    for let in reversed(body.lets):
        if needed.isdisjoint(let.vars):
            continue
        match let.op:
            case Prim(name, _, _) if name != "stop_gradient" and may_duplicate(let.op):
                steps += 1
            case Index(_, at, _) if may_duplicate(let.op):
                reads += 1
                smaller = smaller and len(at) < len(indices)
            case _:
                return None
        if reads > (MOST_READS if smaller else 1) or steps > CHEAP_STEPS:
            return None
        needed.update(atoms(let.op))
        lets.append(let)
    return Block(tuple(reversed(lets)), (body.results[k],))


def _only_variable(
    a: Atom, variables: set[Var], reads: _Reads, depth: int, fuel: int
) -> Var | None:
    """Return the single loop variable of which ``a`` is a one-to-one function while the others
    stay; None if there is none (also if ``a`` depends on no loop variable). ``depth`` is that of
    the array."""
    if a in variables:
        assert isinstance(a, Var)
        return a
    if not isinstance(a, Var) or fuel == 0:
        return None

    def stays(other: Atom) -> bool:
        return isinstance(other, Lit) or reads.depth.get(other, 0) <= depth

    match reads.defs.get(a):
        case Prim("add" | "sub" | "add.ck" | "sub.ck", (x, y)):
            for one, other in ((x, y), (y, x)):
                if stays(other):
                    return _only_variable(one, variables, reads, depth, fuel - 1)
            return None
        case Prim("mul" | "mul.ck", (x, y)):
            for one, other in ((x, y), (y, x)):
                if isinstance(other, Lit) and other.value != 0:
                    return _only_variable(one, variables, reads, depth, fuel - 1)
            return None
        case _:
            return None
