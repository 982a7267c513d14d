"""What was compiled in this process, for ``pb.compiled``."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Sequence
from time import perf_counter
from types import CodeType
from typing import TYPE_CHECKING
from weakref import ref

from pullback.call.request import Plan, What
from pullback.core.frozen import dataclass
from pullback.frontend.kinds.descriptions import describe
from pullback.settings import config

if TYPE_CHECKING:
    from pullback.native.compile import Timing

_NAMES = {
    What.VALUE: "jit",
    What.GRADIENT: "grad",
    What.VALUE_AND_GRADIENT: "value_and_grad",
    What.TANGENT: "jvp",
    What.PULLBACK: "vjp",
}


@dataclass(frozen=True, slots=True)
class Compilation:
    """One compiled program: the operator that it is for ("jit" is the function itself; "jvp" and
    "vjp" are also what Jacobians and the like are made of), the arguments that it differentiates
    by, the types of all arguments, the seconds that it took, the bytes of machine code, whether it
    was loaded from disk, and the reason: what is other than when this function was last
    compiled."""

    operator: str
    argnums: tuple[int, ...]
    arguments: tuple[str, ...]
    seconds: float
    size: int
    loaded: bool
    reason: str

    def __repr__(self) -> str:
        by = f" by {', '.join(map(str, self.argnums))}" if self.argnums else ""
        how = "loaded" if self.loaded else "compiled"
        return (f"{self.operator}{by} of ({'; '.join(self.arguments)}): {how} in "
                f"{self.seconds:.3f} s, {self.size:,} bytes")  # fmt: skip


_written: deque[tuple[ref[CodeType], Compilation]] = deque(maxlen=1024)


def note(code: CodeType, plan: Plan, since: float, timing: Timing, loaded: bool = False) -> None:
    """Write down that a program is ready. ``since``: when it was begun, of ``perf_counter``."""
    what = plan.request.what
    argnums = () if what in (What.VALUE, What.TANGENT) else tuple(plan.differentiated)
    given = tuple(map(describe, plan.kinds[: plan.arguments]))
    seconds = perf_counter() - since
    operator = _NAMES[what]
    reason = _reason(compilations(code), operator, argnums, given, code.co_varnames)
    made = Compilation(operator, argnums, given, seconds, timing.size, loaded, reason)
    _written.append((ref(code), made))
    if config.verbose == "log":
        place = f"{code.co_qualname}, line {code.co_firstlineno}"
        print(f"pullback: {place}: {made!r}: {reason}", file=sys.stderr, flush=True)


def _reason(
    before: Sequence[Compilation], operator: str, argnums: tuple[int, ...], given: tuple[str, ...],
    names: Sequence[str],
) -> str:  # fmt: skip
    """Why a program is made beside those that there are: what is other than in the one that is most
    like it."""
    if not before:
        return "the first call"
    same = [c for c in before if (c.operator, c.argnums) == (operator, argnums)]
    if not same:
        return "the first call of this operator"
    counts = [c for c in same if len(c.arguments) == len(given)]
    if not counts:
        return f"{len(given)} arguments where there were {len(same[-1].arguments)}"
    differing = [
        [k for k, (a, b) in enumerate(zip(c.arguments, given, strict=True)) if a != b]
        for c in counts
    ]
    nearest = min(range(len(counts)), key=lambda k: (len(differing[k]), -k))
    if not differing[nearest]:
        return "what it reads beside its arguments, or what their extents are, is of another kind"
    return ", ".join(
        f"{_name(names, k)}: {given[k]} where there was {counts[nearest].arguments[k]}"
        for k in differing[nearest]
    )


def _name(names: Sequence[str], k: int) -> str:
    return names[k] if k < len(names) else f"argument {k}"


def compilations(code: CodeType) -> tuple[Compilation, ...]:
    """What was compiled of functions with this code, the oldest first."""
    return tuple(made for of, made in tuple(_written) if of() is code)


__all__ = ["Compilation", "compilations", "note"]
