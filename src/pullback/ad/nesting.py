"""Refuse derivative terms that nest too deeply, or without end.

Each level multiplies the size of the code. Library functions that are computed by iteration
(``frontend/library/text/spectral.py``, ``special.py``) have exact derivatives up to the fifteenth
only: deeper nests are refused instead of being slow or wrong.
"""

from __future__ import annotations

from dataclasses import replace

from pullback.ad.sweep import DerivativeError
from pullback.core.terms import Jvp, Let, Program, Vjp
from pullback.core.traverse import all_lets, called, reachable

MOST_NESTED = 12
"""Derivatives of higher order than this are refused."""


def refuse_deep_nests(program: Program) -> None:
    """Raise DerivativeError at the innermost term of a nest that is too deep."""
    _refuse_recursion(program)
    known: dict[str, tuple[int, Let | None]] = {}

    def order(name: str) -> tuple[int, Let | None]:
        """The order of the derivatives in a function, and one of the innermost terms."""
        if name in known:
            return known[name]
        known[name] = (0, None)  # a recursive call adds no order: derivatives never recur
        worst: tuple[int, Let | None] = (0, None)
        for let in all_lets(program.functions[name].body):
            for target in called(let.op):
                below, inner = order(target)
                if isinstance(let.op, (Vjp, Jvp)):
                    below, inner = below + 1, inner or let
                if below > worst[0]:
                    worst = (below, inner)
        known[name] = worst
        return worst

    total, let = order(program.main)
    if let is not None and total >= MOST_NESTED:
        raise DerivativeError(f"derivatives nested more than {MOST_NESTED} deep", let)


def _refuse_recursion(program: Program) -> None:
    """Raise DerivativeError if a differentiated function reaches its own derivative term again:
    derivatives of all orders would be needed, and the order would depend on data."""
    for name in reachable(program):
        for let in all_lets(program.functions[name].body):
            if not isinstance(let.op, (Vjp, Jvp)):
                continue
            if name in reachable(replace(program, main=let.op.function)):
                reason = "recursion through a derivative operator: a function that is built up "
                reason += "at run time by derivatives of itself"
                raise DerivativeError(reason, let)
