"""What ops do besides giving results, remembered per op: passes ask for every op they meet."""

from __future__ import annotations

from dataclasses import dataclass, field

from pullback.core.consumption import consumed_params
from pullback.core.prims import TABLE
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Block,
    Call,
    Index,
    Jvp,
    Op,
    Prim,
    Program,
    TapeLoop,
    TapePush,
    TapeRead,
    TapeRoom,
    Update,
    Vjp,
    sub_blocks,
)
from pullback.core.traverse import Effect, function_effects

Effects = frozenset[Effect]

PURE: Effects = frozenset()
RAISE: Effects = frozenset({Effect.RAISE})
_CONSUME: Effects = frozenset({Effect.CONSUME})
_KEPT: Effects = frozenset({Effect.RAISE, Effect.WRITE})


@dataclass
class EffectsOf:
    """``EffectsOf(program)(op)``: the effects of an op of (a descendant of) the program.

    ``Effect.CONSUME`` is also set for a loop that updates nothing but its own arrays."""

    program: Program
    known: dict[Op, Effects] = field(default_factory=dict)

    def __call__(self, op: Op) -> Effects:
        match op:
            case Prim(name, _, _):
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

    def block(self, block: Block) -> Effects:
        """The effects of running a block."""
        out = PURE
        for let in block.lets:
            here = self(let.op)
            if here:
                out |= here
        return out

    def kept(self, op: Op) -> bool:
        """Whether the op must run even when nobody wants its results."""
        return bool(self(op) & _KEPT)

    def _find(self, op: Op) -> Effects:
        match op:
            case AccNew() | TapeRoom() | TapePush():
                return frozenset({Effect.NEW})
            case TapeLoop(_, _, _, _, body, _, _):
                return frozenset({Effect.NEW}) | self.block(body)
            case TapeRead():
                return frozenset({Effect.READ})
            case AccAdd():
                return frozenset({Effect.WRITE})
            case AccRead():
                return frozenset({Effect.READ})
            case AccTake():
                return frozenset({Effect.READ, Effect.WRITE})
            case Call(f, _) | Vjp(f, _, _, _) | Jvp(f, _, _, _):
                out = function_effects(self.program)[f]
                return out | _CONSUME if consumed_params(self.program)[f] else out
            case _:
                out = PURE
                for _, block in sub_blocks(op):
                    out |= self.block(block)
                return out
