"""The reference evaluator: the value of a program and what it costs.

It is the meaning of Core, the oracle for native code and the instrument for the cost bound. The
cost model (Efficient CHAD, Appendix C, for this language):

    every let costs 1, and in addition
    a branch                      the block taken
    a call                        the body
    build, sum, loop, while       1 + the body, for every iteration (while: the condition too)
    reshape, stack, copy          the size of the array
    products, factorisations      their multiplications
    acc_new                       the size of the accumulator

A view, an access and an update cost 1 whatever the size: updates are done in place, which the
checker makes invisible.

Recursion of the user's program is recursion here, so all runs in a thread with a large stack.

>>> from pullback.core.build import Builder
>>> from pullback.core.terms import Function, Var
>>> from pullback.core.types import F64
>>> x, b = Var("x", F64), Builder()
>>> y = b.prim("mul", b.prim("sin", x), x)
>>> evaluate(Program({"f": Function("f", (x,), b.block((y,)), (F64,))}, {}, "f"), [0.0])
((0.0,), 2)
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.core.held import PLACE
from pullback.core.recursion import with_large_stack
from pullback.core.terms import Program, Site
from pullback.core.translate import Machine
from pullback.core.values import Node, to_value
from pullback.core.waiting import Lock

__all__ = ["Node", "evaluate", "site_of"]

def evaluate(program: Program, args: Sequence[object]) -> tuple[tuple[object, ...], int]:
    """The results of ``main`` on these arguments, and the cost.

    Raises whatever the program raises, as the built-in exception; ``site_of`` gives its place."""
    fn = program.functions[program.main]
    if len(args) != len(fn.params):
        raise TypeError(f"{fn.name} takes {len(fn.params)} arguments, not {len(args)}")
    values = [to_value(p.type, a, program.decls) for p, a in zip(fn.params, args, strict=True)]
    with _one_at_a_time:
        machine = next((m for m in _machines if m.program is program), None) or Machine(program)
        _machines[:] = [m for m in _machines if m is not machine][-MOST_MACHINES:]
        results = with_large_stack(lambda: machine.call(program.main, values))
        cost = machine.cost
        machine.begin()
        _machines.append(machine)  # not where a translation, too, may have been cut off
        return results, cost


def site_of(e: BaseException) -> Site | None:
    """The place in the user's source where an evaluated program raised ``e``."""
    site = vars(e).get(PLACE)
    return site if isinstance(site, Site) else None


MOST_MACHINES = 4
_machines: list[Machine] = []
"""Of the programs that were evaluated last, which are often evaluated again."""

_one_at_a_time = Lock()
"""A machine has one cost."""
