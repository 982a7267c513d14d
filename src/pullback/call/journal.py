"""What was compiled in this process, for ``pb.compiled``."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from time import perf_counter
from types import CodeType
from typing import TYPE_CHECKING
from weakref import ref

from pullback.call.request import Plan, What
from pullback.frontend.kinds.kinds import describe

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
    by, the types of all arguments, the seconds that it took, the bytes of machine code, and whether
    it was loaded from disk."""

    operator: str
    argnums: tuple[int, ...]
    arguments: tuple[str, ...]
    seconds: float
    size: int
    loaded: bool

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
    made = Compilation(_NAMES[what], argnums, given, seconds, timing.size, loaded)
    _written.append((ref(code), made))


def compilations(code: CodeType) -> tuple[Compilation, ...]:
    """What was compiled of functions with this code, the oldest first."""
    return tuple(made for of, made in tuple(_written) if of() is code)


__all__ = ["Compilation", "compilations", "note"]
