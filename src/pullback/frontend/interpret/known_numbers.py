"""Numbers that a type needs: a branch that cannot be typed, and whose condition is computed from
numbers that can be known before the run, is decided by specialising for them.

    def powers(x, n):                    powers(x, 2): a call with n = 2 known
        return (x, x * x) if n == 2 else x
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pullback.core.terms import Atom, Lit, Prim
from pullback.errors import PullbackError
from pullback.frontend.signals import NeedStatic

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def need_known(run: Run, cond: Atom, node: ast.AST, refusal: PullbackError) -> None:
    """Ask for the first number that decides a refused branch to be known."""
    made = {v: let.op for b in run.builders for let in b.lets for v in let.vars}
    waiting: list[Atom] = [cond]
    origin: tuple[object, str] | None = None
    while waiting:
        atom = waiting.pop()
        if isinstance(atom, Lit):
            continue
        op = made.get(atom)
        if atom in run.origins:
            origin = run.origins[atom]
        elif isinstance(op, Prim):
            waiting += op.args
        else:
            return  # something that only the run knows decides it too
    if origin is not None:
        raise NeedStatic(origin, node, "the number that decides a branch", refusal)
