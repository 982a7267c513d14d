"""What ops do besides giving results, remembered per op: passes ask for every op they meet."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

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
    TapePush,
    TapeRead,
    TapeRoom,
    TapeWrite,
    Update,
    Vjp,
    sub_blocks,
)


class Effect(Enum):
    """What running an op does besides giving its results."""

    RAISE = "can raise"
    WRITE = "changes an accumulator"
    READ = "depends on the state of an accumulator"
    NEW = "makes something with an identity"
    CONSUME = "consumes an array"


Effects = frozenset[Effect]

PURE: Effects = frozenset()
RAISE: Effects = frozenset({Effect.RAISE})
_CONSUME: Effects = frozenset({Effect.CONSUME})
_KEPT: Effects = frozenset({Effect.RAISE, Effect.WRITE})


@dataclass
class EffectsOf:
    """``EffectsOf(program)(op)``: the effects of an op of (a descendant of) the program.

    ``Effect.CONSUME`` is also set for a loop that updates nothing but its own arrays. ``calls``:
    the effects of the functions, but for consumption."""

    program: Program
    calls: dict[str, Effects] | None = None
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
            case AccNew() | TapeRoom() | TapePush():  # where on the tape it is does not matter
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
                return out | _CONSUME if consumed_params(self.program)[f] else out
            case _:
                out = PURE
                for _, block in sub_blocks(op):
                    out |= self.block(block)
                return out


@lru_cache(maxsize=8)
def _effects_of_calls(program: Program) -> dict[str, Effects]:
    """The effects of calling each function, but for consumption: the least fixed point over the
    call graph."""
    found = dict.fromkeys(program.functions, PURE)
    while True:
        effects = EffectsOf(program, found)
        now = {n: effects.block(f.body) - _CONSUME for n, f in program.functions.items()}
        if now == found:
            return found
        found = now
