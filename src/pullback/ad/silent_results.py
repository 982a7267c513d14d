"""Results of which a reverse sweep has no cotangent.

A derivative term has a seed for each real result of its function; the literal 0.0 says that there
is none, whatever the type of the result. Such results are stopped in a copy of the function, which
is written for this one sweep: no cotangent flows back from them, so nothing is kept or added for
one. The copy is never differentiated again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pullback.ad.cells import seeded
from pullback.core.build import Builder
from pullback.core.terms import Atom, Block, Call, Function, Lit, Var
from pullback.core.traverse import refresh, substitute

if TYPE_CHECKING:
    from pullback.ad.function_halves import Functions


def is_silent(seed: Atom) -> bool:
    """Whether a seed says that there is no cotangent."""
    return isinstance(seed, Lit) and seed.value == 0.0


def silenced(functions: Functions, f: Function, seeds: Sequence[Atom]) -> Function:
    """Return the function with the results stopped that have silent seeds."""
    rest = iter(seeds)
    silent = tuple(seeded(t) and is_silent(next(rest)) for t in f.results)
    if not any(silent) or functions.recursive(f.name):
        return f
    name = f"{f.name}.without_" + "".join("1" if s else "0" for s in silent)
    if name not in functions.functions:
        params = tuple(Var(p.name, p.type) for p in f.params)
        body = refresh(f.body, dict(zip(f.params, params, strict=True)))
        stopped = _stopped(functions, body, silent)
        functions.functions[name] = Function(name, params, stopped, f.results)
    return functions.functions[name]


def _stopped(functions: Functions, body: Block, silent: Sequence[bool]) -> Block:
    """Return the body with results stopped."""
    opened = _opened(functions, body, silent)
    b = Builder()
    results = b.extend(opened)
    return b.block(tuple(
        b.prim("stop_gradient", r) if s and isinstance(r, Var) else r
        for r, s in zip(results, silent, strict=True)
    ))  # fmt: skip


def _opened(functions: Functions, body: Block, silent: Sequence[bool]) -> Block:
    """Open the calls that give results which will be stopped: the reverse half of a function has a
    cotangent for each of its results."""
    wanted = {r for r, s in zip(body.results, silent, strict=True) if s}
    b = Builder()
    names: dict[Var, Atom] = {}
    for let in body.lets:
        if (
            not isinstance(let.op, Call) or wanted.isdisjoint(let.vars)
            or functions.recursive(let.op.function)
        ):  # fmt: skip
            b.lets.append(let)
            continue
        callee = functions.functions[let.op.function]
        inner = refresh(callee.body, dict(zip(callee.params, let.op.args, strict=True)))
        results = b.extend(_opened(functions, inner, [v in wanted for v in let.vars]))
        names.update(zip(let.vars, results, strict=True))
    return substitute(b.block(body.results), names)


__all__ = ["is_silent", "silenced"]
