"""Run long loops with independent iterations in chunks, on several threads.

    sum i < n. e   ==>   if the loop is long: fork (sum i < n, in chunks. e), add up the parts
                         else: sum i < n. e

The body becomes a function of a range of the first index. How long a loop is and where it is cut
depend on numbers of rounds only, so results are the same, bit by bit, whatever the number of
threads. An iteration sees no other one: it returns its results, writes its elements and adds to
accumulators. Of an accumulator in which every iteration has cells of its own all chunks use the
cells themselves; of any other one each chunk has *private* cells, which are added up in order at
the end, if that is little work beside the loop.
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.core.frozen import dataclass, field
from pullback.core.prims import ALIASES, SHOW
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Atom,
    Block,
    Build,
    Call,
    Let,
    Loop,
    Op,
    Prim,
    Program,
    Sum_,
    TapePush,
    TapeRead,
    TapeRoom,
    TapeWrite,
    Var,
    sub_blocks,
)
from pullback.core.traverse import all_lets, callees, free_variables_of
from pullback.core.types import Handle
from pullback.lower.separate import Separate, moving
from pullback.lower.values import mentions_handle

OUTSIDE = frozenset({"callback", "sparse_solve", SHOW})
"""The primitives that chunks may not use: Python sees the order of its calls."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The accumulators from outside that a loop uses: chunks of it share the cells of some, and
    have private cells of others."""

    shared: tuple[Var, ...]
    private: tuple[Var, ...]


def chunked_loops(program: Program, separate: dict[Op, Separate]) -> dict[Op, Plan | str]:
    """Return how the loops with independent iterations may run in chunks, or why they may not."""
    walk = _Walk(program, separate)
    for f in program.functions.values():
        walk.block(f.body)
    return walk.found


@dataclass
class _Uses:
    """How a loop uses one accumulator from outside. ``axes``: on which axes all accesses have the
    same index, which differs from iteration to iteration."""

    changed: bool = False
    read: bool = False
    axes: dict[int, Atom] | None = None

    def access(self, where: tuple[Atom | None, ...], steps: dict[Atom, int]) -> None:
        """Note an access to a cell."""
        if self.axes is None:
            self.axes = {k: a for k, a in enumerate(where) if a is not None and a in steps}
        self.axes = {k: a for k, a in self.axes.items() if k < len(where) and where[k] is a}

    @property
    def own(self) -> bool:
        """Whether no two iterations access the same cell."""
        return bool(self.axes)


@dataclass
class _Body:
    """The lets of a loop. ``views``: the handles from outside and their views, each with the first
    indices of its cells (None: not known)."""

    program: Program
    op: Build | Sum_
    callee: Callable[[str], str]
    uses: dict[Var, _Uses] = field(default_factory=dict)
    views: dict[Var, tuple[Var, tuple[Atom | None, ...]]] = field(default_factory=dict)
    fresh: set[Var] = field(default_factory=set)
    steps: dict[Atom, int] = field(default_factory=dict)

    def obstacle(self) -> str:
        """Note how the loop uses accumulators; return what it does that chunks may not do."""
        for v in free_variables_of(self.op):
            if isinstance(v.type, Handle):
                self.uses[v] = _Uses()
                self.views[v] = v, ()
            elif self._mentions(v):
                return "it adds to cotangents of data"
        self.steps = moving(Loop(self.op.extents[0], self.op.indices[0], (), (), self.op.body))
        return next(filter(None, map(self._let, all_lets(self.op.body))), "")

    def _mentions(self, v: Atom) -> bool:
        return mentions_handle(v.type, self.program.decls)

    def _let(self, let: Let) -> str:
        match let.op:
            case AccNew():
                self.fresh.add(let.vars[0])
                return ""
            case AccAdd(h, where) | AccRead(h, where) | AccTake(h, where):
                known = h in self.fresh or self._access(let.op, h, where)
                return "" if known else "it adds to cotangents of data"
            case Prim(name, (Var() as h, *rest), static) if isinstance(h.type, Handle):
                if h in self.fresh:
                    self.fresh.add(let.vars[0])
                elif h in self.views:
                    root, path = self.views[h]
                    at = rest[0] if name == "pick" and static == (0,) and None not in path else None
                    self.views[let.vars[0]] = root, (*path, at)
                return "" if h in self.fresh or h in self.views else "it adds to cotangents of data"
            case Call(function, args):
                if any(map(self._mentions, (*args, *let.vars))):
                    return "it adds to cotangents in functions that it calls"
                return self.callee(function)
            case _:
                chosen = any(isinstance(v.type, Handle) for v in let.vars)
                return "it adds to cotangents of data" if chosen else outside(let)

    def _access(
        self, op: AccAdd | AccRead | AccTake, h: Atom, where: tuple[Atom, ...]
    ) -> bool:
        if not isinstance(h, Var) or h not in self.views:
            return False
        root, path = self.views[h]
        uses = self.uses[root]
        uses.changed |= not isinstance(op, AccRead)
        uses.read |= not isinstance(op, AccAdd)
        uses.access(path if None in path else (*path, *where), self.steps)
        return True


@dataclass
class _Walk:
    program: Program
    separate: dict[Op, Separate]
    made: dict[Var, Op] = field(default_factory=dict)
    found: dict[Op, Plan | str] = field(default_factory=dict)
    known: dict[str, str] = field(default_factory=dict)

    def block(self, block: Block) -> None:
        for let in block.lets:
            self.made.update(dict.fromkeys(let.vars, let.op))
            op = let.op
            if isinstance(op, Loop) and op in self.separate:
                op = self.separate[op].sum
            if isinstance(op, (Build, Sum_)):
                body = _Body(self.program, op, self._callee)
                self.found[op] = body.obstacle() or self._plan(body.uses)
            for _, inner in sub_blocks(let.op):
                self.block(inner)

    def _plan(self, uses: dict[Var, _Uses]) -> Plan | str:
        """Return the plan for these accumulators: nobody else may use a cell that is both read and
        changed, and no two handles of which the cells may be the same are shared and changed."""
        shared, private = [], []
        same: dict[Var | None, list[Var]] = {}
        for h in uses:
            same.setdefault(self._origin(h), []).append(h)
        for handles in same.values():
            changed = [h for h in handles if uses[h].changed]
            alone = len(handles) == 1 and uses[handles[0]].own
            if not changed or alone:
                shared += handles
            elif any(uses[h].read for h in handles):
                return "it reads cotangents to which other rounds add"
            else:
                private += handles
        return Plan(tuple(shared), tuple(private))

    def _origin(self, h: Var) -> Var | None:
        """Return the accumulator of which a handle is a view, None if it comes from elsewhere."""
        while True:
            match self.made.get(h):
                case AccNew():
                    return h
                case Prim(name, (Var() as whole, *_)) if name in ALIASES:
                    h = whole
                case _:
                    return None

    def _callee(self, name: str) -> str:
        """Return what a function, or one that it calls, does that chunks may not do."""
        if name not in self.known:
            self.known[name] = "it calls a recursive function"  # while it is looked at
            fn = self.program.functions[name]
            found = [*map(outside, all_lets(fn.body)), *map(self._callee, callees(fn))]
            self.known[name] = next(filter(None, found), "")
        return self.known[name]


def outside(let: Let) -> str:
    """Return what a let does to more than the memory of its chunk, if it does so."""
    match let.op:
        case TapePush() | TapeRead() | TapeRoom() | TapeWrite():
            return "it writes the tape of dual numbers"
        case Prim(name) if name in OUTSIDE:
            return "it calls Python"
        case _:
            return ""
