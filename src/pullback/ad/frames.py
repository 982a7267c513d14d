"""The bookkeeping of a CHAD translation: names first, reverse second, forward third.

A block is translated in three steps. ``Frame.open`` gives every variable its forward variables
(``spaces.Spaces.primal``). ``reverse.Reverse`` walks the lets backwards and emits the reverse
sweep, which may mention any forward variable. The variables that it mentions must be kept: a
``Plan`` for each compound let records them as residuals. ``emit.Emit`` then emits the forward
sweep, in which every compound let yields its residuals beside its results.
"""

from __future__ import annotations

from pullback.ad.activity import Facts
from pullback.ad.loop_residuals import counts
from pullback.ad.narrow import narrow
from pullback.ad.spaces import Spaces
from pullback.core.build import Builder, i64
from pullback.core.effects import done_again
from pullback.core.frozen import dataclass, field
from pullback.core.terms import (
    AccNew,
    Atom,
    Block,
    Build,
    Index,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Update,
    Var,
    While,
    atoms,
)
from pullback.core.traverse import all_lets, free_variables, free_variables_of, uses
from pullback.core.types import I64, Array, Bool, Handle, Int, Real, Type, levels


@dataclass(slots=True, eq=False)
class Plan:
    """How the forward sweep translates a compound let, as the reverse sweep has decided.

    frames     one per block of the op, opened
    residuals  per block: the forward variables of it that the reverse sweep reads
    kept       the variables of the enclosing forward block that hold them
    trips      (While) the variable that holds the trip count
    only       (If, Case) the arm that was taken, as all others end in an error
    stored     (Build, Sum_) the body's residuals are stored, not recomputed
    copied     (Vjp, whole-array rules) arrays that are updated later, with the copies that the
               reverse sweep reads
    """

    frames: tuple[Frame, ...]
    residuals: tuple[tuple[Var, ...], ...] = ()
    kept: tuple[Var, ...] = ()
    trips: Var | None = None
    only: int | None = None
    stored: bool = False
    copied: dict[Var, Var] = field(default_factory=dict)


class CannotRestoreError(Exception):
    """An array would be read before the reverse sweep has restored it."""


