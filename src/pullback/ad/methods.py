"""The native algorithms of reverse mode, by the names that ``method=`` takes.

Both have the same interface: ``gradient`` is that of ``differentiate``, and ``split`` is either
``differentiate.split`` or, if its last argument says so, ``differentiate.split_with_handles``."""

from __future__ import annotations

from collections.abc import Callable

from pullback.ad.differentiate import gradient, split, split_with_handles
from pullback.ad.tape import dual_gradient, dual_split
from pullback.core.frozen import dataclass
from pullback.core.terms import Program

Only = tuple[int, ...] | None
Split = tuple[Program, Program, tuple[bool, ...]]


@dataclass(frozen=True, slots=True)
class ReverseMethod:
    """The translations of a method: the gradient, and the two halves of a pullback."""

    gradient: Callable[[Program, tuple[int, ...], Only], Program]
    split: Callable[[Program, tuple[int, ...], Only, bool], Split]


def _chad(program: Program, wrt: tuple[int, ...], only: Only, handles: bool) -> Split:
    if handles:
        return split_with_handles(program, wrt, only)
    return (*split(program, wrt, only), ())


REVERSE: dict[str, ReverseMethod] = {
    "chad": ReverseMethod(gradient, _chad),
    "dual": ReverseMethod(dual_gradient, dual_split),
}

__all__ = ["REVERSE", "ReverseMethod"]
