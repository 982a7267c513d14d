"""Find the arrays that are updated in place somewhere: variables that may share storage with them
must not be merged, recomputed later or kept alive longer.

The order of execution is ignored: a class of variables that may share storage (``core/sharing.py``)
counts as updated if one of its members is consumed.
"""

from __future__ import annotations

from functools import lru_cache

from pullback.core.consumption import consumed_params
from pullback.core.sharing import Sharing
from pullback.core.terms import Call, Jvp, Program, Ruled, Update, Var, Vjp
from pullback.core.traverse import all_lets


@lru_cache(maxsize=8)
def updated_arrays(program: Program) -> frozenset[Var]:
    """Return all variables that may share storage with an array that some op consumes."""
    bodies = [f.body for f in program.functions.values()]
    if not any(isinstance(let.op, Update) for body in bodies for let in all_lets(body)):
        return frozenset()
    sharing, consumes = Sharing(), consumed_params(program)
    marked: list[Var] = []
    for f in program.functions.values():
        marked += [f.params[i] for i in consumes[f.name]]
        sharing.block(f.body)
        for let in all_lets(f.body):
            match let.op:
                case Update(Var() as a, _, _, _):
                    marked.append(a)
                case Call(g, args) | Ruled(g, args) | Vjp(g, args, _, _) | Jvp(g, args, _, _):
                    given = [args[i] for i in consumes[g]]
                    marked += [a for a in given if isinstance(a, Var)]
                case _:
                    pass
    return frozenset(sharing.of(marked))