@dataclass(slots=True, eq=False)
class Frame:
    """The forward variables of one translation of a block."""

    facts: Facts
    spaces: Spaces
    parent: Frame | None
    env: dict[Var, tuple[Atom, ...]] = field(default_factory=dict)
    own: dict[Var, None] = field(default_factory=dict)
    plans: dict[Let, Plan] = field(default_factory=dict)
    node: dict[Let, Var] = field(default_factory=dict)
    inside: dict[Let, tuple[list[Let], tuple[Var, ...]]] = field(default_factory=dict)
    defs: dict[Var, Op] = field(default_factory=dict)
    late: dict[Var, Op] = field(default_factory=dict)  # handles that only the reverse sweep has
    extra: list[Let] = field(default_factory=list)  # at the end, only for the reverse sweep
    given: set[Atom] = field(default_factory=set)  # handles of the function's parameters
    separated: set[Atom] = field(default_factory=set)  # handles that name new accumulators
    extents: dict[Var, tuple[Var, ...]] = field(default_factory=dict)  # of products of matrices

    def child(self) -> Frame:
        """Return a frame for a block inside of this one."""
        g = Frame(self.facts, self.spaces, self)
        g.given, g.separated = self.given, self.separated
        return g

    def separate(self, h: Atom, other: Atom) -> bool:
        """Whether two different handles certainly name different cells."""
        known = self.separated | self.given
        return h in known and other in known and not (h in self.given and other in self.given)

    def look(self, a: Atom) -> tuple[Atom, ...]:
        """Return the forward variables of an atom: that of the value, then the handles."""
        if isinstance(a, Lit):
            return (a,)
        frame: Frame | None = self
        while frame is not None:
            if a in frame.env:
                return frame.env[a]
            frame = frame.parent
        raise KeyError(f"{a.name}.{a.id} has no forward variable")

    def value(self, a: Atom) -> Atom:
        """Return the forward variable of the value itself."""
        return self.look(a)[0]

    def handles(self, a: Atom) -> tuple[Atom, ...]:
        """Return the handles of an array of reals (or of sums), one per cotangent leaf."""
        t = a.type
        if not isinstance(t, Array) or not self.active(a):
            return ()
        n = len(self.spaces.cotangent(t.elem))
        return self.look(a)[-n:] if n else ()

    def active(self, a: Atom) -> bool:
        """Whether a differentiated input reaches the atom."""
        return isinstance(a, Var) and a in self.facts.active

    def fresh(self, v: Var) -> tuple[Var, ...]:
        """Give ``v`` forward variables of its space."""
        types = self.spaces.primal(v.type, self.active(v))
        out = tuple(Var(v.name, t) for t in types)
        shared = self.shared(v)
        mine = out[: len(out) - len(shared)]
        self.own.update((a, None) for a in mine)
        self.env[v] = (*mine, *shared)
        if v in self.facts.made:
            self.separated.update(mine[1:])
        return mine

    def shared(self, v: Var) -> tuple[Atom, ...]:
        """Return the handles that a later version of an array shares with the first version."""
        first = self.facts.versions.get(v)
        if first is None or not self.active(v):
            return ()
        assert isinstance(v.type, Array)
        return self.look(first)[1:] if isinstance(v.type.elem, Array) else self.handles(first)

    def parts(self, v: Var) -> tuple[Atom, ...]:
        """Return the forward variables that the op which binds ``v`` yields."""
        all_ = self.look(v)
        return all_[: len(all_) - len(self.shared(v))]

    def loop_child(self, op: Loop | While) -> Frame:
        """Return a frame for the body of a sequential loop; its first variable counts the
        iterations."""
        g = self.child()
        i = g.add("i", I64)
        if isinstance(op, Loop):
            g.env[op.index] = (i,)
        grow = counts(op)
        for c, init in zip(op.carried, op.inits, strict=True):
            if c in grow:
                steps = g.add("steps", I64)
                g.defs[steps] = Prim("mul", (i, Lit(grow[c], I64)))
                (n,) = g.fresh(c)
                g.defs[n] = Prim("add", (self.value(init), steps))
            else:
                g.fresh(c)
        return g

    def iteration(self) -> Var:
        """Return the variable for the number of the iteration; the frame is that of a sequential
        loop."""
        return next(iter(self.own))

    def cells(self, let: Let) -> Var:
        """Return the handle of the node that an Inject builds or that an arm of a Case matches."""
        if let not in self.node:
            self.node[let] = self.add("cells", Handle(1))
        return self.node[let]

    def row_handles(self, let: Let, op: Update) -> tuple[Var, ...]:
        """Return, for an update inside of an element, the handles of the array in which the number
        stands; ``inside`` says how they are reached."""
        if let not in self.inside:
            lets: list[Let] = []
            n = len(self.spaces.cotangent(op.value.type)) if self.active(let.vars[0]) else 0
            found = self.look(op.array)
            found = found[len(found) - n :]
            for some in levels(op.array.type, op.indices)[:-1]:
                where = tuple(self.value(i) for i in some)
                rows = []
                for h in found:
                    t = h.type
                    assert isinstance(t, Array)
                    rows.append(self.add("h", t.elem))
                    lets.append(Let((rows[-1],), Index(h, where, False)))
                    if op.array not in self.facts.refilled:
                        self.defs[rows[-1]] = lets[-1].op
                found = tuple(rows)
            self.inside[let] = lets, tuple(a for a in found if isinstance(a, Var))
        return self.inside[let][1]

    def variable(self, v: Var) -> Var:
        """Return the forward variable of a value that is no array."""
        (out,) = self.look(v)
        assert isinstance(out, Var)
        return out

    def places(
        self, array: Atom, idx: tuple[Atom, ...], checked: bool, b: Builder
    ) -> tuple[Atom, ...]:
        """Return the forward indices, in range: negative ones of a checked access are counted from
        the end."""
        # the handle, if there is one, gives the extents: the array may have been updated since
        shaped = next(iter(self.handles(array)), self.value(array))
        out: list[Atom] = []
        for axis, i in enumerate(idx):
            v = self.value(i)
            if checked and not (isinstance(v, Lit) and v.value >= 0):
                wrapped = b.prim("add", v, b.dim(shaped, axis))
                v = b.prim("select", b.prim("lt", v, i64(0)), wrapped, v)
            out.append(v)
        return tuple(out)

    def volatile(self, let: Let, args: tuple[Atom, ...]) -> bool:
        """Whether an array that goes into or comes out of a call is updated later."""
        return any(
            a in self.facts.consumed for a in (*args, *let.vars) if isinstance(a, Var)
        )

    def bind(self, v: Var, forward: tuple[Atom, ...]) -> None:
        """Bind ``v`` to these forward variables, which belong to this block."""
        self.env[v] = forward
        self.own.update((a, None) for a in forward if isinstance(a, Var))

    def add(self, name: str, t: Type) -> Var:
        """Return a new variable of this forward block."""
        v = Var(name, t)
        self.own[v] = None
        return v

    def open(self, block: Block, repeated: bool = False) -> Frame:
        """Name the forward variables of everything that the block binds itself (not in blocks
        inside).

        With ``repeated`` the block is that of a loop, or of an arm, of which the reverse sweep gets
        what is kept: arrays that are only read in it get fresh cells whenever it runs, instead of
        cells whose handle is kept.
        """
        for let in block.lets:
            for v in let.vars:
                self.fresh(v)
            self._define(let)
        for v, op in _only_read(block).items() if repeated else ():
            for h in self.handles(v) if v not in self.facts.consumed else ():
                assert isinstance(h, Var)
                if isinstance(op, Build):
                    self.defs[h] = AccNew(tuple(map(self.value, op.extents)))
                elif not any(map(self.facts.gone, op.args)):
                    self.defs[h] = AccNew(self._extents(v, op))
                    del self.own[h]
                    self.own[h] = None  # it comes after them
        return self

    def _extents(self, v: Var, product: Prim) -> tuple[Var, ...]:
        """Name the extents of a product of matrices, by those of its factors."""
        self.extents[v] = out = self.add("n", I64), self.add("n", I64)
        for axis, (n, a) in enumerate(zip(out, product.args, strict=True)):
            self.defs[n] = Prim("dim", (self.value(a),), (axis,))
        return out

    def _define(self, let: Let) -> None:
        match let.op:
            case Build(extents, _, _):
                for v in self.facts.reverse_only.intersection(let.vars):
                    self.late[self._handle(v)] = AccNew(tuple(map(self.value, extents)))
            case Prim(name, args, static) if self.facts.reverse_only.intersection(let.vars):
                (v,), (h,) = let.vars, self.handles(args[0])
                rest = tuple(map(self.value, args[1:]))
                self.late[self._handle(v)] = Prim(name, (h, *rest), static)
            case Prim("dim", (Var() as array,), static) if array in self.facts.reverse_only:
                extent = self.variable(let.vars[0])
                self.defs[extent] = Prim("dim", (self._handle(array),), static)
            case Prim(name, args) if (again := done_again(let.op)) is not None:
                assert isinstance(again, Prim)
                out = self.value(let.vars[0])
                values = tuple(self.value(a) for a in args)
                gone = any(map(self.facts.gone, args))
                if gone and name == "dim" and self.handles(args[0]):
                    values, gone = self.handles(args[0])[:1], False
                # (an array that is updated before that, and has no handle: its extent is kept)
                if isinstance(out, Var) and not gone:
                    self.defs[out] = Prim(again.name, values, again.static)
            case Index(array, idx, False) if isinstance(let.vars[0].type, (Real, Int, Bool)):
                out = self.value(let.vars[0])
                there = not self.facts.gone(array) and array not in self.facts.brief
                if there and isinstance(out, Var):
                    where = tuple(self.value(i) for i in idx)
                    self.defs[out] = Index(self.value(array), where, False)
            case Index(array, idx, False) if array not in self.facts.refilled:
                where = tuple(self.value(i) for i in idx)
                for many, one in zip(
                    self.look(array)[1:], self.look(let.vars[0])[1:], strict=False
                ):
                    if isinstance(one, Var):  # the handle of an element
                        self.defs[one] = Index(many, where, False)
            case _:
                pass

    def _handle(self, v: Var) -> Var:
        (h,) = self.handles(v)
        assert isinstance(h, Var)
        return h

    def settle(self, block: Block, given: tuple[Var, ...] = ()) -> tuple[Block, tuple[Var, ...]]:
        """Return the reverse block and the variables of this frame that must be kept for it; those
        in ``given`` are available anyway.

        Cheap scalar operations and reads of arrays are repeated: in front of the block, or, where
        they read arrays that the block restores, after that. (The caller must refresh the block,
        because it binds their forward variables a second time.)
        """
        bound, first = _places(block)
        if any(first.get(v, at) < at for v, at in bound.items()):
            raise CannotRestoreError
        free = set(free_variables(block))
        for v, made in reversed(self.late.items()):
            if v in free:
                free.update(a for a in atoms(made) if isinstance(a, Var))
        for v in reversed(self.own):
            match self.defs.get(v):  # what is negated is kept: what reads it takes the sign
                case Prim("neg", (a,)) if v in free and v not in given and isinstance(a, Var):
                    free.add(a)
                case _:
                    pass
        known = dict.fromkeys(given, 0)  # variable -> the let from which on it is available
        kept: list[Var] = []
        again: list[tuple[int, Let]] = []
        for v in self.own:  # in the order of the forward sweep
            op = self.late.get(v) or self.defs.get(v)
            if v in known or v in bound:
                continue
            if op is not None:
                read = [a for a in atoms(op) if isinstance(a, Var)]
                if all(a in known or a in bound or a not in self.own for a in read):
                    at = max((bound.get(a, known.get(a, 0)) for a in read), default=0)
                    if at <= first.get(v, at):
                        again.append((at, Let((v,), op)))
                        known[v] = at
                        continue
            if v in free and v not in self.late:
                kept.append(v)
                known[v] = 0
        steps: dict[int, list[Let]] = {}
        for at, let in reversed(again):
            if let.vars[0] in free:
                steps.setdefault(at, []).append(let)
                free.update(a for a in atoms(let.op) if isinstance(a, Var))
        lets: list[Let] = []
        for at in range(len(block.lets) + 1):
            lets.extend(reversed(steps.get(at, [])))
            lets.extend(block.lets[at : at + 1])
        whole = Block(tuple(lets), block.results)
        whole, narrowed, self.extra = narrow(whole, tuple(kept), self.own, self.is_forward)
        self.own.update((v, None) for let in self.extra for v in let.vars)
        return whole, narrowed

    def is_forward(self, v: Var) -> bool:
        """Whether the forward sweep has the variable, in this block or around it."""
        return v in self.own or (self.parent is not None and self.parent.is_forward(v))


def _places(block: Block) -> tuple[dict[Var, int], dict[Var, int]]:
    """Return for each variable of a block the let that binds it and the first let that reads it."""
    bound: dict[Var, int] = {}
    first: dict[Var, int] = {}
    for at, let in enumerate(block.lets):
        for v in free_variables_of(let.op):
            first.setdefault(v, at)
        bound.update((v, at + 1) for v in let.vars)
    for a in block.results:
        if isinstance(a, Var):
            first.setdefault(a, len(block.lets))
    return bound, first


def _only_read(block: Block) -> dict[Var, Build | Prim]:
    """Return the arrays of reals that the block makes and of which only elements and extents are
    used, with the builds and the products of matrices that make them."""
    found = {
        v: let.op for let in block.lets
        if isinstance(let.op, Build) or (isinstance(let.op, Prim) and let.op.name == "product")
        for v in let.vars if isinstance(v.type, Array) and isinstance(v.type.elem, Real)
    }  # fmt: skip
    if found:
        used = uses(block)
        for let in all_lets(block):
            match let.op:
                case Index(Var() as a, _, _) | Prim("dim", (Var() as a,)):
                    used[a] -= 1
                case _:
                    pass
        found = {v: op for v, op in found.items() if used[v] == 0}
    return found
