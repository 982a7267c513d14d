"""Find sequential loops of reverse sweeps whose iterations work on cells of their own: they run in
lanes.

    loop j < n with s = a. let i = (n - 1) - j; d = take h[r, i]; h[q, i] += d * x; ... in s + t
    ==>  a + sum i < n. let d = take h[r, i]; h[q, i] += d * x; ... in t

The reverse of a loop that updates a row of an array takes the cotangents of the row, element by
element, and adds to those of other rows. In general the order of takes and additions matters. It
does not if every iteration touches only cells that no other iteration touches: if all accesses to
an accumulator have the same index on some axis, which differs from iteration to iteration.
"""

from __future__ import annotations

from pullback.core.effects import is_total
from pullback.core.frozen import dataclass, field
from pullback.core.prims import VIEWS
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Atom,
    Block,
    Index,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Program,
    Sum_,
    Var,
    sub_blocks,
)
from pullback.core.traverse import defined, uses
from pullback.core.types import Handle, Real


@dataclass(frozen=True, slots=True)
class Separate:
    """A loop in its form as a sum, without the initial values of its carried variables.

    own  the accumulators in which every iteration has cells of its own
    """

    sum: Sum_
    own: frozenset[Var]


def separate_loops(program: Program) -> dict[Op, Separate]:
    """Return the loops whose iterations take from cells of their own, as sums."""
    walk = _Walk()
    for f in program.functions.values():
        walk.block(f.body)
    return walk.found


@dataclass(frozen=True, slots=True)
class Access:
    """An access of an iteration to a cell. ``where`` is () for the cell of a view."""

    op: AccTake | AccAdd | AccRead
    where: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Accesses:
    """The accesses of the iterations of a loop to accumulators; they have no other effects that do
    not commute.

    taken    those that are read, not only added to
    changed  those that are not only read
    """

    of: dict[Var, list[Access]] = field(default_factory=dict)
    taken: set[Var] = field(default_factory=set)
    changed: set[Var] = field(default_factory=set)

    def differ(self, root: Var, steps: dict[Atom, int]) -> bool:
        """Whether no two iterations access the same cell."""
        axes = zip(*(access.where for access in self.of[root]), strict=False)
        return any(len(set(axis)) == 1 and axis[0] in steps for axis in axes)


@dataclass
class Rounds:
    """The facts about the iterations of loops. ``made``: the ops that bind the variables so far."""

    made: dict[Var, Op] = field(default_factory=dict)

    def know(self, let: Let) -> None:
        """Note a let that comes before the loop."""
        self.made.update(dict.fromkeys(let.vars, let.op))

    def root(self, h: Var) -> Var:
        """Return the handle of which a handle is a view."""
        while True:
            match self.made.get(h):
                case Prim(name, (Var() as whole, *_)) if name in VIEWS:
                    h = whole
                case _:
                    return h

    def accesses(self, op: Loop) -> Accesses | None:
        """Return the accesses of the body, if it has no other effects."""
        inside = defined(op.body)
        found = Accesses()
        for let in op.body.lets:
            match let.op:
                case (
                    AccTake(Var() as h, where)
                    | AccAdd(Var() as h, where, _)
                    | AccRead(Var() as h, where)
                ):
                    root = self.root(h)
                    if root in inside or root in op.carried:
                        return None
                    if not isinstance(let.op, AccAdd):
                        found.taken.add(root)
                    if not isinstance(let.op, AccRead):
                        found.changed.add(root)
                    access = Access(let.op, where if root is h else ())
                    found.of.setdefault(root, []).append(access)
                case Prim(name, _):
                    views = name in VIEWS or name == "reshape"
                    if not is_total(let.op) or (views and isinstance(let.vars[0].type, Handle)):
                        return None
                case Index(_, _, False):
                    pass
                case _:
                    return None
        if len(found.of) > 1 and not all(isinstance(self.made.get(h), AccNew) for h in found.of):
            return None  # two handles among the parameters may be the same
        return found


