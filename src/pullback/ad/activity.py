"""Decide which variables are active: those that a differentiated input reaches.

Activity is decided per variable, by a monotone fixpoint over the function. All versions of an array
that is updated in place share one accumulator, so they are active together.
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.ad.flow import (
    Summaries,
    block_vars,
    consumed_arrays,
    dug_groups,
    flow_of,
    updated_groups,
    versions_of,
)
from pullback.ad.restore import NOTHING, Restored, candidates
from pullback.ad.spaces import Spaces
from pullback.core.frozen import dataclass
from pullback.core.prims import TABLE
from pullback.core.rows import Mark
from pullback.core.terms import (
    AccRead,
    AccTake,
    Atom,
    Block,
    Build,
    Call,
    Case,
    Function,
    If,
    Index,
    Inject,
    Jvp,
    Let,
    Loop,
    Op,
    Prim,
    Ruled,
    Sum_,
    Update,
    Var,
    Vjp,
    While,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import all_lets
from pullback.core.types import Array, Real

ResultActivity = Callable[[str, tuple[bool, ...]], tuple[bool, ...]]


@dataclass(frozen=True)
class Facts:
    """What differentiation needs to know of a function for one set of active parameters.

    A loop may run again in the reverse sweep only if it reads no array that is ``gone``: one that a
    later update has changed (``consumed``) and that the reverse sweep does not take back
    (``restored``). All other loops store what they need.

    candidates     the arrays that could be restored
    refilled       those of which an update replaces whole elements (rows), not only numbers inside
    made           the arrays of reals that have accumulators of their own
    reverse_only   the arrays whose handles only the reverse sweep has
    brief          arrays of which the elements that the reverse sweep reads are kept, not the array
    products       the products of whole matrices
    """

    active: frozenset[Var]
    consumed: frozenset[Var]
    refilled: frozenset[Var]
    versions: dict[Var, Var]
    candidates: tuple[Restored, ...] = ()
    restored: Restored = NOTHING
    made: frozenset[Var] = frozenset()
    reverse_only: frozenset[Var] = frozenset()
    brief: frozenset[Var] = frozenset()
    products: frozenset[Var] = frozenset()

    def gone(self, a: Atom) -> bool:
        """Whether the reverse sweep no longer has the elements of the array."""
        return a in self.consumed and a not in self.restored.versions


def analyse(
    function: Function,
    mask: tuple[bool, ...],
    volatile: bool,
    spaces: Spaces,
    results: ResultActivity,
    summary: Summaries,
) -> Facts:
    """Return the activity and consumption of a function; ``volatile`` says that a caller may update
    arrays that it passes in or gets back."""
    flow = flow_of(function, summary)
    everything = [*function.params, *block_vars(function.body)]
    refilled = consumed_arrays(flow, everything)
    if volatile:
        refilled.update(v for v in everything if isinstance(v.type, Array))
    dug = dug_groups(function, flow)
    consumed = refilled.union(*dug)
    refilled = consumed if flow.refills else refilled
    run = _Activity(spaces, results)
    run.active.update(v for v in everything if spaces.composite(v.type))
    run.active.update(
        p for p, on in zip(function.params, mask, strict=True) if on and spaces.bears(p.type)
    )
    groups = updated_groups(flow) + dug
    size = -1
    while size != len(run.active):
        size = len(run.active)
        run.block(function.body)
        for group in groups:
            if any(v in run.active for v in group):
                run.active.update(v for v in group if spaces.bears(v.type))
    found = () if volatile else tuple(candidates(function, flow))
    active, versions = frozenset(run.active), versions_of(function)
    lets = list(all_lets(function.body))
    made = frozenset(v for let in lets for v in _made(let))
    products = frozenset(
        let.vars[0] for let in lets if isinstance(let.op, Prim) and let.op.name == "product"
    )
    return Facts(
        active, frozenset(consumed), frozenset(refilled), versions, found, made=made,
        products=products,
    )  # fmt: skip


def _made(let: Let) -> tuple[Var, ...]:
    """Return the arrays of reals for which a let allocates accumulators."""
    match let.op:
        case Build() | Prim("copy" | "stack" | "reshape"):
            return tuple(
                v for v in let.vars if isinstance(v.type, Array) and isinstance(v.type.elem, Real)
            )
        case _:
            return ()


class _Activity:
    def __init__(self, spaces: Spaces, results: ResultActivity) -> None:
        self.spaces = spaces
        self.results = results
        self.active: set[Var] = set()

    def on(self, a: Atom) -> bool:
        return isinstance(a, Var) and a in self.active

    def mark(self, v: Var, on: bool) -> None:
        if on and self.spaces.bears(v.type):
            self.active.add(v)

    def block(self, block: Block) -> None:
        for let in block.lets:
            self.let(let)

    def let(self, let: Let) -> None:
        for _, sub in sub_blocks(let.op):
            self.block(sub)
        match let.op:
            case If(_, then, orelse):
                for v, a, b in zip(let.vars, then.results, orelse.results, strict=True):
                    self.mark(v, self.on(a) or self.on(b))
            case Case(_, arms):
                for arm in arms:
                    for v, a in zip(let.vars, arm.body.results, strict=True):
                        self.mark(v, self.on(a))
                    for f in arm.fields:
                        self.mark(f, True)
            case Build(_, _, body) | Sum_(_, _, body):
                for v, a in zip(let.vars, body.results, strict=True):
                    self.mark(v, self.on(a))
            case Loop(_, _, carried, inits, body) | While(carried, inits, _, body):
                for v, a in zip(let.vars, body.results, strict=True):
                    self.mark(v, self.on(a))
                for c, i, v in zip(carried, inits, let.vars, strict=False):
                    on = self.on(i) or self.on(v) or self.on(c)
                    self.mark(c, on)
                    self.mark(v, on)
            case Call(name, args):
                mask = tuple(self.on(a) for a in args)
                for v, on in zip(let.vars, self.results(name, mask), strict=True):
                    self.mark(v, on)
            case _:
                on = reaches(let.op, self.on)
                for v in let.vars:
                    self.mark(v, on)


def reaches(op: Op, on: Callable[[Atom], bool]) -> bool:
    """Whether the result of a simple op depends differentiably on an active atom."""
    match op:
        case Prim("stop_gradient", _):
            return False
        case Prim(name, args):
            row = TABLE[name]
            return any(on(a) and row.partial(i) is not Mark.ZERO for i, a in enumerate(args))
        case Index(array, _, _):
            return on(array)
        case Update(array, _, value, _):
            return on(array) or on(value)
        case Inject():
            return True
        case Ruled(_, args, wrt):
            return any(on(args[i]) for i in wrt)
        case Vjp() | Jvp():
            return any(on(a) for a in atoms(op))
        case AccRead() | AccTake():  # of an inner derivative, whose additions are not followed
            return True
        case _:
            return False
