"""Numbers that a type needs: a branch that cannot be typed, and whose condition is computed from
numbers that can be known before the run, is decided by specialising for them.

    def powers(x, n):                    powers(x, 2): a call with n = 2 known
        return (x, x * x) if n == 2 else x
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from pullback.core.terms import Atom, Lit, Prim
from pullback.errors import PullbackError
from pullback.frontend.kinds.growing_tuples import join_growing
from pullback.frontend.kinds.join import join
from pullback.frontend.kinds.kinds import Kind
from pullback.frontend.kinds.sum_kinds import is_of_several_ranks, mixes
from pullback.frontend.signals import NeedStatic

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def need_known(run: Run, cond: Atom, node: ast.AST, refusal: PullbackError) -> None:
    """Ask for the first number that decides a refused branch to be known."""
    origin = _decides(run, cond)
    if origin is not None:
        raise NeedStatic(origin, node, "the number that decides a branch", refusal)


def meeting(run: Run, cond: Atom) -> Callable[[Kind, Kind], Kind | None]:
    """Return what gives the join of kinds behind a branch: tuples of two lengths meet, as one whose
    length only the run knows, and a text meets a number, where its condition cannot be known
    either."""
    def meet(a: Kind, b: Kind) -> Kind | None:
        both = join_growing(a, b)
        if both is None or run.frame.definition in run.calls.recursive:
            return both
        mixed = _mixes(both) and not _mixes(a) and not _mixes(b)
        known = not mixed or run.frame.definition in run.calls.mixing
        if known and join(a, b) is not None:
            return both
        return both if _decides(run, cond) is None else None

    return meet


def _mixes(kind: Kind) -> bool:
    return mixes(kind) or is_of_several_ranks(kind)


def _decides(run: Run, cond: Atom) -> tuple[object, str] | None:
    """Return the origin of the first number that decides a condition; None: there is something that
    only the run knows."""
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
            return None
    return origin