@dataclass
class _Walk(Rounds):
    found: dict[Op, Separate] = field(default_factory=dict)

    def block(self, block: Block) -> None:
        for let in block.lets:
            self.know(let)
            for _, inner in sub_blocks(let.op):
                self.block(inner)
            if isinstance(let.op, Loop):
                own = self.own(let.op)
                body = summands(let.op) if own else None
                if body is not None:
                    index, body = self.forwards(let.op, body)
                    self.found[let.op] = Separate(Sum_((let.op.count,), (index,), body), own)

    def own(self, op: Loop) -> frozenset[Var]:
        """Return the accumulators from which the loop takes, if iterations have cells of their own
        in them."""
        found = self.accesses(op)
        if found is None:
            return frozenset()
        steps = moving(op)
        if all(found.differ(root, steps) for root in found.taken & found.changed):
            return frozenset(found.taken)
        return frozenset()

    def forwards(self, op: Loop, body: Block) -> tuple[Var, Block]:
        """Return the body with an index that counts forwards where the loop counts backwards, so
        that neighbouring cells are in neighbouring lanes."""
        if uses(body)[op.index] == 1:
            for let in body.lets:
                match let.op:
                    case Prim("sub", (last, i)) if i is op.index and self.is_last(last, op.count):
                        lets = tuple(x for x in body.lets if x is not let)
                        return let.vars[0], Block(lets, body.results)
                    case _:
                        pass
        return op.index, body

    def is_last(self, a: Atom, count: Atom) -> bool:
        """Whether the one is the other minus 1."""
        if isinstance(a, Lit) and isinstance(count, Lit):
            return a.value == count.value - 1
        match self.made.get(a) if isinstance(a, Var) else None:
            case Prim("add", (n, Lit() as one)):
                return n is count and one.value == -1
            case Prim("sub", (n, Lit() as one)):
                return n is count and one.value == 1
            case _:
                return False


def moving(op: Loop) -> dict[Atom, int]:
    """Return the atoms that are a constant plus the number of the iteration (1) or minus it (-1).
    """
    inside = defined(op.body)
    steps: dict[Atom, int] = {op.index: 1}
    for let in op.body.lets:
        match let.op:
            case Prim("add" | "sub" as name, (a, b)) if (a in steps) != (b in steps):
                x, other = (a, b) if a in steps else (b, a)
                if other not in inside and other not in op.carried:
                    steps[let.vars[0]] = -steps[x] if name == "sub" and x is b else steps[x]
            case _:
                pass
    return steps


def summands(op: Loop) -> Block | None:
    """Return the body with the summands that it adds to the carried variables as results, if it has
    no other use of them."""
    if len(op.body.results) != len(op.carried):
        return None
    added: list[Atom] = []
    counts, instead = uses(op.body), dict[Let, tuple[Let, ...]]()
    for v, r in zip(op.carried, op.body.results, strict=True):
        let = next((x for x in op.body.lets if r in x.vars), None)
        if not isinstance(v.type, Real) or let is None or counts[v] != 1:
            return None
        if counts[let.vars[0]] != 1:
            return None
        match let.op:
            case Prim("add", (a, b)) if v in (a, b):
                added.append(b if a is v else a)
                instead[let] = ()
            case Prim("fma" | "fnma" | "fmaz" | "fnmaz" as name, (a, b, c)) if v is c:
                term = Var(v.name, v.type)
                added.append(term)
                product = "mulz" if name.endswith("z") else "mul"
                instead[let] = (Let((term,), Prim(product, (a, b)), let.site),)
                if name.startswith("fn"):
                    instead[let] += _negated(added)
            case Prim("sub", (a, b)) if v is a:
                added.append(b)
                instead[let] = _negated(added)
            case _:
                return None
    lets = (y for x in op.body.lets for y in instead.get(x, (x,)))
    return Block(tuple(lets), tuple(added))


def _negated(added: list[Atom]) -> tuple[Let]:
    """Return the negation of the last summand, which takes its place."""
    negative = Var("t", added[-1].type)
    let = Let((negative,), Prim("neg", (added[-1],)))
    added[-1] = negative
    return (let,)
