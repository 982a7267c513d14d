"""The effects of ops besides their results, and the moves that passes may make because of them.

One invariant: **no pass lets a program do more work than a constant factor of its work**. An op
that is copied, or run where nobody asked for it, is therefore small and total (``may_duplicate``);
any other op moves only if the pass removes the original in the same step. And no pass changes
whether an error is raised, or which one comes first; so an op that can raise stays (``may_drop``),
unless an equal one has run before it (``may_share``). What calls Python (``Effect.CALL``: a
``print``) is seen from outside: it runs as often as the program says, in this order.

Passes over Core ask here, derivatives (``ad``) and the lowering (``lower``) too; none looks at
effects and costs of the table itself, or keeps a list of its own.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from functools import lru_cache

from pullback.core.called_python import LIBRARY, OF_COMPLEX_MATRICES, is_pure
from pullback.core.consumption import consumed_params
from pullback.core.frozen import dataclass, field
from pullback.core.prims import REQUIRE, SHOW, TABLE, VIEWS
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Block,
    Call,
    Function,
    Index,
    Jvp,
    Lit,
    Op,
    Prim,
    Program,
    Ruled,
    TapePush,
    TapeRead,
    TapeRoom,
    TapeWrite,
    Update,
    Vjp,
    sub_blocks,
)
from pullback.core.traverse import called
from pullback.core.types import BOOL, Bool, Int, Real


class Effect(Enum):
    """An effect of an op besides giving its results."""

    RAISE = "can raise"
    CALL = "calls Python, which sees its order among other such calls and errors"
    WRITE = "changes an accumulator"
    READ = "depends on the state of an accumulator"
    NEW = "makes something with an identity"
    CONSUME = "consumes an array"


Effects = frozenset[Effect]

PURE: Effects = frozenset()
RAISE: Effects = frozenset({Effect.RAISE})
_CONSUME: Effects = frozenset({Effect.CONSUME})
_CALL: Effects = frozenset({Effect.RAISE, Effect.CALL})
_KEPT: Effects = frozenset({Effect.RAISE, Effect.WRITE, Effect.CALL})


_NEVER = Lit(False, BOOL)


def fails(body: Block) -> bool:
    """Whether a block surely ends in an error: nobody sees its results."""
    return any(
        isinstance(let.op, Prim) and let.op.name in REQUIRE and let.op.args[0] == _NEVER
        for let in body.lets
    )


# --- ops alone ------------------------------------------------------------------------------------


class Work(IntEnum):
    """An upper bound of the work of an op."""

    NONE = 0  # views and extents
    STEP = 1  # an instruction, a read
    FUNCTION = 2  # a call of a function of a number
    MORE = 3  # anything: loops, branches, calls, whole arrays


def work_of(op: Op) -> Work:
    """How much work the op is, at most."""
    match op:
        case Prim(name, _, _):
            row = TABLE[name]
            if name in VIEWS or name in ("dim", "stop_gradient"):
                return Work.NONE
            if row.cost != "one":
                return Work.MORE
            return Work.STEP if row.function is None else Work.FUNCTION
        case Index():
            return Work.STEP
        case _:
            return Work.MORE


def is_total(op: Op) -> bool:
    """Whether the op by itself certainly ends at once and without an error. (For an ``Index``
    without a check that holds wherever its element exists; a pass that moves one has to show that
    the element exists there too.)"""
    match op:
        case Prim(name, _, _):
            return not TABLE[name].effect
        case Index(_, _, checked):
            return not checked
        case _:
            return False


def may_duplicate(op: Op, most: Work = Work.STEP) -> bool:
    """Whether the op may run twice, or in vain: it is total, and does only a little work. A pass
    may duplicate several ops only if their number is bounded by a constant."""
    return is_total(op) and work_of(op) <= min(most, Work.FUNCTION)


_LONG = frozenset({"sqrt", "ipow", "ipow.ck", "ipow.ovf"})
"""What is more than one or two instructions, though no function is called."""


def done_again(op: Op) -> Op | None:
    """How an op whose operands are still there is done once more; None where it is better to keep
    its result. What can raise did so the first time or not at all, so it has no check now."""
    match op:
        case Prim(name, args, static) if name == "dim" or _is_instruction(op):
            return Prim(name.removesuffix(".ck"), args, static)
        case Index(_, _, False):
            return op
        case _:
            return None


def _is_instruction(op: Prim) -> bool:
    """Whether the op is an instruction or two, from numbers and truth values to one of them."""
    scalars = all(isinstance(a.type, (Real, Int, Bool)) for a in op.args)
    results = bool(op.args) and op.name not in (*REQUIRE, SHOW) and op.name not in _LONG
    return results and scalars and work_of(op) is Work.STEP


def in_any_order(op: Op) -> bool:
    """Whether runs of the op may change places with each other, or be done at the same time: it is
    total, or adds to accumulators. (Additions that are reordered are rounded otherwise.)"""
    return is_total(op) or isinstance(op, AccAdd)


# --- ops of a program -----------------------------------------------------------------------------


@dataclass
class EffectsOf:
    """``EffectsOf(program)(op)``: the effects of an op of the program, or of a program that passes
    have derived from it.

    ``Effect.CONSUME`` is also set for a loop that updates nothing but its own arrays. ``calls``:
    the effects of the functions, without consumption.
    """

    program: Program
    calls: dict[str, Effects] | None = None
    known: dict[Op, Effects] = field(default_factory=dict)

    def __call__(self, op: Op) -> Effects:
        match op:
            case Prim(name, _, static):
                if name == SHOW or (name == "callback" and not is_pure(static[0])):
                    return _CALL
                return RAISE if TABLE[name].effect else PURE
            case Index(_, _, checked):
                return RAISE if checked else PURE
            case Update(_, _, _, checked):
                return _CONSUME | RAISE if checked else _CONSUME
            case _:
                found = self.known.get(op)
                if found is None:
                    found = self.known[op] = self._find(op)
                return found

    def learn(self, f: Function, consumes: bool) -> None:
        """Note the effects of a function that is new."""
        found = self.block(f.body) - _CONSUME
        known = _effects_of_calls(self.program) if self.calls is None else self.calls
        self.calls = {**known, f.name: found | _CONSUME if consumes else found}

    def block(self, block: Block) -> Effects:
        """The effects of running a block."""
        out = PURE
        for let in block.lets:
            here = self(let.op)
            if here:
                out |= here
        return out

    def may_drop(self, op: Op) -> bool:
        """Whether the op need not run when nobody wants its results."""
        if isinstance(op, Prim) and op.name == "callback" and op.static[0] == LIBRARY:
            return op.static[1] in OF_COMPLEX_MATRICES
        return not self(op) & _KEPT

    def may_share(self, op: Op) -> bool:
        """Whether the op need not run where an equal one has run before: if that did not raise,
        neither would this one."""
        return self(op) <= RAISE

    def calls_python(self, block: Block) -> bool:
        """Whether running a block calls Python, say to print."""
        return Effect.CALL in self.block(block)

    def is_pure(self, op: Op) -> bool:
        """Whether the op does nothing but give its results."""
        return not self(op)

    def _find(self, op: Op) -> Effects:
        match op:
            case AccNew() | TapeRoom() | TapePush():  # its place on the tape does not matter
                return frozenset({Effect.NEW})
            case TapeRead():
                return frozenset({Effect.READ})
            case AccAdd() | TapeWrite():
                return frozenset({Effect.WRITE})
            case AccRead():
                return frozenset({Effect.READ})
            case AccTake():
                return frozenset({Effect.READ, Effect.WRITE})
            case Call(f, _) | Vjp(f, _, _, _) | Jvp(f, _, _, _):
                if self.calls is None:
                    self.calls = _effects_of_calls(self.program)
                out = self.calls[f]
                return out | _CONSUME if consumed_params(self.program).get(f) else out
            case Ruled():
                if self.calls is None:
                    self.calls = _effects_of_calls(self.program)
                return PURE.union(*(self.calls[f] for f in called(op)))
            case _:
                out = PURE
                for _, block in sub_blocks(op):
                    out |= self.block(block)
                return out


@lru_cache(maxsize=8)
def _effects_of_calls(program: Program) -> dict[str, Effects]:
    """Return the effects of calling each function, without consumption: the least fixed point over
    the call graph."""
    found = dict.fromkeys(program.functions, PURE)
    while True:
        effects = EffectsOf(program, found)
        now = {n: effects.block(f.body) - _CONSUME for n, f in program.functions.items()}
        if now == found:
            return found
        found = now
